"""Every joint of the registry keeps the contract; wrong joints are seen to break it."""

from functools import partial

import casadi
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.elements.frame import Frame
from poinsot.elements.joints import (
    JOINTS,
    AxisJoint,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Planar,
    PointOnLine,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from poinsot.errors import PoinsotError
from poinsot.spatial.algebra import vector
from poinsot.spatial.orientation import along
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation
from tests.elements import contract
from tests.strategies import frames, numbers, poses, vectors

CARRYING = [kind for kind, law in JOINTS.items() if law.carries]
DIRECTIONS = vectors(3, 3.0).filter(lambda v: np.linalg.norm(v) > 0.1)
PLANAR = [kind for kind, law in JOINTS.items() if law.in_plane is not None]


@pytest.mark.parametrize("demand", contract.OF_A_CARRYING_JOINT, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", CARRYING)
@given(data=st.data())
def test_every_joint_keeps_the_contract(kind, demand, data):
    joint = contract.make(kind)
    demand(joint, data.draw(contract.coordinates(joint)))


@pytest.mark.parametrize("demand", contract.WITH_SPEEDS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", CARRYING)
@settings(max_examples=20)
@given(data=st.data())
def test_every_joint_keeps_the_contract_of_its_speeds(kind, demand, data):
    joint = contract.make(kind)
    demand(joint, *data.draw(contract.states(joint)))


@pytest.mark.parametrize("kind", CARRYING)
def test_every_joint_keeps_the_contract_at_special_coordinates(kind):
    joint = contract.make(kind)
    for q in contract.special(joint):
        for demand in contract.OF_A_CARRYING_JOINT:
            demand(joint, q)
        for demand in contract.WITH_SPEEDS:
            demand(joint, q, contract.speeds(joint))
        assert_allclose(contract.twist(joint, q, 0 * contract.speeds(joint)), 0.0, atol=0)


@pytest.mark.parametrize("demand", contract.AT_ANY_POSE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", JOINTS)
@given(X=poses())
def test_rows_are_what_their_names_say(kind, demand, X):
    demand(contract.make(kind), X)


@pytest.mark.parametrize("kind", JOINTS)
def test_every_row_and_coordinate_has_its_own_name(kind):
    law = JOINTS[kind]
    assert len(set(law.rows)) == len(law.rows)
    assert len({c.name for c in law.coordinates}) == len(law.coordinates)
    assert {c.unit for c in law.coordinates} <= {"m", "rad", "-"}
    assert law.kind == kind and set(law.in_plane or ()) <= set(range(len(law.rows)))


@pytest.mark.parametrize("kind", PLANAR)
@given(x=numbers(-2, 2), y=numbers(-2, 2), angle=numbers(-3, 3))
def test_rows_that_leave_the_plane_vanish_in_it(kind, x, y, angle):
    contract.rows_out_of_the_plane_vanish_in_it(contract.make(kind), x, y, angle)


@pytest.mark.parametrize("kind", PLANAR)
def test_rows_that_remain_in_the_plane_are_independent_in_it(kind):
    contract.rows_in_the_plane_are_independent_in_it(contract.make(kind))


@pytest.mark.parametrize("kind", PLANAR)
def test_in_the_plane_what_carries_is_the_joint(kind):
    contract.in_the_plane_what_carries_is_the_joint(contract.make(kind))


@pytest.mark.parametrize("kind", sorted(set(JOINTS) - set(PLANAR)))
def test_joints_that_are_not_for_the_plane_move_out_of_it(kind):
    joint = contract.make(kind)
    T = contract.motion_tangent(joint, np.zeros(len(joint.coordinates)))
    assert max(contract.rank(T[rows]) for rows in ([2, 3, 4], [0, 4, 5])) > 0


@pytest.mark.parametrize("kind", CARRYING)
@given(data=st.data())
def test_relative_undoes_the_frames_of_both_bodies(kind, data):
    joint = contract.make(kind, data.draw(frames("A")), data.draw(frames("B")))
    q, X_WA = data.draw(contract.coordinates(joint)), data.draw(poses())
    X_FM = joint.motion(q)
    X_WB = X_WA @ joint.frame_on_a() @ X_FM @ joint.frame_on_b().inverse()
    across = joint.relative(X_WA, X_WB)
    assert_allclose(across.R, X_FM.R, atol=1e-13)
    assert_allclose(across.p, X_FM.p, atol=1e-12)
    assert_allclose(np.asarray(joint.residual(across)), 0.0, atol=1e-11)


@given(d=DIRECTIONS, a=frames("A"), b=frames("B"), X_WA=poses(), q=numbers(-3, 3))
def test_axis_joints_turn_about_and_slide_along_the_axis_given_in_the_users_frame(d, a, b, X_WA, q):
    unit = d / np.linalg.norm(d)
    turned = Pose(Rotation.from_rotvec(q * unit).as_matrix(), np.zeros(3))
    slid = Pose(np.eye(3), q * unit)
    expected = {"revolute": (turned, [q]), "prismatic": (slid, [q]), "cylindrical": (slid @ turned, [q, q])}
    expected["helical"] = (Pose(np.eye(3), 0.05 * q * unit) @ turned, [q])
    for kind, (X_ab, coordinates) in expected.items():
        joint = contract.make(kind, a, b, axis=along(tuple(d), d))
        X_WB = X_WA @ a.pose() @ X_ab @ b.pose().inverse()
        across = joint.relative(X_WA, X_WB)
        assert_allclose(np.asarray(joint.residual(across)), 0.0, atol=1e-10)
        assert_allclose(joint.measure(across), coordinates, atol=1e-10)


@given(q1=numbers(-3, 3), q2=numbers(-3, 3))
def test_a_universal_joint_turns_about_the_first_arm_in_a_and_then_the_second_in_b(q1, q2):
    first, second = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    arms = {"axis": along(tuple(first), first, "x"), "axis2": along(tuple(second), second, "y")}
    joint = contract.make("universal", **arms)
    home = joint.frame_on_a() @ joint.frame_on_b().inverse()  # attitude of B in A at zero
    R = Rotation.from_rotvec(q1 * first).as_matrix() @ home.R @ Rotation.from_rotvec(q2 * second).as_matrix()
    across = joint.relative(Pose.identity(), Pose(R, np.zeros(3)))
    assert_allclose(np.asarray(joint.residual(across)), 0.0, atol=1e-13)
    assert_allclose(joint.measure(across), [q1, q2], atol=1e-12)


@pytest.mark.parametrize("kind", CARRYING)
def test_symbols_and_numbers_agree(kind):
    joint = contract.make(kind)
    n = len(joint.coordinates)
    q, R, p = casadi.SX.sym("q", n), casadi.SX.sym("R", 3, 3), casadi.SX.sym("p", 3)
    moved, X = joint.motion(q), Pose(R, p)
    outputs = (moved.R, moved.p, joint.residual(X), joint.measure(X))
    f = casadi.Function("f", [q, R, p], [casadi.SX(x) for x in outputs])
    rng = np.random.default_rng(2)
    for _ in range(5):
        value = rng.uniform(-1, 1, n)
        four = contract.is_quaternion(joint)
        value[four] = np.array([0.9, 0.2, -0.3, 0.2])[: four.sum()] / np.linalg.norm([0.9, 0.2, -0.3, 0.2])
        number = joint.motion(value)
        elsewhere = Pose(number.R, number.p + rng.normal(size=3))
        R_, p_, residual, measured = (np.array(x) for x in f(value, elsewhere.R, elsewhere.p))
        assert_allclose(R_, number.R, atol=1e-14)
        assert_allclose(p_.ravel(), number.p, atol=1e-14)
        assert_allclose(residual.ravel(), np.asarray(joint.residual(elsewhere)), atol=1e-12)
        assert_allclose(measured.ravel(), np.asarray(joint.measure(elsewhere)), atol=1e-12)


@given(direction=vectors().filter(lambda v: np.linalg.norm(v) > 0.1), R=st.integers(0, 9))
def test_a_distance_is_zero_at_its_length_and_its_row_is_the_stretch(direction, R):
    joint, unit = contract.make("distance"), direction / np.linalg.norm(direction)
    X = Pose(Rotation.random(random_state=R).as_matrix(), 0.7 * unit)
    assert_allclose(joint.residual(X), [0.0], atol=1e-15)
    J = contract.residual_jacobian(joint, X)
    assert_allclose(J[0], [*(X.R.T @ unit), 0, 0, 0], atol=1e-8)  # ∂Φ/∂p is the unit vector: Φ is a length


def test_a_distance_neither_carries_nor_measures():
    joint = contract.make("distance")
    with pytest.raises(PoinsotError, match="only closes loops"):
        joint.motion(np.zeros(0))
    with pytest.raises(PoinsotError, match="has no coordinates"):
        joint.measure(Pose.identity())


@pytest.mark.parametrize("turns", [-7.3, -1.0, 2.5, 40.0])
def test_a_screw_counts_its_turns(turns):
    joint, angle = contract.make("helical"), 2 * np.pi * turns
    assert_allclose(joint.measure(joint.motion(np.array([angle]))), [angle], rtol=1e-12)
    assert_allclose(joint.motion(np.array([angle])).p[2], 0.05 * angle)


def test_a_screw_that_is_not_quite_assembled_reads_the_angle_of_its_attitude():
    joint = contract.make("helical")
    for angle, off in ((7.3, 0.2), (-11.0, -0.4), (0.3, 1.0)):
        X = Pose(Rotation.from_euler("Z", angle).as_matrix(), np.array([0.0, 0.0, 0.05 * (angle + off)]))
        assert_allclose(joint.measure(X), [angle], rtol=1e-12)


def test_an_unknown_coordinate_is_an_error_that_lists_those_that_exist():
    with pytest.raises(PoinsotError, match=r"cylindrical joint 'J': there is no coordinate 'angel'.*'angle'"):
        contract.make("cylindrical").coordinate("angel")


class BackwardsHinge(Revolute):
    def motion(self, q):
        return Pose(axis_rotation("Z", -q[0]), np.zeros(3))


class LooseHinge(Revolute):
    rows = Revolute.rows[:4]

    def residual(self, X_FM):
        return super().residual(X_FM)[:4]


class DoubledRow(Revolute):
    def residual(self, X_FM):
        return vector(X_FM.p[0], X_FM.p[1], X_FM.p[2], X_FM.R[0, 2], X_FM.R[0, 2])


class WrongEntry(Universal):
    def residual(self, X_FM):
        return vector(X_FM.p[0], X_FM.p[1], X_FM.p[2], X_FM.R[1, 0])


class LeftHandedScrew(Helical):
    def motion(self, q):
        return Pose(axis_rotation("Z", q[0]), vector(0 * q[0], 0 * q[0], -self.lead * q[0]))


class SidewaysSlide(Cylindrical):
    def motion(self, q):
        return Pose(axis_rotation("Z", q[1]), vector(q[0], 0 * q[0], 0 * q[0]))


class ConjugateBall(Spherical):
    def measure(self, X_FM):
        return super().measure(X_FM) * np.array([1, -1, -1, -1])


class HalfWeld(Fixed):
    rows = Fixed.rows[:5]

    def residual(self, X_FM):
        return super().residual(X_FM)[:5]


class TiltingPuck(Planar):
    def residual(self, X_FM):
        return vector(X_FM.p[2], X_FM.R[0, 2], X_FM.R[0, 1])


class UnturnedPointOnLine(PointOnLine):
    def twist(self, q, v):
        return vector(0 * v[0], 0 * v[0], v[0]), v[1:]


class BackwardsPointOnLine(PointOnLine):
    def rates(self, q, v):
        return super().rates(q, vector(-v[0], *(v[i] for i in range(1, 4))))


class UnturnedPuck(Planar):
    def twist(self, q, v):
        return vector(v[0], v[1], 0 * v[0]), vector(0 * v[2], 0 * v[2], v[2])


class UnturnedFloat(Free):
    def twist(self, q, v):
        return v[:3], v[3:]


class WrongCross(Universal):
    def twist(self, q, v):
        return np.zeros(3), vector(v[0], v[1], 0 * v[0])


class SlowBall(Spherical):
    def rates(self, q, v):
        return super().rates(q, v) / 2


class BallInWorldAxes(Spherical):
    def twist(self, q, v):
        return np.zeros(3), self.motion(q).R @ v


class StandingScrew(Helical):
    def twist(self, q, v):
        return np.zeros(3), vector(0 * v[0], 0 * v[0], v[0])


class BackwardsSlide(Prismatic):
    def twist(self, q, v):
        return vector(0 * v[0], 0 * v[0], -v[0]), np.zeros(3)


class StillHinge(Revolute):
    def twist(self, q, v):
        return np.zeros(3), np.zeros(3)


class TurningWeld(Fixed):
    def twist(self, q, v):
        return np.zeros(3), np.ones(3)


MUTANTS = [
    UnturnedPointOnLine,
    BackwardsPointOnLine,
    UnturnedPuck,
    UnturnedFloat,
    WrongCross,
    SlowBall,
    BallInWorldAxes,
    StandingScrew,
    BackwardsSlide,
    StillHinge,
    TurningWeld,
    BackwardsHinge,
    LooseHinge,
    DoubledRow,
    WrongEntry,
    LeftHandedScrew,
    SidewaysSlide,
    ConjugateBall,
    HalfWeld,
    TiltingPuck,
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda law: law.__name__)
def test_a_wrong_joint_breaks_the_contract(mutant):
    joint = mutant("J", Frame("A", ""), Frame("B", ""))
    q = np.array([0.4, -0.9, 0.7, 1.1, 0.6, -0.3, 0.2])[: len(joint.coordinates)]
    four = contract.is_quaternion(joint)
    q[four] = q[four] / np.linalg.norm(q[four])
    demands = [partial(demand, joint, q) for demand in contract.OF_A_CARRYING_JOINT]
    demands += [partial(demand, joint, q, contract.speeds(joint)) for demand in contract.WITH_SPEEDS]
    assert any(breaks(demand) for demand in demands)


def breaks(demand) -> bool:
    try:
        demand()
    except AssertionError:
        return True
    return False


class MisnamedRows(Revolute):
    rows = ("tilt about y", "tilt about x", "position x", "position y", "position z")


class WanderingPoint(Spherical):
    def residual(self, X_FM):
        return vector(X_FM.p[1], X_FM.p[0], X_FM.p[2])


class HiddenPoint(Spherical):
    rows = ("position one", "position two", "position three")


class SineAsLength(Helical):
    rows = (*Helical.rows[:4], "position z")


@pytest.mark.parametrize(
    "mutant", [MisnamedRows, WanderingPoint, HiddenPoint, SineAsLength], ids=lambda c: c.__name__
)
def test_rows_that_are_not_what_they_say_break_the_contract(mutant):
    joint = mutant("J", Frame("A", ""), Frame("B", ""))
    X = Pose(Rotation.from_euler("ZXZ", [0.4, 0.7, -0.2]).as_matrix(), np.array([0.3, -0.5, 0.8]))
    assert any(breaks(partial(demand, joint, X)) for demand in contract.AT_ANY_POSE)


class WrongRowsInPlane(Prismatic):
    in_plane = (0, 3)


class MissingRowInPlane(Fixed):
    in_plane = (0, 1)


@pytest.mark.parametrize("mutant", [WrongRowsInPlane, MissingRowInPlane], ids=lambda law: law.__name__)
def test_a_joint_with_the_wrong_rows_in_the_plane_breaks_the_contract(mutant):
    joint = mutant("J", Frame("A", ""), Frame("B", ""))
    with pytest.raises(AssertionError):
        contract.rows_out_of_the_plane_vanish_in_it(joint, 0.3, 0.4, 0.5)


def test_an_axis_joint_without_an_axis_uses_z():
    for kind, law in JOINTS.items():
        if issubclass(law, AxisJoint):
            assert_allclose(contract.make(kind).frame_on_a().R, np.eye(3), atol=1e-15)
