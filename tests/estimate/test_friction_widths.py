"""Values that hang on the speed over which dry friction is smoothed are a doubt, unless rows tell it is right."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from tests.estimate.machines import SLIDE, SLIDE_UNKNOWNS, slide

SAID = "Values hang on the speed over which dry friction is smoothed"


def slow(smooth: float, seed: int = 0) -> poinsot.Recording:
    """Twenty seconds of a slide at up to 0.04 m/s, with friction over so small a speed [m/s]; 0: it jumps."""
    t, rng = np.arange(0, 20, 0.004), np.random.default_rng(seed)
    parts = [(0.012, 0.63, 0.0), (0.008, 1.26, 1.0), (0.006, 3.14, 2.0)]
    x = sum(A * np.sin(w * t + p) for A, w, p in parts)
    v = sum(A * w * np.cos(w * t + p) for A, w, p in parts)
    a = sum(-A * w**2 * np.sin(w * t + p) for A, w, p in parts)
    dry = np.tanh(v / smooth) if smooth else np.sign(v)
    force = 20 * a + 40 * v + 15 * dry + 0.1 * rng.standard_normal(len(t))
    return poinsot.Recording.of(t, {"x": x + 1e-6 * rng.standard_normal(len(t)), "drive": force})


@pytest.mark.parametrize("smooth", [0.0, 1e-3])
def test_friction_that_is_wider_in_the_model_is_a_doubt(smooth):
    est = poinsot.identify(slide(4e-3), slow(smooth), SLIDE_UNKNOWNS)
    assert abs(est["rail.viscous"].value - 40) > 2 * est["rail.viscous"].deviation
    (said,) = (text for text in est.doubts if SAID in text)
    assert "half of the 0.004 m/s of 'rail.smooth', which explains the rows better" in said
    assert "rail.viscous is about " in said and "give rail.smooth = 0" in said


def two(friction: str, more: str = "") -> poinsot.Mechanism:
    """Two slides, copies of one component with such friction."""
    head, rest = SLIDE.split("[bodies", 1)
    rest, _ = ("[bodies" + rest).split("[coordinates]")
    rest = rest.replace("coulomb = 15, smooth = SMOOTH", friction)
    for table in ("bodies", "joints", "actuators"):
        rest = rest.replace(f"[{table}.", f"[components.s.{table}.")
    copies = '[instances.a]\ncomponent = "s"\nnumber = 2\n' + more
    named = '[coordinates]\nx1 = { joint = "a1.rail" }\nx2 = { joint = "a2.rail" }\n'
    return poinsot.loads(head + "[components.s]\n" + rest + copies + named)


def both() -> poinsot.Recording:
    runs = [slow(0.0, seed) for seed in (0, 1)]
    read = {f"x{k + 1}": run["x"] for k, run in enumerate(runs)}
    return poinsot.Recording.of(runs[0].t, read | {f"a{k + 1}.drive": run["drive"] for k, run in enumerate(runs)})


def told(mechanism: poinsot.Mechanism) -> tuple[list[str], poinsot.Estimate]:
    est = poinsot.identify(mechanism, both(), ["*mass", "*viscous", "*coulomb"])
    return [text for text in est.doubts if SAID in text], est


def test_copies_that_share_a_width_are_told_together_by_its_name():
    shared = two("coulomb = 15, smooth = 4e-3")
    (said,), est = told(shared)
    assert said.count("Values hang on the speed") == 1
    assert "half of the 0.004 m/s of 'a.rail.smooth'" in said and "give a.rail.smooth = 0" in said
    half = told(shared.with_parameters({"a.rail.smooth": 2e-3}))[1]["a.rail.viscous"].value
    about = float(said.split("a.rail.viscous is about ")[1].split(" ")[0])
    assert abs(about - half) < 0.4 * abs(est["a.rail.viscous"].value - half)


def test_copies_whose_file_leaves_the_width_out_are_told_together():
    (said,), _ = told(two("coulomb = 15"))
    assert said.count("Values hang on the speed") == 1
    assert "half of the 0.001 m/s of 'a1.rail.friction', 'a2.rail.friction'" in said
    assert "give them smooth = 0" in said


def test_copies_with_a_width_each_are_told_one_by_one():
    (said,), _ = told(two("coulomb = 15, smooth = 4e-3", 'separate = ["rail.smooth"]\n'))
    assert said.count("Values hang on the speed") == 2
    assert all(f"of 'a{k}.rail.smooth', which" in said for k in (1, 2))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("smooth", [0.0, 1e-3, 4e-3, 0.02])
def test_the_width_that_friction_has_is_no_doubt(smooth, seed):
    est = poinsot.identify(slide(smooth), slow(smooth, seed), SLIDE_UNKNOWNS)
    assert not any(SAID in text for text in est.doubts)


def test_motions_beside_which_the_width_is_small_are_no_doubt():
    t, rng = np.arange(0, 10, 1e-3), np.random.default_rng(1)
    v = 1.5 * np.cos(6 * t)
    force = -20 * 9.0 * np.sin(6 * t) + 40 * v + 15 * np.sign(v) + 0.5 * rng.standard_normal(len(t))
    run = poinsot.Recording.of(t, {"x": 0.25 * np.sin(6 * t), "drive": force})
    est = poinsot.identify(slide(1e-3), run, SLIDE_UNKNOWNS)
    assert not any(SAID in text for text in est.doubts)
