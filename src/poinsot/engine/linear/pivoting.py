"""Which unknowns of linear equations may be chosen freely, by pivoting."""

from __future__ import annotations

import numpy as np

from poinsot.errors import PoinsotError

LARGEST = 5.0  # |B| up to which a choice of columns is good
UNEQUAL = 1e-2  # inverse root of the ratio of masses from which a heavy speed had better not depend on a light one
LIGHTEST = 1e-16  # of the largest mass: what has less has none
DEPENDENT = 1e10  # condition number from which rates are not independent; beyond it a row or column is round-off


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Rows at length 1; those that are round-off of the others stay as they are."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > np.max(lengths, initial=0.0) / DEPENDENT, lengths, 1.0)


def condition_of(A: np.ndarray, rank: int) -> float:
    """Condition number of a matrix that should have a rank: largest over rank-th singular value."""
    s = np.linalg.svd(A, compute_uv=False)
    return float(s[0] / s[rank - 1]) if rank and s[rank - 1] > 0 else float("inf") if rank else 1.0


def independent_columns(A: np.ndarray, rank: int | None = None, masses: np.ndarray | None = None) -> tuple[int, ...]:
    """Columns of constraint rows (m, n) that may be chosen freely; rows and columns are in natural sizes.

    By QR with pivoting, exchanged as long as an entry of B is large. Rows may depend on others: `rank` of them do
    not, all by default. A column of round-off is a speed that the constraints do not hold, so it is not scaled up.
    """
    from scipy.linalg import qr

    (m, n), rank = A.shape, len(A) if rank is None else rank
    if m == 0:
        return tuple(range(n))
    A = unit_rows(A)
    *_, pivots = qr(unit_rows(A.T).T, pivoting=True, mode="r")
    dependent, free = pivots[:rank].copy(), pivots[rank:].copy()
    if not (condition := condition_of(A[:, dependent], rank)) < DEPENDENT:
        raise PoinsotError(
            f"the constraints are dependent in this pose (condition number {condition:.1e}): no independent "
            "coordinates can be chosen"
        )
    weights = np.ones(n) if masses is None else np.sqrt(np.maximum(masses, LIGHTEST * np.max(masses, initial=0.0)))
    for _ in range(4 * n):
        K = np.linalg.lstsq(A[:, dependent], A[:, free], rcond=None)[0]
        K = K * np.maximum(1.0, UNEQUAL * weights[dependent][:, None] / np.maximum(weights[free], 1e-300))
        i, j = np.unravel_index(np.argmax(np.abs(K)), K.shape) if K.size else (0, 0)
        if not K.size or abs(K[i, j]) < LARGEST:
            break
        dependent[i], free[j] = free[j], dependent[i]
    return tuple(sorted(int(k) for k in free))


def largest_answers(A: np.ndarray, first: int, count: int) -> np.ndarray:
    """Largest |x| (count,) with A x = b, where b is 1 in one row after another and 0 in the others."""
    return np.max(np.abs(np.linalg.pinv(A)[:, first : first + count]), axis=0)
