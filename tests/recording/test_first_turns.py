"""Encoders behind gears and screws that read within one turn: what tells their whole turns at the first sample."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.recording.place import placed

T, TURN = np.arange(0, 3, 0.01), 2 * np.pi
ARM = """
format = 1
name = "geared"
planar = true
[bodies.arm]
mass = 2
com = ["0.3 m", 0]
inertia = 0.05
[bodies.rotor]
mass = 0.1
inertia = 1e-5
[joints.q]
type = "revolute"
between = ["ground", "arm"]
{limits}
[joints.m]
type = "revolute"
between = ["ground", "rotor"]
actuated = true
[couplings.gear]
on = {{ combination = {{ m = 1, q = -50 }} }}
[coordinates]
q = {{ joint = "q" }}
m = {{ joint = "m" }}
{pose}
"""
SCREW = """
format = 1
name = "screw"
[bodies.nut]
mass = 2
inertia = [0.01, 0.01, 0.01]
[bodies.spindle]
mass = 0.3
inertia = [1e-3, 1e-3, 1e-4]
[joints.m]
type = "revolute"
between = ["ground", "spindle"]
actuated = true
[joints.s]
type = "helical"
lead = "5 mm/rev"
between = ["spindle", "nut"]
[joints.x]
type = "prismatic"
between = ["ground", "nut"]
{limits}
"""
ROCKER = """
format = 1
name = "rocker"
planar = true
bodies.crank = {{ mass = 1, inertia = 0.01, frames.pin = [0.5, 0] }}
bodies.rod = {{ mass = 1, inertia = 0.01, frames.end = [0.3, 0] }}
bodies.lever = {{ mass = 1, inertia = 0.01, frames.pin = [0.3, 0], placement.position = [0.6, 0] }}
bodies.rotor = {{ mass = 0.1, inertia = 1e-5 }}
frames.D = {{ body = "ground", position = [0.6, 0] }}
joints.q = {{ type = "revolute", between = ["ground", "crank"] }}
joints.B = {{ type = "revolute", between = ["crank.pin", "rod"] }}
joints.C = {{ type = "revolute", between = ["rod.end", "lever.pin"] }}
joints.D = {{ type = "revolute", between = ["D", "lever"] }}
joints.m = {{ type = "revolute", between = ["ground", "rotor"], actuated = true }}
couplings.gear.on = {{ combination = {{ m = 1, q = -{ratio} }} }}
coordinates.q = {{ joint = "q" }}
pose.q = "20 deg"
"""
Q = 0.5 + 0.4 * np.sin(2 * T)


def arm(limits: str = "", pose: str = "") -> poinsot.Mechanism:
    return poinsot.loads(ARM.format(limits=limits, pose=pose))


def read(mechanism, **channels: np.ndarray) -> poinsot.Recording:
    units = {name: "m" if name == "x" else "rad" for name in channels}
    return placed(poinsot.Recording.of(T, channels, units=units), mechanism)


def told(recording) -> list:
    return [finding for finding in recording.findings if finding.code == "first turns"]


def wrapped(x: np.ndarray, low: float = 0.0) -> np.ndarray:
    return (x - low) % TURN + low


@pytest.mark.parametrize("q", [Q, 0.52 + 0.002 * np.sin(2 * T)])  # many jumps, none
def test_nothing_tells_the_turns_of_a_motor_alone_and_one_warning_says_so(q):
    recording = read(arm(), m=wrapped(50 * q))
    (finding,) = told(recording)
    assert finding.severity == "warning" and finding.channel == "m" and finding.amount == pytest.approx(7.2)
    assert "each is 7.2° of 'q'" in finding.message and "offset in columns=" in finding.advice
    assert placed(recording, arm()).findings == recording.findings


def test_estimates_and_motions_from_arrays_tell_it_as_well():
    found = poinsot.inverse_dynamics(arm(), {"q": (T, Q)}, T)
    given = {"m": wrapped(50 * Q), "m.force": found.forces["m"]}
    recording = poinsot.Recording.of(T, given, units={"m": "rad"})
    estimate = poinsot.identify(arm(), recording, ["arm.mass"])
    assert any("nothing tells its whole turns at the first sample: each is 7.2°" in step for step in estimate.steps)
    with pytest.warns(UserWarning, match="'m': .* nothing tells its whole turns at the first sample"):
        poinsot.kinematics(arm(), recording)
    whole = poinsot.identify(arm('limits = ["5 deg", "54 deg"]'), recording, ["arm.mass"])
    assert whole["arm.mass"].value == pytest.approx(2, rel=1e-3)  # and with 3 turns less the arm leans elsewhere
    assert abs(estimate["arm.mass"].value - 2) > 0.01


@pytest.mark.parametrize("low", [0.0, -np.pi])
@pytest.mark.parametrize(
    ("limits", "pose", "more", "why"),
    [
        ("", "", {"q": Q + 1e-3 * np.sin(50 * T)}, "the rest of the recording"),
        ('limits = ["5 deg", "54 deg"]', "", {}, "the room between end stops"),
        ("", '[pose]\nm = "25 rad"', {}, "the pose of the model file"),
    ],
)
def test_other_encoders_end_stops_and_the_pose_of_the_file_tell_them(low, limits, pose, more, why):
    recording = read(arm(limits, pose), m=wrapped(50 * Q, low), **more)
    np.testing.assert_allclose(recording["m"], 50 * Q, atol=1e-9)
    (finding,) = told(recording)
    assert finding.severity == "note" and why in finding.message and finding.mended
    assert any("whole turns, as" in step for step in recording.steps)


def test_wide_end_stops_and_encoders_that_contradict_tell_nothing():
    assert told(read(arm('limits = ["-90 deg", "90 deg"]'), m=wrapped(50 * Q)))[0].severity == "warning"
    off = Q + TURN / 100  # half a turn of the motor off
    assert told(read(arm(), m=wrapped(50 * Q), q=off))[0].severity == "warning"


@pytest.mark.parametrize(
    "m",
    [
        50 * Q,  # counted beyond a turn
        50 * (0.52 + 0.002 * np.sin(2 * T)),  # within one, but of a counter
        wrapped(20 * np.sin(2 * T), -np.pi),  # from home
        0.4 * np.sin(2 * T),
    ],
)
def test_there_is_no_alarm_where_turns_are_counted_or_the_motion_starts_at_home(m):
    assert told(read(arm(), m=m)) == []


def test_a_start_just_below_home_is_within_the_turn_before():
    true = 20 * np.sin(2 * T) - 0.05
    recording = read(arm(), m=wrapped(true))
    np.testing.assert_allclose(recording["m"], true, atol=1e-9)


def test_joints_themselves_and_gears_of_one_to_one_are_not_asked_about():
    assert told(read(arm(), q=Q)) == []
    even = poinsot.loads(ARM.format(limits="", pose="").replace("q = -50", "q = -1"))
    assert told(read(even, m=Q)) == []


def test_an_offset_is_the_remedy_where_nothing_tells_them(tmp_path):
    log = tmp_path / "log.csv"
    rows = zip(T, np.degrees(wrapped(50 * Q)))
    log.write_text("t [s],enc [deg]\n" + "".join(f"{t:.3f},{x:.9f}\n" for t, x in rows))
    column = {"column": "enc"}
    assert len(told(poinsot.read(log, columns={"m": column}, mechanism=arm()))) == 1
    turned = poinsot.read(log, columns={"m": column | {"offset": 3 * TURN}}, mechanism=arm())
    assert told(turned) == []
    np.testing.assert_allclose(turned["m"], 50 * Q, atol=1e-7)
    joint = column | {"gain": 1 / 50}
    (finding,) = told(poinsot.read(log, columns={"q": joint}, mechanism=arm()))
    assert "7.2° of q" in finding.message and "0.12566 rad a turn" in finding.advice
    gear = {"inputs": ["enc"], "outputs": ["q"], "matrix": [[50]], "apply": "inverse"}
    (finding,) = told(poinsot.read(log, couplings=[gear], mechanism=arm()))
    assert "offset of the coupling, 0.12566 rad a turn" in finding.advice
    by_gain = poinsot.read(log, columns={"q": joint | {"offset": 3 * TURN / 50}}, mechanism=arm())
    by_gear = poinsot.read(log, couplings=[gear | {"offset": [3 * TURN / 50]}], mechanism=arm())
    for recording in (by_gain, by_gear):
        assert told(recording) == []
        np.testing.assert_allclose(recording["q"], Q, atol=1e-8)


X = 0.0215 + 0.003 * np.sin(2 * T)


@pytest.mark.parametrize(
    ("limits", "more", "severity"),
    [
        ("", {}, "warning"),
        ("", {"x": X}, "note"),
        ('limits = ["0 mm", "40 mm"]', {}, "warning"),
        ('limits = ["17 mm", "25 mm"]', {}, "note"),
    ],
)
def test_spindles_are_asked_about_too(limits, more, severity):
    m = -X / 0.005 * TURN
    recording = read(poinsot.loads(SCREW.format(limits=limits)), m=wrapped(m), **more)
    (finding,) = told(recording)
    assert finding.severity == severity
    if severity == "note":
        np.testing.assert_allclose(recording["m"], m, atol=1e-9)
    else:
        assert "each is 0.005 m along the screw" in finding.message


@pytest.mark.parametrize(("ratio", "severity"), [(3, "note"), (40, "warning")])
def test_a_crank_that_cannot_turn_tells_the_turns_of_its_motor_where_one_pose_alone_can_be_assembled(ratio, severity):
    q = np.radians(-26 + 8 * np.sin(2 * T))
    recording = read(poinsot.loads(ROCKER.format(ratio=ratio)), m=wrapped(ratio * q))
    (finding,) = told(recording)
    assert finding.severity == severity
    if severity == "note":
        assert "assembled in no other pose" in finding.message
        np.testing.assert_allclose(recording["m"], ratio * q, atol=1e-9)
