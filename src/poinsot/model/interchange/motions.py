"""Elementary motions: a joint as a chain of hinges, slides and balls, which is how other programs say it.

The chain is a product of exponentials about the assembled pose: with X_FM = E₁(q₁) E₂(q₂) …, motion i turns about
or slides along an axis that stands, in the assembled pose, at E₁ … Eᵢ₋₁ eᵢ. Run from side B to side A the chain is
reversed and every axis turns round; the coordinates keep their values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poinsot.elements.joints import Joint
from poinsot.elements.joints.steps import SLIDE
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_exponential


@dataclass(frozen=True, eq=False)
class ElementaryMotion:
    """One hinge, slide or ball in the assembled pose."""

    type: str  # HINGE, SLIDE or BALL
    name: str  # that of the joint, followed by the coordinate where the joint has several
    joint: str
    coordinate: int | None  # which coordinate of the joint it is, if it is one
    axis: np.ndarray  # unit vector in the world, (3,)  [-]
    point: np.ndarray  # on the axis, in the world, (3,)  [m]
    value: float  # in the assembled pose  [rad] or [m]
    follows: tuple[str, float] | None = None  # a screw: name of the turn, and advance per radian  [m/rad]


def motions(
    joint: Joint, planar: bool, X_WA: Pose, X_WB: Pose, backwards: bool, whole_balls: bool
) -> list[ElementaryMotion]:
    """Elementary motions of a joint in the assembled pose, from side A to side B or backwards.

    `whole_balls` keeps a ball as one motion; otherwise it becomes three hinges about x, y, z.
    """
    X_FM = joint.relative(X_WA, X_WB)
    steps = joint.steps(X_FM, planar, whole_balls)
    X, chain = X_WA @ joint.frame_on_a(), []
    for step in steps:
        name = joint.name if len(steps) == 1 else f"{joint.name}.{step.label}"
        axis = np.asarray(X.R @ np.eye(3)["XYZ".index(step.letter)], float)
        point, follows = np.asarray(X.p, float), None if step.lead is None else (chain[-1].name, step.lead)
        chain.append(ElementaryMotion(step.type, name, joint.name, step.coordinate, axis, point, step.value, follows))
        X = X @ step.pose(X_FM.R)
    return [replace(m, axis=-m.axis) for m in reversed(chain)] if backwards else chain


def undone(motion: ElementaryMotion, X_WL: Pose) -> Pose:
    """Where a frame behind a hinge or slide would be if its coordinate were zero."""
    if motion.type == SLIDE:
        return Pose(X_WL.R, X_WL.p - motion.value * motion.axis)
    R = rotation_exponential(-motion.value * motion.axis)
    return Pose(R @ X_WL.R, motion.point + R @ (X_WL.p - motion.point))
