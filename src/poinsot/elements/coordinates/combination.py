"""A weighted sum of joint coordinates: what a motor turns that moves several joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from poinsot.elements.coordinates.base import Coordinate
from poinsot.elements.coordinates.joint import AlongJoint

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint
    from poinsot.spatial.algebra import Scalar
    from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class JointCombination(Coordinate):
    """Linear combination of joint coordinates: belts, tendons and gears that pass other joints.

    s = Σ w_k q_k        [m] or [rad], as the first of them        (theory/coordinates, eq. 5)
    """

    joints: tuple[AlongJoint, ...]
    weights: tuple[Scalar, ...]  # w_k  [unit of s / unit of q_k]
    unit: str

    kind = "combination"
    places = 0

    @property
    def parts(self) -> tuple[Coordinate, ...]:
        """The coordinates of the joints."""
        return self.joints

    @property
    def factors(self) -> tuple[Scalar, ...]:
        """The weights w_k."""
        return self.weights

    def combined(self, values: tuple[Scalar, ...]) -> Scalar:
        """Σ w_k x_k of values, rates or accelerations of the joints' coordinates."""
        return sum(weight * x for weight, x in zip(self.weights, values, strict=True))

    def value(self, poses: Mapping[str, Pose], joints: Mapping[str, Joint]) -> Scalar:
        """Σ w_k q_k."""
        return self.combined(tuple(part.value(poses, joints) for part in self.joints))

    def bodies(self, joints: Mapping[str, Joint]) -> tuple[str, ...]:
        """The bodies of all its joints."""
        return tuple(dict.fromkeys(body for part in self.joints for body in part.bodies(joints)))
