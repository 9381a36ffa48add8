"""Point on line: a ball in a straight groove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.joints.attitude import parts, quaternion_of
from poinsot.elements.joints.base import AxisJoint, Joint, JointCoordinate
from poinsot.elements.joints.steps import POINT, SLIDE, Closing, Step, ball, turn
from poinsot.spatial.algebra import Vec3, apply, transpose, vector
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_matrix, quaternion_rate


@final
@dataclass(frozen=True)
class PointOnLine(AxisJoint):
    """The origin of M stays on the z axis of F; any attitude.

        Φ = (p_x, p_y) = 0        two equations        (theory/joints, eq. 10)

    In a planar mechanism x_F is the normal of the plane, which leaves p_y.
    """

    kind = "point-on-line"
    coordinates = (JointCoordinate("displacement", "m"), *(JointCoordinate(f"q{axis}", "-") for axis in "wxyz"))
    rows = ("position x", "position y")
    in_plane = (1,)
    axis_in_plane = True

    def residual(self, X_FM: Pose) -> Vec3:
        """Origin of M on the axis of F."""
        return vector(X_FM.p[0], X_FM.p[1])

    def motion(self, q: Vec3) -> Pose:
        """p_FM = q₁ z, R_FM of the quaternion q₂…₅."""
        return Pose(quaternion_matrix(q[1:]), vector(0 * q[0], 0 * q[0], q[0]))

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """v = R_MF (0, 0, v₁), ω = (v₂, v₃, v₄)."""
        R_MF = transpose(quaternion_matrix(q[1:]))
        return apply(R_MF, vector(0 * v[0], 0 * v[0], v[0])), v[1:]

    def rates(self, q: Vec3, v: Vec3) -> Vec3:
        """Speed along the line, and the rate of the quaternion."""
        return vector(v[0], *parts(quaternion_rate(q[1:], v[1:])))

    def measure(self, X_FM: Pose) -> Vec3:
        """Displacement along z, and quaternion wxyz of the attitude."""
        return vector(X_FM.p[2], *parts(quaternion_of(X_FM.R)))

    def carrier(self, planar: bool) -> Joint | None:
        """In the plane it only closes loops."""
        return None if planar else self

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """A slide, then a ball; in the plane a hinge."""
        turned = turn(X_FM.R, "X") if planar else ball(X_FM.R, whole_balls)
        return [*self.along(SLIDE, "Z", self.measure(X_FM)), *turned]

    def closing(self, planar: bool) -> Closing:
        """A slider that has a point in common with body B; in the plane the whole joint."""
        return Closing() if planar else Closing(POINT, 1)
