"""Estimates from measured forces, with drawn noise in place of residuals.

y* = y − r + r*        r the residuals, r* noise of their colour        (theory/estimation, eq. 36)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poinsot.estimate.bootstrap.draws import Replicas
from poinsot.estimate.bootstrap.noise import BLOCKS, series_noise
from poinsot.estimate.consistency.full import consistent
from poinsot.estimate.excitation import told
from poinsot.estimate.methods.base import LinearMethod, projection, residuals
from poinsot.estimate.methods.consistent import Consistent
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.registry import onwards

if TYPE_CHECKING:
    from poinsot.estimate.solution import ForceSolution


class ForceReplicas(Replicas):
    """Base parameters of a study of forces."""

    noise = BLOCKS

    def __init__(self, found: ForceSolution):
        self.found, self.told = found, told(found.problem, found.excitation)
        rows, sigma, d = found.problem.rows, found.solution.sigma, found.solution.d
        fitted = found.method.fitted(rows, d) if isinstance(found.method, LinearMethod) else rows
        self.left = residuals(fitted, d)
        X = [np.where(good[:, :, None], x / sigma[:, None], 0.0) for x, good in zip(fitted.X, fitted.good)]
        self.drawing = series_noise([r / sigma for r in self.left], rows.good, projection(X))

    @property
    def texts(self) -> tuple[str, ...]:
        """Combinations that the data determines."""
        return self.told.texts

    def values(self, rng: np.random.Generator) -> np.ndarray:
        """Combinations (c,) of β, NaN where the method does not settle."""
        found, method = self.found, self.found.method
        problem = self._redrawn(rng)
        chosen = onwards(method) if isinstance(method, SearchMethod) else method
        there, solution = found.again(problem, chosen)
        if solution.message:
            return np.full(len(self.texts), np.nan)
        if isinstance(method, Consistent):
            solution = replace(solution, d=consistent(there, solution.d, found.solution.covariance, method).d)
        return self.told.rows @ there.base_values(solution.d)

    def _redrawn(self, rng: np.random.Generator) -> LinearProblem:
        """The problem with other noise in its channels, and in what is known besides."""
        found, sigma = self.found, self.found.solution.sigma
        noise = self.drawing.drawn(rng)
        runs = [
            replace(run, y=run.y + np.where(np.isfinite(run.y), e * sigma - r, 0.0))
            for run, e, r in zip(found.problem.runs, noise, self.left)
        ]
        unknowns, beta = found.problem.unknowns, found.problem.base_values(found.solution.d)
        index = {name: j for j, name in enumerate(found.problem.base.independent)}
        if any(one.prior is not None for one in unknowns.given):
            given = [
                one
                if one.deviation is None or name not in index
                else replace(one, prior=float(beta[index[name]] + one.deviation * rng.standard_normal()))
                for one, name in zip(unknowns.given, unknowns.names)
            ]
            unknowns = replace(unknowns, given=tuple(given))
        return replace(found.problem, runs=tuple(runs), unknowns=unknowns, values_only=True)
