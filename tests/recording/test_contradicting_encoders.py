"""Encoders beyond the freedoms: contradicting ones are told, and singular ones do not prescribe the motion."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.recording.findings.contradictions import contradictions
from poinsot.recording.independent import prescribing
from poinsot.recording.place import placed

FIVE = poinsot.load("five_bar")
ENGINE = """
format = 1
name = "engine"
planar = true
[bodies.crank]
mass = 1.5
com = ["0.05 m", 0.01]
inertia = 0.004
frames.pin = ["0.1 m", 0]
[bodies.rod]
mass = 0.8
com = ["0.15 m", 0]
inertia = 0.008
frames.wrist = ["0.35 m", 0]
placement = { position = [0.05, 0.09], rotation = { angle = "-0.3 rad" } }
[bodies.piston]
mass = 1.2
inertia = 0.001
placement = { position = [0.4, 0] }
[joints.main]
type = "revolute"
between = ["ground", "crank"]
[joints.pin]
type = "revolute"
between = ["crank.pin", "rod"]
[joints.wrist]
type = "revolute"
between = ["rod.wrist", "piston"]
[joints.gas]
type = "prismatic"
between = ["ground", "piston"]
axis = [1, 0]
closing = true
actuated = true
[coordinates]
q = { joint = "main" }
x = { joint = "gas" }
[pose]
q = "60 deg"
"""


def five_bar(seed: int = 0, seconds: float = 6.0):
    """A five-bar with all of its angles, and its torques with noise."""
    rng, t = np.random.default_rng(seed), np.arange(0, seconds, 0.01)
    a = 0.25 * rng.uniform(-1, 1, (4, 3)) / np.arange(1, 4)
    motion = {"q1": poinsot.Fourier(2.0, a[0], a[1], 2.3), "q2": poinsot.Fourier(2.0, a[2], a[3], 0.9)}
    every = FIVE.naming("elbow1", "elbow2")
    run = poinsot.inverse_dynamics(every, motion, t)
    names = ["q1", "q2", "elbow1", "elbow2"]
    forces = {f"{n}.force": f + 0.01 * np.std(f) * rng.standard_normal(len(t)) for n, f in run.forces.items()}
    return t, {name: run.kinematics.coordinates[name] for name in names}, forces


def told(mechanism, t, angles) -> list:
    return contradictions(placed(poinsot.Recording.of(t, angles), mechanism), mechanism)


def changed(angles, name, change):
    return {n: change(x) if n == name else x for n, x in angles.items()}


FAULTS = {"offset": lambda x: x + 0.05, "sign": lambda x: -x, "degrees": np.degrees, "dead": lambda x: 0 * x + x[0]}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["q1", "elbow1"])
def test_an_encoder_that_contradicts_the_others_is_told_whoever_prescribes_the_motion(name, fault):
    t, angles, _ = five_bar()
    noisy = {n: x + 1e-3 * np.random.default_rng(1).standard_normal(len(t)) for n, x in angles.items()}
    wrong = changed(noisy, name, FAULTS[fault])
    found = told(FIVE, t, wrong)
    if not found:  # positions that the loops cannot take are refused
        with pytest.raises(poinsot.PoinsotError):
            poinsot.kinematics(FIVE, {n: (t, wrong[n]) for n in ("q1", "q2")})
    assert {f.code for f in found} <= {"contradicts"} and all(f.severity == "error" for f in found)


def test_how_far_an_encoder_is_off_is_told_with_its_unit():
    t, angles, _ = five_bar()
    (found,) = told(FIVE, t, changed({n: angles[n] for n in ("q1", "q2", "elbow1")}, "elbow1", lambda x: x + 0.3))
    assert found.channel == "elbow1" and found.amount == pytest.approx(0.3, rel=1e-3)
    assert "it is 0.3 rad (rms) off what follows from q1, q2, +0.3 rad of it all along" in found.message
    (found,) = told(FIVE, t, changed({n: angles[n] for n in ("q1", "q2", "elbow1")}, "elbow1", lambda x: -x))
    assert "as if it had the other sign" in found.message


def test_right_encoders_with_noise_turns_and_coarse_steps_are_no_alarm():
    alarms = []
    for seed in range(6):
        t, angles, _ = five_bar(seed)
        rng = np.random.default_rng(seed)
        for sigma, bits in ((0.0, 24), (1e-4, 20), (1e-2, 16), (0.0, 9), (3e-3, 10)):
            step = 2 * np.pi / 2**bits
            rough = {n: step * np.rint((x + sigma * rng.standard_normal(len(t))) / step) for n, x in angles.items()}
            rough["elbow2"] = rough["elbow2"] - 4 * np.pi
            alarms += told(FIVE, t, rough)
    assert alarms == []


def test_contradicting_encoders_are_a_doubt_of_the_estimate():
    t, angles, forces = five_bar()
    right, wrong = (
        poinsot.identify(FIVE, poinsot.Recording.of(t, a | forces), ["forearm1.mass"])
        for a in (angles, changed(angles, "q1", lambda x: x + 0.15))
    )
    assert right.doubts == ()
    (said,) = [doubt for doubt in wrong.doubts if doubt.startswith("recordings in doubt")]
    assert "'elbow1': it is" in said and "off what follows from q1, q2" in said and "an offset" in said


def test_reading_tells_contradicting_encoders(tmp_path):
    t, angles, _ = five_bar()
    for offset, count in ((0.0, 0), (0.2, 1)):
        table = np.stack([t, angles["q1"], angles["q2"], angles["elbow1"] + offset], axis=1)
        head = "t [s],q1 [rad],q2 [rad],elbow1 [rad]"
        np.savetxt(tmp_path / "run.csv", table, delimiter=",", header=head, comments="")
        found = poinsot.read(tmp_path / "run.csv", mechanism=FIVE).findings
        assert [f.severity.value for f in found if f.code == "contradicts"] == count * ["warning"]


def engine(motion):
    mechanism, t = poinsot.loads(ENGINE), np.arange(0, 5, 0.01)
    run = poinsot.inverse_dynamics(mechanism, {"q": motion}, t)
    s, rng = run.kinematics.coordinates, np.random.default_rng(0)
    force = run.forces["gas"] if np.isfinite(run.forces["gas"]).all() else np.sin(5 * t)
    noisy = {"q": s["q"] + 1e-4 * rng.standard_normal(len(t)), "x": s["x"] + 1e-5 * rng.standard_normal(len(t))}
    return mechanism, t, noisy, force + 0.1 * rng.standard_normal(len(t))


def test_an_encoder_of_the_drive_that_is_singular_on_the_way_does_not_prescribe_the_motion():
    mechanism, t, s, _ = engine(lambda t: 1.2 + 5 * t + 0.4 * np.sin(2 * t))
    read = {"x": "x", "q": "q"}
    assert prescribing(mechanism, read) == ["x"]
    assert prescribing(mechanism, read, (t, s)) == ["q"]
    with pytest.warns(UserWarning, match="prescribed by q; left out, as it follows: x"):
        found = poinsot.kinematics(mechanism, poinsot.Recording.of(t, {"x": s["x"], "q": s["q"]}))
    np.testing.assert_allclose(found.coordinates["x"], s["x"], atol=1e-4)


def test_dead_centres_between_samples_are_seen():
    mechanism, t = poinsot.loads(ENGINE), np.linspace(0, 1, 21)
    found = poinsot.kinematics(mechanism, {"q": lambda t: np.radians(67.5) + np.radians(300) * t}, t).coordinates
    assert np.min(np.abs(np.sin(found["q"]))) > 0.12  # no sample is near
    assert prescribing(mechanism, {"x": "x", "q": "q"}, (t, found)) == ["q"]


def test_an_encoder_of_the_drive_prescribes_the_motion_where_it_is_regular():
    mechanism, t, s, force = engine(lambda t: 1.5 + 0.5 * np.sin(3 * t) + 0.3 * np.sin(5 * t))
    for order in (("x", "q"), ("q", "x")):
        assert prescribing(mechanism, {n: n for n in order}, (t, s)) == ["x"]
    found = poinsot.identify(mechanism, poinsot.Recording.of(t, s | {"gas.force": force}), ["piston.mass"])
    assert abs(found["piston.mass"].value - 1.2) < 4 * found["piston.mass"].deviation and found.doubts == ()
