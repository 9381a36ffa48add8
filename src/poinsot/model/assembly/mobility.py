"""Mobility from the rank of the constraint Jacobian, and the equations that follow from others.

A state of self-stress N, Gᵀ N = 0, belongs to the mechanism; its direction changes with the pose. Rows outside its
support depend on no others in any regular pose. Of m rows that share self-stresses r combinations are kept:

    Φ' = S Φ,        λ = Sᵀ λ',        S (r, m) with orthonormal rows that span the group's rows in one pose

S comes from the motions that all rows outside the groups leave, and is chosen anew along a motion where S G gets
worse than G  (theory/dynamics, eq. 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import listing
from poinsot.model.assembly.assembly import Assembly, close
from poinsot.model.assembly.constraints import IN_PLANE, Constraints, Row, row_scales, twist_scales
from poinsot.model.parts import Elements
from poinsot.spatial.algebra import skew
from poinsot.spatial.pose import Pose

if TYPE_CHECKING:
    from poinsot.elements.coupling import JointCoupling

WEIGHTLESS = 1e-13  # of the largest momentum of free motions, every body's by its own inertia
RANK_TOLERANCE = 1e-10  # of the largest singular value; redundant rows are at 1e-15, those of shaky poses near 1e-8
HELD = 10 * RANK_TOLERANCE  # of the rate of a drive whose bodies move freely; fine screws in large machines: 1e-7


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
        motions = null_space(_jacobian(constraints, here))
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


def null_space(J: np.ndarray, tolerance: float = RANK_TOLERANCE) -> np.ndarray:
    """Orthonormal rows that span the motions which constraints (m, n) allow."""
    if not J.size:
        return np.eye(J.shape[1])
    _, s, Vt = np.linalg.svd(J)
    return Vt[int(np.sum(s > tolerance * s[0])) :]


def loose_bodies(elements: Elements, assembly: Assembly) -> tuple[str, ...]:
    """Bodies that can still move when all actuators are locked."""
    held = Constraints(elements, tuple(actuator.on for actuator in elements.actuators.values()))
    motions = null_space(_jacobian(held, assembly)).reshape(-1, len(held.names), held.freedom)
    moving = np.max(np.abs(motions), axis=(0, 2), initial=0.0) > np.sqrt(RANK_TOLERANCE)
    return tuple(name for name, moves in zip(held.names, moving) if moves)


def idle_spins(elements: Elements, assembly: Assembly) -> dict[str, tuple[str, ...]]:
    """Bodies that can turn by themselves while all others stand, such as rods between two balls, and their joints."""
    constraints, found = Constraints(elements), {}
    J, f = _jacobian(constraints, assembly), constraints.freedom
    for k, name in enumerate(constraints.names):
        joints = tuple(n for n, joint in elements.joints.items() if name in (joint.a.body, joint.b.body))
        if len(joints) > 1:
            turns = null_space(J[:, f * k : f * (k + 1)])[:, 2 if f == 3 else 3 :]
            if np.max(np.abs(turns), initial=0.0) > np.sqrt(RANK_TOLERANCE):
                found[name] = joints
    return found


def weightless_spins(elements: Elements, assembly: Assembly) -> str:
    """What to do about bodies that spin about lines of their own without any inertia; empty where there are none."""
    light = set(weightless_bodies(elements, assembly))
    spins = {body: joints for body, joints in idle_spins(elements, assembly).items() if body in light}
    if not spins:
        return ""
    idle = listing(f"'{body}' between {', '.join(joints)}" for body, joints in spins.items())
    return (
        f"about a line of its own, which moves nothing else, spins {idle}: an inertia about that line, of whatever "
        "size, or a universal joint at one end will do"
    )


def spin_axis(elements: Elements, assembly: Assembly, body: str) -> np.ndarray | None:
    """The direction in a body (3,) about which alone it can turn while all others stand, without round-off; None
    where there is none, or more than one."""
    constraints = Constraints(elements)
    k, f = constraints.names.index(body), constraints.freedom
    motions = null_space(_jacobian(constraints, assembly)[:, f * k : f * (k + 1)])
    if f == 3 or len(motions) != 1 or not np.linalg.norm(motions[0, 3:]) > np.sqrt(RANK_TOLERANCE):
        return None
    axis = np.round(motions[0, 3:] / np.linalg.norm(motions[0, 3:]), 9) + 0.0
    return axis * np.sign(axis[int(np.argmax(np.abs(axis)))])


def held_drives(elements: Elements, assembly: Assembly) -> tuple[str, ...]:
    """Actuators along whose coordinates nothing can move."""
    held = Constraints(elements, tuple(actuator.on for actuator in elements.actuators.values()))
    J, first = _jacobian(held, assembly), len(held.rows)
    rates = J[first:] @ null_space(J[:first]).T
    still = np.max(np.abs(rates), axis=1, initial=0.0) <= HELD * np.linalg.norm(J[first:], axis=1)
    return tuple(name for name, stays in zip(elements.actuators, still) if stays)


def weightless_bodies(elements: Elements, assembly: Assembly) -> tuple[str, ...]:
    """Bodies of motions that no inertia resists, neither of a body nor of a drive."""
    drives = tuple(law.on for law in elements.forces.values() if float(law.kinetic(1.0)) > 0)
    held = Constraints(elements, drives)
    if not held.names:
        return ()
    motions = null_space(_jacobian(held, assembly))
    each = motions.reshape(-1, len(held.names), held.freedom)
    momenta = [each[:, k] @ _relative_inertia(elements, name, assembly.size) for k, name in enumerate(held.names)]
    if not len(motions):
        return ()
    free = null_space(np.hstack(momenta).T, WEIGHTLESS) @ motions
    moving = np.max(np.abs(free.reshape(-1, *each.shape[1:])), axis=(0, 2), initial=0.0) > np.sqrt(RANK_TOLERANCE)
    return tuple(name for name, moves in zip(held.names, moving) if moves)


def _relative_inertia(elements: Elements, name: str, size: float) -> np.ndarray:
    """Inertia (6, 6) or (3, 3) about a body's origin, lengths in units of the machine's size, its largest entry 1."""
    inertia = elements.bodies[name].spatial_inertia()
    H = skew(np.asarray(inertia.h, float)) / size
    M = np.block([[float(inertia.m) * np.eye(3), -H], [H, np.asarray(inertia.I, float) / size**2]])
    M = M[np.ix_(IN_PLANE, IN_PLANE)] if elements.planar else M
    return M / np.max(np.abs(M), initial=1e-300)


def stressed(J: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Combinations (d, m) of the rows of a matrix (m, n) that vanish, orthonormal.

    `sizes` (m,) are those of the terms that were summed in each row.
    """
    if not len(J):
        return np.zeros((0, 0))
    U, s, _ = np.linalg.svd(J)
    return U[:, int(np.sum(s > RANK_TOLERANCE * np.max(sizes))) :].T


def self_stresses(constraints: Constraints, assembly: Assembly) -> np.ndarray:
    """Multipliers (m, r) that balance by themselves: the null space of the transposed Jacobian, its rows measured by
    the machine's size and by the weights of couplings."""
    scales, size = row_scales(constraints, assembly.size), assembly.size
    sizes, couplings = scales.copy(), {c.owner: c for c in constraints.elements.couplings.values()}
    for i, row in enumerate(constraints.rows):
        if row.joint in couplings:
            sizes[i] = coupled_size(couplings[row.joint], size)
    return null_space((_jacobian(constraints, assembly) * (scales / sizes)[:, None]).T).T / sizes[:, None]


def coupled_size(coupling: JointCoupling, size: float) -> float:
    """The largest natural size of what moves a coupling's equation in a machine of a size [m]  [m or rad]."""
    on = coupling.on
    return max(abs(float(w)) * (size if part.unit == "m" else 1.0) for part, w in zip(on.parts, on.factors)) or 1.0


def stressed_joints(constraints: Constraints, assembly: Assembly) -> tuple[str, ...]:
    """Joints that have a part in a self-stress: some of their reactions are not determined."""
    N = null_space(_jacobian(constraints, assembly).T)
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
    J = _jacobian(constraints, at)
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
