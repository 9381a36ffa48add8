"""Small motions of frames: exact to second order, which is what stiffness needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.lazy import casadi
from poinsot.spatial.algebra import cross, skew
from poinsot.spatial.motion import Twist
from poinsot.spatial.pose import Pose


def pose_of(column: Any) -> Pose:
    """Pose of twelve numbers: the columns of R, then p."""
    return Pose(casadi.reshape(column[:9], 3, 3), column[9:])


def flat(X: Pose) -> np.ndarray:
    """Twelve numbers of a pose in numbers."""
    return np.concatenate([np.asarray(X.R, float).T.ravel(), np.asarray(X.p, float)])


def moved(X: Pose, xi: Any) -> Pose:
    """X exp(ξ) to second order in ξ = (v, w), in the frame's own axes."""
    v, w = xi[:3], xi[3:]
    W = skew(w)
    return Pose(X.R @ (np.eye(3) + W + W @ W / 2), X.p + X.R @ (v + cross(w, v) / 2))


def twist_of(xi: Any, rate: Any) -> Twist:
    """Twist of a frame that moves as X exp(ξ(t)), to first order in ξ: ξ̇ − ½ ξ × ξ̇."""
    turn = Twist(xi[:3], xi[3:]).crossed(Twist(rate[:3], rate[3:]))
    return Twist(rate[:3] - turn.v / 2, rate[3:] - turn.w / 2)
