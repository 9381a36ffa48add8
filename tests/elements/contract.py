"""The contract of a joint: its motion, velocity, constraint and measurement describe one and the same thing.

Written as functions that raise AssertionError, so that wrong joints can be seen to fail them.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import reduce

import casadi
import numpy as np
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.elements.frame import Frame
from poinsot.elements.joints import JOINTS, Joint
from poinsot.elements.joints.steps import FRAME, HINGE, OPEN, POINT
from poinsot.errors import PoinsotError
from poinsot.model.assembly.constraints import Row
from poinsot.spatial.pose import Pose
from tests.strategies import first_derivative, numbers, vectors

STEP = 1e-6
NUMBERS = {"m/rad": 0.05, "m": 0.7}  # for the options of joints, by their units


def make(kind: str, a: Frame | None = None, b: Frame | None = None, **options) -> Joint:
    """A joint of some kind between bodies A and B."""
    law = JOINTS[kind]
    options = {**{name: NUMBERS[option.unit] for name, option in law.options.items()}, **options}
    return law("J", a or Frame("A", ""), b or Frame("B", ""), **options)


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


@st.composite
def states(draw, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """Random coordinates and speeds, as many as the joint has freedoms."""
    return draw(coordinates(joint)), draw(vectors(joint.freedom))


def special(joint: Joint) -> list[np.ndarray]:
    """Coordinates where laws are easily wrong: zero, quarter and nearly half turns; quaternions of half turns."""
    four, n = is_quaternion(joint), len(joint.coordinates)
    values = (0.0, 1e-9, -1e-9, np.pi / 2, -np.pi / 2, 3.0, -3.0)
    found = [np.full(n, value) for value in values] + [value * np.eye(n)[i] for i in range(n) for value in values]
    turns = [*np.eye(4), *-np.eye(4), np.full(4, 0.5), np.array([1e-9, 0.6, 0.0, -0.8])]
    for k, q in enumerate(found):
        q[four] = turns[k % len(turns)][: four.sum()]
    return found


def speeds(joint: Joint) -> np.ndarray:
    """Speeds that no two freedoms have in common."""
    return np.array([0.7, -1.1, 0.4, 1.3, -0.6, 0.9])[: joint.freedom]


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


def body_twist(X: Pose, X_dot: Pose) -> np.ndarray:
    """Velocity of the origin and angular velocity, in the axes of the moving frame, from Ẋ."""
    S = np.asarray(X.R).T @ X_dot.R
    assert_allclose(S, -S.T, atol=1e-9)  # a rotation matrix stays one
    return np.concatenate([np.asarray(X.R).T @ X_dot.p, [S[2, 1], S[0, 2], S[1, 0]]])


def twist(joint: Joint, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in joint.twist(q, v)])


def twist_is_the_derivative_of_the_motion(joint: Joint, q: np.ndarray, v: np.ndarray) -> None:
    """By differences of eighth order along q + t q̇, which know nothing of automatic differentiation."""
    q_dot = np.asarray(joint.rates(q, v), float)
    assert q_dot.shape == q.shape
    R_dot = first_derivative(lambda t: np.asarray(joint.motion(q + t * q_dot).R), 0.0)
    p_dot = first_derivative(lambda t: np.asarray(joint.motion(q + t * q_dot).p, float), 0.0)
    assert_allclose(twist(joint, q, v), body_twist(joint.motion(q), Pose(R_dot, p_dot)), atol=1e-9)


def twist_is_the_symbolic_derivative_of_the_motion(joint: Joint, q: np.ndarray, v: np.ndarray) -> None:
    """By automatic differentiation, which formulations use: ∂X/∂q q̇ with rates and twist of symbols."""
    s, w = casadi.SX.sym("q", len(q)), casadi.SX.sym("v", len(v))
    X, rates = joint.motion(s), casadi.SX(joint.rates(s, w))
    flat = casadi.vertcat(casadi.reshape(casadi.SX(X.R), 9, 1), casadi.SX(X.p))
    outputs = [casadi.jtimes(flat, s, rates), *(casadi.SX(part) for part in joint.twist(s, w))]
    X_dot, speed, turn = (np.array(x) for x in casadi.Function("f", [s, w], outputs)(q, v))
    across = Pose(X_dot[:9].reshape(3, 3).T, X_dot[9:].ravel())
    symbolic = np.concatenate([speed.ravel(), turn.ravel()])
    assert_allclose(symbolic, body_twist(joint.motion(q), across), atol=1e-12)
    assert_allclose(twist(joint, q, v), symbolic, atol=1e-13)


def rates_are_the_derivative_of_the_measurement(joint: Joint, q: np.ndarray, v: np.ndarray) -> None:
    """An encoder on a body that moves with the twist reads q̇."""
    X, V, four = joint.motion(q), twist(joint, q, v), is_quaternion(joint)

    def measured(t: float) -> np.ndarray:
        step = Pose(Rotation.from_rotvec(t * V[3:]).as_matrix(), t * V[:3])
        read = np.array(joint.measure(X @ step), float)
        read[four] *= np.sign(read[four] @ q[four]) if four.any() else 1.0  # both signs are one attitude
        return read

    assert_allclose(first_derivative(measured, 0.0, 2e-3), np.asarray(joint.rates(q, v), float), atol=1e-8)


def speeds_are_free_and_the_rows_resist_none(joint: Joint, q: np.ndarray, v: np.ndarray) -> None:
    T = np.stack([twist(joint, q, e) for e in np.eye(joint.freedom)], axis=-1) if joint.freedom else np.zeros((6, 0))
    assert rank(T) == joint.freedom
    assert_allclose(twist(joint, q, v), T @ v, atol=1e-12)  # linear in the speeds
    assert_allclose(residual_jacobian(joint, joint.motion(q)) @ T, 0.0, atol=1e-7)


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


def rows_are_lengths_and_sines_of_full_size(joint: Joint, q: np.ndarray) -> None:
    """A row changes by a metre a metre, or as the sine of the angle by which the joint is off."""
    J = residual_jacobian(joint, joint.motion(q))
    of_turns = np.array([not Row("J", label).is_length for label in joint.rows], bool)
    assert_allclose(np.linalg.norm(J[of_turns][:, 3:], axis=1), 1.0, atol=1e-7)
    assert_allclose(np.linalg.norm(J[~of_turns][:, :3], axis=1), 1.0, atol=1e-7)


def planar_pose(joint: Joint, x: float, y: float, angle: float) -> Pose:
    """Any relative pose of a planar mechanism; where the joint's z axis lies in the plane, x is the normal."""
    if joint.axis_in_plane:
        return Pose(Rotation.from_euler("X", angle).as_matrix(), np.array([0.0, x, y]))
    return Pose(Rotation.from_euler("Z", angle).as_matrix(), np.array([x, y, 0.0]))


