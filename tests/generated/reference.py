"""Accelerations and reactions of a machine by the plainest route: all bodies free, all joints as equations.

    M A + h = Q + Jᵀ μ,        J A = γ = −J̇ V        twists of all bodies, world axes

Solved by orthogonal transformations in the metric of the masses; which components of the reactions are determined
follows from the states of self-stress, Jᵀ μ = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from tests.generated.balance import applied, inertial, moved
from tests.generated.closure import LENGTHS, RANK, frames, free_columns, jacobian, local, natural, rate_row
from tests.generated.machine import Machine, Poses

SHARED = 1e-8  # of a state of self-stress in natural scales: components below are round-off


@dataclass(frozen=True, eq=False)
class Reference:
    """Accelerations and reactions at one state."""

    A: np.ndarray  # (6 n) of the bodies' origins and angular, in the world
    reactions: dict[str, np.ndarray]  # by joint (6,), as the library gives them; NaN where undetermined
    scale: float  # largest acceleration, velocity squared or gravity in natural scales  [1/s²]
    force: float  # largest force (or moment by the size) of any kind on any body  [N]
    condition: float  # of the constraints in the metric of the masses, rows by their own size


def bias(machine: Machine, poses: Poses, V: np.ndarray) -> np.ndarray:
    """γ = −J̇ V by differences of eighth order while all twists stay."""
    fastest = np.max(np.abs(V) / np.where(np.arange(len(V)) % 6 < 3, machine.size, 1.0), initial=0.0)
    h = 0.02 / fastest if fastest else 1.0
    total = np.zeros(sum(len(LENGTHS[j.kind]) for j in machine.joints))
    for k, c in enumerate((4 / 5, -1 / 5, 4 / 105, -1 / 280), 1):
        for sign in (1, -1):
            total += sign * c * (jacobian(machine, moved(machine, poses, sign * k * h * V)) @ V)
    return -total / h


def mass_matrix(machine: Machine, poses: Poses) -> np.ndarray:
    """M (6 n, 6 n): bodies, and drive inertias along their coordinates."""
    n = 6 * len(machine.bodies)
    M = np.array([-sum(inertial(machine, poses, np.zeros(n), e)) for e in np.eye(n)]).T
    for law in machine.laws:
        if law.kind == "drive-inertia":
            row = rate_row(machine, law.on, poses)
            M += law.numbers["inertia"] * np.outer(row, row)
    return (M + M.T) / 2


def solve(machine: Machine, poses: Poses, V: np.ndarray, forces: Mapping[str, float]) -> Reference:
    """Accelerations and reactions; the constraints that count are chosen by pivoting in natural scales."""
    columns, L = free_columns(machine), machine.size
    units = np.where(np.arange(6 * len(machine.bodies)) % 6 < 3, L, 1.0)[columns]
    lengths = np.concatenate([LENGTHS[j.kind] for j in machine.joints])
    row_units = np.where(lengths, L, 1.0)
    J = natural(machine, jacobian(machine, poses))
    gamma = bias(machine, poses, V) / row_units
    none = np.zeros(len(V))
    Q = (sum(applied(machine, poses, V, none, forces)) + sum(inertial(machine, poses, V, none)))[columns] * units
    M = mass_matrix(machine, poses)[np.ix_(columns, columns)] * units * units[:, None]
    C = scipy.linalg.cholesky(M, lower=True)  # M = C Cᵀ
    _, r, order = scipy.linalg.qr(J.T, pivoting=True, mode="economic")
    pivots = np.abs(np.diag(r))
    kept = order[: len(pivots)][pivots > RANK * pivots[0]] if len(pivots) else order[:0]
    W = scipy.linalg.solve_triangular(C, J[kept].T, lower=True)  # y = Cᵀ A: Wᵀ y = γ
    sizes = np.linalg.norm(W, axis=0)
    q, r = scipy.linalg.qr(W / sizes, mode="economic")

    def solved(Q: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y0 = scipy.linalg.solve_triangular(C, Q, lower=True)
        reach = scipy.linalg.solve_triangular(r, gamma / sizes, trans="T") - q.T @ y0
        a = scipy.linalg.solve_triangular(C, y0 + q @ reach, lower=True, trans="T")
        return a, scipy.linalg.solve_triangular(r, reach) / sizes

    a, mu_kept = solved(Q, gamma[kept])
    for _ in range(2):  # light bodies beside heavy ones lose digits to these: what is left over is solved for again
        da, dmu = solved(Q + J[kept].T @ mu_kept - M @ a, gamma[kept] - J[kept] @ a)
        a, mu_kept = a + da, mu_kept + dmu
    A, mu = np.zeros(len(V)), np.zeros(len(J))
    A[columns], mu[kept] = a * units, mu_kept
    stress = _self_stress(machine, J)
    scales = [*np.abs(A[columns] / units), *np.abs(V[columns] / units) ** 2, np.linalg.norm(machine.gravity) / L]
    borne = _wrenches(machine, poses, mu / row_units)
    open_parts = _undetermined(machine, poses, stress / row_units[:, None])
    acting = np.array([*applied(machine, poses, V, A, forces), *inertial(machine, poses, V, A)])[:, columns]
    force = max(np.max(np.abs(acting) * units), max(np.max(np.abs(w) * [L, L, L, 1, 1, 1]) for w in borne.values()))
    wrenches = {name: np.where(open_parts[name], np.nan, w) for name, w in borne.items()}
    condition = float(np.linalg.cond(r)) if r.size else 1.0
    return Reference(A, wrenches, float(max(scales)), float(force / L), condition)


def _self_stress(machine: Machine, J: np.ndarray) -> np.ndarray:
    """Orthonormal states of self-stress (rows, k), in natural scales; rows that the plane leaves out bear nothing."""
    live = np.linalg.norm(J, axis=1) > 1e-12 if machine.planar else np.ones(len(J), bool)
    found = np.linalg.svd(J[live].T)
    rank = int(np.sum(RANK * found.S[0] < found.S)) if len(found.S) else 0
    states = np.zeros((len(J), live.sum() - rank))
    states[live] = found.Vh[rank:].T
    return states


def _unit_wrenches(machine: Machine, poses: Poses) -> dict[str, np.ndarray]:
    """By joint, wrenches (6, rows) on its second body at M of unit multipliers, in the library's axes."""
    found = {}
    for joint in machine.joints:
        R_F, *_ = frames(joint, poses)
        X_BM = machine.mechanism.joints[joint.name].frame_on_b()
        R = (poses[joint.b][0] @ np.asarray(X_BM.R, float)).T @ R_F
        found[joint.name] = np.kron(np.eye(2), R) @ local(joint, poses).T
    return found


def _by_joint(machine: Machine, x: np.ndarray) -> dict[str, np.ndarray]:
    """Rows of x by the joint that they belong to."""
    counts = [len(LENGTHS[joint.kind]) for joint in machine.joints]
    parts = np.split(x, np.cumsum(counts)[:-1])
    return {joint.name: part for joint, part in zip(machine.joints, parts)}


def _wrenches(machine: Machine, poses: Poses, mu: np.ndarray) -> dict[str, np.ndarray]:
    parts = _by_joint(machine, mu)
    return {name: T @ parts[name] for name, T in _unit_wrenches(machine, poses).items()}


def _undetermined(machine: Machine, poses: Poses, states: np.ndarray) -> dict[str, np.ndarray]:
    """By joint, which components of its reaction (6,) a state of self-stress changes."""
    parts, natural_units = _by_joint(machine, states), np.repeat([machine.size, 1.0], 3)
    found = {}
    for name, T in _unit_wrenches(machine, poses).items():
        found[name] = np.max(np.abs(T @ parts[name]), axis=1, initial=0.0) * natural_units > SHARED
    return found
