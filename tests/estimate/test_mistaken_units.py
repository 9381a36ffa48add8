"""Units of arrays: those that are told are kept in SI; degrees and milliseconds that are not are a doubt."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from tests.estimate.machines import ARM

BAR, ARM_MODEL = poinsot.load("four_bar"), poinsot.loads(ARM)
UNKNOWNS = ["link2.mass", "link3.mass"]


def bar(noise=0.05, slow=1.0, rate=50.0, seconds=6.0, seed=0):
    """Times, crank angle and torque along one sine, in which free masses make up for wrong units."""
    t = slow * np.arange(0, seconds, 1 / rate)
    run = poinsot.inverse_dynamics(BAR, {"theta1": lambda t: 1 + 0.6 * np.sin(4 / slow * t)}, t)
    return (
        t,
        run.kinematics.coordinates["theta1"],
        run.forces["A"] + noise * np.random.default_rng(seed).standard_normal(len(t)),
    )


def doubts(mechanism, unknowns, recording):
    found = poinsot.identify(mechanism, recording, unknowns).doubts
    return "".join(doubt for doubt in found if doubt.startswith("recordings in doubt"))


@pytest.mark.parametrize("noise", [0.05, 0.5])
@pytest.mark.parametrize(("factor", "unit"), [(1e3, "ms"), (1e6, "µs")])
def test_times_of_arrays_in_milliseconds_are_named(factor, unit, noise):
    t, angle, torque = bar(noise)
    said = doubts(BAR, UNKNOWNS, poinsot.Recording.of(factor * t, {"theta1": angle, "A": torque}))
    assert f"times look like {unit} read as s" in said


def test_a_data_frame_in_milliseconds_or_degrees_is_named():
    pandas = pytest.importorskip("pandas")
    t, angle, torque = bar()
    late = pandas.DataFrame({"t": 1e3 * t, "theta1": angle, "A": torque})
    assert "times look like ms read as s" in doubts(BAR, UNKNOWNS, late)
    turned = pandas.DataFrame({"t": t, "theta1": np.degrees(angle), "A": torque})
    assert "'theta1': it seems to be in degrees" in doubts(BAR, UNKNOWNS, turned)
    said = pandas.DataFrame({"t [ms]": 1e3 * t, "theta1 [deg]": np.degrees(angle), "A": torque})
    assert doubts(BAR, UNKNOWNS, said) == ""


def test_all_angles_of_an_arm_in_degrees_are_named():
    t = np.arange(0, 6, 0.01)
    motion = {
        "q1": poinsot.Fourier(1.5, (0.4, 0.2), (0.3,), 0.3),
        "q2": poinsot.Fourier(1.5, (0.3, -0.2), (0.2,), 0.7),
    }
    run = poinsot.inverse_dynamics(ARM_MODEL, motion, t)
    angles = {name: np.degrees(run.kinematics.coordinates[name]) for name in motion}
    said = doubts(ARM_MODEL, ["upper.J", "lower.J"], poinsot.Recording.of(t, angles | dict(run.forces)))
    assert "degrees" in said and "'q1'" in said


@pytest.mark.parametrize("noise", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("slow", [1.0, 50.0, 1000.0])
def test_right_arrays_are_no_doubt_however_slowly_they_were_recorded(slow, noise):
    for seed in range(2):
        t, angle, torque = bar(noise, slow, seed=seed)
        assert doubts(BAR, UNKNOWNS, poinsot.Recording.of(t, {"theta1": angle, "A": torque})) == ""


def test_a_shaft_that_turns_is_not_in_degrees():
    t = np.arange(0, 6, 0.01)
    run = poinsot.inverse_dynamics(BAR, {"theta1": lambda t: 1 + 8 * t + 0.5 * np.sin(3 * t)}, t)
    torque = run.forces["A"] + 0.3 * np.random.default_rng(0).standard_normal(len(t))
    for rough in ({}, {"link2.mass": 6.0, "link3.mass": 0.8}):
        mechanism = BAR.with_parameters(rough)
        rec = poinsot.Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": torque})
        assert doubts(mechanism, UNKNOWNS, rec) == ""


def test_arrays_in_the_units_that_are_told_give_what_those_in_si_give():
    t, angle, torque = bar()
    units = {"theta1": "deg", "A": "mN·m"}
    rec = poinsot.Recording.of(t, {"theta1": np.degrees(angle), "A": 1e3 * torque}, units=units)
    np.testing.assert_allclose(rec["theta1"], angle, rtol=1e-14, atol=1e-15)
    assert rec.units == {"theta1": "rad", "A": "N·m"} and "channel 'theta1' from deg to rad" in rec.steps
    same = poinsot.Recording.of(t, {"theta1": angle, "A": torque})
    found, expected = (poinsot.identify(BAR, one, UNKNOWNS) for one in (rec, same))
    for name in UNKNOWNS:
        np.testing.assert_allclose(found[name].value, expected[name].value, rtol=1e-9)


def test_noise_of_arrays_is_in_their_units():
    rec = poinsot.Recording.of([0.0, 0.1], {"q1": [1.0, 2.0]}, units={"q1": "deg"}, noise={"q1": 0.5})
    assert rec.channels["q1"].noise == pytest.approx(np.radians(0.5))


def test_units_that_are_not_those_of_the_channel_are_refused():
    t, angle, torque = bar()
    rec = poinsot.Recording.of(t, {"theta1": angle, "A": torque}, units={"theta1": "rad", "A": "N"})
    with pytest.raises(PoinsotError, match="recorded in N"):
        poinsot.identify(BAR, rec, UNKNOWNS)
