"""The regressor of a serial arm against Pinocchio's, column by column."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

import poinsot
from tests.compared import compared

pytestmark = pytest.mark.peers
pin = pytest.importorskip("pinocchio")

from benchmarks.peer_pinocchio import pinocchio_model  # noqa: E402

from ..identifiability.layouts import LAYOUTS, RIGHT_ANGLES  # noqa: E402

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
        compared("regressor of a chain", "Pinocchio", W.matrix[4 * k : 4 * k + 4], expected)


def test_the_rank_is_that_of_pinocchios_matrix():
    arm, rng = poinsot.build(tomllib.loads(ARM)), np.random.default_rng(2)
    peer = pinocchio_model(arm)
    samples = [rng.normal(size=(3, 4)) for _ in range(60)]
    stacked = np.vstack([pin.computeJointTorqueRegressor(peer.model, peer.data, *x) for x in samples])
    assert poinsot.base_parameters(arm).rank == np.linalg.matrix_rank(stacked, tol=1e-9 * np.linalg.norm(stacked, 2))


def natural_rank(W, length, bodies):
    """Rank of a regressor of bodies, columns in units of the machine's length; differences leave errors of 1e-9."""
    s = np.linalg.svd(W * np.tile(length ** -np.array([0.0, *[1] * 3, *[2] * 6]), bodies), compute_uv=False)
    rank = int(np.sum(s > 1e-7 * s[0]))
    assert s[rank - 1] > 1e3 * s[rank]
    return rank


def loops(peer, q):
    """Distances of the points that balls hold together, and their Jacobian, in world axes."""
    pin.computeJointJacobians(peer.model, peer.data, q)
    gaps, rows = [], []
    for loop in peer.loops:
        gap, J = np.zeros(3), np.zeros((3, peer.model.nv))
        ends = (loop.joint1_id, loop.joint1_placement), (loop.joint2_id, loop.joint2_placement)
        for sign, (i, X) in zip((1, -1), ends):
            point, origin = (peer.data.oMi[i] * X).translation, peer.data.oMi[i].translation
            twist = pin.getJointJacobian(peer.model, peer.data, i, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            gap += sign * point
            J += sign * (twist[:3] - pin.skew(point - origin) @ twist[3:])
        gaps.append(gap)
        rows.append(J)
    return np.concatenate(gaps), np.vstack(rows)


def closed(peer, q):
    """Coordinates back on the loops, by Newton's method, and the Jacobian there."""
    for _ in range(8):
        gap, J = loops(peer, q)
        q = pin.integrate(peer.model, q, -np.linalg.pinv(J, rcond=1e-8) @ gap)
    assert np.max(np.abs(gap)) < 1e-12
    return q, J


@pytest.mark.parametrize("name", ["arm", "turntable", "crane"])
def test_the_rank_is_that_of_pinocchios_regressor_with_loops_eliminated(name):
    """Rows are Nᵀ Y with the motions N that the loops leave, in frames turned by exact right angles."""
    mechanism, rng = LAYOUTS[name](turn=RIGHT_ANGLES, seed=2), np.random.default_rng(0)
    peer, home = pinocchio_model(mechanism), poinsot.assemble(mechanism)
    columns = np.concatenate([10 * (peer.place[b][0] - 1) + np.arange(10) for b in mechanism.bodies])
    q0, h, rows = peer.coordinates(home.poses), 1e-5, []
    for _ in range(40):
        q, N, J = q0, np.eye(peer.model.nv), None
        for _ in range(3 if len(peer.loops) else 1):
            q = pin.integrate(peer.model, q, 0.2 * N @ rng.normal(size=N.shape[1]))
            if len(peer.loops):
                q, J = closed(peer, q)
                _, s, Vt = np.linalg.svd(J)
                N = Vt[int(np.sum(s > 1e-8 * s[0])) :].T
        v = 2 * N @ rng.normal(size=N.shape[1])
        a = 4 * N @ rng.normal(size=N.shape[1])
        if J is not None:
            ends = [loops(peer, pin.integrate(peer.model, q, x * h * v))[1] @ v for x in (-1, 1)]
            a -= np.linalg.pinv(J, rcond=1e-8) @ (ends[1] - ends[0]) / (2 * h)
        Y = pin.computeJointTorqueRegressor(peer.model, peer.data, q, v, a)
        rows.append(N.T @ Y[:, columns])
    stacked = np.vstack(rows)
    order = np.tile(TO_OURS, len(mechanism.bodies)) + np.repeat(10 * np.arange(len(mechanism.bodies)), 10)
    rank = natural_rank(stacked[:, order], home.size, len(mechanism.bodies))
    found = poinsot.base_parameters(mechanism).rank
    assert found == rank
    compared("number of base parameters, with loops", "Pinocchio, loops eliminated", found, rank)
