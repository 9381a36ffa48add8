"""Point on line: a ball in a straight groove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.joints.attitude import quaternion_of
from poinsot.elements.joints.base import Axis, JointCoordinate
from poinsot.spatial.algebra import Vec3, vector
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_matrix

__all__ = ["PointOnLine"]


@final
@dataclass(frozen=True)
class PointOnLine(Axis):
    """The origin of M stays on the z axis of F; any attitude.

        Φ = (p_x, p_y) = 0        two equations        (theory/joints, eq. 10)

    In a planar mechanism x_F is the normal of the plane, which leaves p_y.
    """

    kind = "point-on-line"
    coordinates = (
        JointCoordinate("displacement", "m"),
        *(JointCoordinate(f"q{axis}", "-") for axis in "wxyz"),
    )
    rows = ("position x", "position y")
    in_plane = (1,)

    def residual(self, X_FM: Pose) -> Vec3:
        """Origin of M on the axis of F."""
        return vector(X_FM.p[0], X_FM.p[1])

    def motion(self, q: Vec3) -> Pose:
        """p_FM = q₁ z, R_FM of the quaternion q₂…₅."""
        return Pose(quaternion_matrix(q[1:]), vector(0 * q[0], 0 * q[0], q[0]))

    def measure(self, X_FM: Pose) -> Vec3:
        """Displacement along z, and quaternion wxyz of the attitude."""
        quaternion = quaternion_of(X_FM.R)
        return vector(X_FM.p[2], *(quaternion[i] for i in range(4)))
