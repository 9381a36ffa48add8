"""The best k of many candidates: a convex relaxation, then exchange of one at a time (Fedorov).

Every candidate i brings r rows Sᵢ (measurements by unknowns, divided by their noise). The relaxation bounds what any
choice can reach and rules out candidates that no better choice contains; exchange with updates of rank r finds a
choice. How far it is at most from the best one is part of the answer.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, count_of, unknown
from poinsot.experiment.criteria import CRITERIA
from poinsot.experiment.relaxation import (
    FLOOR,
    NOTHING,
    POWERS,
    Relaxed,
    information,
    largest,
    log_phi,
    relax,
    spectrum,
)

_progress = logging.getLogger("poinsot.progress")
BETTER = 1e-10  # gain of ln φ for which one candidate is exchanged for another
SWEEPS = 100
FIRST, FEWEST = 5, 64  # candidates for each place, and at all, that are exchanged first, those of largest gain
NEAR = 16  # candidates whose eigenvalues are computed at a time in an exchange for E
WEAKEST = 8  # directions of bounds on them


@dataclass(frozen=True)
class BestSet:
    """k of N candidates, and how far they can be from the best k."""

    chosen: np.ndarray  # (k,) indices, ascending
    value: float  # of the criterion, smaller is better; infinite where a combination of unknowns is left open
    bound: float  # that no choice passes
    efficiency: float  # φ of the choice over the bound: 0.98 is at most 2 % from the best; NaN where φ = 0
    weights: np.ndarray  # (N,) of the relaxation
    information: np.ndarray  # (u, u) with the prior
    considered: int  # candidates that the bound did not rule out


def rows_of(F: np.ndarray) -> np.ndarray:
    """Rows S (N, r, u) of information matrices F = SᵀS (N, u, u), r the largest rank: Cholesky with pivots."""
    left = np.array(F, dtype=float)
    diagonal = np.einsum("nii->ni", left)  # a view
    size = diagonal.max(axis=1, initial=0.0)
    every, found = np.arange(len(left)), []
    for _ in range(left.shape[-1]):
        pivot = np.argmax(diagonal, axis=1)
        height = diagonal[every, pivot]
        rest = height > left.shape[-1] * np.finfo(float).eps * size
        if not rest.any():
            break
        row = np.where(rest[:, None], left[every, pivot], 0.0) / np.sqrt(np.where(rest, height, 1.0))[:, None]
        left -= row[:, :, None] * row[:, None, :]
        found.append(row)
    return np.stack(found, axis=1) if found else np.zeros((len(left), 1, left.shape[-1]))


@one_blas_thread()
def best_set(
    rows: np.ndarray,
    k: int,
    criterion: str = "D",
    prior: np.ndarray | None = None,
    *,
    repeats: bool = False,
    starts: int = 4,
    seed: int = 0,
) -> BestSet:
    """The best k of N candidates by "D", "A" or "E".

    `rows` (N, r, u) are the whitened sensitivities of each candidate (`rows_of` gives them from information
    matrices), with unknowns relative to their size for A and E. `prior` (u, u) is information that is there without
    them. `repeats` lets a candidate be chosen several times. `starts` choices are exchanged: the heaviest of the
    relaxation, and draws from its weights by `seed`.
    """
    given, prior_given = rows, prior = _checked(rows, prior)
    k = count_of(k, "the number of candidates to choose")
    if criterion not in POWERS:
        raise PoinsotError(unknown("criterion of a best set", str(criterion), POWERS))
    if k > len(rows) and not repeats:
        raise PoinsotError(f"{k} of {len(rows)} candidates cannot be chosen without repeats")
    size = np.sqrt(np.einsum("nru,nru->u", rows, rows) + np.diag(prior))
    if not size.any():
        raise PoinsotError("no candidate tells anything of the unknowns")
    size = np.where(size > 0, size, 1.0) if criterion == "D" else size.max()  # units matter to A and E
    rows, prior = rows / size, prior / np.multiply.outer(size, size)
    relaxed = relax(rows, k, criterion, prior, float(k) if repeats else 1.0)
    rng = np.random.default_rng(seed)
    first = np.argsort(-relaxed.gains)[: max(FIRST * k, FEWEST)]
    best, reached, left = np.arange(k), -np.inf, np.arange(len(rows))
    for start in range(starts):
        chosen, value = _rounded(relaxed.weights, k, repeats, rng if start else None), -np.inf
        for stage in ("A", "E") if criterion == "E" else (criterion,):  # E alone has too many local optima
            chosen, value = _exchanged(rows, chosen, np.intersect1d(first, left), stage, prior, repeats)
        if value > reached:
            best, reached, left = chosen, value, _left(relaxed, k, repeats, value)
        _progress.info("best %d of %d candidates: start %d of %d", k, len(rows), start + 1, starts)
    best, reached = _exchanged(rows, best, left, criterion, prior, repeats)
    M = information(given, np.bincount(best, minlength=len(rows)).astype(float), prior_given)
    value, short = float(CRITERIA[criterion](M)), max(relaxed.bound - reached, 0.0)
    if _singular(M):
        value, short = np.inf, np.nan
    bound = value - short if criterion == "D" else value * float(np.exp(-short / 2))
    return BestSet(np.sort(best), value, bound, float(np.exp(-short)), relaxed.weights, M, len(left))


def _singular(M: np.ndarray) -> bool:
    """Whether information leaves a combination of unknowns open, whatever their units."""
    size = np.sqrt(np.diag(M))
    if not np.all(size > 0):
        return True
    values = np.linalg.eigvalsh(M / np.outer(size, size))
    return bool(values[0] <= 10 * FLOOR * values[-1])


def _checked(rows: np.ndarray, prior: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    rows = np.ascontiguousarray(rows, dtype=float)
    if rows.ndim != 3 or not rows.size:
        raise PoinsotError(f"rows of candidates have the shape (candidates, rows, unknowns), not {rows.shape}")
    prior = np.zeros((rows.shape[-1],) * 2) if prior is None else np.asarray(prior, dtype=float)
    if prior.shape != (rows.shape[-1],) * 2:
        raise PoinsotError(f"the prior information of {rows.shape[-1]} unknowns cannot have the shape {prior.shape}")
    if not (np.isfinite(rows).all() and np.isfinite(prior).all()):
        raise PoinsotError("rows of candidates and prior information must be finite")
    return rows, prior


def _left(relaxed: Relaxed, k: int, repeats: bool, reached: float) -> np.ndarray:
    """Candidates that a choice better than what was reached can contain (theory/design, eq. 43)."""
    g = relaxed.gains
    others = largest(g, k, float(k) if repeats else 1.0)
    least = g.max() if repeats else np.sort(g)[-k]  # gain of what the candidate takes the place of
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.log(relaxed.base + others - np.maximum(least - g, 0.0))
    return np.flatnonzero(most > reached)


def _rounded(weights: np.ndarray, k: int, repeats: bool, rng: np.random.Generator | None) -> np.ndarray:
    """k candidates from weights: the heaviest, or drawn."""
    if repeats:
        whole = np.floor(weights + 1e-9).astype(int)
        rest = weights - whole + 1e-9 / len(weights)
        missing = k - int(whole.sum())
        extra = np.argsort(-rest)[:missing] if rng is None else rng.choice(len(weights), missing, p=rest / rest.sum())
        return np.concatenate([np.repeat(np.arange(len(weights)), whole), extra])
    if rng is None:
        return np.argsort(-weights)[:k]
    share = weights + 1e-3 * weights.mean()
    return rng.choice(len(weights), k, replace=False, p=share / share.sum())


def _exchanged(
    rows: np.ndarray, chosen: np.ndarray, left: np.ndarray, criterion: str, prior: np.ndarray, repeats: bool
) -> tuple[np.ndarray, float]:
    """A choice that no exchange of one candidate improves; `left` are those that may come in."""
    chosen = chosen.copy()
    reached = _value(rows, chosen, criterion, prior)
    for _ in range(SWEEPS):
        before = reached
        for place in range(len(chosen)):
            others = np.delete(chosen, place)
            M = information(rows, np.bincount(others, minlength=len(rows)).astype(float), prior)
            free = left if repeats else np.setdiff1d(left, others)
            if not len(free):
                continue
            values = _added(rows[free], M, criterion, reached)
            if values.max() > reached + BETTER:
                chosen[place], reached = free[np.argmax(values)], values.max()
        if reached <= before + BETTER:
            break
    return chosen, _value(rows, chosen, criterion, prior)


def _value(rows: np.ndarray, chosen: np.ndarray, criterion: str, prior: np.ndarray) -> float:
    M = information(rows, np.bincount(chosen, minlength=len(rows)).astype(float), prior)
    return float(_log_phi(spectrum(M)[0], criterion))


def _log_phi(values: np.ndarray, criterion: str) -> np.ndarray:
    return np.log(values[..., 0]) if criterion == "E" else log_phi(values, POWERS[criterion][0])


def _added(rows: np.ndarray, M: np.ndarray, criterion: str, reached: float) -> np.ndarray:
    """ln φ of M + SᵀS for every candidate (N,), by updates of rank r (theory/design, eq. 44); for E −∞ where it is
    not above what is `reached`."""
    values, vectors = spectrum(M)
    if criterion == "E":
        return _added_e(rows, M, values, vectors, reached)
    Y = rows @ (vectors / np.sqrt(values))
    K = np.eye(rows.shape[1]) + Y @ Y.transpose(0, 2, 1)
    if criterion == "D":
        return (np.log(values).sum() + np.linalg.slogdet(K)[1]) / len(values)
    Z = Y / np.sqrt(values)  # S M⁻¹ in the axes of the eigenvectors
    taken = np.einsum("nij,nji->n", np.linalg.inv(K), Z @ Z.transpose(0, 2, 1))
    return -np.log(np.maximum(np.sum(1 / values) - taken, np.finfo(float).tiny) / len(values))


def _added_e(rows: np.ndarray, M: np.ndarray, values: np.ndarray, vectors: np.ndarray, reached: float) -> np.ndarray:
    """For E, of the candidates that can pass what is reached: λ_min(M + SᵀS) ≤ λ_min(Uᵀ(M + SᵀS)U), with U the
    weakest directions of M. The largest bounds come first, until no bound that is left passes what was found."""
    weakest, result = slice(0, WEAKEST), np.full(len(rows), -np.inf)
    Y = rows @ vectors[:, weakest]
    bound = np.linalg.eigvalsh(Y.transpose(0, 2, 1) @ Y + np.diag(values[weakest]))[:, 0]
    bound = np.log(np.maximum(bound, FLOOR * (values.sum() + np.einsum("nru,nru->n", rows, rows))))
    order = np.argsort(-bound)
    order = order[bound[order] > reached + BETTER]
    for first in range(0, len(order), NEAR):
        near = order[first : first + NEAR]
        if bound[near[0]] <= result.max():
            break
        each = np.linalg.eigvalsh(M + rows[near].transpose(0, 2, 1) @ rows[near])
        result[near] = np.log(np.maximum(each[:, 0], np.maximum(FLOOR * each[:, -1], NOTHING)))
    return result
