"""The paper's filter on generalised forces, and Allan deviations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.recording.fusion.allan import allan
from poinsot.recording.fusion.force_filter import filter_forces
from poinsot.recording.recording import Recording


def test_the_gain_of_the_force_filter_settles_as_its_riccati_equation_says():
    for G, H in ((0.05, 0.5), (0.3, 0.2)):
        found = filter_forces(np.zeros((400, 3)), np.ones((400, 3)), G, H)
        P = np.roots([1, -G, -G * H]).max()  # P² − G P − G H = 0
        assert_allclose(found.gain[-1], P / (P + H), rtol=1e-12)
        assert_allclose(found.value[-1], P / (P + H), rtol=1e-12)
    assert round(float(filter_forces(np.zeros((300, 1)), np.ones((300, 1))).gain[-1, 0]), 5) == 0.27016


def test_forces_that_were_not_measured_stay_as_predicted():
    y = np.ones((50, 2))
    y[10:20, 1] = np.nan
    found = filter_forces(np.zeros((50, 2)), y)
    assert np.all(found.value[10:20, 1] == 0) and found.gain[20, 1] > found.gain[9, 1]
    with pytest.raises(PoinsotError, match="shapes"):
        filter_forces(np.zeros((3, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize("walk", [0.0, 0.05])
def test_allan_deviations_tell_white_noise_from_a_random_walk(walk):
    rng, n, rate = np.random.default_rng(7), 60_000, 100.0
    y = 0.5 * rng.standard_normal(n) + np.cumsum(walk / np.sqrt(rate) * rng.standard_normal(n))
    found = allan(Recording.of(np.arange(n) / rate, {"w": y}, units={"w": "rad/s"}), "w")
    assert_allclose(found.noise, 0.5, rtol=0.03)
    assert_allclose(found.drift, walk, rtol=0.3, atol=1e-3)


def test_a_short_recording_has_no_allan_deviation():
    with pytest.raises(PoinsotError, match="needs 100"):
        allan(Recording.of(np.arange(10.0), {"w": np.arange(10.0)}), "w")


PENDULUM = """
format = 1
[bodies.bob]
mass = 1
com = [0.3, 0, 0]
inertia = [0.001, 0.03, 0.03]
frames.unit = [0.4, 0, 0]
[joints.h]
type = "revolute"
between = ["ground", "bob"]
axis = [0, 1, 0]
actuated = true
[coordinates]
phi = { joint = "h" }
[sensors]
unit = { type = "imu", at = "bob.unit", noise = 0.05, rate_noise = 0.005 }
enc = { type = "encoder", on = { joint = "h" }, noise = "1 mrad" }
trq = { type = "drive-force", actuator = "h", noise = 0.01 }
"""


@pytest.mark.parametrize("method", ["smoother", "filter"])
def test_a_machine_of_one_joint_is_fused(method):
    machine, t = poinsot.loads(PENDULUM), np.linspace(0, 3, 301)
    motion = {"phi": poinsot.Fourier(2.0, (0.5,), (0.3,), 0.3)}
    recording = poinsot.measure(machine, motion, t, seed=1)
    fused = poinsot.fuse(machine, recording, method=method)
    rate = poinsot.kinematics(machine, motion, fused.t).rates["phi"]
    spread = np.std(fused.angular_velocity[20:-20, 1] - rate[20:-20])
    assert spread < 0.006
    if method == "smoother":
        found = poinsot.identify(machine, recording, ["bob.mass"])["bob.mass"]
        assert found.value == pytest.approx(1.0, abs=4 * found.deviation) and found.deviation < 1e-3
