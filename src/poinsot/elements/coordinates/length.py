"""The distance between two points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from poinsot.elements.coordinates.base import Coordinate
from poinsot.spatial.algebra import Scalar, norm

if TYPE_CHECKING:
    from poinsot.elements.frame import Frame
    from poinsot.elements.joints import Joint
    from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class Length(Coordinate):
    """Distance between points P and Q on two bodies: a leg, a cable, a coil spring.

    s = |p_WQ − p_WP|        [m]        (theory/coordinates, eq. 2)
    """

    a: Frame
    b: Frame

    kind = "length"
    places = 2
    unit = "m"

    def value(self, poses: Mapping[str, Pose], joints: Mapping[str, Joint]) -> Scalar:
        """Length of the line from a to b."""
        p_WP = (poses[self.a.body] @ self.a.pose()).p
        p_WQ = (poses[self.b.body] @ self.b.pose()).p
        return norm(p_WQ - p_WP)

    def bodies(self, joints: Mapping[str, Joint]) -> tuple[str, ...]:
        """The bodies that carry the two points."""
        return self.a.body, self.b.body
