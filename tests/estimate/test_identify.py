"""From recordings to parameters: what is determined is found, what is not is said, and nonsense is refused."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.study import Role
from tests.estimate.runs import CRANK, four_bar_run

BAR = poinsot.load("four_bar")


def test_all_parameters_of_a_four_bar_are_its_eight_combinations():
    est = poinsot.identify(BAR, four_bar_run(), validate=four_bar_run(seed=1))
    base = poinsot.base_parameters(BAR)
    assert [c.text for c in est.combinations] == list(base.combinations)
    off = np.array([(c.value - v) / c.deviation for c, v in zip(est.combinations, base.values())])
    assert np.max(np.abs(off)) < 4
    assert "link1.m" in est.undetermined
    assert np.isnan(est["link1.m"].value)
    assert est["link1.m"].remark == "no effect on the channels"
    assert "link1.mx − 3.33333 link1.J" in est["link1.J"].remark
    assert "predicts held-out runs" in est.verdict
    assert est.validation is not None
    np.testing.assert_allclose(est.validation["A"].rms, est.fit["A"].rms, rtol=0.15)


def test_the_identified_mechanism_has_the_base_parameters_that_were_found():
    other = BAR.with_parameters({"link3.mass": 2.5, "link2.com.x": 0.42})
    t = np.arange(0, 10, 0.02)
    rec = four_bar_run(sigma=0.0)
    run = poinsot.inverse_dynamics(other, {"theta1": (t, rec["theta1"])}, t)
    there = rec.with_channels({"A": run.forces["A"]}, rec.channels)
    est = poinsot.identify(BAR, there, method="ordinary", processing={"cutoff": 25.0})  # beyond which is nothing
    base = poinsot.base_parameters(BAR)
    np.testing.assert_allclose(base.values(est.mechanism), base.values(other), rtol=1e-9)
    assert (
        poinsot.loads(poinsot.dumps(est.mechanism), "back").bodies["link3"].mass == est.mechanism.bodies["link3"].mass
    )


def test_products_of_unknowns_are_found_by_repeated_steps():
    truth = BAR.with_parameters({"link3.mass": 3.0, "link3.com.x": 0.5})
    t = np.arange(0, 10, 0.02)
    rec = four_bar_run(sigma=0.0)
    run = poinsot.inverse_dynamics(truth, {"theta1": (t, rec["theta1"])}, t)
    est = poinsot.identify(
        BAR, rec.with_channels({"A": run.forces["A"]}, rec.channels), ["link3.mass", "link3.com.x"]
    )
    np.testing.assert_allclose(est.value, [3.0, 0.5], rtol=1e-3)
    assert any("Gauss" in step for step in est.steps)


def test_noise_of_the_motion_that_excites_nothing_is_no_information():
    """A platform in pure translation: its moments of inertia act through noise of the angles alone."""
    ex800 = poinsot.load("ex800")
    t = np.arange(0, 5, 0.01)
    still = {name: float(ex800.elements.pose[name]) for name in ("rz", "rx", "ry")}
    circle = {
        "x": poinsot.Fourier(1.2566, (), (0.05,)),
        "y": poinsot.Fourier(1.2566, (0.05,)),
        "z": 0.275,
        **still,
    }
    run = poinsot.inverse_dynamics(ex800, circle, t)
    rng = np.random.default_rng(3)
    legs = {f"leg{k}.length": run.kinematics.coordinates[f"leg{k}.length"] for k in range(1, 7)}
    values = {name: x + 2e-5 * rng.standard_normal(len(t)) for name, x in legs.items()}
    values |= {name: f + 0.1 * rng.standard_normal(len(t)) for name, f in run.forces.items()}
    est = poinsot.identify(ex800, poinsot.Recording.of(t, values), ["platform.mass", "platform.inertia.*"])
    assert set(est.undetermined) >= {"platform.inertia.xx", "platform.inertia.yy", "platform.inertia.zz"}
    assert est["platform.mass"].value == pytest.approx(6.8369, abs=4 * est["platform.mass"].deviation)
    assert est["platform.mass"].deviation < 0.01


def test_a_payload_acts_in_its_own_run_alone():
    """Half a kilogram at the origin of link 3, which is joint C, from the difference of two runs."""
    m, c, I = 2.1, np.array([0.7, 0.05]), 0.35
    centre = m * c / (m + 0.5)
    moved = I + m * np.sum((c - centre) ** 2) + 0.5 * np.sum(centre**2)
    new = {"link3.mass": m + 0.5, "link3.com.x": centre[0], "link3.com.y": centre[1], "link3.inertia": moved}
    t, bare, rng = np.arange(0, 10, 0.02), four_bar_run(sigma=0.02), np.random.default_rng(8)
    run = poinsot.inverse_dynamics(BAR.with_parameters(new), {"theta1": (t, bare["theta1"])}, t)
    heavy = bare.with_channels({"A": run.forces["A"] + 0.02 * rng.standard_normal(len(t))}, bare.channels)
    unknowns = (poinsot.Unknown("link3.m", payload=True), poinsot.Unknown("link2.mx"), poinsot.Unknown("link2.my"))
    runs = (poinsot.Run("bare", bare), poinsot.Run("loaded", heavy, Role.PAYLOAD))
    payload = poinsot.identify(poinsot.Study(BAR, runs, unknowns))["payload link3.m"]
    assert payload.value == pytest.approx(0.5, abs=4 * payload.deviation)
    assert payload.deviation < 0.01


@pytest.mark.parametrize(
    "unknowns", [["link2.mass", "link3.mass"], {"both": {"parameters": ["link2.mass", "link3.mass"]}}]
)
def test_masses_that_cannot_be_are_a_doubt(unknowns, tmp_path):
    rec, bar = four_bar_run(sigma=0.02), BAR.with_parameters({"link2.mass": 2.1})
    turned = rec.with_channels({"A": -rec["A"]}, rec.channels)
    found = poinsot.identify(bar, turned, unknowns)
    assert any("impossible values: " in doubt and found.names[0] in doubt for doubt in found.doubts)
    assert not any("impossible" in doubt for doubt in poinsot.identify(bar, rec, unknowns).doubts)
    with pytest.warns(UserWarning, match="the identified model could not be written"):
        found.save(tmp_path / "result")


@pytest.mark.parametrize(
    ("unknowns", "said"),
    [
        (["link3.mas"], "did you mean 'link3.mass'"),
        (["ground.length"], "geometry"),
        ({"link3.mass": {"bounds": [3, 1]}}, "wrong order"),
        ({"link3.mass": {"bound": [1, 3]}}, "did you mean 'bounds'"),
        ({"link3.mass": {"prior": 2.0}}, "both a prior and its deviation"),
        ({"link3.mass": {"bounds": ["1 m", "2 m"]}}, "expected a quantity in kg"),
        (["link3.mass", "link3.mx"], r"not both in one study\. Linear are link3\.mx; the file has .*link3\.com"),
    ],
)
def test_unknowns_that_cannot_be_are_refused_by_name(unknowns, said):
    with pytest.raises(PoinsotError, match=said):
        poinsot.identify(BAR, four_bar_run(seconds=2.0), unknowns)


def test_a_start_on_a_bound_is_moved_off_and_said():
    est = poinsot.identify(BAR, four_bar_run(seconds=4.0), {"link3.mass": {"bounds": [2.1, 5.0]}})
    assert any("moved" in step and "link3.mass" in step for step in est.steps)


def test_no_sample_is_used_twice():
    rec = four_bar_run(seconds=4.0)
    with pytest.raises(PoinsotError, match="same samples"):
        poinsot.identify(BAR, rec, ["link3.mass"], validate=rec)
    study = poinsot.Study(
        BAR,
        (poinsot.Run("a", rec, end=2.0), poinsot.Run("b", rec, Role.VALIDATE, begin=2.0)),
        (poinsot.Unknown("link3.mass"),),
    )
    assert poinsot.identify(study).validation is not None


@pytest.mark.parametrize(("side", "at"), [("begin", None), ("end", None), ("end", "4 s"), ("begin", np.nan)])
def test_a_part_of_a_run_is_from_a_time_to_a_time(side, at):
    with pytest.raises(PoinsotError, match=rf"run 'part': {side} must be a time in seconds, not"):
        poinsot.Run("part", four_bar_run(seconds=2.0), **{side: at})


def test_a_run_without_forces_or_positions_is_refused_by_name():
    rec = four_bar_run(seconds=2.0)
    with pytest.raises(PoinsotError, match="no recorded force"):
        poinsot.identify(BAR, rec.only(["theta1"]))
    with pytest.raises(PoinsotError, match="position"):
        poinsot.identify(BAR, rec.only(["A"]))


def test_channels_no_better_than_a_constant_are_named():
    rec = four_bar_run(seconds=4.0)
    junk = replace(rec, values={**rec.values, "A": np.random.default_rng(0).standard_normal(len(rec))})
    est = poinsot.identify(BAR, junk, ["link3.mass"])
    assert "no better than a constant: A" in est.verdict


def test_masked_samples_are_left_out():
    rec = four_bar_run(sigma=0.05)
    which = np.zeros(len(rec), bool)
    which[100:140] = True
    wild = replace(rec, values={**rec.values, "A": np.where(which, 1e6, rec["A"])})
    masked = wild.masked(which, "a load cell that was hit", "A")
    est = poinsot.identify(BAR, masked, ["link2.mass", "link3.mass"])
    assert np.all(np.abs(est.value - [2.3, 2.1]) < 4 * est.deviation)


def test_offset_and_delay_of_a_channel_are_found_beside_the_parameters():
    rec = four_bar_run(sigma=0.02)
    late = poinsot.inverse_dynamics(BAR, {"theta1": CRANK}, rec.t + 2.487).forces["A"]  # a period is 2.5 s
    noise = 0.02 * np.random.default_rng(4).standard_normal(len(rec))
    wrong = rec.with_channels({"A": late + 0.7 + noise}, rec.channels)
    unknowns = ["link2.mass", "link3.mass", "offset A", "delay A"]
    est = poinsot.identify(BAR, wrong, unknowns, processing={"cutoff": 25.0})
    truth = [2.3, 2.1, 0.7, 0.013]
    assert np.all(np.abs(est.value - truth) < 5 * est.deviation + [2e-3, 2e-3, 2e-3, 2e-4]), str(est)
    assert est.units[-2:] == ("N·m", "s")


def test_a_gain_is_determined_only_beside_something_that_is_known():
    rec = four_bar_run(sigma=0.02)
    strong = rec.with_channels({"A": 1.2 * rec["A"]}, rec.channels)
    known = poinsot.identify(BAR, strong, ["link3.mass", "gain A"])
    assert known["gain A"].value == pytest.approx(0.2, abs=5 * known["gain A"].deviation)
    free = poinsot.identify(BAR, strong, ["*.m", "*.mx", "*.my", "*.J", "gain A"])
    assert "gain A" in free.undetermined


def test_values_outside_the_bounds_of_the_study_are_a_doubt():
    rec = four_bar_run(seconds=4.0)
    for name, bounds in (("link3.mass", [3.0, 5.0]), ("link3.J", [1.5, 2.0])):
        given = {name: {"bounds": bounds, "start": np.mean(bounds)}}
        est = poinsot.identify(BAR, rec, given)
        assert (
            f"numerics in doubt: Outside the bounds of the study: {name}" in est.verdict and ".;" not in est.verdict
        )
        advised = re.search("'weighted' does not keep bounds, '(.*)' does; ", est.verdict)
        kept = poinsot.identify(BAR, rec, given, advised[1])
        assert bounds[0] - 1e-6 <= kept[name].value <= bounds[1] + 1e-6


def test_a_planar_file_that_is_modelled_in_space_is_identified():
    bar = poinsot.load("four_bar").in_space()
    est = poinsot.identify(bar, four_bar_run(sigma=0.01), method="ordinary")
    t = np.arange(0, 2, 0.02)
    other = {"theta1": poinsot.Fourier(3.0, (0.7, -0.2), (0.1, 0.3), 1.0)}
    truth, found = (poinsot.inverse_dynamics(m, other, t).forces["A"] for m in (bar, est.mechanism))
    assert np.std(found - truth) < 0.01 * np.std(truth)


@pytest.mark.parametrize(("factor", "said"), [(np.nan, "run 'run1': 'A' has no"), (1e200, "look at its unit")])
def test_forces_that_tell_nothing_are_named(factor, said):
    rec = four_bar_run()
    with pytest.raises(poinsot.PoinsotError, match=said):
        poinsot.identify(BAR, rec.with_channels({"A": rec["A"] * factor}, rec.channels), ["link3.mass"])
