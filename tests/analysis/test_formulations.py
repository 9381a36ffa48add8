"""Formulations check each other: accelerations and reactions of every mechanism, to round-off."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import poinsot
from poinsot.system.system import system
from tests.generated.share import share

OTHERS = ["embedded", "euler", "rotation-matrix"]
SMALL = [
    "air_bearing_stage",
    "crane",
    "delta",
    "double_pendulum",
    "five_bar",
    "four_bar",
    "hexapod",
    "navaro",
    "pendulum",
    "satellite",
    "shaper",
    "six_bar",
    "slider_crank",
    "three_link",
    "three_rrr",
    "tilting_table",
]
LARGE = ["double_hexapod", "ex800", "ex800_drives", "hexapod_printed", "navaro_refined", "stacked_hexapod", "stewart"]


def test_every_mechanism_of_the_library_is_compared():
    assert sorted(SMALL + LARGE) == sorted(poinsot.library_names())


def random_state(mechanism, seed):
    """A state near home: the named coordinates shaken and moving, actuators pushing."""
    rng = np.random.default_rng(seed)
    mobility = poinsot.check(mechanism).mobility
    names = list(mechanism.elements.pose)[:mobility] or list(mechanism.coordinates)[:mobility]
    home = poinsot.assemble(mechanism).poses
    pose = {n: float(mechanism.coordinates[n].value(home, mechanism.joints)) for n in names}
    return poinsot.State(
        pose={n: s + 0.03 * rng.uniform(-1, 1) for n, s in pose.items()},
        velocity={n: rng.normal() for n in names},
        forces={n: 5 * rng.normal() for n in mechanism.actuators},
    )


def shaken(mechanism, seed):
    """The same mechanism with other inertias and force constants."""
    rng = np.random.default_rng(seed)
    names = system(mechanism).equations.symbols.names
    return mechanism.with_parameters({n: mechanism.parameters[n].value * rng.uniform(0.8, 1.2) for n in names})


def bent(mechanism, seed):
    """The same mechanism with other lengths, a little: places that are not zero, of bodies and of the ground."""
    rng = np.random.default_rng(seed)
    lengths = [n for n, p in mechanism.parameters.items() if p.unit == "m" and p.value and p.role != "inertia"]
    return mechanism.with_parameters({n: mechanism.parameters[n].value * rng.uniform(0.99, 1.01) for n in lengths})


def compare(name, formulation, seeds=(0, 1, 2)):
    for seed in seeds:
        compare_one(shaken(poinsot.load(name), seed), formulation, seed)


def compare_one(mechanism, formulation, seed):
    state = random_state(mechanism, seed)
    ours = poinsot.accelerations(mechanism, state, formulation=formulation)
    joint = poinsot.accelerations(mechanism, state)
    scale = max(np.abs(a).max() for a in joint.bodies.values())
    for body in mechanism.bodies:
        np.testing.assert_allclose(ours[body], joint[body], atol=1e-10 * scale)
    force = max(np.abs(w).max() for w in joint.reactions.values())
    for joint_name in mechanism.joints:
        np.testing.assert_allclose(ours.reactions[joint_name], joint.reactions[joint_name], atol=1e-10 * force)
    if formulation == "embedded":  # the same equations; multipliers of other rows are compared as reactions
        np.testing.assert_allclose(ours.multipliers, joint.multipliers, atol=1e-10 * force)


@pytest.mark.parametrize("formulation", OTHERS)
@pytest.mark.parametrize("name", SMALL)
def test_all_formulations_accelerate_every_body_and_load_every_joint_alike(name, formulation):
    compare(name, formulation)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "formulation"), share(product(LARGE, OTHERS), at_least=5))
def test_all_formulations_agree_on_large_mechanisms(name, formulation):
    compare(name, formulation)


@pytest.mark.parametrize("formulation", OTHERS)
@pytest.mark.parametrize("name", ["delta", "five_bar", "four_bar", "hexapod", "slider_crank", "three_link"])
def test_all_formulations_agree_on_mechanisms_with_other_lengths(name, formulation):
    compare_one(shaken(bent(poinsot.load(name), 5), 5), formulation, 5)


def test_the_counts_are_those_of_the_papers():
    ex800 = system(poinsot.load("ex800"), "euler").equations
    assert ex800.sizes[:3] == (78, 78, 72)
    hexapod = system(poinsot.load("hexapod"), "rotation-matrix").equations
    assert hexapod.sizes[:3] == (156, 156, 150)


@pytest.mark.parametrize("name", ["hexapod", "delta", "five_bar"])
def test_momentum_balances_for_the_whole_machine(name):
    """Newton and Euler of all bodies about the world's origin: weight and ground reactions are all that acts."""
    mechanism = poinsot.load(name)
    state = random_state(mechanism, 2)
    found = poinsot.accelerations(mechanism, state)
    assembly = poinsot.assemble(mechanism, state.pose).require()
    compiled = system(mechanism)
    p = compiled.parameters(mechanism, assembly.poses)
    from poinsot.system.initial_state import state as coordinates

    q, v = coordinates(compiled, assembly, p, state.velocity)
    rate = np.zeros(6)
    for body, inertial in mechanism.bodies.items():
        X, a = assembly.poses[body], found[body]
        w = _angular_velocity(compiled, body, q, v, p)
        arm = X.R @ np.array(inertial.com)
        acceleration = a[:3] + np.cross(a[3:], arm) + np.cross(w, np.cross(w, arm))
        J = X.R @ np.asarray(inertial.inertia_about_centre()) @ X.R.T
        force = inertial.mass * (acceleration - np.array(mechanism.gravity))
        rate[:3] += force
        rate[3:] += np.cross(X.p + arm, force) + J @ a[3:] + np.cross(w, J @ w)
    ground = np.zeros(6)
    for joint_name, joint in mechanism.joints.items():
        if "ground" in (joint.a.body, joint.b.body):
            wrench = found.reactions[joint_name] + _drive(mechanism, joint, state, compiled, q, v, p)
            X_WM = assembly.poses[joint.b.body] @ joint.frame_on_b()
            f, n = X_WM.R @ wrench[:3], X_WM.R @ wrench[3:]
            sign = 1 if joint.a.body == "ground" else -1
            ground += sign * np.concatenate([f, n + np.cross(X_WM.p, f)])
    np.testing.assert_allclose(ground, rate, atol=1e-9 * np.abs(rate).max())


