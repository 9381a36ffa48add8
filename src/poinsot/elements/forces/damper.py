"""Linear damper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.forces.base import Force, Simple
from poinsot.spatial.algebra import Scalar


@final
@dataclass(frozen=True)
class Damper(Force):
    """A linear damper along or about a coordinate.

    F = −d ṡ        (theory/forces, eq. 2)
    """

    damping: Scalar  # d  [N·s/m] or [N·m·s/rad]

    kind = "damper"
    parameters = {"damping": "f*s/u"}
    nonnegative = ("damping",)
    linear = ("damping",)
    shorthand = {"damping": "damping"}

    def force(self, s: Scalar, s_dot: Scalar) -> Scalar:
        """Force against the motion."""
        return -self.damping * s_dot

    def simple(self, s: float) -> Simple:
        """A damper."""
        return Simple(damping=float(self.damping))
