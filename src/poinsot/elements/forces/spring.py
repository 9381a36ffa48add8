"""Linear spring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from poinsot.elements.forces.base import Force, Simple
from poinsot.spatial.algebra import Scalar


@final
@dataclass(frozen=True)
class Spring(Force):
    """A linear spring along or about a coordinate.

        V = ½ k (s − s₀)²        (theory/forces, eq. 1)

    A negative stiffness pushes away from the rest, as a magnet or a buckled strip does: bounds in the model file must
    allow it. A rest of None means relaxed in the pose that is asked about: a flexure that is clamped in its shape.
    """

    stiffness: Scalar  # k  [N/m] or [N·m/rad]
    rest: Scalar | None = 0.0  # s₀  [m] or [rad]

    kind = "spring"
    parameters = {"stiffness": "f/u", "rest": "u"}
    nonnegative_unless_bounded = ("stiffness",)
    linear = ("stiffness",)
    shorthand = {"stiffness": "stiffness"}
    posed = ("rest",)

    def potential(self, s: Scalar) -> Scalar:
        """Elastic energy."""
        return 0.5 * self.stiffness * (s - (0.0 if self.rest is None else self.rest)) ** 2

    @property
    def centre(self) -> Scalar:
        """The rest."""
        return self.rest

    @property
    def clamped(self) -> bool:
        """Without a rest of its own."""
        return self.rest is None

    def relaxed_at(self, s: Scalar) -> Spring:
        """The spring with its rest at s."""
        return replace(self, rest=s)

    def simple(self, s: float) -> Simple:
        """A spring."""
        return Simple(stiffness=float(self.stiffness), rest=s if self.rest is None else float(self.rest))
