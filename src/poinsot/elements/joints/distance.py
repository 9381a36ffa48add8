"""Distance: a massless rod with a ball at each end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.joints.base import Joint, JointOption
from poinsot.elements.joints.steps import DISTANCE, Closing
from poinsot.errors import PoinsotError
from poinsot.spatial.algebra import Scalar, Vec3, dot, vector
from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class Distance(Joint):
    """Two points stay a length L apart.

        Φ = (p·p − L²) / 2L = 0        one equation        (theory/joints, eq. 11)

    Divided by 2L the row is a length, and its multiplier the tension in the rod. It closes loops only: a body
    that nothing else carries floats in the tree.
    """

    length: Scalar = 1.0  # [m]

    kind = "distance"
    nonzero = ("length",)
    options = {"length": JointOption("m", "Length of a distance [m].", 0.0)}
    coordinates = ()
    rows = ("distance",)
    in_plane = (0,)
    carries = False

    def residual(self, X_FM: Pose) -> Vec3:
        """Points L apart."""
        return vector((dot(X_FM.p, X_FM.p) - self.length**2) / (2 * self.length))

    def motion(self, q: Vec3) -> Pose:
        """A distance carries no branch."""
        raise PoinsotError(f"distance '{self.name}' cannot carry a body; it only closes loops")

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """A distance carries no branch."""
        raise PoinsotError(f"distance '{self.name}' cannot carry a body; it only closes loops")

    def measure(self, X_FM: Pose) -> Vec3:
        """A distance has no coordinates."""
        raise PoinsotError(f"distance '{self.name}' has no coordinates")

    def closing(self, planar: bool) -> Closing:
        """Two points at a distance."""
        return Closing(DISTANCE, 0)
