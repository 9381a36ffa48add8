"""Weighted least squares."""

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
    spread,
    weighted,
    with_covariance,
)


@final
@dataclass(frozen=True)
class Weighted(LinearMethod):
    """Every channel counts by the standard deviation of its own residuals.

    d = argmin Σ_c ‖z_c − X_c d‖² / σ_c² ,   σ_c² = ‖z_c − X_c d‖² / (n − b/c)        (theory/estimation, eq. 6)
    """

    iterations: int = 20  # at most
    tolerance: float = 1e-4  # relative change of σ at which they end

    name = "weighted"
    summary = "least squares, channels weighted by their residuals"

    def solve(self, rows: LinearRows) -> LinearSolution:
        """Least squares, weights from the residuals before, until they no longer change."""
        sigma = rows.scale
        for k in range(1, self.iterations + 1):
            weights = [np.where(good, 1 / sigma, 0.0) for good in rows.good]
            d, H = least_squares(*weighted(rows, weights), rows.prior)
            before, sigma = sigma, spread(rows, residuals(rows, d))
            if np.max(np.abs(sigma / before - 1)) < self.tolerance:
                return with_covariance(rows, weights, d, H, k)
        return with_covariance(rows, weights, d, H, k, "The weights of the channels did not settle.")
