"""Ordinary least squares."""

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

ROUNDS = 5  # in which the spread of the residuals settles


@final
@dataclass(frozen=True)
class Ordinary(LinearMethod):
    """All samples count alike, in newtons and newton metres.

    d = (XᵀX)⁻¹ Xᵀ z        (theory/estimation, eq. 5)
    """

    name = "ordinary"
    summary = "least squares, all samples alike"

    def solve(self, rows: LinearRows) -> LinearSolution:
        """Least squares with weights 1."""
        sigma = 1.0
        for _ in range(ROUNDS if len(rows.prior[1]) else 1):  # a prior counts beside the spread of the residuals
            weights = [np.where(good, 1.0 / sigma, 0.0) for good in rows.good]
            d, H = least_squares(*weighted(rows, weights), rows.prior)
            squares = sum(float(np.sum(r**2)) for r in residuals(rows, d))
            sigma = np.sqrt(squares / max(sum(float(good.sum()) for good in rows.good) * rows.freedom, 1.0)) or 1.0
        return with_covariance(rows, weights, d, H)
