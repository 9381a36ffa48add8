"""Larger symmetric eigenproblems with LAPACK, one BLAS thread per worker."""

from __future__ import annotations

import numpy as np


def lapack_eigh(
    K: np.ndarray, M: np.ndarray | None, values: np.ndarray, vectors: np.ndarray | None, start: int, stop: int
) -> tuple[int, int] | None:
    """Solve samples start … stop − 1 into `values` (N, n) and `vectors` (N, n, n).

    Returns None, or the number of the first sample that failed and LAPACK's reason for it.
    """
    # SciPy makes these names when it is loaded.
    from scipy.linalg.lapack import dsyevd, dsygvd  # pyright: ignore[reportAttributeAccessIssue]

    job = int(vectors is not None)
    for k in range(start, stop):
        A = K if K.ndim == 2 else K[k]
        if M is None:
            w, v, info = dsyevd(A, compute_v=job, lower=1)
        else:
            B = M if M.ndim == 2 else M[k]
            w, v, info = dsygvd(A, B, jobz="V" if job else "N", uplo="L")
        if info != 0:
            return k, info
        values[k] = w
        if vectors is not None:
            vectors[k] = v
    return None
