"""Many starts: another method from points that fill the bounds, so that the least of several minima is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.population import drawn
from poinsot.estimate.search.problem import SearchProblem
from poinsot.estimate.search.trust_region import TrustRegion

APART = 1e-4  # of the sizes of the unknowns, from which two ends are two minima
DRAWN = 20  # points for each start, the best of which are gone from


@final
@dataclass(frozen=True)
class MultiStart(SearchMethod):
    """The best of many points within the bounds, in one batch; another method goes on from each of the best."""

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
        ends = [end for k in order[: self.starts] if (end := self._end(problem, course, P[k]))]
        if not ends:
            return course.ended()
        best = min(ends, key=lambda end: end.cost)
        return course.ended(best.message, self._minima(problem, ends, best))

    def _end(self, problem: SearchProblem, course: SearchCourse, p: np.ndarray) -> SearchSolution | None:
        """Where the other method ends from a point; None if it finds nothing."""
        try:
            found = self.base.descend(problem.at(p))
        except PoinsotError:
            return None
        course.evaluations += int(found.convergence.evaluations[-1])
        course.keep(found.cost, found.p)
        return found

    def _minima(self, problem: SearchProblem, ends: list[SearchSolution], best: SearchSolution) -> tuple[str, ...]:
        """How many starts ended in the best minimum, and the next best one."""
        size = problem.space.size
        same = [end for end in ends if np.all(np.abs(end.p - best.p) <= APART * size)]
        others = [end.cost for end in ends if end not in same]
        said = f"{len(same)} of {len(ends)} starts ended in the same minimum, of cost {best.cost:.6g}"
        return (said + (f"; the next one has cost {min(others):.6g}." if others else "."),)
