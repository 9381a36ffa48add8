"""Fusion of inertial units with encoders and loops: against truth, and against leg lengths alone."""

from __future__ import annotations

from dataclasses import replace

import casadi
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import poinsot
from poinsot.errors import PoinsotError
from poinsot.recording.fusion.fusion import band
from poinsot.recording.fusion.navigation import SIZE, Navigation, propagate
from poinsot.recording.fusion.nodes import nodes_of
from poinsot.recording.motion import recorded_motion
from poinsot.recording.place import placed
from tests.recording.fusion.stewart import LEGS, platform, published

BOX = """[frames.box]
body = "platform"
position = {position}
{rotation}
[components.leg]
arguments"""


def rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))


def turn(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return Rotation.from_matrix(np.swapaxes(A, 1, 2) @ B).as_rotvec()


def wave(mean: float, amplitude: float, frequency: float, phase: float = 0.0):
    return lambda t: mean + amplitude * casadi.sin(2 * np.pi * frequency * t + phase)


MOTION = {
    "x": wave(0, 0.08, 0.7),
    "y": wave(0, 0.06, 1.1, 0.3),
    "z": wave(1, 0.05, 0.9, 1.0),
    "rz": wave(0, 0.15, 0.8, 0.5),
    "ry": wave(0, 0.12, 1.3),
    "rx": wave(0, 0.1, 0.6, 2.0),
}
T = np.arange(0, 3, 0.005)


def with_box(position: str, rotation: str = "", **more: str) -> poinsot.Mechanism:
    text = {
        'at = "platform"': 'at = "box"',
        "[components.leg]\narguments": BOX.format(position=position, rotation=rotation),
    }
    return platform(**text, **more)


def test_steps_of_the_unit_are_linearised_right():
    rng = np.random.default_rng(0)
    nodes = nodes_of(
        np.arange(4) * 0.02,
        rng.normal(size=(4, 6)) * 3,
        np.zeros((4, 0)),
        np.ones(6),
        np.ones(6),
        np.array([0, 0, -9.81]),
    )
    x = Navigation(
        Rotation.from_rotvec([[0.4, -1.0, 2.0]]).as_matrix(),
        rng.normal(size=(1, 3)),
        rng.normal(size=(1, 3)),
        0.1 * rng.normal(size=(1, 19)),
    )
    k = np.array([1])
    ahead, F, Q = propagate(x, nodes, k)
    for j in range(SIZE):
        d = np.zeros((1, SIZE))
        d[0, j] = 1e-6
        slope = (
            propagate(x.plus(d), nodes, k)[0].minus(ahead) - propagate(x.plus(-d), nodes, k)[0].minus(ahead)
        ) / 2e-6
        assert_allclose(F[0, :, j], slope[0], atol=1e-5, err_msg=str(j))
    assert np.linalg.eigvalsh(Q[0]).min() > -1e-12


def test_a_body_follows_from_the_unit_that_it_carries():
    rng = np.random.default_rng(1)
    x = Navigation(
        Rotation.random(1, random_state=2).as_matrix(),
        rng.normal(size=(1, 3)),
        np.zeros((1, 3)),
        0.1 * rng.normal(size=(1, 19)),
    )
    X_BS = Rotation.random(random_state=3).as_matrix(), rng.normal(size=3)
    R, p, slope = x.body(*X_BS)
    for j in range(SIZE):
        d = np.zeros((1, SIZE))
        d[0, j] = 1e-6
        R_j, p_j, _ = x.plus(d).body(*X_BS)
        xi = np.concatenate([R[0].T @ (p_j - p)[0], turn(R, R_j)[0]]) / 1e-6
        assert_allclose(slope[0, :, j], xi, atol=1e-5, err_msg=str(j))


def test_biases_lever_arm_misalignment_and_time_offset_are_found_with_their_errors():
    angles = 'rotation = { sequence = "ZYX", angles = ["2 deg", "-1 deg", "1.5 deg"] }'
    wrong = {
        'rate_noise = "0.1 deg/s"': 'rate_noise = "0.1 deg/s"\n'
        "bias = [0.1, -0.05, 0.08]\nrate_bias = [0.02, -0.03, 0.01]",
        'noise = "0.02 mm"': 'noise = "0.02 mm"\ndelay = "6 ms"',
    }
    truth = with_box("[0.12, 0.05, 0.03]", angles, **wrong)
    model = with_box("[0.10, 0.05, 0.03]")
    found = poinsot.fuse(
        model, poinsot.measure(truth, MOTION, T, seed=1), unknowns=["lever arm", "misalignment", "time offset"]
    )
    mount = Rotation.from_euler("ZYX", np.deg2rad([2, -1, 1.5])).as_rotvec()
    expected = {
        "lever_arm": [0.02, 0, 0],
        "misalignment": mount,
        "time_offset": [0.006],
    }
    assert not found.status
    for name, value in expected.items():
        off = (np.atleast_1d(getattr(found, name)) - value) / found.deviation[name]
        assert np.all(np.abs(off) < 4), name
        assert np.linalg.norm(value) > 10 * np.linalg.norm(found.deviation[name]), name
    for part, value in ((found.accelerometer_bias, [0.1, -0.05, 0.08]), (found.gyroscope_bias, [0.02, -0.03, 0.01])):
        assert_allclose(part[-1], value, atol=0.02)
    mean, low, high = found.consistency
    assert low < mean < high
    k = poinsot.kinematics(truth, MOTION, found.t)
    assert rms(found.position - k.position["platform"]) < 2e-5
    assert rms(found.velocity - k.velocity["platform"]) < 2e-3


def test_errors_of_the_smoother_are_as_large_as_it_says():
    machine, t = platform(), T[:300]
    k = poinsot.kinematics(machine, MOTION, t)
    R, p, v = (x["platform"] for x in (k.rotation, k.position, k.velocity))
    samples = [
        poinsot.fuse(machine, poinsot.measure(machine, MOTION, t, seed=seed)).nees(R, p, v)[::50]
        for seed in range(12)
    ]
    low, high = band(9 * np.size(samples))
    assert low < np.mean(samples) / 9 < high  # nodes fifty samples apart are nearly independent


def test_the_filter_is_causal_and_the_smoother_better():
    machine = platform()
    rec = poinsot.measure(machine, MOTION, T[:120], seed=4)
    k = poinsot.kinematics(machine, MOTION, T[:120])
    filtered = poinsot.fuse(machine, rec, method="filter")
    shorter = poinsot.fuse(machine, rec.rows(slice(0, 60), "the first"), method="filter")
    assert_allclose(filtered.position[:60], shorter.position, atol=1e-12)
    smoothed = poinsot.fuse(machine, rec)
    assert rms(smoothed.position - k.position["platform"]) < 0.8 * rms(filtered.position - k.position["platform"])
    R, p, v = (x["platform"] for x in (k.rotation, k.position, k.velocity))
    assert 0.6 < np.mean(filtered.nees(R, p, v)[20:]) / 9 < 1.5


def test_encoders_slower_than_the_unit_and_lost_samples_are_no_trouble():
    machine = platform(**{'noise = "0.02 mm"': 'noise = "0.02 mm"\nrate = 50\ndropout = 0.1'})
    rec = poinsot.measure(machine, MOTION, T, seed=2)
    found = poinsot.fuse(machine, rec)
    k = poinsot.kinematics(machine, MOTION, found.t)
    mean, low, high = found.consistency
    assert len(found.t) == len(T) and low < mean < high
    assert rms(found.position - k.position["platform"]) < 2e-5


LOOP = """
format = 1
name = "loop"
gravity = [0, 0, -9.81]
[bodies.crank]
mass = 1
inertia = [0.01, 0.01, 0.01]
frames.tip = [0.3, 0, 0]
placement = { position = [0, 0, 0], rotation = { sequence = "ZXZ", angles = ["50 deg", 0, 0] } }
[bodies.coupler]
mass = 1
inertia = [0.01, 0.01, 0.01]
frames.tip = [0.9, 0, 0]
frames.box = [0.4, 0.1, 0.05]
placement = { position = [0.2, 0.23, 0] }
[bodies.rocker]
mass = 1
inertia = [0.01, 0.01, 0.01]
frames.tip = [0.7, 0, 0]
placement = { position = [1, 0, 0], rotation = { sequence = "ZXZ", angles = ["85 deg", 0, 0] } }
[bodies.ground]
frames.D = [1, 0, 0]
[joints.A]
type = "revolute"
between = ["ground", "crank"]
[joints.B]
type = "revolute"
between = ["crank.tip", "coupler"]
[joints.C]
type = "spherical"
between = ["coupler.tip", "rocker.tip"]
[joints.D]
type = "revolute"
between = ["ground.D", "rocker"]
[coordinates]
theta = { joint = "A" }
[pose]
theta = "50 deg"
[sensors.imu]
type = "imu"
at = "coupler.box"
noise = 0.05
rate_noise = "0.1 deg/s"
bias = [0, 0, 0]
[sensors.angle]
type = "encoder"
on = { joint = "A" }
noise = "0.2 deg"
"""


@pytest.mark.parametrize("encoders", [None, ()])
def test_loops_are_exact_measurements_of_a_body_that_they_hold(encoders):
    truth = poinsot.loads(LOOP.replace("[0, 0, 0]\n[sensors.angle]", "[0.1, -0.05, 0.03]\n[sensors.angle]"), "loop")
    t = np.arange(0, 1.2, 0.01)
    motion = {"theta": lambda t: 0.87 + 0.6 * casadi.sin(5 * t)}
    found = poinsot.fuse(poinsot.loads(LOOP, "loop"), poinsot.measure(truth, motion, t, seed=3), encoders=encoders)
    k = poinsot.kinematics(truth, motion, t)
    assert not found.status
    assert rms(found.position - k.position["coupler"]) < 3e-4
    crank = 2e-3 * np.hypot(*k.position["coupler"][:, :2].T)  # the encoder alone: 0.2° of noise over the radius
    assert rms(found.position - k.position["coupler"]) < 0.5 * rms(crank)
    assert_allclose(found.position[:, 2], 0.0, atol=1e-9)  # the coupler stays in the plane of its loop
    assert_allclose(np.linalg.norm(found.position[:, :2], axis=1), 0.3, atol=1e-9)
    assert_allclose(found.accelerometer_bias[-1], [0.1, -0.05, 0.03], atol=0.03)


ARM = """
format = 1
name = "arm"
gravity = [1.2, -0.7, -9.7]
[bodies.upper]
mass = 1
inertia = [0.01, 0.01, 0.01]
frames.tip = [0.5, 0, 0]
[bodies.lower]
mass = 1
inertia = [0.01, 0.01, 0.01]
frames.box = { position = [0.4, 0.05, 0.02], rotation = { sequence = "ZXZ", angles = ["30 deg", "20 deg", 0] } }
[joints.A]
type = "revolute"
between = ["ground", "upper"]
axis = [0, 0.6, 0.8]
[joints.B]
type = "revolute"
between = ["upper.tip", "lower"]
axis = [0.8, 0, 0.6]
[coordinates]
a = { joint = "A" }
b = { joint = "B" }
[sensors.imu]
type = "imu"
at = "lower.box"
noise = 0.05
rate_noise = "0.1 deg/s"
[sensors.first]
type = "encoder"
on = { joint = "A" }
noise = 3e-3
[sensors.second]
type = "encoder"
on = { joint = "B" }
noise = 3e-3
"""


@pytest.mark.parametrize("method", ["filter", "smoother"])
def test_a_motion_that_is_lost_says_so(method):
    """One encoder of two, and an arm that is already turning far from the pose of its model file."""
    arm, t = poinsot.loads(ARM, "arm"), np.arange(0, 0.4, 0.01)
    motion = {"a": wave(0.4, 0.7, 0.4, 0.8), "b": lambda t: 1.5 + 3 * t + 0.5 * casadi.sin(4 * t)}
    rec, k = poinsot.measure(arm, motion, t, seed=1), poinsot.kinematics(arm, motion, t)
    whole = poinsot.fuse(arm, rec, method=method)
    assert not whole.status and rms(turn(whole.rotation, k.rotation["lower"])) < 5e-3
    part = poinsot.fuse(arm, rec, encoders="first", method=method)
    right = rms(turn(part.rotation, k.rotation["lower"])) < 0.05
    assert right != ("lost" in part.status), str(part)


def test_a_unit_without_encoders_is_led_by_gravity():
    text = """
format = 1
name = "unit"
gravity = [0, 0, -9.81]
[bodies.box]
mass = 1
inertia = [1, 1, 1]
[joints.free]
type = "free"
between = ["ground", "box"]
[coordinates]
x = { position = "box", axis = "x" }
y = { position = "box", axis = "y" }
z = { position = "box", axis = "z" }
a = { angle = "box", sequence = "ZYX", index = 1 }
b = { angle = "box", sequence = "ZYX", index = 2 }
c = { angle = "box", sequence = "ZYX", index = 3 }
[sensors.imu]
type = "imu"
at = "box"
noise = 0.05
rate_noise = "0.1 deg/s"
rate_bias = [0.01, -0.02, 0.005]
"""
    machine = poinsot.loads(text, "unit")
    motion = {
        "x": wave(0, 0.05, 0.5),
        "y": 0.0,
        "z": wave(0, 0.05, 0.7),
        "a": 0.0,
        "b": wave(0, 0.5, 0.4),
        "c": wave(0, 0.7, 0.6),
    }
    t = np.arange(0, 10, 0.01)
    rec, k = poinsot.measure(machine, motion, t, seed=5), poinsot.kinematics(machine, motion, t)
    model = poinsot.loads(text.replace("rate_bias = [0.01, -0.02, 0.005]\n", ""), "unit")
    with pytest.raises(PoinsotError, match="reach="):
        poinsot.fuse(model, rec)
    found = poinsot.fuse(
        model, rec, reach=0.05, prior={"accelerometer bias": 0.01, "gyroscope bias": 0.05, "velocity": 0.5}
    )
    off = found.rotation[:, 2] - k.rotation["box"][:, 2]  # the vertical in the axes of the box
    raw = Rotation.identity()
    drifted = []
    for w in rec.table(["imu.wx", "imu.wy", "imu.wz"]):
        drifted.append(raw.as_matrix()[2])
        raw = raw * Rotation.from_rotvec(0.01 * w)
    assert rms(off) < 0.3 * rms(np.array(drifted) - k.rotation["box"][:, 2])
    assert rms(off) < np.deg2rad(1)
    assert_allclose(found.gyroscope_bias[-1, :2], [0.01, -0.02], atol=5e-3)


def test_what_cannot_be_fused_is_said():
    machine = platform()
    rec = poinsot.measure(machine, MOTION, T[:50], seed=0)
    for match, arguments in {
        "no inertial unit 'gps'": {"imu": "gps"},
        "no encoder 'leg9'": {"encoders": "leg9"},
        "no unknown of a fusion 'scale'": {"unknowns": "scale"},
        "no prior 'speed'": {"prior": {"speed": 1.0}},
        "no method of fusion 'magic'": {"method": "magic"},
    }.items():
        with pytest.raises(PoinsotError, match=match):
            poinsot.fuse(machine, rec, **arguments)
    with pytest.raises(PoinsotError, match=r"noise of 'imu\.ax' is not known"):
        poinsot.fuse(platform(**{"noise = 0.08\n": ""}), _silent(rec))
    with pytest.raises(PoinsotError, match="the recording has: none"):
        poinsot.fuse(machine, rec.only(LEGS))


def _silent(rec):
    return replace(rec, channels={name: replace(c, noise=0.0) for name, c in rec.channels.items()})


def test_the_published_run_is_fused_better_than_from_leg_lengths_alone():
    rec, truth = published()
    machine = platform()
    part = slice(0, 1500)
    rec, truth = rec.rows(part, "the first six seconds"), {name: x[part] for name, x in truth.items()}
    legs = recorded_motion(placed(rec, machine).only(LEGS), machine)
    alone = poinsot.kinematics(legs.mechanism, legs.motion, legs.t)
    found = poinsot.fuse(machine, rec)

    def errors(R, p, v, a, w):
        turning = np.einsum("nji,nj->ni", R, w)
        pairs = ((p, truth["p"]), (v, truth["v"]), (a, truth["a"]), (turning, truth["w"]))
        return np.array([rms(turn(R, truth["R"])), *(rms(x - y) for x, y in pairs)])

    names = ("rotation", "position", "velocity", "acceleration", "angular_velocity")
    fused = errors(*(getattr(found, name) for name in names))
    lengths = errors(*(getattr(alone, name)["platform"] for name in names))
    assert np.all(fused < lengths)
    assert_allclose(found.gyroscope_bias[0], np.deg2rad([4.134, 1.325, -4.025]), atol=2e-4)
    nees = found.nees(truth["R"], truth["p"], truth["v"])[::25]
    low, high = band(9 * len(nees))
    assert low < np.mean(nees) / 9 < high
