"""What residuals determine near the values that were found: unknowns one by one, combinations, covariance.

e(p + δ) = e(p) + J δ ,    J δ = J₁ (δ₁ + B δ₂)        (theory/search, eq. 7)
cov = H⁻¹ (s² DᵀD + PᵀP) H⁻¹ ,    H = J₁ᵀJ₁ = DᵀD + PᵀP        D, P: rows of measurements, and of priors

    + H⁻¹ Dᵀ C D H⁻¹ ,    C = Σ Δe Δeᵀ / K        draws Δe of what further noise does to e; s² of (1 + C)^-½ e
                                                                                        (theory/search, eq. 32)
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
ALONE = 1e-6  # part of a prior's residual that is left, below which nothing else tells its unknown
LEAST = 0.5  # residuals to spare of the measurements alone, from which on they tell how well the model fits
RARE = 1e-3  # chance of residuals as large as these, below which the model does not fit


@dataclass(frozen=True, eq=False)
class Determined:
    """b combinations of k unknowns that m residuals determine."""

    reduction: Reduction
    covariance: np.ndarray  # of the combinations (b, b)
    ratio: float  # of the measurements' variance over what it should be; NaN without residuals to spare
    spare: int  # residuals beyond the parameters
    misfit: bool  # whether residuals are larger than their standard deviations allow
    held: tuple[int, ...]  # unknowns at a bound that have an effect
    away: np.ndarray  # (q, 3) of q priors from what all else says: in standard errors, in deviations, error of these


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
    priors: int = 0,
    size: np.ndarray | None = None,
    changes: np.ndarray | None = None,
) -> Determined:
    """What residuals e (m,) with J (m, k) determine; columns are round-off far below their natural sizes (k,).

    `known` tells whether the standard deviations that residuals are over are known; else residuals tell them.
    Unknowns that are `held`, at a bound, stay there and count as known; those in `prefer` are expressed by others
    first. Residuals that were `absorbed` are none to spare; the last are those of `priors`, worth as much as their
    deviations say, however well the model fits. Directions among several unknowns with a standard error
    beyond their `size` (k,) count as open. `changes` (m − priors, K) are draws of what further noise does to the
    residuals.
    """
    J, lengths = J.copy(), np.linalg.norm(J, axis=0)
    natural = np.maximum(natural, lengths)
    at_bound = tuple(k for k in held if lengths[k] > NO_EFFECT * natural[k])
    J[:, list(held)] = 0.0
    found = reduce_columns(J, prefer, natural)
    spare, told = len(e) - found.rank - absorbed, len(e) - priors
    e = e if changes is None else np.append(apart(e[:told], changes), e[told:])
    share = _leverage(J[:, list(found.independent)])
    free = told - absorbed - float(share[:told].sum())  # of the measurements
    squares, free = (float(e[:told] @ e[:told]), free) if free > LEAST else (float(e @ e), float(spare))
    ratio = squares / free if spare > 0 else np.nan
    misfit = bool(known and spare > 0 and chi2.sf(squares, free) < RARE)
    wide = 1.0 if known and not misfit else np.sqrt(ratio)
    if size is not None:
        rows = np.where(np.arange(len(e)) < told, 1 / wide if wide > 0 else np.nan, 1.0)
        weak, small = _weak(rows[:, None] * J * size)
        if len(weak):
            J = (J * size - (J * size) @ weak.T @ weak) / size
            order = sorted(dict.fromkeys([*prefer, *range(len(size))]), key=small.__contains__)
            found = reduce_columns(J, order, natural)
    X = J[:, list(found.independent)]
    inverse, by_data = _by_data(e, X, wide**2, series, told)
    if changes is not None:
        by_inputs = inverse @ (X[:told].T @ changes) / np.sqrt(changes.shape[1])
        by_data = by_data + by_inputs @ by_inputs.T
    by_priors = inverse @ X[told:].T
    away = _away(e[told:], X[told:], inverse, by_data)
    return Determined(found, by_data + by_priors @ by_priors.T, ratio, spare, misfit, at_bound, away)


def apart(e: np.ndarray, changes: np.ndarray) -> np.ndarray:
    """(1 + C)^-½ e with C = Σ Δe Δeᵀ/K of changes (m, K): residuals (m,), less what further noise makes of them."""
    U, S, _ = np.linalg.svd(changes, full_matrices=False)
    return e - U @ ((1 - 1 / np.sqrt(1 + S**2 / changes.shape[1])) * (U.T @ e))


def _weak(J: np.ndarray) -> tuple[np.ndarray, set[int]]:
    """Directions (w, k) among several unknowns along which residuals change by less than their deviation, and the
    unknowns that have a small part in them at most, by which others are not expressed.

    J diag(size) = U S Vᵀ ,    S < 1        (theory/search, eq. 43)

    An unknown has part in one if it has a large part, or if letting the direction go widens its own error bar.
    """
    if not np.isfinite(J).all():
        return J[:0], set()
    S, V = np.linalg.svd(J, full_matrices=False)[1:]
    if not len(S):
        return V[:0], set()
    weak = (S < 1) & (S / S[0] > ROUND_OFF)
    bar = np.linalg.norm(V[S >= 1] / S[S >= 1, None], axis=0)  # with all of them held
    error = np.abs(V[weak]) / S[weak, None]  # by each of them
    sure = np.abs(V[weak]) > EXACT * S[0]
    large = np.abs(V[weak]) > PART * np.max(np.abs(V[weak]), axis=1, keepdims=True, initial=0.0)
    V = np.where(large | (sure & (error * np.sqrt(len(error)) > WIDER * bar)), V[weak], 0.0)
    several = np.count_nonzero(V, axis=1) > 1
    small = V[several].any(axis=0) & ~large[several].any(axis=0)
    return np.linalg.qr(V[several].T)[0].T, set(np.flatnonzero(small).tolist())


def _leverage(X: np.ndarray) -> np.ndarray:
    """Part of each residual (m,) that the values take up: h = diag X (XᵀX)⁻¹ Xᵀ."""
    length = np.linalg.norm(X, axis=0)
    return np.sum(np.linalg.qr(X / length)[0] ** 2, axis=1)


def _by_data(e: np.ndarray, X: np.ndarray, scale: float, series: Series, told: int) -> tuple[np.ndarray, np.ndarray]:
    """H⁻¹ (b, b), and what the first residuals, those of measurements, add to the covariance: by the colour of those
    that are time series."""
    length = np.linalg.norm(X, axis=0)
    both = np.outer(length, length)
    H = (X / length).T @ (X / length)
    inverse = np.linalg.inv(H)
    if series:
        edges = np.cumsum([0, *(n * c for n, c in series)])
        parts = [(slice(a, b), shape) for a, b, shape in zip(edges, edges[1:], series)]
        left = [e[part].reshape(shape) for part, shape in parts]
        columns = [(X[part] / length).reshape(*shape, X.shape[1]) for part, shape in parts]
        return inverse / both, sandwich(columns, H, colour_of(left)) / both
    if told == len(e):
        return inverse / both, scale * inverse / both
    D = (X[:told] / length) @ inverse
    return inverse / both, scale * (D.T @ D) / both


@np.errstate(divide="ignore", invalid="ignore")  # what only a prior determines is told by nothing else
def _away(e: np.ndarray, P: np.ndarray, inverse: np.ndarray, by_data: np.ndarray) -> np.ndarray:
    """How far priors (q, 3) are from what all else says without them, all others included.

    z = |d|/√(1 + u²) ,    d = e/(1 − h) ,    u = √(P C Pᵀ)/(1 − h) ,    h = P H⁻¹ Pᵀ
    """
    h = np.einsum("qb,bc,qc->q", P, inverse, P)
    others = np.einsum("qb,bc,rc->qr", P, inverse, P)
    spread = np.einsum("qb,bc,qc->q", P, by_data, P) + np.sum(others**2, axis=1) - h**2
    d, u = e / (1 - h), np.sqrt(np.maximum(spread, 0.0)) / (1 - h)
    known = 1 - h > ALONE
    return np.stack([np.where(known, np.abs(d) / np.sqrt(1 + u**2), 0.0), d, u], axis=1)
