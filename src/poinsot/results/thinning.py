"""Long signals in few points, so that a drawing of them looks the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

BINS = 1000  # of a curve: more than a screen has columns for it


def thinned(signals: Sequence[np.ndarray], bins: int = BINS) -> np.ndarray:
    """Numbers of the samples to draw of signals (n,): in every bin the least and the largest of each, and the ends.

    Gaps stay: a bin without any finite sample keeps one that is NaN.

    >>> y = np.zeros(10_000)
    >>> y[4321] = 1.0
    >>> kept = thinned([y])
    >>> len(kept) <= 2002, 4321 in kept
    (True, True)
    """
    n = len(signals[0])
    if n <= 2 * len(signals) * bins:
        return np.arange(n)
    edges = np.linspace(0, n, bins + 1).astype(int)
    kept = {0, n - 1}
    for y in signals:
        good = np.isfinite(y)
        low, high = np.where(good, y, np.inf), np.where(good, y, -np.inf)
        for a, b in pairwise(edges.tolist()):
            kept |= {a + int(np.argmin(low[a:b])), a + int(np.argmax(high[a:b]))}
    return np.array(sorted(kept))
