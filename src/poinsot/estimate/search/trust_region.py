"""Trust region: SciPy's reflective steps, which keep within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.optimize import least_squares

from poinsot.blas import one_blas_thread
from poinsot.estimate.search.base import SearchCourse, SearchMethod, SearchSolution
from poinsot.estimate.search.problem import INSIDE, SearchProblem

FAR = 1e100  # residual where the model has no answer, which makes the region smaller


@final
@dataclass(frozen=True)
class TrustRegion(SearchMethod):
    """The best step of a quadratic model within a region that grows where it is right; bounds reflect it."""

    iterations: int = 200  # at most
    tolerance: float = 1e-12  # relative change of cost or values at which they end

    name = "trust-region"
    summary = "trust-region steps from the start, within bounds"

    @one_blas_thread()
    def search(self, problem: SearchProblem, course: SearchCourse) -> SearchSolution:
        """Steps until cost or values no longer change."""
        space, free = problem.space, problem.space.lower < problem.space.upper
        begin = _off_bounds(space.start, space.lower, space.upper)
        first = course.residuals(begin)
        course.keep(float(first @ first) if np.isfinite(first).all() else np.inf, begin)
        if not np.isfinite(first).all() or not free.any():
            return course.ended()

        def whole(x: np.ndarray) -> np.ndarray:
            p = begin.copy()
            p[free] = x
            return p

        def residuals(x: np.ndarray) -> np.ndarray:
            e = course.residuals(whole(x))
            if np.isfinite(e).all():
                course.keep(float(e @ e), whole(x))
            return np.where(np.isfinite(e), e, FAR)

        slopes: Any = lambda x: problem.jacobian(whole(x))[:, free]  # noqa: E731
        found = least_squares(
            residuals,
            begin[free],
            slopes,
            bounds=(space.lower[free], space.upper[free]),
            x_scale=space.size[free],
            ftol=self.tolerance,
            xtol=self.tolerance,
            gtol=1e-15,
            max_nfev=self.iterations,
        )
        return course.ended("" if found.status > 0 else f"The steps did not settle in {self.iterations} iterations.")


def _off_bounds(p: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Values a little inside their bounds, where reflective steps begin."""
    width = upper - lower
    off = INSIDE * np.where(np.isfinite(width), width, np.maximum(np.abs(p), 1.0)) * (width > 0)
    return np.clip(p, np.where(p <= lower, lower + off, lower), np.where(p >= upper, upper - off, upper))
