"""Generalised symmetric eigenproblems in batch, against batched NumPy."""

from __future__ import annotations

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.engine import eigh

from .measure import Table, interleave, stopwatch

CASES = ((2, 1_000_000), (3, 1_000_000), (4, 100_000), (6, 50_000), (8, 20_000))


def run() -> Table:
    """Compare `eigh` with NumPy for sizes 2 to 8, and one BLAS thread with the default for 90 × 90."""
    rng = np.random.default_rng(0)
    rows, goals, figures = [], [], {}
    for n, count in CASES:
        K, M = _problems(rng, n, count)
        for vectors in (True, False):
            _wait(K, M, vectors)
            times = interleave(
                {
                    "numpy": lambda K=K, M=M, v=vectors: numpy_eigh(K, M, v),
                    "1": lambda K=K, M=M, v=vectors: eigh(K, M, vectors=v, threads=1),
                    "2": lambda K=K, M=M, v=vectors: eigh(K, M, vectors=v, threads=2),
                },
                repeats=3,
            )
            nano = {name: 1e9 * t.best / count for name, t in times.items()}
            ratio = nano["numpy"] / nano["2"]
            what = f"{n} × {n}, {'vectors' if vectors else 'values'}"
            rows.append((what, nano["numpy"], nano["1"], nano["2"], ratio))
            figures[f"{what} ratio"] = ratio
            if n == 3:
                goals.append((f"10⁶ of 3 × 3 at least 15 × NumPy on two threads ({what}): {ratio:.0f}", ratio >= 15))
    rows.append(_blas_row(rng))
    return Table(
        "generalised symmetric eigenproblems, ns each",
        ("problem", "NumPy", "1 thread", "2 threads", "NumPy / 2 threads"),
        tuple(rows),
        tuple(goals),
        figures,
    )


def numpy_eigh(K, M, vectors):
    """Solve K x = λ M x with NumPy's batched routines."""
    with one_blas_thread():
        inverse = np.linalg.inv(np.linalg.cholesky(M))
        C = inverse @ K @ inverse.transpose(0, 2, 1)
        if not vectors:
            return np.linalg.eigvalsh(C)
        values, V = np.linalg.eigh(C)
        return values, inverse.transpose(0, 2, 1) @ V


def _problems(rng, n, count):
    K, root = rng.normal(size=(2, count, n, n))
    return K + K.transpose(0, 2, 1), root @ root.transpose(0, 2, 1) + np.eye(n)


def _wait(K, M, vectors) -> None:
    """Compile and wait for optimised code."""
    from poinsot.engine.linear import eigen

    eigh(K[:2], M[:2], vectors=vectors)
    n = K.shape[-1]
    for kind in ("all",) if n <= 3 else ("reduce", "sweep", "finish"):
        eigen._kernel(kind, n, True, vectors).wait()


def _blas_row(rng) -> tuple:
    """Time one 90 × 90 problem with one BLAS thread and with the default."""
    import scipy.linalg

    K, M = (a[0] for a in _problems(rng, 90, 1))
    ours = min(stopwatch(lambda: eigh(K, M)) for _ in range(9))
    default = min(stopwatch(lambda: scipy.linalg.eigh(K, M)) for _ in range(9))
    return "90 × 90, SciPy's default threads | ours", 1e9 * default, 1e9 * ours, "", default / ours
