"""Stribeck friction: what holds at low speeds beyond Coulomb friction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from poinsot.elements.forces.base import Force
from poinsot.elements.forces.dry import direction, steepness
from poinsot.spatial.algebra import Scalar, function, is_zero


@final
@dataclass(frozen=True)
class Stribeck(Force):
    """The excess of break-away over Coulomb friction, which fades as a film of lubricant builds up.

    F = −f_s exp(−(ṡ/v_S)²) tanh(ṡ/v_s), with sign ṡ for v_s = 0        (theory/forces, eq. 10)
    """

    speed: Scalar  # v_S, the Stribeck speed  [m/s] or [rad/s]
    stribeck: Scalar = 0.0  # f_s  [N] or [N·m]
    smooth: Scalar = 1e-3  # v_s  [m/s] or [rad/s]

    kind = "stribeck"
    dry = True
    parameters = {"stribeck": "f", "speed": "u/s", "smooth": "u/s"}
    nonnegative = ("stribeck", "speed", "smooth")
    nonzero = ("speed",)
    linear = ("stribeck",)

    def force(self, s: Scalar, s_dot: Scalar) -> Scalar:
        """Force against the motion."""
        fading = function("exp", -((s_dot / self.speed) ** 2))
        return -self.stribeck * fading * direction(s_dot, self.smooth)

    def dry_slope(self) -> Scalar:
        """f_s / v_s."""
        return self.stribeck * steepness(self.smooth)

    def smoothed(self, speed: Scalar) -> Stribeck:
        """With v_s where it is 0."""
        return replace(self, smooth=speed) if is_zero(self.smooth) else self
