"""The semidefinite program of physically consistent parameters.

    min ‖K u − k‖² + Σ D(P_i ‖ P_i0) + ½ Σ ((φ − φ₀)/s)²   subject to   P_i ⪰ ε,  φ_l ≤ φ ≤ φ_u
    D(P ‖ P₀) = tr P₀⁻¹P − log det P₀⁻¹P − n                                         (theory/estimation, eq. 12, 13)

Squares for unknowns that are no inertia. Everything over γ, so that D counts as 1.
"""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np

from poinsot.engine.interrupts import postponed_interrupts
from poinsot.errors import MissingExtraError, PoinsotError, listing
from poinsot.estimate.consistency.possible import BodyInertia, Possible
from poinsot.estimate.consistency.scaling import Coordinates

_progress = logging.getLogger("poinsot.progress")
THIN = 1e-2  # least eigenvalue of the model's, to which thin, flat and point-like bodies are lifted in D
PASSES = 5  # at most, each scaled about the optimum of the one before
OPTIMAL = "optimal"


def solved(limits: Possible, first: Coordinates, start: np.ndarray, margin: float) -> tuple[np.ndarray, float, str]:
    """The optimum φ (k,), its misfit ‖K u − k‖², and how the solver ended.

    A solver that ends before its full accuracy goes on in coordinates that are scaled about what it reached.
    """
    at, u, status = first, np.zeros(first.slopes.shape[1]), ""
    for _ in range(PASSES):
        at = at.about(u, limits.curvature(at.values(u), at.slopes))
        u, status = _one_pass(limits, at, start, margin)
        if status == OPTIMAL:
            break
    phi = np.clip(at.values(u), limits.lower, limits.upper)  # which the solver keeps to its own accuracy
    return phi, at.misfit(u), status


def _one_pass(limits: Possible, at: Coordinates, start: np.ndarray, margin: float) -> tuple[np.ndarray, str]:
    """Coordinates u (j,) of the optimum, and how the solver ended."""
    cp, clarabel = _solvers()
    u = cp.Variable(at.slopes.shape[1])
    cost, constraints = cp.sum_squares(at.weights @ u - at.targets), []
    for body in limits.bodies:
        part, cones = _divergence(cp, body, at, start, margin, u)
        cost, constraints = cost + part, constraints + cones
    size, others = limits.size, ~limits.inertial
    origin, slopes = at.origin / size, at.slopes / size[:, None]
    if others.any():
        cost = cost + cp.sum_squares((origin - start / size)[others] + slopes[others] @ u) / 2
    for bound, sign in ((limits.lower, 1.0), (limits.upper, -1.0)):
        k = np.isfinite(bound)
        if k.any():
            constraints.append(sign * ((origin[k] - bound[k] / size[k]) + slopes[k] @ u) >= 0)
    program = cp.Problem(cp.Minimize(cost), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it is inaccurate: the status tells
        try:
            _solve(cp, clarabel, program)
        except cp.SolverError:
            raise PoinsotError(_hopeless("the solver failed", limits, start)) from None
    if u.value is None:
        raise PoinsotError(_hopeless(f"the semidefinite program is {program.status}", limits, start))
    return np.asarray(u.value), str(program.status)


def _solve(cp: Any, clarabel: Any, program: Any) -> None:
    """What `program.solve` does, with progress, and Ctrl-C heard at every iteration."""
    import scipy.sparse as sp
    from cvxpy.reductions.solvers.conic_solvers.clarabel_conif import dims_to_solver_cones

    data, chain, inverse = program.get_problem_data(cp.CLARABEL, solver_opts={})
    P, q, settings = data["P"], data["c"], clarabel.DefaultSettings()
    settings.verbose = False
    cones = dims_to_solver_cones(data["dims"])
    solver = clarabel.DefaultSolver(sp.triu(P).tocsc(), q, data["A"], data["b"], cones, settings)
    with postponed_interrupts() as seen:

        def ends(info: Any) -> bool:
            _progress.info(f"semidefinite program, iteration {info.iterations}: gap {info.gap_rel:.1e} of the cost")
            return bool(seen)

        solver.set_termination_callback(ends)
        found = solver.solve()
    program.unpack_results(found, chain, inverse)


def _divergence(
    cp: Any, body: BodyInertia, at: Coordinates, start: np.ndarray, margin: float, u: Any
) -> tuple[Any, list[Any]]:
    """D(P ‖ P₀) of a body, up to a constant, and the cone P̃ ⪰ ε where log det does not imply it.

    Both are whitened about the origin of the coordinates: Q = W (P̃ + l) Wᵀ. The lift l makes a model's thin, flat or
    point-like body regular; elsewhere it is −ε.
    """
    n = len(body.constant)
    lift, least, inverse = _prior(body, start, margin)
    constant, slopes = body.scaled(at.origin), np.tensordot(at.slopes, body.slopes, (0, 0))
    value, vectors = np.linalg.eigh(constant)
    root = np.sqrt(np.maximum(value, 1.1 * least) + lift + 1e-9)
    W, back = (vectors / root).T, vectors * root
    origin, changes = W @ (constant + lift * np.eye(n)) @ W.T, W @ slopes @ W.T
    Q = cp.reshape(origin.ravel() + changes.reshape(-1, n * n).T @ u, (n, n), order="C")
    trace = np.tensordot(changes, back.T @ inverse @ back, 2)  # of (P̃₀ + l)⁻¹(P̃ + l), for each u
    return trace @ u - cp.log_det(Q), [Q - (least + lift) * W @ W.T >> 0] if lift > 0 else []


def _prior(body: BodyInertia, start: np.ndarray, margin: float) -> tuple[float, float, np.ndarray]:
    """Lift l and margin ε of a body, and (P̃₀ + l)⁻¹ of the model; what the model has of negative eigenvalues is 0."""
    value, vectors = np.linalg.eigh(body.scaled(start))
    value = np.maximum(value, 0.0)
    least = margin if body.whole else min(margin, float(value[0]))
    lift = 1.0 if value[-1] < THIN else THIN - value[0] if value[0] < THIN else -least
    return lift, least, (vectors / (value + lift)) @ vectors.T


def _solvers() -> tuple[Any, Any]:
    try:
        import clarabel
        import cvxpy
    except ImportError:
        raise MissingExtraError("physical consistency", "cvxpy and clarabel", "estimate") from None
    return cvxpy, clarabel


def _hopeless(what: str, limits: Possible, start: np.ndarray) -> str:
    names = [body.name for body in limits.bodies if body.least(start) < 0]
    known = f"; the model itself is impossible in {listing(names)}" if names else ""
    return f"no physically possible parameters were found: {what}{known}; look at the bounds and at what is known"
