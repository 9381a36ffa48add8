"""What methods share that move a population: where it begins, when it has settled, and its last steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import qmc

from poinsot.estimate.search.base import SearchCourse, SearchSolution
from poinsot.estimate.search.problem import Space
from poinsot.estimate.search.trust_region import TrustRegion

PATIENCE = 40  # generations without an improvement that counts
NO_ANSWER = 1e300  # cost where the model has none


def drawn(space: Space, count: int, seed: int) -> np.ndarray:
    """Points (count, k) that fill the unit cube evenly, the first being the start."""
    found = qmc.LatinHypercube(len(space.names), rng=np.random.default_rng(seed)).random(count)
    width = np.where(space.upper > space.lower, space.upper - space.lower, 1.0)
    found[0] = (space.inside(space.start) - space.lower) / width
    return found


def settled(best: Sequence[float], tolerance: float) -> bool:
    """Whether the least cost of the generations so far has not changed for long."""
    if len(best) <= PATIENCE or not np.isfinite(best[-PATIENCE - 1]):
        return False
    return best[-PATIENCE - 1] - best[-1] <= tolerance * abs(best[-1])


def generations(
    course: SearchCourse,
    ask: Callable[[], np.ndarray],
    tell: Callable[[np.ndarray], bool],
    iterations: int,
    tolerance: float,
) -> bool:
    """Whether the best has settled: candidates (N, k) of the unit cube are asked for and told their costs (N,), which
    may end it, generation by generation.
    """
    space, best = course.problem.space, []
    for _ in range(iterations):
        P = space.lower + ask() * (space.upper - space.lower)
        costs = course.costs(P)
        course.keep(float(costs.min()), P[np.argmin(costs)])
        best.append(course.best)
        if tell(np.minimum(costs, NO_ANSWER)) or settled(best, tolerance):
            return True
    return False


def polished(course: SearchCourse, polish: bool, message: str = "") -> SearchSolution:
    """The best of a population, after steps of a trust region from there."""
    found = course.ended(message)
    if not polish:
        return found
    problem = course.problem
    near = TrustRegion().descend(problem.at(found.p))
    if near.cost > found.cost:
        return found
    course.keep(near.cost, near.p)
    return replace(course.ended(near.message), said=("Steps of a trust region ended the search.",))
