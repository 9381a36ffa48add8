"""One Cartesian coordinate of a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from poinsot.elements.coordinates.base import RelativeCoordinate
from poinsot.errors import PoinsotError

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint
    from poinsot.spatial.algebra import Scalar
    from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class Position(RelativeCoordinate):
    """Coordinate x, y or z of a frame's origin, seen from a reference frame.

    s = e_i · p_RF        [m]        (theory/coordinates, eq. 3)
    """

    index: int  # 0, 1, 2 for x, y, z

    kind = "position"
    unit = "m"

    @classmethod
    def chosen(cls, given: Mapping[str, Any], planar: bool) -> dict[str, Any]:
        """Which of the three axes."""
        if "axis" not in given:
            raise PoinsotError("a position needs an axis: x, y or z")
        return {"index": "xyz".index(given["axis"])}

    def value(self, poses: Mapping[str, Pose], joints: Mapping[str, Joint]) -> Scalar:
        """Component of the point in the axes of the reference."""
        return self.across(poses).p[self.index]
