"""Joint parameters from natural frequencies: the planar three-link mechanism of the source."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.compared import compared

import poinsot

SPRINGS = ["A.stiffness", "B.stiffness", "C.stiffness"]
STRAIGHT = (0.0, 0.0, 0.0)
BENT = (44.4, -44.9, 40.4)  # degrees
PRINTED = {STRAIGHT: (19.9, 83.1, 229.8), BENT: (22.7, 58.5, 101.2)}  # table 2 of the source  [Hz]
GEOMETRY = {STRAIGHT: (16.946, 83.065, 229.157), BENT: (22.713, 58.449, 101.079)}  # with the sheets where they are


def pose(degrees) -> dict[str, float]:
    return dict(zip(("phi1", "phi2", "phi3"), np.radians(degrees)))


def by_hand(degrees, springs=(21.10, 13.90, 5.77)) -> np.ndarray:
    """Frequencies from the 3 × 3 matrices in absolute angles, written out for a chain of links."""
    m, J = np.array([74.1, 54.3, 36.4]) * 1e-3, np.array([15.8, 8.3, 3.8]) * 1e-6
    centre, joint = np.array([36.0, 28.0, 23.1]) * 1e-3, np.array([69.0, 56.1]) * 1e-3
    arms = np.array([[centre[0], 0, 0], [joint[0], centre[1], 0], [joint[0], joint[1], centre[2]]])
    phi = np.radians(degrees)
    M = np.einsum("k,ki,kj->ij", m, arms, arms) * np.cos(phi[:, None] - phi) + np.diag(J)
    relative = np.array([[1, 0, 0], [-1, 1, 0], [0, -1, 1]])
    K = relative.T @ np.diag(springs) @ relative
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)) / (2 * np.pi)


@pytest.mark.parametrize("configuration", [STRAIGHT, BENT])
def test_frequencies_of_both_configurations(configuration):
    found = poinsot.modes(poinsot.load("three_link"), pose=pose(configuration)).frequencies
    assert_allclose(found, by_hand(configuration), rtol=1e-11)
    compared("frequencies of the three-link mechanism", "matrices written by hand", found, by_hand(configuration))
    assert_allclose(found, GEOMETRY[configuration], atol=5.001e-4)


def test_five_of_the_six_printed_frequencies_agree_and_the_sixth_is_a_misprint():
    three_link = poinsot.load("three_link")
    off = {}
    for configuration, printed in PRINTED.items():
        found = poinsot.modes(three_link, pose=pose(configuration)).frequencies
        off.update({value: abs(f / value - 1) for f, value in zip(found, printed)})
    assert [value for value, error in off.items() if error > 0.003] == [19.9]  # of 16.9
    assert abs(16.9 / by_hand(STRAIGHT)[0] - 1) < 0.003


@pytest.mark.parametrize(("configuration", "condition"), [(STRAIGHT, 10.9), (BENT, 1.51)])
def test_the_second_configuration_separates_the_springs(configuration, condition):
    found = poinsot.modes(poinsot.load("three_link"), pose=pose(configuration))
    sensitivity = found.log_sensitivity(SPRINGS)
    assert np.linalg.cond(sensitivity) == pytest.approx(condition, rel=5e-3)
    assert_allclose(sensitivity.sum(axis=1), 0.5)
