"""What every sensor is: a name, channels with units, what it reads, and how imperfectly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.elements.forces import Actuator
    from poinsot.elements.frame import Frame
    from poinsot.spatial.algebra import Mat3, Scalar, Vec3
    from poinsot.spatial.motion import Wrench


QUANTITIES = {
    "m": "position",
    "rad": "position",
    "rad/s": "rate",
    "m/s²": "acceleration",
    "N": "force",
    "N·m": "moment",
}


@dataclass(frozen=True)
class Channel:
    """One column of a recording."""

    name: str
    unit: str


@dataclass(frozen=True)
class Sense:
    """What sensors can read of a mechanism at a state."""

    coordinate: Callable[[Coordinate], Scalar]  # s  [m or rad]
    motion: Callable[[Frame], tuple[Mat3, Vec3, Vec3]]  # R_WF, ω_WF [rad/s] and a_WF [m/s²] of a place, in the world
    force: Callable[[str], Scalar]  # of an actuator  [N or N·m]
    wrench: Callable[[str, str], Wrench]  # that a joint transmits, in its frame on a side: "a" or "b"  [N, N·m]
    gravity: Vec3  # in the world  [m/s²]


@dataclass(frozen=True)
class Sensor(ABC):
    """Something that measures; its law gives what it would read if it were perfect.

    What is recorded is the reading of `delay` ago, plus a random walk and noise, limited and rounded, now and then
    lost        (theory/sensors, eq. 8)
    """

    name: str
    noise: Scalar = 0.0  # standard deviation of one sample, in the unit of the channels
    rate: float | None = None  # samples per second  [Hz]
    drift: Scalar = 0.0  # random walk of the bias, in the unit of the channels by √s
    resolution: Scalar = 0.0  # step of what is written, in the unit of the channels
    limit: Scalar | None = None  # largest magnitude that is written, in the unit of the channels
    delay: Scalar = 0.0  # age of what is written  [s]
    dropout: float = 0.0  # share of the samples that are lost  [-]

    kind: ClassVar[str]
    imperfections: ClassVar[dict[str, str]] = {  # keys in the model file -> unit, "y": of its channels
        "noise": "y",
        "drift": "y/s^0.5",
        "resolution": "y",
        "limit": "y",
        "delay": "s",
    }
    takes: ClassVar[dict[str, str]]  # keys in the model file, the needed one first -> unit of numbers, "u": that of s
    reads: ClassVar[dict[str, str]] = {}  # part -> position, acceleration, rate or force, where others have that too
    at: ClassVar[Frame | None] = None  # where it sits
    on: ClassVar[Coordinate | None] = None  # the coordinate that it reads
    actuator: ClassVar[str] = ""  # whose force it reads
    joint: ClassVar[str] = ""  # whose reaction it reads
    measures_force: ClassVar[bool] = False  # it reads forces of drives or joints, and nothing else

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The columns that it writes, named `sensor.channel`."""
        return tuple(Channel(f"{self.name}.{name}" if name else self.name, unit) for name, unit in self.outputs())

    def settled(self, actuators: Mapping[str, Actuator]) -> Sensor:
        """The sensor with the units that hang on the actuators."""
        return self

    def lost(self) -> str:
        """What other programs have no words for, as a sentence; empty: nothing but noise, bias and offset."""
        return ""

    @abstractmethod
    def readings(self, sense: Sense) -> Vec3:
        """What it reads at a state, one number a channel."""

    def quantities(self) -> tuple[str, ...]:
        """What its channels measure: "position", "rate", "acceleration", "force" or "moment"."""
        return tuple(QUANTITIES[unit] for _, unit in self.outputs())

    def spread(self, field: str) -> tuple[Scalar, ...]:
        """An imperfection such as "noise" for every channel, in its unit."""
        return (getattr(self, field),) * len(self.outputs())

    @abstractmethod
    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Names and units of the readings."""
