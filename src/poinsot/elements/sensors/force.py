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
    gain: Scalar = 1.0  # κ, reading over force  [-]
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
        return replace(self, unit=actuators[self.actuator].unit)

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
    """Wrench that a joint transmits from its first body A to its second body B, in the joint's frame on A or on B.

    y = (f, m)        (theory/sensors, eq. 6)

    It acts on B: force and moment about the origin of the joint's frame on that side, in the axes of this frame,
    turned so that z is the joint's axis. With side "b" it reads what `inverse_dynamics` gives as `reactions`. A cell
    is usually bolted to A, so that "a" is the default: the same wrench in axes that do not move with B.
    """

    joint: str = ""
    side: str = "a"  # "a": in the joint's frame on the first body; "b": on the second, as `inverse_dynamics` has it
    moment_noise: Scalar | None = None  # standard deviation of a sample of a moment; None: that of `noise`  [N·m]
    moment_drift: Scalar | None = None  # random walk of the bias of a moment; None: that of `drift`  [N·m/√s]
    moment_resolution: Scalar | None = None  # step of what is written of moments; None: that of `resolution`  [N·m]
    moment_limit: Scalar | None = None  # largest moment that is written; None: that of `limit`  [N·m]

    kind = "reaction"
    takes = {"joint": "", "side": ""}
    imperfections = Sensor.imperfections | {
        "moment_noise": "N·m",
        "moment_drift": "N·m/s^0.5",
        "moment_resolution": "N·m",
        "moment_limit": "N·m",
    }
    measures_force = True

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Three forces, three moments."""
        return tuple((name, "N" if name[0] == "f" else "N·m") for name in WRENCH.split())

    def readings(self, sense: Sense) -> Vec3:
        """The wrench in the joint's frame on its side."""
        F = sense.wrench(self.joint, self.side)
        return vector(*(F.f[i] for i in range(3)), *(F.n[i] for i in range(3)))

    def spread(self, field: str) -> tuple[Scalar, ...]:
        """Of the forces, then of the moments, which have the same number unless they have their own."""
        forces, moments = getattr(self, field), getattr(self, f"moment_{field}")
        return (forces,) * 3 + (forces if moments is None else moments,) * 3


@final
@dataclass(frozen=True)
class ModalPoint(Sensor):
    """A point and direction at which a frequency response is measured, by hammer or accelerometer.

    y = d · a_F        (theory/sensors, eq. 7)
    """

    at: Frame | None = None
    direction: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 1.0)  # d, unit vector in the frame's axes  [-]

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
