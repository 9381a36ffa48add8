"""Noise of samples as an encoder takes them, told from what a motion without noise does.

d_i = Σ_j w_j x_{i+j} / √(Σ w_j²),   w_j = 1/Π_k≠j (t_j − t_k)        a fifth divided difference

Of white noise, d has its deviation, and neighbours are correlated by −5/6; of a motion, neighbours are alike. Samples
on a grid that stand still and step by turns have the noise of their resolution. A spline of degree five through all
samples has accelerations with 4.8 times the noise of a sample over the square of its step.
"""

from __future__ import annotations

import numpy as np

__all__ = ["SPLINE", "measured_noise"]

POINTS = 6  # of a difference
FEWEST = 60  # samples
WHITE = -0.5  # correlation of neighbouring differences, below which they are those of noise
SPLINE = 4.8  # deviation of the accelerations of a spline of degree five through unit noise, with steps of 1
OFTEN = 0.05  # of all samples, at which what is on a grid begins or ends to stand still
GRID = 1e-3  # of a grid's step, that samples are off it


def measured_noise(t: np.ndarray, x: np.ndarray) -> float:
    """Standard deviation of the noise of samples x (n,) at t (n,); 0 where they are those of a smooth motion.

    >>> t = np.linspace(0, 2, 401)
    >>> noise = 1e-3 * np.random.default_rng(0).standard_normal(401)
    >>> measured_noise(t, np.sin(5 * t)), round(measured_noise(t, np.sin(5 * t) + noise), 3)
    (0.0, 0.001)
    """
    if len(x) < FEWEST or not np.isfinite(x).all():
        return 0.0
    return max(_white(t, x), _resolution(x))


def _white(t: np.ndarray, x: np.ndarray) -> float:
    """Deviation of white noise; 0 where differences are not those of noise."""
    rows = np.arange(len(x) - POINTS + 1)[:, None] + np.arange(POINTS)
    T = t[rows]
    gaps = (T[:, :, None] - T[:, None, :]) / np.ptp(T, axis=1)[:, None, None] + np.eye(POINTS)
    w = 1 / np.prod(gaps, axis=2)
    d = np.sum(w * x[rows], axis=1) / np.linalg.norm(w, axis=1)
    sigma = 1.4826 * float(np.median(np.abs(d)))
    d = np.clip(d, -3 * sigma, 3 * sigma)  # kinks of a motion are no noise
    total = float(d @ d)
    return sigma if total > 0 and float(d[1:] @ d[:-1]) < WHITE * total else 0.0


def _resolution(x: np.ndarray) -> float:
    """Deviation of rounding to a grid; 0 where samples are on none, or move all the time."""
    step = np.abs(np.diff(x))
    moves = step > 0
    if not moves.any() or np.count_nonzero(moves[1:] != moves[:-1]) < OFTEN * len(x):
        return 0.0
    grid = float(step[moves].min())
    return grid / np.sqrt(12) if np.all(np.abs(step / grid - np.rint(step / grid)) < GRID) else 0.0
