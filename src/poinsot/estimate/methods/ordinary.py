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
    weighted,
    with_covariance,
)


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
        weights = [np.where(good, 1.0, 0.0) for good in rows.good]
        d, H = least_squares(*weighted(rows, weights), rows.prior)
        return with_covariance(rows, weights, d, H)
