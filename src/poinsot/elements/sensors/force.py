"""Force sensors: of a drive, of a joint's reaction, and the point of a modal test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.frame import Frame
from poinsot.elements.sensors.base import Sensor
from poinsot.spatial.algebra import Scalar, Vec3, dot, vector

__all__ = ["DriveForce", "ModalPoint", "Reaction"]


@final
@dataclass(frozen=True)
class DriveForce(Sensor):
    """Force or torque of an actuator, from a load cell or a motor current.

    y = κ u        (theory/sensors, eq. 5)
    """

    actuator: str = ""
    gain: Scalar = 1.0  # κ  [-]
    unit: str = "N"

    kind = "drive-force"

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """One channel with the sensor's own name."""
        return (("", self.unit),)

    def reading(self, u: Scalar) -> Scalar:
        """What it reads at actuator force u."""
        return self.gain * u


@final
@dataclass(frozen=True)
class Reaction(Sensor):
    """Wrench that a joint transmits from body A to body B, in the joint's frame on A or on B.

    y = (f, m)        (theory/sensors, eq. 6)
    """

    joint: str = ""
    side: str = "a"  # whose frame: "a" or "b"

    kind = "reaction"

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Three forces, three moments."""
        return tuple((f"f{axis}", "N") for axis in "xyz") + tuple((f"m{axis}", "N·m") for axis in "xyz")


@final
@dataclass(frozen=True)
class ModalPoint(Sensor):
    """A point and direction at which a frequency response is measured, by hammer or accelerometer.

    y = d · a_F        (theory/sensors, eq. 7)
    """

    at: Frame | None = None
    direction: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 1.0)  # in the frame's axes  [-]

    kind = "modal-point"

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """One acceleration with the sensor's own name."""
        return (("", "m/s²"),)

    def reading(self, a_F: Vec3) -> Scalar:
        """What it reads at acceleration a_F, expressed in the frame's axes."""
        return dot(vector(*self.direction), a_F)
