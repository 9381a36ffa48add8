"""What every coordinate is: one number that can be read off the pose of a mechanism.

Springs, dampers, actuators and encoders act along a coordinate; a pose or a motion is given by coordinates that
the model file names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poinsot.elements.frame import Frame
    from poinsot.elements.joints import Joint
    from poinsot.spatial.algebra import Scalar
    from poinsot.spatial.pose import Pose


class Coordinate(ABC):
    """A scalar function of the poses of the bodies."""

    kind: str
    unit: str
    places: int = 1  # that the model file gives under the key of its kind
    relative: bool = False  # seen from a reference, the ground unless the file gives another

    @classmethod
    def chosen(cls, given: Mapping[str, Any], planar: bool) -> dict[str, Any]:
        """Its further fields from the keys of the model file; PoinsotError says what is missing."""
        return {}

    @property
    def parts(self) -> tuple[Coordinate, ...]:
        """The coordinates of which it is a linear combination: itself."""
        return (self,)

    @property
    def factors(self) -> tuple[Scalar, ...]:
        """Weights of its parts."""
        return (1.0,)

    def combined(self, values: tuple[Scalar, ...]) -> Scalar:
        """Its value or rate from those of its parts."""
        return values[0]

    @abstractmethod
    def value(self, poses: Mapping[str, Pose], joints: Mapping[str, Joint]) -> Scalar:
        """The coordinate [unit] for poses X_WB of all bodies by name."""

    @abstractmethod
    def bodies(self, joints: Mapping[str, Joint]) -> tuple[str, ...]:
        """Names of the bodies whose poses it reads."""


@dataclass(frozen=True)
class RelativeCoordinate(Coordinate):
    """A coordinate of a frame, seen from a reference frame."""

    frame: Frame
    reference: Frame

    relative = True

    def across(self, poses: Mapping[str, Pose]) -> Pose:
        """Pose X_RF of the frame in the reference."""
        X_WR = poses[self.reference.body] @ self.reference.pose()
        return X_WR.inverse() @ (poses[self.frame.body] @ self.frame.pose())

    def bodies(self, joints: Mapping[str, Joint]) -> tuple[str, ...]:
        """The bodies that carry frame and reference."""
        return self.reference.body, self.frame.body
