"""Mobility from the rank of the constraint Jacobian, and the equations that follow from others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.model.assembly import Assembly, close, row_scales, twist_scales
from poinsot.model.constraints import Constraints, Row

__all__ = ["dependent_rows", "generic_assembly", "mobility", "redundant_rows", "self_stresses"]

RANK_TOLERANCE = 1e-8  # of the largest singular value; redundant rows are at 1e-15, real ones above 1e-4


def _jacobian(constraints: Constraints, assembly: Assembly) -> np.ndarray:
    """Constraint Jacobian with lengths in units of the machine's size."""
    _, jacobian = constraints.evaluate(assembly.poses)
    if not jacobian.size:
        return np.zeros((len(constraints.rows), constraints.freedom * len(constraints.names)))
    return jacobian * twist_scales(constraints, assembly.size) / row_scales(constraints, assembly.size)[:, None]


def _rank(J: np.ndarray) -> int:
    if not J.size:
        return 0
    s = np.linalg.svd(J, compute_uv=False)
    return int(np.sum(s > RANK_TOLERANCE * s[0])) if s[0] > 0 else 0


def mobility(constraints: Constraints, assembly: Assembly) -> int:
    """Number of independent motions in a pose."""
    J = _jacobian(constraints, assembly)
    return J.shape[1] - _rank(J)


@one_blas_thread()
def generic_assembly(constraints: Constraints, assembly: Assembly, steps: int = 4) -> Assembly:
    """A pose away from special ones: the least mobile of a random walk along the mechanism's own motions."""
    rng, here = np.random.default_rng(1), assembly
    least, best = mobility(constraints, assembly), assembly
    for _ in range(steps):
        motions = _null_space(_jacobian(constraints, here))
        if not len(motions):
            break
        direction = motions.T @ rng.normal(size=len(motions))
        direction *= 0.2 / max(np.max(np.abs(direction)), 1e-300)
        moved = close(constraints, here, direction * twist_scales(constraints, here.size))
        if not moved.converged:
            continue
        here = moved
        if (found := mobility(constraints, here)) < least:
            least, best = found, here
    return best


def _null_space(J: np.ndarray) -> np.ndarray:
    """Rows that span the motions which the constraints allow."""
    if not J.size:
        return np.eye(J.shape[1])
    _, s, Vt = np.linalg.svd(J)
    return Vt[int(np.sum(s > RANK_TOLERANCE * s[0])) :]


def self_stresses(constraints: Constraints, assembly: Assembly) -> np.ndarray:
    """Multipliers (m, r) that balance by themselves: the null space of the transposed Jacobian."""
    scales = row_scales(constraints, assembly.size)
    return _null_space(_jacobian(constraints, assembly).T).T / scales[:, None]


def redundant_rows(constraints: Constraints, assembly: Assembly, order: Sequence[str]) -> tuple[Row, ...]:
    """Equations that follow from earlier ones, joints in the given order: those of the tree first."""
    J = _jacobian(constraints, assembly)
    place = {joint: k for k, joint in enumerate(order)}
    sequence = sorted(range(len(J)), key=lambda i: (place[constraints.rows[i].joint], i))
    return tuple(constraints.rows[i] for i in dependent_rows(J, sequence))


def dependent_rows(J: np.ndarray, sequence: Sequence[int] | None = None) -> tuple[int, ...]:
    """Rows of a matrix that are combinations of rows earlier in the sequence (Gram–Schmidt, twice)."""
    if _rank(J) == len(J):
        return ()
    basis, dependent, scale = np.zeros((0, J.shape[1])), [], np.linalg.norm(J, 2)
    for i in range(len(J)) if sequence is None else sequence:
        row = J[i] - basis.T @ (basis @ J[i])
        row -= basis.T @ (basis @ row)
        if np.linalg.norm(row) > RANK_TOLERANCE * scale:
            basis = np.vstack([basis, row / np.linalg.norm(row)])
        else:
            dependent.append(i)
    return tuple(sorted(dependent))
