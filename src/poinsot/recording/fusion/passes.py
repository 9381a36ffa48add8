"""Passes over all nodes: the causal filter, and the smoother about a trajectory."""

from __future__ import annotations

import numpy as np

from poinsot.recording.fusion.kalman import Filtered, Measurements, forward, smooth
from poinsot.recording.fusion.navigation import SIZE, Navigation, between_nodes, propagate
from poinsot.recording.fusion.nodes import Nodes
from poinsot.recording.fusion.setting import Setting

__all__ = ["filter_pass", "smoother_pass"]

MEMORY = 1.0  # for which a body keeps its place about the first  [s]
EXACT = 1e-14  # of the variance of the start


def _measurements(
    s: Setting, nodes: Nodes, k: np.ndarray, x: Navigation, q: np.ndarray
) -> tuple[Measurements, np.ndarray]:
    """What is measured at nodes k (n,), linearised at states x (n), and coordinates q (n, nq) that go with them."""
    y = nodes.encoders[k]
    if s.free:
        z, H, r = np.zeros((len(x), 0)), np.zeros((len(x), 0, SIZE)), np.zeros((len(x), 0))
    else:
        then, rate = between_nodes(x, nodes, k)
        R, p, slope = then.body(*s.X_BS)
        q, A, b = s.seen.follow(q, R, p, y)
        z, N_J, r = s.seen.measured(A, b, y, s.noise)
        H = N_J @ slope
        H[:, :, 6:9] += nodes.late[k][:, None, None] * H[:, :, 3:6]
        back = (H[:, :, 3:6] @ then.v[:, :, None] + H[:, :, 0:3] @ rate[:, :, None])[..., 0]
        z = z + back * x.c[:, 12:13]  # encoders saw the body where it was a time offset ago
        H[:, :, 21] = -back
    if np.isfinite(s.reach):
        near = np.zeros((len(x), 3, SIZE))
        near[:, :, 3:6] = np.eye(3)
        z, H = np.concatenate([z, s.x0.p - x.p], axis=1), np.concatenate([H, near], axis=1)
        r = np.concatenate([r, np.full((len(x), 3), s.reach**2 * MEMORY / nodes.period)], axis=1)
    rows = np.sum(np.any(H != 0, axis=2), axis=1)
    return Measurements(z, np.ascontiguousarray(H[:, :, s.active]), r, rows), q


def filter_pass(s: Setting, nodes: Nodes) -> tuple[Navigation, np.ndarray, Filtered, np.ndarray]:
    """The causal filter, linearised at its own prediction."""
    n, k, a = len(nodes.t), len(s.active), (0, s.active[:, None], s.active)
    x, q = s.x0, s.seen.system.coordinates(s.seen.system.home, s.seen.p)[None]
    P = np.diag(s.P0[s.active])
    states, coordinates, Ps = [], np.empty((n, q.shape[1])), np.empty((n, k, k))
    nis, rows = np.full(n, np.nan), np.zeros(n, int)
    for j in range(n):
        at, before = np.array([j]), x
        for _ in range(8 if j == 0 else 1):  # the start may be far away
            seen, q = _measurements(s, nodes, at, x, q)
            none = np.zeros((1, k, k))
            found = forward(before.minus(x)[0, s.active], P, none, np.zeros((1, k)), none, seen)
            full = np.zeros((1, SIZE))
            full[0, s.active] = found.x[0]
            x = x.plus(full)
        states.append(x)
        coordinates[j], Ps[j], nis[j], rows[j] = q[0], found.P[0], found.nis[0], seen.rows[0]
        if j < n - 1:
            x, F, Q = propagate(x, nodes, at)
            P = F[a] @ found.P[0] @ F[a].T + Q[a]
    whole = Navigation(*(np.concatenate([getattr(one, part) for one in states]) for part in ("R", "p", "v", "c")))
    empty = np.zeros((n, k))
    return whole, coordinates, Filtered(empty, Ps, empty, Ps, nis, rows), Ps


def smoother_pass(
    s: Setting, nodes: Nodes, x: Navigation, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Filtered, np.ndarray, float]:
    """One pass of the smoother about the trajectory x: by how much it is to move, in standard deviations too."""
    n, a = len(nodes.t), s.active
    seen, q = _measurements(s, nodes, np.arange(n), x, q)
    ahead, F, Q = propagate(x[: n - 1], nodes, np.arange(n - 1))
    last = np.zeros((1, len(a), len(a)))
    F, Q = (np.concatenate([part[:, a][:, :, a], last]) for part in (F, Q))
    d = np.concatenate([ahead.minus(x[1:])[:, a], last[:, 0]])
    start, P0 = s.x0.minus(x[:1])[0, a], np.diag(s.P0[a])
    passed = forward(start, P0, F, d, Q, seen)
    moved, P = smooth(start, P0, passed, F, Q, seen)
    full = np.zeros((n, SIZE))
    full[:, a] = moved
    spread = np.diagonal(P, axis1=1, axis2=2) + EXACT * s.P0[a]  # loops leave no spread in some directions
    largest = float(np.sqrt(np.max(moved**2 / spread)))
    return full, q, passed, P, largest
