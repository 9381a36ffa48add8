"""A prescribed motion passes singular poses in which branches of a mechanism's motions meet.

Where the joints alone lose rank, at a time t*, several branches go on. Along each of them q, v and v̇ are smooth
functions of time: with Hermite's polynomial H through q and q̇ at t* − 4h, t* − 3h and t* − 2h

    q(t* + 2h) = H(t* + 2h) + O(h⁶)      other branches are apart by the order of h (theory/dynamics, eq. 16)

and Newton's method leads from there to the pose behind on the branch on which the motion came. The polynomial through
three poses on either side gives those within, with what joints and drives tell of them. A dead centre, in which the
drives lose hold of a mechanism whose joints hold, is not passed: from there it could go on or turn back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import MotionError
from poinsot.motion.continuation import CONTRACTION, Course, follow, stepped, way
from poinsot.motion.continuity import Path, joined
from poinsot.system.conditioning import SINGULAR_POSE, conditioning, rechart
from poinsot.system.functions import coordinate_rates, poses_at
from poinsot.system.scales import natural_speeds

Attempt = Callable[[Course, np.ndarray], Path]  # follows a course from coordinates q₀ (nq,)

REGULAR = 300.0  # condition number of the joints up to which poses are taken as they were found
REACH = 0.07  # h as a part of the prescribed motion  [rad or of the machine's size]
NODES = np.arange(2, 5)  # poses on either side, in h
SPAN = 4.5  # h that must fit in before and behind the pose
HALVINGS = 6  # of h, until the step is believed
SHORT = 1 / 16  # of h: with less of the motion behind the pose its end is extrapolated
NEARER = 4.0  # h by this is taken then
OPEN = 1e-9  # of the machine's size, or in radians: what joints may stay open within the step
TRUSTED = 1e-5  # of the way over the pose: what Newton's method may change
WEAK_POSE, WEAK_RATE = 1e-6, 1e-2  # of the largest singular value: directions below are left to the polynomial


@dataclass(frozen=True, eq=False)
class _Smooth:
    """Coordinates and speeds as polynomials of time."""

    q: Any
    v: Any
    origin: float  # [s]
    unit: float  # [s]

    @classmethod
    def through(cls, course: Course, q: np.ndarray, unit: float) -> _Smooth:
        """The polynomials through poses q (n, nq) at the times of a course, with their rates."""
        from scipy.interpolate import KroghInterpolator

        v, a, _ = course.driven.rates(q, course.s_dot, course.s_ddot, course.p)
        q_dot, origin = coordinate_rates(course.driven.compiled, q, v, course.p), course.t[0]
        x = np.repeat((course.t - origin) / unit, 2)
        pairs = (np.stack([f, unit * rate], axis=1).reshape(len(x), -1) for f, rate in ((q, q_dot), (v, a)))
        q_of_t, v_of_t = (KroghInterpolator(x, pair) for pair in pairs)
        return cls(q_of_t, v_of_t, origin, unit)

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q (n, nq), v and v̇ (n, nv)."""
        x = (t - self.origin) / self.unit
        v, slope = self.v.derivatives(x, der=2)
        return self.q(x), v, slope / self.unit


def passing(course: Course, q0: np.ndarray, attempt: Attempt) -> Path:
    """The motion on the branch of q₀, and on its smooth continuation behind every singular pose."""
    parts, t = [], course.t
    while True:
        try:
            path = attempt(course, q0)
            if not parts:
                return path
            parts.append(_flat(path))
            break
        except MotionError as error:
            before = _before(course, q0, attempt, error)
            over = None if before is None else _over(course, before, error.t)
            if before is None or over is None:
                raise
        parts += [before.cut(before.t <= over.t[0]), over]
        if not over.t[-1] < t[-1]:
            break
        q0, p = rechart(over.system, over.q[-1], over.p)
        course = replace(course.sampled(np.append(over.t[-1], t[t > over.t[-1]])), p=p)
    whole = joined(parts)
    return whole.among(np.isin(whole.t, t))


def _flat(path: Path) -> Path:
    """A path with all poses that it took as samples."""
    return replace(path.between or path, between=None)


def _before(course: Course, q0: np.ndarray, attempt: Attempt, error: MotionError) -> Path | None:
    """The motion up to the last sample that is reached."""
    n = int(np.searchsorted(course.t, error.t))
    while n:
        try:
            return _flat(attempt(course.part(slice(n)), q0))
        except MotionError as earlier:
            n = min(n - 1, int(np.searchsorted(course.t, earlier.t)))
    return None


def _over(course: Course, before: Path, t: float) -> Path | None:
    """The path over the singular pose between the last sample that was reached and time t; None if it ends there."""
    begin = len(before.t) - 1
    while begin and before.holding(begin) > REGULAR:
        begin -= 1
    singular = _singular_time(course, before, begin, t)
    if singular is None:
        return None
    h = (singular - course.t[0]) / SPAN
    for _ in range(3):
        far = float(course.sampled(np.array([singular - h, singular])).extent()[0])  # in natural sizes
        h *= REACH / max(far, REACH)
    h /= 1 if course.t[-1] - singular > SPAN * SHORT * h else NEARER
    for _ in range(HALVINGS):
        try:
            over = _stepped_over(course, before, singular, h)
        except MotionError:
            over = None
        if over is not None:
            return over
        h /= 2
    return None


def _from(course: Course, before: Path, k: int, t: np.ndarray) -> tuple[Course, np.ndarray]:
    """A course from sample k of a path to later times, in a chart chosen there, and the pose in it."""
    q, p = rechart(before.system, before.q[k], before.constants(k))
    return replace(course.sampled(np.append(before.t[k], t)), p=p, charted=False), q


