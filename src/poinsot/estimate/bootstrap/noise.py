"""Noise that is drawn from residuals: innovations in blocks, coloured as the residuals are.

A e = ε ,    ε* blocks of ε ,    e* = A⁻¹ ε*        (theory/estimation, eq. 36)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.estimate.residuals import Colour, Projection, colour_of

BLOCKS = "residuals in blocks, with their colour"
BEFORE = 20  # orders of the colour, after which its beginning is forgotten
SURE = 2.0  # of √(log₁₀ n/n), below which a correlation is none
FEW = 5  # correlations in a row that must be none


@dataclass(frozen=True, eq=False)
class SeriesNoise:
    """Noise of several runs of c channels."""

    colour: Colour
    innovations: tuple[np.ndarray, ...]  # by run (n, c)
    length: int  # of a block, in samples

    def drawn(self, rng: np.random.Generator) -> list[np.ndarray]:
        """Noise (n, c) by run; channels are drawn together."""
        from scipy.signal import lfilter

        before, found = BEFORE * max(len(a) for a in self.colour.a), []
        for e in self.innovations:
            count = -(-(len(e) + before) // self.length)
            first = rng.integers(len(e), size=count)
            rows = (first[:, None] + np.arange(self.length)).ravel()[: len(e) + before] % len(e)
            columns = [lfilter([1.0], a, e[rows, c])[before:] for c, a in enumerate(self.colour.a)]
            found.append(np.stack(columns, axis=1))
        return found


def series_noise(
    residuals: Sequence[np.ndarray],
    good: Sequence[np.ndarray],
    project: Projection | None = None,
    wider: float = 1.0,
) -> SeriesNoise:
    """The noise that left residuals (n, c) in several runs, where samples are `good` (n, c).

    `project` takes from noise what parameters explain of it; or the noise is so many times `wider` than what is left.
    """
    colour = colour_of(residuals, project, good)
    parts = [colour.whitened(np.where(use, r, 0.0), use) for r, use in zip(residuals, good)]
    parts = [
        np.where(use, e - np.sum(e, axis=0) / np.maximum(use.sum(axis=0), 1), 0.0) for e, use in zip(parts, good)
    ]
    size = np.sqrt(np.sum([np.sum(e**2, axis=0) for e in parts], axis=0) / sum(map(len, parts)))
    scale = wider * np.sqrt(np.diagonal(colour.sigma)) / np.where(size > 0, size, 1.0)
    length = max(block_length(e[:, c]) for e in parts for c in range(e.shape[1]))
    return SeriesNoise(colour, tuple(e * scale for e in parts), length)


def block_length(e: np.ndarray) -> int:
    """Samples of a block, for a series (n,), so long that blocks hold its correlations (Politis and White).

    b = (2 G²/D)^⅓ n^⅓ ,    G = Σ λ |k| R_k ,    D = ⁴⁄₃ (Σ λ R_k)²        (theory/estimation, eq. 37)
    """
    n = len(e)
    R = np.fft.irfft(np.abs(np.fft.rfft(e - e.mean(), 2 * n)) ** 2, 2 * n)[:n] / n
    if not R[0] > 0:
        return 1
    none = np.abs(R / R[0]) < SURE * np.sqrt(np.log10(max(n, 10)) / n)
    enough = max(FEW, int(np.sqrt(np.log10(max(n, 10)))))
    last = next((m for m in range(n - enough) if none[m + 1 : m + 1 + enough].all()), n // 3)
    k = np.arange(-2 * last, 2 * last + 1)
    weight = np.clip(2 * (1 - np.abs(k) / max(2 * last, 1)), 0.0, 1.0) * R[np.abs(k).clip(max=n - 1)]
    G, D = np.sum(weight * np.abs(k)), 4 / 3 * np.sum(weight) ** 2
    longest = max(1, int(min(3 * np.sqrt(n), n / 3)))
    return int(np.clip(np.ceil((2 * G**2 / D * n) ** (1 / 3)), 1, longest)) if D > 0 else longest
