"""Twists, wrenches and inertias, held against matrices of six rows and against points with mass."""

import numpy as np
from hypothesis import given
from numpy.testing import assert_allclose

from poinsot.spatial.algebra import skew
from poinsot.spatial.motion import SpatialInertia, Twist, Wrench, carry_inertia, carry_twist, carry_wrench
from poinsot.spatial.pose import Pose
from tests.strategies import poses, vectors

POINTS = np.array([[0.3, -0.1, 0.2], [-0.4, 0.5, 0.1], [0.2, 0.2, -0.6], [0.1, -0.7, 0.4]])
MASSES = np.array([1.0, 2.5, 0.7, 1.8])


def six(x) -> np.ndarray:
    return np.concatenate([x.v, x.w] if isinstance(x, Twist) else [x.f, x.n])


def inertia(points: np.ndarray) -> SpatialInertia:
    return SpatialInertia(MASSES.sum(), MASSES @ points, sum(m * skew(r) @ skew(r).T for m, r in zip(MASSES, points)))


def crossing(V: Twist) -> np.ndarray:
    """Matrix of V × on twists (v, w)."""
    return np.block([[skew(V.w), skew(V.v)], [np.zeros((3, 3)), skew(V.w)]])


def transform(X_AB: Pose) -> np.ndarray:
    """Matrix that takes the twist of A to that of B fixed to it."""
    return np.block([[X_AB.R.T, -X_AB.R.T @ skew(X_AB.p)], [np.zeros((3, 3)), X_AB.R.T]])


@given(a=vectors(6), b=vectors(6))
def test_twists_and_wrenches_are_vectors_of_six_numbers(a, b):
    V, W, F = Twist(a[:3], a[3:]), Twist(b[:3], b[3:]), Wrench(b[:3], b[3:])
    assert_allclose(six(V + W), a + b)
    assert_allclose(six(Wrench(a[:3], a[3:]) + F), a + b)
    assert_allclose(F.power(V), a @ b, atol=1e-14)
    assert_allclose(six(V.crossed(W)), crossing(V) @ b, atol=1e-14)
    assert_allclose(six(V.dual_crossed(F)), -crossing(V).T @ b, atol=1e-14)


@given(X=poses(), a=vectors(6), b=vectors(6))
def test_a_fixed_body_moves_with_the_one_that_carries_it_and_loads_it_with_the_same_power(X, a, b):
    V, F = Twist(a[:3], a[3:]), Wrench(b[:3], b[3:])
    assert_allclose(six(carry_twist(X, V)), transform(X) @ a, atol=1e-14)
    assert_allclose(six(carry_wrench(X, F)), transform(X).T @ b, atol=1e-14)


@given(X=poses(), a=vectors(6))
def test_momentum_and_inertia_are_sums_over_the_points_of_a_body(X, a):
    v = a[:3] + np.cross(a[3:], POINTS)
    momentum = inertia(POINTS).momentum(Twist(a[:3], a[3:]))
    assert_allclose(momentum.f, MASSES @ v, atol=1e-13)
    assert_allclose(momentum.n, MASSES @ np.cross(POINTS, v), atol=1e-13)
    carried, direct = carry_inertia(X, inertia(POINTS)), inertia(X.point(POINTS))
    both = inertia(POINTS) + direct
    for name in ("m", "h", "I"):
        assert_allclose(getattr(carried, name), getattr(direct, name), atol=1e-12)
        assert_allclose(getattr(both, name), getattr(inertia(POINTS), name) + getattr(direct, name))
