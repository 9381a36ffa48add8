"""Which constraints are added to a mass matrix before it is factorised, decided by a sample of both.

Where every motion has mass nothing need be added. What has none, such as the roll of a thin rod, is held by rows of
C; these are added with weights that let no other pivot lose digits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["rows_to_add"]

GONE = 1e-9  # of its diagonal entry: a pivot below has no mass of its own
ENGAGED = 1e-3  # of the largest entry of a row of C: a column below is not held by it
SURE = 1e-6  # check value above which a factorisation keeps its digits


def rows_to_add(M: np.ndarray, C: np.ndarray, order: Sequence[int]) -> dict[int, float] | None:
    """Rows of C (m, n) with their weights for `kkt` with M (n, n) and this order; None for all rows.

    >>> rows_to_add(np.diag([1.0, 0.0]), np.array([[0.5, 1.0]]), [0, 1, 2])
    {0: 4.0}
    """
    light = _light(M, [k for k in order if k < len(M)])
    held = np.abs(C[:, light]) > ENGAGED * np.max(np.abs(C), axis=1, initial=0.0)[:, None]
    added = {int(row): _weight(np.diag(M), C[row]) for row in np.flatnonzero(held.any(axis=1))}
    E = np.zeros((len(added), len(C)))
    for k, (row, weight) in enumerate(added.items()):
        E[k, row] = np.sqrt(weight)
    full = np.block([[M + (E @ C).T @ (E @ C), C.T], [C, np.zeros((len(C), len(C)))]])
    return added if _check(full, order, len(M)) > SURE else None


def _light(M: np.ndarray, order: Sequence[int]) -> list[int]:
    """Columns of M that have no pivot of their own in this order."""
    A, found = np.array(M), []
    for k in order:
        if not A[k, k] > GONE * M[k, k]:
            found.append(k)
        else:
            A -= np.outer(A[:, k], A[k]) / A[k, k]
    return found


def _weight(masses: np.ndarray, row: np.ndarray) -> float:
    """Weight at which a row adds to no pivot more than its mass; 1 if it touches none with mass."""
    touched = (masses > 0) & (row != 0)
    return float(np.min(masses[touched] / row[touched] ** 2)) if touched.any() else 1.0


def _check(A: np.ndarray, order: Sequence[int], n: int) -> float:
    """Smallest pivot relative to the terms it is made of, as in `Factor.check`; 0 where a sign is wrong."""
    A, terms, worst = np.array(A), np.abs(np.diag(A)), 1.0
    for k in order:
        pivot = A[k, k] if k < n else -A[k, k]
        if not pivot > 0:
            return 0.0
        worst = min(worst, pivot / terms[k])
        change = np.outer(A[:, k], A[k]) / A[k, k]
        A -= change
        terms += np.abs(np.diag(change))
    return worst
