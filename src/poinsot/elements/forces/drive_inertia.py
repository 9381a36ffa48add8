"""Inertia of a drive, seen at the coordinate that it moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.forces.base import Force, Simple
from poinsot.spatial.algebra import Scalar


@final
@dataclass(frozen=True)
class DriveInertia(Force):
    """Rotor and gear inertia, reduced to the coordinate.

    T = ½ I_a ṡ²        (theory/forces, eq. 4)
    """

    inertia: Scalar  # I_a, motor inertia times the reduction squared  [kg] or [kg·m²/rad²]

    kind = "drive-inertia"
    parameters = {"inertia": "f*s^2/u"}
    nonnegative = ("inertia",)
    linear = ("inertia",)
    shorthand = {"drive_inertia": "inertia"}

    def kinetic(self, s_dot: Scalar) -> Scalar:
        """Kinetic energy of the drive."""
        return 0.5 * self.inertia * s_dot**2

    def simple(self, s: float) -> Simple:
        """An inertia."""
        return Simple(inertia=float(self.inertia))
