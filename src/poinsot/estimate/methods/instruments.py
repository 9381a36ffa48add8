"""Instrumental variables: columns along a simulated motion, which holds no noise of the recorded one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.estimate.methods.base import LinearRows, LinearSolution, least_squares, weighted, with_covariance
from poinsot.estimate.methods.simulating import SimulatingMethod


@final
@dataclass(frozen=True)
class Instruments(SimulatingMethod):
    """Instruments Z are the columns along the motion that the closed loop makes with the values before (IDIM-IV).

    d = (Zᵀ X)⁻¹ Zᵀ z ,    cov d = (Zᵀ X)⁻¹ Zᵀ Ω Z (Zᵀ X)⁻ᵀ        of weighted rows        (theory/estimation, eq. 25)

    Noise of the recorded motion is in X and not in Z: it biases least squares and not these values.
    """

    name = "instruments"
    summary = "instrumental variables from the simulated closed loop (IDIM-IV)"

    def solve(self, rows: LinearRows) -> LinearSolution:
        """Instruments from the values before, until these no longer change."""

        def step(simulated: LinearRows, weights: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, LinearRows]:
            d, H = least_squares(*weighted(rows, weights), rows.prior, weighted(simulated, weights)[0])
            return d, H, rows

        end = self.iterate(rows, step)
        Z = weighted(end.simulated, end.weights)[0]
        message = "" if end.settled else "The instruments did not settle."
        return with_covariance(rows, end.weights, end.d, end.H, end.iterations, message, Z)
