"""Single starts of a search from many: where each began and ended, and in which minimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.estimate.search.problem import Space
from poinsot.results import Curve, LinePanel, Panel, Result
from poinsot.results.tables import csv_text

APART = 1e-4  # of the sizes of the unknowns, from which two ends are two minima


@dataclass(frozen=True, eq=False)
class StartEnd:
    """Where a method ended from one start."""

    begin: np.ndarray  # (k,)  [SI]
    p: np.ndarray  # (k,)  [SI]
    cost: float  # infinite where it found nothing
    evaluations: int
    message: str  # why it did not converge; empty: it did


@dataclass(frozen=True, eq=False)
class SearchStarts(Result):
    """n starts of a search for k unknowns, those that ended at the least cost first."""

    names: tuple[str, ...]  # k
    units: tuple[str, ...]  # k
    begin: np.ndarray  # (n, k)  [SI]
    end: np.ndarray  # (n, k), NaN where nothing was found  [SI]
    cost: np.ndarray  # (n,) sum of squared residuals at the end, infinite where nothing was found
    minimum: np.ndarray  # (n,) number of the minimum it ended in, from 1 for the least; 0: none
    evaluations: np.ndarray  # (n,) of the cost
    ended: tuple[str, ...]  # n, why the method did not converge; empty: it did

    _over = ("start", "#cost")
    _columns = {
        "cost": ("cost", "-"),
        "minimum": ("minimum", "-"),
        "evaluations": ("evaluations", "-"),
        "begin": (lambda found: [f"from {name}" for name in found.names], lambda found: found.units),
        "end": (lambda found: [f"to {name}" for name in found.names], lambda found: found.units),
        "ended": ("ended", ""),
    }

    @staticmethod
    def of(space: Space, ends: Sequence[StartEnd]) -> SearchStarts:
        """In their order, with the minima that they ended in."""
        ends = sorted(ends, key=lambda end: end.cost)
        found = [np.isfinite(end.cost) for end in ends]
        P = np.array([end.p if good else np.full(len(space.names), np.nan) for end, good in zip(ends, found)])
        return SearchStarts(
            space.names,
            space.units,
            np.array([end.begin for end in ends]).reshape(len(ends), -1),
            P.reshape(len(ends), -1),
            np.array([end.cost for end in ends]),
            _minima(P, space.size),
            np.array([end.evaluations for end in ends]),
            tuple(end.message for end in ends),
        )

    @property
    def said(self) -> str:
        """How many starts ended in the least minimum, and the next one."""
        good = self.minimum > 0
        same, others = self.minimum == 1, self.cost[self.minimum > 1]
        said = f"{same.sum()} of {good.sum()} starts ended in the same minimum, of cost {self.cost[0]:.6g}"
        return said + (f"; the next one has cost {others.min():.6g}." if len(others) else ".")

    def text(self) -> str:
        """As CSV text."""
        return csv_text({"start": np.arange(1, len(self.cost) + 1)}, self.to_columns())

    def panels(self) -> tuple[Panel, ...]:
        """Costs at the ends, the least first."""
        good = np.isfinite(self.cost)
        curve = Curve("end", 1.0 + np.arange(good.sum()), self.cost[good])
        log = "y" if good.any() and (self.cost[good] > 0).all() else ""
        return (LinePanel(x="start [-]", y="sum of squares [-]", curves=(curve,), log=log),)


def _minima(P: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Numbers (n,) of the minima that ends (n, k) are in, from 1; 0 where there is no end."""
    firsts: list[np.ndarray] = []
    numbers = []
    for p in P:
        near = [k for k, first in enumerate(firsts) if np.all(np.abs(p - first) <= APART * size)]
        if not near and np.isfinite(p).all():
            firsts.append(p)
            near = [len(firsts) - 1]
        numbers.append(near[0] + 1 if near else 0)
    return np.array(numbers, int)
