"""Least-squares spline: uneven clocks, gaps and masked samples are no trouble, and errors are exact for white noise.

    s(t) = Σ B_i(t) c_i ,    ĉ = (BᵀB)⁻¹ Bᵀ y
    var s⁽ᵏ⁾(t) = σ² b⁽ᵏ⁾(t)ᵀ (BᵀB)⁻¹ b⁽ᵏ⁾(t)                                    (theory/measurements, eq. 3)

Splines of degree five with knots 1/(2 f) apart follow what is slower than f.
"""

from __future__ import annotations

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.filtering.derivatives import Derivatives

__all__ = ["spline_fit"]

DEGREE = 5
PROBES = 60  # places at which errors are evaluated


def spline_fit(t: np.ndarray, x: np.ndarray, cutoff: float, at: np.ndarray | None = None) -> Derivatives:
    """Fit samples x (n,) at t (n,) [s], NaN left out, by a spline that follows what is slower than `cutoff` [Hz]."""
    from scipy.interpolate import BSpline
    from scipy.linalg import cho_solve_banded, cholesky_banded

    good = np.isfinite(x)
    tg, xg = t[good], x[good]
    if not cutoff > 0 or len(tg) <= 2 * DEGREE:
        raise PoinsotError("a spline needs a positive cut-off and more than ten samples")
    knots = _knots(tg, cutoff)
    B = BSpline.design_matrix(tg, knots, DEGREE)
    gram = (B.T @ B).todia()
    bands = np.zeros((DEGREE + 1, gram.shape[0]))
    for offset, row in zip(gram.offsets, gram.data):
        if 0 <= offset <= DEGREE:
            bands[DEGREE - offset, :] = row
    try:
        factor = cholesky_banded(bands)
    except np.linalg.LinAlgError:
        raise PoinsotError("too few samples between the knots of a spline: choose a lower cut-off") from None
    c = cho_solve_banded((factor, False), B.T @ xg)
    spline = BSpline(knots, c, DEGREE)
    rest = xg - B @ c
    noise = float(np.sqrt(rest @ rest / max(len(tg) - len(c), 1)))
    times = t if at is None else at
    errors = noise * _spread(knots, len(c), factor, tg)
    said = f"least-squares spline of degree five that follows up to {cutoff:.4g} Hz"
    return Derivatives(times, spline(times), spline(times, 1), spline(times, 2), errors, noise, said, 1 / cutoff)


def _knots(t: np.ndarray, cutoff: float) -> np.ndarray:
    """Knots about 1/(2 f) apart, none in a gap: every one has enough samples about it."""
    pieces = max(1, int(np.ceil((t[-1] - t[0]) * 2 * cutoff)))
    inner = np.linspace(t[0], t[-1], pieces + 1)[1:-1]
    counts = np.searchsorted(t, inner)
    keep = np.concatenate([[True], np.diff(counts) >= 2])[: len(inner)] & (counts >= 2) & (counts <= len(t) - 2)
    return np.concatenate([[t[0]] * (DEGREE + 1), inner[keep], [t[-1]] * (DEGREE + 1)])


def _spread(knots: np.ndarray, n: int, factor: np.ndarray, t: np.ndarray) -> np.ndarray:
    """√(bᵀ (BᵀB)⁻¹ b) (3,) of value and derivatives: their quadratic means over the inner part."""
    from scipy.linalg import cho_solve_banded

    margin = 0.1 * (t[-1] - t[0])
    probes = np.linspace(t[0] + margin, t[-1] - margin, PROBES)
    rows = [_local_rows(knots, n, probes, k) for k in range(3)]
    return np.array([np.sqrt(np.mean(np.sum(b.T * cho_solve_banded((factor, False), b.T), axis=0))) for b in rows])


def _local_rows(knots: np.ndarray, n: int, probes: np.ndarray, k: int) -> np.ndarray:
    """b⁽ᵏ⁾ at the probes (m, n), written where it is not zero."""
    from scipy.interpolate import BSpline

    rows = np.zeros((len(probes), n))
    for i, at in enumerate(probes):
        last = int(np.searchsorted(knots, at, side="right")) - 1
        for j in range(max(0, last - DEGREE), min(n, last + 1)):
            rows[i, j] = BSpline.basis_element(knots[j : j + DEGREE + 2], extrapolate=False).derivative(k)(at)
    return np.nan_to_num(rows)
