"""Many starts: another method from points that fill the bounds, so that the least of several minima is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from poinsot.errors import Interrupted, PoinsotError, one_line
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.population import drawn
from poinsot.estimate.search.problem import SearchProblem
from poinsot.estimate.search.starts import SearchStarts, StartEnd
from poinsot.estimate.search.trust_region import TrustRegion
from poinsot.parallel.chunks import Arrays, over_chunks
from poinsot.parallel.remade import Remade

DRAWN = 20  # points for each start, the best of which are gone from


@dataclass(frozen=True, eq=False)
class StartPoints:
    """Points from which a method starts."""

    problem: Remade
    base: SearchMethod
    P: np.ndarray  # (N, k)  [SI]


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
            self._keep(course, starts, stopped.partial)
            raise
        self._keep(course, starts, dict(enumerate(found)))
        kept = course.starts
        if kept is None or not np.isfinite(kept.cost[0]):
            return course.ended()
        return course.ended(kept.ended[0], (kept.said,))

    def _keep(self, course: SearchCourse, starts: StartPoints, found: Mapping[int, Arrays]) -> None:
        """Keep where the other method ended; each start from which it found something is an iteration."""
        ends = []
        for number, one in sorted(found.items()):
            course.evaluations += int(one["evaluations"][0])
            cost, message = float(one["cost"][0]), str(one["message"][0])
            ends.append(StartEnd(starts.P[number], one["p"], cost, int(one["evaluations"][0]), message))
            if np.isfinite(cost):
                course.keep(cost, one["p"])
        course.starts = SearchStarts.of(course.problem.space, ends) if ends else None


def _end(starts: StartPoints, number: int) -> Arrays:
    """Where the other method ends from one of the starts; an infinite cost where it finds nothing."""
    problem = starts.problem.get().fresh()
    try:
        found = starts.base.descend(problem.at(starts.P[number]))
    except PoinsotError as error:
        none = {"p": starts.P[number], "cost": np.array([np.inf]), "evaluations": np.zeros(1, int)}
        return {**none, "message": np.array([one_line(str(error))])}
    return {
        "p": found.p,
        "cost": np.array([found.cost]),
        "evaluations": found.convergence.evaluations[-1:],
        "message": np.array([found.message]),
    }
