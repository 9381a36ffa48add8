"""Convex relaxation of the choice of k candidates: weights instead of a choice, and a bound that no choice passes.

M(w) = F₀ + ∑ wᵢ Sᵢᵀ Sᵢ,    ∑ wᵢ = k,    0 ≤ wᵢ ≤ c                                   (theory/design, eq. 40)
φ_p(M) = (tr M⁻ᵖ / u)^(−1/p)        p → 0: D, 1: A, ∞: E; concave                    (theory/design, eq. 41)
φ(M(v)) ≤ ⟨Γ, M(v)⟩,    Γ = φ(M(w)) ∂ ln φ/∂M                                        (theory/design, eq. 42)

The last holds for any w and v, so that its maximum over v bounds what k candidates can reach, however good w is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

POWERS = {"D": (0.0,), "A": (1.0,), "E": (4.0, 16.0, 64.0)}  # p, in the order in which they are solved
FLOOR = 1e-13  # of the largest eigenvalue: smaller ones are not distinguished from 0
NOTHING = 1e-60  # eigenvalue where there is no information at all, that of all candidates being 1
SETTLED = 1e-5  # distance of ln φ_p from its bound, at which the relaxation ends, times 1 + p²
WORKING = 150  # candidates that enter the working set at a time
ROUNDS = 40  # of the working set


@dataclass(frozen=True)
class Relaxed:
    """Weights of N candidates, and what they say of every choice of k."""

    weights: np.ndarray  # (N,) sum k
    gains: np.ndarray  # (N,) ⟨Γ, Sᵢᵀ Sᵢ⟩
    base: float  # ⟨Γ, F₀⟩
    bound: float  # ln φ that no choice passes


def information(rows: np.ndarray, weights: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """M(w) (u, u) of rows (N, r, u)."""
    used = np.flatnonzero(weights)
    flat = rows[used] * np.sqrt(weights[used])[:, None, None]
    flat = flat.reshape(-1, rows.shape[-1])
    return prior + flat.T @ flat


def spectrum(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (…, u), none below what rounding leaves, and eigenvectors."""
    values, vectors = np.linalg.eigh(M)
    return np.maximum(values, np.maximum(FLOOR * values[..., -1:], NOTHING)), vectors


def log_phi(values: np.ndarray, p: float) -> np.ndarray:
    """ln φ_p of eigenvalues (…, u)."""
    logs = np.log(values)
    if p == 0:
        return logs.mean(axis=-1)
    least = logs.min(axis=-1)
    return least - np.log(np.mean(np.exp(-p * (logs - least[..., None])), axis=-1)) / p


def slopes(values: np.ndarray, p: float) -> np.ndarray:
    """∂ ln φ_p/∂λ (u,); their sum with λ is 1."""
    powers = (values / values.min()) ** -p
    return powers / powers.sum() / values


def quadratic(rows: np.ndarray, G: np.ndarray) -> np.ndarray:
    """⟨G, Sᵢᵀ Sᵢ⟩ of all candidates (N,)."""
    return np.einsum("nru,nru->n", rows @ G, rows)


def relax(rows: np.ndarray, k: int, criterion: str, prior: np.ndarray, cap: float) -> Relaxed:
    """The best weights of N candidates, from a working set that grows by those that would raise the bound."""
    count = len(rows)
    weights = np.full(count, k / count)
    best = _judged(rows, weights, k, POWERS[criterion][0], prior, cap, criterion)
    working = np.argsort(-best.gains)[: max(2 * k, WORKING) + rows.shape[-1]]
    for p in POWERS[criterion]:
        for _ in range(ROUNDS):
            inside = np.zeros(count)
            inside[working] = _restricted(rows[working], k, p, prior, cap, weights[working])
            weights = inside
            found = _judged(rows, weights, k, p, prior, cap, criterion)
            if found.bound <= best.bound:
                best = found
            fresh = np.setdiff1d(np.argsort(-found.gains)[: max(k, WORKING)], working)
            reached = log_phi(spectrum(information(rows, weights, prior))[0], p)
            smooth = _judged(rows, weights, k, p, prior, cap, "").bound
            if smooth - reached < SETTLED * (1 + p**2) or not len(fresh):
                break
            kept = working[weights[working] > 1e-4 * k / count]
            working = np.union1d(kept, fresh)
    return best


