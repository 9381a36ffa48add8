"""Actuators: forces that the user or a motion commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.forces.base import Force
from poinsot.spatial.algebra import Scalar


@final
@dataclass(frozen=True)
class Actuator(Force):
    """A drive that pushes along or turns about a coordinate, with equal and opposite effect on the other body.

    F = u        commanded        (theory/forces, eq. 6)
    """

    lower: Scalar = float("-inf")  # least force that the drive can give  [N] or [N·m]
    upper: Scalar = float("inf")  # greatest  [N] or [N·m]

    kind = "actuator"
    parameters = {"lower": "f", "upper": "f"}

    @property
    def unit(self) -> str:
        """Of its force: that of a moment where it turns something."""
        return "N·m" if self.on.unit == "rad" else "N"
