"""Frames: named places on a body, at which joints, springs and sensors sit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poinsot.spatial.algebra import Scalar, vector
from poinsot.spatial.pose import Pose, Unrotated

if TYPE_CHECKING:
    from poinsot.spatial.orientation import Orientation


@dataclass(frozen=True)
class Frame:
    """A place on a body: a point, and axes when the user cares about them."""

    body: str
    name: str  # "" for the body's own frame
    position: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)  # in the body  [m]
    orientation: Orientation = Unrotated()

    @property
    def label(self) -> str:
        """How the frame is written in a model file: "platform" or "platform.P1"."""
        return f"{self.body}.{self.name}" if self.name else self.body

    def pose(self) -> Pose:
        """Pose X_BF of the frame in its body."""
        return Pose(self.orientation.matrix(), vector(*self.position))
