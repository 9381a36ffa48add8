"""Poles by the poly-reference least-squares complex frequency-domain method (pLSCF).

    H(ω) = B(z) A(z)⁻¹,   A(z) = Σ_r A_r zʳ,   B(z) = Σ_r B_r zʳ,   z = e^(−i(ω − ω₁)τ)    (theory/modal-tests, eq. 8)

The rows of H are points, the columns references. The error Σ |w_o (B_o − H_o A)|² is least where

    Σ_o (T_o − S_oᴴ R_o⁻¹ S_o) A = 0,        A₀ = 1                                       (theory/modal-tests, eq. 9)

Its matrices are Toeplitz, so a Fourier transform of the lines makes them. Coefficients are complex: the band alone is
mapped onto the unit circle, and conjugate poles count as what lies outside. With A₀ = 1 poles without a physical
meaning come out unstable (Cauberghe 2004), and are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError

__all__ = ["PoleSet", "lscf"]

COVER = 0.95  # part of the unit circle that the band takes: at a whole turn its ends would meet


@dataclass(frozen=True, eq=False)
class PoleSet:
    """Stable poles of one order in the band; k of them, seen at o points from i references."""

    order: int
    poles: np.ndarray  # (k,) by growing frequency  [1/s]
    shapes: np.ndarray  # (o, k) complex, of norm 1
    participation: np.ndarray  # (i, k) complex, of norm 1


def lscf(
    frequency: np.ndarray, H: np.ndarray, orders: Sequence[int], weight: np.ndarray | None = None
) -> tuple[PoleSet, ...]:
    """Poles of all orders from responses H (n, o, i) at even frequencies (n,) [Hz].

    `weight` (n, o) of every line of every point, the inverse of a standard deviation; 1 by default.
    """
    n, _, i = H.shape
    step = np.diff(frequency)
    if n < 4 or np.ptp(step) > 1e-4 * np.median(step):
        raise PoinsotError("LSCF needs at least four frequencies in equal steps")
    p = max(orders)
    if n * H.shape[1] < (p + 1) * i:
        raise PoinsotError(f"{n} lines of {H.shape[1]} points do not determine a polynomial of order {p}")
    N = int(np.ceil(n / COVER))
    tau = 1 / (N * float(np.mean(step)))  # z = e^(−2πi k/N) at line k  [s]
    w2 = np.ones(H.shape[:2]) if weight is None else np.asarray(weight, float) ** 2
    R = _toeplitz(w2, p, N)  # (o, p+1, p+1)
    S = -_toeplitz(w2[:, :, None] * H, p, N)  # (o, i, p+1, p+1)
    T = _toeplitz(np.einsum("no,noa,nob->nab", w2, H.conj(), H), p, N)  # (i, i, p+1, p+1)
    return tuple(_of_order(q, R, S, T, 2 * np.pi * frequency, tau) for q in orders)


def _toeplitz(g: np.ndarray, p: int, N: int) -> np.ndarray:
    """Σ_f g_f e^(2πi f (r − s)/N) for r, s = 0 … p, of every column of g (n, …): (…, p+1, p+1)."""
    c = np.fft.ifft(g, N, axis=0) * N
    difference = np.subtract.outer(np.arange(p + 1), np.arange(p + 1))
    return np.moveaxis(c[difference % N], (0, 1), (-2, -1))


def _of_order(q: int, R: np.ndarray, S: np.ndarray, T: np.ndarray, omega: np.ndarray, tau: float) -> PoleSet:
    o, i = S.shape[:2]
    size = (q + 1) * i
    R, S, T = (x[..., : q + 1, : q + 1] for x in (R, S, T))
    S = S.transpose(0, 2, 3, 1).reshape(o, q + 1, size)
    T = T.transpose(2, 0, 3, 1).reshape(size, size)
    numerator = -np.linalg.solve(R, S)  # (o, q+1, size): B_o = this · A
    M = T + np.einsum("ork,orl->kl", S.conj(), numerator)
    A = np.vstack([np.eye(i), -np.linalg.lstsq(M[i:, i:], M[i:, :i], rcond=None)[0]])  # A₀ = 1
    z, V, L = _null_vectors(A.reshape(q + 1, i, i))
    turn = -np.log(z)
    s = 1j * omega[0] + (np.real(turn) + 1j * (np.imag(turn) % (2 * np.pi))) / tau
    inside = np.isfinite(s) & (s.real < 0) & (s.imag > omega[0]) & (s.imag < omega[-1])
    chosen = np.flatnonzero(inside)[np.argsort(s[inside].imag)]
    s, z, V, L = s[chosen], z[chosen], V[:, chosen], L[:, chosen]
    B = (numerator @ A).reshape(o, q + 1, i)
    shapes = np.einsum("ori,kr,ik->ok", B, z[:, None] ** np.arange(q + 1), V)  # residue of B A⁻¹ is ∝ B v uᴴ
    return PoleSet(q, s, _normed(shapes), _normed(L))


def _null_vectors(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """z with A(z) v = 0 and L A(z) = 0: eigenvalues (m,), v (i, m) and L (i, m), from the companion matrix of 1/z."""
    from scipy.linalg import eig

    q, i = len(A) - 1, A.shape[1]
    companion = np.eye(q * i, k=i, dtype=complex)
    companion[-i:] = -np.concatenate([A[q - k] for k in range(q)], axis=1)
    found: Any = eig(companion, left=True)
    u, left, right = found
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 / u, right[:i], left[-i:].conj()


def _normed(x: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(x, axis=0)
    return x / np.where(size > 0, size, 1.0)
