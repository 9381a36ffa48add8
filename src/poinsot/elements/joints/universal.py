"""Universal joint: Cardan's cross."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from poinsot.elements.joints.base import Joint, JointCoordinate, turn_angle
from poinsot.elements.joints.steps import HINGE, Step
from poinsot.spatial.algebra import Mat3, Scalar, Vec3, cross, dot, function, matrix, unit, vector
from poinsot.spatial.orientation import Along
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation

PARALLEL = 1e-3  # sine of the angle between two directions below which they have no common normal


@final
@dataclass(frozen=True)
class Universal(Joint):
    """Turn about x_F, fixed in A, then about y_M, fixed in B; the two arms of the cross stay perpendicular.

        Φ = (p_FM, x_F·y_M) = 0        four equations        (theory/joints, eq. 4)

    z is the common normal of the arms, as their numbers stand in the two frames: perpendicular numbers give
    frames that coincide at zero, others are turned about z by what is missing to a right angle.
    """

    axis: Along = Along((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), "x")  # first arm, in frame a
    axis2: Along = Along((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), "y")  # second arm, in frame b
    normal: tuple[float, float, float] | None = None  # z where the numbers of the arms are parallel  [-]

    kind = "universal"
    axes = {"axis": "x", "axis2": "y"}
    coordinates = (JointCoordinate("angle1", "rad"), JointCoordinate("angle2", "rad"))
    rows = ("position x", "position y", "position z", "angle of the arms")

    def frame_on_a(self) -> Pose:
        """X_AF: the user's frame on A, turned so that x is the first arm."""
        x = unit(vector(*self.axis.direction))
        z = self._normal(x)
        return self.a.pose() @ Pose(_columns(x, cross(z, x), z), [0.0, 0.0, 0.0])

    def frame_on_b(self) -> Pose:
        """X_BM: the user's frame on B, turned so that y is the second arm."""
        y = unit(vector(*self.axis2.direction))
        z = self._normal(y)
        return self.b.pose() @ Pose(_columns(cross(y, z), y, z), [0.0, 0.0, 0.0])

    def _normal(self, arm: Vec3) -> Vec3:
        """Unit normal of the two arms; a given one is made perpendicular to the arm."""
        if self.normal is None:
            return unit(cross(vector(*self.axis.direction), vector(*self.axis2.direction)))
        normal = np.asarray(self.normal)
        return unit(normal - dot(normal, arm) * arm)

    def settled(self, nominal: Callable[[Scalar], float]) -> Universal:
        """An arm that was left out is perpendicular to the other; parallel arms get a normal."""
        law = type(self)
        x, y = (unit(np.array([nominal(d) for d in arm.direction])) for arm in (self.axis, self.axis2))
        if self.axis == law.axis:
            return replace(self, axis=Along(_perpendicular(x, y), law.axis.hint, "x"))
        if self.axis2 == law.axis2:
            return replace(self, axis2=Along(_perpendicular(y, x), law.axis2.hint, "y"))
        if np.linalg.norm(cross(x, y)) > PARALLEL:
            return self
        return replace(self, normal=_perpendicular(np.eye(3)[2], x))

    def remark(self) -> str | None:
        """Arms whose numbers are not perpendicular: the frames do not coincide at zero."""
        x, y = (unit(vector(*arm.direction)) for arm in (self.axis, self.axis2))
        angle = np.degrees(np.arctan2(np.linalg.norm(cross(x, y)), dot(x, y)))
        if abs(angle - 90) < 1e-3:
            return None
        return (
            f"axis and axis2 of the universal joint '{self.name}' enclose {angle:.4g}° in their frames, which are "
            f"therefore {abs(angle - 90):.4g}° apart at zero"
        )

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

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """Two hinges."""
        return self.along(HINGE, "XY", self.measure(X_FM))


def _perpendicular(wanted: Vec3, to: Vec3) -> tuple[float, float, float]:
    """The direction nearest to a wanted one, or to the next axis if parallel, that is perpendicular to another."""
    off = wanted - dot(wanted, to) * to
    if np.linalg.norm(off) < PARALLEL:
        return _perpendicular(np.roll(wanted, 1), to)
    x, y, z = (float(c) for c in unit(off))
    return x, y, z


def _columns(x: Vec3, y: Vec3, z: Vec3) -> Mat3:
    return matrix(*((x[i], y[i], z[i]) for i in range(3)))
