"""The search for a motion: random starts in one batch, the best of them polished, limits kept between samples too."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError, counted
from poinsot.experiment.excitation.conflict import conflict
from poinsot.experiment.excitation.halted import Reached
from poinsot.experiment.excitation.machine import DrivenStates
from poinsot.experiment.excitation.program import ExcitationProgram, MotionPoint, MotionSearch
from poinsot.experiment.excitation.restrictions import KEPT, Restrictions
from poinsot.experiment.excitation.slopes import stages_of

_progress = logging.getLogger("poinsot.progress")
FINER = 10  # steps of the check in place of one of the search
CHUNK = 50_000  # samples in one batch
SHRINK = 0.7  # of a random motion that violates a limit, time and again
TIMES = 12
ROUNDS, MORE = 3, 1.2  # in which limits are narrowed, by so much more than they were violated
LARGER, HALVINGS = 1.05, 14  # of the motion, at last
LITTLE = 2e-3  # of a limit's width, by which it is cheaper to make the motion smaller
TOLERANCE = 1e-5
AROUND = 0.5  # of the room of a coordinate, by which constants are drawn off the model file's pose


@dataclass(frozen=True, eq=False)
class FoundMotion:
    """The best motion of a search."""

    c: np.ndarray  # numbers (k, m)
    starts: np.ndarray  # criterion of every random start, sorted; infinite where none was found within limits
    polished: tuple[float, ...]  # criterion of those that were polished
    fine: DrivenStates  # states on the fine grid
    values: np.ndarray  # limited quantities there (N, r)
    steps: tuple[str, ...]
    settled: bool


def random_motions(
    program: ExcitationProgram, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random numbers (count, k, m) within the limits, drawn and then shrunk towards standing still; how far they
    violate limits (count,), and their criterion (count,).
    """
    k, m = program.unit.shape
    drawn = rng.standard_normal((count, k, m)) * program.unit / np.sqrt(m)
    drawn[:, :, 0] = AROUND * rng.uniform(-1, 1, (count, k)) * program.unit[:, 0]
    drawn *= _scaled_to_limits(program, drawn)[:, None, None]
    worst, cost, factor = np.full(count, np.inf), np.full(count, np.inf), np.ones(count)
    chunk, begin = max(1, CHUNK // len(program.t)), time.monotonic()
    for first in range(0, count, chunk):
        left = np.arange(first, min(first + chunk, count))
        for _ in range(TIMES):
            at, worst[left] = program.along(program.anchor + factor[left, None, None] * drawn[left])
            kept = worst[left] <= KEPT
            if kept.any():
                cost[left[kept]] = program.costs(at.cut(np.repeat(kept, len(program.t))))
            left = left[~kept]
            if not len(left):
                break
            factor[left] *= SHRINK
        if first and time.monotonic() - begin > 1:
            _progress.info(f"random motions: {min(first + chunk, count)} of {count}")
    return program.anchor + factor[:, None, None] * drawn, worst, cost


def _scaled_to_limits(program: ExcitationProgram, drawn: np.ndarray) -> np.ndarray:
    """Factors (N,) by which motions (N, k, m) about the anchor reach, and keep, the limits of driven coordinates."""
    s, still = program.signals(drawn), program.signals(program.anchor)
    low, high = program.restrictions.bounds
    found = np.full(len(drawn), np.inf)
    for i, (_, j, d) in enumerate(program.restrictions.driven):
        width, at, x = program.restrictions.width[i], still[d, :, j], s[d, :, :, j]
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(x > 0, (high[i] * width - at) / x, np.where(x < 0, (low[i] * width - at) / x, np.inf))
        found = np.minimum(found, np.min(room, axis=1))
    return np.where(np.isfinite(found) & (found > 0), found, 1.0)


def searched(
    program: ExcitationProgram,
    count: int,
    polish: int,
    iterations: int,
    rng: np.random.Generator,
    key: str = "",
) -> FoundMotion:
    """The best motion of a family within the limits; an error where there is none.

    What was reached is kept under `key` when it is interrupted, and gone on from.
    """
    reached = Reached.of(key)
    try:
        found = _searched(program, count, polish, iterations, rng, reached)
    except KeyboardInterrupt:
        raise reached.interrupted() from None
    reached.ended()
    return found


def _searched(
    program: ExcitationProgram, count: int, polish: int, iterations: int, rng: np.random.Generator, reached: Reached
) -> FoundMotion:
    steps = [f"the search goes on from {counted(len(reached.done), 'motion')} that were kept"] if reached.kept else []
    motions, worst, cost = random_motions(program, count, rng)
    ranked = np.where(worst <= KEPT, cost, np.inf)
    order = np.argsort(np.where(np.isfinite(ranked), ranked, 1e6 + worst), kind="stable")[:polish]
    stages = tuple(replace(program, criterion=name, norm=p) for name, p in stages_of(program.criterion))
    program = stages[-1]
    for number in range(len(reached.done), len(order)):
        z = _numbers(program, motions[order[number]]) if reached.z is None else reached.z
        point, message = _polished(stages, z, iterations, f"motion {number + 1} of {len(order)}", reached)
        reached.done.append((None if point is None else point.z, message))
        reached.z, reached.search, reached.stage = None, None, 0
    points = [None if z is None else MotionPoint(program, z, None) for z, _ in reached.done]
    good = [point for point in points if point is not None]
    if not good:
        good = [_made_feasible(stages, motions[np.argmin(worst)], iterations)]
    point, said = _kept_between_samples(program, min(good, key=lambda one: one.cost), iterations)
    fine, values = on_fine_grid(program, point.c, point.at)
    if not fine.reached.all():
        t = program.shape.finer(FINER)[np.argmin(fine.reached)]
        raise PoinsotError(
            f"the motion that was found cannot be followed at t = {t:g} s, between its samples: raise the rate, or "
            "limit its coordinates to where the machine can go"
        )
    polished = tuple(np.inf if one is None else one.cost for one in points)
    settled = any(not message for z, message in reached.done if z is not None)
    return FoundMotion(point.c, np.sort(ranked), polished, fine, values, (*steps, *said), settled)


def _numbers(program: ExcitationProgram, c: np.ndarray) -> np.ndarray:
    """z (k·m,) of numbers (k, m)."""
    return ((c - program.anchor) / program.unit).ravel()


def _polished(
    stages: Sequence[ExcitationProgram], z: np.ndarray, iterations: int, what: str, reached: Reached | None = None
) -> tuple[MotionPoint | None, str]:
    """The best point within limits that the polish of a start passes, and what is wrong with its end; stages one
    after another, from the one that was `reached`."""
    reached = Reached() if reached is None else reached
    begin = time.monotonic()
    last = [begin]

    def told(cost: float) -> None:
        if time.monotonic() - last[0] > 1:
            last[0] = time.monotonic()
            _progress.info(f"{what}: criterion {cost:.5g}, {last[0] - begin:.0f} s")

    best, message = None, ""
    for number in range(reached.stage, len(stages)):
        search = MotionSearch(stages[number], told)
        reached.stage, reached.search = number, search
        message = search.polish(z, iterations, TOLERANCE)
        if search.best is None:
            return None, message
        best, z = search.best, search.best.z
    return best, message


def _made_feasible(stages: Sequence[ExcitationProgram], c: np.ndarray, iterations: int) -> MotionPoint:
    """A motion within limits where no start led to one; an error that says which limit binds, and by how much."""
    program = stages[-1]

    def feasible(z: np.ndarray, wider: np.ndarray | None = None) -> MotionPoint:
        return MotionSearch(program, lambda cost: None, patient=True).feasible(z, iterations, wider)

    nearest = feasible(_numbers(program, c))
    if nearest.violation > KEPT:
        rest = MotionPoint(program, np.zeros(len(nearest.z)), None)
        raise PoinsotError(conflict(program, nearest, rest, feasible))
    point, _ = _polished(stages, nearest.z, iterations, "motion 1 of 1")
    return point or nearest


def on_fine_grid(program: ExcitationProgram, c: np.ndarray, near: DrivenStates) -> tuple[DrivenStates, np.ndarray]:
    """States of a motion on a grid ten times finer, reached from those of one that is near, and limited quantities
    there (N, r), NaN where it cannot go."""
    t = program.shape.finer(FINER)
    s = program.signals(c, program.shape.at(t))
    at = program.machine.along(s, near.cut(np.searchsorted(program.shape.grid, t, side="right") - 1))
    return at, np.where(at.reached[:, None], program.restrictions.values(program.machine, at), np.nan)


def _kept_between_samples(
    program: ExcitationProgram, point: MotionPoint, iterations: int
) -> tuple[MotionPoint, list[str]]:
    """The best motion that keeps the limits between samples too: limits are narrowed and the motion improved again,
    and its size fitted."""
    wide, steps = program.restrictions, []
    best = _fitted(program, wide, point)
    for _ in range(ROUNDS):
        excess = _between(program, wide, point.c, point)
        if np.max(excess, initial=0.0) <= LITTLE or not np.isfinite(excess).all():
            break
        program = replace(program, restrictions=program.restrictions.narrowed(MORE * excess * wide.width))
        bound = [limit.name for limit, x in zip(wide.every, excess) if x > 0]
        steps.append(f"limits narrowed so that they hold between samples: {', '.join(bound)}")
        narrower, _ = _polished([program], _numbers(program, best.c), iterations, "within narrower limits")
        if narrower is None:
            break
        point = narrower
        best = min(best, _fitted(program, wide, point), key=_worth)
    return best, steps


def _worth(point: MotionPoint) -> float:
    """The criterion, infinite where speeds are not those asked for."""
    program = point.program
    t = program.shape.finer(FINER)
    rate = program.signals(point.c, program.shape.at(t[program.measured(t)]))[1]
    return np.inf if program.restrictions.speeds and np.any(program.restrictions.met(rate) < 1) else point.cost


def _between(program: ExcitationProgram, wide: Restrictions, c: np.ndarray, near: MotionPoint) -> np.ndarray:
    """Excess (r,) over widths on the fine grid, beyond round-off; infinite where the machine cannot go."""
    _, values = on_fine_grid(program, c, near.at)
    excess = wide.excess(values)
    return np.where(excess > 1e-9, excess, 0.0)


def _fitted(program: ExcitationProgram, wide: Restrictions, point: MotionPoint) -> MotionPoint:
    """The motion, as much smaller or larger about the anchor as the limits on the fine grid ask for or allow."""
    small, large = 0.0, LARGER
    for _ in range(HALVINGS):
        middle = (small + large) / 2
        c = program.anchor + middle * (point.c - program.anchor)
        small, large = (middle, large) if not np.any(_between(program, wide, c, point)) else (small, middle)
    fitted = MotionPoint(program, small * point.z, None)
    return point if small > 1 and not fitted.cost < point.cost else fitted
