"""Spherical joint: a ball in its socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.elements.joints.attitude import quaternion_of
from poinsot.elements.joints.base import Joint, JointCoordinate
from poinsot.elements.joints.revolute import Revolute
from poinsot.elements.joints.steps import HINGE, POINT, Closing, Step, ball, turn
from poinsot.spatial.algebra import Vec3
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_matrix, quaternion_rate


@final
@dataclass(frozen=True)
class Spherical(Joint):
    """Turn about any axis through the common point.

    Φ = p_FM = 0        three equations        (theory/joints, eq. 5)
    """

    kind = "spherical"
    coordinates = tuple(JointCoordinate(name, "-") for name in ("w", "x", "y", "z"))
    rows = ("position x", "position y", "position z")
    in_plane = (0, 1)

    def residual(self, X_FM: Pose) -> Vec3:
        """Origins together."""
        return X_FM.p

    def motion(self, q: Vec3) -> Pose:
        """R_FM of the quaternion wxyz."""
        return Pose(quaternion_matrix(q), np.zeros(3))

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """ω = v."""
        return np.zeros(3), v

    def rates(self, q: Vec3, v: Vec3) -> Vec3:
        """Rate of the quaternion: ½ q ∘ (0, v)."""
        return quaternion_rate(q, v)

    def measure(self, X_FM: Pose) -> Vec3:
        """Quaternion wxyz of R_FM."""
        return quaternion_of(X_FM.R)

    def carrier(self, planar: bool) -> Joint:
        """In the plane a hinge."""
        return Revolute(self.name, self.a, self.b) if planar else self

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """A ball; in the plane a hinge."""
        return turn(X_FM.R, "Z") if planar else ball(X_FM.R, whole_balls)

    def closing(self, planar: bool) -> Closing:
        """A common point; in the plane a common axis."""
        return Closing(HINGE if planar else POINT, 0)
