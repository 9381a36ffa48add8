"""Overconstrained mechanisms: which constraint rows share self-stresses, and which combinations of them are kept.

A state of self-stress N, Gᵀ N = 0, belongs to the mechanism; its direction changes with the pose. Rows outside its
support depend on no others in any regular pose. Of m rows that share self-stresses r combinations are kept:

    Φ' = S Φ,        λ = Sᵀ λ',        S (r, m) with orthonormal rows that span the group's rows in one pose

S comes from the motions that all rows outside the groups leave, and is chosen anew along a motion where S G gets
worse than G  (theory/dynamics, "Redundant constraints").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.model.assembly.assembly import Assembly, row_scales
from poinsot.model.assembly.constraints import Constraints, Row
from poinsot.model.assembly.mobility import generic_assembly, mobility, scaled_jacobian, stressed
from poinsot.model.mechanism import Elements
from poinsot.spatial.pose import Pose

__all__ = ["Group", "Redundancy", "redundancy", "row_combinations"]


@dataclass(frozen=True)
class Group:
    """Constraint rows that share self-stresses."""

    rows: tuple[Row, ...]  # m
    rank: int  # r: how many of them are independent

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints that own the rows."""
        return tuple(dict.fromkeys(row.joint for row in self.rows))


@dataclass(frozen=True)
class Redundancy:
    """The groups of rows with self-stresses of a mechanism; none if all rows are independent."""

    groups: tuple[Group, ...] = ()

    @property
    def joints(self) -> frozenset[str]:
        """Joints with rows in a group."""
        return frozenset(joint for group in self.groups for joint in group.joints)

    @property
    def chart_numbers(self) -> int:
        """How many numbers of a chart they take: the combinations and a limit of their check value."""
        return self.numbers + 1 if self.groups else 0

    @property
    def numbers(self) -> int:
        """How many numbers all combinations have."""
        return sum(group.rank * len(group.rows) for group in self.groups)


@one_blas_thread()
def redundancy(elements: Elements, home: Assembly, closing: Iterable[str]) -> Redundancy:
    """Group the rows of the joints that close loops, those of the tree being independent by themselves.

    The number of self-stresses is that of a generic pose; rows that have a part in them in any of some poses are in.
    """
    constraints = Constraints(elements)
    closing = set(closing)
    if not len(_self_stress(constraints, home, closing)):
        return Redundancy()
    away = generic_assembly(constraints, home)
    further = generic_assembly(constraints, away, steps=2)
    poses = [away, further] if mobility(constraints, further) == mobility(constraints, away) else [away]
    N = _self_stress(constraints, away, closing)
    if not len(N):
        return Redundancy()
    shared = np.max([np.abs(N.T @ N) for at in poses if len(N := _self_stress(constraints, at, closing))], axis=0)
    own = [i for i, row in enumerate(constraints.rows) if row.joint in closing]
    found = []
    for group in _components(shared > SHARED):
        count = round(float(np.trace((N.T @ N)[np.ix_(group, group)])))
        if count:
            found.append(Group(tuple(constraints.rows[own[i]] for i in group), len(group) - count))
    return Redundancy(tuple(found))


SHARED = 1e-9  # entries of a projector: round-off is at 1e-15


def _self_stress(constraints: Constraints, at: Assembly, closing: set[str]) -> np.ndarray:
    """Self-stresses (d, m) of the m rows of closing joints, orthonormal, rows measured by the machine's size."""
    is_closing = np.array([row.joint in closing for row in constraints.rows], bool)
    J = scaled_jacobian(constraints, at.poses, at.size)
    return stressed(_remaining(J[is_closing], J[~is_closing]), np.linalg.norm(J, axis=1)[is_closing])


def _remaining(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Rows on the motions that other, independent, rows leave."""
    if not others.size or not rows.size:
        return rows
    Q = np.linalg.qr(others.T)[0]
    rows = rows - (rows @ Q) @ Q.T
    return rows - (rows @ Q) @ Q.T


def _components(linked: np.ndarray) -> list[list[int]]:
    """Connected sets of numbers whose pairs are linked; what is not linked to itself is left out."""
    waiting, found = set(np.flatnonzero(np.diag(linked)).tolist()), []
    while waiting:
        group, front = set(), {min(waiting)}
        while front:
            group |= front
            front = {int(j) for i in front for j in np.flatnonzero(linked[i])} & waiting - group
        waiting -= group
        found.append(sorted(group))
    return found


@one_blas_thread()
def row_combinations(elements: Elements, found: Redundancy, poses: Mapping[str, Pose], size: float) -> np.ndarray:
    """The entries of S of every group, by rows, for a pose: they act on residuals in metres and radians."""
    if not found.groups:
        return np.zeros(0)
    constraints = Constraints(elements)
    number = {row: i for i, row in enumerate(constraints.rows)}
    members = [[number[row] for row in group.rows] for group in found.groups]
    J = scaled_jacobian(constraints, poses, size)
    others = np.delete(J, np.concatenate(members), axis=0)
    scales = row_scales(constraints, size)
    parts = []
    for group, rows in zip(found.groups, members):
        U = np.linalg.svd(_remaining(J[rows], others))[0]
        parts.append((U[:, : group.rank].T / scales[rows]).ravel())
    return np.concatenate(parts)
