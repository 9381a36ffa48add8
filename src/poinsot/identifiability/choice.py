"""Which parameters are eliminated: those preferred, as far as the others express them with bounded coefficients.

V₂ (k, d) is the null space of the columns scaled to length 1, E the d rows of it that are eliminated. Then

    β = −V₂₁ V₂₂⁻¹ ,    B = V₂ V₂₂⁻¹ ,    det V₂₂' = B_ij det V₂₂        (theory/identifiability, eq. 7)

where V₂₂' has row i in place of the j-th: exchanges with |B_ij| > 1 end, as in a strong rank-revealing QR.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

STEADY = 0.03  # length of what is left of a row of the null space, from which it is taken in the order
BOUND = 100.0  # largest coefficient of scaled columns
WISHES = 1e4  # the same for columns that somebody asked to eliminate
TIE = 0.47  # of the largest, from which the order decides among rows or exchanges


def eliminated_rows(
    V2: np.ndarray, wished: Sequence[int], order: Sequence[int], least: float, size: np.ndarray | None = None
) -> list[int]:
    """Rows of the null space (k, d) whose parameters are eliminated, of those in `order`.

    Those `wished` come first, as long as their rows are clear of round-off, of the length `least`, and coefficients
    below `WISHES`; then others in their order, with coefficients below `BOUND`. Rows are judged in natural sizes,
    `size` (k,) over those of the columns: these are the same for all data.

    >>> eliminated_rows(np.array([[1e-3], [0.7], [-0.7]]), [], [0, 1, 2], 1e-6)
    [1]
    >>> eliminated_rows(np.array([[1e-3], [0.7], [-0.7]]), [0], [0, 1, 2], 1e-6)
    [0]
    """
    left, taken = V2.copy() if size is None else np.linalg.qr(V2 * size[:, None])[0], []

    def take(rows: Sequence[int], shortest: float) -> None:
        for row in rows:
            length = np.linalg.norm(left[row])
            if len(taken) < V2.shape[1] and row not in taken and length > shortest:
                direction = left[row] / length
                left[:] -= np.outer(left @ direction, direction)
                taken.append(row)

    take(wished, max(least, 1 / WISHES))
    take(order, STEADY)
    while len(taken) < V2.shape[1]:  # none is as long as that: the first that is about as long as any
        lengths = np.linalg.norm(left[list(order)], axis=1)
        take([order[int(np.argmax(lengths >= TIE * lengths.max()))]], 0.0)
    return _exchanged(V2, taken, order, np.isin(np.arange(len(V2)), list(wished)))


def _exchanged(V2: np.ndarray, taken: list[int], order: Sequence[int], wished: np.ndarray) -> list[int]:
    """Rows exchanged for others until all coefficients are bounded; |det V₂₂| grows each time.

    Among those about as large as the largest the order decides, so that ties have one outcome.
    """
    taken, place = list(taken), np.argsort(order)
    while taken:
        B = np.abs(np.linalg.solve(V2[taken].T, V2.T).T) / np.where(wished[taken], WISHES, BOUND)
        B[taken] = 0.0
        if B.max() <= 1:
            break
        i, j = np.nonzero(TIE * B.max() <= B)
        first = np.lexsort((-place[np.array(taken)[j]], place[i]))[0]
        taken[j[first]] = int(i[first])
    return taken
