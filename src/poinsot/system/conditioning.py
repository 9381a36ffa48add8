"""Conditioning of the constraints in a pose: condition number, and the joint that is conditioned worst.

The constraint Jacobian is that of all bodies' twists and of all rows, so that every formulation tells the same;
lengths are measured by the machine's size. The rank that it should have is that of a generic pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements.coordinates import Coordinate
from poinsot.errors import listing
from poinsot.model.assembly.constraints import Constraints, row_scales, twist_scales
from poinsot.model.parts import joint_parts
from poinsot.spatial.pose import Pose
from poinsot.system.functions import poses_at

if TYPE_CHECKING:
    from poinsot.system.system import System

SINGULAR_POSE = 1e4  # condition number from which a pose is called singular
FREE = 1e-9  # of the largest singular value, below which a motion is free
NEGLIGIBLE = 1e-6  # rate of a coordinate in natural sizes, below which it does not tell a free motion


@dataclass(frozen=True)
class Conditioning:
    """The worst-conditioned constraint in a pose."""

    name: str  # of the joint, or of the held coordinate
    kind: str  # "joint", "coupling" or "coordinate"
    condition: float  # of the constraints, held coordinates included

    def __str__(self) -> str:
        number = f"condition number {self.condition:.1e}"
        return f"worst-conditioned constraint: {self.kind} '{self.name}', {number}" if self.name else number


@one_blas_thread()
def conditioning(
    compiled: System, poses: Mapping[str, Pose], held: Mapping[str, Coordinate] | None = None
) -> Conditioning:
    """The joint, or held coordinate, that is nearest to depending on the others in a pose."""
    J, owners = _slopes(compiled, poses, held or {})
    generic = J.shape[1] - compiled.outline.mobility  # rank of all joint rows in a generic pose
    rank = min(generic + len(held or {}), *J.shape)
    if not J.size or not rank:
        return Conditioning("", "joint", 1.0)
    if not np.isfinite(J).all():
        return Conditioning("", "joint", np.inf)
    U, s, _ = np.linalg.svd(J)
    name, kind = owners[int(np.argmax(np.abs(U[:, rank - 1])))]
    return Conditioning(name, kind, float(s[0] / s[rank - 1]) if s[rank - 1] > 1e-15 * s[0] else np.inf)


@one_blas_thread()
def freest(
    compiled: System, poses: Mapping[str, Pose], held: Mapping[str, Coordinate] | None = None
) -> tuple[str, list[str]]:
    """What moves most while all held coordinates stay: "joint 'A'", or a body where no joint tells it.

    Then names of coordinates of joints that tell those motions, one for each, the fastest first.
    """
    elements = compiled.mechanism.elements
    free = _null_motions(np.nan_to_num(_slopes(compiled, poses, held or {})[0]))  # a length that is 0 has no rate
    parts = [(n, c) for n, joint in elements.joints.items() for c in joint_parts(joint, elements.planar).values()]
    slopes, _ = _slopes(compiled, poses, dict(enumerate(c for _, c in parts)))
    rates = np.nan_to_num(slopes[len(slopes) - len(parts) :]) @ free
    chosen = _independent(rates)
    if chosen:
        return f"joint '{parts[chosen[0]][0]}'", [elements.coordinates.name_of(parts[i][1]) for i in chosen]
    names = list(elements.bodies)
    moved = np.linalg.norm(free.reshape(len(names), -1), axis=1)
    return f"body '{names[int(np.argmax(moved))]}'", []


def _null_motions(J: np.ndarray) -> np.ndarray:
    """Motions (n, k) that rows (m, n) leave, one at least."""
    _, s, Vt = np.linalg.svd(J if J.size else np.zeros((1, J.shape[1])))
    rank = int(np.sum(s > FREE * max(s[0], FREE)))
    return Vt[min(rank, len(Vt) - 1) :].T


def _independent(rates: np.ndarray) -> list[int]:
    """Rows of rates (c, k) that tell all k motions, as far as there are such: the largest, then what it leaves."""
    chosen: list[int] = []
    left = rates.copy()
    for _ in range(rates.shape[1] if len(rates) else 0):
        sizes = np.linalg.norm(left, axis=1)
        i = int(np.argmax(sizes))
        if sizes[i] < NEGLIGIBLE:
            break
        chosen.append(i)
        u = left[i] / sizes[i]
        left = left - np.outer(left @ u, u)
    return chosen


def surplus_or_free(compiled: System, names: tuple[str, ...], mobility: int) -> str:
    """Which prescribed coordinate is too many, or which joint none of them holds."""
    poses = compiled.home.poses
    held = {name: compiled.mechanism.coordinates[name] for name in names}
    if len(names) > mobility:
        known: dict[str, Coordinate] = {}
        for name, coordinate in held.items():
            known[name] = coordinate
            if len(known) > mobility or conditioning(compiled, poses, known).condition > SINGULAR_POSE:
                break
        coupled = listing(f"coupling '{n}' ({what})" for n, what in compiled.mechanism.elements.equations.items())
        among = f"the joints, {coupled}" if compiled.mechanism.couplings else "the joints"
        return f"coordinate '{name}' depends on {among} and the others, condition number inf"
    return f"{freest(compiled, poses, held)[0]} is left free, condition number inf"


def _slopes(
    compiled: System, poses: Mapping[str, Pose], held: Mapping[Any, Coordinate]
) -> tuple[np.ndarray, list[tuple[Any, str]]]:
    """Jacobian of all constraints and of held coordinates, in natural sizes, and whose row each is."""
    elements, size = compiled.mechanism.elements, compiled.home.size
    constraints = Constraints(elements, tuple(held.values()))
    _, J = constraints.evaluate(poses)
    coupled = {c.owner: (c.name, "coupling") for c in elements.couplings.values()}
    owners = [coupled.get(row.joint, (row.joint, "joint")) for row in constraints.rows]
    owners += [(name, "coordinate") for name in held]
    if not owners or not J.size:
        return np.zeros((0, constraints.freedom * len(constraints.names))), []
    return J * twist_scales(constraints, size) / row_scales(constraints, size)[:, None], owners


def rechart(compiled: System, q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A pose (nq,) in a chart chosen for it, and the parameters (m,) with that chart."""
    poses = poses_at(compiled, q, p)
    chart = compiled.reading.chart(poses)
    fresh = np.concatenate([p[: len(p) - len(chart)], chart])
    own = bool(len(chart) - compiled.outline.redundancy.chart_numbers)  # joint angles keep their turns
    return (compiled.reading.coordinates(poses, chart) if own else q), fresh
