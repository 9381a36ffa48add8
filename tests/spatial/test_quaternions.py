"""Quaternions, matrices and rotation vectors: round trips, SciPy, the corners of floating point."""

import casadi
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from poinsot.elements.joints.attitude import quaternion_of
from poinsot.spatial.rotation import (
    quaternion_from_matrix,
    quaternion_matrix,
    quaternion_rate,
    rotation_between,
    rotation_exponential,
    rotation_logarithm,
)
from tests.strategies import first_derivative, numbers, rotation_vectors, rotations, vectors

ANGLES = [
    0.0,
    5e-324,
    1e-300,
    1e-160,
    1e-15,
    1e-12,
    1e-9,
    1e-6,
    1e-3,
    1.0,
    3.0,
    np.pi - 1e-6,
    np.pi - 1e-9,
    np.pi,
]
AXES = [(1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, 0), (1, -2, 3)]


def unit(v) -> np.ndarray:
    return np.asarray(v, float) / np.linalg.norm(v)


def skew(v) -> np.ndarray:
    return np.cross(np.eye(3), v)


@given(q=vectors(4).filter(lambda q: np.linalg.norm(q) > 1e-3))
def test_the_matrix_of_a_quaternion_of_any_length_is_that_of_scipy(q):
    expected = Rotation.from_quat(np.roll(q, -1)).as_matrix()
    assert_allclose(quaternion_matrix(q), expected, atol=4e-15)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-100, 1e-5, 1e5, 1e100, 1e200])
def test_the_length_of_a_quaternion_does_not_matter_however_small_or_large(scale):
    q = np.array([0.3, -0.4, 0.5, 0.7])
    assert_allclose(quaternion_matrix(scale * q), quaternion_matrix(q), atol=1e-14)


@given(R=rotations())
def test_matrix_to_quaternion_and_back(R):
    q = quaternion_from_matrix(R)
    assert q[0] >= 0
    assert_allclose(np.linalg.norm(q), 1.0, atol=1e-14)
    assert_allclose(quaternion_matrix(q), R, atol=1e-14)


@given(shape=st.sampled_from([(), (1,), (4,), (2, 3)]), seed=st.integers(0, 99))
def test_batches_of_any_shape_keep_it(shape, seed):
    v = np.random.default_rng(seed).normal(size=(*shape, 3))
    R = rotation_exponential(v)
    assert R.shape == (*shape, 3, 3)
    assert quaternion_from_matrix(R).shape == (*shape, 4)
    assert rotation_logarithm(R).shape == (*shape, 3)
    assert quaternion_matrix(quaternion_from_matrix(R)).shape == (*shape, 3, 3)
    assert np.shape(rotation_between(R, R)) == shape


def test_an_empty_batch_stays_empty():
    assert quaternion_from_matrix(np.zeros((0, 3, 3))).shape == (0, 4)


@given(v=rotation_vectors())
def test_the_exponential_is_the_matrix_exponential(v):
    assert_allclose(rotation_exponential(v), expm(skew(v)), atol=1e-13)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("axis", AXES)
def test_rotation_vectors_come_back_at_every_angle(axis, angle):
    v = unit(axis) * angle
    R = rotation_exponential(v)
    assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    back = rotation_logarithm(R)
    assert np.all(np.isfinite(back))
    if angle < 1.0:
        assert_allclose(back, v, rtol=1e-9, atol=1e-300)
    elif angle < np.pi:
        assert_allclose(back, v, atol=2e-8)
    else:
        assert_allclose(back, np.sign(back @ v) * v, atol=2e-8)


@pytest.mark.parametrize("angle", ANGLES)
def test_the_angle_between_attitudes_is_exact_for_small_angles_too(angle):
    R = Rotation.from_rotvec([0.3, 0.2, -1.0]).as_matrix()
    S = R @ rotation_exponential(np.array([0.0, 0.0, angle]))
    assert_allclose(rotation_between(R, S), angle, rtol=1e-8, atol=1e-15 if angle < 3 else 1e-7)


@given(q=vectors(4).filter(lambda q: np.linalg.norm(q) > 0.1), w=vectors())
def test_the_rate_of_a_quaternion_turns_the_matrix_with_the_body(q, w):
    q = unit(q)
    path = lambda t: quaternion_matrix(q + t * quaternion_rate(q, w))  # noqa: E731
    R_dot = first_derivative(path, 0.0, 1e-3)
    assert_allclose(R_dot, quaternion_matrix(q) @ skew(w), atol=1e-9)
    assert abs(q @ quaternion_rate(q, w)) < 1e-14  # the length stays


@given(v=vectors(3, 1.2), w=vectors())
def test_symbolic_quaternions_agree_with_numbers(v, w):
    R = Rotation.from_rotvec(v).as_matrix()
    S, omega, q = casadi.SX.sym("R", 3, 3), casadi.SX.sym("w", 3), casadi.SX.sym("q", 4)
    f = casadi.Function("f", [S, omega, q], [quaternion_of(S), quaternion_matrix(q), quaternion_rate(q, omega)])
    number = quaternion_from_matrix(R)
    symbol, matrix, rate = (np.squeeze(np.array(x)) for x in f(R, w, number))
    assert_allclose(symbol, number, atol=1e-14)
    assert_allclose(matrix, R, atol=1e-14)
    assert_allclose(rate, quaternion_rate(number, w), atol=1e-14)


@given(R=rotations(), angle=numbers(0.0, 3.0))
def test_the_angle_between_attitudes_is_that_of_scipy(R, angle):
    S = R @ Rotation.from_rotvec(angle * unit((1, 2, -2))).as_matrix()
    assert_allclose(rotation_between(R, S), angle, atol=1e-13, rtol=1e-10)


def test_of_a_half_turn_the_first_component_that_is_not_zero_is_positive():
    for q in ([0.0, 0.6, -0.8, 0.0], [0.0, 0.0, 0.28, -0.96], [0.0, 1.0, 0.0, 0.0]):
        R = quaternion_matrix(-np.array(q))
        assert_allclose(quaternion_from_matrix(R), q, atol=1e-15)
