"""Planar joint: a puck on a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.joints.base import AxisJoint, JointCoordinate, turn_angle
from poinsot.elements.joints.steps import HINGE, SLIDE, Step
from poinsot.spatial.algebra import Vec3, apply, transpose, vector
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation


@final
@dataclass(frozen=True)
class Planar(AxisJoint):
    """Slide in the plane with normal z and turn about it.

    Φ = (p_z, x_F·z_M, y_F·z_M) = 0        three equations        (theory/joints, eq. 6)
    """

    kind = "planar"
    coordinates = (JointCoordinate("x", "m"), JointCoordinate("y", "m"), JointCoordinate("angle", "rad"))
    rows = ("position z", "tilt about y", "tilt about x")
    in_plane = ()

    def residual(self, X_FM: Pose) -> Vec3:
        """Origin of M in the plane of F, normals parallel."""
        return vector(X_FM.p[2], X_FM.R[0, 2], X_FM.R[1, 2])

    def motion(self, q: Vec3) -> Pose:
        """p_FM = (q₁, q₂, 0), R_FM = R_z(q₃)."""
        return Pose(axis_rotation("Z", q[2]), vector(q[0], q[1], 0 * q[0]))

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """v = R_z(q₃)ᵀ (q̇₁, q̇₂, 0), ω = q̇₃ z."""
        v_F = vector(v[0], v[1], 0 * v[0])
        return apply(transpose(axis_rotation("Z", q[2])), v_F), vector(0 * v[2], 0 * v[2], v[2])

    def measure(self, X_FM: Pose) -> Vec3:
        """Place in the plane and angle of x_M from x_F."""
        return vector(X_FM.p[0], X_FM.p[1], turn_angle(X_FM.R[1, 0], X_FM.R[0, 0]))

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """Two slides, then a hinge."""
        q = self.measure(X_FM)
        return [*self.along(SLIDE, "XY", q), *self.along(HINGE, "Z", q, 2)]