def _singular_time(course: Course, before: Path, begin: int, end: float) -> float | None:
    """When the joints lose rank on the branch, between a sample and a later time; None if they do not."""
    near, q = _from(course, before, begin, np.array([end]))
    reached = [(near.t[0], q)]
    with suppress(MotionError):
        reached += way(near, 0, 1, q, care=True)
    (t0, q0), (t1, q1) = reached[-2:] if len(reached) > 1 else (reached[0], reached[0])
    c0, c1 = (conditioning(before.system, poses_at(before.system, q, near.p)).condition for q in (q0, q1))
    if not c1 > SINGULAR_POSE:
        return None
    return float((c1 * t1 - c0 * t0) / (c1 - c0)) if np.isfinite(c1) and c1 > c0 else float(t1)


def _stepped_over(course: Course, before: Path, singular: float, h: float) -> Path | None:
    """The path from before the singular pose to behind it, with all samples between; None if it is not believed."""
    begin = max(int(np.searchsorted(before.t, singular - NODES[-1] * h, side="right")) - 1, 0)
    whole, q0 = _from(course, before, begin, singular - h * NODES[::-1])
    track = follow(whole, q0, care=True)
    first, nodes = whole.part(slice(1, None)), track.q[track.asked][1:]
    smooth, end = _Smooth.through(first, nodes, h), course.t[-1]
    behind = min(h, (end - singular) / SPAN)
    if behind > SHORT * h:
        last = first.sampled(singular + behind * NODES)
        found = _landed(last, smooth, nodes[-1])
        if found is None or not _returns(last, found, first, nodes, h):
            return None
        both = first.sampled(np.concatenate([first.t, last.t]))
        smooth, end = _Smooth.through(both, np.concatenate([nodes, found]), h), last.t[-1]
    inside = course.t[(course.t > before.t[begin]) & (course.t <= end)]
    filled = first.sampled(np.unique(np.concatenate([before.t[begin : begin + 1], inside, [end]])))
    path = _filled(filled, smooth, q0)
    return path if filled.driven.violation(path.q, filled.s, filled.p, course.size) < OPEN else None


def _landed(last: Course, smooth: _Smooth, q1: np.ndarray) -> np.ndarray | None:
    """Poses behind (3, nq), by the way that the motion came; None where they are not what was expected."""
    expected = smooth.at(last.t[:1])[0][0]
    q2 = stepped(last, expected, last.s[0], CONTRACTION)[0]
    if q2 is None or not _agree(last, expected, q2, q1):
        return None
    track = follow(last, q2, care=True)
    return track.q[track.asked]


def _returns(last: Course, found: np.ndarray, first: Course, nodes: np.ndarray, h: float) -> bool:
    """Whether the motion behind leads back to where it came from."""
    expected = _Smooth.through(last, found, h).at(first.t[-1:])[0][0]
    return _agree(last, expected, nodes[-1], found[0])


def _agree(course: Course, expected: np.ndarray, found: np.ndarray, other: np.ndarray) -> bool:
    """Whether a pose is what was expected, up to a small part of the way from the one on the other side."""
    off, far = np.abs(found - expected) / course.sizes, np.abs(found - other) / course.sizes
    return bool(off.max() < TRUSTED * far.max())


@one_blas_thread()
def _filled(course: Course, smooth: _Smooth, q0: np.ndarray) -> Path:
    """The path from a regular pose q₀ (nq,) to all further times of a course, on polynomials.

    Joints and drives tell the rest, but for directions in which they hardly hold.
    """
    drive, natural = course.driven, natural_speeds(course.driven.compiled, course.size)
    q, v, a = smooth.at(course.t)
    for _ in range(3):
        gap = drive.newton(q, course.s, course.p)[1]
        q += coordinate_rates(drive.compiled, q, -natural * _least(course, q, gap, WEAK_POSE), course.p)
    told = np.zeros((len(q), len(course.rows)))
    told[:, len(course.rows) - len(drive.names) :] = course.s_dot
    A = drive.slopes(q, course.p)
    v += natural * _least(course, q, told - np.einsum("nij,nj->ni", A, v), WEAK_RATE)
    told = drive.bias(q, v, course.s_ddot, course.p)
    a += natural * _least(course, q, told - np.einsum("nij,nj->ni", A, a), WEAK_RATE)
    q[0] = q0
    v[:1], a[:1], _ = drive.rates(q[:1], course.s_dot[:1], course.s_ddot[:1], course.p)
    residual = drive.violation(q, course.s, course.p)
    sigma = np.linalg.svd(_natural(course, q), compute_uv=False)
    return Path(drive.compiled, course.t, q, v, a, course.p, residual, sigma[:, -1] / sigma[:, 0])


def _natural(course: Course, q: np.ndarray) -> np.ndarray:
    """[C; J] (n, m + k, nv), rows and columns in natural sizes."""
    return course.slopes(q) / course.rows[:, None]


def _least(course: Course, q: np.ndarray, b: np.ndarray, weak: float) -> np.ndarray:
    """x (n, nv) in natural sizes with [C; J] x nearest to b (n, m + k), nothing along weak directions."""
    U, sigma, V = np.linalg.svd(_natural(course, q), full_matrices=False)
    inverse = np.where(sigma > weak * sigma[:, :1], 1 / np.where(sigma > 0, sigma, 1.0), 0.0)
    return np.einsum("nji,nj->ni", V, inverse * np.einsum("nji,nj->ni", U, b / course.rows))
