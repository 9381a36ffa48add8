"""A joint as a chain of hinges, slides and balls, and as what closes a loop: how other programs say it.

X_FM = E₁(q₁) E₂(q₂) …        each step about or along an axis of the frame reached so far
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation, euler_angles

if TYPE_CHECKING:
    from poinsot.spatial.algebra import Mat3


HINGE, SLIDE, BALL = "hinge", "slide", "ball"
POINT, FRAME, DISTANCE, OPEN = "point", "frame", "distance", "open"


@dataclass(frozen=True)
class Step:
    """One hinge, slide or ball of a joint in an assembled pose."""

    type: str  # HINGE, SLIDE or BALL
    letter: str  # axis in the frame reached so far: X, Y or Z
    value: float  # [rad] or [m]
    label: str  # beside the joint's name where there are several steps
    coordinate: int | None = None  # which coordinate of the joint it is, if it is one
    lead: float | None = None  # advance per radian of the step before, which it follows  [m/rad]

    def pose(self, R: Mat3) -> Pose:
        """The step itself; a ball turns by R."""
        if self.type == HINGE:
            return Pose(axis_rotation(self.letter, self.value), np.zeros(3))
        if self.type == SLIDE:
            return Pose(np.eye(3), self.value * np.eye(3)["XYZ".index(self.letter)])
        return Pose(R, np.zeros(3))


@dataclass(frozen=True)
class Closing:
    """How a joint closes a loop: steps that an auxiliary link takes on side A, then what it shares with side B."""

    form: str = FRAME  # POINT, FRAME, HINGE (an axis), DISTANCE, or OPEN: nothing
    carried: int | None = None  # number of steps; None: all


def ball(R: Mat3, whole: bool) -> list[Step]:
    """A turn R about any axis: one ball, or hinges about x, y, z."""
    if whole:
        return [Step(BALL, "X", 0.0, "ball")]
    angles = zip("XYZ", euler_angles("XYZ", R))
    return [Step(HINGE, letter, float(angle), f"turn_{letter.lower()}") for letter, angle in angles]


def turn(R: Mat3, letter: str) -> list[Step]:
    """The one turn that a ball has left in a planar mechanism, about its normal."""
    i = ("XYZ".index(letter) + 1) % 3
    return [Step(HINGE, letter, float(np.arctan2(R[(i + 1) % 3, i], R[i, i])), "turn")]
