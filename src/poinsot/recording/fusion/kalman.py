"""Kalman filter and Rauch–Tung–Striebel smoother of a time-varying linear system.

x_{k+1} = F_k x_k + d_k + w_k,  w ~ (0, Q_k)        z_k = H_k x_k + n_k,  n ~ (0, diag r_k ≥ 0)

S = h P hᵀ + r,  K = P hᵀ/S,  row by row;  NIS = Σ e²/S, e = z − h x     (theory/measurements, eq. 7)
G = P Fᵀ P⁻¹₊,  x̂ = x + G (x̂₊ − x₊),  P̂ = P + G (P̂₊ − P₊) Gᵀ        (theory/measurements, eq. 8)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.recording.fusion.equations import filter_step

__all__ = ["Filtered", "Measurements", "forward", "smooth"]


@dataclass(frozen=True, eq=False)
class Measurements:
    """At most m independent measurements of a state of size s at each of n times; rows of zeros say nothing."""

    z: np.ndarray  # (n, m)
    H: np.ndarray  # (n, m, s)
    r: np.ndarray  # variances (n, m)
    rows: np.ndarray  # how many are real (n,)


@dataclass(frozen=True, eq=False)
class Filtered:
    """The forward pass over n times."""

    x: np.ndarray  # after the measurement (n, s)
    P: np.ndarray  # (n, s, s)
    x_next: np.ndarray  # predicted for the next time (n, s)
    P_next: np.ndarray  # (n, s, s)
    nis: np.ndarray  # normalised innovation squared (n,)
    rows: np.ndarray  # how many measurements it has (n,)


def forward(
    x: np.ndarray, P: np.ndarray, F: np.ndarray, d: np.ndarray, Q: np.ndarray, seen: Measurements
) -> Filtered:
    """Filter from x (s,), P (s, s) over n times with F (n, s, s), d (n, s), Q (n, s, s), the last beyond the end."""
    patterns = tuple(np.any(part != 0, axis=0).tobytes() for part in (F, Q))
    step = filter_step(len(x), seen.z.shape[1], *patterns)
    x_next, P_next, after, P_after, nis = step.scan([x, P], F, d, Q, seen.z, seen.H, seen.r)
    return Filtered(after, P_after, x_next, P_next, np.where(seen.rows > 0, nis.ravel(), np.nan), seen.rows)


def smooth(passed: Filtered, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smoothed states (n, s) and covariances (n, s, s)."""
    size = 1 / np.sqrt(np.diagonal(passed.P_next[:-1], axis1=1, axis2=2))
    scaled = passed.P_next[:-1] * size[:, :, None] * size[:, None]
    G = np.linalg.solve(scaled, size[:, :, None] * (F[:-1] @ passed.P[:-1]))
    G = np.swapaxes(G * size[:, :, None], 1, 2)
    x, P = passed.x.copy(), passed.P.copy()
    for k in range(len(x) - 2, -1, -1):  # products of BLAS: native code would not be faster
        x[k] += G[k] @ (x[k + 1] - passed.x_next[k])
        P[k] += G[k] @ (P[k + 1] - passed.P_next[k]) @ G[k].T
    return x, (P + np.swapaxes(P, 1, 2)) / 2
