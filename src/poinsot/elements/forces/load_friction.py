"""Friction of a transmission, which grows with the force that it passes on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from poinsot.elements.forces.base import Force
from poinsot.elements.forces.dry import direction
from poinsot.spatial.algebra import Scalar, function, is_zero


@final
@dataclass(frozen=True)
class LoadFriction(Force):
    """Gears and screws between a drive and its coordinate: a share of the force w that arrives is lost on the way.

        u = w + μ |w| σ ,   w = u / (1 + μ σ sgn u) ,   σ = tanh(ṡ/v_s) or sign ṡ        (theory/forces, eq. 12)

    It acts on actuators along the same coordinate.
    """

    load: Scalar = 0.0  # μ, below 1  [-]
    smooth: Scalar = 1e-3  # v_s  [m/s] or [rad/s]

    kind = "load-friction"
    parameters = {"load": "f/f", "smooth": "u/s"}
    nonnegative = ("load", "smooth")
    loaded = ("load",)

    def transmitted(self, u: Scalar, s_dot: Scalar) -> Scalar:
        """w."""
        return u / (1 + self.load * direction(s_dot, self.smooth) * function("sign", u))

    def commanded(self, w: Scalar, s_dot: Scalar) -> Scalar:
        """u."""
        return w + self.load * function("abs", w) * direction(s_dot, self.smooth)

    def unloaded(self) -> LoadFriction:
        """μ = 0."""
        return replace(self, load=0.0)

    def smoothed(self, speed: Scalar) -> LoadFriction:
        """With v_s where it is 0."""
        return replace(self, smooth=speed) if is_zero(self.smooth) else self
