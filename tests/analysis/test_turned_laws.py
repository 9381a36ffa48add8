"""Springs about angles that are read off poses: along a prescribed motion they are right, or refused by name."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

T = np.linspace(0.0, 4.0, 81)
MOTION = {"th": lambda t: 0.3 + 2 * t}


def drag_link(closing: str) -> poinsot.Mechanism:
    """Both cranks of a drag link go round, against a spring on the second; one of its joints closes the loop."""
    B, C, D = ("closing = true" if joint == closing else "" for joint in "BCD")
    return poinsot.loads(f"""
format = 1
planar = true
gravity = [0, -9.81]
bodies.a = {{ mass = 1, com = [0.2, 0], inertia = 0.02 }}
bodies.b = {{ mass = 1, com = [0.15, 0], inertia = 0.02 }}
bodies.c = {{ mass = 1, com = [0.2, 0], inertia = 0.02 }}
coordinates.th = {{ joint = "A" }}
pose.th = 0.3
[joints.A]
type = "revolute"
between = ["ground", "a"]
actuated = true
[joints.B]
type = "revolute"
between = [{{ body = "a", position = [0.4, 0] }}, "b"]
{B}
[joints.C]
type = "revolute"
between = [{{ body = "b", position = [0.35, 0] }}, {{ body = "c", position = [0.42, 0] }}]
{C}
[joints.D]
type = "revolute"
between = [{{ body = "ground", position = [0.1, 0] }}, "c"]
stiffness = 0.7
{D}
""")


@pytest.fixture(scope="module")
def torque() -> np.ndarray:
    return poinsot.inverse_dynamics(drag_link("B"), MOTION, T).forces["A"]


@pytest.mark.parametrize("formulation", ["joint", "embedded"])
def test_turns_of_a_joint_of_the_tree_count(torque, formulation):
    found = poinsot.inverse_dynamics(drag_link("C"), MOTION, T, formulation=formulation)
    np.testing.assert_allclose(found.forces["A"], torque, atol=1e-10)


@pytest.mark.parametrize(
    ("closing", "formulation", "advice"),
    [
        ("B", "euler", "use 'joint'"),
        ("B", "rotation-matrix", "use 'joint'"),
        ("D", "joint", "let another joint close"),
    ],
)
def test_where_poses_do_not_tell_them_half_a_turn_is_refused_and_what_lies_before_is_right(
    torque, closing, formulation, advice
):
    with pytest.raises(poinsot.MotionError, match=f"'D.spring' is turned by half a turn, .*{advice}") as raised:
        poinsot.inverse_dynamics(drag_link(closing), MOTION, T, formulation=formulation)
    before = raised.value.partial
    assert before is not None and len(before.t) > 30
    np.testing.assert_allclose(before.forces["A"], torque[: len(before.t)], atol=1e-10)


def test_what_is_identified_along_such_a_motion_is_refused_too():
    for ask in (poinsot.regressor, poinsot.determinable):
        with pytest.raises(poinsot.MotionError, match=r"'D.spring' is turned by half a turn"):
            ask(drag_link("D"), MOTION, T)


def test_springs_about_angles_that_are_given_beyond_half_a_turn_are_refused_or_right():
    wheel = poinsot.loads("""
format = 1
planar = true
bodies.wheel = { mass = 1, inertia = 0.02 }
joints.h = { type = "revolute", between = ["ground", "wheel"], stiffness = 2, actuated = true }
""")
    motion = {"h": lambda t: 4.0 + 0.0 * t}
    np.testing.assert_allclose(poinsot.inverse_dynamics(wheel, motion, [0.0, 1.0]).forces["h"], 8.0)
    with pytest.raises(poinsot.MotionError, match=r"at t = 0 s 'h.spring' is turned by half a turn"):
        poinsot.inverse_dynamics(wheel, motion, [0.0, 1.0], formulation="euler")
