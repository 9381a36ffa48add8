"""Inertia against clouds of point masses, of which mass, centre and every moment are plain sums."""

import casadi
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from poinsot.elements.bodies import RigidBody
from poinsot.spatial.inertia import (
    inertia_about,
    inertia_defect,
    inertia_matrix,
    inertial_parameters,
    parameters_from_pseudo_inertia,
    planar_inertia,
    poinsot_matrix,
    pseudo_inertia,
    rotate_inertia,
    split_parameters,
)
from poinsot.spatial.log_cholesky import from_log_cholesky, to_log_cholesky
from tests.strategies import rotations, vectors


class Cloud:
    """Point masses m_k at r_k."""

    def __init__(self, m: np.ndarray, r: np.ndarray):
        self.m, self.r = m, r
        self.mass, self.h = m.sum(), m @ r
        self.centre = self.h / self.mass

    def inertia(self, about) -> np.ndarray:
        d = self.r - about
        return sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(self.m, d))

    def second_moment(self, about) -> np.ndarray:
        d = self.r - about
        return np.einsum("k,ki,kj->ij", self.m, d, d)

    def ten(self) -> np.ndarray:
        I = self.inertia(np.zeros(3))
        return np.array([self.mass, *self.h, I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]])


@st.composite
def clouds(draw) -> Cloud:
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n = draw(st.integers(4, 9))
    return Cloud(rng.uniform(0.1, 3.0, n), rng.normal(size=(n, 3)) + draw(vectors()))


@given(cloud=clouds())
def test_the_ten_parameters_of_a_cloud_are_its_sums(cloud):
    phi = inertial_parameters(cloud.mass, cloud.centre, cloud.inertia(cloud.centre))
    assert_allclose(phi, cloud.ten(), rtol=1e-11, atol=1e-11)


@given(cloud=clouds(), point=vectors())
def test_steiner_gives_the_inertia_about_any_point(cloud, point):
    J = cloud.inertia(cloud.centre)
    assert_allclose(inertia_about(J, cloud.mass, cloud.centre - point), cloud.inertia(point), rtol=1e-11, atol=1e-11)


@given(one=clouds(), other=clouds())
def test_the_ten_parameters_of_two_bodies_made_one_add_up(one, other):
    both = Cloud(np.concatenate([one.m, other.m]), np.concatenate([one.r, other.r]))
    parts = [inertial_parameters(c.mass, c.centre, c.inertia(c.centre)) for c in (one, other)]
    whole = inertial_parameters(both.mass, both.centre, both.inertia(both.centre))
    assert_allclose(parts[0] + parts[1], whole, rtol=1e-11, atol=1e-11)


@given(cloud=clouds())
def test_poinsots_matrix_is_the_second_moment_of_mass(cloud):
    J = cloud.inertia(cloud.centre)
    K = poinsot_matrix(J)
    assert_allclose(K, cloud.second_moment(cloud.centre), rtol=1e-11, atol=1e-11)
    assert_allclose(np.trace(K) * np.eye(3) - K, J, rtol=1e-11, atol=1e-11)


@given(cloud=clouds())
def test_the_pseudo_inertia_is_the_second_moment_of_homogeneous_points(cloud):
    points = np.column_stack([cloud.r, np.ones(len(cloud.m))])
    expected = np.einsum("k,ki,kj->ij", cloud.m, points, points)
    P = pseudo_inertia(cloud.ten())
    assert_allclose(P, expected, rtol=1e-11, atol=1e-11)
    assert np.linalg.eigvalsh(P)[0] > 0
    assert_allclose(parameters_from_pseudo_inertia(P), cloud.ten(), rtol=1e-12, atol=1e-12)


@given(cloud=clouds())
def test_splitting_the_ten_parameters_gives_mass_centre_and_central_inertia_back(cloud):
    mass, centre, J = split_parameters(cloud.ten())
    assert_allclose(mass, cloud.mass)
    assert_allclose(centre, cloud.centre, rtol=1e-12, atol=1e-12)
    assert_allclose(J, cloud.inertia(cloud.centre), rtol=1e-9, atol=1e-9)


