"""Instrumental variables: columns along a simulated motion, which holds no noise of the recorded one."""

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
    rough,
    spread,
    weighted,
    with_covariance,
)


@final
@dataclass(frozen=True)
class Instruments(LinearMethod):
    """Instruments Z are the columns along the motion that the closed loop makes with the values before (IDIM-IV).

    d = (Zᵀ X)⁻¹ Zᵀ z ,    cov d = (Zᵀ X)⁻¹ Zᵀ Ω Z (Zᵀ X)⁻ᵀ        of weighted rows        (theory/estimation, eq. 25)

    Noise of the recorded motion is in X and not in Z: it biases least squares and not these values.
    """

    iterations: int = 20  # at most
    tolerance: float = 1e-2  # change in standard errors at which they end

    name = "instruments"
    summary = "instrumental variables from the simulated closed loop (IDIM-IV)"
    simulates = True

    def solve(self, rows: LinearRows) -> LinearSolution:
        """Instruments from the values before, until these no longer change."""
        d, sigma = rough(rows)
        at, settled, k = np.zeros_like(d), False, 0
        while not settled and k < self.iterations:
            weights, k = [np.where(good, 1 / sigma, 0.0) for good in rows.good], k + 1
            simulated, at = rows.simulation_towards(d, at)
            Z = weighted(simulated, weights)[0]
            d, H = least_squares(*weighted(rows, weights), rows.prior, Z)
            sigma, moved = spread(rows, residuals(rows, d)), d - at
            settled = bool(abs(moved @ H @ moved) < self.tolerance**2 * len(d))
        return with_covariance(rows, weights, d, H, k, "" if settled else "The instruments did not settle.", Z)
