"""What sensors read, and coordinates read off poses, against direct computation."""

import casadi
import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.elements import GROUND
from poinsot.elements.coordinates import COORDINATES, AlongJoint, Angle, Length, Position
from poinsot.elements.frame import Frame
from poinsot.elements.sensors import (
    IMU,
    SENSORS,
    Accelerometer,
    DriveForce,
    Encoder,
    Gyroscope,
    ModalPoint,
    Reaction,
)
from poinsot.spatial.pose import Pose
from tests.elements import contract
from tests.strategies import frames, numbers, poses, rotations, vectors

G = np.array([0.0, 0.0, -9.81])
GROUND_FRAME = Frame(GROUND, "")


def matrix(X: Pose) -> np.ndarray:
    return np.block([[np.asarray(X.R), np.asarray(X.p)[:, None]], [np.array([[0.0, 0.0, 0.0, 1.0]])]])


@given(R=rotations())
def test_an_imu_at_rest_reads_minus_gravity_in_its_own_axes_and_no_rate(R):
    specific, rates = IMU("imu").reading(R, np.zeros(3), np.zeros(3), G)
    assert_allclose(specific, R.T @ [0, 0, 9.81], atol=1e-14)
    assert_allclose(rates, 0.0)


def test_an_upright_accelerometer_at_rest_reads_one_g_upwards():
    assert_allclose(Accelerometer("a").reading(np.eye(3), np.zeros(3), G), [0, 0, 9.81])


def test_an_accelerometer_in_free_fall_reads_nothing():
    R = Rotation.random(random_state=1).as_matrix()
    assert_allclose(Accelerometer("a").reading(R, G, G), 0.0, atol=1e-15)


@given(R=rotations(), w=vectors(), a=vectors(), bias=vectors(), rate_bias=vectors())
def test_an_imu_is_an_accelerometer_and_a_gyroscope_in_one_frame(R, w, a, bias, rate_bias):
    imu = IMU("imu", bias=tuple(bias), rate_bias=tuple(rate_bias))
    specific, rates = imu.reading(R, w, a, G)
    assert_allclose(specific, Accelerometer("a", bias=tuple(bias)).reading(R, a, G), atol=1e-13)
    assert_allclose(rates, Gyroscope("g", bias=tuple(rate_bias)).reading(R, w), atol=1e-13)
    assert_allclose(specific, R.T @ (a - G) + bias, atol=1e-13)
    assert_allclose(rates, R.T @ w + rate_bias, atol=1e-13)


def test_other_sensors_read_their_laws():
    assert Encoder("e", on=AlongJoint("j", 0, "m"), offset=0.25).reading(1.0) == 1.25
    assert DriveForce("d", actuator="u", gain=2.0).reading(3.0) == 6.0
    assert ModalPoint("m", direction=(0.0, 1.0, 0.0)).reading(np.array([1.0, 2.0, 3.0])) == 2.0


@given(R=rotations(), w=vectors(), a=vectors())
def test_a_sensor_of_which_nothing_else_is_said_reads_the_quantity_itself(R, w, a):
    assert_allclose(Accelerometer("a").reading(R, a, G), R.T @ (a - G), atol=1e-14)
    assert_allclose(Gyroscope("g").reading(R, w), R.T @ w, atol=1e-14)
    assert_allclose(IMU("i").reading(R, w, a, G)[1], R.T @ w, atol=1e-14)
    assert ModalPoint("m").reading(a) == a[2]
    assert Encoder("e").reading(0.7) == DriveForce("d").reading(0.7) == 0.7
    assert all(law("s").noise == 0 for law in SENSORS.values())


@pytest.mark.parametrize("kind", SENSORS)
def test_every_sensor_names_its_channels_after_itself_with_units(kind):
    options = {"on": AlongJoint("j", 0, "rad")} if kind == "encoder" else {}
    channels = SENSORS[kind]("s", **options).channels
    assert channels and len({c.name for c in channels}) == len(channels)
    assert all(c.unit and (c.name == "s" or c.name.startswith("s.")) for c in channels)


