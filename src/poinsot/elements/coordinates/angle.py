"""One angle of a body's attitude."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from poinsot.elements.coordinates.base import RelativeCoordinate
from poinsot.errors import PoinsotError
from poinsot.spatial.algebra import Scalar
from poinsot.spatial.rotation import euler_angles

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint
    from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class Angle(RelativeCoordinate):
    """Angle i of an Euler or Tait–Bryan sequence; in a planar mechanism the angle to the x axis.

    R_RF = R₁(θ₁) R₂(θ₂) R₃(θ₃),    s = θ_i        [rad]        (theory/coordinates, eq. 4)
    """

    sequence: str  # capitals: about moving axes
    index: int  # which of the three angles

    kind = "angle"
    unit = "rad"

    @classmethod
    def chosen(cls, given: Mapping[str, Any], planar: bool) -> dict[str, Any]:
        """Which angle of which sequence."""
        if planar:
            return {"sequence": "ZXY", "index": 0}
        if "sequence" not in given or "index" not in given:
            raise PoinsotError("an angle in space needs a sequence such as 'ZXZ' and an index 1, 2 or 3")
        return {"sequence": given["sequence"], "index": given["index"] - 1}

    def value(self, poses: Mapping[str, Pose], joints: Mapping[str, Joint]) -> Scalar:
        """Angle of the frame's attitude seen from the reference."""
        return euler_angles(self.sequence, self.across(poses).R)[self.index]
