"""The regressor of a serial arm against Pinocchio's, column by column."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

import poinsot

pytestmark = pytest.mark.peers
pin = pytest.importorskip("pinocchio")

from benchmarks.peer_pinocchio import pinocchio_model  # noqa: E402

ARM = """
format = 1
name = "arm"
[bodies.link1]
mass = 4.1
com = [0.02, -0.05, 0.11]
inertia = [0.05, 0.06, 0.03, 0.004, -0.003, 0.002]
frames.out = { position = [0.03, 0.02, 0.33], rotation = { sequence = "ZXZ", angles = [0.3, 1.5, -0.2] } }
[bodies.link2]
mass = 3.2
com = [0.21, 0.01, -0.04]
inertia = [0.02, 0.09, 0.1, -0.004, 0.001, 0.003]
frames.out = { position = [0.41, -0.03, 0.05], rotation = { sequence = "ZXZ", angles = [-0.4, 0.9, 1.1] } }
[bodies.link3]
mass = 1.9
com = [0.03, 0.08, 0.12]
inertia = [0.02, 0.03, 0.015, 0.002, 0.001, -0.002]
frames.out = { position = [0.0, 0.11, 0.28], rotation = { sequence = "ZXZ", angles = [1.2, -1.4, 0.5] } }
[bodies.link4]
mass = 0.8
com = [-0.02, 0.01, 0.06]
inertia = [0.004, 0.005, 0.003, 0.0002, 0.0001, -0.0003]
[joints.J1]
type = "revolute"
between = ["ground", "link1"]
actuated = true
[joints.J2]
type = "revolute"
between = ["link1.out", "link2"]
actuated = true
[joints.J3]
type = "prismatic"
between = ["link2.out", "link3"]
actuated = true
[joints.J4]
type = "revolute"
between = ["link3.out", "link4"]
actuated = true
[coordinates]
q1 = { joint = "J1" }
q2 = { joint = "J2" }
q3 = { joint = "J3" }
q4 = { joint = "J4" }
[pose]
q1 = 0.1
q2 = -0.4
q3 = 0.2
q4 = 0.7
"""
# Pinocchio's order is m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz
TO_OURS = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]


def test_columns_are_pinocchios_with_bodies_at_their_joints():
    arm = poinsot.build(tomllib.loads(ARM))
    rng, t = np.random.default_rng(1), np.linspace(0, 3, 12)
    motion = {
        name: poinsot.Fourier(2.0, tuple(rng.normal(size=3) / 4), tuple(rng.normal(size=3) / 4), float(s))
        for name, s in arm.elements.pose.items()
    }
    W = poinsot.regressor(arm, motion, t)
    s, d, a = (np.stack(x, axis=1) for x in zip(*(signal.at(t) for signal in motion.values())))
    peer = pinocchio_model(arm)
    for k in range(len(t)):
        expected = pin.computeJointTorqueRegressor(peer.model, peer.data, s[k], d[k], a[k])
        expected = expected.reshape(4, 4, 10)[:, :, TO_OURS].reshape(4, 40)
        np.testing.assert_allclose(W.matrix[4 * k : 4 * k + 4], expected, atol=1e-12 * np.abs(expected).max())


def test_the_rank_is_that_of_pinocchios_matrix():
    arm, rng = poinsot.build(tomllib.loads(ARM)), np.random.default_rng(2)
    peer = pinocchio_model(arm)
    samples = [rng.normal(size=(3, 4)) for _ in range(60)]
    stacked = np.vstack([pin.computeJointTorqueRegressor(peer.model, peer.data, *x) for x in samples])
    assert poinsot.base_parameters(arm).rank == np.linalg.matrix_rank(stacked, tol=1e-9 * np.linalg.norm(stacked, 2))
