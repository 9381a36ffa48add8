"""Symmetric eigenproblems in batch: native kernels up to 8 × 8, LAPACK above."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.engine.build.native import vector_lanes
from poinsot.engine.build.support import llvm_obstacle
from poinsot.engine.kernels import kernel
from poinsot.engine.linear import eigen_kernels
from poinsot.engine.linear.lapack import lapack_eigh
from poinsot.engine.threads import choose_threads, run_chunks
from poinsot.errors import PoinsotError

LARGEST_NATIVE = 8
_IN_ONE_PIECE = 3  # up to this size reduction, rotations and sorting are one kernel


def eigh(
    K: Any, M: Any = None, *, vectors: bool = True, threads: int | None = None
) -> tuple[np.ndarray, np.ndarray] | np.ndarray:
    """Solve K x = λ M x for symmetric K and symmetric positive definite M, one problem or many.

    K (n, n) or (N, n, n), M the same or None for the identity; lower triangles are read. Returns the
    eigenvalues (N, n), upwards, and unless `vectors` is False the eigenvectors (N, n, n), in columns, with
    Xᵀ M X = 1. Without a batch axis in either input the results have none.

    >>> eigh([[2.0, 0.0], [0.0, 8.0]], [[1.0, 0.0], [0.0, 2.0]], vectors=False)
    array([2., 4.])
    """
    K = _matrix("K", K)
    M = None if M is None else _matrix("M", M)
    n = K.shape[-1]
    if M is not None and M.shape[-1] != n:
        raise PoinsotError(f"K is {n} × {n}, M is {M.shape[-1]} × {M.shape[-1]}")
    counts = {len(a) for a in (K, M) if a is not None and a.ndim == 3}
    if M is not None and len(counts) > 1:
        raise PoinsotError(f"K has {len(K)} samples, M has {len(M)}")
    solve = _scalar if n == 1 else _native if n <= LARGEST_NATIVE else _lapack
    values, columns, check = solve(K, M, vectors, threads)
    if check is not None and (bad := np.flatnonzero(check <= 0)).size:
        _refuse(int(bad[0]), bool(counts))
    if columns is None:
        return values if counts else values[0]
    return (values, columns) if counts else (values[0], columns[0])


def _matrix(name: str, value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise PoinsotError(f"{name} must hold real numbers, not {array.dtype}")
    if array.ndim not in (2, 3) or array.shape[-1] != array.shape[-2] or array.shape[-1] == 0:
        raise PoinsotError(f"{name} must have shape (n, n) or (N, n, n), not {array.shape}")
    return np.asarray(array, dtype=np.float64)


def _refuse(sample: int, batched: bool) -> None:
    where = f" in sample {sample}" if batched else ""
    raise PoinsotError(f"M is not positive definite{where}: its smallest pivot is not above zero")


@lru_cache(maxsize=64)
def _kernel(stage: str, n: int, generalised: bool, vectors: bool) -> Any:
    """Compile a step of the small eigenproblem; two vectors side by side hide the latency of ÷ and √."""
    lanes = None if llvm_obstacle() else 2 * vector_lanes()
    if stage == "sweep":
        return kernel(eigen_kernels.sweep(n, vectors), lanes=lanes, repeat=eigen_kernels.SWEEPS[n])
    if stage == "reduce":
        return kernel(eigen_kernels.reduce_pair(n, generalised), lanes=lanes)
    if stage == "finish":
        return kernel(eigen_kernels.finish(n, generalised, vectors), lanes=lanes)
    return kernel(eigen_kernels.small_eigh(n, generalised, vectors), lanes=lanes)


def _scalar(
    K: np.ndarray, M: np.ndarray | None, vectors: bool, threads: int | None
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Solve K x = λ M x for numbers."""
    K = K.reshape(-1, 1)
    m = np.ones((1, 1)) if M is None else M.reshape(-1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        K, m = np.broadcast_arrays(K, m)
        return K / m, (1 / np.sqrt(m))[..., None] if vectors else None, m[:, 0]


def _native(
    K: np.ndarray, M: np.ndarray | None, vectors: bool, threads: int | None
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Run the kernels; a single problem is a batch of one."""
    n, generalised = K.shape[-1], M is not None
    if K.ndim == 2 and (M is None or M.ndim == 2):
        K = K[None]
    pair = (K, M) if generalised else (K,)
    if n <= _IN_ONE_PIECE:
        values, *columns, check = _kernel("all", n, generalised, vectors)(*pair, threads=threads)
    else:
        A, L, scale, check = _kernel("reduce", n, generalised, vectors)(*pair, threads=threads)
        rotated = _kernel("sweep", n, generalised, vectors)(A, *([np.eye(n)] if vectors else []), threads=threads)
        values, *columns = _kernel("finish", n, generalised, vectors)(*rotated, L, scale, threads=threads)
    return values, columns[0] if vectors else None, check[:, 0] if generalised else None


def _lapack(
    K: np.ndarray, M: np.ndarray | None, vectors: bool, threads: int | None
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Run LAPACK on chunks of the batch."""
    n = K.shape[-1]
    batched = [a for a in (K, M) if a is not None and a.ndim == 3]
    count = len(batched[0]) if batched else 1
    values = np.empty((count, n))
    columns = np.empty((count, n, n)) if vectors else None
    failures: list[tuple[int, int]] = []

    def call(start: int, stop: int) -> None:
        if failed := lapack_eigh(K, M, values, columns, start, stop):
            failures.append(failed)

    with one_blas_thread():
        run_chunks(call, count, 1, choose_threads(threads, count * 30.0 * n**3))
    if failures:
        sample, info = min(failures)
        if info > n:
            _refuse(sample, bool(batched))
        raise PoinsotError(f"LAPACK found no eigenvalues of sample {sample}; does it hold NaN or infinity?")
    return values, columns, None
