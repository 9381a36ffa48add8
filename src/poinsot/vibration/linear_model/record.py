"""Small motions about a pose at rest: what linearisation, modes and responses start from.

    M ẍ + D ẋ + K x = f,        C x = 0        (theory/vibration, eq. 1)

x are displacements along the speeds of a formulation, or nodal displacements of an elastic one; C holds the joints
that are not built into x, and the coordinates of locked actuators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.errors import PoinsotError, listing
from poinsot.model.assembly.constraints import IN_PLANE, Constraints
from poinsot.results import DISPLACEMENT
from poinsot.spatial.pose import Pose
from poinsot.system.scaled_rank import free_motions

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.model.mechanism import Mechanism

AXES = tuple(DISPLACEMENT.split())


@dataclass(frozen=True, eq=False)
class ElasticPart:
    """An elastic part: its energy is ½ x[index]ᵀ K x[index]."""

    name: str  # e.g. "A.stiffness"'s spring "A", or a beam
    kind: str  # "spring", "end-stop", "beam"
    index: np.ndarray  # (k,) among the displacements
    K: np.ndarray  # (k, k)
    M: np.ndarray | None = None  # (k, k) if it has mass of its own
    rigid: np.ndarray | None = None  # (k, 6) motions that do not strain it, which weight and prestress may hold


@dataclass(frozen=True, eq=False)
class MatrixDerivatives:
    """Derivatives of the matrices with respect to p parameters, the mechanism staying at rest."""

    wrt: tuple[str, ...]  # p
    dM: Any  # (p, n, n)
    dD: Any  # (p, n, n)
    dK: Any  # (p, n, n)
    dC: Any  # (p, m, n)
    dP: Any = ()  # (p, o, n) of the rows of o places


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A mechanism at rest, and its small motions x (n,) about that pose:  M ẍ + D ẋ + K x = f,  C x = 0."""

    mechanism: Mechanism
    formulation: str
    names: tuple[str, ...]  # n, of the displacements
    units: tuple[str, ...]  # n, of the displacements: "m", "rad" or "-"
    M: Any  # (n, n) array, or sparse
    D: Any  # (n, n)
    K: Any  # (n, n)
    C: Any  # (m, n), joints and locked actuators
    sizes: np.ndarray  # (n,) what displacements are measured by: the machine's size [m], or 1 for angles
    row_sizes: np.ndarray  # (m,) the same for the rows of C
    force: np.ndarray  # (n,) generalised force that nothing balances; 0 at an equilibrium
    forces: dict[str, float]  # of the actuators in this pose  [N or N·m]
    locked: tuple[str, ...]  # actuators that hold their coordinate
    poses: dict[str, Pose]  # X_WB of every body at rest
    parts: tuple[ElasticPart, ...]  # elastic parts
    basis: np.ndarray | None  # (n, k) motions that C leaves; None: found from C
    coordinates: int  # how many there were before the loops were closed
    twist: Callable[[Frame], np.ndarray]  # (6, n) velocity of a frame's origin, angular velocity; world axes, per ẋ
    derivatives: Callable[..., MatrixDerivatives]  # of names (p,), and of places (o,) whose rows are asked for too
    places: Mapping[str, Pose] = field(default_factory=dict)  # nodes of flexible bodies at rest, bent by what acts
    summed: np.ndarray | None = None  # (n, n) moduli of what is summed up in K; None: those of K itself
    angles: Mapping[Coordinate, float] = field(default_factory=dict)  # at rest, whose whole turns are known  [rad]
    momentum: np.ndarray | None = None  # (6, n) momentum and moment of momentum about the world's origin, per ẋ

    @cached_property
    def free(self) -> np.ndarray:
        """Motions (n, k) that the constraints leave."""
        if self.basis is not None:
            return self.basis
        return self.sizes[:, None] * free_motions(dense(self.C) * self.sizes / self.row_sizes[:, None])

    def row(self, name: str) -> np.ndarray:
        """Rate of a named coordinate per ẋ (n,)."""
        elements = self.mechanism.elements
        held = Constraints(elements, (elements.coordinate(name),))
        J = held.evaluate({**self.poses, GROUND: Pose.identity()})[1][-1].reshape(len(held.names), -1)
        found = np.zeros(len(self.names))
        for body, rates in zip(held.names, J):
            if np.any(rates):
                R = np.asarray(self.poses[body].R)
                twist = np.asarray(self.twist(Frame(body, "")))
                local = np.vstack([R.T @ twist[:3], R.T @ twist[3:]])
                found += rates @ (local[list(IN_PLANE)] if elements.planar else local)
        return found


def dense(matrix: Any) -> np.ndarray:
    """A matrix as an array."""
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def place_row(linear: LinearModel, name: str) -> np.ndarray:
    """A point's displacement in a direction, or a named coordinate, per displacement (n,)."""
    if name in linear.mechanism.elements.coordinates:
        return linear.row(name)
    label, _, axis = name.strip().rpartition(" ")
    if not label or axis not in AXES:
        named = listing(linear.mechanism.elements.coordinates)
        raise PoinsotError(
            f"'{name}' is no place: write a body or frame and one of {', '.join(AXES)}, such as 'platform x', "
            f"or one of the coordinates {named}"
        )
    return np.asarray(linear.twist(linear.mechanism.frame(label)))[AXES.index(axis)]
