"""Dragging ends at end stops and slides along them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

import poinsot
from poinsot.app.viewer.end_stops import towards
from poinsot.app.viewer.posing import posing_of
from poinsot.spatial.pose import Pose

ARM = """
format = 1
planar = true
[bodies.upper]
mass = 1.0
frames.elbow = [1.0, 0.0]
[bodies.lower]
mass = 1.0
frames.hand = [0.8, 0.0]
[joints.A]
type = "revolute"
between = ["ground", "upper"]
[joints.B]
type = "revolute"
between = ["upper.elbow", "lower"]
[coordinates]
a = {{ joint = "A" }}
b = {{ joint = "B" }}
[pose]
a = {a}
b = 0.6
[forces.stop]
type = "end-stop"
on = {{ joint = "A" }}
lower = {low}
upper = {high}
"""


def arm_dragged(a, low, high, target):
    """Coordinates of an arm, and how far its hand is from a target (2,) to which it was dragged."""
    posing = posing_of(poinsot.loads(ARM.format(a=a, low=low, high=high)))
    hand, X = np.array([0.8, 0.0, 0.0]), posing.home.poses["lower"]
    wanted = Pose(X.R, np.array([*target, 0.0]))
    found = posing.dragged("lower", wanted, posing.home, hand)
    return posing.values(found), posing.missed("lower", wanted, found, hand)[0], posing.stops.reached(found)


def hand(a, b):
    return np.array([np.cos(a) + 0.8 * np.cos(a + b), np.sin(a) + 0.8 * np.sin(a + b)])


def test_dragging_ends_at_an_end_stop_and_slides_along_it():
    target = np.array([0.3, 1.2])
    found, missed, _ = arm_dragged(0.2, -3.0, 3.0, target)
    assert missed < 1e-3 and found["a"] > 0.6  # without the stop it would go there
    found, missed, reached = arm_dragged(0.2, -1.0, 0.5, target)
    assert found["a"] == pytest.approx(0.5, abs=2e-4) and reached == ("stop",)
    best = min(np.linalg.norm(hand(0.5, b) - target) for b in np.linspace(-np.pi, np.pi, 2001))
    assert 0.1 < missed < best + 1e-3


def test_dragging_leaves_an_end_stop_that_it_is_pulled_away_from():
    found, missed, reached = arm_dragged(0.5, -1.0, 0.5, hand(0.1, 0.9))
    assert missed < 1e-3 and found == {"a": pytest.approx(0.1, abs=5e-3), "b": pytest.approx(0.9, abs=5e-3)}
    assert reached == ()


def test_end_stops_beyond_half_a_turn_are_where_they_are():
    found, missed, _ = arm_dragged(3.4, 0.0, 5.2, hand(3.8, 0.6))
    assert missed < 1e-3 and found["a"] % (2 * np.pi) == pytest.approx(3.8, abs=5e-3)
    found, missed, reached = arm_dragged(0.2, -100.0, 0.5, np.array([0.3, 1.2]))
    assert found["a"] == pytest.approx(0.5, abs=2e-4) and reached == ("stop",)


@pytest.mark.parametrize(
    "on, low, high, last", [("{ joint = 'A' }", -3.5, 3.5, 3.5), ("{ combination = { A = 2 } }", -4, 4, 2.0)]
)
def test_a_crank_that_is_pulled_round_event_by_event_ends_at_its_stop(on, low, high, last):
    text = "format = 1\nplanar = true\n[bodies.l]\nmass = 1\ncom = [1, 0]\n[joints.A]\ntype = 'revolute'\n"
    text += f"between = ['ground', 'l']\n[forces.s]\ntype = 'end-stop'\non = {on}\nlower = {low}\nupper = {high}\n"
    posing = posing_of(poinsot.loads(text))
    now, angle, tip = posing.home, 0.0, np.array([1.0, 0.0, 0.0])
    for wanted in np.arange(0.1, 8.0, 0.1):
        now = posing.dragged("l", Pose(now.poses["l"].R, np.array([np.cos(wanted), np.sin(wanted), 0.0])), now, tip)
        R = now.poses["l"].R
        angle += (np.arctan2(R[1, 0], R[0, 0]) - angle + np.pi) % (2 * np.pi) - np.pi
        assert angle == pytest.approx(wanted, abs=1e-3) if wanted < last - 0.05 else angle < last + 2e-4
        if wanted > last + 1.0:
            break
    assert angle == pytest.approx(last, abs=2e-4)


def squares(z, A, error):
    return np.sum((error - A @ z) ** 2)


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")
def test_steps_within_stops_are_those_of_a_quadratic_program():
    rng = np.random.default_rng(0)
    for _ in range(50):
        A, error, S = rng.standard_normal((6, 3)), rng.standard_normal(6), rng.standard_normal((4, 3))
        room = rng.uniform(0, 0.3, (4, 2)) * rng.integers(0, 2, (4, 2))
        z = towards(A, error, S, room)
        assert np.all(-room[:, 0] - 1e-9 <= S @ z) and np.all(S @ z <= room[:, 1] + 1e-9)
        bounds = LinearConstraint(S, -room[:, 0], room[:, 1])
        found = minimize(
            squares, np.zeros(3), (A, error), "trust-constr", constraints=bounds, options={"gtol": 1e-10}
        )
        assert squares(z, A, error) < squares(found.x, A, error) + 1e-6


def test_stops_that_say_the_same_do_not_lock_other_freedoms():
    S = np.array([[1.0, 0.0], [1.0, 1e-14]])
    np.testing.assert_allclose(towards(np.eye(2), np.ones(2), S, np.zeros((2, 2))), [0.0, 1.0], atol=1e-3)
