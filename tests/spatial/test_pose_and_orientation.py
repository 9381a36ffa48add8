"""Poses and the ways in which an attitude is written down."""

import casadi
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.spatial import algebra
from poinsot.spatial.orientation import Angles, Quaternion, along
from poinsot.spatial.pose import Pose, Unrotated
from tests.strategies import numbers, poses, rotations, vectors

directions = vectors(3, 3.0).filter(lambda v: np.linalg.norm(v) > 1e-2)


def homogeneous(X: Pose) -> np.ndarray:
    return np.block([[X.R, X.p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


@given(a=poses(), b=poses(), point=vectors())
def test_poses_compose_invert_and_move_points_like_homogeneous_matrices(a, b, point):
    A, B = homogeneous(a), homogeneous(b)
    assert_allclose(homogeneous(a @ b), A @ B, atol=1e-14)
    assert_allclose(homogeneous(a.inverse()), np.linalg.inv(A), atol=1e-13)
    assert_allclose(a.point(point), (A @ [*point, 1.0])[:3], atol=1e-14)
    assert_allclose(homogeneous(Pose.identity()), np.eye(4))


@given(d=directions, axis=st.sampled_from("xyz"))
def test_the_chosen_axis_points_along_the_direction(d, axis):
    R = along(d, d, axis).matrix()
    assert_allclose(R[:, "xyz".index(axis)], d / np.linalg.norm(d), atol=1e-14)
    assert_allclose(R.T @ R, np.eye(3), atol=1e-13)
    assert_allclose(np.linalg.det(R), 1.0, atol=1e-13)


@given(d=directions, hint=directions, axis=st.sampled_from("xyz"))
def test_the_hint_lies_in_the_plane_of_the_axis_and_the_next_one(d, hint, axis):
    if np.linalg.norm(np.cross(d, hint)) < 1e-2:
        return
    R = along(d, d, axis, hint).matrix()
    first = "xyz".index(axis)
    following, last = R[:, (first + 1) % 3], R[:, (first + 2) % 3]
    assert following @ hint > 0
    assert_allclose(last @ hint, 0.0, atol=1e-12)


@given(R=rotations())
def test_angles_and_quaternions_describe_the_attitude_that_scipy_means(R):
    rotation = Rotation.from_matrix(R)
    x, y, z, w = rotation.as_quat()
    assert_allclose(Quaternion((w, x, y, z)).matrix(), R, atol=1e-14)
    vector = rotation.as_euler("xyz") if abs(R[2, 0]) < 0.99 else np.zeros(3)
    assert_allclose(Angles("xyz", tuple(vector)).matrix(), Rotation.from_euler("xyz", vector).as_matrix(), atol=1e-14)
    assert_allclose(Unrotated().matrix(), np.eye(3))


def test_roll_pitch_yaw_turn_about_the_fixed_axes_in_that_order():
    r, p, y = 0.3, -0.5, 1.1
    c, s = np.cos, np.sin
    Rx = np.array([[1, 0, 0], [0, c(r), -s(r)], [0, s(r), c(r)]])
    Ry = np.array([[c(p), 0, s(p)], [0, 1, 0], [-s(p), 0, c(p)]])
    Rz = np.array([[c(y), -s(y), 0], [s(y), c(y), 0], [0, 0, 1]])
    assert_allclose(Angles("xyz", (r, p, y)).matrix(), Rz @ Ry @ Rx, atol=1e-15)
    assert_allclose(Angles("XYZ", (r, p, y)).matrix(), Rx @ Ry @ Rz, atol=1e-15)


@given(d=directions, v=vectors(), angle=numbers(-3, 3))
def test_symbolic_poses_and_attitudes_agree_with_numbers(d, v, angle):
    s = casadi.SX.sym("s", 7)
    hint = along(d, d).hint
    symbolic = Pose(along((s[0], s[1], s[2]), d, "z", hint).matrix(), s[3:6])
    symbolic = symbolic @ Pose(Angles("ZXY", (s[6], 0.2, -0.1)).matrix(), s[:3]).inverse()
    number = Pose(along(d, d).matrix(), v) @ Pose(Angles("ZXY", (angle, 0.2, -0.1)).matrix(), d).inverse()
    R, p = casadi.Function("X", [s], [symbolic.R, symbolic.p])(np.concatenate([d, v, [angle]]))
    assert_allclose(np.array(R), number.R, atol=1e-13)
    assert_allclose(np.squeeze(np.array(p)), number.p, atol=1e-12)


@given(a=vectors(), b=vectors())
def test_the_algebra_of_vectors_is_that_of_numpy_for_numbers_and_symbols(a, b):
    x, y = casadi.SX.sym("x", 3), casadi.SX.sym("y", 3)
    outputs = [algebra.cross(x, y), algebra.dot(x, y), algebra.norm(x), algebra.skew(x) @ y]
    symbolic = casadi.Function("f", [x, y], [*outputs, algebra.unskew(algebra.skew(x))])(a, b)
    expected = [np.cross(a, b), a @ b, np.linalg.norm(a), np.cross(a, b), a]
    numeric = [algebra.cross(a, b), algebra.dot(a, b), algebra.norm(a), algebra.skew(a) @ b]
    numeric.append(algebra.unskew(algebra.skew(a)))
    for one, other, third in zip(symbolic, numeric, expected):
        assert_allclose(np.squeeze(np.array(one)), third, atol=1e-14)
        assert_allclose(other, third, atol=1e-14)


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "abs", "sign"])
def test_functions_are_the_same_for_numbers_and_symbols(name):
    x = casadi.SX.sym("x")
    f = casadi.Function("f", [x], [algebra.function(name, x)])
    assert_allclose(float(f(0.37)), float(algebra.function(name, 0.37)), rtol=1e-15)


def test_a_batch_of_three_is_no_matrix_of_vectors():
    a, b = np.random.default_rng(0).normal(size=(2, 3, 3))
    assert_allclose(algebra.cross(a, b), np.cross(a, b), atol=1e-15)
    assert_allclose(algebra.cross(a, b[0]), np.cross(a, b[0]), atol=1e-15)
    assert_allclose(algebra.transpose(np.stack([a, b]))[1], b.T)


def test_only_the_number_zero_is_zero():
    assert algebra.is_zero(0.0) and algebra.is_zero(np.zeros(2)) and not algebra.is_zero(casadi.SX.sym("x"))
    assert not algebra.is_zero(1.0) and not algebra.is_zero([0.0, 2.0])