def rows_out_of_the_plane_vanish_in_it(joint: Joint, x: float, y: float, angle: float) -> None:
    residual = np.asarray(joint.residual(planar_pose(joint, x, y, angle)))
    others = [i for i in range(len(joint.rows)) if i not in joint.in_plane]
    assert_allclose(residual[others], 0.0, atol=1e-15)


def rows_in_the_plane_are_independent_in_it(joint: Joint) -> None:
    pose = Pose(np.eye(3), np.zeros(3) if joint.carries else np.array([0.7, 0.0, 0.0]))
    twists = [1, 2, 3] if joint.axis_in_plane else [0, 1, 5]
    J = residual_jacobian(joint, pose)
    assert rank(J[np.ix_(joint.in_plane, twists)]) == len(joint.in_plane)
    others = [i for i in range(len(joint.rows)) if i not in joint.in_plane]
    assert rank(J[np.ix_(others, twists)]) == 0


def point_rows_hold_the_points_together(joint: Joint, X: Pose) -> None:
    """Rows said to be those of a point are p_FM; where none are said to be, none are."""
    residual, moved = (np.asarray(joint.residual(x), float) for x in (X, Pose(X.R, X.p + np.array([0.3, 0.5, 0.7]))))
    assert_allclose(residual[list(joint.point_rows)], np.asarray(X.p)[: len(joint.point_rows)], atol=0)
    held = [any(np.isclose(moved - residual, step, rtol=1e-9)) for step in (0.3, 0.5, 0.7)]
    assert bool(joint.point_rows) == all(held)


def lengths(joint: Joint) -> tuple[str, ...]:
    """Fields of a joint that are lengths or lengths per radian."""
    return tuple(name for name, option in joint.options.items() if option.unit in ("m", "m/rad"))


