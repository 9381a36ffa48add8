"""Reactions in the frame that the user chooses: Newton and Euler for every body, from what its joints exert on it."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import poinsot

FORMULATIONS = ["joint", "euler", "rotation-matrix", "embedded"]


def body_loads(mechanism, result, body, forces=None):
    """Force and moment about the world's origin of all joints at a body, and of actuators along them."""
    total = np.zeros((len(result.t), 6))
    for name, joint in mechanism.joints.items():
        if body in (joint.a.body, joint.b.body):
            total += result.reaction(name, axes="world", about="world", on=body)
    for name, force in (forces or {}).items():
        total += _drive(mechanism, result, mechanism.actuators[name].on, body, force)
    return total


def _drive(mechanism, result, on, body, force):
    """What a drive along a joint exerts on a body: a torque about, or a force along, the joint's axis."""
    joint = mechanism.joints[on.joint]
    if body not in (joint.a.body, joint.b.body):
        return 0.0
    R = result.rotation[joint.b.body] if joint.b.body in result.rotation else np.eye(3)
    p = result.position[joint.b.body] if joint.b.body in result.position else np.zeros(3)
    z = (R @ np.asarray(joint.frame_on_b().R, float))[..., 2] * np.asarray(force)[:, None]
    sign = 1.0 if body == joint.b.body else -1.0
    if joint.kind == "revolute":
        return sign * np.concatenate([np.zeros_like(z), z], axis=1)
    point = p + R @ np.asarray(joint.frame_on_b().p, float)
    return sign * np.concatenate([z, np.cross(point, z)], axis=1)


def momentum_rate(mechanism, k, body):
    """Rate of change of linear and angular momentum about the world's origin less weight: from kinematics alone."""
    law = mechanism.bodies[body]
    R, w, alpha = k.rotation[body], k.angular_velocity[body], k.angular_acceleration[body]
    arm = R @ np.array(law.com, float)
    a = k.acceleration[body] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm)) - np.array(mechanism.gravity)
    J = R @ np.asarray(law.inertia_about_centre(), float) @ np.swapaxes(R, -1, -2)
    spin = (J @ alpha[..., None])[..., 0] + np.cross(w, (J @ w[..., None])[..., 0])
    return np.concatenate([law.mass * a, spin + np.cross(k.position[body] + arm, law.mass * a)], axis=1)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["hexapod", "four_bar"])
def test_the_world_frame_reactions_of_every_body_balance_its_momentum(name, formulation):
    mechanism = poinsot.load(name)
    motion = {
        n: (lambda t, s=float(s), k=k: s + 0.05 * casadi.sin((3 + k) * t))
        for k, (n, s) in enumerate(mechanism.elements.pose.items())
    }
    d = poinsot.inverse_dynamics(mechanism, motion, [0.1, 0.4], formulation=formulation)
    scale = max(np.abs(w).max() for w in d.reactions.values())
    for body in mechanism.bodies:
        need = momentum_rate(mechanism, d.kinematics, body)
        np.testing.assert_allclose(body_loads(mechanism, d, body, d.forces), need, atol=1e-9 * scale)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_reactions_of_a_simulation_are_those_of_its_states(formulation):
    """The same reactions as at the same states one by one, and the inner ones cancel in the sum over all bodies."""
    mechanism = poinsot.load("hexapod")
    forces = {name: 9.0 + 0.2 * k for k, name in enumerate(mechanism.actuators)}
    r = poinsot.simulate(mechanism, 0.1, t=[0.05, 0.1], forces=forces, formulation=formulation)
    given = {n: np.full(2, f) for n, f in forces.items()}
    for i in range(2):
        at = poinsot.State(
            pose={n: r.coordinates[n][i] for n in mechanism.elements.pose},
            velocity={n: _rate(mechanism, forces, n, r.t[i]) for n in mechanism.elements.pose},
            forces=forces,
        )
        found = poinsot.accelerations(mechanism, at)
        for joint in mechanism.joints:
            np.testing.assert_allclose(r.reactions[joint][i], found.reactions[joint], atol=1e-5)
            world = found.reaction(joint, axes="world", about="platform")
            np.testing.assert_allclose(r.reaction(joint, axes="world", about="platform")[i], world, atol=1e-5)
    total = sum(body_loads(mechanism, r, body, given) for body in mechanism.bodies)  # inner forces cancel
    ground = sum(
        r.reaction(n, axes="world", about="world", on=j.b.body if j.a.body == "ground" else j.a.body)
        for n, j in mechanism.joints.items()
        if "ground" in (j.a.body, j.b.body)
    )
    np.testing.assert_allclose(total, ground, atol=1e-9)


def _rate(mechanism, forces, name, t, h=1e-3):
    """Rate of a coordinate of a simulated motion, by central differences of fourth order."""
    times = t + h * np.array([-2, -1, 1, 2])
    s = poinsot.simulate(mechanism, 0.2, t=times, forces=forces, rtol=1e-12).coordinates[name]
    return (s[0] - 8 * s[1] + 8 * s[2] - s[3]) / (12 * h)


