"""Cylindrical joint: a slide that may also turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.joints.base import AxisJoint, JointCoordinate, turn_angle
from poinsot.elements.joints.steps import HINGE, SLIDE, Step
from poinsot.spatial.algebra import Vec3, vector
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation


@final
@dataclass(frozen=True)
class Cylindrical(AxisJoint):
    """Slide along and turn about the common z axis.

    Φ = (p_x, p_y, x_F·z_M, y_F·z_M) = 0        four equations        (theory/joints, eq. 3)
    """

    kind = "cylindrical"
    coordinates = (JointCoordinate("displacement", "m"), JointCoordinate("angle", "rad"))
    rows = ("position x", "position y", "tilt about y", "tilt about x")

    def residual(self, X_FM: Pose) -> Vec3:
        """Origin of M on the axis of F, axes parallel."""
        return vector(X_FM.p[0], X_FM.p[1], X_FM.R[0, 2], X_FM.R[1, 2])

    def motion(self, q: Vec3) -> Pose:
        """p_FM = q₁ z, R_FM = R_z(q₂)."""
        return Pose(axis_rotation("Z", q[1]), vector(0 * q[0], 0 * q[0], q[0]))

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """v = q̇₁ z, ω = q̇₂ z."""
        return vector(0 * v[0], 0 * v[0], v[0]), vector(0 * v[0], 0 * v[0], v[1])

    def measure(self, X_FM: Pose) -> Vec3:
        """Displacement along z, angle of x_M from x_F."""
        return vector(X_FM.p[2], turn_angle(X_FM.R[1, 0], X_FM.R[0, 0]))

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """A slide, then a hinge."""
        q = self.measure(X_FM)
        return [*self.along(SLIDE, "Z", q), *self.along(HINGE, "Z", q, 1)]
