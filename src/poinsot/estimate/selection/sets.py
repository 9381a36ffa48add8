"""Selection: which of several alternatives the data supports, by held-out runs or an information criterion.

    C(S) = ‖Σ^-½ A (z − X_S d_S)‖² + Σ_{a ∈ S} k_a max(log n_eff, F_k_a)              (theory/estimation, eq. 33)
    t = mean(e_S² − e_{S+a}²) / its standard error,  on runs that were not used        (theory/estimation, eq. 34)

A and Σ are the colour of the residuals with all alternatives, so that what noise of that colour explains is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from poinsot.errors import counted
from poinsot.estimate.residuals import Colour, colour_of

FEW = 6  # alternatives of which all sets are tried
CHANCE = 0.02  # at most, of a study to choose something that noise alone supports
SHOWN = 12  # sets in a printed table
DEPENDENT = 1e-6  # of a column, what is left of it beside others that explain it

Set = frozenset[int]


@dataclass(frozen=True)
class TriedSet:
    """One set of alternatives that was tried."""

    alternatives: tuple[str, ...]
    parameters: int  # that it adds
    figure: float  # residual of held-out runs over that of the fit, or criterion beside that of none: less is better
    chosen: bool


@dataclass(frozen=True)
class Selection:
    """What was tried, and what was chosen."""

    by: str  # "held-out runs" or "information criterion"
    chosen: tuple[str, ...]
    trials: tuple[TriedSet, ...]

    def __str__(self) -> str:
        found = ", ".join(self.chosen) or "none of the alternatives"
        lines = [f"chosen by {self.by}: {found}; tried {counted(len(self.trials), 'set')}:"]
        for trial in sorted(self.trials, key=lambda one: one.figure)[:SHOWN]:
            mark = "*" if trial.chosen else " "
            lines.append(f"  {mark} {trial.figure:10.4g}  {' + '.join(trial.alternatives) or 'none'}")
        more = len(self.trials) - SHOWN
        return "\n".join([*lines, *([f"    … and {more} more"] if more > 0 else [])])


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Columns (n, c, k) of all unknowns and targets (n, c), over the spread of the residuals."""

    X: tuple[np.ndarray, ...]  # by run
    z: tuple[np.ndarray, ...]
    good: tuple[np.ndarray, ...]  # (n, c)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What sets of alternatives are judged by."""

    names: tuple[str, ...]  # of the m alternatives
    groups: tuple[np.ndarray, ...]  # m: columns of each
    forced: np.ndarray  # columns that are always there
    used: JudgedRows
    held_out: JudgedRows | None
    colour: Colour  # of the residuals with all alternatives
    R: np.ndarray = field(init=False)  # (k + 1, k + 1) triangle of all whitened rows, targets last
    cached: dict[Set, tuple[np.ndarray, float]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        both = [np.concatenate([x, z[:, :, None]], axis=2) for x, z in zip(self.used.X, self.used.z)]
        white = [self.colour.innovations(x, g).reshape(-1, x.shape[2]) for x, g in zip(both, self.used.good)]
        object.__setattr__(self, "R", np.linalg.qr(np.concatenate(white), mode="r"))

    def columns(self, chosen: Set) -> np.ndarray:
        """Numbers of the columns of a set."""
        return np.concatenate([self.forced, *(self.groups[a] for a in sorted(chosen))]).astype(int)

    def fitted(self, chosen: Set) -> tuple[np.ndarray, float]:
        """Steps (k,) from the model, zero outside the set, and the weighted squares that they leave."""
        if chosen not in self.cached:
            R, pick = self.R, self.columns(chosen)
            X, z = R[:, pick], R[:, -1]
            length = np.where(np.linalg.norm(X, axis=0) > 0, np.linalg.norm(X, axis=0), 1.0)
            part = np.linalg.lstsq(X / length, z, rcond=DEPENDENT)[0] / length
            d = np.zeros(R.shape[1] - 1)
            d[pick] = part
            self.cached[chosen] = d, float(np.sum((z - X @ part) ** 2))
        return self.cached[chosen]

    @property
    def effective(self) -> float:
        """Number of samples that count as independent."""
        counts = np.sum([good.sum(axis=0) for good in self.used.good], axis=0)
        shares = [min(1.0, float(a.sum()) ** 2 / s) for a, s in zip(self.colour.a, np.diagonal(self.colour.sigma))]
        return float(counts @ np.array(shares))

    def penalty(self, a: int) -> float:
        """Schwarz's, and at least what noise reaches in one of fifty studies, by Fisher's distribution."""
        from scipy.stats import f

        k, n = len(self.groups[a]), self.effective
        free = max(n - np.linalg.matrix_rank(self.R[:, :-1]), 1.0)
        return k * max(np.log(max(n, 2.0)), float(f.isf(CHANCE / len(self.groups), k, free)))

    def criterion(self, chosen: Set) -> float:
        """C of a set beside that of none."""
        return self.fitted(chosen)[1] - self.fitted(frozenset())[1] + sum(map(self.penalty, chosen))

    def losses(self, chosen: Set) -> list[np.ndarray]:
        """Squared residuals (n,) of held-out runs, the mean of the channels; NaN where none was measured."""
        assert self.held_out is not None
        found, d = [], self.fitted(chosen)[0]
        for x, z, good in zip(self.held_out.X, self.held_out.z, self.held_out.good):
            squares = np.where(good, (z - x @ d) ** 2, 0.0).sum(axis=1)
            found.append(np.where(good.any(axis=1), squares / np.maximum(good.sum(axis=1), 1), np.nan))
        return found

    def held_out_residual(self, chosen: Set) -> float:
        """Root mean square of held-out residuals over the spread of the fit."""
        return float(np.sqrt(np.nanmean(np.concatenate(self.losses(chosen)))))

    def improvement(self, without: Set, chosen: Set) -> float:
        """t: by how many standard errors one set predicts better than another."""
        apart = [a - b for a, b in zip(self.losses(without), self.losses(chosen))]
        count = sum(int(np.isfinite(x).sum()) for x in apart)
        mean = float(np.nanmean(np.concatenate(apart)))
        colour = colour_of([(x - mean)[:, None] for x in apart])
        error = np.sqrt(float(colour.sigma[0, 0]) / count) / max(abs(float(colour.a[0].sum())), DEPENDENT)
        return mean / error if error > 0 else 0.0


def selected(evidence: Evidence) -> Selection:
    """The set of alternatives that the data supports."""
    from scipy.stats import norm

    if evidence.held_out is None:
        small = len(evidence.names) <= FEW
        tried = _all_sets(evidence) if small else _stepwise(evidence, _drop(evidence.criterion), 0.0)
        best = min(tried, key=evidence.criterion)
        return _table(evidence, "information criterion", tried, best, evidence.criterion)
    level = float(norm.isf(CHANCE / len(evidence.names)))
    tried = _stepwise(evidence, evidence.improvement, level)
    return _table(evidence, "held-out runs", tried, tried[-1], evidence.held_out_residual)


def _drop(criterion: Callable[[Set], float]) -> Callable[[Set, Set], float]:
    return lambda without, chosen: criterion(without) - criterion(chosen)


def _all_sets(evidence: Evidence) -> list[Set]:
    every = range(len(evidence.names))
    return [frozenset(one) for k in range(len(every) + 1) for one in combinations(every, k)]


def _stepwise(evidence: Evidence, gain: Callable[[Set, Set], float], level: float) -> list[Set]:
    """All sets that were tried, the last one being where neither adding nor leaving out gains more than the level."""
    tried: dict[Set, None] = {frozenset(): None}
    here: Set = frozenset()
    for _ in range(2 * len(evidence.names)):
        ahead = [here | {a} for a in range(len(evidence.names)) if a not in here]
        tried |= dict.fromkeys(ahead)
        best = max(ahead, key=lambda more: gain(here, more), default=here)
        if best == here or not gain(here, best) > level:
            break
        before, here = here, best
        for b in sorted(here & before):
            tried |= {here - {b}: None}
            here = here if gain(here - {b}, here) > level else here - {b}
    tried.pop(here)
    return [*tried, here]


def _table(
    evidence: Evidence, by: str, tried: Iterable[Set], chosen: Set, figure: Callable[[Set], float]
) -> Selection:
    def named(numbers: Set) -> tuple[str, ...]:
        return tuple(evidence.names[a] for a in sorted(numbers))

    trials = [TriedSet(named(s), sum(len(evidence.groups[a]) for a in s), figure(s), s == chosen) for s in tried]
    return Selection(by, named(chosen), tuple(trials))
