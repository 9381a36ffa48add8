"""A weighted sum of joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from poinsot.elements.coordinates.base import Coordinate
from poinsot.elements.coordinates.joint import AlongJoint
from poinsot.spatial.algebra import Scalar

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint
    from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class CombinedJoints(Coordinate):
    """Angle of a motor that moves several joints through tendons or gears, or the stretch of such a tendon.

    s = Σ_k w_k s_k        [unit of the first]        (theory/coordinates, eq. 5)
    """

    parts: tuple[AlongJoint, ...]  # s_k
    weights: tuple[Scalar, ...]  # w_k  [unit of s over that of s_k]

    kind = "combination"
    places = 0

    @property
    def unit(self) -> str:  # type: ignore[override]
        """That of the first joint."""
        return self.parts[0].unit

    @property
    def terms(self) -> tuple[tuple[Scalar, AlongJoint], ...]:
        """w_k and s_k."""
        return tuple(zip(self.weights, self.parts))

    def value(self, poses: Mapping[str, Pose], joints: Mapping[str, Joint]) -> Scalar:
        """Sum over the joints."""
        return sum(weight * part.value(poses, joints) for weight, part in self.terms)

    def bodies(self, joints: Mapping[str, Joint]) -> tuple[str, ...]:
        """The bodies of all its joints."""
        return tuple(dict.fromkeys(body for part in self.parts for body in part.bodies(joints)))
