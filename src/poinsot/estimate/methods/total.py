"""Total least squares: the motion is noisy too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.methods.base import LinearMethod, LinearRows, LinearSolution, with_covariance
from poinsot.estimate.methods.weighted import Weighted

LEAST = 0.01  # of the residuals, which are noise of the forces


@final
@dataclass(frozen=True)
class Total(LinearMethod):
    """Columns have errors as forces do; their covariance comes from the noise of the motion.

    v = (d, −1) of least vᵀ [X z]ᵀ[X z] v / vᵀ C v,  C = [N n]ᵀ[N n] + diag(0, Σ e²)      (theory/estimation, eq. 8)

    Rows are weighted as `Weighted` does. Without noise in the motion this is weighted least squares.
    """

    name = "total"
    summary = "total least squares, noise of the motion included"
    corrects = True

    def solve(self, rows: LinearRows) -> LinearSolution:
        """The generalised eigenvector of the smallest ratio."""
        from scipy.linalg import eigh

        if rows.noise is None:
            raise PoinsotError(
                "total least squares needs the noise of the motion: give noise to the position channels"
            )
        first = Weighted().solve(rows)
        if len(rows.prior[1]):
            raise PoinsotError("total least squares takes no priors; use the method 'weighted'")
        r = len(first.d)
        weights = [np.where(good, 1 / first.sigma, 0.0) for good in rows.good]
        A, C = _gram(rows, weights), _noise(rows.noise, weights)
        v = np.append(first.d, -1.0)
        count = sum(float(good.sum()) for good in rows.good)
        C[r, r] += max(count - v @ C @ v, LEAST * count)  # what of the residuals the motion does not explain
        size = np.sqrt(np.diagonal(A))
        _, V = eigh(C / size[:, None] / size, A / size[:, None] / size)
        v = V[:, -1] / size  # the most noise for the least misfit
        return with_covariance(rows, weights, -v[:r] / v[r], A[:r, :r] - C[:r, :r])


def _gram(rows: LinearRows, weights: list[np.ndarray]) -> np.ndarray:
    """[X z]ᵀ[X z] (r + 1, r + 1) of weighted rows."""
    found = 0.0
    for x, z, w in zip(rows.X, rows.z, weights):
        both = np.concatenate([x * w[:, :, None], (z * w)[:, :, None]], axis=2).reshape(-1, x.shape[2] + 1)
        found = found + both.T @ both
    return np.asarray(found)


def _noise(noise: tuple[np.ndarray, ...], weights: list[np.ndarray]) -> np.ndarray:
    """What the noise of the motion adds to [X z]ᵀ[X z] (r + 1, r + 1)."""
    found = 0.0
    for part, w in zip(noise, weights):
        both = (part * w[:, :, None]).reshape(-1, part.shape[2])
        found = found + both.T @ both
    return np.asarray(found)
