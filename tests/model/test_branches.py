"""Jacobians at two poses tell whether a singular one lies between them."""

from __future__ import annotations

import numpy as np
import pytest

from poinsot import loads
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import assemble
from poinsot.model.assembly.branches import along_branch, one_branch


def turned(angle: float, size: float = 1.0) -> np.ndarray:
    """A Jacobian whose pair of eigenvalues has turned from 1 by an angle."""
    return size * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def test_a_sign_that_turns_is_another_branch_also_where_two_of_them_hide_it_from_the_determinant():
    A = np.random.default_rng(0).normal(size=(4, 4))
    for signs, same in (([1, 1, 1, 1], True), ([1, -1, 1, 1], False), ([1, -1, -1, 1], False)):
        moved = A @ np.diag(np.array(signs) * [1.0, 3.0, 0.3, 1.2])
        assert along_branch(np.stack([A, moved])).tolist() == [same]
        assert one_branch(A, moved, 1e-10) is same
    assert along_branch(np.stack([A, 1.01 * A, -A, -1.01 * A])).tolist() == [True, False, True]


@pytest.mark.parametrize("size", [1e-3, 0.5, 1.0, 1e3])
def test_eigenvalues_of_one_branch_keep_away_from_the_negative_axis_whatever_their_size(size):
    for angle, same in ((0.0, True), (1.4, True), (1.5, False), (2.0, False), (3.0, False)):
        assert along_branch(np.stack([np.eye(2), turned(angle, size)])).tolist() == [same]


def test_far_eigenvalues_are_looked_at_though_a_bound_does_not_clear_them():
    lopsided = np.array([[1.0, 50.0], [0.0, 1.0]])  # B − 1 is nilpotent
    assert along_branch(np.stack([np.eye(2), lopsided])).tolist() == [True]
    assert along_branch(np.stack([np.eye(2), np.diag([1.0, -0.05])])).tolist() == [False]  # just behind
    assert along_branch(np.stack([np.eye(3), np.eye(3) - 0.5])).tolist() == [False]  # by many small entries


def test_a_singular_pose_is_on_no_branch_and_others_are_still_compared():
    A = np.stack([np.eye(2), 1.1 * np.eye(2), np.zeros((2, 2)), np.eye(2), 1.2 * np.eye(2)])
    assert along_branch(A).tolist() == [True, False, False, True]
    assert along_branch(A[2:]).tolist() == [False, True]
    assert along_branch(np.zeros((2, 2, 2))).tolist() == [False]
    assert along_branch(np.full((2, 2, 2), np.nan)).tolist() == [False]


def test_a_single_pose_or_no_unknowns_are_one_branch():
    assert along_branch(np.zeros((1, 2, 2))).tolist() == []
    assert along_branch(np.zeros((0, 2, 2))).tolist() == []
    assert along_branch(np.zeros((4, 2, 0))).tolist() == [True] * 3
    assert one_branch(np.zeros((2, 3)), np.ones((2, 3)), 1e-10) is True


def test_more_equations_than_unknowns_and_free_motions_are_judged_by_what_is_held():
    A = np.random.default_rng(1).normal(size=(5, 3))
    assert along_branch(np.stack([A, 1.3 * A, -A, -1.2 * A])).tolist() == [True, False, True]
    assert one_branch(A, 1.3 * A, 1e-10) and not one_branch(A, -A, 1e-10)
    wide, free = A.T, np.linalg.svd(A.T)[2][3:]  # two motions are free
    assert one_branch(wide, wide + 9.0 * np.ones((3, 1)) * free[0], 1e-10)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_what_counts_as_zero_is_measured_by_the_largest_singular_value(size):
    weak = size * np.diag([1.0, 1e-3])
    assert one_branch(weak, weak * [1, -1], 1e-2) and not one_branch(weak, weak * [1, -1], 1e-4)
    assert one_branch(weak, turned(1.4) @ weak, 1e-4) and not one_branch(weak, turned(1.5) @ weak, 1e-4)


PRESS = """
format = 1
planar = true
[bodies]
ground = { frames = { top = [0.18, 0.22], way = [0.18, 0] } }
crank = { frames = { pin = [0.04, 0] } }
coupler = { frames = { knee = [0.19, 0] }, placement = { at = "crank.pin", along = ["crank.pin", "upper.knee"] } }
lower = { frames = { foot = [0.16, 0] }, placement = { at = "upper.knee", along = ["upper.knee", "ram"] } }
ram = { placement = { position = [0.18, -0.09] } }
[bodies.upper]
frames.knee = [0.15, 0]
placement = { position = [0.18, 0.22], rotation = { angle = "-95 deg" } }
[joints]
motor = { type = "revolute", between = ["ground", "crank"], actuated = true }
A = { type = "revolute", between = ["crank.pin", "coupler"] }
top = { type = "revolute", between = ["ground.top", "upper"] }
knee = { type = "revolute", between = ["coupler.knee", "upper.knee"], closing = true }
knee2 = { type = "revolute", between = ["upper.knee", "lower"] }
slide = { type = "prismatic", between = ["ground.way", "ram"], axis = [0, 1] }
foot = { type = "revolute", between = ["lower.foot", "ram"], closing = true }
[coordinates]
phi = { joint = "motor" }
ram = { joint = "slide" }
[pose]
phi = "60 deg"
"""


def test_a_pose_beyond_the_end_of_a_branch_tells_the_ways_to_it_and_they_lead_there():
    press = loads(PRESS)
    with pytest.raises(
        PoinsotError, match=r"close up to ram = -0\.08.*pose the machine by phi instead, or give a pose"
    ):
        assemble(press, {"ram": -0.075})
    turned = assemble(press, {"phi": np.radians(150)})
    for found in (
        assemble(press, {"ram": -0.075}, home=turned),
        assemble(loads(PRESS.replace("60 deg", "150 deg")), {"ram": -0.075}),
        assemble(press, {"phi": turned.value(press.coordinates["phi"], press.joints)}),
    ):
        assert found.residual < 1e-12
    assert found.value(press.coordinates["ram"], press.joints) == pytest.approx(-0.0832, abs=1e-4)
