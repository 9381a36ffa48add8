"""Mobility from the rank of the constraint Jacobian, and the equations that follow from others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.model.assembly.assembly import Assembly, close, row_scales, twist_scales
from poinsot.model.assembly.constraints import Constraints, Row
from poinsot.spatial.pose import Pose

__all__ = [
    "dependent_rows",
    "generic_assembly",
    "mobility",
    "redundant_rows",
    "scaled_jacobian",
    "self_stresses",
    "stressed",
    "stressed_joints",
]

RANK_TOLERANCE = 1e-10  # of the largest singular value; redundant rows are at 1e-15, those of shaky poses near 1e-8


def scaled_jacobian(constraints: Constraints, poses: Mapping[str, Pose], size: float) -> np.ndarray:
    """Constraint Jacobian (m, 6 n or 3 n) with lengths in units of the machine's size."""
    _, jacobian = constraints.evaluate(poses)
    if not jacobian.size:
        return np.zeros((len(constraints.rows), constraints.freedom * len(constraints.names)))
    return jacobian * twist_scales(constraints, size) / row_scales(constraints, size)[:, None]


def _jacobian(constraints: Constraints, assembly: Assembly) -> np.ndarray:
    return scaled_jacobian(constraints, assembly.poses, assembly.size)


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
    """A pose away from special ones: the last of the least mobile on a random walk along the mechanism's motions."""
    rng, here = np.random.default_rng(1), assembly
    least, best = mobility(constraints, assembly), assembly
    for k in range(steps):
        motions = _null_space(_jacobian(constraints, here))
        if not len(motions):
            break
        direction = motions.T @ rng.normal(size=len(motions))
        length = 0.2 / (1 + 0.37 * k)  # steps to and fro do not lead back
        direction *= length / max(np.max(np.abs(direction)), 1e-300)
        moved = close(constraints, here, direction * twist_scales(constraints, here.size))
        if not moved.converged:
            continue
        here = moved
        if (found := mobility(constraints, here)) <= least:
            least, best = found, here
    return best


def _null_space(J: np.ndarray) -> np.ndarray:
    """Rows that span the motions which the constraints allow."""
    if not J.size:
        return np.eye(J.shape[1])
    _, s, Vt = np.linalg.svd(J)
    return Vt[int(np.sum(s > RANK_TOLERANCE * s[0])) :]


def stressed(J: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Combinations (d, m) of the rows of a matrix (m, n) that vanish, orthonormal.

    `sizes` (m,) are those of the terms that were summed in each row.
    """
    if not len(J):
        return np.zeros((0, 0))
    U, s, _ = np.linalg.svd(J)
    return U[:, int(np.sum(s > RANK_TOLERANCE * np.max(sizes))) :].T


def self_stresses(constraints: Constraints, assembly: Assembly) -> np.ndarray:
    """Multipliers (m, r) that balance by themselves: the null space of the transposed Jacobian."""
    scales = row_scales(constraints, assembly.size)
    return _null_space(_jacobian(constraints, assembly).T).T / scales[:, None]


def stressed_joints(constraints: Constraints, assembly: Assembly) -> tuple[str, ...]:
    """Joints that have a part in a self-stress: some of their reactions are not determined."""
    N = _null_space(_jacobian(constraints, assembly).T)
    part = np.max(np.abs(N), axis=0, initial=0.0) > np.sqrt(RANK_TOLERANCE)
    return tuple(dict.fromkeys(row.joint for row, shares in zip(constraints.rows, part) if shares))


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
