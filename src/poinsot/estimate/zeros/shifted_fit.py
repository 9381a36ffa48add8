"""The fit of shifted rows, all unknowns anew at every shift c, and what is left by first order around it.

    e(c) = (1 − P(c)) z(c) ,    D = −(1 − P) ∂(z − X d)/∂c at fixed d ,    δc = D⁺ e        (Gauss, Newton, Kaufman)
    cov c = H⁻¹ (Σ Dₚᵀeₚ eₚᵀDₚ) H⁻¹ ,    H = DᵀD        over parts p of the runs, as residuals are coloured

P projects onto the columns X of the unknowns, and where that is asked for onto others besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.zeros.shifted_rows import ShiftableRun

PARTS = 16  # of the runs, for the error
STEPS, SETTLED = 12, 0.05  # of Gauss and Newton; of a standard error
ROUNDS = 3  # where channels are not linear in the unknowns
DEPENDENT = 1e-9  # of a column, what is left of it beside others that explain it
SMALL, LARGEST = 1e-4, 0.4  # of a radian or the machine's size: a shift for differences, a step


@dataclass(frozen=True, eq=False)
class Left:
    """What a fit leaves of N rows over their spread."""

    e: np.ndarray  # (N,)
    problem: LinearProblem  # linear about the values
    d: np.ndarray  # its steps (r,)
    basis: np.ndarray  # (N, r) of its columns

    @property
    def size(self) -> float:
        """eᵀe."""
        return float(self.e @ self.e)


@dataclass(frozen=True, eq=False)
class Shift:
    """Shifts of k coordinates, and what is left with them."""

    c: np.ndarray  # (k,)  [rad or m]
    which: tuple[int, ...]  # of the coordinates are shifted
    errors: np.ndarray  # (len(which),) standard errors  [rad or m]
    besides: Left  # by the unknowns and what else forces may lack
    left: Left  # by the unknowns alone


@dataclass(frozen=True, eq=False)
class ShiftedFit:
    """Runs whose k coordinates may be shifted, with the problem that explains them."""

    problem: LinearProblem
    runs: tuple[ShiftableRun, ...]
    sigma: np.ndarray  # (c,) spread of the channels' residuals

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates, k, which all runs have."""
        first, *others = self.runs
        return tuple(name for name in first.motion if all(name in run.motion for run in others))

    @cached_property
    def sizes(self) -> np.ndarray:
        """A radian, or the size of the machine, by coordinate (k,)."""
        units = self.runs[0].units
        return np.array([1.0 if units[name] == "rad" else self.runs[0].states.size for name in self.names])

    @cached_property
    def besides(self) -> np.ndarray:
        """Columns (N, m) of what else forces may lack."""
        return np.concatenate([self._weighted(run.besides, run.rows.y) for run in self.runs])

    def _weighted(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Columns (n, c, m) as rows over their spread (n c, m), zero where a channel is masked."""
        x = np.where(np.isfinite(y)[:, :, None], x, 0.0) / self.sigma[:, None]
        return x.reshape(-1, x.shape[2])

    def at(self, c: np.ndarray) -> LinearProblem:
        """The problem at shifts c (k,)."""
        shifts = dict(zip(self.names, c.tolist()))
        return replace(self.problem, runs=tuple(run.shifted(shifts) for run in self.runs), simulate=None)

    @one_blas_thread()
    def left(self, problem: LinearProblem, besides: bool) -> Left:
        """What values leave that are estimated anew, with what forces may lack or without."""
        for _ in range(ROUNDS):
            (X, z), (P, y) = self._rows(problem), problem.priors
            more = self.besides if besides else np.zeros((len(z), 0))
            A = np.block([[X, more], [P, np.zeros((len(P), more.shape[1]))]])
            basis, d = _solved(A, np.append(z, y))
            d = d[: X.shape[1]]
            e = (np.append(z, y) - basis @ (basis.T @ np.append(z, y)))[: len(z)]
            at = problem.at_values(d)
            slopes = problem.unknowns.slopes(at)
            if np.array_equal(slopes, problem.slopes) and not problem.terms:
                break
            problem = replace(problem, at=at, slopes=slopes)
        return Left(e, problem, d, basis[: len(z)])

    def left_by_free(self, problem: LinearProblem) -> float:
        """eᵀe by free values of all linear parameters in the rows, not only those of the unknowns."""
        y = np.concatenate([self._weighted(run.target[:, :, None], run.y) for run in problem.runs])[:, 0]
        W = np.concatenate([self._weighted(run.W, run.y) for run in problem.runs])
        basis, _ = _solved(np.concatenate([W, self._rows(problem)[0]], axis=1), y)
        return float(y @ y - np.sum((basis.T @ y) ** 2))

    def _rows(self, problem: LinearProblem) -> tuple[np.ndarray, np.ndarray]:
        """X (N, r) and z (N,) over their spread."""
        parts = [(problem.columns(run), problem.target(run), problem.measured(run)) for run in problem.runs]
        X = np.concatenate([self._weighted(x, y) for x, _, y in parts])
        return X, np.concatenate([self._weighted(z[:, :, None], y) for _, z, y in parts])[:, 0]

    def slopes(self, c: np.ndarray, left: Left, which: Sequence[int]) -> np.ndarray:
        """D (N, len(which)): by shifts of some coordinates, of what the values leave at shifts c (k,), `left`."""
        (X, z), found = self._rows(left.problem), []
        for k in which:
            step = SMALL * self.sizes[k]
            there = self.at(c + step * (np.arange(len(c)) == k))
            Xk, zk = self._rows(replace(left.problem, runs=there.runs))
            found.append((z - X @ left.d - zk + Xk @ left.d) / step)
        D = np.stack(found, axis=1)
        return D - left.basis @ (left.basis.T @ D)

    def found(self, c: np.ndarray, which: Sequence[int]) -> Shift | None:
        """Shifts near c (k,) that explain most, of some coordinates; None: the steps do not settle."""
        which, before = list(which), None
        bound = LARGEST * self.sizes[which]
        for _ in range(STEPS):
            left = self._tried(c)
            if before is not None and (left is None or left.size > before[1]):  # too far
                c, bound = before[0] + (c - before[0]) / 4, bound / 4
                continue
            if left is None:
                return None
            change, error = _step(self.slopes(c, left, which), left.e)
            if np.all(np.abs(change) <= SETTLED * error):
                return Shift(c, tuple(which), error, left, self.left(self.at(c), besides=False))
            before, c = (c, left.size), c.copy()
            c[which] += np.clip(change, -bound, bound)
        return None

    def _tried(self, c: np.ndarray) -> Left | None:
        """What is left at shifts c (k,); None where the mechanism cannot make the motion."""
        try:
            return self.left(self.at(c), besides=True)
        except PoinsotError:
            return None


def _step(D: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """δc (k,) and standard errors (k,)."""
    inverse = np.linalg.pinv(D.T @ D, hermitian=True)
    sums = np.stack([part.sum(axis=0) for part in np.array_split(D * e[:, None], PARTS)])
    return inverse @ (D.T @ e), np.sqrt(np.sum((sums @ inverse) ** 2, axis=0))


def _solved(A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An orthonormal basis of columns (N, k), and their coefficients (k,) in y, zero where they depend on others."""
    from scipy.linalg import solve_triangular

    length = np.linalg.norm(A, axis=0)
    good = length > 0
    for _ in range(2):
        Q, R = np.linalg.qr(A[:, good] / length[good])
        kept = np.abs(np.diagonal(R)) > DEPENDENT
        if kept.all():
            break
        good[np.flatnonzero(good)[~kept]] = False
    d = np.zeros(A.shape[1])
    d[good] = solve_triangular(R, Q.T @ y) / length[good]
    return Q, d
