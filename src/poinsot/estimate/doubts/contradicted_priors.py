"""Priors that the data contradicts: what is known besides, against what all else says without it.

z_k = |y_k − P_k d| / √(1 + P_k C P_kᵀ)        d and C (r, r) without prior k, whose weighted row is P_k d = y_k
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poinsot.estimate.methods.base import LinearRows, least_squares, rough, weighted, with_covariance
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.results.text import FAR, contradiction

__all__ = ["contradicted_priors"]

WORTH_A_LOOK = 3.0  # the same, while the contradiction itself counts as noise, which is taken as white


@np.errstate(all="ignore")  # what only a prior determines has no finite error without it
def contradicted_priors(problem: LinearProblem) -> tuple[str, ...]:
    """One sentence for each prior that is far from what the data and the other priors say."""
    rows, found = problem.rows, []
    units = dict(zip(problem.unknowns.names, problem.unknowns.units))
    for k in _suspects(rows) if problem.simulate is None else ():
        (name, prior, deviation), P, y = problem.known_besides[k], rows.prior[0][k], rows.prior[1][k]
        try:
            d, error = _without(rows, k)
        except np.linalg.LinAlgError:  # nothing else determines it
            continue
        away = abs(y - P @ d) / np.sqrt(1 + error**2)
        if away > FAR:
            found.append(contradiction(name, units[name], prior, deviation, away, y - P @ d, error))
    return tuple(found)


def _suspects(rows: LinearRows) -> list[int]:
    """Priors that may be contradicted, by normal equations."""
    P, y = rows.prior
    if not len(y):
        return []
    X, z = weighted(rows, _weights(rows))
    flat = [x.reshape(-1, x.shape[-1]) for x in X]
    A = sum(x.T @ x for x in flat) + P.T @ P
    b = sum(x.T @ part.ravel() for x, part in zip(flat, z)) + P.T @ y
    found = []
    for k in range(len(y)):
        C = np.linalg.pinv(A - np.outer(P[k], P[k]), hermitian=True)
        away = abs(y[k] - P[k] @ C @ (b - P[k] * y[k])) / np.sqrt(1 + P[k] @ C @ P[k])
        found += [k] if away > WORTH_A_LOOK else []
    return found


def _without(rows: LinearRows, k: int) -> tuple[np.ndarray, float]:
    """Steps d (r,) without prior k, and the error along it, in its deviations, by the colour of what is left."""
    others = replace(rows, prior=(np.delete(rows.prior[0], k, axis=0), np.delete(rows.prior[1], k)))
    weights = _weights(others)
    d, H = least_squares(*weighted(others, weights), others.prior)
    covariance = with_covariance(others, weights, d, H).covariance
    return d, float(np.sqrt(rows.prior[0][k] @ covariance @ rows.prior[0][k]))


def _weights(rows: LinearRows) -> list[np.ndarray]:
    sigma = rough(rows)[1]
    return [np.where(good, 1 / sigma, 0.0) for good in rows.good]
