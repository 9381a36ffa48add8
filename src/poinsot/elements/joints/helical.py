"""Helical joint: a screw in its nut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.joints.base import AxisJoint, JointCoordinate, JointOption, turn_angle
from poinsot.elements.joints.steps import HINGE, SLIDE, Step
from poinsot.spatial.algebra import Scalar, Vec3, function, vector
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation


@final
@dataclass(frozen=True)
class Helical(AxisJoint):
    """Turn about the common z axis and advance by the lead h per radian.

        Φ = (p_x, p_y, x_F·z_M, y_F·z_M, y_F·x_M cos(p_z/h) − x_F·x_M sin(p_z/h)) = 0
        five equations        (theory/joints, eq. 7)

    The last row is sin(angle − p_z/h): it holds over any number of turns.
    """

    lead: Scalar = 1e-3  # advance per radian, not zero  [m/rad]

    kind = "helical"
    winds = True
    nonzero = ("lead",)
    options = {"lead": JointOption("m/rad", "Advance of a helical joint, such as '5 mm/rev' [m/rad].")}
    coordinates = (JointCoordinate("angle", "rad"),)
    rows = ("position x", "position y", "tilt about y", "tilt about x", "advance along z")

    def residual(self, X_FM: Pose) -> Vec3:
        """Origin of M on the axis of F, axes parallel, advance in step with the turn."""
        turn = X_FM.p[2] / self.lead
        screw = X_FM.R[1, 0] * function("cos", turn) - X_FM.R[0, 0] * function("sin", turn)
        return vector(X_FM.p[0], X_FM.p[1], X_FM.R[0, 2], X_FM.R[1, 2], screw)

    def motion(self, q: Vec3) -> Pose:
        """p_FM = h q z, R_FM = R_z(q)."""
        return Pose(axis_rotation("Z", q[0]), vector(0 * q[0], 0 * q[0], self.lead * q[0]))

    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """v = h q̇ z, ω = q̇ z."""
        return vector(0 * v[0], 0 * v[0], self.lead * v[0]), vector(0 * v[0], 0 * v[0], v[0])

    def measure(self, X_FM: Pose) -> Vec3:
        """Angle, whole turns included: the advance gives the turns, the attitude the rest."""
        turn = X_FM.p[2] / self.lead
        s, c = function("sin", turn), function("cos", turn)
        rest = turn_angle(X_FM.R[1, 0] * c - X_FM.R[0, 0] * s, X_FM.R[0, 0] * c + X_FM.R[1, 0] * s)
        return vector(turn + rest)

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """A hinge, and a slide that follows it."""
        q = self.measure(X_FM)
        lead = float(self.lead)
        return [*self.along(HINGE, "Z", q), Step(SLIDE, "Z", float(self.lead * q[0]), "advance", lead=lead)]
