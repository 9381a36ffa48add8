"""Polynomial of a coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.forces.base import Force
from poinsot.spatial.algebra import Scalar

DEGREE = 7


@final
@dataclass(frozen=True)
class Polynomial(Force):
    """A force that depends on the coordinate alone: cables and hoses that bend, springs that are not linear.

    F = −(c₀ + c₁ s + … + c₇ s⁷)        (theory/forces, eq. 9)
    """

    c0: Scalar = 0.0  # [N] or [N·m]
    c1: Scalar = 0.0  # [N/m] or [N·m/rad], and so on
    c2: Scalar = 0.0
    c3: Scalar = 0.0
    c4: Scalar = 0.0
    c5: Scalar = 0.0
    c6: Scalar = 0.0
    c7: Scalar = 0.0

    kind = "polynomial"
    parameters = {"c0": "f", "c1": "f/u"} | {f"c{k}": f"f/u^{k}" for k in range(2, DEGREE + 1)}
    linear = tuple(f"c{k}" for k in range(DEGREE + 1))

    def force(self, s: Scalar, s_dot: Scalar) -> Scalar:
        """Horner's scheme."""
        total = self.c7
        for k in range(DEGREE - 1, -1, -1):
            total = total * s + getattr(self, f"c{k}")
        return -total