@given(cloud=clouds(), R=rotations())
def test_turning_the_axes_turns_the_inertia(cloud, R):
    turned = Cloud(cloud.m, cloud.r @ R.T)
    rotated = rotate_inertia(R, cloud.inertia(cloud.centre))
    assert_allclose(rotated, turned.inertia(turned.centre), rtol=1e-10, atol=1e-10)


def test_batches_of_parameters_are_the_same_as_one_by_one():
    rng = np.random.default_rng(0)
    sets = [Cloud(rng.uniform(0.1, 1, 5), rng.normal(size=(5, 3))) for _ in range(6)]
    phi = np.array([c.ten() for c in sets])
    m, c, J = split_parameters(phi)
    assert_allclose(inertial_parameters(m, c, J), phi, rtol=1e-12, atol=1e-12)
    assert_allclose(parameters_from_pseudo_inertia(pseudo_inertia(phi)), phi, rtol=1e-12, atol=1e-12)
    assert_allclose(poinsot_matrix(J)[3], poinsot_matrix(J[3]))


def test_a_rigid_body_gives_its_parameters_in_the_order_of_the_theory():
    six = (2.0, 0.1, -0.2, 3.0, 0.3, 4.0)  # xx, xy, xz, yy, yz, zz
    body = RigidBody("b", 1.5, (0.1, 0.2, 0.3), six)
    J = np.array([[2.0, 0.1, -0.2], [0.1, 3.0, 0.3], [-0.2, 0.3, 4.0]])
    assert_allclose(body.inertia_about_centre(), J)
    c = np.array([0.1, 0.2, 0.3])
    I = J + 1.5 * (c @ c * np.eye(3) - np.outer(c, c))
    expected = [1.5, 0.15, 0.3, 0.45, I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
    assert_allclose(body.inertial_parameters(), expected)


@given(cloud=clouds())
def test_symbols_and_numbers_agree(cloud):
    phi = casadi.SX.sym("phi", 10)
    m, c, J = split_parameters(phi)
    K, again = poinsot_matrix(J), parameters_from_pseudo_inertia(pseudo_inertia(phi))
    f = casadi.Function("f", [phi], [m, c, J, K, again, inertial_parameters(m, c, J)])
    got = [np.squeeze(np.array(x)) for x in f(cloud.ten())]
    mass, centre, inertia = split_parameters(cloud.ten())
    for one, other in zip(got, [mass, centre, inertia, poinsot_matrix(inertia), cloud.ten(), cloud.ten()]):
        assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@given(cloud=clouds())
def test_every_cloud_is_a_possible_body(cloud):
    assert inertia_defect(cloud.mass, cloud.inertia(cloud.centre)) is None


@given(R=rotations(), size=st.sampled_from([1e-12, 1e-6, 1.0, 1e6]))
def test_rods_and_laminas_are_possible_in_any_attitude_and_size(R, size):
    rod, lamina, ball = (1.0, 1.0, 0.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0)
    for moments in (rod, lamina, ball):
        assert inertia_defect(1.0, size * R @ np.diag(moments) @ R.T) is None


IMPOSSIBLE = [
    (-1.0, (1, 1, 1), "mass -1 kg is negative"),
    (1.0, (-1, 1, 1), "not positive definite"),
    (1.0, (1, 1, 2.1), r"break the triangle inequality \(1 \+ 1 < 2.1\)"),
    (np.nan, (1, 1, 1), "finite"),
    (1.0, (np.inf, 1, 1), "finite"),
]


@pytest.mark.parametrize(("mass", "moments", "words"), IMPOSSIBLE)
def test_a_body_that_cannot_be_is_refused_with_the_reason(mass, moments, words):
    import re

    assert re.search(words, inertia_defect(mass, np.diag(np.array(moments, float))))


@given(R=rotations(), size=st.sampled_from([1e-9, 1.0, 1e9]))
def test_defects_do_not_depend_on_axes_or_size(R, size):
    for moments, words in (((1.0, 1.0, 2.1), "triangle"), ((-0.1, 1.0, 1.0), "positive definite")):
        assert words in inertia_defect(1.0, size * R @ np.diag(moments) @ R.T)


def test_a_massless_point_is_possible_and_a_rotor_behind_its_gear():
    assert inertia_defect(0.0, np.zeros((3, 3))) is None
    assert inertia_defect(0.0, np.diag([1.0, 1.0, 2.0])) is None


def test_the_six_numbers_make_a_symmetric_matrix():
    J = inertia_matrix([1, 2, 3, 4, 5, 6])
    assert J.tolist() == [[1, 2, 3], [2, 4, 5], [3, 5, 6]]


@given(cloud=clouds())
def test_log_cholesky_coordinates_of_a_cloud_give_it_back(cloud):
    phi = cloud.ten()
    assert_allclose(from_log_cholesky(to_log_cholesky(phi)), phi, rtol=1e-9, atol=1e-9 * np.abs(phi).max())


@given(theta=st.lists(st.floats(-2, 2), min_size=10, max_size=10))
def test_any_ten_numbers_are_a_body_in_log_cholesky_coordinates(theta):
    theta = np.array(theta)
    phi = from_log_cholesky(theta)
    assert np.linalg.eigvalsh(pseudo_inertia(phi))[0] > 0
    U = np.diag([*np.exp(theta[1:4]), 1.0])
    U[0, 1], U[1, 2], U[0, 2], U[:3, 3] = theta[4], theta[5], theta[6], theta[7:]
    assert_allclose(pseudo_inertia(phi), np.exp(2 * theta[0]) * U @ U.T, rtol=1e-9, atol=1e-9 * np.abs(phi).max())
    assert_allclose(to_log_cholesky(phi), theta, atol=1e-6)


def test_log_cholesky_coordinates_are_differentiable_and_alike_in_symbols():
    theta = np.random.default_rng(1).normal(size=10) / 2
    x = casadi.SX.sym("theta", 10)
    there = from_log_cholesky(x)
    value, slopes = (np.array(part) for part in casadi.Function("f", [x], [there, casadi.jacobian(there, x)])(theta))
    assert_allclose(value.ravel(), from_log_cholesky(theta), rtol=1e-13)
    numeric = [(from_log_cholesky(theta + h) - from_log_cholesky(theta - h)) / 2e-6 for h in 1e-6 * np.eye(10)]
    assert_allclose(slopes, np.transpose(numeric), rtol=1e-6, atol=1e-6)
    back = casadi.Function("g", [x], [to_log_cholesky(there)])(theta)
    assert_allclose(np.array(back).ravel(), theta, atol=1e-12)
    assert_allclose(from_log_cholesky(np.stack([theta, 2 * theta]))[0], from_log_cholesky(theta))  # batches


@given(cloud=clouds(), factor=st.floats(0.1, 2.0))
def test_a_planar_body_exists_exactly_when_some_distribution_has_its_moment(cloud, factor):
    """[[Σ, h], [hᵀ, m]] ⪰ 0 with tr Σ = J: the best Σ adds what J has beyond |h|²/m evenly."""
    m, h = cloud.mass, cloud.h[:2]
    phi = cloud.ten()
    phi[9] = J = factor * (h @ h) / m
    S = np.outer(h, h) / m + (J - h @ h / m) / 2 * np.eye(2)
    best = np.block([[S, h[:, None]], [h[None], np.array([[m]])]])
    scale = max(J, m)
    if abs(factor - 1) > 1e-6:
        assert (np.linalg.eigvalsh(best)[0] > -1e-12 * scale) == (np.linalg.eigvalsh(planar_inertia(phi))[0] > 0)
