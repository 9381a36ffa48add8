"""Evolution: a cloud of candidates that takes the shape of the valley it is in (CMA-ES)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from poinsot.errors import MissingExtraError
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.population import drawn, generations, polished
from poinsot.estimate.search.problem import SearchProblem


@final
@dataclass(frozen=True)
class Evolution(SearchMethod):
    """Candidates from a normal distribution whose covariance follows the best of them, within bounds (cma).

    A generation is one batch; the cloud begins about the start of the unknowns.    (theory/search, eq. 5)
    """

    candidates: int = 0  # 0: as many as the dimension asks for, 4 + 3 ln k
    iterations: int = 1000  # at most
    tolerance: float = 1e-10  # relative change of the least cost, over many generations, at which it ends
    width: float = 0.3  # of the bounds: standard deviation of the cloud at the start
    polish: bool = True  # whether steps of a trust region end it
    seed: int = 1

    name = "evolution"
    summary = "covariance matrix adaptation within bounds (CMA-ES)"

    def search(self, problem: SearchProblem, course: SearchCourse) -> SearchSolution:
        """Generations until the best no longer improves."""
        problem.space.require_bounds(self.name)
        cloud = self._cloud(drawn(problem.space, 1, self.seed)[0])
        X: list[np.ndarray] = []

        def ask() -> np.ndarray:
            X[:] = cloud.ask()
            return np.array(X)

        def tell(costs: np.ndarray) -> bool:
            cloud.tell(X, costs.tolist())
            return bool(cloud.stop())

        over = generations(course, ask, tell, self.iterations, self.tolerance)
        message = "" if over else f"The cloud did not settle in {self.iterations} generations."
        return polished(course, self.polish, message)

    def _cloud(self, start: np.ndarray) -> Any:
        """cma's strategy in the unit cube."""
        try:
            from cma import CMAEvolutionStrategy
        except ImportError:
            raise MissingExtraError("evolution of a population", "cma", "estimate") from None
        options: dict[str, Any] = {"bounds": [0.0, 1.0], "seed": self.seed + 1, "verbose": -9, "tolfun": 0.0}
        options |= {"popsize": self.candidates} if self.candidates else {}
        return CMAEvolutionStrategy(np.clip(start, 1e-3, 1 - 1e-3), self.width, options)
