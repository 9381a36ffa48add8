"""Readings that do not fit the others, by their standardised residuals (Baarda).

w = e / √(1 − l) ,    l the share of a reading that its pose and the unknowns take up        (theory/search, eq. 42)
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from poinsot.estimate.problems.geometry.residuals import PoseResiduals, freedoms
from poinsot.estimate.residuals import robust_deviation

RARE = 1e-3  # chance that one of all readings is called an outlier though it is none
DEPENDENT = 1e-9  # of the largest singular value
BLIND = 1e-6  # share of an error that shows in its own residual, below which it cannot be found


def taken(problem: PoseResiduals, p: np.ndarray, fitted: bool) -> np.ndarray:
    """Shares l (n, c) of readings that their poses and the unknowns, where they are fitted, take up."""
    rows = problem.rows(p)
    U = [np.linalg.svd(a, full_matrices=False)[0][:, :f] for a, f in zip(rows.A, freedoms(rows))]
    poses = np.array([np.sum(u**2, axis=1) for u in U])
    if not fitted:
        return poses
    J = problem.jacobian(p)
    size = np.linalg.norm(J, axis=0)
    U, s, _ = np.linalg.svd(J / np.where(size > 0, size, 1.0), full_matrices=False)
    return poses + np.sum(U[:, s > DEPENDENT * s[0]] ** 2, axis=1).reshape(poses.shape)


def outlying(problem: PoseResiduals, p: np.ndarray, fitted: bool, known: bool) -> dict[int, tuple[int, float]]:
    """Poses with an outlier, the worst first: the reading, and its size in standard deviations.

    Where these are not `known`, all readings tell them.
    """
    rows, share = problem.rows(p), taken(problem, p, fitted)
    seen = (rows.w > 0) & (1 - share > BLIND)
    w = np.where(seen, np.abs(rows.w * rows.r) / np.sqrt(np.maximum(1 - share, BLIND)), 0.0)
    w = w if known else w / (robust_deviation(w[seen]) or 1.0)
    limit = norm.isf(RARE / 2 / max(int(seen.sum()), 1))
    worst = np.max(w, axis=1, initial=0.0)
    order = [i for i in np.argsort(-worst, kind="stable").tolist() if worst[i] > limit]
    return {i: (int(np.argmax(w[i])), float(worst[i])) for i in order}
