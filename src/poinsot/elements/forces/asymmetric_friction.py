"""Friction that differs with the direction of motion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from poinsot.elements.forces.base import Force, Simple
from poinsot.elements.forces.dry import direction, steepness
from poinsot.spatial.algebra import Scalar, function, is_zero


@final
@dataclass(frozen=True)
class AsymmetricFriction(Force):
    """Viscous and Coulomb friction, forwards (ṡ > 0) and backwards.

        F = −(f_v⁺ max(ṡ, 0) + f_v⁻ min(ṡ, 0) + f_c⁺ (σ + |σ|)/2 + f_c⁻ (σ − |σ|)/2)        (theory/forces, eq. 11)

    with σ = tanh(ṡ/v_s), or sign ṡ for v_s = 0.
    """

    viscous_forward: Scalar = 0.0  # f_v⁺  [N·s/m] or [N·m·s/rad]
    viscous_backward: Scalar = 0.0  # f_v⁻
    coulomb_forward: Scalar = 0.0  # f_c⁺  [N] or [N·m]
    coulomb_backward: Scalar = 0.0  # f_c⁻
    smooth: Scalar = 1e-3  # v_s  [m/s] or [rad/s]

    kind = "asymmetric-friction"
    dry = True
    linear = ("viscous_forward", "viscous_backward", "coulomb_forward", "coulomb_backward")
    parameters = dict(zip(linear, ("f*s/u", "f*s/u", "f", "f"))) | {"smooth": "u/s"}
    nonnegative = (*linear, "smooth")

    def force(self, s: Scalar, s_dot: Scalar) -> Scalar:
        """Force against the motion."""
        sigma = direction(s_dot, self.smooth)
        size, rise = function("abs", s_dot), function("abs", sigma)
        forward = self.viscous_forward * (s_dot + size) + self.coulomb_forward * (sigma + rise)
        backward = self.viscous_backward * (s_dot - size) + self.coulomb_backward * (sigma - rise)
        return -(forward + backward) / 2

    def dry_slope(self) -> Scalar:
        """Mean of f_c⁺/v_s and f_c⁻/v_s."""
        return (self.coulomb_forward + self.coulomb_backward) / 2 * steepness(self.smooth)

    def smoothed(self, speed: Scalar) -> AsymmetricFriction:
        """With v_s where it is 0."""
        return replace(self, smooth=speed) if is_zero(self.smooth) else self

    def simple(self, s: float) -> Simple:
        """A damper and dry friction, the means of both directions."""
        damping, coulomb = (
            (float(ahead) + float(back)) / 2
            for ahead, back in (
                (self.viscous_forward, self.viscous_backward),
                (self.coulomb_forward, self.coulomb_backward),
            )
        )
        alike = self.viscous_forward == self.viscous_backward and self.coulomb_forward == self.coulomb_backward
        lost = f"The asymmetry of the friction '{self.name}' cannot be represented: it has its mean."
        return Simple(damping=damping, coulomb=coulomb, remark="" if alike else lost)