def rows_have_the_units_that_their_names_say(joint: Joint, X: Pose) -> None:
    """In a machine twice as large rows in metres are twice as large, sines are what they were."""
    twice = replace(joint, **{name: 2 * getattr(joint, name) for name in lengths(joint)})
    small, large = (np.asarray(j.residual(x), float) for j, x in ((joint, X), (twice, Pose(X.R, 2 * X.p))))
    factors = np.array([2.0 if Row("J", label).is_length else 1.0 for label in joint.rows])
    assert_allclose(large, factors * small, atol=1e-13)


def turns_beyond_half_a_turn_are_the_same_joint(joint: Joint, q: np.ndarray) -> None:
    """Whole turns added to any angle: still assembled, moving alike, read to the turn or up to turns."""
    angles = [i for i, c in enumerate(joint.coordinates) if c.unit == "rad"]
    for i, turns in itertools.product(angles, (-3, 1, 7)):
        far = q + 2 * np.pi * turns * np.eye(len(q))[i]
        assert_allclose(np.asarray(joint.residual(joint.motion(far))), 0.0, atol=1e-12)
        assert_allclose(joint.motion(far).R, joint.motion(q).R, atol=1e-13)
        read = np.asarray(joint.measure(joint.motion(far)), float) - far
        assert_allclose(read, 2 * np.pi * np.round(read / (2 * np.pi)), atol=1e-11)
        twist_is_the_derivative_of_the_motion(joint, far, speeds(joint))


def exports_are_its_motion_or_refused_by_name(joint: Joint, q: np.ndarray) -> None:
    """The product of the elementary motions is X_FM, and a cut shares with body B what it says."""
    X = joint.motion(q)
    for whole in (True, False):
        try:
            steps = joint.steps(X, False, whole)
        except PoinsotError as refusal:
            assert joint.name in str(refusal) and joint.kind in str(refusal)
            return
        assert same(product(steps, X), X)
        way = joint.closing(False)
        carried = product(steps[: way.carried], X)
        assert way.form in (OPEN, FRAME, HINGE, POINT)
        assert way.form == OPEN or np.allclose(carried.p, X.p, atol=1e-12)
        assert way.form != FRAME or same(carried, X)
        assert way.form != HINGE or np.allclose(carried.R[:, 2], X.R[:, 2], atol=1e-12)
        follows = [k for k, step in enumerate(steps) if step.lead is not None]
        assert all(np.isclose(steps[k].value, steps[k].lead * steps[k - 1].value) for k in follows)


def product(steps: list, X: Pose) -> Pose:
    """The steps one after another; a ball turns by what is left of X."""
    return reduce(lambda reached, step: reached @ step.pose(reached.R.T @ X.R), steps, Pose.identity())


def same(X: Pose, Y: Pose) -> bool:
    return np.allclose(X.R, Y.R, atol=1e-12) and np.allclose(X.p, Y.p, atol=1e-12)


def in_the_plane_what_carries_is_the_joint(joint: Joint) -> None:
    """A joint of the plane is carried by a law that satisfies its rows there, with the freedoms that they leave."""
    law = joint.carrier(True)
    if joint.in_plane is None or law is None:
        return
    n = len(law.coordinates)
    for q in (np.zeros(n), np.linspace(0.3, 0.9, n)):
        assert_allclose(np.asarray(joint.residual(law.motion(q))), 0.0, atol=1e-13)
        steps = joint.steps(law.motion(q), True, True)
        assert same(product(steps, law.motion(q)), law.motion(q)) and len(steps) == n == 3 - len(joint.in_plane)


WITH_SPEEDS = (
    twist_is_the_derivative_of_the_motion,
    twist_is_the_symbolic_derivative_of_the_motion,
    rates_are_the_derivative_of_the_measurement,
    speeds_are_free_and_the_rows_resist_none,
)
AT_ANY_POSE = (point_rows_hold_the_points_together, rows_have_the_units_that_their_names_say)
OF_A_CARRYING_JOINT = (
    motion_satisfies_the_constraint,
    measurement_gives_the_coordinates_back,
    rows_are_independent_and_leave_exactly_the_motion,
    rows_are_lengths_and_sines_of_full_size,
    turns_beyond_half_a_turn_are_the_same_joint,
    exports_are_its_motion_or_refused_by_name,
)
