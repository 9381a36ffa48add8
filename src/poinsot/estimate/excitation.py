"""What the data determines above the noise of its motion.

Noise of the motion adds N to the columns X of the base parameters. With the directions g of

    NᵀN g = ρ⁻² XᵀX g                                        (theory/estimation, eq. 3)

least squares shrinks what lies along g by ρ⁻²: at ρ = 1 there is nothing but noise. Directions with a small ρ are not
estimated; what they could change is measured against the physical size of each parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.estimate.methods.base import LinearMethod, LinearRows, LinearSolution
from poinsot.estimate.problem import LinearProblem
from poinsot.identifiability.base_parameters import combination_text

NOTHING = 3.0  # ρ below which a direction is not excited
LITTLE = 0.2  # of a standard error, below which a bias is none
SURE = 0.15  # of a bias, or of a standard error: how far one told may be off for the noise that was drawn
DRAWS = 16  # of noise, at most
STRONG = 10.0  # ρ² times the number of samples, from which instruments are strong
SHOWN = 5  # parameters of a direction, as text
TOUCHED = 0.05  # of a parameter's physical size, by which directions that are not excited may change it


@dataclass(frozen=True, eq=False)
class Excitation:
    """How far the base parameters are excited above the noise of the motion."""

    noise: np.ndarray  # NᵀN (b, b), rows over their scale; zero without noise
    held: int  # directions that are not estimated
    touched: np.ndarray  # (b,) share of each parameter's size that these could change
    open: np.ndarray  # (b, held) these directions, in SI
    size: np.ndarray  # (b,) physical sizes of the base parameters  [SI]

    def hidden(self, j: int) -> bool:
        """Whether a base parameter hangs on directions that noise alone excites."""
        return bool(self.touched[j] > TOUCHED)


def bias_by_noise(
    method: LinearMethod, rows: LinearRows, solution: LinearSolution, redrawn: Callable[[int], LinearRows]
) -> np.ndarray:
    """Bias (r,) of the values of a method by the noise of the motion; 0 where that is no part of a standard error.

        b(λ) = ½ [d(X + √λ N, z + √λ n) + d(X − √λ N, z − √λ n)] − d ,   b = 3 b(1) − b(2)        any method

    an extrapolation to no noise (theory/estimation, eq. 45). `redrawn(k)`: the rows with their noise drawn again, by
    seed k > 0. The mean over draws is told, over as many as their scatter asks for: one where many rows carry noise.
    """
    nothing = np.zeros(len(solution.d))
    if rows.noise is None or method.corrects or method.simulates:
        return nothing
    deviation = np.sqrt(np.diagonal(solution.covariance))
    first, spread = _first_order(rows, solution)
    if not np.any(np.abs(first) > LITTLE * deviation):
        return nothing
    wanted = np.max(spread / (SURE * np.maximum(np.abs(first), deviation))) ** 2
    draws = int(np.clip(np.ceil(wanted), 1, DRAWS))
    every = (rows if k == 0 else redrawn(k) for k in range(draws))
    return np.mean([_extrapolated(method, one, solution) for one in every], axis=0)


def _first_order(rows: LinearRows, solution: LinearSolution) -> tuple[np.ndarray, np.ndarray]:
    """Bias (r,) of weighted least squares, and its deviation from one draw of noise to another.

    b = (XᵀX − NᵀN)⁻¹ Nᵀ(n − N d)        a sum over rows, each with noise of its own
    """
    r = len(solution.d)
    noise = np.concatenate([(x / solution.sigma[:, None]).reshape(-1, r + 1) for x in rows.noise or ()])
    X = [(x / solution.sigma[:, None]).reshape(-1, r) for x in rows.X]
    N, n = noise[:, :-1], noise[:, -1]
    H = sum(x.T @ x for x in X) + rows.prior[0].T @ rows.prior[0]
    by_row = np.linalg.lstsq(H - N.T @ N, (N * (n - N @ solution.d)[:, None]).T, rcond=None)[0]
    return by_row.sum(axis=1), np.sqrt((by_row**2).sum(axis=1))


def _extrapolated(method: LinearMethod, rows: LinearRows, solution: LinearSolution) -> np.ndarray:
    """Bias (r,) by a method's values with more noise; of first order where it finds none."""

    def more(share: float) -> np.ndarray:
        ends = (_with_noise(rows, sign * np.sqrt(share)) for sign in (1.0, -1.0))
        return sum(method.solve(one).d for one in ends) / 2 - solution.d

    try:
        found = 3 * more(1.0) - more(2.0)
    except np.linalg.LinAlgError:  # a colour of residuals that cannot be had with more noise
        return _first_order(rows, solution)[0]
    return found if np.isfinite(found).all() else _first_order(rows, solution)[0]


def _with_noise(rows: LinearRows, scale: float) -> LinearRows:
    """Rows with so many times the noise of their motion in them once more."""
    assert rows.noise is not None
    X = tuple(x + scale * e[..., :-1] for x, e in zip(rows.X, rows.noise))
    z = tuple(z + scale * e[..., -1] for z, e in zip(rows.z, rows.noise))
    return replace(rows, X=X, z=z, noise=None, values_only=True)


