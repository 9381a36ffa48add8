"""What displacements, equations and drives are measured by, and the motions that equations leave.

A length is measured by the machine's size, an angle by the radian. Ranks, balances and conditions that are decided at
these sizes are the same in all units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poinsot.model.assembly.constraints import row_lengths

if TYPE_CHECKING:
    from poinsot.system.system import System

RANK = 1e-10  # of the largest singular value


@dataclass(frozen=True, eq=False)
class Sizes:
    """Natural sizes of a system's speeds, constraint rows and actuated coordinates: a length [m], or 1."""

    machine: float  # [m]
    speeds: np.ndarray  # (nv,)
    rows: np.ndarray  # (m,)
    drives: np.ndarray  # (nu,)

    @classmethod
    def of(cls, compiled: System) -> Sizes:
        """The sizes of a system, by the units of what it is written in."""
        size = compiled.home.size
        drives = [size if a.on.unit == "m" else 1.0 for a in compiled.mechanism.template.actuators.values()]
        e = compiled.equations
        return cls(size, e.graph.scales, row_lengths(e.kinematics.rows, size), np.array(drives))


def displacements(compiled: System) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the displacements: one for every speed."""
    e, found = compiled.equations, []
    for node in e.graph.branches:
        plain = [c for c in node.joint.coordinates if c.unit != "-"]
        turns = ("rx", "ry", "rz")[: node.joint.freedom - len(plain)]
        base = node.joint.name.removesuffix(" (floating)")
        own = [(c.name.removeprefix("p"), c.unit) for c in plain] + [(turn, "rad") for turn in turns]
        found += [(base if len(own) == 1 else f"{base} {name}", unit) for name, unit in own]
    found += e.graph.names
    return tuple(name for name, _ in found), tuple(unit for _, unit in found)


def rank_of(rows: np.ndarray) -> int:
    """Rank of rows (m, n) at natural sizes; nothing is left of rows that are all zero."""
    s = np.linalg.svd(rows, compute_uv=False) if rows.size else np.zeros(0)
    return int(np.sum(s > RANK * s[0])) if len(s) and s[0] > 0 else 0


def free_motions(rows: np.ndarray) -> np.ndarray:
    """Motions (n, k) that rows (m, n) at natural sizes leave, redundant rows among them or not.

    Each is 1 in a displacement of its own and 0 in those of the others:  B = [−C_d⁻¹ C_i; 1], by complete pivoting.
    Unlike an orthonormal basis it keeps apart what the rows do not couple, so that the forces on a light chain are
    not lost in the round-off of a heavy one.

    >>> free_motions(np.array([[2.0, 1.0, 0.0], [4.0, 2.0, 0.0]])) + 0.0
    array([[-0.5,  0. ],
           [ 1. ,  0. ],
           [ 0. ,  1. ]])
    """
    n, rank = rows.shape[1], rank_of(rows)
    A, used, dependent = np.array(rows, float), [], []
    for _ in range(rank):
        i, j = np.unravel_index(int(np.argmax(np.abs(A))), A.shape)
        used.append(i)
        dependent.append(j)
        A -= np.outer(A[:, j] / A[i, j], A[i])
        A[i], A[:, j] = 0.0, 0.0
    independent = [j for j in range(n) if j not in set(dependent)]
    B = np.zeros((n, n - rank))
    B[independent] = np.eye(n - rank)
    if rank:
        chosen = rows[used]
        B[dependent] = -np.linalg.solve(chosen[:, dependent], chosen[:, independent])
    return B


def least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x (n,) of least norm with A x nearest to b (m,); refined, so that small entries of b keep their digits."""
    if not A.size:
        return np.zeros(A.shape[1])
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int(np.sum(s > RANK * s[0]))
    x = np.zeros(A.shape[1])
    for _ in range(3):
        x = x + Vt[:rank].T @ ((U[:, :rank].T @ (b - A @ x)) / s[:rank])
    return x
