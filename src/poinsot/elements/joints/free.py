"""Free joint: a body that floats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.elements.joints.attitude import parts, quaternion_of
from poinsot.elements.joints.base import Joint, JointCoordinate
from poinsot.elements.joints.planar import Planar
from poinsot.elements.joints.steps import OPEN, SLIDE, Closing, Step, ball, turn
from poinsot.spatial.algebra import Vec3, apply, is_symbolic, transpose, vector
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_matrix, quaternion_rate


@final
@dataclass(frozen=True)
class Free(Joint):
    """All six relative motions.

    no equation        (theory/joints, eq. 9)
    """

    kind = "free"
    coordinates = (
        *(JointCoordinate(f"p{axis}", "m") for axis in "xyz"),
        *(JointCoordinate(f"q{axis}", "-") for axis in "wxyz"),
    )
    rows = ()
    in_plane = ()

    def residual(self, X_FM: Pose) -> Vec3:
        """Nothing to satisfy."""
        return X_FM.p[:0] if is_symbolic(X_FM.p) else np.zeros(0)

    def motion(self, q: Vec3) -> Pose:
        """p_FM = q₁…₃, R_FM of the quaternion q₄…₇."""
        return Pose(quaternion_matrix(q[3:]), q[:3])

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """Speeds are ṗ in the axes of F and ω in those of M."""
        return apply(transpose(quaternion_matrix(q[3:])), v[:3]), v[3:]

    def rates(self, q: Vec3, v: Vec3) -> Vec3:
        """ṗ, and the rate of the quaternion."""
        return vector(*(v[i] for i in range(3)), *parts(quaternion_rate(q[3:], v[3:])))

    def measure(self, X_FM: Pose) -> Vec3:
        """Place, and quaternion wxyz of the attitude."""
        return vector(*(X_FM.p[i] for i in range(3)), *parts(quaternion_of(X_FM.R)))

    def carrier(self, planar: bool) -> Joint:
        """In the plane two slides and a turn."""
        return Planar(self.name, self.a, self.b) if planar else self

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """Three slides and a ball; in the plane two and a hinge."""
        q = self.measure(X_FM)
        turned = turn(X_FM.R, "Z") if planar else ball(X_FM.R, whole_balls)
        return [*self.along(SLIDE, "XY" if planar else "XYZ", q), *turned]

    def closing(self, planar: bool) -> Closing:
        """Nothing in common."""
        return Closing(OPEN, 0)
