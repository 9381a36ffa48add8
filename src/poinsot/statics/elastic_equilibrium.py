"""Mechanisms with flexible links at rest: where their nodes are when all forces balance.

    f(X, u) − C(X)ᵀ λ = 0,        Φ(X) = 0,        locked actuators where they were        (theory/elastic, eq. 1)

The nodes start where the undeformed bodies are; weight, loads and preloaded springs then bend the beams.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError, unknown
from poinsot.formulations.elastic import ElasticModel, Terms, columns_of, elastic_model
from poinsot.formulations.elastic.nodes import plan
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.assembly.end_stops import RigidStop, require_between, rigid_stops
from poinsot.model.assembly.mobility import dependent_rows
from poinsot.model.assembly.turns import continued, turned_value
from poinsot.model.build.joints_and_forces import force_unit
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.spatial.algebra import skew
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_exponential
from poinsot.statics.locked import locked_actuators
from poinsot.store.bounded import Bounded

NEGLIGIBLE = 1e-11  # displacement, as a fraction of the machine or in radians, that needs no bending to be found
_MODELS: Bounded = Bounded(16)


def model_of(mechanism: Mechanism, free: tuple[str, ...] = ()) -> ElasticModel:
    """The elastic model of a mechanism, from memory if one of the same structure and folded numbers was made.

    Parameters that are `free` stay symbols: the model serves for all their values that keep its nodes.
    """
    parameters = mechanism.parameters.items()
    folded = tuple((n, p.value) for n, p in parameters if p.role in ("geometry", "named") and n not in free)
    free_roles = tuple((name, p.value == 0) for name, p in parameters if p.role not in ("geometry", "named"))
    decided = plan(mechanism.elements)
    key = (str(mechanism.nominal), folded, free_roles, repr(decided), free)
    return _MODELS.get_or_make(key, lambda: elastic_model(mechanism, free)).with_numbers(mechanism.elements)


@dataclass(frozen=True, eq=False)
class Rest:
    """The nodes of a mechanism at rest."""

    model: ElasticModel
    X: np.ndarray  # (nodes, 12)
    u: np.ndarray  # (a,)
    lam: np.ndarray  # (m,)
    p: np.ndarray
    rests: np.ndarray  # of springs that are relaxed where they are
    locked: tuple[int, ...]
    X_begin: np.ndarray  # (nodes, 12) before the beams bent
    kept_rows: list[int]  # numbers of the named coordinates that the pose gives

    @cached_property
    def terms(self) -> Terms:
        """Everything at these poses."""
        return self.model.terms(self.X, self.u, self.lam, self.p, self.rests)

    @property
    def size(self) -> float:
        """A length that stands for the machine: the largest distance of a node from the ground's origin  [m]."""
        return float(np.max(np.abs(self.X_begin[:, 9:]))) or 1.0

    @property
    def lengths(self) -> np.ndarray:
        """What displacements of the nodes are measured by (6 nodes,): the machine's size, or 1 for turns."""
        return np.tile([self.size] * 3 + [1.0] * 3, len(self.X))

    @property
    def row_sizes(self) -> np.ndarray:
        """The same for the equations of joints and locks (m + l,)."""
        drives = list(self.model.mesh.elements.actuators.values())
        held = [self.size if drives[i].on.unit == "m" else 1.0 for i in self.locked]
        return np.concatenate([row_lengths(self.model.attached.rows, self.size), held])

    @cached_property
    def equations(self) -> list[int]:
        """Numbers of the equations of joints and locks; of a large model those that do not follow from others."""
        C = stack(self.terms.C, self.terms.drives[list(self.locked)])
        gone: set[int] = set()
        if self.model.large and C.shape[0]:
            own = C[:, self.model.places].toarray() * self.lengths[self.model.places]
            gone = set(dependent_rows(own / self.row_sizes[:, None]))
        return [i for i in range(C.shape[0]) if i not in gone]


