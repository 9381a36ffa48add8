"""Residuals that do not fit the others, by a scale that they do not move.

r = e/√(1 − h) ,    h = diag J(JᵀJ)⁺Jᵀ ,    s = 1.4826 median |r| ,    outlier: |r| > 4 s    (theory/search, eq. 11)
"""

from __future__ import annotations

import numpy as np

from poinsot.estimate.residuals import robust_deviation

FREE = 1e-6  # of a residual that unknowns do not take up, below which nothing can be told of it
SPARE = 4  # residuals beyond the unknowns, from which these tell their own scale


def standardised(e: np.ndarray, J: np.ndarray, known: bool) -> np.ndarray:
    """Residuals (m,) over their own robust scale, at least 1 where standard deviations are `known`; 0 where nothing
    can be told."""
    length = np.linalg.norm(J, axis=0)
    U, s, _ = np.linalg.svd(J / np.where(length > 0, length, 1.0), full_matrices=False)
    free = 1 - np.sum(U[:, s > 1e-10 * s.max(initial=0.0)] ** 2, axis=1)
    told = free > FREE
    r = np.where(told, e / np.sqrt(np.where(told, free, 1.0)), 0.0)
    enough = len(e) - J.shape[1] >= SPARE
    scale = robust_deviation(r[told]) if enough else 0.0
    scale = max(scale, 1.0) if known else scale
    return r / scale if scale > 0 else np.zeros(len(e))
