"""Arrays and data frames in degrees or milliseconds are a doubt of the estimate; right ones are none."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
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
