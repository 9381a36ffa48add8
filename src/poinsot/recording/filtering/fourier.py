"""Fourier fit of a periodic excitation, averaged over its periods.

    s(t) = s₀ + Σ_k a_k sin kωt + b_k cos kωt              by least squares over whole periods

The noise is what differs from period to period, so it is known without a model, and errors of derivatives follow:

    σ_j² = σ²/n (2 Σ_k (kω)²ʲ + [j = 0])                                  (theory/measurements, eq. 2)
"""

from __future__ import annotations

import numpy as np

from poinsot.errors import PoinsotError, counted
from poinsot.recording.filtering.derivatives import Derivatives

__all__ = ["fourier_fit"]


def fourier_fit(
    t: np.ndarray, x: np.ndarray, period: float, harmonics: int | None = None, cutoff: float | None = None
) -> Derivatives:
    """Fit samples x (n,) at t (n,) [s], NaN where masked, by a Fourier series of a known period [s].

    `harmonics` is their number; by default all up to the `cutoff` [Hz].
    """
    span = float(t[-1] - t[0]) * len(t) / max(len(t) - 1, 1)
    periods = int(np.floor(span / period + 1e-6))
    if period <= 0 or periods < 1:
        raise PoinsotError(f"the recording of {span:.4g} s does not hold a whole period of {period:.4g} s")
    rate = len(t) / span
    if harmonics is None:
        if cutoff is None:
            raise PoinsotError("a Fourier series needs the number of its harmonics, or a cut-off in Hz")
        harmonics = max(1, int(cutoff * period))
    harmonics = min(harmonics, int(0.45 * rate * period))
    inside = t < t[0] + periods * period - 0.5 / rate
    phases = 2 * np.pi / period * (t - t[0])
    A = _columns(phases[inside], harmonics)
    good = np.isfinite(x[inside])
    c, *_ = np.linalg.lstsq(A[good], x[inside][good], rcond=None)
    noise = _noise(t[inside], x[inside], period, periods, A, c)
    w = 2 * np.pi / period * np.arange(1, harmonics + 1)
    n = int(good.sum())
    errors = np.sqrt([noise**2 / n * (2 * np.sum(w ** (2 * j)) + (j == 0)) for j in range(3)])
    value, rates, second = _series(phases, c, w)
    said = f"Fourier series of {counted(harmonics, 'harmonic')} over {counted(periods, 'period')} of {period:.6g} s"
    return Derivatives(t, value, rates, second, errors, noise, said)


def _columns(phase: np.ndarray, harmonics: int) -> np.ndarray:
    k = np.arange(1, harmonics + 1)
    angles = phase[:, None] * k
    return np.concatenate([np.ones((len(phase), 1)), np.sin(angles), np.cos(angles)], axis=1)


def _series(phase: np.ndarray, c: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The series and its derivatives."""
    K = len(w)
    angles = phase[:, None] * np.arange(1, K + 1)
    S, C, a, b = np.sin(angles), np.cos(angles), c[1 : K + 1], c[K + 1 :]
    return c[0] + S @ a + C @ b, C @ (a * w) - S @ (b * w), -S @ (a * w**2) - C @ (b * w**2)


def _noise(t: np.ndarray, x: np.ndarray, period: float, periods: int, A: np.ndarray, c: np.ndarray) -> float:
    """Standard deviation of a sample: from period to period, or of the residual where there is one period only."""
    rest = x - A @ c
    good = np.isfinite(rest)
    if periods < 2:
        return float(np.sqrt(np.sum(rest[good] ** 2) / max(good.sum() - A.shape[1], 1)))
    per = round(len(t) / periods)
    parts = np.stack([rest[k * per : (k + 1) * per] for k in range(periods) if len(rest) >= (k + 1) * per])
    taken = np.isfinite(parts)
    count, parts = taken.sum(axis=0), np.where(taken, parts, 0.0)
    squares = np.sum(parts**2, axis=0) - np.sum(parts, axis=0) ** 2 / np.maximum(count, 1)
    return float(np.sqrt(np.sum(squares) / max(np.sum(np.maximum(count - 1, 0)), 1)))
