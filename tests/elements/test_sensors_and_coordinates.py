"""What sensors read, and coordinates read off poses, against direct computation."""

import casadi
import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.elements import GROUND
from poinsot.elements.coordinates import COORDINATES, AlongJoint, Angle, CombinedJoints, Length, Position
from poinsot.elements.forces import Actuator
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
    Sense,
)
from poinsot.errors import PoinsotError
from poinsot.spatial.motion import Wrench, carry_wrench
from poinsot.spatial.pose import Pose
from tests.elements import contract
from tests.strategies import angular_velocity, frames, numbers, poses, rotations, second_derivative, vectors

G = np.array([0.0, 0.0, -9.81])
GROUND_FRAME = Frame(GROUND, "")


def matrix(X: Pose) -> np.ndarray:
    return np.block([[np.asarray(X.R), np.asarray(X.p)[:, None]], [np.array([[0.0, 0.0, 0.0, 1.0]])]])


@given(R=rotations())
def test_an_imu_at_rest_reads_minus_gravity_in_its_own_axes_and_no_rate(R):
    read = IMU("imu", at=RIM).readings(sense(motion=lambda frame: (R, np.zeros(3), np.zeros(3))))
    assert_allclose(read[:3], R.T @ [0, 0, 9.81], atol=1e-14)
    assert_allclose(read[3:], 0.0)


def test_an_upright_accelerometer_at_rest_reads_one_g_upwards():
    at_rest = sense(motion=lambda frame: (np.eye(3), np.zeros(3), np.zeros(3)))
    assert_allclose(Accelerometer("a", at=RIM).readings(at_rest), [0, 0, 9.81])


def test_an_accelerometer_in_free_fall_reads_nothing():
    R = Rotation.random(random_state=1).as_matrix()
    falling = sense(motion=lambda frame: (R, np.zeros(3), G))
    assert_allclose(Accelerometer("a", at=RIM).readings(falling), 0.0, atol=1e-15)


BIAS = (0.1, 0.2, 0.3)
RIM = Frame("table", "rim")
TURN = Rotation.from_euler("ZYX", [0.4, 0.3, 0.2]).as_matrix()
W, RADIUS = 7.0, 0.4  # a turntable  [rad/s], [m]


def turntable(t: float) -> Pose:
    """A frame at the rim of a turntable that is tilted by 0.3 rad: x outward, z its axis."""
    R = Rotation.from_euler("XZ", [0.3, W * t]).as_matrix()
    return Pose(R, R @ [RADIUS, 0.0, 0.0])


def at_the_rim() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R, ω and a of the rim's frame in the world at t = 0.2 s, by differences of its pose."""
    a = second_derivative(lambda t: turntable(t).p, 0.2)
    return turntable(0.2).R, angular_velocity(lambda t: turntable(t).R, 0.2), a


def felt() -> np.ndarray:
    """By hand: −ω² r inward, and gravity turned by the tilt and by the table."""
    c, s, tilted = np.cos(0.2 * W), np.sin(0.2 * W), 9.81 * np.sin(0.3)
    return np.array([-(W**2) * RADIUS + tilted * s, tilted * c, 9.81 * np.cos(0.3)])


def imu_read() -> np.ndarray:
    return IMU("i", at=RIM, bias=BIAS, rate_bias=(0.4, 0.5, 0.6)).readings(sense())


def accelerometer_read() -> np.ndarray:
    return Accelerometer("a", at=RIM, bias=BIAS).readings(sense())


def reaction_read() -> np.ndarray:
    """A weight of 3 N that hangs 0.5 m out along y: the frame on A feels its moment about x."""
    hanging = Wrench(np.array([0.0, 0.0, -3.0]), np.zeros(3))
    arm = {"a": carry_wrench(Pose(np.eye(3), np.array([0.0, 0.5, 0.0])), hanging), "b": hanging}
    feel = sense(wrench=lambda joint, side: arm[side])
    return np.concatenate([Reaction("r", joint="j", side=side).readings(feel) for side in "ab"])


def sense(**parts) -> Sense:
    """What a sensor can read: at the rim of the table, and the parts given."""
    nothing = dict.fromkeys(("coordinate", "force", "wrench"), lambda *_: pytest.fail("this is not to be read"))
    return Sense(**nothing | {"motion": lambda frame: at_the_rim(), "gravity": G} | parts)


READINGS = {  # what every kind of sensor reads, and what it should by hand
    "encoder": (
        lambda: Encoder("e", on=AlongJoint("j", 0, "m"), offset=0.25).readings(sense(coordinate=lambda on: 1.0)),
        [1.25],
    ),
    "accelerometer": (accelerometer_read, felt() + BIAS),
    "gyroscope": (lambda: Gyroscope("g", at=RIM, bias=(0.1, 0.0, 0.0)).readings(sense()), [0.1, 0.0, W]),
    "imu": (imu_read, [*(felt() + BIAS), 0.4, 0.5, W + 0.6]),
    "drive-force": (
        lambda: DriveForce("d", actuator="u", gain=2.0).readings(sense(force={"u": 3.0, "v": 9.0}.__getitem__)),
        [6.0],
    ),
    "reaction": (reaction_read, [0, 0, -3.0, -1.5, 0, 0, 0, 0, -3.0, 0, 0, 0]),
    "modal-point": (
        lambda: ModalPoint("m", at=RIM, direction=(0.0, 0.6, 0.8)).readings(
            sense(motion=lambda frame: (TURN, np.zeros(3), TURN @ [1.0, 2.0, 3.0]))
        ),
        [3.6],
    ),
}


