"""Values that hang on the cut-off: the same rows behind lower filters, solved again.

H′ y = H′ W θ + H′ y₀ ,    H′ at a half, a quarter and an eighth of the corner of H        (theory/estimation, eq. 44)

Filtering both sides alike does not bias θ. Where a drive sticks and catches up, or noise is differentiated twice,
rows hold at high frequencies what the model does not: values from the slow part are others then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.estimate.methods.base import LinearSolution, residuals
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.results.text import with_error
from poinsot.estimate.rows.runs import CORNER, RunRows, bridged, low_pass

__all__ = ["values_by_cutoff"]

Solve = Callable[[LinearProblem], tuple[LinearProblem, LinearSolution]]
SHARES = (2, 4, 8)  # parts of the rows' own corner
SLOWEST = 2.0  # times the frequency of the motion, below which its own content is taken away
MOST = 0.95  # of the power of the speeds
ROWS = 8  # for one parameter, at least, behind a lower filter
BETTER = 1.3  # times less that other values leave of a channel behind a lower filter, for a doubt
MATERIAL = 0.03  # of a channel's deviation that is left there, below which nobody minds
APART = 4.0  # joint standard errors between the values, for a doubt


@dataclass(frozen=True, eq=False)
class _Lower:
    """A problem behind a lower filter."""

    corner: float  # [Hz]
    problem: LinearProblem
    left: np.ndarray  # (c,) what the values leave of each channel, of its deviation there
    better: np.ndarray  # (c,) what its own values leave

    @property
    def more(self) -> np.ndarray:
        """How many times less its own values leave (c,); 0 where nobody minds."""
        return np.where(self.left > MATERIAL, self.left / np.maximum(self.better, 1e-300), 0.0)


def values_by_cutoff(problem: LinearProblem, solution: LinearSolution, solve: Solve) -> tuple[str, ...]:
    """One sentence where values from slower parts of the same rows are others, and explain far more of these.

    `solve` finds the values of a problem.
    """
    doubts: list[tuple[float, str]] = []
    for share in SHARES:
        lower = _lower(problem, solution, solve, share)
        if lower is not None and np.max(lower.more) > BETTER:
            names = _apart(problem, solution, *solve(lower.problem))
            doubts += [(float(np.max(lower.more)), _said(lower, names))] if names else []
    return (max(doubts)[1],) if doubts else ()


def _said(lower: _Lower, names: list[str]) -> str:
    c = int(np.argmax(lower.more))
    channel = lower.problem.channels[c].removeprefix("sensor ")
    return (
        f"Values hang on the cut-off: below {lower.corner:.2g} Hz, {listing(names, 3)}, which leave "
        f"{lower.better[c]:.2g} of the slow part of '{channel}' where those from all rows "
        f'leave {lower.left[c]:.2g}: try processing cutoff = "{lower.corner:.2g} Hz".'
    )


def _lower(problem: LinearProblem, solution: LinearSolution, solve: Solve, share: int) -> _Lower | None:
    """The problem at a part of its corner, if that leaves rows enough."""
    corners = [CORNER * _rate(run) / share for run in problem.runs]
    count = sum(int(np.isfinite(run.y).sum()) for run in problem.runs) / share
    slowest = SLOWEST * max(_frequency(run) for run in problem.runs)
    if count < ROWS * max(len(solution.d), 1) or min(corners) < slowest:
        return None
    try:
        runs = tuple(_behind(run, corner, share) for run, corner in zip(problem.runs, corners))
        lower = replace(problem, runs=runs)
        there, other = solve(replace(lower, values_only=True))
    except (np.linalg.LinAlgError, PoinsotError):  # what is left is too short, or determines less
        return None
    left, better = (_left(one, d) for one, d in ((lower, solution.d), (there, other.d)))
    return _Lower(min(corners), lower, left, better)


def _frequency(run: RunRows) -> float:
    """Frequency below which nearly all of the power of the speeds lies  [Hz]."""
    v, t = run.motion.states.v, run.motion.states.t
    power = np.cumsum(np.abs(np.fft.rfft(v - v.mean(axis=0), axis=0)) ** 2, axis=0)
    last = np.argmax(power >= MOST * power[-1], axis=0)
    return float(np.max(last, initial=0)) / max(float(t[-1] - t[0]), 1e-300)


def _rate(run: RunRows) -> float:
    """At which rows are kept  [Hz]."""
    return (len(run.t) - 1) / float(run.t[-1] - run.t[0]) if len(run.t) > 1 else 0.0


def _behind(run: RunRows, corner: float, share: int) -> RunRows:
    """A run behind a filter at a corner [Hz], with as many rows as that leaves independent."""
    masked = np.isnan(run.y)
    W = np.where(masked[:, :, None], np.nan, run.W)
    known = np.where(masked, np.nan, run.known)
    y, W, known = low_pass([run.y, bridged(W), bridged(known)], _rate(run), corner)
    kept = slice(None, None, share)
    return replace(
        run,
        t=run.t[kept],
        y=y[kept],
        W=W[kept],
        known=known[kept],
        noise=None,
        direction=None if run.direction is None else run.direction[kept],
    )


def _left(problem: LinearProblem, d: np.ndarray) -> np.ndarray:
    """What steps d (r,) leave of each channel (c,), of its deviation."""
    rows = problem.rows
    left = np.concatenate([np.where(g, r, np.nan) for r, g in zip(residuals(rows, d), rows.good)])
    y = np.concatenate([problem.measured(run) for run in problem.runs])
    return np.sqrt(np.nanmean(left**2, axis=0)) / np.maximum(np.nanstd(y, axis=0), 1e-300)


def _apart(
    problem: LinearProblem, solution: LinearSolution, there: LinearProblem, other: LinearSolution
) -> list[str]:
    """Base parameters that are apart by more than chance, with the values that they have behind the lower filter."""
    G, unit = problem.directions, dict(zip(problem.unknowns.names, problem.unknowns.units))
    one, two = problem.base_values(solution.d), there.base_values(other.d)
    variances = [np.diagonal(G @ s.covariance @ G.T) for s in (solution, other)]
    away = np.abs(one - two) / np.sqrt(np.maximum(sum(variances), 1e-300))
    return [
        f"{text} = {with_error(float(two[j]), float(np.sqrt(variances[1][j])))} {unit[name]} "
        f"(not {with_error(float(one[j]), float(np.sqrt(variances[0][j])))})"
        for j, (name, text) in enumerate(zip(problem.base.independent, problem.base.combinations))
        if away[j] > APART
    ]
