"""Values that hang on the speed over which dry friction is smoothed are a doubt, unless rows tell it is right."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from tests.estimate.test_reversals import SLIDE, UNKNOWNS

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
    est = poinsot.identify(poinsot.loads(SLIDE.replace("SMOOTH", "4e-3")), slow(smooth), UNKNOWNS)
    assert abs(est["rail.viscous"].value - 40) > 2 * est["rail.viscous"].deviation
    (said,) = (text for text in est.doubts if SAID in text)
    assert "half of the 0.004 m/s of 'rail.friction', which explains the rows better" in said
    assert "rail.viscous = " in said and "smooth = 0" in said


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("smooth", [0.0, 1e-3, 4e-3, 0.02])
def test_the_width_that_friction_has_is_no_doubt(smooth, seed):
    est = poinsot.identify(poinsot.loads(SLIDE.replace("SMOOTH", str(smooth))), slow(smooth, seed), UNKNOWNS)
    assert not any(SAID in text for text in est.doubts)


def test_motions_beside_which_the_width_is_small_are_no_doubt():
    t, rng = np.arange(0, 10, 1e-3), np.random.default_rng(1)
    v = 1.5 * np.cos(6 * t)
    force = -20 * 9.0 * np.sin(6 * t) + 40 * v + 15 * np.sign(v) + 0.5 * rng.standard_normal(len(t))
    run = poinsot.Recording.of(t, {"x": 0.25 * np.sin(6 * t), "drive": force})
    est = poinsot.identify(poinsot.loads(SLIDE.replace("SMOOTH", "1e-3")), run, UNKNOWNS)
    assert not any(SAID in text for text in est.doubts)
