"""One angle of a body's attitude."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from poinsot.elements.coordinates.base import Coordinate
from poinsot.elements.frame import Frame
from poinsot.elements.joints import Joint
from poinsot.spatial.algebra import Scalar, transpose
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import euler_angles

__all__ = ["Angle"]


@final
@dataclass(frozen=True)
class Angle(Coordinate):
    """Angle i of an Euler or Tait–Bryan sequence; in a planar mechanism the angle to the x axis.

    R_RF = R₁(θ₁) R₂(θ₂) R₃(θ₃),    s = θ_i        [rad]        (theory/coordinates, eq. 4)
    """

    frame: Frame
    reference: Frame
    sequence: str  # capitals: about moving axes
    index: int  # which of the three angles

    kind = "angle"
    unit = "rad"

    def value(self, poses: Mapping[str, Pose], joints: Mapping[str, Joint]) -> Scalar:
        """Angle of the frame's attitude seen from the reference."""
        X_WR = poses[self.reference.body] @ self.reference.pose()
        X_WF = poses[self.frame.body] @ self.frame.pose()
        return euler_angles(self.sequence, transpose(X_WR.R) @ X_WF.R)[self.index]

    def bodies(self, joints: Mapping[str, Joint]) -> tuple[str, ...]:
        """The bodies that carry frame and reference."""
        return self.reference.body, self.frame.body
