"""Initial states near recorded ones, in the directions that constraints leave free.

y₀ = y* + G z ,   C N⁺ G_q = 0,  C G_v = 0 ,      z = L (y₀ − y*) ,   L G = 1        (theory/search, eq. 22)
"""

from __future__ import annotations

import numpy as np

from poinsot.estimate.closed_loop.simulation import first_memory
from poinsot.estimate.problems.output.equations import drive_states, freedoms
from poinsot.estimate.problems.output.records import OutputRun, Prepared, Starts
from poinsot.system.scales import natural_speeds


def starts(prepared: Prepared, at: list[tuple[OutputRun, int]]) -> Starts:
    """At some samples of runs."""
    compiled, p = prepared.compiled, prepared.p
    nq, nv, m, _ = compiled.sizes
    q, v = (np.array([getattr(run, name)[k] for run, k in at]) for name in ("q", "v"))
    C, N = freedoms(compiled)(q, p)
    C, N = C.reshape(len(at), m, nv), N.reshape(len(at), nq, nv)
    size = natural_speeds(compiled, compiled.home.size)
    V = np.linalg.svd(C * size)[2] if m else np.tile(np.eye(nv), (len(at), 1, 1))
    free = np.swapaxes(V[:, m:], 1, 2)  # (S, nv, f)
    T, back = size[:, None] * free, np.swapaxes(free, 1, 2) / size
    memory, integrals = _memory(prepared, q, v)
    f, d, width = T.shape[2], integrals.shape[1], nq + nv + memory.shape[1]
    G, L = np.zeros((len(at), width, 2 * f + d)), np.zeros((len(at), 2 * f + d, width))
    G[:, :nq, :f], G[:, nq : nq + nv, f : 2 * f], G[:, nq + nv :, 2 * f :] = N @ T, T, integrals
    L[:, :f, :nq], L[:, f : 2 * f, nq : nq + nv] = back @ np.linalg.pinv(N), back
    L[:, 2 * f :, nq + nv :] = integrals.T
    return Starts(np.concatenate([q, v, memory], axis=1), G, L)


def _memory(prepared: Prepared, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What controllers hold at the start (S, k), and the directions (k, d) of the integrals that they have."""
    control = prepared.control
    if control is None:
        return np.zeros((len(q), 0)), np.zeros((0, 0))
    (seen,) = drive_states(prepared.compiled, control)(q, v, prepared.p)
    found = np.array([first_memory(control, *np.reshape(row, (2, -1))) for row in seen])
    return found, np.eye(found.shape[1])[:, [j for j, (_, one) in enumerate(control.drives) if one.ki]]
