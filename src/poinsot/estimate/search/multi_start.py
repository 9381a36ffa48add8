"""Many starts: another method from points that fill the bounds, so that the least of several minima is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from poinsot.errors import Interrupted, PoinsotError
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.population import drawn
from poinsot.estimate.search.problem import SearchProblem
from poinsot.estimate.search.trust_region import TrustRegion
from poinsot.parallel.chunks import Arrays, over_chunks
from poinsot.parallel.remade import Remade

_NONE = np.array([""])
APART = 1e-4  # of the sizes of the unknowns, from which two ends are two minima
DRAWN = 20  # points for each start, the best of which are gone from


@dataclass(frozen=True, eq=False)
class StartPoints:
    """Points from which a method starts."""

    problem: Remade
    base: SearchMethod
    P: np.ndarray  # (N, k)  [SI]


@dataclass(frozen=True, eq=False)
class StartEnd:
    """Where a method ended from one of them."""

    p: np.ndarray  # (k,)  [SI]
    cost: float
    message: str


@final
@dataclass(frozen=True)
class MultiStart(SearchMethod):
    """The best of many points within the bounds, in one batch; another method goes on from each of the best.

    StartPoints know nothing of each other: they run on threads or on a cluster, with the same numbers, and are kept.
    """

    base: SearchMethod = field(default_factory=TrustRegion)
    starts: int = 10
    seed: int = 0

    name = "multi-start"
    summary = "another method from many starts within bounds"

    def search(self, problem: SearchProblem, course: SearchCourse) -> SearchSolution:
        """Ends of all starts, the best first."""
        space = problem.space
        space.require_bounds(self.name)
        P = space.lower + drawn(space, DRAWN * self.starts, self.seed) * (space.upper - space.lower)
        costs = course.costs(P)
        order = [0, *(k for k in np.argsort(costs) if k)]
        starts = StartPoints(course.again, self.base, P[order[: self.starts]])
        try:
            found = over_chunks(_end, starts, len(starts.P), dask=course.dask, what=self.name)
        except Interrupted as stopped:  # what is done counts
            self._ends(course, [stopped.partial[k] for k in sorted(stopped.partial)])
            raise
        ends = self._ends(course, found)
        if not ends:
            return course.ended()
        best = min(ends, key=lambda end: end.cost)
        return course.ended(best.message, self._minima(problem, ends, best))

    def _ends(self, course: SearchCourse, found: Sequence[Arrays]) -> list[StartEnd]:
        """Where the other method ended, without starts from which it found nothing; each is an iteration."""
        ends = []
        for one in found:
            course.evaluations += int(one["evaluations"][0])
            if np.isfinite(one["cost"][0]):
                ends.append(StartEnd(one["p"], float(one["cost"][0]), str(one["message"][0])))
                course.keep(ends[-1].cost, ends[-1].p)
        return ends

    def _minima(self, problem: SearchProblem, ends: list[StartEnd], best: StartEnd) -> tuple[str, ...]:
        """How many starts ended in the best minimum, and the next best one."""
        size = problem.space.size
        same = [end for end in ends if np.all(np.abs(end.p - best.p) <= APART * size)]
        others = [end.cost for end in ends if end not in same]
        said = f"{len(same)} of {len(ends)} starts ended in the same minimum, of cost {best.cost:.6g}"
        return (said + (f"; the next one has cost {min(others):.6g}." if others else "."),)


def _end(starts: StartPoints, number: int) -> Arrays:
    """Where the other method ends from one of the starts; an infinite cost where it finds nothing."""
    problem = starts.problem.get().fresh()
    try:
        found = starts.base.descend(problem.at(starts.P[number]))
    except PoinsotError:
        return {"p": starts.P[number], "cost": np.array([np.inf]), "evaluations": np.zeros(1, int), "message": _NONE}
    return {
        "p": found.p,
        "cost": np.array([found.cost]),
        "evaluations": found.convergence.evaluations[-1:],
        "message": np.array([found.message]),
    }
