"""Direct and inverse dynamic identification: forces alone are measured, the motion is simulated."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from poinsot.estimate.methods.base import (
    LinearRows,
    LinearSolution,
    least_squares,
    residuals,
    weighted,
    with_covariance,
)
from poinsot.estimate.methods.simulating import SimulatingMethod

_progress = logging.getLogger("poinsot.progress")
SMALL = 0.1  # of a standard error: step by which derivatives of the simulated forces are taken


@final
@dataclass(frozen=True)
class DirectInverse(SimulatingMethod):
    """Forces of the simulated closed loop fit those that were measured, by steps of Gauss and Newton (DIDIM).

    d₊ = argmin ‖z_s(d) − X_s(d) d₊‖² ,    cov d = (X_sᵀ J)⁻¹ X_sᵀ Ω X_s (X_sᵀ J)⁻ᵀ        (theory/estimation, eq. 26)

    X_s, z_s along the motion simulated with d; J = ∂(simulated forces)/∂d, next to X_s under tight control.
    """

    name = "didim"
    summary = "forces of the simulated closed loop, no measured motion (DIDIM)"
    mean_forces = False  # its simulation holds them

    def solve(self, rows: LinearRows) -> LinearSolution:
        """Columns and targets along the motion of the values before, until these no longer change."""

        def step(simulated: LinearRows, weights: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, LinearRows]:
            return *least_squares(*weighted(simulated, weights), rows.prior), simulated

        end = self.iterate(rows, step)
        message = "" if end.settled else "The simulated forces did not settle."
        if rows.values_only:
            return with_covariance(end.simulated, end.weights, end.at, end.H, end.iterations, message)
        return self._done(rows, end.at, np.linalg.inv(end.H), end.sigma, end.iterations, message)

    def fitted(self, rows: LinearRows, d: np.ndarray) -> LinearRows:
        """Along the simulated motion."""
        return rows.along(d)

    def _done(
        self, rows: LinearRows, d: np.ndarray, rough: np.ndarray, sigma: np.ndarray, k: int, message: str
    ) -> LinearSolution:
        """The covariance with the derivatives of the simulated forces, by differences."""
        here, steps = rows.along(d), SMALL * np.sqrt(np.diagonal(rough))
        e, columns = residuals(here, d), []
        begin = time.monotonic()
        for j, h in enumerate(steps):
            left = (time.monotonic() - begin) * (len(d) - j) / max(j, 1)
            _progress.info(f"derivative {j + 1} of {len(d)}" + (f", about {left:.0f} s left" if left >= 1 else ""))
            moved = d + h * np.eye(len(d))[j]
            columns.append([(a - b) / h for a, b in zip(e, residuals(rows.along(moved), moved))])
        J = tuple(np.stack(parts, axis=2) for parts in zip(*columns))
        exact = replace(here, X=J, z=tuple(r + x @ d for r, x in zip(e, J)))
        weights = [np.where(good, 1 / sigma, 0.0) for good in rows.good]
        Z = [x * w[:, :, None] for x, w in zip(here.X, weights)]
        _, H = least_squares(*weighted(exact, weights), rows.prior, Z)
        return with_covariance(exact, weights, d, H, k, message, Z)
