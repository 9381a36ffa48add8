"""Particle swarm: a population that flies towards the best that it has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from poinsot.errors import MissingExtraError
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.population import drawn, generations, polished
from poinsot.estimate.search.problem import SearchProblem, Space


@final
@dataclass(frozen=True)
class Swarm(SearchMethod):
    """v ← w v + c₁ r₁ (best of its own − p) + c₂ r₂ (best of all − p), adapted as the swarm contracts (pymoo).

    A generation is one batch. The start of the unknowns is one of the particles.    (theory/search, eq. 4)
    """

    particles: int = 30
    iterations: int = 500  # at most
    tolerance: float = 1e-10  # relative change of the least cost, over many generations, at which it ends
    inertia: float = 0.9  # w at the start
    cognitive: float = 2.0  # c₁
    social: float = 2.0  # c₂
    polish: bool = True  # whether steps of a trust region end it
    seed: int = 0

    name = "swarm"
    summary = "particle swarm within bounds"

    def search(self, problem: SearchProblem, course: SearchCourse) -> SearchSolution:
        """Generations until the best no longer improves."""
        problem.space.require_bounds(self.name)
        swarm = self._swarm(problem.space)
        batch: Any = None

        def ask() -> np.ndarray:
            nonlocal batch
            batch = swarm.ask()
            return np.asarray(batch.get("X"), float)

        def tell(costs: np.ndarray) -> bool:
            batch.set("F", costs[:, None])
            swarm.tell(infills=batch)
            return False

        over = generations(course, ask, tell, self.iterations, self.tolerance)
        message = "" if over else f"The swarm did not settle in {self.iterations} generations."
        return polished(course, self.polish, message)

    def _swarm(self, space: Space) -> Any:
        """pymoo's swarm in the unit cube."""
        try:
            from pymoo.algorithms.soo.nonconvex.pso import PSO
            from pymoo.core.problem import Problem
        except ImportError:
            raise MissingExtraError("a particle swarm", "pymoo", "estimate") from None
        first: Any = drawn(space, self.particles, self.seed)
        found = PSO(
            pop_size=self.particles,
            sampling=first,
            w=self.inertia,
            c1=self.cognitive,
            c2=self.social,
        )
        unit = Problem(n_var=len(space.names), n_obj=1, xl=np.zeros(len(space.names)), xu=np.ones(len(space.names)))
        found.setup(unit, termination=("n_gen", self.iterations + 1), seed=self.seed, verbose=False)
        return found
