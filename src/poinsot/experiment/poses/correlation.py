"""Frequencies of poses × parameter sets, their correlations with the unknowns, and what these say of a pose.

ρ_im = cov(f_i, p_m)/(σ(f_i) σ(p_m))                                                  (theory/design, eq. 12)
I = 1 − max_π (1/k) ∑_m ρ²_π(m)m / ∑_j ρ²_π(m)j                                       (theory/design, eq. 14)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.engine import eigh
from poinsot.experiment.poses.local import LocalMatrices

if TYPE_CHECKING:
    from poinsot.experiment.poses.matrices import PoseMatrices

Reduced = tuple[np.ndarray, np.ndarray | None]  # K and M with their slopes (N, 1 + k, n, n); without M it is 1
BLOCK = 16_000  # eigenproblems at a time: their matrices stay in the cache


@one_blas_thread()
def correlations(matrices: PoseMatrices, s: np.ndarray, local: LocalMatrices, sets: np.ndarray, m: int) -> np.ndarray:
    """ρ (N, m, k) of the m lowest frequencies of good poses s (N, d) over parameter sets (R, k)."""
    rho = np.zeros((len(s), min(m, local.M.shape[-1]), sets.shape[1]))
    poses, reduced = max(1, BLOCK // len(sets)), _reduced(local) if matrices.affine else None
    for first in range(0, len(s), poses):
        part = slice(first, first + poses)
        own = None if reduced is None else (reduced[0][part], None if reduced[1] is None else reduced[1][part])
        rho[part] = _correlated(matrices, s[part], own, sets, rho.shape[1])
    return rho


def _correlated(
    matrices: PoseMatrices, s: np.ndarray, reduced: Reduced | None, sets: np.ndarray, m: int
) -> np.ndarray:
    """The same for a few poses, sets after sets; frequencies are counted from those of the first one."""
    centred = np.column_stack([np.ones(len(sets)), (sets - sets.mean(axis=0)) / matrices.prior.size])
    square, product, middle = np.zeros((len(s), m)), np.zeros((len(s), m, centred.shape[1])), 0.0
    for first in range(0, len(sets), BLOCK):
        some = slice(first, first + BLOCK)
        if reduced is not None:
            f = _affine(reduced, (sets[some] - matrices.prior.nominal) / matrices.prior.size)[..., :m]
        else:
            f = _pairs(matrices, s, sets[some])[..., :m]
        middle = f[:, :1].copy() if first == 0 else middle
        f -= middle
        square += np.einsum("nri,nri->ni", f, f)
        product += f.swapaxes(1, 2) @ centred[some]
    variance = square - product[..., 0] ** 2 / len(sets)
    spread = np.sqrt(np.maximum(variance, 0.0))[..., None] * np.sqrt(np.sum(centred[:, 1:] ** 2, axis=0))
    return np.where(spread > 0, product[..., 1:] / np.where(spread > 0, spread, 1.0), 0.0)


def _reduced(local: LocalMatrices) -> Reduced:
    """K and its slopes (N, 1 + k, n, n), and those of M; with M = 1 where the unknowns do not change it."""
    M = np.concatenate([local.M[:, None], local.dM], axis=1)
    K = np.concatenate([local.K[:, None], local.dK], axis=1)
    if np.max(np.abs(M[:, 1:]), initial=0.0) > 1e-9 * np.max(np.abs(M[:, 0])):
        return K, M
    inverse = np.linalg.inv(np.linalg.cholesky(M[:, 0]))[:, None]
    return inverse @ K @ inverse.swapaxes(-1, -2), None


def _affine(reduced: Reduced, steps: np.ndarray) -> np.ndarray:
    """√ω² (N, R, n) for parameter sets at relative steps (R, k)."""
    n = reduced[0].shape[-1]
    powers = np.concatenate([np.ones((len(steps), 1)), steps], axis=1)
    K, M = (None if x is None else np.matmul(powers, x.reshape(*x.shape[:2], -1)).reshape(-1, n, n) for x in reduced)
    return _roots(np.asarray(eigh(K, M, vectors=False, threads=1))).reshape(-1, len(steps), n)


def _pairs(matrices: PoseMatrices, s: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """√ω² (N, R, n) with matrices of their own for every pair; NaN becomes the mean of the pose."""
    placed = [np.repeat(x, len(sets), axis=0) for x in matrices.place(s)]
    s, p = np.repeat(s, len(sets), axis=0), np.tile(sets, (len(s), 1))
    at = matrices.at(s, (placed[0], placed[1], placed[2]), p)
    good, one = matrices.resolved(at)[:, None, None], np.eye(at.M.shape[-1])
    values = np.asarray(
        eigh((at.K + at.K.swapaxes(1, 2)) / 2 * good + one * ~good, np.where(good, at.M, one), vectors=False)
    )
    f = np.where(good[:, 0], _roots(values), np.nan)
    f = f.reshape(-1, len(sets), f.shape[-1])
    return np.where(np.isnan(f), np.nanmean(f, axis=1, keepdims=True), f)


def _roots(values: np.ndarray) -> np.ndarray:
    """√ω² with its sign  [rad/s]."""
    if values.min(initial=0.0) < 0:
        return np.sign(values) * np.sqrt(np.abs(values))
    return np.sqrt(values, out=values)


def interplay_of_correlations(rho: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """I (N,): 0 where every unknown has a frequency that depends on it alone, of ρ (N, m, k) that are seen (N, m)."""
    from scipy.optimize import linear_sum_assignment

    square = np.where(seen[:, :, None], rho**2, 0.0)
    total = square.sum(axis=2, keepdims=True)
    share = square / np.where(total > 0, total, 1.0)
    best = [one[linear_sum_assignment(one, maximize=True)].sum() for one in share]
    return 1 - np.array(best, float) / rho.shape[2]
