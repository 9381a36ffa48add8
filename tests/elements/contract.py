"""The contract of a joint: its motion, its constraint and its measurement describe one and the same thing.

Written as functions that raise AssertionError, so that wrong joints can be seen to fail them.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.elements.frame import Frame
from poinsot.elements.joints import JOINTS, Joint
from poinsot.spatial.pose import Pose
from tests.strategies import numbers, vectors

STEP = 1e-6
OPTIONS = {"helical": {"lead": 0.05}, "distance": {"length": 0.7}}
NORMAL_IS_X = ("prismatic", "point-on-line")  # in the plane their z axis lies in it, x is the normal


def make(kind: str, a: Frame | None = None, b: Frame | None = None, **options) -> Joint:
    """A joint of some kind between bodies A and B."""
    options = {**OPTIONS.get(kind, {}), **options}
    return JOINTS[kind]("J", a or Frame("A", ""), b or Frame("B", ""), **options)


def is_quaternion(joint: Joint) -> np.ndarray:
    """Which coordinates of a joint are those of a quaternion."""
    return np.array([c.unit == "-" for c in joint.coordinates], bool)


@st.composite
def coordinates(draw, joint: Joint) -> np.ndarray:
    """Random coordinates: angles within (−π, π), unit quaternions."""
    q = np.array([draw(numbers(-3.0, 3.0)) for _ in joint.coordinates])
    four = is_quaternion(joint)
    if four.any():
        wxyz = draw(vectors(4).filter(lambda v: np.linalg.norm(v) > 0.1))
        q[four] = wxyz / np.linalg.norm(wxyz)
    return q


def residual_jacobian(joint: Joint, X: Pose) -> np.ndarray:
    """∂Φ/∂ξ for X (1 + [ξ]), by central differences with SciPy's exponential."""
    columns = []
    for k in range(6):
        xi = np.zeros(6)
        xi[k] = STEP
        steps = (Pose(Rotation.from_rotvec(s * xi[3:]).as_matrix(), s * xi[:3]) for s in (1, -1))
        both = [np.asarray(joint.residual(X @ step)) for step in steps]
        columns.append((both[0] - both[1]) / (2 * STEP))
    return np.stack(columns, axis=-1).reshape(len(joint.rows), 6)


def motion_tangent(joint: Joint, q: np.ndarray) -> np.ndarray:
    """Twists ξ in the axes of M that the coordinates make, by central differences."""
    X, columns = joint.motion(q), []
    for k in range(len(q)):
        forth, back = (joint.motion(q + s * STEP * np.eye(len(q))[k]) for s in (1, -1))
        S = X.R.T @ (np.asarray(forth.R) - back.R) / (2 * STEP)
        turn = [S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]
        columns.append(np.concatenate([X.R.T @ ((forth.p - back.p) / (2 * STEP)), np.array(turn) / 2]))
    return np.stack(columns, axis=-1) if columns else np.zeros((6, 0))


def rank(M: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(M, tol=1e-6)) if M.size else 0


def motion_satisfies_the_constraint(joint: Joint, q: np.ndarray) -> None:
    residual = np.asarray(joint.residual(joint.motion(q)))
    assert residual.shape == (len(joint.rows),)
    assert_allclose(residual, 0.0, atol=1e-13)


def measurement_gives_the_coordinates_back(joint: Joint, q: np.ndarray) -> None:
    measured, four = np.asarray(joint.measure(joint.motion(q))), is_quaternion(joint)
    assert measured.shape == q.shape
    assert_allclose(measured[~four], q[~four], atol=1e-12)
    if four.any():
        assert_allclose(measured[four] * np.sign(measured[four] @ q[four]), q[four], atol=1e-13)


def rows_are_independent_and_leave_exactly_the_motion(joint: Joint, q: np.ndarray) -> None:
    J, T = residual_jacobian(joint, joint.motion(q)), motion_tangent(joint, q)
    assert rank(J) == len(joint.rows)
    assert rank(T) == joint.freedom == 6 - len(joint.rows)
    if J.size and T.size:
        assert_allclose(J @ T, 0.0, atol=1e-7)


def planar_pose(joint: Joint, x: float, y: float, angle: float) -> Pose:
    """Any relative pose of a planar mechanism."""
    if joint.kind in NORMAL_IS_X:
        return Pose(Rotation.from_euler("X", angle).as_matrix(), np.array([0.0, x, y]))
    return Pose(Rotation.from_euler("Z", angle).as_matrix(), np.array([x, y, 0.0]))


def rows_out_of_the_plane_vanish_in_it(joint: Joint, x: float, y: float, angle: float) -> None:
    residual = np.asarray(joint.residual(planar_pose(joint, x, y, angle)))
    others = [i for i in range(len(joint.rows)) if i not in joint.in_plane]
    assert_allclose(residual[others], 0.0, atol=1e-15)


def rows_in_the_plane_are_independent_in_it(joint: Joint) -> None:
    pose = Pose(np.eye(3), np.array([0.7, 0.0, 0.0]) if joint.kind == "distance" else np.zeros(3))
    twists = [1, 2, 3] if joint.kind in NORMAL_IS_X else [0, 1, 5]
    J = residual_jacobian(joint, pose)
    assert rank(J[np.ix_(joint.in_plane, twists)]) == len(joint.in_plane)
    others = [i for i in range(len(joint.rows)) if i not in joint.in_plane]
    assert rank(J[np.ix_(others, twists)]) == 0


OF_A_CARRYING_JOINT = (
    motion_satisfies_the_constraint,
    measurement_gives_the_coordinates_back,
    rows_are_independent_and_leave_exactly_the_motion,
)
