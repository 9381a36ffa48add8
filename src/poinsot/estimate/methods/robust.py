"""Iteratively reweighted least squares: outliers count less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.estimate.methods.base import (
    LinearMethod,
    LinearRows,
    LinearSolution,
    least_squares,
    residuals,
    weighted,
    with_covariance,
)
from poinsot.estimate.residuals import robust_deviation


@final
@dataclass(frozen=True)
class Robust(LinearMethod):
    """Samples beyond some standard deviations count less, by Huber's weights.

    w = min(1, k/|e/σ|),   σ from the median of |e|        (theory/estimation, eq. 7)
    """

    threshold: float = 1.345  # k: 95 % efficient without outliers
    iterations: int = 50  # at most
    tolerance: float = 1e-6  # change of the parameters, in standard deviations of a column

    name = "robust"
    summary = "least squares, outliers weighted down (Huber)"

    def solve(self, rows: LinearRows) -> LinearSolution:
        """Least squares with weights from the residuals before, until nothing moves."""
        sigma = rows.scale
        weights = [np.where(good, 1 / sigma, 0.0) for good in rows.good]
        d, H = least_squares(*weighted(rows, weights), rows.prior)
        for k in range(1, self.iterations + 1):
            left = residuals(rows, d)
            sigma = _scale(rows, left)
            weights = [self._weights(r / sigma, good) / sigma for r, good in zip(left, rows.good)]
            before = d
            d, H = least_squares(*weighted(rows, weights), rows.prior)
            if np.sqrt((d - before) @ H @ (d - before)) < self.tolerance * np.sqrt(len(d)):
                return self._done(rows, sigma, d, k, "")
        return self._done(rows, sigma, d, k, "The weights of outliers did not settle.")

    def _done(self, rows: LinearRows, sigma: np.ndarray, d: np.ndarray, k: int, message: str) -> LinearSolution:
        """Covariance of the scores ψ = w e/σ; only samples within the threshold hold parameters, H = Σ ψ′ x xᵀ/σ²."""
        inside = [(np.abs(r) < self.threshold * sigma) & good for r, good in zip(residuals(rows, d), rows.good)]
        slopes = [np.where(part, 1 / sigma, 0.0) for part in inside]
        _, H = least_squares(*weighted(rows, slopes), rows.prior)
        plain = [np.where(good, 1 / sigma, 0.0) for good in rows.good]
        scores = [np.clip(r * w, -self.threshold, self.threshold) for r, w in zip(residuals(rows, d), plain)]
        return with_covariance(rows, plain, d, H, k, message, scores=scores)

    def _weights(self, e: np.ndarray, good: np.ndarray) -> np.ndarray:
        """√w of residuals e in standard deviations."""
        return np.where(good, np.sqrt(np.minimum(1.0, self.threshold / np.maximum(np.abs(e), 1e-300))), 0.0)


def _scale(rows: LinearRows, left: list[np.ndarray]) -> np.ndarray:
    """Standard deviations (c,) that outliers do not move."""
    found = []
    for c in range(left[0].shape[1]):
        found.append(robust_deviation(np.concatenate([r[good[:, c], c] for r, good in zip(left, rows.good)])))
    sigma = np.array(found)
    return np.where(sigma > 0, sigma, max(float(sigma.max()), 1e-300))
