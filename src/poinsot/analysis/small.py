"""Small motions about a pose at rest: what linearisation, modes and responses start from.

    M ẍ + D ẋ + K x = f,        C x = 0        (theory/vibration, eq. 1)

x are displacements along the speeds of a formulation, or nodal displacements of an elastic one; C holds the joints
that are not built into x, and the coordinates of locked actuators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.analysis.natural_sizes import free_motions
from poinsot.elements.frame import GROUND, Frame
from poinsot.errors import PoinsotError, by_name, listing, one_or_more_names, unknown
from poinsot.model.constraints import IN_PLANE, Constraints
from poinsot.model.mechanism import Elements, Mechanism, require_mechanism
from poinsot.model.possible import require_inertia
from poinsot.spatial.pose import Pose

__all__ = ["Part", "Slopes", "SmallMotion", "dense", "find_frame", "locked_actuators", "small_motion"]


@dataclass(frozen=True, eq=False)
class Part:
    """An elastic part: its energy is ½ x[index]ᵀ K x[index]."""

    name: str  # e.g. "A.stiffness"'s spring "A", or a beam
    kind: str  # "spring", "end-stop", "beam"
    index: np.ndarray  # (k,) among the displacements
    K: np.ndarray  # (k, k)
    M: np.ndarray | None = None  # (k, k) if it has mass of its own


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives of the matrices along p parameters, the mechanism staying at rest."""

    names: tuple[str, ...]  # p
    dM: Any  # (p, n, n)
    dD: Any  # (p, n, n)
    dK: Any  # (p, n, n)
    dC: Any  # (p, m, n)


@dataclass(frozen=True, eq=False)
class SmallMotion:
    """A mechanism at rest, and its small motions x (n,) about that pose:  M ẍ + D ẋ + K x = f,  C x = 0."""

    mechanism: Mechanism
    formulation: str
    names: tuple[str, ...]  # n, of the displacements
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
    parts: tuple[Part, ...]  # elastic parts
    basis: np.ndarray | None  # (n, k) motions that C leaves; None: found from C
    coordinates: int  # how many there were before the loops were closed
    twist: Callable[[Frame], np.ndarray]  # (6, n) velocity of a frame's origin, angular velocity; world axes, per ẋ
    slopes: Callable[[tuple[str, ...]], Slopes]
    places: Mapping[str, Pose] = field(default_factory=dict)  # nodes of flexible bodies at rest, bent by what acts
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
        for body, slopes in zip(held.names, J):
            if np.any(slopes):
                R = np.asarray(self.poses[body].R)
                twist = np.asarray(self.twist(Frame(body, "")))
                local = np.vstack([R.T @ twist[:3], R.T @ twist[3:]])
                found += slopes @ (local[list(IN_PLANE)] if elements.planar else local)
        return found


def small_motion(
    mechanism: Mechanism,
    pose: Mapping[str, float] | None,
    *,
    formulation: str | None = None,
    actuators: str | Sequence[str] | None = None,
    forces: Mapping[str, float] | None = None,
) -> SmallMotion:
    """The small motions about a pose; without one, about the model's own or the equilibrium near it.

    `actuators`: "locked" (the coordinate does not move), "free" (the force does not change), or the names of those
    that are locked. None locks all but those along whose coordinate a spring acts, which stands for the drive's
    stiffness; where nothing could move then, all are free. Free actuators give what balance needs, or `forces`.
    """
    beams = require_inertia(require_mechanism(mechanism)).elements.beams
    pose = None if pose is None else by_name(pose, "a pose is", "{'x': 0.1}")
    forces = by_name(forces, "forces are", "{'A': 2.0}")
    chosen = str(formulation) if formulation is not None else "elastic" if beams else "joint"
    if chosen == "elastic":
        if not beams:
            raise PoinsotError(f"{mechanism.name} has no beams: the elastic formulation has nothing to bend")
        from poinsot.analysis.small_elastic import elastic_motion

        return elastic_motion(mechanism, pose, actuators=actuators, forces=forces)
    from poinsot.analysis.small_rigid import rigid_motion

    return rigid_motion(mechanism, pose, formulation=chosen, actuators=actuators, forces=forces)


def locked_actuators(elements: Elements, wish: str | Sequence[str] | None) -> tuple[int, ...]:
    """Numbers of the actuators that hold their coordinate; by default those along which no spring acts."""
    names = tuple(elements.actuators)
    if wish is None:
        sprung = [force.on for force in elements.forces.values() if force.kind == "spring"]
        return tuple(i for i, name in enumerate(names) if elements.actuators[name].on not in sprung)
    if isinstance(wish, str) and wish in ("locked", "free"):
        return tuple(range(len(names))) if wish == "locked" else ()
    chosen = one_or_more_names(wish, "locked actuators")
    for name in chosen:
        if name not in names:
            raise PoinsotError(unknown("actuator", name, [*names, "locked", "free"]))
    return tuple(i for i, name in enumerate(names) if name in chosen)


def dense(matrix: Any) -> np.ndarray:
    """A matrix as an array."""
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def find_frame(mechanism: Mechanism, label: str) -> Frame:
    """A place on a body by the label that model files use: "platform" or "platform.P1"."""
    elements, label = mechanism.elements, str(label)
    if label in elements.bodies:
        return Frame(label, "")
    body, _, name = label.rpartition(".")
    if body in elements.bodies or body == GROUND:
        for frame in mechanism.body(body).frames:
            if frame.name == name:
                return frame
        raise PoinsotError(unknown(f"frame on '{body}'", name, [f.name for f in mechanism.body(body).frames]))
    raise PoinsotError(
        f"there is no place '{label}'; give a body or body.frame, the bodies being: {listing(elements.bodies)}"
    )
