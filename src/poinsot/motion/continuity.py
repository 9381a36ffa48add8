"""A driven motion in the coordinates of a system, and whether it hangs together.

Where two assembly modes meet, in a singular pose, a motion may come back in the wrong one: q jumps, or the speeds
turn about without acceleration, or the accelerations grow beyond all that the speeds show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.errors import MotionError
from poinsot.model.assembly.branches import along_branch
from poinsot.system.conditioning import conditioning
from poinsot.system.functions import coordinate_rates, poses_at
from poinsot.system.scales import coordinate_sizes, natural_speeds

if TYPE_CHECKING:
    from poinsot.motion.continuation import Course
    from poinsot.system.system import System

UNSEEN = 0.02  # natural size of a jump that is not seen between samples that come close to each other
STEADY = 1e-9  # of the speeds: smaller changes of theirs are round-off, which a fine screw makes large
SUSPECT = 300.0  # condition number from which a motion may have changed its assembly mode


@dataclass(frozen=True, eq=False)
class Path:
    """A driven motion in the coordinates of a system: n times."""

    system: System
    t: np.ndarray  # (n,)  [s]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    a: np.ndarray  # (n, nv), v̇
    p: np.ndarray  # parameters and chart (m,), or (n, m) where charts change on the way
    residual: float  # largest violation of a constraint or of a prescribed coordinate  [m or rad]
    check: np.ndarray  # (n,) check value of the solution, or singular values' ratio: 1 is perfect, 0 is singular
    between: Path | None = None  # the same with poses in between that it took to follow the motion; None if none did

    def constants(self, k: int) -> np.ndarray:
        """Parameters and chart (m,) at sample k."""
        return self.p if self.p.ndim == 1 else self.p[k]

    def holding(self, k: int) -> float:
        """Condition number of the joints alone at sample k."""
        return conditioning(self.system, poses_at(self.system, self.q[k], self.constants(k))).condition

    def cut(self, chosen: Any) -> Path:
        """The path at some of its samples, chosen by a slice or by numbers."""
        parts = {x: getattr(self, x)[chosen] for x in ("t", "q", "v", "a", "check")}
        return replace(self, p=self.p if self.p.ndim == 1 else self.p[chosen], **parts)

    def among(self, chosen: np.ndarray) -> Path:
        """The path at some of its samples (n,), which keeps the whole as what lies in between."""
        if chosen.all():
            return self
        return replace(self.cut(chosen), between=self.between or self)


def joined(parts: Sequence[Path]) -> Path:
    """Paths one after another, each beginning where the one before ends, in charts of their own."""
    if len(parts) == 1:
        return parts[0]
    pieces = [parts[0], *(part.cut(slice(1, None)) for part in parts[1:])]
    whole = {x: np.concatenate([getattr(piece, x) for piece in pieces]) for x in ("t", "q", "v", "a", "check")}
    p = np.concatenate([np.broadcast_to(piece.p, (len(piece.t), piece.p.shape[-1])) for piece in pieces])
    between = (
        joined([part.between or replace(part, between=None) for part in parts])
        if any(part.between for part in parts)
        else None
    )
    residual = max(part.residual for part in parts)
    return replace(parts[0], p=p, residual=residual, between=between, **whole)


def require_continuity(path: Path, course: Course, walked: np.ndarray) -> None:
    """A motion that passes to another assembly mode between two samples is an error.

    `walked` (n,) are samples that were reached by continuation, each from the one before.
    """
    if len(path.t) < 2:
        return
    size, names = course.size, course.driven.names
    jumps = _jumps(path, size) & ~(walked[1:] & walked[:-1])
    jumps[np.flatnonzero(walked)[1:] - 1] |= ~along_branch(course.slopes(path.q[walked]))
    suspects = _suspects(path, size)
    for at in np.flatnonzero(jumps | suspects).tolist():
        if jumps[at] or _singular(path, at, names):
            raise MotionError(
                f"between t = {path.t[at]:g} and {path.t[at + 1]:g} s the mechanism jumps to another assembly mode: "
                "it passes a singular pose, or the times are too far apart",
                t=float(path.t[at + 1]),
            )


def _jumps(path: Path, size: float) -> np.ndarray:
    """Intervals over which q changes by more than the speeds and accelerations at both ends allow."""
    compiled, rates = path.system, coordinate_rates(path.system, path.q, path.v, path.p)
    sizes, step = coordinate_sizes(compiled, size), np.diff(path.t)
    rates, moved = rates / sizes, np.diff(path.q, axis=0) / sizes
    miss = np.linalg.norm(moved - step[:, None] * (rates[1:] + rates[:-1]) / 2, axis=1)
    speed = np.linalg.norm(rates, axis=1)
    acceleration = np.linalg.norm(path.a / natural_speeds(compiled, size), axis=1)
    bound = step * (speed[1:] + speed[:-1]) + step**2 * (acceleration[1:] + acceleration[:-1])
    return miss > 0.25 * bound + UNSEEN


def _suspects(path: Path, size: float) -> np.ndarray:
    """Intervals over which speeds and accelerations do not belong together."""
    v, a = (x / natural_speeds(path.system, size) for x in (path.v, path.a))
    change, speed = np.linalg.norm(np.diff(v, axis=0), axis=1), np.linalg.norm(v, axis=1)
    told = np.linalg.norm(np.abs(a[1:]) + np.abs(a[:-1]), axis=1) * np.diff(path.t)
    turned = np.einsum("ni,ni->n", v[1:], v[:-1]) < 0
    steady = STEADY * np.maximum(speed[1:], speed[:-1])
    return (turned & (change > 4 * told)) | (told > 100 * (change + steady) + np.median(told))


def _singular(path: Path, at: int, names: Sequence[str]) -> bool:
    """Whether the pose at either end of an interval is near a singular one."""
    held = {name: path.system.mechanism.coordinates[name] for name in names}
    ends = [poses_at(path.system, path.q[i], path.constants(i)) for i in (at, at + 1)]
    return max(conditioning(path.system, poses, held).condition for poses in ends) > SUSPECT
