"""Kalman filter and modified Bryson–Frazier smoother of a time-varying linear system.

x_{k+1} = F_k x_k + d_k + w_k,  w ~ (0, Q_k)        z_k = H_k x_k + n_k,  n ~ (0, diag r_k ≥ 0)

S = h P hᵀ + r,  K = P hᵀ/S,  row by row;  NIS = Σ e²/S, e = z − h x     (theory/measurements, eq. 7)
x̂ = x − P λ,  P̂ = P − P Λ P,  back row by row  λ₋ = (1 − K h)ᵀλ − hᵀ e/S,  Λ₋ = (1 − K h)ᵀΛ(1 − K h) + hᵀh/S,
then to the time before  λ = Fᵀλ₋,  Λ = FᵀΛ₋F                            (theory/measurements, eq. 8)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.recording.fusion.equations import filter_step, smoother_step

__all__ = ["Filtered", "Measurements", "forward", "smooth"]

LOST = 1e-11  # of the terms of P Λ P, against what they leave
MIXED = 1e-13  # of the largest entry of Λ in standard deviations, which round-off carries to all others
ROUND_OFF = 1e-13  # of variances that predicted states have  [-]


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


def smooth(
    x: np.ndarray, P: np.ndarray, passed: Filtered, F: np.ndarray, Q: np.ndarray, seen: Measurements
) -> tuple[np.ndarray, np.ndarray]:
    """Smoothed states (n, s) and covariances (n, s, s) of what `forward` made of the same x, P, F, Q and `seen`.

    No covariance is inverted: of constants in exact loops P₊ is singular but for round-off. Only next to a start of
    which little is known P − P Λ P cancels, and the covariance follows from that of the next time.
    """
    before = np.concatenate([np.zeros_like(F[:1]), F[:-1]])
    x0, P0 = np.concatenate([x[None], passed.x_next[:-1]]), np.concatenate([P[None], passed.P_next[:-1]])
    e = seen.z - (seen.H @ x0[:, :, None])[..., 0]
    step = smoother_step(len(x), seen.z.shape[1], np.any(before != 0, axis=0).tobytes())
    back = step.scan([np.zeros_like(x), np.zeros_like(P)], *(y[::-1] for y in (P0, before, e, seen.H, seen.r)))
    lam, L = back[2][::-1], back[3][::-1]
    smoothed = passed.P - passed.P @ L @ passed.P
    for k in np.flatnonzero(_cancelled(smoothed, passed.P, L, P0)[:-1])[::-1]:
        smoothed[k] = _from_next(passed.P[k], passed.P_next[k], F[k], Q[k], smoothed[k + 1])
    return passed.x - (passed.P @ lam[:, :, None])[..., 0], (smoothed + np.swapaxes(smoothed, 1, 2)) / 2


def _cancelled(smoothed: np.ndarray, P: np.ndarray, L: np.ndarray, P0: np.ndarray) -> np.ndarray:
    """At which of n times round-off of P Λ P may be more than a hundredth of what it leaves (n,)."""
    spread = np.sqrt(_diagonal(P0))
    largest = np.max(np.abs(L) * spread[:, :, None] * spread[:, None], axis=(1, 2))
    largest[:-1] = np.maximum(largest[:-1], largest[1:])  # Λ is that of the next time, less what was measured there
    terms = _diagonal(np.abs(P) @ np.abs(L) @ np.abs(P))
    rounded = np.maximum(LOST * terms, MIXED * largest[:, None] * _diagonal(P))
    return np.any(rounded > np.abs(_diagonal(smoothed)), axis=1)


def _from_next(P: np.ndarray, ahead: np.ndarray, F: np.ndarray, Q: np.ndarray, after: np.ndarray) -> np.ndarray:
    """P̂ (s, s) from that of the next time, which no error of G makes negative; P₊ has round-off added.

    P̂ = (1 − G F) P (1 − G F)ᵀ + G (Q + P̂₊) Gᵀ,  G = P Fᵀ P₊⁻¹
    """
    size = 1 / np.sqrt(np.diagonal(ahead))
    scaled = ahead * size[:, None] * size + ROUND_OFF * np.eye(len(P))
    G = (np.linalg.solve(scaled, size[:, None] * (F @ P)) * size[:, None]).T
    kept = np.eye(len(P)) - G @ F
    return kept @ P @ kept.T + G @ (Q + after) @ G.T


def _diagonal(A: np.ndarray) -> np.ndarray:
    return np.diagonal(A, axis1=1, axis2=2)
