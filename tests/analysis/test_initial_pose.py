"""Poses from which analyses start: native Newton goes the way of assembly, and leaves to it what it cannot do."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.motion import initial_pose as module
from poinsot.motion.initial_pose import initial
from poinsot.system.functions import body_poses

from .test_branches import CrankRocker, away, crank_rockers
from .test_overconstrained import locomotive

AWAY = {  # how far poses are from that of the file
    "ex800": {"x": 0.05, "y": 0.05, "z": 0.03, "rz": 0.6, "rx": 0.2, "ry": 0.2},
    "five_bar": {"x": 0.1, "y": 0.1},
    "delta": {"x": 0.1, "y": 0.1, "z": 0.1},
    "three_rrr": {"x": 0.05, "y": 0.05, "theta": 0.3},
    "double_pendulum": {"phi1": 3.0, "phi2": 3.0},
}


@pytest.fixture
def assembled(monkeypatch):
    """Poses that were assembled since the test began."""
    poses = []

    def start(mechanism, pose):
        poses.append(pose)
        return module_start(mechanism, pose)

    module_start = module.start
    monkeypatch.setattr(module, "start", start)
    module._INITIAL.clear()
    module._WAYS.clear()
    return poses


def around(mechanism, reach, count, seed=0):
    rng = np.random.default_rng(seed)
    home = poinsot.assemble(mechanism)
    at = {name: mechanism.coordinates[name].value(home.poses, mechanism.elements.joints) for name in reach}
    return [{name: float(at[name] + rng.uniform(-1, 1) * far) for name, far in reach.items()} for _ in range(count)]


@pytest.mark.parametrize("formulation", ["joint", "rotation-matrix"])
@pytest.mark.parametrize("name", AWAY)
def test_native_poses_are_those_of_assembly(name, formulation, assembled):
    mechanism = poinsot.load(name)
    for pose in around(mechanism, AWAY[name], 6):
        found = initial(mechanism, poinsot.State(pose), formulation)
        right = poinsot.assemble(mechanism, pose)
        position, rotation = body_poses(found.system, found.q[None], found.p)
        for body in mechanism.bodies:
            np.testing.assert_allclose(position[body][0], right.poses[body].p, atol=1e-11 * right.size)
            np.testing.assert_allclose(rotation[body][0], right.poses[body].R, atol=1e-11)
    assert len([pose for pose in assembled if pose]) == 1, assembled


@pytest.mark.parametrize("seed", range(4))
def test_native_poses_stay_on_the_branch(seed, assembled):
    for machine in crank_rockers(3, 1e-2, seed):
        rng = np.random.default_rng(seed)
        for theta in rng.uniform(-np.pi, np.pi, 12):
            found = poinsot.accelerations(machine.mechanism, poinsot.State(pose={"theta": float(theta)}))
            R = found.rotation["rocker0"]
            assert away(np.arctan2(R[1, 0], R[0, 0]), machine.rocking(theta)) < 1e-9
    assert len([pose for pose in assembled if pose]) == 3


def test_a_way_through_a_singular_pose_is_refused_every_time(assembled):
    rocker = CrankRocker(1.2, 0.8, 0.7, 1.0, 0.6, 1)  # its crank cannot turn fully
    for theta in (0.7, 3.0, 0.8, 2.9, 0.9):
        state = poinsot.State(pose={"theta": theta})
        if theta < 1:
            assert poinsot.accelerations(rocker.mechanism, state).check > 0
        else:
            with pytest.raises(poinsot.PoinsotError, match=r"cannot be assembled|mode is not known"):
                poinsot.accelerations(rocker.mechanism, state)


def test_quantities_and_unknown_names_mean_the_same_the_second_time(assembled):
    four_bar = poinsot.load("four_bar")
    for _ in range(3):
        module._INITIAL.clear()
        found = [initial(four_bar, poinsot.State({"theta1": angle}), "joint").q for angle in (np.pi / 3, "60 deg")]
        np.testing.assert_allclose(*found, atol=1e-13)
        with pytest.raises(poinsot.PoinsotError, match="theta9"):
            initial(four_bar, poinsot.State({"theta9": 1.0}), "joint")
        with pytest.raises(poinsot.PoinsotError, match="theta1"):
            initial(four_bar, poinsot.State({"theta1": "1 m"}), "joint")


def test_what_named_coordinates_do_not_tell_is_left_to_assembly(assembled):
    """Fewer coordinates than freedoms; redundant constraints, whose combinations belong to a pose."""
    for mechanism, name in ((poinsot.load("double_pendulum"), "phi1"), (locomotive(), "phi")):
        assembled.clear()
        poses = [{name: 0.1 * k} for k in range(3)]
        for pose in poses:
            initial(mechanism, poinsot.State(pose), "joint")
        assert [pose for pose in assembled if pose] == poses


def test_simulations_start_at_a_pose_not_seen_before(assembled):
    ex800 = poinsot.load("ex800")
    for pose in around(ex800, AWAY["ex800"], 3):
        run = poinsot.simulate(ex800, 1e-3, t=[0.0, 1e-3], pose=pose)
        for name, value in pose.items():
            assert run.coordinates[name][0] == pytest.approx(value, abs=1e-12)
        assert run.drift < 1e-12