@one_blas_thread()
def excited(problem: LinearProblem, simulated: bool = False) -> tuple[LinearProblem, Excitation]:
    """The problem in the directions that are excited.

    `simulated`: by the motion of the closed loop, which holds no noise. Instruments are not biased by that of X: a
    direction is excited if it leaves them strong, ρ² n > 10.
    """
    from scipy.linalg import eigh

    b, size = problem.base.rank, physical_sizes(problem)
    if not b or any(run.noise is None for run in problem.runs):
        return problem, Excitation(np.zeros((b, b)), 0, np.zeros(b), np.zeros((b, 0)), size)
    X, N, nothing = gram(problem), gram(problem, noise=True), NOTHING**-2
    if simulated and problem.simulate is not None:
        X = gram(replace(problem, runs=problem.simulate(problem, np.zeros(b))))
        nothing = sum(float(np.isfinite(run.y).sum()) for run in problem.runs) / STRONG
    prior = problem.priors[0]
    X = X + prior.T @ prior
    length = np.sqrt(np.diagonal(X))
    shares, g = eigh(N / length[:, None] / length, X / length[:, None] / length)
    weak, N = shares > nothing, 0 * N if simulated else N
    if not weak.any():
        return problem, Excitation(N, 0, np.zeros(b), np.zeros((b, 0)), size)
    strong = g[:, ~weak] / length[:, None]
    opened = g[:, weak] / length[:, None]
    basis = np.linalg.qr(opened / size[:, None])[0]  # of what is open, in physical sizes
    found = replace(problem, directions=strong)
    return found, Excitation(N, int(weak.sum()), np.linalg.norm(basis, axis=1), opened, size)


@dataclass(frozen=True, eq=False)
class Told:
    """Combinations (c,) of base parameters that no direction touches which is not excited."""

    names: tuple[str, ...]  # of the base parameter that each begins with
    texts: tuple[str, ...]
    rows: np.ndarray  # (c, b)
    open: tuple[str, ...]  # directions that are not excited, as text


def told(problem: LinearProblem, excitation: Excitation | None) -> Told:
    """Base parameters that open directions hardly change; of the others what is left without these directions.

    T w = 0 ,    T_i = β_i − w_i W_p⁻¹ β_p        p: those that the open directions W change most, one for each
    """
    from scipy.linalg import qr

    base, b = problem.base, problem.base.rank
    rows = np.eye(b)
    if excitation is None or not excitation.held:
        return Told(base.independent, base.combinations, rows, ())
    hidden = [j for j in range(b) if excitation.hidden(j)]
    W = excitation.open[hidden] / excitation.size[hidden, None]
    held = min(W.shape)
    *_, order = qr(W.T, mode="r", pivoting=True) if held else ([],)
    pivots = [hidden[j] for j in order[:held]]
    along = excitation.open @ np.linalg.pinv(excitation.open[pivots])  # 1 at its pivot, 0 at the others
    others = [j for j in hidden if j not in pivots]
    rows[np.ix_(others, pivots)] = -along[others]
    kept = [j for j in range(b) if j not in pivots]
    texts = tuple(_combination(problem, j, rows[j]) for j in kept)
    opened = tuple(_direction(problem, p, along[:, k], excitation.size) for k, p in enumerate(pivots))
    return Told(tuple(base.independent[j] for j in kept), texts, rows[kept], opened)


def _combination(problem: LinearProblem, j: int, row: np.ndarray) -> str:
    """A combination (b,) that begins with base parameter j, as text."""
    name, text = problem.base.independent[j], problem.base.combinations[j]
    if np.count_nonzero(row) == 1:
        return text
    found = dict(zip(problem.unknowns.names, row @ problem.combine))
    return combination_text(name, {other: x for other, x in found.items() if other != name})


def _direction(problem: LinearProblem, j: int, along: np.ndarray, size: np.ndarray) -> str:
    """A direction (b,) in which base parameter j changes by 1, as text: those that change most, of their size."""
    names = problem.base.independent
    most = [i for i in np.argsort(-np.abs(along / size)) if i != j and along[i]]
    more = "" if len(most) < SHOWN else " …"
    return combination_text(names[j], {names[i]: float(f"{along[i]:.2g}") for i in most[: SHOWN - 1]}) + more


def gram(problem: LinearProblem, noise: bool = False) -> np.ndarray:
    """XᵀX (b, b), or NᵀN, of rows over the scale of their channel."""
    b = problem.base.rank
    found = np.zeros((b, b))
    for run in problem.runs:
        x = problem.base_columns(run, noise) / problem.scale[:, None]
        rows = np.where(np.isfinite(problem.measured(run))[:, :, None], x, 0.0).reshape(np.prod(x.shape[:2]), b)
        found += rows.T @ rows
    return found


def physical_sizes(problem: LinearProblem) -> np.ndarray:
    """What base parameters (b,) may reasonably be: mass × lengthⁿ of a body; of others their value, or what would
    give all of the measured channels by itself.
    """
    unknowns, size = problem.unknowns, problem.runs[0].regressor.size
    masses = {name: float(body.mass) for name, body in unknowns.mechanism.bodies.items()}
    heaviest = max(masses.values(), default=0.0) or 1.0
    alone = _alone(problem)
    linear = {} if unknowns.in_file else dict(zip(unknowns.names, unknowns.linear))
    found = []
    for j, name in enumerate(problem.base.independent):
        p = linear.get(name)
        if p is not None and p.table == "bodies":
            found.append(max((masses[p.owner] or heaviest) * size**p.order, abs(problem.nominal[j])))
        else:
            found.append(abs(float(unknowns.model[unknowns.names.index(name)])) or alone[j])
    return np.array(found)


def _alone(problem: LinearProblem) -> np.ndarray:
    """Values (b,) with which each base parameter by itself would give as much as was measured."""
    measured = sum(float(np.nansum((run.y / problem.scale) ** 2)) for run in problem.runs)
    lengths = np.sqrt(np.diagonal(gram(problem)))
    return np.sqrt(measured) / np.where(lengths > 0, lengths, 1.0)
