"""Constant load on a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.frame import Frame
from poinsot.spatial.algebra import Scalar, apply, transpose, vector
from poinsot.spatial.motion import Twist, Wrench, carry_twist
from poinsot.spatial.pose import Pose


@final
@dataclass(frozen=True)
class Load:
    """A constant force and moment at a point of a body, in world axes or following the body.

    P = f·v_F + m·ω        (theory/forces, eq. 7)
    """

    name: str
    at: Frame
    force: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)  # [N]
    moment: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)  # [N·m]
    follows: bool = False  # expressed in the frame's axes instead of the world's

    kind = "load"
    linear = ("force", "moment")

    def wrench(self, X_WB: Pose) -> Wrench:
        """Force and moment at the place, in its axes, where its body has the pose X_WB."""
        f, m = vector(*self.force), vector(*self.moment)
        if self.follows:
            return Wrench(f, m)
        R_FW = transpose(X_WB.R @ self.at.pose().R)
        return Wrench(apply(R_FW, f), apply(R_FW, m))

    def twist(self, V_B: Twist) -> Twist:
        """Twist of the place, in its axes: what the wrench does work on."""
        return carry_twist(self.at.pose(), V_B)