def test_a_reaction_has_three_forces_and_three_moments():
    channels = Reaction("r", joint="j").channels
    assert [c.name for c in channels] == ["r.fx", "r.fy", "r.fz", "r.mx", "r.my", "r.mz"]
    assert [c.unit for c in channels] == ["N"] * 3 + ["N·m"] * 3


@given(X=poses(), Y=poses(), f=frames("A"), r=frames("B"))
def test_a_position_is_a_component_of_the_point_seen_from_the_reference(X, Y, f, r):
    seen = np.linalg.inv(matrix(Y) @ matrix(r.pose())) @ matrix(X) @ matrix(f.pose())
    for i in range(3):
        value = Position(f, r, i).value({"A": X, "B": Y}, {})
        assert_allclose(value, seen[i, 3], atol=1e-12)


@given(X=poses(), Y=poses(), f=frames("A"), r=frames("B"))
def test_a_length_is_the_distance_between_the_two_points(X, Y, f, r):
    p = (matrix(X) @ matrix(f.pose()))[:3, 3] - (matrix(Y) @ matrix(r.pose()))[:3, 3]
    assert_allclose(Length(f, r).value({"A": X, "B": Y}, {}), np.linalg.norm(p), atol=1e-12)


@given(angles=vectors(3, 1.2), Y=poses(), r=frames("B"))
def test_an_angle_is_one_of_the_sequence_seen_from_the_reference(angles, Y, r):
    R_WR = (matrix(Y) @ matrix(r.pose()))[:3, :3]
    X = Pose(R_WR @ Rotation.from_euler("ZXY", angles).as_matrix(), np.zeros(3))
    for i in range(3):
        angle = Angle(Frame("A", ""), r, "ZXY", i)
        assert_allclose(angle.value({"A": X, "B": Y}, {}), angles[i], atol=1e-12)


@given(q=numbers(-3, 3), X=poses(), a=frames("A"), b=frames("B"))
def test_along_a_joint_is_what_its_encoder_reads(q, X, a, b):
    joint = contract.make("cylindrical", a, b)
    Y = X @ joint.frame_on_a() @ joint.motion(np.array([q, 0.5])) @ joint.frame_on_b().inverse()
    poses_, joints = {"A": X, "B": Y}, {"J": joint}
    assert_allclose(AlongJoint("J", 0, "m").value(poses_, joints), q, atol=1e-11)
    assert_allclose(AlongJoint("J", 1, "rad").value(poses_, joints), 0.5, atol=1e-11)


def test_coordinates_name_the_bodies_that_they_read():
    A, joints = Frame("A", "tip"), {"J": contract.make("revolute")}
    assert set(Position(A, GROUND_FRAME, 0).bodies({})) == {"A", GROUND}
    assert set(Length(A, Frame("B", "")).bodies({})) == {"A", "B"}
    assert set(Angle(A, GROUND_FRAME, "ZXZ", 1).bodies({})) == {"A", GROUND}
    assert set(AlongJoint("J", 0, "rad").bodies(joints)) == {"A", "B"}
    assert set(COORDINATES) == {"joint", "length", "position", "angle"}


def test_symbols_and_numbers_agree():
    R, p = casadi.SX.sym("R", 3, 3), casadi.SX.sym("p", 3)
    f, ground = Frame("A", "tip", (0.1, 0.2, 0.3)), GROUND_FRAME
    laws = [Position(f, ground, 2), Length(f, ground), Angle(f, ground, "ZXY", 2)]
    at = {"A": Pose(R, p), GROUND: Pose.identity()}
    symbolic = casadi.Function("s", [R, p], [c.value(at, {}) for c in laws])
    X = Pose(Rotation.from_euler("ZXY", [0.4, -0.2, 0.7]).as_matrix(), np.array([1.0, 2.0, -0.5]))
    numeric = [float(c.value({"A": X, GROUND: Pose.identity()}, {})) for c in laws]
    assert_allclose([float(x) for x in symbolic(X.R, X.p)], numeric, rtol=1e-13)


def test_a_frame_is_labelled_as_in_a_model_file():
    assert Frame("platform", "P1").label == "platform.P1"
    assert Frame("platform", "").label == "platform"
