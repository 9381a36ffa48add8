"""What every method of search is: from a problem to the values of least cost, with the way there."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.search.problem import SearchProblem
from poinsot.estimate.search.starts import SearchStarts
from poinsot.parallel.chunks import Arrays, over_arguments
from poinsot.parallel.remade import Remade
from poinsot.results import Curve, LinePanel, Panel, Result

_progress = logging.getLogger("poinsot.progress")
OFTEN = 2.0  # between two lines of progress  [s]
PARTS = 16  # of a population on a cluster


@dataclass(frozen=True, eq=False)
class Convergence(Result):
    """Best values and their cost, iteration by iteration."""

    evaluations: np.ndarray  # (i,) of the cost, up to each iteration
    cost: np.ndarray  # (i,) best so far
    values: np.ndarray  # (i, k) best so far  [SI]

    _over = ("iteration", "#cost")
    _columns = {"evaluations": ("evaluations", "-"), "cost": ("cost", "-"), "values": ("value", "SI")}

    def panels(self) -> tuple[Panel, ...]:
        """The best cost over evaluations."""
        curve = Curve("best so far", self.evaluations, self.cost)
        log = "y" if (self.cost > 0).all() else ""
        label = "sum of squares [-]"
        return (LinePanel(x="evaluations [-]", y=label, curves=(curve,), log=log),)


@dataclass(frozen=True, eq=False)
class SearchSolution:
    """What a method found."""

    p: np.ndarray  # (k,)  [SI]
    cost: float  # sum of squared residuals
    convergence: Convergence
    message: str = ""  # what to do next; empty means success
    said: tuple[str, ...] = ()  # what else is to be known, such as other minima
    starts: SearchStarts | None = None  # of a search from many points
    interrupted: bool = False  # by Ctrl-C: no other search follows


@dataclass
class SearchCourse:
    """The way of a search: what it evaluated, and the best of it."""

    problem: SearchProblem
    method: str
    again: Remade = field(default_factory=Remade)  # the problem, as other processes make it
    dask: str = ""  # scheduler for what can be done in parts; none: threads of this process
    evaluations: int = 0
    starts: SearchStarts | None = None  # that are done
    _kept: list[tuple[int, float, np.ndarray]] = field(default_factory=list)
    _said: float = field(default_factory=time.monotonic)

    @property
    def best(self) -> float:
        """The least cost so far."""
        return self._kept[-1][1] if self._kept else np.inf

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """Residuals (m,), counted."""
        self.evaluations += 1
        return self.problem.residuals(p)

    def costs(self, P: np.ndarray) -> np.ndarray:
        """Costs (N,), counted: of one batch, or of parts of it on the cluster."""
        self.evaluations += len(P)
        if not self.dask:
            return self.problem.fresh().costs(P)
        parts = np.array_split(P, min(PARTS, len(P)))
        return np.concatenate([part["costs"] for part in over_arguments(_costs, self.again, parts, self.dask)])

    def keep(self, cost: float, p: np.ndarray) -> None:
        """An iteration ended here; tell how it goes, now and then."""
        better = not self._kept or cost < self._kept[-1][1]
        best = (float(cost), np.array(p, float)) if better else self._kept[-1][1:]
        self._kept.append((self.evaluations, *best))
        if time.monotonic() - self._said > OFTEN:
            self._said = time.monotonic()
            _progress.info(f"{self.method}: iteration {len(self._kept)}, cost {best[0]:.6g}")

    def ended(self, message: str = "", said: tuple[str, ...] = ()) -> SearchSolution:
        """The best of it."""
        if not self._kept or not np.isfinite(self._kept[-1][1]):
            raise PoinsotError(
                message
                or f"the method '{self.method}' found no values for which the model has an answer: start nearer, or "
                "narrow the bounds"
            )
        counts, costs, values = zip(*self._kept)
        way = Convergence(np.array(counts), np.array(costs), np.array(values))
        return SearchSolution(values[-1], costs[-1], way, message, said, self.starts)


def _costs(again: Remade, P: np.ndarray) -> Arrays:
    """Costs of some candidates (N, k), in any process."""
    return {"costs": again.get().fresh().costs(P)}


class SearchMethod(ABC):
    """A way to find the values of least cost; frozen, one a file."""

    name: ClassVar[str]
    summary: ClassVar[str]  # one line for lists of methods
    simulates: ClassVar[bool] = False  # whether noise of the motion does not bias it
    mean_forces: ClassVar[bool] = True  # whether held forces count where they act in the mean, as in linear methods

    def solve(self, problem: SearchProblem, again: Remade | None = None, dask: str = "") -> SearchSolution:
        """The values of least cost; the best so far if it is interrupted.

        Parts of the work are done on threads, or by the workers of a scheduler, which make the problem `again`.
        """
        again = Remade(here=problem) if again is None else replace(again, here=problem)
        course = SearchCourse(problem, self.name, again, dask)
        try:
            return self.search(problem, course)
        except KeyboardInterrupt as stopped:
            if not np.isfinite(course.best):
                raise
            kept = f" ({stopped})" if str(stopped) else ""
            ended = course.ended(f"Interrupted: these are the best values so far{kept}.")
            return replace(ended, interrupted=True)

    def descend(self, problem: SearchProblem) -> SearchSolution:
        """The same as a part of other work, which an interrupt ends altogether."""
        return self.search(problem, SearchCourse(problem, self.name, Remade(here=problem)))

    @abstractmethod
    def search(self, problem: SearchProblem, course: SearchCourse) -> SearchSolution:
        """Go the whole way, each iteration kept."""
