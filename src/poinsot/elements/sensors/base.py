"""What every sensor is: a name, channels with units, noise and rate."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar

from poinsot.spatial.algebra import Scalar

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

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The columns that it writes, named `sensor.channel`."""
        return tuple(Channel(f"{self.name}.{name}" if name else self.name, unit) for name, unit in self.outputs())

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """Names and units of the readings."""
        return ()
