"""Rates that leave a freedom open: the motion of least kinetic energy, in every formulation and at every size."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import poinsot
from poinsot.system.initial_state import state
from poinsot.system.system import start, system

FORMULATIONS = ["joint", "euler", "rotation-matrix", "embedded"]


def twists(mechanism, formulation, pose, velocity) -> np.ndarray:
    """Velocity of the origin and angular velocity of every body, in its axes (b, 6)."""
    begin = start(mechanism, pose)
    compiled = system(mechanism, formulation, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    q, v = state(compiled, begin, p, velocity)
    e, V = compiled.equations, compiled.equations.kinematics.twists
    parts = [casadi.SX(x) for body in compiled.elements.bodies for x in (V[body].v, V[body].w)]
    found = casadi.Function("V", [e.q, e.v, e.p], [casadi.vertcat(*parts)])(q, v, p)
    return np.asarray(found).reshape(-1, 6)


def document(size: float, bodies: dict, joints: dict, coordinates: dict, planar: bool = False) -> dict:
    gravity = [0, 0] if planar else [0, 0, 0]
    named = {"coordinates": coordinates} if coordinates else {}
    return {
        "format": 1,
        "name": "m",
        "planar": planar,
        "gravity": gravity,
        "bodies": bodies,
        "joints": joints,
        **named,
    }


def double_pendulum(size: float, light: float = 1.0):
    bodies = {
        "upper": {"mass": 2.0, "com": [0.4 * size, 0.0], "inertia": 0.3 * size**2, "frames": {"B": [size, 0.0]}},
        "lower": {"mass": light, "com": [0.5 * size, 0.1 * size], "inertia": light * 0.1 * size**2},
    }
    joints = {
        "A": {"type": "revolute", "between": ["ground", "upper"]},
        "B": {"type": "revolute", "between": ["upper.B", "lower"]},
    }
    return poinsot.build(document(size, bodies, joints, {"a": {"joint": "A"}, "b": {"joint": "B"}}, planar=True))


def spatial(size: float):
    """A slide, a cross and a ball in a row, with bodies of unlike inertias."""

    def body(m, *frames):
        moments = [0.2 * m * size**2, 0.3 * m * size**2, 0.25 * m * size**2]
        com = [0.3 * size, -0.1 * size, 0.2 * size]
        return {"mass": m, "com": com, "inertia": moments, "frames": {n: [size, 0.2 * size, 0.0] for n in frames}}

    bodies = {"one": body(2.0, "E"), "two": body(0.7, "E"), "three": body(1.3)}
    joints = {
        "S": {"type": "cylindrical", "between": ["ground", "one"]},
        "U": {"type": "universal", "between": ["one.E", "two"], "axis": [1, 0, 0], "axis2": [0, 1, 0]},
        "K": {"type": "spherical", "between": ["two.E", "three"]},
    }
    coordinates = {
        "turn": {"joint": "S", "coordinate": "angle"},
        "z": {"position": "three", "axis": "z"},
    }
    return poinsot.build(document(size, bodies, joints, coordinates))


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_free_joint_of_a_double_pendulum_moves_with_least_energy(formulation, size):
    mechanism, b = double_pendulum(size), 0.7
    V = twists(mechanism, formulation, {"a": 0.3, "b": b}, {"a": 1.5})
    m, c, lever = 1.0, np.array([0.5, 0.1]), np.array([np.cos(b), -np.sin(b)])  # of the upper link, in the lower one
    about = 0.1 + m * c @ c  # inertia about the hinge
    coupling = about + m * (lever @ c)
    assert V[1, 5] - V[0, 5] == pytest.approx(-1.5 * coupling / about, rel=1e-10)


@pytest.mark.parametrize("velocity", [{"turn": 0.8}, {"z": 0.3}, {"turn": 0.5, "z": -0.4}])
def test_open_freedoms_move_alike_in_all_formulations_and_units(velocity):
    expected = None
    for size in (1.0, 1e-6, 1e6):
        given = {name: rate * (1.0 if name == "turn" else size) for name, rate in velocity.items()}
        for formulation in FORMULATIONS:
            V = twists(spatial(size), formulation, None, given) / [size, size, size, 1, 1, 1]
            expected = V if expected is None else expected
            np.testing.assert_allclose(V, expected, rtol=0, atol=1e-10 * np.max(np.abs(expected)))


def test_one_crank_of_a_five_bar_leaves_the_other_the_motion_of_least_energy():
    """The energy over the other crank's rate, from the kinematics of both, is least where the state has it."""
    arm, pose = poinsot.load("five_bar"), {"q1": 2.2, "q2": 0.8}

    def energy(rate: float) -> float:
        k = poinsot.kinematics(arm, {"q1": lambda t: 2.2 + 1.3 * t, "q2": lambda t: 0.8 + rate * t}, [0.0])
        total = 0.5 * 8e-4 * (1.3**2 + rate**2)  # of the drives
        for name, body in arm.elements.bodies.items():
            w, R = k.angular_velocity[name][0], k.rotation[name][0]
            com = np.array([*body.com[:2], 0.0])
            v = k.velocity[name][0] + np.cross(w, R @ com)
            moment = float(body.inertial_parameters()[9]) - body.mass * com @ com
            total += 0.5 * body.mass * v @ v + 0.5 * moment * w[2] ** 2
        return total

    low, middle, high = (energy(rate) for rate in (-1.0, 0.0, 1.0))
    least = 0.5 * (low - high) / (low + high - 2 * middle)  # of the parabola
    for formulation in FORMULATIONS:
        V = twists(arm, formulation, pose, {"q1": 1.3})
        crank1, crank2 = (list(arm.bodies).index(name) for name in ("crank1", "crank2"))
        assert V[crank1, 5] == pytest.approx(1.3, rel=1e-12) and V[crank2, 5] == pytest.approx(least, rel=1e-8)


@pytest.mark.parametrize("light", [0.0, 1e-4])
def test_what_has_no_mass_moves_alike_too(light):
    found = [twists(double_pendulum(1.0, light), f, {"b": 0.7}, {"a": 1.5}) for f in FORMULATIONS]
    for V in found:
        np.testing.assert_allclose(V, found[0], rtol=0, atol=1e-10)
    if light:
        np.testing.assert_allclose(found[0], twists(double_pendulum(1.0), "joint", {"b": 0.7}, {"a": 1.5}), atol=1e-9)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_rates_that_contradict_each_other_are_noticed_at_every_size(size):
    mechanism = spatial(size)
    assert twists(mechanism, "joint", None, {"z": 1e-3 * size}).shape == (3, 6)
    slide = {"type": "prismatic", "between": ["ground", "one"]}
    bodies = {"one": {"mass": 1.0, "inertia": [size**2] * 3}}
    coordinates = {"x": {"joint": "S"}, "z": {"position": "one", "axis": "z"}}
    rail = poinsot.build(document(size, bodies, {"S": slide}, coordinates))
    twists(rail, "joint", None, {"x": 0.1 * size, "z": 0.1 * size})
    with pytest.raises(poinsot.PoinsotError, match="contradict the joints"):
        twists(rail, "joint", None, {"x": 0.1 * size, "z": 0.1001 * size})
