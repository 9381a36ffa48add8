"""Equilibrium: poses at rest, forces that hold, stability."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import poinsot
from poinsot.model.mechanism import build


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix"])
def test_a_four_bar_comes_to_rest_where_its_energy_is_least(formulation):
    four_bar = poinsot.load("four_bar")
    rest = poinsot.equilibrium(four_bar, formulation=formulation)

    def energy(theta):
        poses = poinsot.assemble(four_bar, {"theta1": theta}).require().poses
        return sum(b.mass * 9.81 * poses[n].point(np.array(b.com))[1] for n, b in four_bar.bodies.items())

    theta = rest.coordinates["theta1"]
    assert rest.stable and rest.energy == pytest.approx(energy(theta))
    assert energy(theta) < min(energy(theta - 1e-3), energy(theta + 1e-3))


def test_the_hexapod_at_home_is_unstable_in_all_six_modes_with_the_published_growth_rates():
    hexapod = poinsot.load("hexapod")
    rest = poinsot.equilibrium(hexapod, forces=poinsot.hold(hexapod))
    assert not rest.stable and np.all(rest.stiffness < 0)
    found = poinsot.modes(hexapod, locked="none")
    growth = -2 * np.pi * found.frequencies
    assert growth.min() == pytest.approx(1.8, abs=0.05) and growth.max() == pytest.approx(6.8, abs=0.05)


@pytest.mark.parametrize("formulation", ["euler", "rotation-matrix", "embedded"])
@pytest.mark.parametrize("name", ["pendulum", "six_bar", "crane", "double_pendulum"])
def test_the_stiffness_is_that_of_the_joints_in_any_coordinates(name, formulation):
    """m g l of a pendulum, whatever its coordinates are; entries of a rotation matrix turn √2 times as fast."""
    mechanism = poinsot.load(name)
    found, joint = (poinsot.equilibrium(mechanism, formulation=f).stiffness for f in (formulation, "joint"))
    assert_allclose(found, joint, rtol=1e-7, atol=1e-12 * np.max(np.abs(joint)))
    if name == "pendulum":
        assert_allclose(found, [1.0 * 9.81 * 0.25], rtol=1e-9)


def test_a_spring_and_a_weight_balance():
    document = {
        "format": 1,
        "planar": True,
        "bodies": {"mass": {"mass": 2.0, "inertia": 0.1}},
        "joints": {
            "slide": {
                "type": "prismatic",
                "between": ["ground", "mass"],
                "axis": [0, 1],
                "stiffness": 100,
                "rest": 0.5,
            }
        },
        "coordinates": {"y": {"joint": "slide"}},
    }
    rest = poinsot.equilibrium(poinsot.build(document))
    assert rest.coordinates["y"] == pytest.approx(0.5 - 2 * 9.81 / 100, abs=1e-10)
    assert rest.stiffness == pytest.approx([100.0])


def test_a_mechanism_without_equilibrium_says_so():
    document = {
        "format": 1,
        "bodies": {"stone": {"mass": 1.0, "inertia": [1, 1, 1]}},
        "joints": {"fall": {"type": "prismatic", "between": ["ground", "stone"]}},
    }
    with pytest.raises(poinsot.PoinsotError, match=r"no equilibrium was found.*a force of 9\.8e\+00 is left"):
        poinsot.equilibrium(poinsot.build(document), iterations=20)


@pytest.mark.parametrize("start", [(0.6, 0, -0.8), (0.8, 0, -0.6), (0.5, 0.1, -0.8), (0, 0.96, 0.28), (0, 0, -1.3)])
@pytest.mark.parametrize("down", ["xyz", "zxy"])
def test_a_bob_on_a_stick_comes_to_rest_below_from_any_start(start, down):
    """Also where forces balance to the last digit while the joint is still open."""
    axes = [down.index(axis) for axis in "xyz"]
    document = {
        "format": 1,
        "gravity": [[0, 0, -9.81][k] for k in axes],
        "bodies": {"bob": {"mass": 2.0, "inertia": [0.01] * 3, "placement": {"position": [start[k] for k in axes]}}},
        "joints": {"stick": {"type": "distance", "between": ["ground", "bob"], "length": 1.0}},
    }
    swing = poinsot.modes(poinsot.build(document))
    assert_allclose(swing.linear.poses["bob"].p[axes.index(2)], -1, rtol=1e-9)
    assert_allclose(swing.frequencies[-2:], np.sqrt(9.81) / (2 * np.pi), rtol=1e-9)


def flywheel(offset: float, length: float) -> poinsot.Mechanism:
    """A wheel on a swinging arm, its centre off its axis; the axis is a sum of lengths that are not round."""
    at = [0.1 * length, 0.7 * length]
    bodies = {
        "arm": {
            "mass": 1.0,
            "inertia": 0.1 * length**2,
            "com": [0.0, -0.3 * length],
            "frames": {"tip": [0.0, -1.1 * length]},
        },
        "wheel": {
            "mass": 2.0,
            "inertia": 0.3 * length**2,
            "com": [at[0], at[1] - offset * length],
            "frames": {"hub": at},
        },
    }
    joints = {
        "pin": {"type": "revolute", "between": ["ground", "arm"]},
        "axle": {"type": "revolute", "between": ["arm.tip", "wheel.hub"]},
    }
    whole = {"format": 1, "planar": True, "bodies": bodies, "joints": joints, "name": "flywheel"}
    return build(whole | {"gravity": [0, -9.81 * length]})


@pytest.mark.parametrize("formulation", ["joint", "euler"])
@pytest.mark.parametrize("length", [1.0, 1e-4])
@pytest.mark.parametrize("offset", [3e-17, 1e-6])
def test_a_balanced_wheel_is_indifferent_and_a_slightly_eccentric_one_is_not(offset, length, formulation):
    rest = poinsot.equilibrium(flywheel(offset, length), pose={"pin": 0.3, "axle": 0.2}, formulation=formulation)
    found = poinsot.modes(flywheel(offset, length), pose={"pin": 0.0, "axle": 0.0}, formulation=formulation)
    assert rest.coordinates["pin"] == pytest.approx(0.0, abs=1e-9)
    if offset < 1e-12:
        assert 0.0 in rest.stiffness and found.frequencies[0] == 0.0
    else:
        # det(K − ω² M) = 0, written apart
        pendulum, wheel = 9.81 * (0.3 + 2.0 * (1.1 + offset)), 9.81 * 2.0 * offset
        cross = 0.3 + 2.0 * offset**2 + 2.0 * 1.1 * offset
        M = np.array([[0.1 + 0.09 + 0.3 + 2.0 * (1.1 + offset) ** 2, cross], [cross, 0.3 + 2.0 * offset**2]])
        values = np.linalg.eigvals(np.linalg.solve(M, np.array([[pendulum, wheel], [wheel, wheel]])))
        assert found.frequencies == pytest.approx(np.sort(np.sqrt(values)) / (2 * np.pi), rel=1e-8)
        assert np.all(rest.stiffness > 0)


@pytest.mark.parametrize("more", [{}, {"inertia": 1e-6}, {"inertia": 1e-20}, {"com": ["0.1 m * cos(90 deg)", 0]}])
def test_a_slider_sags_by_its_weight_whatever_its_inertia(more):
    """x = −m g / k, ω² = k / m: neither a radius of gyration nor round-off in a centre is a length of the machine."""
    joint = {"type": "prismatic", "axis": [0, 1], "between": ["ground", "b"], "stiffness": 1.0}
    document = {
        "format": 1,
        "name": "s",
        "planar": True,
        "gravity": [0, -9.81],
        "bodies": {"b": {"mass": 1.0} | more},
    }
    hung = poinsot.build(document | {"joints": {"rail": joint}})
    found = poinsot.equilibrium(hung)
    assert found.coordinates["rail"] == pytest.approx(-9.81, rel=1e-9) and found.stable
    assert poinsot.modes(hung, pose={"rail": -9.81}).frequencies == pytest.approx([0.5 / np.pi], rel=1e-9)


BELT = """
format = 1
name = "belt"
planar = true
bodies.ground.frames.m = ["0.2 m", 0]
bodies.arm = { mass = "2 kg", com = [0, "-0.3 m"], inertia = "0.05 kg·m²" }
bodies.rotor = { mass = "0.5 kg", inertia = "0.001 kg·m²", placement = { position = ["0.2 m", 0] } }
joints.hinge = { type = "revolute", between = ["ground", "arm"] }
joints.shaft = { type = "revolute", between = ["ground.m", "rotor"], actuated = true, stiffness = "0.2 N·m/rad" }
couplings.belt.on = { combination = { shaft = 1, hinge = -8 } }
coordinates = { arm = { joint = "hinge" }, motor = { joint = "shaft" } }
pose.arm = "50 deg"
"""


@pytest.mark.parametrize("formulation", ["joint", "embedded"])
def test_angles_at_rest_have_the_turns_that_they_made_on_the_way(tmp_path, formulation):
    """A motor with a spring lifts an arm by a belt 8 : 1, almost two turns:  3 N·m − k 8φ − m g c sin φ / 8 = 0."""
    (tmp_path / "belt.toml").write_text(BELT)
    belt = poinsot.load(tmp_path / "belt.toml")
    rest = poinsot.equilibrium(belt, forces={"shaft": 3.0}, formulation=formulation)
    phi = brentq(lambda phi: 3.0 - 0.2 * 8 * phi - 2 * 9.81 * 0.3 * np.sin(phi) / 8, 0, 3, xtol=1e-14)
    assert rest.coordinates["arm"] == pytest.approx(phi, rel=1e-9)
    assert rest.coordinates["motor"] == pytest.approx(8 * phi, rel=1e-9)
    again = poinsot.kinematics(belt, {"motor": rest.coordinates["motor"]}, [0.0]).coordinates
    assert again["arm"][0] == pytest.approx(phi, rel=1e-9)


def balanced_arm(com, stiffness):
    """An arm with a spring of no free length to a post, which balances its weight everywhere if k a b = m g c."""
    post = {"body": "ground", "position": [0.0, 0.4, 0.0]}
    body = {"mass": 1.0, "com": [com, 0, 0], "inertia": [0.1, 0.1, 0.1], "frames": {"end": [0.3, 0.0, 0.0]}}
    spring = {"type": "spring", "on": {"length": [post, "arm.end"]}, "stiffness": stiffness, "rest": 0.0}
    return build(
        {
            "format": 1,
            "bodies": {"arm": body},
            "joints": {"hinge": {"type": "revolute", "between": ["ground", "arm"]}},
            "gravity": [0.0, -9.81, 0.0],
            "coordinates": {"angle": {"joint": "hinge"}},
            "forces": {"spring": spring},
        }
    )


@pytest.mark.parametrize("formulation", ["joint", "embedded", "euler", "rotation-matrix"])
def test_equilibria_are_stable_neutral_or_unstable(formulation):
    k = 9.81 * 0.2 / (0.3 * 0.4)
    for change, angle, expected in (
        (1.0, 0.7, "neutral"),
        (1.01, np.pi / 2, "stable"),
        (0.99, np.pi / 2, "unstable"),
    ):
        arm = balanced_arm(0.2, change * k)
        rest = poinsot.equilibrium(arm, pose={"angle": angle}, formulation=formulation)
        assert rest.stability == expected and rest.stable == (expected == "stable")
        assert str(rest).startswith(f"{expected} equilibrium at angle = {angle:.6g} rad")
        assert rest.to_dict()["stability"] == expected