def test_a_simulation_with_a_law_of_time_knows_the_force_of_that_law():
    """The same reactions as at the same states, with the force that the law gives there."""
    mechanism = poinsot.load("four_bar")
    law = {"A": lambda t, s, v: 3 * casadi.sin(4 * t) - 0.1 * v}
    r = poinsot.simulate(mechanism, 0.2, t=[0.1, 0.2], forces=law)
    v = [_crank_speed(mechanism, law, t) for t in r.t]
    for i, (t, speed) in enumerate(zip(r.t, v)):
        force = 3 * np.sin(4 * t) - 0.1 * speed
        at = poinsot.State({"theta1": r.coordinates["theta1"][i]}, {"theta1": speed}, {"A": force})
        found = poinsot.accelerations(mechanism, at)
        for joint in mechanism.joints:
            np.testing.assert_allclose(r.reactions[joint][i], found.reactions[joint], atol=1e-6)


def _crank_speed(mechanism, law, t, h=1e-3):
    s = poinsot.simulate(mechanism, 0.3, t=t + h * np.array([-2, -1, 1, 2]), forces=law).coordinates["theta1"]
    return (s[0] - 8 * s[1] + 8 * s[2] - s[3]) / (12 * h)


def test_a_reaction_is_opposite_on_the_other_body_and_may_be_seen_from_any_body():
    mechanism = poinsot.load("four_bar")
    d = poinsot.inverse_dynamics(mechanism, {"theta1": lambda t: 1 + 2 * t}, [0.0, 0.1])
    here, back = d.reaction("B"), d.reaction("B", on="link1")
    np.testing.assert_allclose(here, d.reactions["B"], rtol=1e-14)
    np.testing.assert_array_equal(back, -here)
    seen = d.reaction("B", axes="link2", about="link3")
    world = d.reaction("B", axes="world", about="link3")
    turned = np.einsum("nji,nj->ni", d.rotation["link2"], world[:, :3])
    np.testing.assert_allclose(seen[:, :3], turned, atol=1e-12)
    arm = d.position["link2"] - d.position["link3"]  # joint B sits at the origin of link2
    np.testing.assert_allclose(world[:, 5], np.cross(arm, world[:, :3])[:, 2], atol=1e-12)


def test_what_is_not_determined_stays_so_in_other_axes_and_nothing_else_does():
    four_bar = poinsot.load("four_bar")
    motion = {"theta1": lambda t: 1 + 2 * t}
    space = poinsot.inverse_dynamics(four_bar.in_space(), motion, [0.0, 0.1])
    flat = poinsot.inverse_dynamics(four_bar, motion, [0.0, 0.1])
    world = space.reaction("C", axes="world")
    assert np.isnan(world[:, 2:5]).all()
    np.testing.assert_allclose(world[:, :2], flat.reaction("C", axes="world")[:, :2], atol=1e-9)


def test_the_forces_of_a_body_by_itself_follow_its_own_mass():
    """Two mechanisms of one structure share their equations, not their masses."""
    four_bar = poinsot.load("four_bar")
    heavy = four_bar.with_parameters({"link1.mass": 9.0})
    d = [poinsot.inverse_dynamics(m, {"theta1": 1.0}, [0.0]).body_forces["link1"][0, 1] for m in (four_bar, heavy)]
    np.testing.assert_allclose(d, [-0.9 * 9.81, -9.0 * 9.81])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"joint": "Z"}, "no joint 'Z'; there are: A, B, C, D"),
        ({"joint": "B", "axes": "elbow"}, "no frame 'elbow'; there are: joint, world, ground, link1"),
        ({"joint": "B", "about": "elbow"}, "no frame 'elbow'"),
        ({"joint": "B", "on": "link3"}, "joint 'B' is between 'link1' and 'link2': it does not act on 'link3'"),
    ],
)
def test_frames_and_bodies_that_do_not_exist_are_named(given, message):
    found = poinsot.accelerations(poinsot.load("four_bar"))
    with pytest.raises(poinsot.PoinsotError, match=message):
        found.reaction(**given)


def test_joints_may_have_the_names_of_bodies():
    """As in many MJCF files. A rotation matrix's own equations were taken for those of the joint of that name."""
    rod = {"mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": [0.01, 0.1, 0.1], "frames": {"tip": [1.0, 0.0, 0.0]}}
    document = {
        "format": 1,
        "name": "arm",
        "gravity": [0, 0, -9.81],
        "bodies": {"upper": rod, "lower": rod | {"placement": {"position": [1.0, 0.0, 0.0]}}},
        "joints": {
            "upper": {"type": "revolute", "between": ["ground", "upper"], "axis": [0, 1, 0]},
            "lower": {"type": "universal", "between": ["upper.tip", "lower"]},
        },
    }
    found = [poinsot.accelerations(poinsot.build(document), formulation=f).reactions for f in FORMULATIONS]
    for other in found[1:]:
        for name, wrench in found[0].items():
            np.testing.assert_allclose(other[name], wrench, atol=1e-12)
