"""Larger symmetric eigenproblems with LAPACK, one BLAS thread per worker.

The default of many BLAS threads makes a 90 × 90 problem a hundred times slower than one thread.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["lapack_eigh", "one_blas_thread"]

_depth = 0
_before: list[int] = []
_lock = threading.Lock()


@cache
def _blas_controls() -> list[tuple[Any, Any]]:
    """Find the functions that read and set the threads of the OpenBLAS copies in NumPy and SciPy."""
    import scipy

    controls = []
    for package in (np, scipy):
        home = Path(package.__file__).parent
        folders = [home.parent / f"{home.name}.libs", home / ".dylibs"]
        for path in [p for folder in folders if folder.is_dir() for p in folder.glob("*openblas*")]:
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            for name in ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads"):
                if hasattr(library, name.format("set")):
                    controls.append((getattr(library, name.format("get")), getattr(library, name.format("set"))))
    return controls


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run the block with one thread in each BLAS call; without a BLAS that can be told, nothing changes."""
    global _depth
    with _lock:
        if _depth == 0:
            _before[:] = [get() for get, _ in _blas_controls()]
            for _, set_threads in _blas_controls():
                set_threads(1)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                for (_, set_threads), count in zip(_blas_controls(), _before):
                    set_threads(count)


def lapack_eigh(
    K: np.ndarray, M: np.ndarray | None, values: np.ndarray, vectors: np.ndarray | None, start: int, stop: int
) -> tuple[int, int] | None:
    """Solve samples start … stop − 1 into `values` (N, n) and `vectors` (N, n, n).

    Returns None, or the number of the first sample that failed and LAPACK's reason for it.
    """
    from scipy.linalg import lapack

    job = int(vectors is not None)
    for k in range(start, stop):
        A = K if K.ndim == 2 else K[k]
        if M is None:
            w, v, info = lapack.dsyevd(A, compute_v=job, lower=1)
        else:
            B = M if M.ndim == 2 else M[k]
            w, v, info = lapack.dsygvd(A, B, jobz="V" if job else "N", uplo="L")
        if info != 0:
            return k, info
        values[k] = w
        if vectors is not None:
            vectors[k] = v
    return None
