"""What residuals determine near the values that were found: unknowns one by one, combinations, covariance.

e(p + δ) = e(p) + J δ ,    J δ = J₁ (δ₁ + B δ₂) ,    cov = s² (J₁ᵀJ₁)⁻¹        (theory/search, eq. 7)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from poinsot.blas import one_blas_thread
from poinsot.estimate.error_bars import sandwich
from poinsot.estimate.residuals import colour_of
from poinsot.identifiability.reduction import NO_EFFECT, Reduction, reduce_columns

PART = 0.1  # of the largest part of a direction, from which an unknown has part in it in any case
WIDER = 2.5  # error bars of an unknown, from which what an open direction adds to them makes it part of it
EXACT = 1e-14  # round-off of a part in a direction, times the ratio of the largest singular value to those that count
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
    held: tuple[int, ...] = ()  # unknowns at a bound that have an effect


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
    J, lengths = J.copy(), np.linalg.norm(J, axis=0)
    natural = np.maximum(natural, lengths)
    at_bound = tuple(k for k in held if lengths[k] > NO_EFFECT * natural[k])
    J[:, list(held)] = 0.0
    found = reduce_columns(J, prefer, natural)
    spare = len(e) - found.rank - absorbed
    ratio = float(e @ e) / spare if spare > 0 else np.nan
    misfit = bool(known and spare > 0 and chi2.sf(e @ e, spare) < RARE)
    wide = 1.0 if known and not misfit else np.sqrt(ratio)
    if size is not None:
        weak, small = _weak(J * size, wide)
        if len(weak):
            J = (J * size - (J * size) @ weak.T @ weak) / size
            order = sorted(dict.fromkeys([*prefer, *range(len(size))]), key=small.__contains__)
            found = reduce_columns(J, order, natural)
    X = J[:, list(found.independent)]
    covariance = _covariance(e, X, known and not misfit, series, ratio)
    return Determined(found, covariance, ratio, spare, misfit, at_bound)


def _weak(J: np.ndarray, wide: float) -> tuple[np.ndarray, set[int]]:
    """Directions (w, k) among several unknowns along which residuals change by less than their deviation, and the
    unknowns that have a small part in them at most, by which others are not expressed.

    J diag(size) = U S Vᵀ ,    S < 1        (theory/search, eq. 43)

    An unknown has part in one if it has a large part, or if letting the direction go widens its own error bar.
    """
    S, V = np.linalg.svd(J, full_matrices=False)[1:]
    if not len(S) or not wide > 0:
        return V[:0], set()
    weak = (S / wide < 1) & (S / S[0] > ROUND_OFF)
    bar = wide * np.linalg.norm(V[S / wide >= 1] / S[S / wide >= 1, None], axis=0)  # with all of them held
    error = np.abs(V[weak]) * (wide / S[weak, None])  # by each of them
    sure = np.abs(V[weak]) > EXACT * S[0] / wide
    large = np.abs(V[weak]) > PART * np.max(np.abs(V[weak]), axis=1, keepdims=True, initial=0.0)
    V = np.where(large | (sure & (error * np.sqrt(len(error)) > WIDER * bar)), V[weak], 0.0)
    several = np.count_nonzero(V, axis=1) > 1
    small = V[several].any(axis=0) & ~large[several].any(axis=0)
    return np.linalg.qr(V[several].T)[0].T, set(np.flatnonzero(small).tolist())


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