def _angular_velocity(compiled, body, q, v, p):
    V = compiled.equations.kinematics.twists[body]
    function = compiled.dynamics.function("w", [compiled.equations.kinematics.poses[body].R @ V.w])
    return np.asarray(function(q, v, 0, p)).ravel()


def _drive(mechanism, joint, state, compiled, q, v, p):
    """Torque about the axis of a driven hinge at the ground, friction and drive inertia included."""
    wrench = np.zeros(6)
    if joint.kind == "revolute":
        wrench[5] = _torque(mechanism, joint, state, compiled, q, v, p)
    return wrench


def _torque(mechanism, joint, state, compiled, q, v, p):
    node = next(n for n in compiled.equations.graph.branches if n.joint.name == joint.name)
    vdot = np.asarray(compiled.dynamics.forward(q, v, [state.forces.get(n, 0.0) for n in compiled.commands], p)[0])
    rate, acceleration = v[node.v][0], vdot.ravel()[node.v][0]
    torque = state.forces.get(joint.name, 0.0)
    for force in mechanism.forces.values():
        if getattr(force.on, "joint", "") == joint.name:
            torque += force.force(0.0, rate) - (getattr(force, "inertia", 0.0) * acceleration)
    return torque


def test_a_ball_in_a_planar_mechanism_is_a_hinge():
    import copy

    document = copy.deepcopy(dict(poinsot.load("double_pendulum").document))
    document["joints"]["elbow"]["type"] = "spherical"
    document["coordinates"]["phi2"] = {"angle": "lower", "reference": "upper"}
    ball, hinge = poinsot.build(document), poinsot.load("double_pendulum")
    a, b = (poinsot.accelerations(m, poinsot.State(velocity={"phi1": 1.0, "phi2": -2.0})) for m in (ball, hinge))
    np.testing.assert_allclose(a["lower"], b["lower"], atol=1e-12)
