"""Recordings with more encoders than freedoms, and with angles that were kept within one turn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import poinsot
from poinsot.recording.independent import prescribing
from poinsot.recording.motion import with_recorded
from poinsot.recording.place import placed

BAR, T = poinsot.load("four_bar"), np.arange(0, 5, 0.02)
TRUE = BAR.parameters["link3.mass"].value


def run(motion, seed: int = 0):
    run = poinsot.inverse_dynamics(BAR, {"theta1": motion}, T)
    noise = 0.05 * np.random.default_rng(seed).standard_normal(len(T))
    return run.kinematics.coordinates, run.forces["A"] + noise


@pytest.mark.parametrize("order", [("theta1", "theta3"), ("theta3", "theta1"), ("theta2", "theta3", "theta1")])
def test_of_dependent_encoders_the_one_at_the_drive_prescribes_the_motion(order):
    s, torque = run(poinsot.Fourier(2.5, (0.4, 0.3), (0.1,), 1.2))
    estimate = poinsot.identify(
        BAR, poinsot.Recording.of(T, {n: s[n] for n in order} | {"A.force": torque}), ["link3.mass"]
    )
    alone = poinsot.identify(BAR, poinsot.Recording.of(T, {"theta1": s["theta1"], "A.force": torque}), ["link3.mass"])
    assert estimate["link3.mass"].value == pytest.approx(alone["link3.mass"].value, rel=1e-12)
    (said,) = [step for step in estimate.steps if "left out, as it follows" in step]
    assert "that of theta1;" in said and all(name in said for name in order)


@pytest.mark.parametrize("low", [-np.pi, 0.0, 1.0])
def test_angles_kept_within_a_turn_are_identified_as_if_they_were_not(low):
    s, torque = run(lambda t: 1.5 + 4 * t + 0.4 * np.sin(7 * t))
    wrapped = (s["theta1"] - low) % (2 * np.pi) + low
    within, whole = (poinsot.Recording.of(T, {"theta1": x, "A": torque}) for x in (wrapped, s["theta1"]))
    found = placed(within, BAR)
    (finding,) = [f for f in found.findings if f.code == "wrapped"]
    assert finding.mended and finding.severity == "note"
    assert "whole turn 3 times" in finding.message or "whole turn 4 times" in finding.message
    np.testing.assert_allclose(np.diff(found["theta1"]), np.diff(s["theta1"]), atol=1e-12)
    a, b = (poinsot.identify(BAR, one, ["link3.mass"])["link3.mass"] for one in (within, whole))
    assert a.value == pytest.approx(b.value, rel=1e-6) and abs(a.value - TRUE) < 4 * a.deviation


def test_angles_that_are_made_continuous_are_told_where_nothing_was_read():
    s, torque = run(lambda t: 1.5 + 1.2 * t)
    wrapped = poinsot.Recording.of(T, {"theta1": s["theta1"] % (2 * np.pi), "A": torque})
    estimate = poinsot.identify(BAR, wrapped, ["link3.mass"])
    assert "run 'run1': 'theta1' was kept within one turn and is made continuous: it jumped once" in estimate.steps
    with pytest.warns(UserWarning, match="'theta1': it jumps by a whole turn once, .* turns are counted"):
        found = poinsot.kinematics(BAR, wrapped)
    np.testing.assert_allclose(np.ptp(found.coordinates["theta1"]), np.ptp(s["theta1"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # reading it for the mechanism has told it
        poinsot.kinematics(BAR, placed(wrapped, BAR))


STAGE = """
format = 1
name = "stage"
planar = true
[bodies.arm]
mass = 2
com = ["0.3 m", 0]
inertia = 0.05
[joints.h]
type = "revolute"
between = ["ground", "arm"]
actuated = true
[joints.s]
type = "prismatic"
between = ["arm", "tool"]
axis = [1, 0]
[bodies.tool]
mass = 1
inertia = 0.01
[coordinates]
q = { joint = "h" }
s = { joint = "s" }
"""
SWEEP = np.radians(np.tile(np.linspace(-172, 172, 30), 2))  # joined recordings: the jump is a turn less a step


def stage(limits: str) -> poinsot.Mechanism:
    return poinsot.loads(STAGE.replace("actuated = true", f"actuated = true\n{limits}"))


def counted(mechanism, q, unit="rad"):
    recording = placed(poinsot.Recording.of(0.05 * np.arange(len(q)), {"q": q}), mechanism)
    return recording["q"], [f.code for f in recording.findings if f.code in ("wrapped", "jumps")]


def test_no_turn_is_counted_through_rigid_end_stops():
    assert counted(stage(""), SWEEP)[1] == ["wrapped"]
    held, said = counted(stage('limits = ["-175 deg", "175 deg"]'), SWEEP)
    np.testing.assert_array_equal(held, SWEEP)
    assert said == ["jumps"]
    again = placed(placed(poinsot.Recording.of(np.arange(60.0), {"q": SWEEP}), stage("")), stage(""))
    assert [f.code for f in again.findings].count("wrapped") == 1


@pytest.mark.parametrize(
    ("limits", "low", "high"), [((0, 350), 5, 345), ((-300, 300), -290, 290), ((-350, 0), -345, -5)]
)
def test_turns_between_wide_end_stops_are_counted(limits, low, high):
    mechanism = stage(f'limits = ["{limits[0]} deg", "{limits[1]} deg"]')
    true = np.radians(low + (high - low) * (1 - np.cos(np.arange(120) / 10)) / 2)
    found, said = counted(mechanism, (true + np.pi) % (2 * np.pi) - np.pi)
    np.testing.assert_allclose(found, true, atol=1e-12)
    assert said == ["wrapped"]


def test_lengths_and_angles_of_more_than_a_turn_are_not_unwrapped():
    t = 0.05 * np.arange(60)
    recording = placed(poinsot.Recording.of(t, {"s": SWEEP, "q": 0.1 * t}), stage(""))
    np.testing.assert_array_equal(recording["s"], SWEEP)
    wide = np.linspace(0, 3 * np.pi, 60)  # a turn and a half, counted by who lost one of them then
    wide = np.concatenate([wide, wide[-1] - 2 * np.pi + wide[1:25]])
    np.testing.assert_array_equal(counted(stage(""), wide)[0], wide)


@pytest.mark.parametrize(
    "x",
    [
        np.where(T < 2, 0.1 * T, 0.1 * T + 5.0),  # a jump that is no turn
        2.0 * np.arange(len(T)) % (2 * np.pi),  # too fast to tell
        np.where(T < 2, 4.0 * T, 4.0 * T + 2 * np.pi),  # several turns were counted, one is missing
    ],
)
def test_other_jumps_stay(x):
    recording = placed(poinsot.Recording.of(T, {"theta1": x}), BAR)
    np.testing.assert_array_equal(recording["theta1"], x)
    assert not [f for f in recording.findings if f.code == "wrapped"]


def test_of_twenty_sets_of_encoders_the_one_is_found_that_passes_no_singular_pose():
    table, t = poinsot.load("three_rrr"), np.arange(0, 8, 0.02)
    joints = [f"leg{k}.{joint}" for k in (1, 2, 3) for joint in "AB"]
    random = np.random.default_rng(10)
    sizes = {"x": (0.06, 0.0), "y": (0.06, 0.0), "theta": (0.48, 0.1)}
    motion = {
        name: poinsot.Fourier(1.5, tuple(a * random.uniform(-1, 1, 3)), tuple(a * random.uniform(-1, 1, 3)), middle)
        for name, (a, middle) in sizes.items()
    }
    machine = with_recorded(table, joints)
    true = poinsot.kinematics(machine, motion, t)
    angles = {name: true.coordinates[name] for name in joints}
    chosen = prescribing(machine, {name: name for name in joints}, (t, angles))
    found = poinsot.kinematics(machine, {name: (t, angles[name]) for name in chosen}, t)
    np.testing.assert_allclose(found.position["platform"], true.position["platform"], atol=1e-6)
    usual = prescribing(machine, {name: name for name in joints})
    with pytest.raises(poinsot.MotionError):
        poinsot.kinematics(machine, {name: (t, angles[name]) for name in usual}, t)
