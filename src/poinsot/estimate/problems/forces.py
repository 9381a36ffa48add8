"""Measured forces as the problem of a search: rows of the linear problem, weighed, for any values of the unknowns.

e = H (y − W θ(p) − y₀)/σ ,    Σ e² = zᵀz − 2 zᵀW θ + θᵀWᵀW θ for many p at once            (theory/search, eq. 1)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.estimate.methods.base import LinearSolution, least_squares, residuals, spread, weighted, with_covariance
from poinsot.estimate.problem import LinearProblem, all_columns
from poinsot.estimate.problems.space import given_numbers
from poinsot.estimate.rows.channel_terms import with_terms
from poinsot.estimate.search.base import SearchMethod, SearchSolution
from poinsot.estimate.search.problem import SearchProblem, Space, with_priors
from poinsot.estimate.search.registry import onwards
from poinsot.parallel.remade import Remade

ROUNDS = 3  # of weights by what the residuals leave


@dataclass(frozen=True, eq=False)
class ForceResiduals(SearchProblem):
    """Residuals of all channels of all runs."""

    linear: LinearProblem
    sigma: np.ndarray  # (c,)

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """(m,), zero where samples are masked."""
        unknowns, parts = self.linear.unknowns, []
        theta = unknowns.theta(p)
        for run in self.linear.runs:
            behind = with_terms(run, self.linear.terms, p[unknowns.own :], theta)
            parts.append(np.nan_to_num((behind.target - behind.W @ theta) / self.sigma).ravel())
        return np.concatenate(parts)

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """(m, k)."""
        unknowns, parts = self.linear.unknowns, []
        theta, slopes = unknowns.theta(p), unknowns.slopes(p)
        for run in self.linear.runs:
            behind = with_terms(run, self.linear.terms, p[unknowns.own :], theta)
            columns = np.where(np.isfinite(behind.y)[:, :, None], all_columns(behind, slopes), 0.0)
            parts.append(-(columns / self.sigma[:, None]).reshape(-1, columns.shape[2]))
        return np.concatenate(parts)

    @one_blas_thread()
    def costs(self, P: np.ndarray) -> np.ndarray:
        """Of many candidates at once, by sums over all samples; one by one behind measuring chains."""
        if self.linear.terms:
            return super().costs(P)
        A, b, c = self._sums()
        rows = np.ascontiguousarray(self.linear.unknowns.thetas(P))[
            :, None, :
        ]  # each by itself: what a candidate costs hangs on no other
        return c - 2 * (rows @ b)[:, 0] + (rows @ A @ np.swapaxes(rows, 1, 2))[:, 0, 0]

    def _sums(self) -> tuple[np.ndarray, np.ndarray, float]:
        """WᵀW (K, K), Wᵀz (K,), zᵀz of weighed rows."""
        W, z = [], []
        for run in self.linear.runs:
            good = np.isfinite(run.y)
            W.append(np.where(good[:, :, None], run.W / self.sigma[:, None], 0.0).reshape(-1, run.W.shape[2]))
            z.append(np.where(good, run.target / self.sigma, 0.0).ravel())
        A, y = np.concatenate(W), np.concatenate(z)
        return A.T @ A, A.T @ y, float(y @ y)


def force_space(linear: LinearProblem) -> Space:
    """Unknowns of a linear problem as the space of a search."""
    unknowns = linear.unknowns
    numbers = given_numbers(unknowns.given)
    return Space(unknowns.names, unknowns.units, unknowns.start, **numbers, model=unknowns.model, machine=None)


def solved_by_search(
    method: SearchMethod, linear: LinearProblem, known: np.ndarray, again: Remade | None = None, dask: str = ""
) -> tuple[LinearProblem, LinearSolution, SearchSolution]:
    """The values of least cost, as steps of the linear problem about them; noise that is not `known` (c,) is told
    by the residuals, and the search goes on from its end with their weights. Others make the problem `again`.
    """
    problem = ForceResiduals(force_space(linear), linear, linear.scale)
    found = method.solve(with_priors(problem), again, dask)
    for _ in range(0 if known.all() or found.interrupted else ROUNDS):
        sigma = np.where(known, linear.scale, spread(*_left(linear, found.p)))
        near = onwards(method).descend(with_priors(replace(problem, sigma=sigma).at(found.p)))
        found, problem = replace(found, p=near.p), replace(problem, sigma=sigma)
    at = _back_to_model(linear, found.p)
    there = replace(linear, at=at, slopes=linear.unknowns.slopes(at))
    rows = there.rows
    d = np.linalg.pinv(there.directions) @ (there.base_of(at) - there.nominal)
    weights = [np.where(good, 1 / problem.sigma, 0.0) for good in rows.good]
    _, H = least_squares(*weighted(rows, weights), rows.prior)
    iterations = len(found.convergence.cost)
    return there, with_covariance(rows, weights, d, H, iterations, found.message), found


def _left(linear: LinearProblem, p: np.ndarray):
    """Rows about values (k,), and what they leave there."""
    there = replace(linear, at=p, slopes=linear.unknowns.slopes(p))
    rows = there.rows
    return rows, residuals(rows, np.linalg.pinv(there.directions) @ (there.base_of(p) - there.nominal))


def _back_to_model(linear: LinearProblem, p: np.ndarray) -> np.ndarray:
    """Values (k,) with the same base parameters, what these leave open being the model's."""
    base, names = linear.base, linear.unknowns.names
    first, second = ([names.index(name) for name in group] for group in (base.independent, base.eliminated))
    at = p.copy()
    at[second] = linear.unknowns.model[second]
    at[first] = p[first] + base.coefficients @ (p[second] - at[second])
    return at
