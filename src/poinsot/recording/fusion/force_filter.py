"""Kalman filter on generalised forces: predicted ones, corrected by measured ones.

    x* = Q_c predicted,  P* = P + G        K = P* (P* + H)⁻¹,  x = x* + K (y − x*),  P = (1 − K) P*

Every prediction is the model's own force, so only the covariance has a memory: K settles at P∞ / (P∞ + H) with
P∞ = (G + √(G² + 4 G H)) / 2                                                     (theory/measurements, eq. 11)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, number_of, one_line
from poinsot.results import Result

__all__ = ["FilteredForces", "filter_forces"]


@dataclass(frozen=True, eq=False)
class FilteredForces(Result):
    """Generalised forces at n times, fused from model and measurement."""

    value: np.ndarray  # (n, k)  [N or N·m]
    gain: np.ndarray  # K (n, k)  [-]
    variance: np.ndarray  # P (n, k)

    _over, _plot = ("sample", "#value"), {"value": "forces", "gain": "gain"}
    _columns = {name: (name, unit) for name, unit in (("value", "N or N·m"), ("gain", "-"), ("variance", "SI"))}


def filter_forces(
    predicted: np.ndarray, measured: np.ndarray, process: float = 0.05, noise: float = 0.5, start: float = 1.0
) -> FilteredForces:
    """Fuse `predicted` and `measured` forces (n, k), of covariances `process` G and `noise` H times the identity.

    `start` is P before the first sample. A sample that was not measured (NaN) stays as predicted.

    >>> filter_forces(np.zeros((200, 3)), np.ones((200, 3))).gain[-1].round(5).tolist()
    [0.27016, 0.27016, 0.27016]
    """
    x, y = _numbers("predicted", predicted), _numbers("measured", measured)
    G, H, P = (number_of(x, f"the {name}") for x, name in ((process, "process"), (noise, "noise"), (start, "start")))
    if x.shape != y.shape or x.ndim != 2:
        raise PoinsotError(f"predicted and measured forces have the shapes {x.shape} and {y.shape}, not one (n, k)")
    known = np.isfinite(y)
    gain, variance = np.empty(x.shape), np.empty(x.shape)
    P = np.full(x.shape[1], P)
    for k in range(len(x)):
        ahead = P + G
        gain[k] = np.where(known[k], ahead / (ahead + H), 0.0)
        P = variance[k] = (1 - gain[k]) * ahead
    return FilteredForces(x + gain * np.where(known, y - x, 0.0), gain, variance)


def _numbers(name: str, given: Any) -> np.ndarray:
    try:
        return np.asarray(given, float)
    except (TypeError, ValueError, OverflowError):
        raise PoinsotError(f"{name} forces are numbers (n, k), not {one_line(repr(given), 40)}") from None
