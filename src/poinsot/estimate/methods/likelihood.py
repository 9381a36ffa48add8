"""Maximum likelihood with coloured residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.estimate.methods.base import (
    Influence,
    LinearMethod,
    LinearRows,
    LinearSolution,
    error_bars,
    least_squares,
    projection,
    residuals,
    spread,
)
from poinsot.estimate.methods.weighted import Weighted
from poinsot.estimate.residuals import colour_of


@final
@dataclass(frozen=True)
class Likelihood(LinearMethod):
    """Residuals are autoregressive, channel by channel, and their innovations correlated across channels.

    A (z − X d) = ε ~ (0, Σ):   d = argmin ‖Σ^-½ A (z − X d)‖²        (theory/estimation, eq. 9)

    with A and Σ from the residuals.
    """

    iterations: int = 30  # at most
    tolerance: float = 1e-3  # of a standard error, by which parameters still move

    name = "likelihood"
    summary = "maximum likelihood, residuals coloured and correlated across channels"

    def solve(self, rows: LinearRows) -> LinearSolution:
        """Whitened least squares, the colour from the residuals before, until nothing moves."""
        first = Weighted().solve(rows)
        d, sigma, message = first.d, first.sigma, "The colour of the residuals did not settle."
        left_of, k, settled = projection([x / sigma[:, None] for x in rows.X]), 0, False
        while not settled and k < self.iterations:
            colour = colour_of([r / sigma for r in residuals(rows, d)], left_of, rows.good)
            both = [np.concatenate([x, z[:, :, None]], axis=2) / sigma[:, None] for x, z in zip(rows.X, rows.z)]
            white = [colour.innovations(part, good) for part, good in zip(both, rows.good)]
            before, k = d, k + 1
            d, H = least_squares([w[..., :-1] for w in white], [w[..., -1] for w in white], rows.prior)
            settled = bool(np.sqrt((d - before) @ H @ (d - before)) < self.tolerance * np.sqrt(len(d)))
        spreads = spread(rows, residuals(rows, d))
        back = (colour.innovations_back(w[..., :-1], good) for w, good in zip(white, rows.good))
        both = [part @ np.linalg.inv(H) for part in back]
        counts = Influence(tuple(both), tuple(r / sigma for r in residuals(rows, d)))
        covariance = np.linalg.inv(H) if rows.values_only else error_bars(rows, H, counts, colour)
        return LinearSolution(d, covariance, spreads, colour, counts, k, "" if settled else message)
