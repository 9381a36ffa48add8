"""Derivatives of eigenvalues and eigenvectors with respect to parameters, in batch.

With K x = λ M x, Xᵀ M X = 1 and S_ij = x_iᵀ (∂K − λ_j ∂M) x_j:

    ∂λ_j = S_jj,      ∂x_j = Σ_{i≠j} x_i S_ij / (λ_j − λ_i) − ½ (x_jᵀ ∂M x_j) x_j        λ_j simple

A repeated eigenvalue splits along each parameter by itself: its derivatives are the eigenvalues of the block
of S that belongs to it, upwards, one set for each parameter (they are directional derivatives and do not
add). Its vectors have no derivative until second derivatives choose a basis; they are NaN here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError

__all__ = ["eigh_derivatives"]


def eigh_derivatives(
    values: Any, vectors: Any, dK: Any, dM: Any = None, *, tolerance: float = 1e-9
) -> tuple[np.ndarray, np.ndarray]:
    """Differentiate the results of `eigh` along p parameters.

    values (N, n) and vectors (N, n, n) from `eigh`; dK and dM (N, p, n, n), symmetric; dM may be None.
    Without the axis N, results have none. Eigenvalues closer than `tolerance` times the largest modulus
    count as repeated. Returns ∂λ (N, p, n) and ∂X (N, p, n, n).

    >>> values, vectors = np.array([1.0, 3.0]), np.eye(2)
    >>> eigh_derivatives(values, vectors, dK=[[[0.0, 1.0], [1.0, 4.0]]])[0]
    array([[0., 4.]])
    """
    values, X, dK = (np.asarray(a, dtype=np.float64) for a in (values, vectors, dK))
    single = values.ndim == 1
    if single:
        values, X, dK = values[None], X[None], dK[None]
    n = values.shape[-1]
    if dK.ndim != 4 or dK.shape[-2:] != (n, n) or X.shape[-2:] != (n, n):
        raise PoinsotError(f"dK must have shape (N, p, {n}, {n}), not {dK.shape}")
    A = _project(X, dK)
    B = np.zeros_like(A)
    if dM is not None:
        dM = np.asarray(dM, dtype=np.float64)
        B = _project(X, dM[None] if single else dM)
    S = A - values[:, None, None, :] * B  # S_ij: row i, column j
    d_values = np.einsum("kpii->kpi", S).copy()
    gap = values[:, None, :] - values[:, :, None]  # λ_j − λ_i
    size = np.abs(values).max(axis=-1, initial=0.0)[:, None, None]
    close = np.abs(gap) <= tolerance * size
    np.einsum("kii->ki", close)[...] = False
    weight = S / np.where(gap == 0, 1.0, gap)[:, None]
    np.einsum("kpii->kpi", weight)[...] = -0.5 * np.einsum("kpii->kpi", B)
    d_vectors = X[:, None] @ weight
    repeated = close.any(axis=1)  # (N, n)
    d_vectors[np.broadcast_to(repeated[:, None, None, :], d_vectors.shape)] = np.nan
    for k in np.flatnonzero(repeated.any(axis=1)):
        for group in _groups(values[k], tolerance * size[k, 0, 0]):
            block = A[k][:, group][:, :, group] - values[k, group].mean() * B[k][:, group][:, :, group]
            d_values[k][:, group] = np.linalg.eigvalsh(block)
    return (d_values[0], d_vectors[0]) if single else (d_values, d_vectors)


def _project(X: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Give Xᵀ D X for every parameter."""
    return X[:, None].transpose(0, 1, 3, 2) @ D @ X[:, None]


def _groups(values: np.ndarray, distance: float) -> list[slice]:
    """Collect runs of at least two eigenvalues, each close to the next."""
    edges = [0, *(np.flatnonzero(np.diff(values) > distance) + 1), len(values)]
    return [slice(a, b) for a, b in pairwise(edges) if b - a > 1]
