"""Universal joint: Cardan's cross."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.elements.joints.base import Joint, JointCoordinate, turn_angle
from poinsot.spatial.algebra import Vec3, function, vector
from poinsot.spatial.orientation import Along
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation

__all__ = ["Universal"]


@final
@dataclass(frozen=True)
class Universal(Joint):
    """Turn about x_F, fixed in A, then about y_M, fixed in B; the two arms of the cross stay perpendicular.

    Φ = (p_FM, x_F·y_M) = 0        four equations        (theory/joints, eq. 4)
    """

    axis: Along = Along((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), "x")  # first arm, in frame a
    axis2: Along = Along((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), "y")  # second arm, in frame b

    kind = "universal"
    coordinates = (JointCoordinate("angle1", "rad"), JointCoordinate("angle2", "rad"))
    rows = ("position x", "position y", "position z", "angle of the arms")

    def frame_on_a(self) -> Pose:
        """X_AF: the user's frame on A, turned so that x is the first arm."""
        return self.a.pose() @ Pose(self.axis.matrix(), [0.0, 0.0, 0.0])

    def frame_on_b(self) -> Pose:
        """X_BM: the user's frame on B, turned so that y is the second arm."""
        return self.b.pose() @ Pose(self.axis2.matrix(), [0.0, 0.0, 0.0])

    def residual(self, X_FM: Pose) -> Vec3:
        """Origins together, arms perpendicular."""
        return vector(X_FM.p[0], X_FM.p[1], X_FM.p[2], X_FM.R[0, 1])

    def motion(self, q: Vec3) -> Pose:
        """R_FM = R_x(q₁) R_y(q₂)."""
        return Pose(axis_rotation("X", q[0]) @ axis_rotation("Y", q[1]), np.zeros(3))

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """ω = q̇₁ R_y(q₂)ᵀ x + q̇₂ y."""
        c, s = function("cos", q[1]), function("sin", q[1])
        return np.zeros(3), vector(c * v[0], v[1], s * v[0])

    def measure(self, X_FM: Pose) -> Vec3:
        """Angles about the two arms."""
        R = X_FM.R
        return vector(turn_angle(R[2, 1], R[1, 1]), turn_angle(R[0, 2], R[0, 0]))
