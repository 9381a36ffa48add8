"""Friction of a drive or bearing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.forces.base import Force
from poinsot.spatial.algebra import Scalar, function

__all__ = ["Friction"]


@final
@dataclass(frozen=True)
class Friction(Force):
    """Viscous and Coulomb friction, and the offset of a current measurement.

    F = −(f_v ṡ + f_c sign ṡ + f_o)        (theory/forces, eq. 3)
    """

    viscous: Scalar = 0.0  # f_v  [N·s/m] or [N·m·s/rad]
    coulomb: Scalar = 0.0  # f_c  [N] or [N·m]
    offset: Scalar = 0.0  # f_o  [N] or [N·m]

    kind = "friction"
    parameters = {"viscous": "f*s/u", "coulomb": "f", "offset": "f"}
    nonnegative = ("viscous", "coulomb")

    def force(self, s: Scalar, s_dot: Scalar) -> Scalar:
        """Force against the motion."""
        return -(self.viscous * s_dot + self.coulomb * function("sign", s_dot) + self.offset)
