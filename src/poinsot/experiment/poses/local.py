"""Matrices of many poses with their slopes by the unknowns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class LocalMatrices:
    """Matrices of N poses with one parameter set each; those that are not good hold no meaning."""

    M: np.ndarray  # (N, n, n)
    K: np.ndarray  # (N, n, n)
    dM: np.ndarray  # (N, k, n, n) by the unknowns relative to their size
    dK: np.ndarray  # (N, k, n, n)

    def __getitem__(self, part: Any) -> LocalMatrices:
        return LocalMatrices(self.M[part], self.K[part], self.dM[part], self.dK[part])

    def where(self, good: np.ndarray) -> LocalMatrices:
        """The same with matrices of bad samples (N,) replaced, which native code and LAPACK may not see."""
        if good.all():
            return self
        one, M, K = np.eye(self.M.shape[-1]), good[:, None, None], good[:, None, None, None]
        return LocalMatrices(
            np.where(M, self.M, one), np.where(M, self.K, one), np.where(K, self.dM, 0.0), np.where(K, self.dK, 0.0)
        )
