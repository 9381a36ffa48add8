"""Which limit leaves no motion: the one that, made wider alone, allows one while all others are kept.

min τ        with the limits of one kind wider by τ, all others as they are        (theory/design)

The least largest violation of all limits at once would blame whichever has the wider range: a machine that its drive
cannot hold moves out of the range of its coordinate just as far, over widths, as it exceeds the force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from poinsot.experiment.excitation.restrictions import HOLDING, KEPT
from poinsot.experiment.limits import Limit, Quantity

if TYPE_CHECKING:
    from poinsot.experiment.excitation.program import ExcitationProgram, MotionPoint

KINDS = (Quantity.FORCE, Quantity.ACCELERATION, Quantity.RATE, Quantity.POSITION)  # in which they are blamed


def conflict(
    program: ExcitationProgram,
    nearest: MotionPoint,
    rest: MotionPoint,
    widened: Callable[[np.ndarray, np.ndarray], MotionPoint],
) -> str:
    """Which limit no motion keeps, what it would have to be, and what it is.

    `nearest` is the motion that violates limits least, `rest` stands still; `widened(z, rows)` violates those of some
    rows least while all others are kept.
    """
    if not nearest.good:
        return "no motion was found: the mechanism cannot reach the middle of the limits of its coordinates"
    starts = (nearest,) if program.restrictions.speeds else (rest, nearest)  # at rest an rms rate has no slope
    for wider in _kinds(program):
        for start in (one for one in starts if one.good):
            found = widened(start.z, wider)
            if found.kept_but(wider)[0] == 0:
                return f"no motion keeps all limits: while the others are kept, {_needed_by(program, found)}"
    return f"no motion keeps all limits, even if one kind of them is left out: {_needed_by(program, nearest)}"


def _kinds(program: ExcitationProgram) -> Iterator[np.ndarray]:
    """Rows of the limits of each kind, those of what follows from the motion before those of driven coordinates."""
    restrictions, n = program.restrictions, len(program.t)
    targets = np.zeros(len(restrictions.speeds), bool)
    driven = np.arange(restrictions.count) < len(restrictions.driven)
    holding = np.array([limit.name == HOLDING for limit in restrictions.every], bool)
    rank = np.array([KINDS.index(limit.quantity) for limit in restrictions.every], int)
    groups = [(rank == k) & ~driven & ~holding for k in range(len(KINDS))] + [holding]
    for group in (*groups, *((rank == k) & driven for k in range(len(KINDS)))):
        if group.any():
            yield np.append(np.tile(group, n), targets)
    if len(targets):
        yield np.append(np.zeros(n * restrictions.count, bool), ~targets)


def _needed_by(program: ExcitationProgram, found: MotionPoint) -> str:
    values = program.restrictions.values(program.machine, found.at)
    return needed(program, values, found.at.s[1][program.inside])


def needed(program: ExcitationProgram, values: np.ndarray, rate: np.ndarray) -> str:
    """The limit that values (N, r) or measured rates (n, k) violate most, what they need and what is given."""
    restrictions = program.restrictions
    excess = restrictions.excess(values)
    short = 1 - restrictions.met(rate) if restrictions.speeds else np.zeros(1)
    if np.max(short) > max(np.max(excess, initial=0.0), KEPT):
        target = restrictions.speeds[int(np.argmax(short))]
        reached = target.reached(rate[:, target.j], program.machine.mechanism.coordinates[target.name].unit)
        return (
            f"the {reached.name} is at most {reached.least:.4g} {reached.unit}, and {reached.lower:.4g} is asked for"
        )
    i = int(np.argmax(excess))
    limit = restrictions.every[i]
    if limit.name == HOLDING:
        return (
            f"the {HOLDING} is at least {1 / np.min(values[:, i]):.4g}, and {restrictions.condition:.4g} is allowed"
        )
    return _beyond(limit, values[:, i])


def _beyond(limit: Limit, values: np.ndarray) -> str:
    """By its worse side; without sign where both are alike."""
    above = np.max(values) - limit.upper > limit.lower - np.min(values)
    value, side = (np.max(values), limit.upper) if above else (np.min(values), limit.lower)
    if limit.lower == -limit.upper:
        value, side = abs(value), abs(side)
    if limit.quantity is Quantity.FORCE:
        return f"drive '{limit.owner}' needs at least {value:.4g} {limit.unit}; its limit is {side:.4g} {limit.unit}"
    return f"'{limit.name}' must go to {value:.4g} {limit.unit}; its limit is {side:.4g} {limit.unit}"
