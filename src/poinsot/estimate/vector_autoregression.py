"""Autocovariances of several channels together, and autoregressive models of them.

    Γ_k = E e_{t+k} e_tᵀ                                  (c, c) for each lag k
    ε_k = Σ L_i ε_{k−i} + η_k ,   var η = Σ_η              of the order that Schwarz's criterion prefers

by Whittle's recursion, whose models are stable.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def autocovariances(parts: Sequence[np.ndarray], most: int, good: Sequence[np.ndarray]) -> np.ndarray:
    """Γ of channels (n, c) of several runs, up to a lag (most + 1, c, c), by the number of good samples (n, c).

    Those that are masked count as zero, so that no spectrum is negative.
    """
    sums = np.sum([_products(np.where(use, x, 0.0), most) for x, use in zip(parts, good)], axis=0)
    size = np.sqrt(np.maximum(np.sum([use.sum(axis=0) for use in good], axis=0), 1))
    return sums / size[:, None] / size


def _products(x: np.ndarray, most: int) -> np.ndarray:
    """Sums of products of channels (n, c) with each other, up to a lag (most + 1, c, c)."""
    size = 2 * max(len(x), most + 1)
    F = np.fft.rfft(x, size, axis=0)
    return np.fft.irfft(F[:, :, None] * F[:, None, :].conj(), size, axis=0)[: most + 1]


def of_innovations(gamma: np.ndarray, a: Sequence[np.ndarray], most: int) -> np.ndarray:
    """Γ (most + 1, c, c) of A e from Γ (m, c, c) of e, with polynomials 1, −a₁, … channel by channel."""
    c, whole = len(a), np.concatenate([gamma[:0:-1].transpose(0, 2, 1), gamma])  # from lag 1 − m to m − 1
    found = np.zeros((most + 1, c, c))
    for i in range(c):
        for j in range(c):
            both = np.convolve(a[i], a[j][::-1])  # from lag 1 − len(a_j) on
            zero = len(gamma) + len(a[j]) - 2
            found[:, i, j] = np.convolve(whole[:, i, j], both)[zero : zero + most + 1]
    return found


def vector_autoregression(gamma: np.ndarray, n: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """L (q, c, c) and Σ_η (c, c) from Γ (m, c, c) of n samples, of an order of at most so many."""
    c, (S, V) = gamma.shape[1], (gamma[0], gamma[0])  # errors of predictions forwards and backwards
    L = back = np.zeros((0, c, c))
    best, chosen = n * _log_det(S), (L, S)
    for order in range(1, min(most, len(gamma) - 1) + 1):
        D = gamma[order] - np.einsum("iab,ibc->ac", L, gamma[order - 1 : 0 : -1])
        ahead, behind = np.linalg.solve(V.T, D.T).T, np.linalg.solve(S.T, D).T
        L, back = (
            np.concatenate([L - ahead @ back[::-1], ahead[None]]),
            np.concatenate([back - behind @ L[::-1], behind[None]]),
        )
        S, V = S - ahead @ D.T, V - behind @ D
        if not _log_det(S) > -np.inf or not _log_det(V) > -np.inf:
            break
        score = n * _log_det(S) + order * c**2 * np.log(n)
        if score < best:
            best, chosen = score, (L, S)
    return chosen[0], (chosen[1] + chosen[1].T) / 2


def _log_det(S: np.ndarray) -> float:
    """Logarithm of the determinant, −∞ where S is no covariance."""
    least = np.linalg.eigvalsh((S + S.T) / 2)
    return float(np.sum(np.log(least))) if least[0] > 1e-12 * least[-1] else -np.inf
