"""What residuals determine near the values that were found: unknowns one by one, combinations, covariance.

e(p + δ) = e(p) + J δ ,    J δ = J₁ (δ₁ + B δ₂) ,    cov = s² (J₁ᵀJ₁)⁻¹        (theory/search, eq. 7)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from poinsot.blas import one_blas_thread
from poinsot.estimate.residuals import colour_of, sandwich
from poinsot.identifiability.reduction import Reduction, reduce_columns

PART = 0.1  # of the largest part of a direction, below which an unknown has no part in it
ROUND_OFF = 1e-13  # of the largest singular value
RARE = 1e-3  # chance of residuals as large as these, below which the model does not fit


@dataclass(frozen=True, eq=False)
class Determined:
    """b combinations of k unknowns that m residuals determine."""

    reduction: Reduction
    covariance: np.ndarray  # of the combinations (b, b)
    ratio: float  # of the residuals' variance over what it should be; NaN without residuals to spare
    spare: int  # residuals beyond the parameters
    misfit: bool  # whether residuals are larger than their standard deviations allow


Series = Sequence[tuple[int, int]]  # samples and channels of time series that residuals are, one after the other


@one_blas_thread()
def determined(
    e: np.ndarray,
    J: np.ndarray,
    natural: np.ndarray,
    known: bool,
    series: Series = (),
    held: Sequence[int] = (),
    prefer: Sequence[int] = (),
    absorbed: int = 0,
    size: np.ndarray | None = None,
) -> Determined:
    """What residuals e (m,) with J (m, k) determine; columns are round-off far below their natural sizes (k,).

    `known` tells whether the standard deviations that residuals are over are known; else residuals tell them.
    Unknowns that are `held`, at a bound, stay there and count as known; those in `prefer` are expressed by others
    first. Residuals that were `absorbed` are none to spare. Directions among several unknowns with a standard error
    beyond their `size` (k,) count as open.
    """
    J = J.copy()
    J[:, list(held)] = 0.0
    natural = np.maximum(natural, np.linalg.norm(J, axis=0))
    found = reduce_columns(J, prefer, natural)
    spare = len(e) - found.rank - absorbed
    ratio = float(e @ e) / spare if spare > 0 else np.nan
    misfit = bool(known and spare > 0 and chi2.sf(e @ e, spare) < RARE)
    wide = 1.0 if known and not misfit else np.sqrt(ratio)
    if size is not None and len(weak := _weak(J * size, wide)):
        J = (J * size - (J * size) @ weak.T @ weak) / size
        found = reduce_columns(J, prefer, natural)
    X = J[:, list(found.independent)]
    return Determined(found, _covariance(e, X, known and not misfit, series, ratio), ratio, spare, misfit)


def _weak(J: np.ndarray, wide: float) -> np.ndarray:
    """Directions (w, k) among several unknowns along which residuals change by less than their deviation.

    J diag(size) = U S Vᵀ ,    S < 1        (theory/search, eq. 43)
    """
    S, V = np.linalg.svd(J, full_matrices=False)[1:]
    V = V[(S / wide < 1) & (S / S[:1] > ROUND_OFF)] if wide > 0 and len(S) else V[:0]
    if not len(V):
        return V
    V = np.where(np.abs(V) > PART * np.max(np.abs(V), axis=1, keepdims=True), V, 0.0)
    V = V[np.count_nonzero(V, axis=1) > 1]
    return np.linalg.qr(V.T)[0].T


def _covariance(e: np.ndarray, X: np.ndarray, known: bool, series: Series, ratio: float) -> np.ndarray:
    """(b, b), by the colour of residuals that are time series."""
    length = np.linalg.norm(X, axis=0)
    H = (X / length).T @ (X / length)
    if series:
        edges = np.cumsum([0, *(n * c for n, c in series)])
        parts = [(slice(a, b), shape) for a, b, shape in zip(edges, edges[1:], series)]
        left = [e[part].reshape(shape) for part, shape in parts]
        columns = [(X[part] / length).reshape(*shape, X.shape[1]) for part, shape in parts]
        return sandwich(columns, H, colour_of(left)) / np.outer(length, length)
    scale = 1.0 if known else ratio
    return scale * np.linalg.inv(H) / np.outer(length, length)
