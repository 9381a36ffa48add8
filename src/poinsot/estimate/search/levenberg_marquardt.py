"""Levenberg and Marquardt: steps of Gauss and Newton, shortened until the cost falls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.problem import SearchProblem

EQUAL = 1e-14  # of the squared residuals, which they do not fall below


@final
@dataclass(frozen=True)
class LevenbergMarquardt(SearchMethod):
    """(JᵀJ + η D) δ = −Jᵀe with D the largest diagonal of JᵀJ so far          (theory/search, eq. 2)

    η falls tenfold after a step that lowers the cost and grows tenfold after one that does not. Unknowns that would
    leave a bound are held there.
    """

    damping: float = 0.01  # η at the start
    iterations: int = 200  # at most
    tolerance: float = 1e-6  # of a standard error: the step at which they end

    name = "levenberg-marquardt"
    summary = "damped steps of Gauss and Newton from the start"

    @one_blas_thread()
    def search(self, problem: SearchProblem, course: SearchCourse) -> SearchSolution:
        """Steps until they are small in standard errors."""
        p, eta = problem.space.inside(problem.space.start), self.damping
        e = course.residuals(p)
        course.keep(float(e @ e) if np.isfinite(e).all() else np.inf, p)
        if not np.isfinite(e).all():
            return course.ended()
        D = np.zeros(len(p))
        for _ in range(self.iterations):
            J = problem.jacobian(p)
            D = np.maximum(D, np.sum(J**2, axis=0))
            while True:
                step, free = self._step(problem, p, e, J, eta, D)
                small = np.linalg.norm(J @ step) <= self.tolerance * np.linalg.norm(e) / np.sqrt(len(e))
                if not free.any() or small or np.sum((J @ step) ** 2) <= EQUAL * (e @ e):
                    return course.ended()
                there = course.residuals(p + step)
                if np.isfinite(there).all() and there @ there < e @ e:
                    p, e, eta = p + step, there, eta / 10
                    break
                eta *= 10
                if eta > 1e16:
                    return course.ended("" if self._flat(e, J[:, free]) else "No step lowers the cost any further.")
            course.keep(float(e @ e), p)
        return course.ended(f"The steps did not settle in {self.iterations} iterations.")

    def _flat(self, e: np.ndarray, J: np.ndarray) -> bool:
        """Whether residuals are at right angles to what steps change, up to round-off."""
        return bool(np.all(np.abs(J.T @ e) <= 1e-6 * np.linalg.norm(J, axis=0) * np.linalg.norm(e)))

    def _step(
        self, problem: SearchProblem, p: np.ndarray, e: np.ndarray, J: np.ndarray, eta: float, D: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """A damped step (k,) within the bounds, and which unknowns are free."""
        lower, upper, slope = problem.space.lower, problem.space.upper, J.T @ e
        free = ~((p <= lower) & (slope > 0) | (p >= upper) & (slope < 0)) & (D > 0)
        step = np.zeros(len(p))
        if free.any():
            A = np.concatenate([J[:, free], np.diag(np.sqrt(eta * D[free]))])
            length = np.linalg.norm(A, axis=0)
            step[free] = np.linalg.lstsq(A / length, np.append(-e, np.zeros(free.sum())), rcond=None)[0] / length
        return problem.space.inside(p + step) - p, free
