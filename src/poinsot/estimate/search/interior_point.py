"""Interior point: IPOPT, with equalities and inequalities between the unknowns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.engine.nonlinear_program import LeastSquaresProgram, solve_program
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.constraints import constraint_functions
from poinsot.estimate.search.problem import SearchProblem

ROUND_OFF = 1e-6  # of what is summed in a constraint


@final
@dataclass(frozen=True)
class InteriorPoint(SearchMethod):
    """min Σ e² with a ≤ g(p) ≤ b: barriers that fade, Hessian JᵀJ of Gauss and Newton.      (theory/search, eq. 6)"""

    iterations: int = 300  # at most
    tolerance: float = 1e-10
    constraints: tuple[str, ...] = ()  # such as "k_A >= k_B", "m1 + m2 = 0.3 kg"

    name = "interior-point"
    summary = "interior point within bounds, equalities and inequalities (IPOPT)"

    def search(self, problem: SearchProblem, course: SearchCourse) -> SearchSolution:
        """IPOPT from the start, unknowns over their sizes."""
        space = problem.space
        size = space.size
        plain, slopes, low, high = constraint_functions(self.constraints, space)
        unit = np.abs(slopes(space.inside(space.start))) @ size  # what is summed in each constraint
        unit = np.where(unit > 0, unit, 1.0)

        def g(p: np.ndarray) -> np.ndarray:
            return plain(p) / unit

        def dg(p: np.ndarray) -> np.ndarray:
            return slopes(p) / unit[:, None]

        def residuals(x: np.ndarray) -> np.ndarray:
            p = space.inside(x * size)  # IPOPT goes beyond bounds by round-off
            e = course.residuals(p)
            if np.isfinite(e).all() and _within(g(p), low, high):
                course.keep(float(e @ e), p)
            return e

        program = LeastSquaresProgram(
            residuals=residuals,
            jacobian=lambda x: problem.jacobian(x * size) * size,
            lower=space.lower / size,
            upper=space.upper / size,
            constraints=lambda x: g(x * size),
            constraint_jacobian=lambda x: dg(x * size) * size,
            least=low,
            greatest=high,
        )
        end = solve_program(program, space.inside(space.start) / size, self.iterations, self.tolerance)
        return course.ended(end[0])


def _within(g: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether constraints hold, up to round-off."""
    return bool(np.all((g >= low - ROUND_OFF) & (g <= high + ROUND_OFF)))
