"""Angles at and near the attitudes where a chart is singular."""

from __future__ import annotations

import numpy as np
import pytest

from poinsot.spatial.rotation import SEQUENCES, euler_angles, euler_matrix


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("distance", [0.0, 1e-15, 1e-13, 1e-10, 3e-8, 1e-6])
def test_an_attitude_comes_back_to_round_off_however_near_it_is_to_a_singular_one(sequence, distance):
    middle = (0.0 if sequence[0] == sequence[2] else np.pi / 2) + distance
    R = euler_matrix(sequence, [0.7, middle, -1.9])
    for near in (None, [0.1, middle, 0.2]):
        np.testing.assert_allclose(euler_matrix(sequence, euler_angles(sequence, R, near)), R, atol=5e-15)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_at_a_singular_attitude_the_angle_that_is_turned_first_is_zero_if_nothing_is_near(sequence):
    middle = 0.0 if sequence[0] == sequence[2] else np.pi / 2
    found = euler_angles(sequence, euler_matrix(sequence, [0.7, middle, -1.9]))
    assert found[0 if sequence.isupper() else 2] == 0


@pytest.mark.parametrize(("third", "last"), [(-1.9, -1.5), (3.0, 3.4), (-3.1, -9.0)])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_at_a_singular_attitude_the_solution_closest_to_the_last_one_is_taken(sequence, third, last):
    middle = 0.0 if sequence[0] == sequence[2] else np.pi / 2
    R = euler_matrix(sequence, [0.7, middle, third])
    near = np.array([0.5, middle, last])
    found = euler_angles(sequence, R, near)
    line = np.linspace(-1, 1, 2001)
    for sign in (1, -1):  # the solutions are a line along which two angles go together or against each other
        others = found + np.stack([line, 0 * line, sign * line], axis=1)
        same = np.abs(euler_matrix(sequence, others) - R).max(axis=(1, 2)) < 1e-9
        assert np.sum((others[same] - near) ** 2, axis=1).min() > np.sum((found - near) ** 2) - 1e-5


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_at_singular_attitudes_the_closest_solution_counts_whole_turns(sequence):
    """Two angles that go against each other have a sum, mod 2π; the closest solution shares what is missing of it."""
    rng, middle = np.random.default_rng(4), 0.0 if sequence[0] == sequence[2] else np.pi / 2
    angles, near = (rng.uniform(-size, size, (400, 3)) * [1, 0, 1] + [0, middle, 0] for size in (3.0, 9.0))
    R = euler_matrix(sequence, angles)
    found = euler_angles(sequence, R, near)
    sign = 1 if np.abs(euler_matrix(sequence, found + np.array([0.3, 0, -0.3])) - R).max() < 1e-9 else -1
    missing = (found - near) @ [1, 0, sign]
    missing -= 2 * np.pi * np.round(missing / (2 * np.pi))
    np.testing.assert_allclose(np.linalg.norm(found - near, axis=1), np.abs(missing) / np.sqrt(2), atol=1e-9)
