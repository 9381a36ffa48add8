"""Loops on moving bodies: independent coordinates are found in any frames and size, with the same accelerations."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.engine.linear.pivoting import independent_columns

from ..identifiability.layouts import ANY, LAYOUTS, RIGHT_ANGLES


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("turntable", {"turn": RIGHT_ANGLES, "seed": 1}),
        ("crane", {"turn": RIGHT_ANGLES, "seed": 2}),
        ("crane", {"turn": ANY, "size": 1e3, "mass": 1e3}),
        ("walker", {"turn": ANY, "size": 1e-3, "mass": 1e-3, "seed": 2}),
    ],
)
def test_embedded_accelerations_are_those_of_joint_coordinates(name, how):
    mechanism = LAYOUTS[name](**how)
    rate2 = 9.81 / how.get("size", 1.0)  # of angular accelerations  [1/s²]
    a, b = (poinsot.accelerations(mechanism, formulation=f) for f in ("joint", "embedded"))
    for body in mechanism.bodies:
        np.testing.assert_allclose(a[body][:3], b[body][:3], atol=1e-9 * 9.81)
        np.testing.assert_allclose(a[body][3:], b[body][3:], atol=1e-9 * rate2)


def test_a_column_of_round_off_is_a_free_speed():
    """The second speed turns the whole loop: its column is zero up to round-off, in whatever row."""
    C = np.array([[0.3, 6e-17, 0.5, 0.2], [0.1, -3e-17, -0.4, 0.6]])
    for scale in (1.0, 1e-9, 1e9):
        assert 1 in independent_columns(scale * C)


def test_rows_that_depend_on_others_are_counted_once_when_their_rank_is_known():
    C = np.array([[0.3, 0.0, 0.5, 0.2], [0.1, 0.0, -0.4, 0.6]])
    both = np.vstack([C, C[0] + 2 * C[1], 1e-17 * C[0]])
    free = independent_columns(both, 2)
    assert len(free) == 2 and 1 in free
    with pytest.raises(poinsot.PoinsotError, match="constraints are dependent in this pose"):
        independent_columns(both)
