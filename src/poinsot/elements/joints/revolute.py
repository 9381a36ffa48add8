"""Revolute joint: a hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.elements.joints.base import AxisJoint, JointCoordinate, turn_angle
from poinsot.elements.joints.steps import HINGE, Closing, Step
from poinsot.spatial.algebra import Vec3, vector
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation


@final
@dataclass(frozen=True)
class Revolute(AxisJoint):
    """Turn about the common z axis.

    Φ = (p_FM, x_F·z_M, y_F·z_M) = 0        five equations        (theory/joints, eq. 1)
    """

    kind = "revolute"
    coordinates = (JointCoordinate("angle", "rad"),)
    rows = ("position x", "position y", "position z", "tilt about y", "tilt about x")
    in_plane = (0, 1)
    is_hinge = True

    def residual(self, X_FM: Pose) -> Vec3:
        """Origins together, axes parallel."""
        return vector(X_FM.p[0], X_FM.p[1], X_FM.p[2], X_FM.R[0, 2], X_FM.R[1, 2])

    def motion(self, q: Vec3) -> Pose:
        """R_FM = R_z(q)."""
        return Pose(axis_rotation("Z", q[0]), np.zeros(3))

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """ω = q̇ z."""
        return np.zeros(3), vector(0 * v[0], 0 * v[0], v[0])

    def measure(self, X_FM: Pose) -> Vec3:
        """Angle of x_M from x_F."""
        return vector(turn_angle(X_FM.R[1, 0], X_FM.R[0, 0]))

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """A hinge."""
        return self.along(HINGE, "Z", self.measure(X_FM))

    def closing(self, planar: bool) -> Closing:
        """A common axis."""
        return Closing(HINGE, 0)
