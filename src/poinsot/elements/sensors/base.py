"""What every sensor is: a name, channels with units, noise and rate."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from poinsot.errors import PoinsotError

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.elements.forces import Actuator
    from poinsot.elements.frame import Frame
    from poinsot.spatial.algebra import Scalar, Vec3
    from poinsot.spatial.motion import Wrench

__all__ = ["Channel", "Sensor"]


@dataclass(frozen=True)
class Channel:
    """One column of a recording."""

    name: str
    unit: str


@dataclass(frozen=True)
class Sensor(ABC):
    """Something that measures; its law gives what it would read without noise."""

    name: str
    noise: Scalar = 0.0  # standard deviation of one sample, in the unit of the channels
    rate: float | None = None  # samples per second  [Hz]

    kind: ClassVar[str]
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

    def effort(self, u: Mapping[str, Scalar], wrench: Callable[[str, str], Wrench]) -> Vec3:
        """Readings of a sensor that measures force, one a channel.

        u are the actuators' forces [N or N·m]; wrench(joint, side) is what a joint transmits, in its frame there.
        """
        raise PoinsotError(f"the {self.kind} '{self.name}' does not say what it reads of forces")

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Names and units of the readings."""
        return ()