def undeformed(
    model: ElasticModel,
    mechanism: Mechanism,
    poses: Mapping[str, Pose],
    wish: str | Sequence[str] | None,
    forces: Mapping[str, float],
    kept_rows: list[int],
) -> Rest:
    """The nodes before the beams bend, with the forces of actuators and joints that hold rigid bodies there."""
    elements = mechanism.elements
    names, u = tuple(elements.actuators), np.zeros(len(elements.actuators))
    for name, value in forces.items():
        if name not in names:
            raise PoinsotError(unknown("actuator", name, names))
        u[names.index(name)] = as_value(value, force_unit("f", elements.actuators[name].on.unit), f"force of {name}")
    X = columns_of(model.mesh.poses(poses), model.nodes)
    springs = [elements.forces[name].on for name in model.attached.clamped]
    rests = np.array([float(on.value(poses, elements.joints)) for on in springs])
    lam, p = np.zeros(len(model.attached.rows)), model.parameters(mechanism)
    rest = Rest(model, X, u, lam, p, rests, locked_actuators(elements, wish), X, kept_rows)
    terms = rest.terms
    if _small_enough(rest, terms.f, np.zeros(0)):
        return rest
    solved = [i for i, name in enumerate(names) if name not in forces]
    B = rigid_motions(model, X)
    A = np.hstack([B.T @ terms.C.T, -(B.T @ terms.drives.T)[:, solved]])
    moved = np.tile([rest.size] * 3 + [1.0] * 3, B.shape[1] // 6)
    drives = [rest.size if a.on.unit == "m" else 1.0 for a in elements.actuators.values()]
    units = np.concatenate([rest.row_sizes[: len(lam)], np.array(drives)[solved]])
    found = np.linalg.lstsq(A * moved[:, None] / units, moved * (B.T @ terms.f), rcond=1e-10)[0] / units
    balanced = u.copy()
    balanced[solved] = found[len(lam) :]
    return replace(rest, u=balanced, lam=found[: len(lam)])


def rigid_motions(model: ElasticModel, X: np.ndarray) -> np.ndarray:
    """Displacements (6 nodes, 6 bodies) of the nodes while every body moves as a rigid one."""
    bodies: dict[str, list[int]] = {}
    for k, node in enumerate(model.nodes):
        bodies.setdefault(model.mesh.arms.get(node, (node, None))[0], []).append(k)
    B = np.zeros((6 * len(model.nodes), 6 * len(bodies)))
    for column, own in enumerate(bodies.values()):
        moved = world_motions(X[own], X[own[0], 9:])
        for k, rows in zip(own, moved):
            B[6 * k : 6 * k + 6, 6 * column : 6 * column + 6] = rows
    return B


def world_motions(X: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Twists of nodes in their own axes (k, 6, 6) for unit motions of all along and about world axes at a point."""
    R = X[:, :9].reshape(-1, 3, 3)  # transposed, because columns come first
    found = np.zeros((len(X), 6, 6))
    found[:, :3, :3] = found[:, 3:, 3:] = R
    found[:, :3, 3:] = -R @ skew(X[:, 9:] - centre)
    return found


def settled(rest: Rest) -> Rest:
    """Bend the beams until all forces balance: Newton on the nodes, locked actuators where they were."""
    model, n = rest.model, 6 * len(rest.model.nodes)
    terms = rest.terms
    s_0, held = terms.along[list(rest.locked)], list(rest.locked)
    size = rest.size
    for _ in range(40):
        A = stack(terms.C, terms.drives[held])
        left = terms.f - terms.C.T @ rest.lam
        right = np.concatenate([left, -terms.phi, s_0 - terms.along[held]])
        if _small_enough(rest, left, right[n:]):
            return rest
        step = solve(terms.K, A, right, rest)
        xi = step[:n].reshape(-1, 6)
        scale = min(1.0, 0.2 / max(float(np.max(np.abs(xi[:, 3:]))), float(np.max(np.abs(xi[:, :3]))) / size, 1e-300))
        u, m = rest.u.copy(), len(rest.lam)
        u[held] -= scale * step[n + m :]
        rest = replace(rest, X=_moved(rest.X, scale * xi), lam=rest.lam + scale * step[n : n + m], u=u)
        terms = rest.terms
        if float(np.max(np.abs(xi[:, :3]))) < NEGLIGIBLE * size and float(np.max(np.abs(xi[:, 3:]))) < NEGLIGIBLE:
            return rest
    node, part = divmod(int(np.argmax(np.abs(left))), 6)
    what, unit = ("force", "N") if part < 3 else ("moment", "N·m")
    raise PoinsotError(
        "no equilibrium of the flexible links was found near this pose: "
        f"a {what} of {float(np.max(np.abs(left))):.3g} {unit} is left on node '{model.nodes[node]}'"
    )


def require_bent_between_stops(mechanism: Mechanism, rest: Rest, known: Mapping[Coordinate, float]) -> None:
    """That nodes at rest lie between the rigid end stops; `known` are angles [rad] before the beams bent."""
    nodes, bent = rest.model.mesh.elements, {GROUND: Pose.identity()}
    bent |= {name: Pose(x[:9].reshape(3, 3).T, x[9:]) for name, x in zip(rest.model.nodes, rest.X)}

    def along(stop: RigidStop) -> float:
        on = nodes.forces[stop.name].on
        near = {node: known[part] for part, node in zip(stop.on.parts, on.parts) if part in known}
        return turned_value(on, continued(near, nodes, bent), bent, nodes.joints)

    require_between(rigid_stops(mechanism, rest.size), along, "the equilibrium of the flexible links")


def _small_enough(rest: Rest, left: np.ndarray, gaps: np.ndarray) -> bool:
    """Whether what is left would move nothing by more than round-off."""
    stiff = np.abs(rest.terms.K.diagonal())
    near = np.abs(left) <= NEGLIGIBLE * stiff * rest.lengths
    open_ = np.abs(gaps) / rest.row_sizes[: len(gaps)]
    return bool(np.all(near | (left == 0))) and float(np.max(open_, initial=0.0)) <= NEGLIGIBLE


def stack(a: Any, b: Any) -> Any:
    """One matrix above another, sparse if they are."""
    if hasattr(a, "toarray"):
        from scipy.sparse import csr_array, vstack

        return csr_array(vstack([a, b]))
    return np.vstack([a, b])


def solve(K: Any, A: Any, right: np.ndarray, rest: Rest) -> np.ndarray:
    """Solve [K Aᵀ; A 0] at natural sizes for one right side, or several in columns; of least norm where redundant
    joints leave something open."""
    if hasattr(K, "toarray"):
        from scipy.sparse import block_array, csc_array
        from scipy.sparse.linalg import splu

        return np.asarray(splu(csc_array(block_array([[K, A.T], [A, None]]))).solve(right))
    m, lengths, rows = len(A), rest.lengths, 1 / rest.row_sizes
    K, A = K * lengths * lengths[:, None], A * lengths * rows[:, None]
    scale = float(np.mean(np.abs(K.diagonal()))) or 1.0
    whole = np.block([[K / scale, A.T], [A, np.zeros((m, m))]])
    left = np.concatenate([lengths / scale, rows])
    found = np.linalg.lstsq(whole, (right.T * left).T, rcond=1e-14)[0]
    return (found.T * np.concatenate([lengths, scale * rows])).T


def _moved(X: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """Poses (nodes, 12) after a twist (nodes, 6) of every node in its own axes."""
    out = X.copy()
    for k, step in enumerate(xi):
        R = X[k, :9].reshape(3, 3).T
        out[k, :9] = (R @ rotation_exponential(step[3:])).T.ravel()
        out[k, 9:] = X[k, 9:] + R @ (step[:3] + np.cross(step[3:], step[:3]) / 2)
    return out
