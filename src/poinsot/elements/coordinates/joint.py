"""A coordinate of a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from poinsot.elements.coordinates.base import Coordinate

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint
    from poinsot.spatial.algebra import Scalar
    from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class AlongJoint(Coordinate):
    """Displacement along or angle about a joint.

    s = q_i(X_FM)        [m] or [rad]        (theory/coordinates, eq. 1)
    """

    joint: str
    index: int  # which coordinate of the joint
    unit: str

    kind = "joint"
    places = 0

    @property
    def terms(self) -> tuple[tuple[Scalar, AlongJoint], ...]:
        """Itself alone."""
        return ((1.0, self),)

    def value(self, poses: Mapping[str, Pose], joints: Mapping[str, Joint]) -> Scalar:
        """What an encoder on the joint reads."""
        joint = joints[self.joint]
        return joint.measure(joint.relative(poses[joint.a.body], poses[joint.b.body]))[self.index]

    def bodies(self, joints: Mapping[str, Joint]) -> tuple[str, ...]:
        """The two bodies of the joint."""
        return joints[self.joint].a.body, joints[self.joint].b.body
