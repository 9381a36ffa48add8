"""Positions along a prescribed motion, on the branch on which it starts: numerical continuation.

From a pose of the branch Newton's steps δ₁, δ₂, … lead to the next one. With |δ₂| ≤ ¼ |δ₁| Kantorovich's number
h ≈ 2 |δ₂| / |δ₁| is at most ½; with Jacobians at both ends that are alike no singular pose lies between (see
`model.branches`), and Newton has followed the branch. Otherwise the step is halved: the motion is known in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.errors import MotionError
from poinsot.model.assembly.branches import along_branch
from poinsot.model.assembly.constraints import row_lengths
from poinsot.motion.signals import Signal, evaluate_motion
from poinsot.spatial.algebra import Scalar
from poinsot.system.scales import coordinate_sizes, natural_speeds

if TYPE_CHECKING:
    from poinsot.motion.driven import Driven

TOLERANCE = 1e-13  # of the machine's size, or in radians
ROUND_OFF = 1e-12  # the same where Newton does not come nearer
COARSE = 32  # every so many samples one is solved from the one before it, the others from their neighbours
REACH = 0.5  # … or after so much of a prescribed motion  [rad or of the machine's size]
CONTRACTION, SURE = 0.25, 0.05  # largest ratio of a Newton step to the one before; with care
SETTLED = 1e-8  # natural size of the step that would follow: a larger one tells of a singular pose
WORSE = 0.1  # of the check value where a chart was chosen: another is chosen below it
SINGULAR_CHART = 1e-2  # of that: a chart is singular, and another must be chosen before
SHORTEST = 2.0**-20  # of the way to the next sample: where no shorter step is on the branch it ends


@dataclass(frozen=True, eq=False)
class Course:
    """What a driven system is to follow: k coordinates prescribed at n times."""

    driven: Driven
    signals: Mapping[str, Signal]  # k
    t: np.ndarray  # (n,)  [s]
    s: np.ndarray  # (n, k)
    s_dot: np.ndarray  # (n, k)
    s_ddot: np.ndarray  # (n, k)
    p: np.ndarray  # parameters and chart
    size: float  # of the machine  [m]
    charted: bool  # whether the coordinates, or combinations of redundant constraints, can be chosen anew on the way

    def part(self, samples: slice, p: np.ndarray | None = None) -> Course:
        """Some of the samples, in another chart if one is given."""
        cut = {x: getattr(self, x)[samples] for x in ("t", "s", "s_dot", "s_ddot")}
        return replace(self, p=self.p if p is None else p, **cut)

    def dense(self) -> tuple[Course, np.ndarray]:
        """The course with samples in between where charts may have to change there, and which were asked for."""
        pieces = np.ones(len(self.t), int)
        if self.charted:
            pieces[:-1] = np.maximum(1, np.ceil(self.extent() / (REACH / 2)))
        if pieces.max() == 1:
            return self, np.ones(len(self.t), bool)
        steps = np.append(np.diff(self.t), 0.0)
        t = np.concatenate([a + h / k * np.arange(k) for a, h, k in zip(self.t, steps, pieces)])
        asked = np.concatenate([np.arange(k) == 0 for k in pieces])
        return self.sampled(t), asked

    def sampled(self, t: np.ndarray) -> Course:
        """The same motion at other times (n,)."""
        s, s_dot, s_ddot = evaluate_motion(self.signals, t)
        return replace(self, t=t, s=s, s_dot=s_dot, s_ddot=s_ddot)

    def check(self, q: np.ndarray, k: int) -> float:
        """Check value of the speeds at sample k: 1 is perfect, 0 where the pose or the chart is singular."""
        return self.driven.rates(q[None], self.s_dot[k : k + 1], self.s_ddot[k : k + 1], self.p)[2].item()

    @cached_property
    def targets(self) -> np.ndarray:
        """Natural sizes of the prescribed coordinates (k,)."""
        return np.where(self.driven.turns, 1.0, self.size)

    @cached_property
    def rows(self) -> np.ndarray:
        """Natural sizes of the constraints and prescribed coordinates (m + k,): what their errors are measured by."""
        return np.concatenate([row_lengths(self.driven.compiled.outline.rows, self.size), self.targets])

    @cached_property
    def sizes(self) -> np.ndarray:
        """Natural sizes of the coordinates (nq,)."""
        return coordinate_sizes(self.driven.compiled, self.size)

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """s and ṡ (k,) at any time."""
        s, s_dot, _ = evaluate_motion(self.signals, np.array([t]))
        return s[0], s_dot[0]

    def rates(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ṡ and s̈ (·, k) at times that hold all samples."""
        if np.array_equal(t, self.t):
            return self.s_dot, self.s_ddot
        return evaluate_motion(self.signals, t)[1:]

    def slopes(self, q: np.ndarray) -> np.ndarray:
        """[C; J] (n, m + k, nv) at coordinates q (n, nq), columns in natural sizes."""
        return self.driven.slopes(q, self.p) * natural_speeds(self.driven.compiled, self.size)

    def newton(self, q: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, Scalar, Scalar]:
        """Coordinates after a step, the largest change, and the largest error before it, in natural sizes."""
        best, gap = self.driven.newton(q, s, self.p)
        step, error = np.abs(best - q), np.abs(gap)
        step /= self.sizes
        error /= self.rows
        return best, step.max(axis=-1), error.max(axis=-1)

    def extent(self) -> np.ndarray:
        """How far the prescribed coordinates go from sample to sample (n − 1,), in natural sizes."""
        h = np.diff(self.t)[:, None]
        return np.max(self.far(np.diff(self.s, axis=0), h, self.s_dot[:-1], self.s_dot[1:]), axis=1, initial=0.0)

    def far(self, moved: np.ndarray, h: Any, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """What a coordinate goes over an interval, or would go at the speeds at its ends."""
        return np.maximum(np.abs(moved), h * np.maximum(np.abs(first), np.abs(last))) / self.targets


@dataclass(frozen=True, eq=False)
class Track:
    """Poses of one branch: those asked for, and those in between that it took to stay on it."""

    t: np.ndarray  # (n,)  [s]
    q: np.ndarray  # (n, nq)
    asked: np.ndarray  # (n,), whether a sample was asked for
    walked: np.ndarray  # (n,), whether it was reached from the one before
    residual: float  # largest violation of a constraint or of a prescribed coordinate  [m or rad]


def follow(course: Course, q0: np.ndarray, care: bool) -> Track:
    """Walk from sample to sample, coarsely, then solve all others between their neighbours.

    With `care` the walk takes all samples and shorter steps: where the mechanism moves much for little of the drive.
    It ends at an earlier sample where another chart had better be chosen.
    """
    q, extra_t, extra_q = np.empty((len(course.t), len(q0))), [], []
    chosen = np.arange(len(course.t)) if care else _coarse(course.extent())
    q[0], asked = _begun(course, q0), set(course.t.tolist())
    limit, end = WORSE * course.check(q[0], 0) if course.charted else 0.0, 0
    for last, k in pairwise(chosen.tolist()):
        try:
            leg = list(way(course, last, k, q[last], care))
        except MotionError:
            if course.charted and last:
                break
            raise
        q[k] = leg[-1][1]
        found = course.check(q[k], k) if course.charted else 1.0
        if last and not found > SINGULAR_CHART * limit:
            break
        end = k
        new = [one for one in leg[:-1] if one[0] not in asked]
        extra_t += [time for time, _ in new]
        extra_q += [pose for _, pose in new]
        if not found > limit:
            break
    n = end + 1
    course, q, chosen = course.part(slice(n)), q[:n], chosen[chosen <= end]
    rest = np.setdiff1d(np.arange(n), chosen)
    if len(rest):
        q[rest] = _between(course, chosen, rest, q)
    residual = course.driven.violation(q, course.s, course.p)
    t, q = np.concatenate([course.t, extra_t]), np.concatenate([q, np.reshape(extra_q, (-1, len(q0)))])
    order = np.argsort(t, kind="stable")
    walked = np.ones(len(t), bool)
    walked[rest] = False
    return Track(t[order], q[order], order < n, walked[order], residual)


def reached(course: Course, q: np.ndarray, patient: bool = True) -> np.ndarray | None:
    """The pose at the second of two samples, on the branch of that at the first; None if it is not found.

    Who is not `patient` takes no care where it is needed: trials of poses that are mostly out of reach.
    """
    for care in (False, True) if patient else (False,):
        try:
            poses = [q, *(pose for _, pose in way(course, 0, 1, q, care))]
        except MotionError:
            continue
        if care or along_branch(course.slopes(np.stack(poses))).all():
            return poses[-1]
    return None


def _coarse(extent: np.ndarray) -> np.ndarray:
    """Samples to walk along: the first, the last, and others so near that no angle between is ambiguous."""
    chosen, gone = [0], 0.0
    for k, step in enumerate(extent, 1):
        if k - 1 > chosen[-1] and gone + step > REACH:
            chosen.append(k - 1)
            gone = 0.0
        gone += step
        if k - chosen[-1] >= COARSE or gone >= REACH or k == len(extent):
            chosen.append(k)
            gone = 0.0
    return np.array(chosen)


def _begun(course: Course, q0: np.ndarray) -> np.ndarray:
    """The first pose, from an assembled one: to round-off."""
    q = stepped(course, q0, course.s[0], CONTRACTION)[0]
    if q is None:
        raise _lost(course, 0, q0, course.s[0])
    return q


def way(course: Course, first: int, last: int, q: np.ndarray, care: bool):
    """Give times and poses from sample to sample, in steps that stay on the branch; the last is at the later sample.

    Without care the branch is looked at later, for the whole motion at once.
    """
    t, end, limit = course.t[first], course.t[last], SURE if care else CONTRACTION
    (s, s_dot), whole = (course.s[first], course.s_dot[first]), end - t
    width, shortest = whole, SHORTEST * whole
    while t < end:
        goal = end if t + 1.01 * width >= end else t + width
        target, rate = (course.s[last], course.s_dot[last]) if goal == end else course.at(goal)
        moved = None
        if last - first > 1 or np.max(course.far(target - s, goal - t, s_dot, rate), initial=0.0) <= REACH:
            moved, ratio = stepped(course, q, target, limit)
        if moved is None or (care and not along_branch(course.slopes(np.stack([q, moved])))[0]):
            width = (goal - t) / 2
            if width < shortest:
                raise _lost(course, int(np.searchsorted(course.t, t, side="right")), q, target)
        else:
            t, q, s, s_dot = goal, moved, target, rate
            width = (2.0 if ratio < limit / 4 else 1.0) * width
            yield t, q


def stepped(course: Course, q: np.ndarray, s: np.ndarray, contraction: float) -> tuple[np.ndarray | None, float]:
    """Newton from a pose to a near one, and the largest ratio of two steps; None if they may be of two branches."""
    before, worst = np.inf, 0.0
    for _ in range(12):
        best, step, error = course.newton(q, s)
        if error < TOLERANCE and step < SETTLED:
            return q, worst
        if not step < contraction * before:
            return (q if error < ROUND_OFF and step < SETTLED else None), worst
        worst = max(worst, step / before)
        q, before = best, step
    return None, worst


def _between(course: Course, chosen: np.ndarray, rest: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Poses (r, nq) at samples between those that were chosen, in one batch."""
    right = np.searchsorted(chosen, rest)
    left = right - 1
    here = _interpolated(course, course.t[chosen], q[chosen], course.s_dot[chosen], left, right, course.t[rest])
    before = np.full(len(rest), np.inf)
    for _ in range(12):
        best, step, error = course.newton(here, course.s[rest])
        done = (error < TOLERANCE) & (step < SETTLED)
        if done.all():
            return here
        stays = ~(step < CONTRACTION * before)
        lost = ~done & stays & ~((error < ROUND_OFF) & (step < SETTLED))
        if lost.any():
            break
        if (done | stays).all():
            return here
        here, before = np.where((done | stays)[:, None], here, best), step
    first = int(np.argmax(lost))
    raise _lost(course, int(rest[first]), here[first], course.s[rest[first]])


def _interpolated(
    course: Course,
    t: np.ndarray,
    q: np.ndarray,
    s_dot: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    to: np.ndarray,
) -> np.ndarray:
    """Poses at times `to` (r,) from those at times t (c,) to their left and right: cubic, with the speeds there."""
    rates = course.driven.coordinate_rates(q, s_dot, course.p)
    h = (t[right] - t[left])[:, None]
    x = (to - t[left])[:, None] / h
    moved = q[right] - q[left]
    bend = (1 - x) * (h * rates[left] - moved) - x * (h * rates[right] - moved)
    return q[left] + x * moved + x * (1 - x) * bend


def _lost(course: Course, sample: int, q: np.ndarray, s: np.ndarray) -> MotionError:
    """An error that names the sample that is not reached and what stays open on the way to it."""
    _, gap = course.driven.newton(q, s, course.p)
    at, rows = float(course.t[sample]), course.driven.compiled.outline.rows
    row = int(np.argmax(np.abs(np.nan_to_num(gap, nan=np.inf)) / course.rows))
    name = str(rows[row]) if row < len(rows) else f"the coordinate '{course.driven.names[row - len(rows)]}'"
    return MotionError(
        f"at t = {at:g} s the motion leaves the workspace or meets a singular pose: {name} stays off by "
        f"{abs(gap[row]):.1e}",
        t=at,
    )
