"""Spectrum of a channel: where its content ends and its noise begins.

S(f) = S_signal(f) + σ² · 2/f_s          one-sided density; white noise of standard deviation σ is a floor
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Spectrum", "sample_noise", "spectrum"]

FLOOR = 0.35  # of the band, from its upper end, that is taken as noise
ABOVE = 4.0  # times the floor: content
MOST = 0.95  # of the power of a rate
SEGMENTS = 4  # that are averaged at least
FEWEST = 30  # runs of four samples, from which noise is told


@dataclass(frozen=True, eq=False)
class Spectrum:
    """One-sided power spectral density of a channel without its mean."""

    frequency: np.ndarray  # (m,)  [Hz]
    density: np.ndarray  # (m,)  [unit²/Hz]
    floor: float  # density of the noise  [unit²/Hz]
    cutoff: float  # frequency above which there is nothing but noise  [Hz]

    @property
    def noise(self) -> float:
        """Standard deviation of one sample of the noise, in the channel's unit."""
        return float(np.sqrt(self.floor * self.frequency[-1]))

    @property
    def dynamics(self) -> float:
        """Frequency below which nearly all of the rate's power lies  [Hz]."""
        power = np.cumsum(self.signal * self.frequency**2)
        return float(self.frequency[min(np.searchsorted(power, MOST * power[-1]), len(power) - 1)])

    @property
    def signal(self) -> np.ndarray:
        """Density (m,) of what stands above the noise  [unit²/Hz]."""
        return np.where(self.frequency <= self.cutoff, np.maximum(self.density - self.floor, 0.0), 0.0)


def sample_noise(t: np.ndarray, x: np.ndarray) -> float | None:
    """Standard deviation of white noise from runs of four samples x (n,) at t (n,); None if there are few.

    Σ w_i x_i / √(Σ w_i²) ,   w_i = 1/Π_j≠i (t_i − t_j)        a third divided difference: what is slow cancels
    """
    n = len(x)
    X, T = ([y[i : n - 3 + i] for i in range(4)] for y in (x, t))
    span = T[3] - T[0]
    gap = {(i, j): (T[j] - T[i]) / span for i in range(4) for j in range(i + 1, 4)}
    w = [1 / np.prod([gap[min(i, j), max(i, j)] for j in range(4) if j != i], axis=0) for i in range(4)]
    d = sum((-1) ** i * a * b for i, (a, b) in enumerate(zip(w, X))) / np.sqrt(sum(a**2 for a in w))
    good = np.isfinite(d)
    if np.count_nonzero(good) < FEWEST:
        return None
    return 1.4826 * float(np.median(np.abs(d[good]))) or None


def spectrum(x: np.ndarray, rate: float, noise: float | None = None) -> Spectrum:
    """Spectrum of evenly spaced samples x (n,), taken at a rate [Hz].

    `noise` of a sample where it is known: interpolated samples have less of it at high frequencies.

    >>> t = np.arange(4096) / 100
    >>> s = spectrum(np.sin(2 * np.pi * 3 * t) + 0.01 * np.random.default_rng(0).standard_normal(len(t)), 100.0)
    >>> bool(3 < s.cutoff < 6), round(s.noise, 2)
    (True, 0.01)
    """
    from scipy.signal import welch
    from scipy.stats import chi2

    n = len(x)
    length = max(16, min(n, 2 ** int(np.log2(max(2 * n // (SEGMENTS + 1), 2)))))
    f, S = welch(x, rate, window="hann", nperseg=length, detrend="linear")
    f, S = f[1:], S[1:]  # what has no frequency is no content
    top = f > (1 - FLOOR) * f[-1]
    floor = float(np.median(S[top]) / _median_of_mean(chi2, n, length)) if noise is None else 2 * noise**2 / rate
    above = np.flatnonzero(ABOVE * floor < S)
    last = int(above[-1]) if len(above) else 0
    if len(above) and last > 0.98 * len(f):  # content up to the end: nothing is known to be noise
        return Spectrum(f, S, floor, float(f[-1]))
    return Spectrum(f, S, floor, float(f[min(last + 2, len(f) - 1)]))


def _median_of_mean(chi2: object, n: int, length: int) -> float:
    """Median of an averaged density over its mean."""
    freedom = 2 * max(1, 2 * n // length - 1)
    return float(chi2.median(freedom) / freedom)  # type: ignore[attr-defined]
