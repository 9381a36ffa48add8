"""Encoder: reads a coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.coordinates import Coordinate
from poinsot.elements.sensors.base import Sense, Sensor
from poinsot.spatial.algebra import Scalar, Vec3, vector


@final
@dataclass(frozen=True)
class Encoder(Sensor):
    """Reads a joint's coordinate, a leg's length, or any other coordinate.

    y = s + b        (theory/sensors, eq. 1)
    """

    on: Coordinate | None = None
    offset: Scalar = 0.0  # b, in the unit of the coordinate

    kind = "encoder"
    takes = {"on": "", "offset": "u"}
    reads = {"": "position"}

    def outputs(self) -> tuple[tuple[str, str], ...]:
        """One channel with the sensor's own name."""
        return (("", self.on.unit if self.on else ""),)

    def readings(self, sense: Sense) -> Vec3:
        """s + b."""
        assert self.on is not None
        return vector(sense.coordinate(self.on) + self.offset)
