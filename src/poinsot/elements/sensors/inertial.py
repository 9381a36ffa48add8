"""Accelerometer, gyroscope, and the two in one box (IMU)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.frame import Frame
from poinsot.elements.sensors.base import Sense, Sensor
from poinsot.spatial.algebra import Scalar, Vec3, apply, transpose, vector

ZERO = (0.0, 0.0, 0.0)


def _felt(sense: Sense, at: Frame | None, bias: tuple[Scalar, ...]) -> Vec3:
    """What an accelerometer reads: y = R_FW (a − g) + b  [m/s²]."""
    assert at is not None
    R_WF, _, a_WF = sense.motion(at)
    return apply(transpose(R_WF), a_WF - sense.gravity) + vector(*bias)


def _turned(sense: Sense, at: Frame | None, bias: tuple[Scalar, ...]) -> Vec3:
    """What a gyroscope reads: y = R_FW ω + b  [rad/s]."""
    assert at is not None
    R_WF, w_WF, _ = sense.motion(at)
    return apply(transpose(R_WF), w_WF) + vector(*bias)


@final
@dataclass(frozen=True)
class Accelerometer(Sensor):
    """Specific force of a point in the axes of its frame.

    y = R_FW (a_WF − g) + b        (theory/sensors, eq. 2)
    """

    at: Frame | None = None
    bias: tuple[Scalar, Scalar, Scalar] = ZERO  # b, added to what it reads  [m/s²]

    kind = "accelerometer"
    takes = {"at": "", "bias": "m/s²"}
    reads = {"": "acceleration"}

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Three accelerations."""
        return tuple((f"a{axis}", "m/s²") for axis in "xyz")

    def readings(self, sense: Sense) -> Vec3:
        """The specific force."""
        return _felt(sense, self.at, self.bias)

    def quantities(self) -> tuple[str, ...]:
        """Specific forces."""
        return ("specific force",) * 3


@final
@dataclass(frozen=True)
class Gyroscope(Sensor):
    """Angular velocity in the axes of its frame.

    y = R_FW ω_WF + b        (theory/sensors, eq. 3)
    """

    at: Frame | None = None
    bias: tuple[Scalar, Scalar, Scalar] = ZERO  # b, added to what it reads  [rad/s]

    kind = "gyroscope"
    takes = {"at": "", "bias": "rad/s"}
    reads = {"": "rate"}

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Three rates."""
        return tuple((f"w{axis}", "rad/s") for axis in "xyz")

    def readings(self, sense: Sense) -> Vec3:
        """The rates."""
        return _turned(sense, self.at, self.bias)


@final
@dataclass(frozen=True)
class IMU(Sensor):
    """Accelerometer and gyroscope in one frame.

    y = (R_FW (a_WF − g) + b_a, R_FW ω_WF + b_w)        (theory/sensors, eq. 4)
    """

    at: Frame | None = None
    bias: tuple[Scalar, Scalar, Scalar] = ZERO  # b_a, added to the accelerations  [m/s²]
    rate_bias: tuple[Scalar, Scalar, Scalar] = ZERO  # b_w, added to the rates  [rad/s]
    rate_noise: Scalar = 0.0  # standard deviation of a sample of the gyroscope  [rad/s]
    rate_drift: Scalar = 0.0  # random walk of the gyroscope's bias  [rad/s/√s]
    rate_resolution: Scalar = 0.0  # step of what is written of the gyroscope  [rad/s]
    rate_limit: Scalar | None = None  # largest rate that is written  [rad/s]

    kind = "imu"
    takes = {"at": "", "bias": "m/s²", "rate_bias": "rad/s"}
    imperfections = Sensor.imperfections | {
        "rate_noise": "rad/s",
        "rate_drift": "rad/s^1.5",
        "rate_resolution": "rad/s",
        "rate_limit": "rad/s",
    }
    reads = {"acceleration": "acceleration", "rate": "rate"}

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Three accelerations, three rates."""
        return tuple((f"a{axis}", "m/s²") for axis in "xyz") + tuple((f"w{axis}", "rad/s") for axis in "xyz")

    def readings(self, sense: Sense) -> Vec3:
        """The specific force, then the rates."""
        both = _felt(sense, self.at, self.bias), _turned(sense, self.at, self.rate_bias)
        return vector(*(part[i] for part in both for i in range(3)))

    def quantities(self) -> tuple[str, ...]:
        """Specific forces, then rates."""
        return ("specific force",) * 3 + ("rate",) * 3

    def spread(self, field: str) -> tuple[Scalar, ...]:
        """Of the accelerometer, then of the gyroscope."""
        return (getattr(self, field),) * 3 + (getattr(self, f"rate_{field}"),) * 3
