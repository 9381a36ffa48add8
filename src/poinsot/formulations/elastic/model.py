"""The elastic model of a mechanism: nodes, beam elements, what is attached, and the chains that they form."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import AlongJoint
from poinsot.engine import kernel
from poinsot.formulations.elastic.beam_elements import NUMBERS, piece_kernel, slope, symbolic_mesh
from poinsot.formulations.elastic.chains import Chains, Edge, Motions, chains, choose, closed, jacobians
from poinsot.formulations.elastic.increments import flat
from poinsot.formulations.elastic.nodal_forces import OUTPUTS, Attached, attached
from poinsot.formulations.elastic.nodes import Mesh, Plan, plan
from poinsot.formulations.symbols import FREE_ROLES
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements
from poinsot.spatial.pose import Pose

LARGE = 300  # displacements from which matrices are sparse
SIX = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True, eq=False)
class Terms:
    """Force, constraints and matrices of the nodes in one pose, or in N; 6 n displacements ξ."""

    f: np.ndarray  # (..., 6n)
    phi: np.ndarray  # (..., m)
    along: np.ndarray  # (..., a) coordinates of the actuators
    C: Any  # (..., m, 6n); sparse in large models, like all that follow
    drives: Any  # (..., a, 6n)
    springs: Any  # (..., s, 6n)
    M: Any  # (..., 6n, 6n)
    D: Any
    K: Any
    motions: np.ndarray  # (..., 6, Σ freedoms)
    stiffness: np.ndarray  # (..., s) of the springs
    pieces: tuple[np.ndarray, np.ndarray, np.ndarray]  # f, K, M of every piece (..., pieces, 12[, 12])


@dataclass(frozen=True, eq=False)
class ElasticModel:
    """One mechanism's structure with its functions; p are its free parameters."""

    plan: Plan
    mesh: Mesh  # in numbers
    names: tuple[str, ...]  # of the free parameters
    attached: Attached
    numbers: Any  # CasADi function p -> (22, pieces)
    arms: Any  # CasADi function p -> (3, nodes), where the nodes are in their flexible bodies

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, in the order of the displacements."""
        return tuple(self.mesh.elements.bodies)

    @cached_property
    def index(self) -> dict[str, int]:
        """First displacement of every node."""
        return {name: 6 * k for k, name in enumerate(self.nodes)}

    @cached_property
    def kernel(self) -> Any:
        """The function of what is attached, over batches."""
        return kernel(self.attached.function)

    @cached_property
    def carriers(self) -> list[int]:
        """Numbers of the nodes that carry something."""
        own = set(self.attached.nodes)
        return [k for k, name in enumerate(self.nodes) if name in own]

    @cached_property
    def places(self) -> np.ndarray:
        """Displacements (6 n_attached,) of the nodes that carry something, among all."""
        return np.concatenate([self.index[n] + np.arange(6) for n in self.attached.nodes]).astype(int)

    @cached_property
    def piece_places(self) -> np.ndarray:
        """Displacements (pieces, 12) of the two nodes of every piece."""
        ends = [(self.index[piece.a], self.index[piece.b]) for piece in self.mesh.pieces]
        return np.array([[*range(a, a + 6), *range(b, b + 6)] for a, b in ends], dtype=int).reshape(-1, 12)

    def parameters(self, mechanism: Mechanism) -> np.ndarray:
        """Values of the free parameters of a mechanism of this structure."""
        return np.array([mechanism.parameters[name].value for name in self.names])

    def with_numbers(self, elements: Elements) -> ElasticModel:
        """The same structure and functions with the mesh of other numbers."""
        found = copy(self)
        object.__setattr__(found, "mesh", self.plan.mesh(elements))
        return found

    def cut(self, locked: tuple[str, ...]) -> Chains:
        """The chains of the mechanism while some actuators hold their joints."""
        return chains(self.nodes, self.edges(locked))

    def edges(self, locked: tuple[str, ...]) -> tuple[Edge, ...]:
        """Beam elements and joints that can carry a chain, with the coordinates that are free to move."""
        held = self.held(locked)
        found = [
            Edge(piece.beam, piece.a, piece.b, tuple(f"{piece.beam} {c}" for c in SIX), True)
            for piece in self.mesh.pieces
        ]
        for name, freedom in self.attached.moving:
            joint = self.mesh.elements.joints[name]
            labels = tuple(f"{name} {i + 1}" for i in range(freedom) if (name, i) not in held)
            found.append(Edge(name, joint.a.body, joint.b.body, labels, False))
        return tuple(found)

    def held(self, locked: tuple[str, ...]) -> set[tuple[str, int]]:
        """Joint freedoms that locked actuators hold."""
        along = [self.mesh.elements.actuators[name].on for name in locked]
        return {(on.joint, on.index) for on in along if isinstance(on, AlongJoint) and on.joint in self._carriers}

    def rows_outside(self, terms: Terms, locked: tuple[str, ...]) -> np.ndarray:
        """Equations (..., k, 6n) that no chain contains: joints that carry none, actuators that hold no joint."""
        names, held = list(self.mesh.elements.actuators), self.held(locked)
        joints = [i for i, row in enumerate(self.attached.rows) if row.joint not in self._carriers]
        along = [(names.index(name), self.mesh.elements.actuators[name].on) for name in locked]
        drives = [i for i, on in along if (getattr(on, "joint", None), getattr(on, "index", None)) not in held]
        return np.concatenate([terms.C[..., joints, :], terms.drives[..., drives, :]], axis=-2)

    @cached_property
    def _carriers(self) -> set[str]:
        return {name for name, _ in self.attached.moving}

    def motions(self, columns: np.ndarray, X: np.ndarray, locked: tuple[str, ...]) -> Motions:
        """Poses X (..., nodes, 12) and the motions of all edges, those of the joints from columns (..., 6, f)."""
        held, S = self.held(locked), []
        lead = X.shape[:-2]
        R = {name: X[..., k, :9].reshape(*lead, 3, 3).swapaxes(-1, -2) for k, name in enumerate(self.nodes)}
        p = {name: X[..., k, 9:] for k, name in enumerate(self.nodes)}
        for piece in self.mesh.pieces:
            turn = np.zeros((6, 6))
            turn[:3, :3] = turn[3:, 3:] = np.asarray(piece.axes, float)
            S.append(np.broadcast_to(turn, (*lead, 6, 6)))
        start = 0
        for name, freedom in self.attached.moving:
            free = [start + i for i in range(freedom) if (name, i) not in held]
            S.append(columns[..., free])
            start += freedom
        return Motions({GROUND: np.eye(3), **R}, {GROUND: np.zeros((*lead, 3)), **p}, tuple(S))

    @cached_property
    def numbers_slope(self) -> Any:
        """CasADi function (p, direction) -> change of the numbers of the pieces."""
        return slope(self.numbers)

    @cached_property
    def arms_slope(self) -> Any:
        """CasADi function (p, direction) -> change of the nodes' places in their bodies."""
        return slope(self.arms)

    @cached_property
    def _numbers_kernel(self) -> Any:
        return kernel(self.numbers)

    @cached_property
    def relaxed(self) -> Any:
        """What is attached while nothing is preloaded, over batches: (X, p) -> M, K, f, motions."""
        return kernel(self.attached.relaxed)

    @property
    def large(self) -> bool:
        """Whether matrices are kept sparse."""
        return 6 * len(self.nodes) > LARGE

    def terms(self, X: np.ndarray, u: Any, lam: Any, p: np.ndarray, rests: Any) -> Terms:
        """Everything at poses X (..., nodes, 12) of the nodes; large models one pose at a time."""
        lead, n, at = X.shape[:-2], 6 * len(self.nodes), self.places
        given = X[..., self.carriers, :].reshape(*lead, 12 * len(self.carriers))
        shapes = [self.attached.outputs[key].shape for key in OUTPUTS]
        values = self.kernel(given, u, lam, p, rests)
        found = {key: x.reshape(*lead, *shape) for key, x, shape in zip(OUTPUTS, values, shapes)}
        pieces = self.pieces(X, p)
        gather = collect(self)
        f = np.zeros((*lead, n))
        f[..., at] = found["f"].reshape(*lead, -1)
        for k, places in enumerate(self.piece_places):
            f[..., places] += pieces[0][..., k, :]
        rows = {key: gather(n, [(None, at, found[key])]) for key in ("C", "drives", "springs")}
        beams = {"K": pieces[1], "M": pieces[2]}
        square = {
            key: gather(n, [(at, at, found[key])], self.piece_places, beams.get(key)) for key in ("M", "D", "K")
        }
        flat_ones = {key: found[key].reshape(*lead, -1) for key in ("phi", "along", "stiffness")}
        return Terms(f=f, motions=found["motions"], pieces=pieces, **flat_ones, **rows, **square)

    def pieces(self, X: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Force, stiffness and mass of all beam elements, of all poses at once."""
        lead, count = X.shape[:-2], len(self.mesh.pieces)
        if not count:
            return np.zeros((*lead, 0, 12)), np.zeros((*lead, 0, 12, 12)), np.zeros((*lead, 0, 12, 12))
        theta = np.swapaxes(self._numbers_kernel(p)[0].reshape(*p.shape[:-1], NUMBERS, count), -1, -2)
        ends = [X[..., self.piece_places[:, first] // 6, :].reshape(-1, 12) for first in (0, 6)]
        f, K, M = piece_kernel()(*ends, np.broadcast_to(theta, (*lead, count, NUMBERS)).reshape(-1, NUMBERS))
        return f.reshape(*lead, count, 12), K.reshape(*lead, count, 12, 12), M.reshape(*lead, count, 12, 12)


def collect(model: ElasticModel) -> Any:
    """What sums blocks into matrices: arrays, or sparse matrices for a large model."""
    return _sparse if model.large else _dense


Blocks = list[tuple[np.ndarray | None, np.ndarray, np.ndarray]]  # rows (None: all), columns, entries


def _dense(n: int, blocks: Blocks, places: np.ndarray | None = None, pieces: np.ndarray | None = None) -> np.ndarray:
    """Sum blocks, and one of every piece, into matrices (..., rows, n)."""
    shape = blocks[0][2].shape
    total = np.zeros((*shape[:-2], shape[-2] if blocks[0][0] is None else n, n))
    for rows, columns, entries in blocks:
        total[..., slice(None) if rows is None else rows[:, None], columns] += entries
    if pieces is not None and places is not None:
        for k, at in enumerate(places):
            total[..., at[:, None], at] += pieces[..., k, :, :]
    return total


def _sparse(n: int, blocks: Blocks, places: np.ndarray | None = None, pieces: np.ndarray | None = None) -> Any:
    """The same as one sparse matrix."""
    from scipy.sparse import coo_array, csr_array

    count = n if blocks[0][0] is not None else blocks[0][2].shape[-2]
    total = csr_array((count, n))
    for rows, columns, entries in blocks:
        i, j = np.nonzero(entries)
        total = total + coo_array((entries[i, j], (i if rows is None else rows[i], columns[j])), shape=(count, n))
    if pieces is not None and places is not None and len(places):
        i, j = np.broadcast_to(places[:, :, None], pieces.shape), np.broadcast_to(places[:, None, :], pieces.shape)
        total = total + coo_array((pieces.ravel(), (i.ravel(), j.ravel())), shape=(n, n))
    return csr_array(total)


def elastic_model(mechanism: Mechanism, free: tuple[str, ...] = ()) -> ElasticModel:
    """Cut a mechanism into nodes and write its functions; `free` parameters stay symbols besides the usual ones."""
    roles = (*FREE_ROLES, "elastic")
    default = [n for n, parameter in mechanism.parameters.items() if parameter.role in roles and parameter.value != 0]
    names = tuple(dict.fromkeys([*default, *free]))
    decided = plan(mechanism.elements)
    p, symbolic, numbers, arms = symbolic_mesh(mechanism, decided, names)
    return ElasticModel(
        plan=decided,
        mesh=decided.mesh(mechanism.elements),
        names=names,
        attached=attached(symbolic.elements, p),
        numbers=numbers,
        arms=arms,
    )


def columns_of(poses: Mapping[str, Pose], nodes: tuple[str, ...]) -> np.ndarray:
    """Poses of the nodes as rows of twelve numbers (n, 12)."""
    return np.stack([flat(poses[name]) for name in nodes])


def chain_basis(model: ElasticModel, terms: Terms, X: np.ndarray, locked: tuple[str, ...]) -> tuple[np.ndarray, int]:
    """Motions (6 nodes, k) of the nodes by independent coordinates, and the number of coordinates before closing."""
    cut = model.cut(locked)
    V, closures = jacobians(cut, model.motions(terms.motions, X, locked))
    twists = np.concatenate([V[name] for name in model.nodes])
    extra = model.rows_outside(terms, locked) @ twists
    return twists @ closed(choose(cut, closures, extra), closures, extra), cut.coordinates
