"""Derivatives of M, D, K and C with respect to any parameter, while the mechanism stays at rest.

A parameter moves the pose, the multipliers and the forces that hold:

    dr = ∂r/∂q N δx + ∂r/∂u δu − Cᵀ δλ + ∂r/∂ρ δρ + ∂r/∂p = 0,        dΦ = C δx + ∂Φ/∂p = 0

Where this leaves freedoms, the named coordinates of the pose keep their values. The matrices then change along
(N δx, δu, δλ, δρ, 1), a directional derivative of their expressions. Springs that are clamped in the pose stay
relaxed. Where a parameter leaves no equilibrium at all, its derivatives are NaN.        (theory/vibration, eq. 6)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.model.mechanism import Mechanism
from poinsot.statics.point import Point
from poinsot.system.system import System, system
from poinsot.vibration.equations import change_functions
from poinsot.vibration.linear_model.record import MatrixDerivatives
from poinsot.vibration.place_equations import place_changes

RANK = 1e-10  # of stiffness and constraints at their natural sizes
LOST = 1e-9  # of forces at their natural sizes, per relative change of a parameter, that no pose balances


@dataclass(frozen=True, eq=False)
class Held:
    """What keeps its value when a parameter changes."""

    coordinates: tuple[str, ...]  # named, of the pose
    given: bool  # as numbers; otherwise by the model file, where parameters may move them
    q_begin: np.ndarray | None  # where springs were clamped and actuators locked, if the mechanism moved from there


@one_blas_thread()
def rigid_derivatives(
    mechanism: Mechanism,
    compiled: System,
    point: Point,
    held: Held,
    names: Sequence[str],
    places: tuple[str, ...] = (),
) -> MatrixDerivatives:
    """Derivatives along every named parameter, and those of the rows of places."""
    names = tuple(names)
    mechanism.parameters.require(names)
    chart = point.given.p[len(compiled.equations.symbols.names) :]
    wide = system(mechanism, compiled.dynamics.formulation, names)
    p = np.concatenate([wide.equations.symbols.values(mechanism), chart])
    local = {n: f.function for n, f in change_functions(wide, held.coordinates, held.given, names).functions.items()}
    at = (point.q, point.u, point.lam, point.given.rho, p)
    varied, size = [mechanism.parameters[name] for name in names], point.functions.sizes.machine
    sizes = np.array([abs(x.value) or (size if x.unit == "m" else 1.0) for x in varied])  # what they are measured by
    changes = _changes(local, point, held, at, LOST / sizes)
    rows = len(point.lam) + len(point.u)
    kept = [*range(len(point.lam)), *(len(point.lam) + i for i in point.given.held)]
    n, found, dP = len(point.Q), [], np.zeros((len(names), len(places), len(point.Q)))
    for k, name in enumerate(names):
        unit = np.zeros(len(p))
        unit[wide.equations.symbols.names.index(name)] = 1.0
        flat = [np.asarray(x) for x in local["directional"](*at, *(x[:, k] for x in changes), unit)]
        found.append([flat[0], flat[1], flat[2], flat[3].reshape(rows, n)[kept]])
        if places:
            function = place_changes.formula(wide, places).function
            dP[k] = np.asarray(function(point.q, p, changes[0][:, k], unit)).reshape(dP[k].shape)
    dM, dD, dK, dC = (np.array([x[i] for x in found]) for i in range(4))
    return MatrixDerivatives(names, dM, dD, dK, dC, dP)


def _natural(point: Point, K: np.ndarray, equations: int) -> tuple[np.ndarray, np.ndarray]:
    """What equations (forces, joints, locks) and unknowns (displacements, drives, multipliers) are multiplied by."""
    sizes, solved = point.functions.sizes, list(point.given.solved)
    stiffness = np.max(np.abs(K) * sizes.speeds * sizes.speeds[:, None], initial=0.0)
    stiffness = max(stiffness, np.max(np.abs(point.Q) * sizes.speeds, initial=0.0)) or 1.0  # [J]
    closing = point.row_sizes[: equations - len(sizes.speeds)]
    rows = np.concatenate([sizes.speeds / stiffness, 1 / closing])
    return rows, np.concatenate([sizes.speeds, stiffness / sizes.drives[solved], stiffness / sizes.rows])


def _changes(local: dict[str, Any], point: Point, held: Held, at: tuple, floor: np.ndarray) -> tuple:
    """δq, δu, δλ and δρ, a column for every parameter; NaN where forces above a floor (p,) stay without balance."""
    values = _Values(local["pose"](*at))
    n, m, solved = len(point.Q), len(point.lam), list(point.given.solved)
    hard = np.block(
        [
            [-values.K, values.J_a[solved].T, -values.C.T],
            [values.C, np.zeros((m, len(solved) + m))],
        ]
    )
    known = np.vstack([values.r_p, values.phi_p])
    if held.q_begin is None:
        hard[:n, :n] += values.r_rho @ values.S
        known[:n] += values.r_rho @ values.S_p
    else:
        begin = _Values(local["pose"](held.q_begin, *at[1:]))
        home = _moved_home(point, held, begin)
        rho = begin.S @ home + begin.S_p
        known[:n] += values.r_rho @ rho
        locked = list(point.given.held)
        hard = np.vstack([hard, np.hstack([values.s_a[locked], np.zeros((len(locked), len(solved) + m))])])
        known = np.vstack([known, (values.s_a_p - begin.s_a @ home - begin.s_a_p)[locked]])
    soft = np.hstack([values.pose, np.zeros((len(values.pose), len(solved) + m))])
    found = _two_levels(hard, -known, soft, values.wish - values.pose_p, *_natural(point, values.K, len(hard)), floor)
    x = found[:n]
    u = np.zeros((len(point.u), len(floor)))
    u[solved] = found[n : n + len(solved)]
    if held.q_begin is None:
        rho = values.S @ x + values.S_p
    return values.N @ x, u, found[n + len(solved) :], rho


def _moved_home(point: Point, held: Held, begin: _Values) -> np.ndarray:
    """Displacements (nv, p) of the pose in which springs were clamped, least at natural sizes where they are open."""
    sizes, known = point.functions.sizes, point.functions.compiled.mechanism.template.coordinates
    named = [sizes.machine if known[name].unit == "m" else 1.0 for name in held.coordinates]
    rows = 1 / np.concatenate([sizes.rows, named])
    A, b = np.vstack([begin.C, begin.pose]), np.vstack([begin.phi_p, begin.pose_p - begin.wish])
    if not len(A):
        return np.zeros((len(sizes.speeds), b.shape[1]))
    scaled, right = A * sizes.speeds * rows[:, None], -b * rows[:, None]
    return sizes.speeds[:, None] * np.linalg.lstsq(scaled, right, rcond=RANK)[0]


class _Values:
    """Outputs of the local function with their shapes."""

    def __init__(self, outputs: Any):
        arrays = [np.asarray(x).reshape(x.shape) for x in outputs]
        self.K, self.J_a, self.C, self.r_rho, self.r_p, self.phi_p = arrays[:6]
        self.S, self.S_p, self.pose, self.pose_p, self.s_a, self.s_a_p, self.N, self.wish = arrays[6:]


def _two_levels(
    A: np.ndarray,
    b: np.ndarray,
    soft: np.ndarray,
    wish: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    floor: np.ndarray,
) -> np.ndarray:
    """x with A x = b; where that leaves it open, soft x nearest to the wish; NaN where there is none.

    `rows` and `columns` bring equations and unknowns to their natural sizes.
    """
    scaled, right = A * columns * rows[:, None], b * rows[:, None]
    U, s, Vt = np.linalg.svd(scaled)
    rank = int(np.sum(s > RANK * max(1.0, s[0]))) if len(s) else 0
    y = Vt[:rank].T @ ((U[:, :rank].T @ right) / s[:rank, None])
    miss = np.max(np.abs(scaled @ y - right), axis=0, initial=0.0)
    lost = miss > np.maximum(1e-6 * np.max(np.abs(right), axis=0, initial=0.0), floor)
    open_ = Vt[rank:].T
    if open_.shape[1] and len(soft):
        y = y + open_ @ np.linalg.lstsq(soft * columns @ open_, wish - soft * columns @ y, rcond=1e-10)[0]
    return np.where(lost, np.nan, y * columns[:, None])
