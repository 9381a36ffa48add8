"""Force sensors: of a drive, of a joint's reaction, and the point of a modal test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

from poinsot.elements.forces import Actuator
from poinsot.elements.frame import Frame
from poinsot.elements.sensors.base import Sense, Sensor
from poinsot.results import WRENCH
from poinsot.spatial.algebra import Scalar, Vec3, apply, dot, transpose, vector


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
    takes = {"actuator": "", "gain": "-"}
    reads = {"": "force"}
    measures_force = True

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """One channel with the sensor's own name."""
        return (("", self.unit),)

    def settled(self, actuators: Mapping[str, Actuator]) -> DriveForce:
        """In the unit of the actuator's force."""
        return replace(self, unit="N·m" if actuators[self.actuator].on.unit == "rad" else "N")

    def lost(self) -> str:
        """The gain."""
        gain = float(self.gain)
        return f"The gain {gain:g} of the sensor '{self.name}' is not carried over." if gain != 1 else ""

    def readings(self, sense: Sense) -> Vec3:
        """κ u."""
        return vector(self.gain * sense.force(self.actuator))


@final
@dataclass(frozen=True)
class Reaction(Sensor):
    """Wrench that a joint transmits from body A to body B, in the joint's frame on A or on B.

    y = (f, m)        (theory/sensors, eq. 6)
    """

    joint: str = ""
    side: str = "a"  # whose frame: "a" or "b"

    kind = "reaction"
    takes = {"joint": "", "side": ""}
    measures_force = True

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Three forces, three moments."""
        return tuple((name, "N" if name[0] == "f" else "N·m") for name in WRENCH.split())

    def readings(self, sense: Sense) -> Vec3:
        """The wrench in the joint's frame on its side."""
        F = sense.wrench(self.joint, self.side)
        return vector(*(F.f[i] for i in range(3)), *(F.n[i] for i in range(3)))


@final
@dataclass(frozen=True)
class ModalPoint(Sensor):
    """A point and direction at which a frequency response is measured, by hammer or accelerometer.

    y = d · a_F        (theory/sensors, eq. 7)
    """

    at: Frame | None = None
    direction: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 1.0)  # in the frame's axes  [-]

    kind = "modal-point"
    takes = {"at": "", "direction": "-"}

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """One acceleration with the sensor's own name."""
        return (("", "m/s²"),)

    def readings(self, sense: Sense) -> Vec3:
        """d · a_F, the acceleration in the frame's axes."""
        assert self.at is not None
        R_WF, _, a_WF = sense.motion(self.at)
        return vector(dot(vector(*self.direction), apply(transpose(R_WF), a_WF)))

    def lost(self) -> str:
        """The direction."""
        return f"The modal point '{self.name}' is kept as a site only, without its direction."
