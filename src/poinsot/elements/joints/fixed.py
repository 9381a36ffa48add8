"""Fixed joint: a weld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.elements.joints.base import Joint
from poinsot.elements.joints.steps import FRAME, Closing, Step
from poinsot.spatial.algebra import Vec3, vector
from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class Fixed(Joint):
    """No relative motion.

    Φ = (p_FM, ½ unskew(R_FM − R_FMᵀ)) = 0        six equations        (theory/joints, eq. 8)
    """

    kind = "fixed"
    coordinates = ()
    rows = ("position x", "position y", "position z", "turn about x", "turn about y", "turn about z")
    in_plane = (0, 1, 5)

    def residual(self, X_FM: Pose) -> Vec3:
        """Origins together, attitudes equal."""
        R, p = X_FM.R, X_FM.p
        turns = ((R[2, 1] - R[1, 2]) / 2, (R[0, 2] - R[2, 0]) / 2, (R[1, 0] - R[0, 1]) / 2)
        return vector(p[0], p[1], p[2], *turns)

    def motion(self, q: Vec3) -> Pose:
        """X_FM = 1."""
        return Pose.identity()

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """At rest."""
        return np.zeros(3), np.zeros(3)

    def measure(self, X_FM: Pose) -> Vec3:
        """Nothing to measure."""
        return np.zeros(0)

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """None."""
        return []

    def closing(self, planar: bool) -> Closing:
        """A common frame."""
        return Closing(FRAME, 0)
