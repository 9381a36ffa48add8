"""Which constraints are added to a mass matrix before it is factorised, decided by a sample of both.

Where all motions have masses of one order nothing need be added. What has none, such as the roll of a thin rod, and
what is far lighter than the rest takes its acceleration from rows of C, not from the difference of large forces.
These rows are added, with weights that let no other pivot lose digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

GONE = 1e-9  # of its diagonal entry: a pivot below has no mass of its own
NOTHING = 1e-10  # of the largest entry of its row, both in natural units: an entry below is round-off
LIGHT = 1e-3  # of the largest mass: a column below takes its acceleration from the constraints, not from forces
ENGAGED = 1e-3  # of the largest entries of row and column: a column with less is not held by a row of C
SURE = 1e-6  # check value above which a factorisation keeps its digits


class Weight(NamedTuple):
    """The weight of a row, by the mass of a column: other masses bring other weights along."""

    column: int
    factor: float

    def of(self, M: Any) -> Any:
        """Its value for a mass matrix (n, n), of numbers or symbols."""
        return self.factor * M[self.column, self.column]


def rows_to_add(M: np.ndarray, C: np.ndarray, order: Sequence[int]) -> dict[int, Weight] | None:
    """Rows of C (m, n) with their weights for `kkt` with M (n, n) and this order; None for all rows.

    Speeds and rows are measured by their natural sizes, so that all masses are comparable, and all entries of C.

    >>> rows_to_add(np.diag([1.0, 0.0]), np.array([[0.5, 1.0]]), [0, 1, 2])
    {0: Weight(column=0, factor=4.0)}
    """
    M = M / (np.max(np.diag(M), initial=0.0) or 1.0)  # only ratios of masses count
    engaged = _engaged(C)
    pivots = _pivots(M, [k for k in order if k < len(M)])
    arms = np.max(np.where(engaged, C**2, 0.0), axis=0, initial=0.0)  # how far each column moves the rows, squared
    masses = np.divide(pivots, arms, out=np.zeros(len(arms)), where=arms > 0)  # (n,) with which it moves them
    light = (arms > 0) & ~(masses > LIGHT * np.max(masses, initial=0.0))
    if light.any() and not masses.any():
        return None
    rows = np.flatnonzero((engaged & light).any(axis=1))
    added = {int(r): _weight(M, C[r], engaged[r] & ~light, int(np.argmax(masses)), arms) for r in rows}
    E, W = C[list(added)], np.array([weight.of(M) for weight in added.values()])
    full = np.block([[M + E.T * W @ E, C.T], [C, np.zeros((len(C), len(C)))]])
    return added if _check(full, order, len(M)) > SURE else None


def _engaged(C: np.ndarray) -> np.ndarray:
    """Entries of C (m, n) that count, in natural units."""
    size = np.abs(C)
    along_row, along_column = (np.max(size, axis=axis, keepdims=True, initial=0.0) for axis in (1, 0))
    return size > np.maximum(ENGAGED * np.minimum(along_row, along_column), NOTHING * along_row)


def _pivots(M: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """Pivots (n,) of M in this order; 0 where there is none, the column then being left out."""
    A, found = np.array(M), np.zeros(len(M))
    for k in order:
        if A[k, k] > GONE * M[k, k]:
            found[k] = A[k, k]
            A -= np.outer(A[:, k], A[k]) / A[k, k]
    return found


def _weight(M: np.ndarray, row: np.ndarray, heavy: np.ndarray, heaviest: int, arms: np.ndarray) -> Weight:
    """Weight at which a row adds to no heavy column more than its mass, or as much as the heaviest if it has none."""
    touched = np.flatnonzero(heavy)
    if len(touched):
        least = touched[np.argmin(np.diag(M)[touched] / row[touched] ** 2)]
        return Weight(int(least), float(1 / row[least] ** 2))
    return Weight(heaviest, float(1 / arms[heaviest]))


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
