"""End stops: how far a coordinate can go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, final

from poinsot.elements.forces.base import Force, Simple
from poinsot.spatial.algebra import Scalar, function

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate


@final
@dataclass(frozen=True)
class EndStop(Force):
    """Limits of a coordinate: elastic, or rigid (stiffness zero), where a simulation ends.

    V = ½ k min(s − s_l, 0)² + ½ k max(s − s_u, 0)²        (theory/forces, eq. 5)
    """

    lower: Scalar  # s_l  [m] or [rad]
    upper: Scalar  # s_u  [m] or [rad]
    stiffness: Scalar = 0.0  # k  [N/m] or [N·m/rad]

    kind = "end-stop"
    parameters = {"lower": "u", "upper": "u", "stiffness": "f/u"}
    nonnegative = ("stiffness",)
    linear = ("stiffness",)

    def potential(self, s: Scalar) -> Scalar:
        """Elastic energy beyond a limit."""
        below = function("fmin", s - self.lower, 0.0)
        above = function("fmax", s - self.upper, 0.0)
        return 0.5 * self.stiffness * (below**2 + above**2)

    @property
    def holds(self) -> bool:
        """Only beyond a limit."""
        return False

    @property
    def centre(self) -> Scalar:
        """Midway between the limits."""
        return (self.lower + self.upper) / 2

    @property
    def limits(self) -> tuple[float, float]:
        """The two stops."""
        return float(self.lower), float(self.upper)

    def clearance(self, s: Scalar) -> Scalar | None:
        """(s − s_l)(s_u − s) where the limits are rigid."""
        rigid = isinstance(self.stiffness, float) and self.stiffness == 0
        return (s - self.lower) * (self.upper - s) if rigid else None

    def simple(self, s: float) -> Simple:
        """Limits."""
        lost = f"The stiffness {float(self.stiffness):g} of the end stop '{self.name}' is not carried over."
        remark = lost if self.stiffness else ""
        return Simple(lower=float(self.lower), upper=float(self.upper), remark=remark)


def limits_along(forces: Iterable[Force], on: Coordinate) -> tuple[float, float]:
    """Between which values the end stops among forces leave a coordinate; infinite where there are none."""
    pairs = [force.limits for force in forces if force.on == on]
    return max((lower for lower, _ in pairs), default=-inf), min((upper for _, upper in pairs), default=inf)
