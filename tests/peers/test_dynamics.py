"""Accelerations of all bodies against Pinocchio's and MuJoCo's own equations of motion.

The peers get geometry, inertias and a state (poses and velocities of the bodies), and find the accelerations by
themselves: Pinocchio with its loop constraints, MuJoCo with its exact terms and hard constraints. Drive inertia and
viscous friction are kept; Coulomb friction is set to zero, because each program smooths it in its own way.
"""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.spatial.pose import Pose
from poinsot.system.system import system
from tests.compared import compared_all

pytestmark = pytest.mark.peers
pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from benchmarks.peer_mujoco import MujocoTerms  # noqa: E402
from benchmarks.peer_pinocchio import pinocchio_model  # noqa: E402

NAMES = ("hexapod", "five_bar", "delta")
SEEDS = (0, 1, 2)
ROUND_OFF = 1e-11  # of the largest acceleration
AIDED = 1e-8  # the same where the MJCF file gives bodies without mass or axial inertia a little of it


def drawn(name, seed):
    """A mechanism with random inertias and a state with its motion of all bodies at that instant.

    The entries of one body's inertia share a factor, so that they stay those of a possible body.
    """
    rng = np.random.default_rng(seed)
    mechanism = poinsot.load(name)
    free = system(mechanism).equations.symbols.names
    factors = {n.partition(".inertia.")[0]: rng.uniform(0.8, 1.2) for n in free}
    changes = {n: mechanism.parameters[n].value * factors[n.partition(".inertia.")[0]] for n in free}
    changes |= {n: 0.0 for n in free if n.endswith(".coulomb")}
    mechanism = mechanism.with_parameters(changes)
    pose = {n: float(s) + 0.05 * rng.uniform(-1, 1) for n, s in mechanism.elements.pose.items()}
    velocity = {n: rng.normal() for n in pose}
    state = poinsot.State(pose, velocity, {n: 5 * rng.normal() for n in mechanism.actuators})
    motion = {n: (lambda t, s=pose[n], r=velocity[n]: s + r * t) for n in pose}
    return mechanism, state, poinsot.kinematics(mechanism, motion, [0.0])


def assert_alike(found, expected, digits, peer=""):
    """Same accelerations of all bodies, relative to the largest."""
    scale = max(np.max(np.abs(row)) for row in expected.values())
    for name, row in expected.items():
        np.testing.assert_allclose(found[name], row, atol=digits * scale, rtol=0, err_msg=name)
    if peer:
        compared_all("accelerations of all bodies, with loops", peer, dict(expected.items()), found)


def by_pinocchio(mechanism, state, moving, peer=None):
    """Accelerations of all bodies by Pinocchio."""
    peer = peer or pinocchio_model(mechanism)
    poses = {n: Pose(moving.rotation[n][0], moving.position[n][0]) for n in mechanism.bodies}
    q = peer.coordinates({"ground": Pose.identity(), **poses})
    A = peer.jacobian(q)
    for part, body in peer.body_of.items():  # a piece of a body is where the body is: the loops are closed
        X = peer.data.oMf[peer.model.getFrameId(part)]
        np.testing.assert_allclose(X.translation, poses[body].p, atol=1e-12)
        np.testing.assert_allclose(X.rotation, poses[body].R, atol=1e-12)
    b = np.concatenate([np.r_[moving.velocity[n][0], moving.angular_velocity[n][0]] for n in peer.body_of.values()])
    v = np.linalg.lstsq(A, b, rcond=1e-12)[0]
    np.testing.assert_allclose(A @ v, b, atol=1e-10)
    a = peer.acceleration(q, v, peer.torques(v, state.forces))
    return peer.body_accelerations(q, v, a)


def by_mujoco(mechanism, state, moving, path):
    """Accelerations of all bodies by MuJoCo's terms."""
    poinsot.write_mjcf(mechanism, path, overwrite=True)
    peer = MujocoTerms(mechanism, path)
    assert peer.place(*({n: x[0] for n, x in by.items()} for by in (moving.position, moving.rotation))) < 1e-12
    assert peer.move(*({n: x[0] for n, x in by.items()} for by in (moving.velocity, moving.angular_velocity))) < 1e-10
    return peer.accelerations(state.forces)


@pytest.mark.filterwarnings("ignore::poinsot.errors.ConversionWarning")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_mujocos_terms_with_hard_constraints_accelerate_all_bodies_alike(name, seed, tmp_path):
    mechanism, state, moving = drawn(name, seed)
    found = by_mujoco(mechanism, state, moving, tmp_path / "model.xml")
    peer = "MuJoCo's terms, 1e-9 kg added to bodies without mass" if name == "hexapod" else "MuJoCo's terms"
    assert_alike(found, poinsot.accelerations(mechanism, state), AIDED if name == "hexapod" else ROUND_OFF, peer)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_pinocchio_accelerates_all_bodies_alike(name, seed):
    mechanism, state, moving = drawn(name, seed)
    found = by_pinocchio(mechanism, state, moving)
    assert_alike(found, poinsot.accelerations(mechanism, state), ROUND_OFF, "Pinocchio")


@pytest.mark.parametrize("name", NAMES)
def test_a_mass_that_is_a_millionth_too_large_is_seen_in_pinocchio(name):
    """The comparison has teeth: a fault of 1e-6 in one mass of the peer, the heaviest, is found."""
    mechanism, state, moving = drawn(name, 0)
    peer = pinocchio_model(mechanism)
    heaviest = max(range(1, peer.model.njoints), key=lambda i: peer.model.inertias[i].mass)
    peer.model.inertias[heaviest].mass *= 1 + 1e-6
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        assert_alike(by_pinocchio(mechanism, state, moving, peer), poinsot.accelerations(mechanism, state), ROUND_OFF)


@pytest.mark.filterwarnings("ignore::poinsot.errors.ConversionWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_mass_that_is_a_hundred_thousandth_too_large_is_seen_in_mujoco(name, tmp_path):
    """The same with MuJoCo, which gets the mechanism with one heavier body."""
    mechanism, state, moving = drawn(name, 0)
    mass = next(n for n in mechanism.parameters if n.endswith(".mass"))
    heavier = mechanism.with_parameters({mass: mechanism.parameters[mass].value * (1 + 1e-5)})
    found = by_mujoco(heavier, state, moving, tmp_path / "model.xml")
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        assert_alike(found, poinsot.accelerations(mechanism, state), AIDED)
