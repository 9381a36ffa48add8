"""Poses: where a frame is and how it is turned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.spatial.algebra import Mat3, Vec3, apply, transpose


@dataclass(frozen=True, eq=False)
class Pose:
    """Pose X_AB of frame B in frame A: a point with coordinates p_B has p_A = R_AB p_B + p_AB.

    >>> X_AB = Pose(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> (X_AB @ X_AB).p.tolist()
    [2.0, 0.0, 0.0]
    """

    R: Mat3  # axes of B expressed in A  [-]
    p: Vec3  # origin of B in A  [m]

    @staticmethod
    def identity() -> Pose:
        """The pose of a frame in itself."""
        return Pose(np.eye(3), np.zeros(3))

    def __matmul__(self, other: Pose) -> Pose:
        """Compose: X_AC = X_AB @ X_BC."""
        return Pose(self.R @ other.R, apply(self.R, other.p) + self.p)

    def inverse(self) -> Pose:
        """The pose of A in B."""
        R_BA = transpose(self.R)
        return Pose(R_BA, -apply(R_BA, self.p))

    def point(self, p_B: Vec3) -> Vec3:
        """Coordinates in A of a point given in B  [m]."""
        return apply(self.R, p_B) + self.p


@dataclass(frozen=True)
class Unrotated:
    """The axes of a frame are those of its body."""

    def matrix(self) -> Mat3:
        """R = 1."""
        return np.eye(3)