def _judged(
    rows: np.ndarray, weights: np.ndarray, k: int, p: float, prior: np.ndarray, cap: float, criterion: str
) -> Relaxed:
    """The bound from weights; for E the smallest eigenvalue takes the place of φ_p (theory/design, eq. 42)."""
    values, vectors = spectrum(information(rows, weights, prior))
    d = slopes(values, p)
    size = 1 / d.sum() if criterion == "E" else float(np.exp(log_phi(values, p)))
    Gamma = size * (vectors * d) @ vectors.T
    gains, base = np.maximum(quadratic(rows, Gamma), 0.0), float(np.sum(Gamma * prior))
    return Relaxed(weights, gains, base, float(np.log(base + largest(gains, k, cap) + np.finfo(float).tiny)))


def largest(gains: np.ndarray, k: int, cap: float) -> float:
    """max ∑ vᵢ gᵢ with ∑ vᵢ = k, 0 ≤ vᵢ ≤ cap (1 or k)."""
    if cap > 1:
        return k * float(gains.max())
    return float(np.sort(gains)[-k:].sum())


def _restricted(rows: np.ndarray, k: int, p: float, prior: np.ndarray, cap: float, start: np.ndarray) -> np.ndarray:
    """Weights of the candidates of a working set: an interior-point method with exact second derivatives."""
    count, unknowns = len(rows), rows.shape[-1]
    if count * cap <= k:
        return np.full(count, cap)
    w = _inside(start, k, cap)
    mu = 0.1 / count
    upper = np.triu_indices(unknowns)
    double = np.where(upper[0] == upper[1], 1.0, 2.0)
    while True:
        for _ in range(3):
            values, vectors = spectrum(information(rows, w, prior))
            Y = rows @ vectors
            T = np.einsum("nra,nrb->nab", Y, Y)[:, upper[0], upper[1]]
            gradient = T[:, upper[0] == upper[1]] @ slopes(values, p)
            H = -(T * (double * _curvature(values, p)[upper])) @ T.T - p * np.outer(gradient, gradient)
            H[np.diag_indices(count)] += mu * (1 / w**2 + 1 / (cap - w) ** 2)
            w, decrement = _step(w, H, gradient + mu * (1 / w - 1 / (cap - w)), cap, mu, rows, prior, p)
            if decrement < mu:
                break
        if 2 * count * mu < SETTLED * (1 + p**2) / 4:
            return w
        mu *= 0.2


def _inside(w: np.ndarray, k: int, cap: float) -> np.ndarray:
    """Weights near the given ones with the sum k, away from both bounds."""
    even = k / len(w)
    w = np.clip(0.5 * w + 0.5 * even, 1e-3 * even, cap - 1e-3 * (cap - even))
    missing = k - w.sum()
    room = cap - w if missing > 0 else w
    return w + missing * room / room.sum()


def _step(
    w: np.ndarray,
    H: np.ndarray,
    ascent: np.ndarray,
    cap: float,
    mu: float,
    rows: np.ndarray,
    prior: np.ndarray,
    p: float,
) -> tuple[np.ndarray, float]:
    """One Newton step with ∑ dw = 0 inside the bounds, shortened until the barrier function grows."""
    solved = np.linalg.solve(H, np.column_stack([ascent, np.ones_like(w)]))
    dw = solved[:, 0] - solved[:, 1] * solved[:, 0].sum() / solved[:, 1].sum()
    decrement = float(ascent @ dw)

    def merit(x: np.ndarray) -> float:
        value = log_phi(spectrum(information(rows, x, prior))[0], p)
        return float(value + mu * np.sum(np.log(x) + np.log(cap - x)))

    with np.errstate(divide="ignore"):
        room = np.where(dw < 0, -w / dw, np.where(dw > 0, (cap - w) / dw, np.inf))
    length, now = min(1.0, 0.95 * float(room.min())), merit(w)
    while length > 1e-8 and merit(w + length * dw) < now + 1e-4 * length * decrement - 1e-13:
        length *= 0.5
    return w + length * dw, decrement


def _curvature(values: np.ndarray, p: float) -> np.ndarray:
    """Divided differences of the slopes (u, u): second derivatives of a function of eigenvalues."""
    d = slopes(values, p)
    gap = values[:, None] - values
    near = np.abs(gap) <= 1e-7 * np.maximum(values[:, None], values)
    middle = -(p + 1) * 0.5 * (d[:, None] / values[:, None] + d / values)
    return np.where(near, middle, (d[:, None] - d) / np.where(near, 1.0, gap))
