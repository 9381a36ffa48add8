"""Direct collocation: states, inputs and parameters of simulated motions in one program, by IPOPT."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.problem import SearchProblem, Space, Weighed


@dataclass(frozen=True, eq=False)
class Simultaneous(SearchProblem):
    """A problem with further variables, which can be looked for together with the unknowns."""

    @abstractmethod
    def all_at_once(self, space: Space, iterations: int, tolerance: float) -> tuple[str, np.ndarray]:
        """What is wrong with the end, or nothing, and the unknowns (k,) there; bounds and priors are the space's."""


@final
@dataclass(frozen=True)
class Collocation(SearchMethod):
    """min Σ ((measured − s)/σ)² + Σ w² with L d = 0: motions need not be those of the parameters on the way."""

    iterations: int = 200  # at most
    tolerance: float = 1e-8

    name = "collocation"
    summary = "states, noisy inputs and parameters of simulated motions at once (IPOPT)"
    simulates = True

    def search(self, problem: SearchProblem, course: SearchCourse) -> SearchSolution:
        """One program from the recorded motion on."""
        own = problem.of if isinstance(problem, Weighed) else problem
        if not isinstance(own, Simultaneous):
            raise PoinsotError(f"the method '{self.name}' is for simulated motions: problem = \"output\"")
        message, p = own.all_at_once(problem.space, self.iterations, self.tolerance)
        e = course.residuals(p)
        course.keep(float(e @ e) if np.isfinite(e).all() else np.inf, p)
        return course.ended(message)
