"""Readings less model with the poses eliminated, for any values of the unknowns.

e_i(p) = W (y_i − h(q_i(p), p)) ,    ∂e_i/∂p = −W (∂h/∂p + H ∂δ_i/∂p)        (theory/search, eq. 41)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poinsot.estimate.problems.geometry.poses import OPEN, PoseEquations, PoseRows
from poinsot.estimate.search.problem import SearchProblem
from poinsot.store import Bounded

BATCH = 20000  # configurations at once


@dataclass(frozen=True, eq=False)
class PoseResiduals(SearchProblem):
    """c readings in each of n poses; where nothing was read residuals are zero."""

    equations: PoseEquations
    q: np.ndarray  # (n, nq) configurations to start from
    y: np.ndarray  # (n, c)
    w: np.ndarray  # (n, c) 1/σ, 0 where nothing was read
    _solved: Bounded = field(default_factory=lambda: Bounded(4))  # configurations by the values of the unknowns

    def configurations(self, p: np.ndarray) -> np.ndarray:
        """(n, nq), NaN where there is none."""

        def solve() -> np.ndarray:
            q, reached = self.equations.solved(self.q, p, self.y, self.w)
            return np.where(reached[:, None], q, np.nan)

        return self._solved.get_or_make(np.asarray(p, float).tobytes(), solve)

    def rows(self, p: np.ndarray) -> PoseRows:
        """Loops and readings at the configurations."""
        return self.equations.rows(self.configurations(p), np.asarray(p, float), self.y, self.w)

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """(n c,), NaN where a pose cannot be reached."""
        rows = self.rows(p)
        return np.where(np.isfinite(rows.h), rows.w * rows.r, np.nan).ravel()

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """(n c, K)."""
        return np.sum(self._parts(p), axis=0).reshape(-1, len(p))

    def natural(self, p: np.ndarray) -> np.ndarray:
        """Columns before what the poses take up is taken off."""
        return np.sum([np.linalg.norm(part.reshape(-1, len(p)), axis=0) for part in self._parts(p)], axis=0)

    def _parts(self, p: np.ndarray) -> tuple[np.ndarray, ...]:
        """Terms of ∂e/∂p (n, c, K): of the readings themselves, by closing the loops, by moving the poses."""
        p = np.asarray(p, float)
        return parts_of(self.equations, self.rows(p), self.configurations(p), p)

    def costs(self, P: np.ndarray) -> np.ndarray:
        """Poses of many candidates are one batch."""
        P, n = np.asarray(P, float), len(self.q)
        each = max(1, BATCH // n)
        found = [self._costs(P[k : k + each]) for k in range(0, len(P), each)]
        return np.concatenate(found) if found else np.zeros(0)

    def _costs(self, P: np.ndarray) -> np.ndarray:
        N, n = len(P), len(self.q)
        q, y, w = (np.tile(part, (N, 1)) for part in (self.q, self.y, self.w))
        each = np.repeat(P, n, axis=0)
        q, reached = self.equations.solved(q, each, y, w)
        rows = self.equations.rows(np.where(reached[:, None], q, self.q[0]), each, y, w)
        cost = np.where(reached, np.sum((rows.w * rows.r) ** 2, axis=1), np.inf)
        return cost.reshape(N, n).sum(axis=1)

    def absorbed(self, p: np.ndarray) -> int:
        """Residuals that were not read, and those that the freedoms of the poses take up."""
        return int(np.sum(self.w == 0)) + int(freedoms(self.rows(p)).sum())


def parts_of(equations: PoseEquations, rows: PoseRows, q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, ...]:
    """Terms of ∂e/∂p (n, c, K) at configurations q (n, nq): of readings, by closing loops, by moving the poses."""
    phi_p, h_p, K, G = equations.slopes(rows, q, p)
    W = rows.w[:, :, None]
    close, move = rows.moved(phi_p, h_p, K, G)
    return -W * h_p, -W * (rows.H @ close), -W * (rows.H @ move)


def freedoms(rows: PoseRows) -> np.ndarray:
    """Number of freedoms of each pose that its readings tell (n,)."""
    if not rows.A.shape[2]:
        return np.zeros(len(rows.A), int)
    s = np.linalg.svd(rows.A, compute_uv=False)
    return np.sum(s > OPEN * s[:, :1], axis=1)
