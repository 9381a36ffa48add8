"""Covariances of estimates under coloured residuals, and how well these are known.

    cov d = B Ω Bᵀ ,   Ω of a stationary process with the spectrum S = W⁻¹ Σ_η W⁻ᴴ ,   W = L(ω) A(ω)
    ν = 2 s⁴ / var s² ,   bars over those of a known colour: t_ν(97.5 %) / 1.96            (theory/estimation, eq. 43)

Ω is never written out: it acts on columns by their Fourier transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from poinsot.estimate.residuals import Colour

TAIL = 1000  # samples at least by which a series is made longer, so that its ends do not meet
SURE = 0.975  # bars of 1.96 standard errors leave out 2.5 % at either end
LEAST = 2.0  # degrees of freedom: with fewer, linear changes of s² tell nothing of its spread


def sandwich(X: Sequence[np.ndarray], H: np.ndarray, colour: Colour) -> np.ndarray:
    """Covariance (b, b) of β = H⁻¹ Xᵀ y, with X (n, c, b) of several runs and residuals of a colour."""
    S, root = np.zeros(H.shape), colour.root
    for part in X:
        size, F = _transformed(part)
        Y = np.einsum("dc,fdb->fcb", root, np.matmul(_conjugate(colour.response(size)), F))
        Y = Y.reshape(Y.shape[0] * Y.shape[1], len(H))
        S += (Y.conj().T @ Y).real
    inverse = np.linalg.inv(H)
    return inverse @ S @ inverse.T


def widened(
    covariance: np.ndarray, B: Sequence[np.ndarray], colour: Colour, good: Sequence[np.ndarray]
) -> np.ndarray:
    """Covariance (r, r) of Σ B e, such that 1.96 standard errors cover 95 % although the colour is that of few
    samples: its rows and columns times Student's t over 1.96.
    """
    from scipy.special import ndtri, stdtrit

    wider = stdtrit(np.maximum(freedoms(B, colour, good), LEAST), SURE) / ndtri(SURE)
    return covariance * np.outer(wider, wider)


def freedoms(B: Sequence[np.ndarray], colour: Colour, good: Sequence[np.ndarray]) -> np.ndarray:
    """ν (r,) of variances s² of Σ B e, with rows B (n, c, r) and a colour from samples that were good (n, c).

    s² is a function of the colour's coefficients, whose covariance is known; lags of a channel on itself are those of
    its own model.
    """
    counts = np.sum([use.sum(axis=0) for use in good], axis=0)
    n, r = float(np.mean(counts)), B[0].shape[2]
    orders, q, c = [len(a) - 1 for a in colour.a], len(colour.lags), len(colour.a)
    s2, Y, own, cross = np.zeros(r), np.zeros((r, c, c)), [np.zeros((p, r)) for p in orders], np.zeros((q, c, c, r))
    for part in B:
        size, F = _transformed(part)
        W = colour.response(size)
        y = np.matmul(_conjugate(W), F)  # W⁻ᴴ b
        u = np.matmul(W, np.einsum("cd,fdr->fcr", colour.eta, y))  # Ω b
        s2 += np.einsum("fcr,fcr->r", F.conj(), u).real
        Y += np.einsum("fcr,fdr->rcd", y.conj(), y).real
        between = np.matmul(_conjugate(colour.across(size)), y)
        A = colour.along(size)
        for k, p in enumerate(orders):
            own[k] += _lagged(between[:, k].conj() * u[:, k], p, size)
        for i, j in ((i, j) for i in range(c) for j in range(c) if q and i != j):
            cross[:, i, j] += _lagged(y[:, i].conj() * A[:, j, None] * u[:, j], q, size)
    variance = 2 * np.einsum("ab,rbc,cd,rda->r", colour.eta, Y, colour.eta, Y) / n
    for gradient, a, count in zip(own, colour.a, counts):
        inner = np.linalg.solve(_own_covariance(a), gradient)
        variance = variance + np.einsum("lr,lr->r", gradient, inner) / max(float(count), 1.0)
    if q:
        gradient = cross.transpose(1, 0, 2, 3).reshape(c, q * c, r)
        inner = np.linalg.solve(_stacked_covariance(colour), gradient)
        variance = variance + np.einsum("ikr,ij,jkr->r", gradient, colour.eta, inner) / n
    return 2 * s2**2 / np.maximum(variance, 1e-300)


def _transformed(x: np.ndarray) -> tuple[int, np.ndarray]:
    """Fourier transform (f, …) of columns (n, …), made longer, with squares that sum up to those of the columns."""
    from scipy.fft import next_fast_len, rfft

    size = cast("int", next_fast_len(max(2 * len(x), len(x) + TAIL), real=True))
    F = np.asarray(rfft(np.nan_to_num(x), size, axis=0))
    twice = np.full(len(F), 2.0)
    twice[0] = 1.0
    if size % 2 == 0:
        twice[-1] = 1.0
    return size, F * np.sqrt(twice / size).reshape(-1, *(1,) * (x.ndim - 1))


def _lagged(products: np.ndarray, most: int, size: int) -> np.ndarray:
    """Twice the sums of products of two series, the second so many samples before: (most, r) from spectra (f, r)."""
    phase = np.exp(-2j * np.pi / size * np.outer(np.arange(1, most + 1), np.arange(len(products))))
    return 2 * np.real(phase @ products)


def _conjugate(M: np.ndarray) -> np.ndarray:
    """Mᴴ for each of many matrices."""
    return M.conj().swapaxes(-1, -2)


def _own_covariance(a: np.ndarray) -> np.ndarray:
    """Covariance (p, p) of p successive samples with a polynomial 1, −a₁, … and innovations of variance 1."""
    p = len(a) - 1
    gamma = np.fft.irfft(1 / np.abs(np.fft.rfft(a, 4 * TAIL)) ** 2, 4 * TAIL)
    at = np.arange(p)
    return gamma[np.abs(at[:, None] - at)]


def _stacked_covariance(colour: Colour) -> np.ndarray:
    """Covariance (q c, q c) of q successive samples of the innovations, the last one first."""
    q, c = colour.lags.shape[:2]
    root = np.linalg.solve(colour.across(4 * TAIL), np.broadcast_to(colour.root, (2 * TAIL + 1, c, c)))
    gamma = np.fft.irfft(np.matmul(root, _conjugate(root)), 4 * TAIL, axis=0)
    at = np.arange(q)
    return gamma[at - at[:, None]].transpose(0, 2, 1, 3).reshape(q * c, q * c)
