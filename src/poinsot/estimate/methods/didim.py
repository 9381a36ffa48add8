"""Direct and inverse dynamic identification: forces alone are measured, the motion is simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

SMALL = 0.1  # of a standard error: step by which derivatives of the simulated forces are taken


@final
@dataclass(frozen=True)
class DirectInverse(LinearMethod):
    """Forces of the simulated closed loop fit those that were measured, by steps of Gauss and Newton (DIDIM).

    d₊ = argmin ‖z_s(d) − X_s(d) d₊‖² ,    cov d = (X_sᵀ J)⁻¹ X_sᵀ Ω X_s (X_sᵀ J)⁻ᵀ        (theory/estimation, eq. 26)

    X_s, z_s along the motion simulated with d; J = ∂(simulated forces)/∂d, next to X_s under tight control.
    """

    iterations: int = 20  # at most
    tolerance: float = 1e-2  # change in standard errors at which they end

    name = "didim"
    summary = "forces of the simulated closed loop, no measured motion (DIDIM)"
    simulates = True

    def solve(self, rows: LinearRows) -> LinearSolution:
        """Columns and targets along the motion of the values before, until these no longer change."""
        d, sigma = rough(rows)
        at, settled, k = np.zeros_like(d), False, 0
        while not settled and k < self.iterations:
            weights, k = [np.where(good, 1 / sigma, 0.0) for good in rows.good], k + 1
            here, at = rows.simulation_towards(d, at)
            d, H = least_squares(*weighted(here, weights), rows.prior)
            sigma, moved = spread(rows, residuals(here, d)), d - at
            settled = bool(moved @ H @ moved < self.tolerance**2 * len(d))
        return self._done(
            rows, at, np.linalg.inv(H), sigma, k, "" if settled else "The simulated forces did not settle."
        )

    def _done(
        self, rows: LinearRows, d: np.ndarray, rough: np.ndarray, sigma: np.ndarray, k: int, message: str
    ) -> LinearSolution:
        """The covariance with the derivatives of the simulated forces, by differences."""
        here, steps = rows.along(d), SMALL * np.sqrt(np.diagonal(rough))
        e, columns = residuals(here, d), []
        for j, h in enumerate(steps):
            moved = d + h * np.eye(len(d))[j]
            columns.append([(a - b) / h for a, b in zip(e, residuals(rows.along(moved), moved))])
        J = tuple(np.stack(parts, axis=2) for parts in zip(*columns))
        exact = replace(here, X=J, z=tuple(r + x @ d for r, x in zip(e, J)))
        weights = [np.where(good, 1 / sigma, 0.0) for good in rows.good]
        Z = [x * w[:, :, None] for x, w in zip(here.X, weights)]
        _, H = least_squares(*weighted(exact, weights), rows.prior, Z)
        return with_covariance(exact, weights, d, H, k, message, Z)
