"""Elementary motions: a joint as a chain of hinges, slides and balls, which is how other programs say it.

The chain is a product of exponentials about the assembled pose: with X_FM = E₁(q₁) E₂(q₂) …, motion i turns about
or slides along an axis that stands, in the assembled pose, at E₁ … Eᵢ₋₁ eᵢ. Run from side B to side A the chain is
reversed and every axis turns round; the coordinates keep their values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poinsot.elements.joints import Joint
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation, euler_angles, rotation_exponential

__all__ = ["BALL", "HINGE", "SLIDE", "Motion", "motions", "undone"]

HINGE, SLIDE, BALL = "hinge", "slide", "ball"


@dataclass(frozen=True, eq=False)
class Motion:
    """One hinge, slide or ball in the assembled pose."""

    kind: str  # HINGE, SLIDE or BALL
    name: str  # that of the joint, followed by the coordinate where the joint has several
    joint: str
    coordinate: int | None  # which coordinate of the joint it is, if it is one
    axis: np.ndarray  # unit vector in the world, (3,)  [-]
    point: np.ndarray  # on the axis, in the world, (3,)  [m]
    value: float  # in the assembled pose  [rad] or [m]
    follows: tuple[str, float] | None = None  # a screw: name of the turn, and advance per radian  [m/rad]


@dataclass(frozen=True)
class _Step:
    kind: str
    letter: str  # axis in the frame reached so far
    value: float
    coordinate: int | None
    label: str

    def pose(self, X_FM: Pose) -> Pose:
        if self.kind == HINGE:
            return Pose(axis_rotation(self.letter, self.value), np.zeros(3))
        if self.kind == SLIDE:
            return Pose(np.eye(3), self.value * np.eye(3)["XYZ".index(self.letter)])
        return Pose(X_FM.R, np.zeros(3))


def _single(joint: Joint, kind: str, letters: str, q: np.ndarray, start: int = 0) -> list[_Step]:
    """Steps of one kind along or about several axes, each a coordinate of the joint."""
    return [
        _Step(kind, letter, float(q[start + i]), start + i, joint.coordinates[start + i].name)
        for i, letter in enumerate(letters)
    ]


def _ball(X_FM: Pose, whole: bool) -> list[_Step]:
    if whole:
        return [_Step(BALL, "X", 0.0, None, "ball")]
    angles = euler_angles("XYZ", X_FM.R)
    return [
        _Step(HINGE, letter, float(angle), None, f"turn_{letter.lower()}") for letter, angle in zip("XYZ", angles)
    ]


def _turn(X_FM: Pose, letter: str) -> _Step:
    """The one turn that a ball has left in a planar mechanism."""
    i = ("XYZ".index(letter) + 1) % 3
    j = (i + 1) % 3
    return _Step(HINGE, letter, float(np.arctan2(X_FM.R[j, i], X_FM.R[i, i])), None, "turn")


def _steps(joint: Joint, planar: bool, X_FM: Pose, whole_balls: bool) -> list[_Step]:
    q = np.asarray(joint.measure(X_FM), float)
    kind = joint.kind
    if kind == "revolute":
        return _single(joint, HINGE, "Z", q)
    if kind == "prismatic":
        return _single(joint, SLIDE, "Z", q)
    if kind == "cylindrical":
        return [*_single(joint, SLIDE, "Z", q), *_single(joint, HINGE, "Z", q, 1)]
    if kind == "helical":
        return [*_single(joint, HINGE, "Z", q), _Step(SLIDE, "Z", float(joint.lead * q[0]), None, "advance")]
    if kind == "universal":
        return _single(joint, HINGE, "XY", q)
    if kind == "planar":
        return [*_single(joint, SLIDE, "XY", q), *_single(joint, HINGE, "Z", q, 2)]
    if kind == "spherical":
        return [_turn(X_FM, "Z")] if planar else _ball(X_FM, whole_balls)
    if kind == "point-on-line":
        return [*_single(joint, SLIDE, "Z", q), *([_turn(X_FM, "X")] if planar else _ball(X_FM, whole_balls))]
    if kind == "free":
        slides = _single(joint, SLIDE, "XY" if planar else "XYZ", q)
        return [*slides, *([_turn(X_FM, "Z")] if planar else _ball(X_FM, whole_balls))]
    return []


def motions(joint: Joint, planar: bool, X_WA: Pose, X_WB: Pose, backwards: bool, whole_balls: bool) -> list[Motion]:
    """Elementary motions of a joint in the assembled pose, from side A to side B or backwards.

    `whole_balls` keeps a ball as one motion; otherwise it becomes three hinges about x, y, z.
    """
    X_FM = joint.relative(X_WA, X_WB)
    steps = _steps(joint, planar, X_FM, whole_balls)
    X, chain = X_WA @ joint.frame_on_a(), []
    for step in steps:
        name = joint.name if len(steps) == 1 else f"{joint.name}.{step.label}"
        axis = np.asarray(X.R @ np.eye(3)["XYZ".index(step.letter)], float)
        chain.append(Motion(step.kind, name, joint.name, step.coordinate, axis, np.asarray(X.p, float), step.value))
        X = X @ step.pose(X_FM)
    if joint.kind == "helical":
        chain[1] = replace(chain[1], follows=(chain[0].name, float(joint.lead)))
    return [replace(m, axis=-m.axis) for m in reversed(chain)] if backwards else chain


def undone(motion: Motion, X_WL: Pose) -> Pose:
    """Where a frame behind a hinge or slide would be if its coordinate were zero."""
    if motion.kind == SLIDE:
        return Pose(X_WL.R, X_WL.p - motion.value * motion.axis)
    R = rotation_exponential(-motion.value * motion.axis)
    return Pose(R @ X_WL.R, motion.point + R @ (X_WL.p - motion.point))
