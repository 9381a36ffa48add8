"""Friction of a drive or bearing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from poinsot.elements.forces.base import Force, Simple
from poinsot.elements.forces.dry import direction, steepness
from poinsot.spatial.algebra import Scalar, is_zero


@final
@dataclass(frozen=True)
class Friction(Force):
    """Viscous and Coulomb friction, and the offset of a current measurement.

    F = −(f_v ṡ + f_c tanh(ṡ/v_s) + f_o), with sign ṡ for v_s = 0        (theory/forces, eq. 3)
    """

    viscous: Scalar = 0.0  # f_v  [N·s/m] or [N·m·s/rad]
    coulomb: Scalar = 0.0  # f_c  [N] or [N·m]
    offset: Scalar = 0.0  # f_o  [N] or [N·m]
    smooth: Scalar = 1e-3  # v_s  [m/s] or [rad/s]

    kind = "friction"
    dry = True
    parameters = {"viscous": "f*s/u", "coulomb": "f", "offset": "f", "smooth": "u/s"}
    nonnegative = ("viscous", "coulomb", "smooth")
    linear = ("viscous", "coulomb", "offset")

    def force(self, s: Scalar, s_dot: Scalar) -> Scalar:
        """Force against the motion."""
        return -(self.viscous * s_dot + self.coulomb * direction(s_dot, self.smooth) + self.offset)

    def dry_slope(self) -> Scalar:
        """f_c / v_s."""
        return self.coulomb * steepness(self.smooth)

    def smoothed(self, speed: Scalar) -> Friction:
        """With v_s where it is 0."""
        return replace(self, smooth=speed) if is_zero(self.smooth) else self

    def simple(self, s: float) -> Simple:
        """A damper and dry friction."""
        lost = f"The offset {float(self.offset):g} of the friction '{self.name}' cannot be represented."
        remark = lost if self.offset else ""
        return Simple(damping=float(self.viscous), coulomb=float(self.coulomb), remark=remark)
