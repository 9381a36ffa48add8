"""Prismatic joint: a slide that does not turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.elements.joints.base import AxisJoint, JointCoordinate
from poinsot.elements.joints.steps import SLIDE, Step
from poinsot.spatial.algebra import Vec3, vector
from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class Prismatic(AxisJoint):
    """Slide along the common z axis.

        Φ = (p_x, p_y, x_F·z_M, y_F·z_M, y_F·x_M) = 0        five equations        (theory/joints, eq. 2)

    In a planar mechanism x_F is the normal of the plane, which leaves p_y and y_F·z_M.
    """

    kind = "prismatic"
    coordinates = (JointCoordinate("displacement", "m"),)
    rows = ("position x", "position y", "tilt about y", "tilt about x", "turn about z")
    in_plane = (1, 3)
    axis_in_plane = True
    is_slide = True

    def residual(self, X_FM: Pose) -> Vec3:
        """Origin of M on the axis of F, attitudes equal."""
        return vector(X_FM.p[0], X_FM.p[1], X_FM.R[0, 2], X_FM.R[1, 2], X_FM.R[1, 0])

    def motion(self, q: Vec3) -> Pose:
        """p_FM = q z."""
        return Pose(np.eye(3), vector(0 * q[0], 0 * q[0], q[0]))

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """v = q̇ z."""
        return vector(0 * v[0], 0 * v[0], v[0]), np.zeros(3)

    def measure(self, X_FM: Pose) -> Vec3:
        """Displacement along z."""
        return vector(X_FM.p[2])

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """A slide."""
        return self.along(SLIDE, "Z", self.measure(X_FM))
