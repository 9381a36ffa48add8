"""Initial states of least cost for given parameters, and what the parameters alone change then.

min over z of Σ e² + Σ r² ,    J = J_x − J_z (J_zᵀJ_z)⁻¹ J_zᵀ J_x        (theory/search, eq. 24)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.estimate.problems.output.shooting import Shooting, Shot

STEPS = 40  # of Gauss and Newton, at most
SETTLED = 1e-10  # of the cost, by which a step would still lower it
EXACT = 1e-14  # of the residuals' variance, below which nothing is left to lower
OPEN = 1e-12  # of its diagonal, added to a matrix that leaves directions open
SHORTEST = 1e-4  # part of a step, below which no shorter one is tried


@dataclass(frozen=True, eq=False)
class Eliminated:
    """Initial states (N, S, b) of least cost for N sets of parameters."""

    z: np.ndarray
    shot: Shot
    cost: np.ndarray  # (N,) infinite where there is no answer


def eliminated(shooting: Shooting, X: np.ndarray, Z: np.ndarray, settled: float = SETTLED) -> Eliminated:
    """From states Z (N, S, b) on, by damped steps of Gauss and Newton, for all parameters (N, k) at once.

    A candidate is `settled` when a step would lower its cost by less than this part of it.
    """
    shot = shooting.shot(X, Z)
    cost, share = shot.cost, np.ones(len(X))
    exact = EXACT * np.count_nonzero(shooting.own)
    for _ in range(STEPS):
        H, g = normal(shooting, shot)
        H, g = (np.where(np.isfinite(x), x, 0.0) for x in (H, g))
        step = -_solved(H, g[..., None])[..., 0]
        lower = -np.einsum("ni,ni->n", step, g)  # by which the whole step would lower the cost
        going = np.isfinite(cost) & (lower > settled * cost) & (lower > exact) & (share > SHORTEST)
        if not going.any():
            break
        on = np.flatnonzero(going)
        there = Z[on] + share[on, None, None] * step[on].reshape(-1, *Z.shape[1:])
        tried = shooting.shot(X[on], there)
        better = tried.cost < cost[on]
        won = on[better]
        Z, cost, share = Z.copy(), cost.copy(), share.copy()
        Z[won], cost[won] = there[better], tried.cost[better]
        shot = shot.with_parts(won, tried, better)
        share[on] = np.where(better, np.minimum(1.0, 2 * share[on]), share[on] / 4)
    return Eliminated(Z, shot, cost)


def normal(shooting: Shooting, shot: Shot) -> tuple[np.ndarray, np.ndarray]:
    """J_zᵀJ_z (N, S b, S b) and J_zᵀ e (N, S b)."""
    N, S, *_, b = shot.e_z.shape
    H, g = np.zeros((N, S, b, S, b)), np.einsum("nstcb,nstc->nsb", shot.e_z, shot.e, optimize=True)
    flat = shot.e_z.reshape(N, S, -1, b)
    H[:, range(S), :, range(S)] = np.swapaxes(np.swapaxes(flat, 2, 3) @ flat, 0, 1)
    for j, s in enumerate(shooting.pairs):
        parts = {s: shot.r_end[:, j], s + 1: shot.r_begin[:, j]}
        for a, A in parts.items():
            g[:, a] += np.einsum("nib,ni->nb", A, shot.r[:, j])
            for c, B in parts.items():
                H[:, a, :, c] += np.swapaxes(A, 1, 2) @ B
    return H.reshape(N, S * b, S * b), g.reshape(N, S * b)


def without_states(shooting: Shooting, shot: Shot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of one candidate: e (m,), J (m, k) of the parameters alone, and the sizes (k,) of what was summed in it.

    Samples come first, run by run and in their order of time, then the gaps.
    """
    k = shot.e_x.shape[-1]
    H, _ = normal(shooting, shot)
    A = np.einsum("nstcb,nstck->nsbk", shot.e_z, shot.e_x, optimize=True)
    for j, s in enumerate(shooting.pairs):
        A[:, s] += np.swapaxes(shot.r_end[:, j], 1, 2) @ shot.r_x[:, j]
        A[:, s + 1] += np.swapaxes(shot.r_begin[:, j], 1, 2) @ shot.r_x[:, j]
    W = _solved(H, A.reshape(len(A), -1, k)).reshape(A.shape)
    J = shot.e_x - np.einsum("nstcb,nsbk->nstck", shot.e_z, W, optimize=True)
    P = shooting.pairs
    R = shot.r_x - shot.r_end @ W[:, P] - shot.r_begin @ W[:, [s + 1 for s in P]]
    own = shooting.own
    e = np.append(shot.e[0][own].ravel(), shot.r[0].ravel())
    whole = np.concatenate([J[0][own].reshape(-1, k), R[0].reshape(-1, k)])
    size = np.linalg.norm(np.concatenate([shot.e_x[0][own].reshape(-1, k), shot.r_x[0].reshape(-1, k)]), axis=0)
    return e, whole, size


def followed(shooting: Shooting, shot: Shot, e: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Changes e (K, S, T, c) and r (K, P, b) of one candidate's residuals, when initial states have followed them."""
    H, _ = normal(shooting, shot)
    g, P = np.einsum("stcb,kstc->ksb", shot.e_z[0], e, optimize=True), shooting.pairs
    for j, s in enumerate(P):
        g[:, s] += r[:, j] @ shot.r_end[0, j]
        g[:, s + 1] += r[:, j] @ shot.r_begin[0, j]
    z = -_solved(H, g.reshape(len(g), -1).T[None])[0].T.reshape(g.shape)
    gaps = np.einsum("pib,kpb->kpi", shot.r_end[0], z[:, P])
    gaps += np.einsum("pib,kpb->kpi", shot.r_begin[0], z[:, [s + 1 for s in P]])
    return e + np.einsum("stcb,ksb->kstc", shot.e_z[0], z, optimize=True), r + gaps


def _solved(H: np.ndarray, right: np.ndarray) -> np.ndarray:
    """H⁻¹ right, rows and columns scaled; directions that H leaves open stay small."""
    size = np.sqrt(np.diagonal(H, axis1=1, axis2=2))
    size = np.where(size > 0, size, 1.0)
    scaled = H / (size[:, :, None] * size[:, None]) + OPEN * np.eye(H.shape[1])
    return np.linalg.solve(scaled, right / size[..., None]) / size[..., None]
