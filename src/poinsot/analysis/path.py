"""A driven motion in the coordinates of a system, and whether it hangs together.

Where two assembly modes meet, in a singular pose, a motion may come back in the wrong one: q jumps, or the speeds
turn about without acceleration, or the accelerations grow beyond all that the speeds show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.analysis.system import System
from poinsot.analysis.trouble import poses_at, weakness
from poinsot.errors import MotionError

__all__ = ["Path", "require_continuity"]

SUSPECT = 300.0  # condition number from which a motion may have changed its assembly mode


@dataclass(frozen=True, eq=False)
class Path:
    """A driven motion in the coordinates of a system: n times."""

    system: System
    t: np.ndarray  # (n,)  [s]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    a: np.ndarray  # (n, nv), v̇
    p: np.ndarray  # parameters and chart
    residual: float  # largest violation of a constraint or of a prescribed coordinate  [m or rad]
    condition: np.ndarray  # (n,) check value of the solution: 1 is perfect, 0 is singular


def require_continuity(path: Path, names: Sequence[str]) -> None:
    """A motion that passes to another assembly mode between two samples is an error."""
    if len(path.t) < 3:
        return
    jumps, suspects = _jumps(path), _suspects(path)
    for at in np.flatnonzero(jumps | suspects):
        if jumps[at] or _singular(path, at, names):
            raise MotionError(
                f"between t = {path.t[at]:g} and {path.t[at + 1]:g} s the mechanism jumps to another assembly mode: "
                "it passes a singular pose, or the times are too far apart",
                t=float(path.t[at + 1]),
            )


def _jumps(path: Path) -> np.ndarray:
    """Intervals over which q changes by more than the speeds at both ends allow."""
    compiled, zeros = path.system, np.zeros(path.system.sizes[3])
    (rates,) = compiled.kernel("q_dot", lambda: [compiled.equations.q_dot])(path.q, path.v, zeros, path.p)
    step = np.diff(path.t)[:, None]
    miss = np.linalg.norm(np.diff(path.q, axis=0) - step * (rates[1:] + rates[:-1]) / 2, axis=1)
    return miss > 0.5 * np.linalg.norm(step * (np.abs(rates[1:]) + np.abs(rates[:-1])), axis=1) + 0.2


def _suspects(path: Path) -> np.ndarray:
    """Intervals over which speeds and accelerations do not belong together."""
    change = np.linalg.norm(np.diff(path.v, axis=0), axis=1)
    told = np.linalg.norm(np.abs(path.a[1:]) + np.abs(path.a[:-1]), axis=1) * np.diff(path.t)
    turned = np.einsum("ni,ni->n", path.v[1:], path.v[:-1]) < 0
    return (turned & (change > 4 * told)) | (told > 100 * change + np.median(told))


def _singular(path: Path, at: int, names: Sequence[str]) -> bool:
    """Whether the pose at either end of an interval is near a singular one."""
    held = {name: path.system.mechanism.coordinates[name] for name in names}
    ends = [poses_at(path.system, path.q[i], path.p) for i in (at, at + 1)]
    return max(weakness(path.system, poses, held).condition for poses in ends) > SUSPECT