@pytest.mark.parametrize("kind", SENSORS)
def test_every_sensor_reads_what_is_worked_out_by_hand(kind):
    read, wanted = READINGS[kind]
    assert_allclose(read(), wanted, atol=1e-8)


@pytest.mark.parametrize("kind", SENSORS)
def test_what_a_sensor_takes_are_its_fields_and_its_answers_fit(kind):
    law = SENSORS[kind]
    assert law.kind == kind and set(law.takes) <= set(law.__dataclass_fields__)
    assert set(law.reads.values()) <= {"position", "acceleration", "rate", "force"}
    assert law.measures_force == (kind in ("drive-force", "reaction"))


def test_a_sensor_of_a_drive_has_the_unit_of_its_force():
    for unit, wanted in (("m", "N"), ("rad", "N·m")):
        drives = {"u": Actuator("u", AlongJoint("j", 0, unit))}
        assert DriveForce("d", actuator="u").settled(drives).channels[0].unit == wanted


@given(a=vectors())
def test_a_sensor_of_which_nothing_else_is_said_reads_the_quantity_itself(a):
    assert_allclose(Accelerometer("a", at=RIM).readings(sense()), felt(), atol=1e-8)
    assert_allclose(Gyroscope("g", at=RIM).readings(sense()), [0, 0, W], atol=1e-8)
    moved = sense(motion=lambda frame: (np.eye(3), np.zeros(3), a))
    assert ModalPoint("m", at=RIM).readings(moved) == a[2]
    along = sense(coordinate=lambda on: 0.7, force=lambda name: 0.7)
    assert Encoder("e", on=AlongJoint("j", 0, "m")).readings(along) == DriveForce("d").readings(along) == 0.7
    assert all(law("s").noise == 0 for law in SENSORS.values())


@pytest.mark.parametrize("kind", SENSORS)
def test_every_sensor_names_its_channels_after_itself_with_units(kind):
    options = {"on": AlongJoint("j", 0, "rad")} if kind == "encoder" else {}
    channels = SENSORS[kind]("s", **options).channels
    assert channels and len({c.name for c in channels}) == len(channels)
    assert all(c.unit and (c.name == "s" or c.name.startswith("s.")) for c in channels)


def test_a_reaction_has_three_forces_and_three_moments():
    channels = Reaction("r", joint="j").channels
    assert [c.name for c in channels] == ["r.fx", "r.fy", "r.fz", "r.tx", "r.ty", "r.tz"]
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
    assert set(COORDINATES) == {"joint", "combination", "length", "position", "angle"}


@given(X=poses(), q=numbers(-1, 1), turn=numbers(-3, 3))
def test_a_combination_is_the_weighted_sum_of_its_joints(X, q, turn):
    joint = contract.make("cylindrical", Frame("A", ""), Frame("B", ""))
    Y = X @ joint.frame_on_a() @ joint.motion(np.array([q, turn])) @ joint.frame_on_b().inverse()
    screw = CombinedJoints((AlongJoint("J", 0, "m"), AlongJoint("J", 1, "rad")), (2.0, -0.5))
    assert_allclose(screw.value({"A": X, "B": Y}, {"J": joint}), 2 * q - turn / 2, atol=1e-11)
    assert (screw.unit, screw.bodies({"J": joint})) == ("m", ("A", "B"))


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


def test_coordinates_say_what_they_take_from_a_model_file():
    assert {kind: (law.places, law.relative) for kind, law in COORDINATES.items()} == {
        "joint": (0, False),
        "combination": (0, False),
        "length": (2, False),
        "position": (1, True),
        "angle": (1, True),
    }
    assert Position.chosen({"axis": "y"}, False) == {"index": 1}
    assert Angle.chosen({"sequence": "ZXZ", "index": 3}, False) == {"sequence": "ZXZ", "index": 2}
    plane = Angle(Frame("A", ""), GROUND_FRAME, **Angle.chosen({}, True))
    X = Pose(Rotation.from_euler("Z", 0.7).as_matrix(), np.zeros(3))
    assert_allclose(plane.value({"A": X, GROUND: Pose.identity()}, {}), 0.7)
    for law, given_ in ((Position, {}), (Angle, {"index": 1}), (Angle, {"sequence": "ZXZ"})):
        with pytest.raises(PoinsotError, match="needs a"):
            law.chosen(given_, False)


def test_a_gain_is_lost_elsewhere_unless_it_is_one():
    assert DriveForce("d", actuator="u").lost() == ""
    assert "gain 2" in DriveForce("d", actuator="u", gain=2.0).lost()
