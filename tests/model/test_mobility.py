"""Ranks, self-stresses and dependent rows, whatever the units."""

from __future__ import annotations

import numpy as np
import pytest

from poinsot.model.assembly.assembly import assemble
from poinsot.model.assembly.constraints import Constraints
from poinsot.model.assembly.mobility import dependent_rows, mobility, self_stresses, stressed, stressed_joints
from tests.model.mechanisms import four_bar_in_space, spatial

ROWS = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1e-13]])


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_what_counts_as_zero_is_measured_by_the_size_of_the_rows(unit):
    N = stressed(unit * ROWS, np.linalg.norm(unit * ROWS, axis=1))
    assert N.shape == (2, 4)
    np.testing.assert_allclose(N @ N.T, np.eye(2), atol=1e-14)
    np.testing.assert_allclose(N @ ROWS, 0.0, atol=1e-12)
    assert dependent_rows(unit * ROWS) == (2, 3)
    assert dependent_rows(unit * ROWS, [2, 1, 0, 3]) == (0, 3)
    assert dependent_rows(unit * ROWS[:2]) == ()


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_self_stresses_balance_in_the_units_of_the_rows(size):
    """Of a plane loop in space: forces out of its plane and moments in it."""
    mechanism = four_bar_in_space(size)
    constraints, home = Constraints(mechanism.elements), assemble(mechanism)
    N, J = self_stresses(constraints, home), constraints.evaluate(home.poses)[1]
    assert N.shape == (len(constraints.rows), 3) and mobility(constraints, home) == 1
    balance = J.T @ N
    largest = np.abs(J).T @ np.abs(N)
    assert np.all(np.abs(balance) <= 1e-12 * largest.max(axis=0))
    assert set(stressed_joints(constraints, home)) == set(mechanism.elements.joints)


def test_without_loops_nothing_is_stressed():
    hung = spatial({"bob": {"mass": 1.0}}, {"hinge": {"type": "revolute", "between": ["ground", "bob"]}})
    constraints, home = Constraints(hung.elements), assemble(hung)
    assert stressed_joints(constraints, home) == () and self_stresses(constraints, home).shape == (5, 0)
