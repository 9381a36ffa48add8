"""Samples of an inertial unit and of encoders on one clock: a node at every sample of the unit.

Encoders that were read between two of them belong to the nearest; of two readings at one node, one has its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError

__all__ = ["Nodes", "nodes_of"]


@dataclass(frozen=True, eq=False)
class Nodes:
    """n nodes, with all that drives and corrects the state there."""

    t: np.ndarray  # (n,)  [s]
    force: np.ndarray  # y_f, linear between samples (n, 3)  [m/s²]
    rate: np.ndarray  # y_ω, linear between samples (n, 3)  [rad/s]
    encoders: np.ndarray  # (n, e), NaN without a sample  [m or rad]
    late: np.ndarray  # how long after the node they were read (n,)  [s]
    noise: np.ndarray  # of one sample of the unit (6,)  [m/s², rad/s]
    drift: np.ndarray  # random walk of its biases (6,)  [m/s²/√s, rad/s/√s]
    period: float  # of the unit's samples  [s]
    gravity: np.ndarray  # (3,)  [m/s²]

    @property
    def step(self) -> np.ndarray:
        """Lengths of the intervals (n − 1,)  [s]."""
        return np.diff(self.t)


def nodes_of(
    t: np.ndarray,
    unit: np.ndarray,
    encoders: np.ndarray,
    noise: np.ndarray,
    drift: np.ndarray,
    gravity: np.ndarray,
    offset: float = 0.0,
) -> Nodes:
    """Nodes of the unit's readings (n, 6) and the encoders' (n, e) at t (n,), whose clock is `offset` late  [s]."""
    felt = np.isfinite(unit).all(axis=1)
    if felt.sum() < 3:
        raise PoinsotError("the inertial unit has fewer than three samples")
    times = t[felt]
    read = np.isfinite(encoders).any(axis=1)
    at, values = t[read] - offset, encoders[read]
    inside = (at >= times[0]) & (at <= times[-1])
    at, values = at[inside], values[inside]
    nearest = np.searchsorted((times[1:] + times[:-1]) / 2, at)
    _, first = np.unique(nearest, return_index=True)
    alone = np.ones(len(at), bool)
    alone[first] = False
    every = np.union1d(times, at[alone])
    node = np.searchsorted(every, np.where(alone, at, times[nearest]))
    y, late = np.full((len(every), encoders.shape[1]), np.nan), np.zeros(len(every))
    y[node], late[node] = values, at - every[node]
    seen = np.stack([np.interp(every, times, column) for column in unit[felt].T], axis=1)
    period = float(np.median(np.diff(times)))
    return Nodes(every, seen[:, :3], seen[:, 3:], y, late, noise, drift, period, gravity)
