"""Long signals in few points, so that a drawing of them looks the same."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

BINS = 1000  # of a curve: more than a screen has columns for it


def thinned(x: np.ndarray, y: np.ndarray, bins: int = BINS) -> np.ndarray:
    """Numbers of the samples to draw of a curve (n,): the least and the greatest of each bin, first and last.

    Gaps stay: a bin without any finite sample keeps one that is NaN.

    >>> y = np.zeros(10_000)
    >>> y[4321] = 1.0
    >>> kept = thinned(np.arange(10_000.0), y)
    >>> len(kept) <= 2002, 4321 in kept
    (True, True)
    """
    n = len(y)
    if n <= 2 * bins:
        return np.arange(n)
    edges = np.linspace(0, n, bins + 1).astype(int)
    good = np.isfinite(y)
    low, high = np.where(good, y, np.inf), np.where(good, y, -np.inf)
    kept = {0, n - 1}
    for a, b in pairwise(edges):
        kept |= {a + int(np.argmin(low[a:b])), a + int(np.argmax(high[a:b]))}
    return np.array(sorted(kept))
