"""M and K of flexible mechanisms without preload, for many poses and parameter sets at once.

Where nothing bends the beams at rest, the matrices of beam elements are the same in every pose, in the axes of their
nodes; only the joints' places change. The coordinates are those of clusters (theory/elastic, eq. 8).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.engine import kernel
from poinsot.formulations.elastic.clusters import Clusters, clusters
from poinsot.model.mechanism import Mechanism
from poinsot.motion.driven import driven
from poinsot.spatial.algebra import skew
from poinsot.statics.elastic_equilibrium import model_of
from poinsot.statics.locked import locked_actuators
from poinsot.system.functions import body_poses
from poinsot.system.system import start, system
from poinsot.vibration.rigid_batch import Batched, Placed, prescribes, reach

RELAXED = 1e-9  # force at rest, as a part of the largest stiffness of what is attached, up to which nothing bends


class ElasticBatch:
    """Matrices of a flexible mechanism over poses that prescribe all its rigid freedoms, and over parameters."""

    same_pose = False

    def __init__(self, mechanism: Mechanism, names: tuple[str, ...], parameters: tuple[str, ...], locked: Any):
        self.begin = begin = start(mechanism, None)
        self.planar, self.mechanism = mechanism.planar, mechanism
        self.compiled = system(mechanism, "joint", parameters)
        self.p_rigid = self.compiled.parameters(mechanism, begin.poses)
        self.q = self.compiled.coordinates(begin, self.p_rigid)
        self.drive = driven(self.compiled, names)
        self.model = model_of(mechanism, parameters)
        self.p, self.parameters = self.model.parameters(mechanism), parameters
        actuated = tuple(mechanism.elements.actuators)
        self.locked = tuple(actuated[i] for i in locked_actuators(mechanism.elements, locked))
        grouped = clusters(self.model.nodes, self.model.edges(self.locked))
        self.looped, self.clusters = grouped is None, grouped or Clusters((), (), {}, {}, 0)
        self.arms = kernel(self.model.arms)

    @classmethod
    def of(
        cls, mechanism: Mechanism, names: tuple[str, ...], parameters: tuple[str, ...], locked: Any
    ) -> ElasticBatch | None:
        """The matrices of a mechanism; None where they have to be found pose by pose."""
        elements = mechanism.elements
        if any(elements.gravity) or elements.loads or not prescribes(mechanism, names, parameters):
            return None
        found = cls(mechanism, names, parameters, locked)
        along = len(found.model.held(found.locked)) == len(found.locked)
        carried = all(joint.carries for joint in elements.joints.values()) and not elements.couplings
        return found if along and carried and not found.looped and not found.model.large else None

    def __call__(self, s: np.ndarray, values: np.ndarray, frame: Frame | None = None) -> Batched | None:
        """Matrices at poses s (N, k) and parameter sets (N, p); None where something bends the beams at rest."""
        return self.at(self.place(s, values), values, frame)

    @one_blas_thread()
    def place(self, s: np.ndarray, values: np.ndarray) -> Placed:
        """Coordinates at poses s (N, k) with parameter sets (N, p), or (1, p) for all."""
        count = max(len(s), len(values)) if self.parameters else len(s)
        p_rigid = self._values(values, count)[0]
        return reach(self.drive, self.begin, self.q, np.broadcast_to(s, (count, s.shape[1])), p_rigid)

    def holding(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces (N, nu) of the actuators that hold coordinates q (N, nq) at rest, and which are held (N,): none are
        needed, since there is neither gravity nor a load, and what bends beams is refused by `at`."""
        return np.zeros((len(q), len(self.compiled.commands))), np.ones(len(q), bool)

    def _values(self, values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Parameters of the rigid and of the flexible model, (N, …) where some vary."""
        p_rigid, p = self.p_rigid, self.p
        if self.parameters:
            p_rigid, p = (np.tile(x, (count, 1)) for x in (p_rigid, p))
            for column, name in enumerate(self.parameters):
                p_rigid[:, self.compiled.equations.symbols.names.index(name)] = values[:, column]
                p[:, self.model.names.index(name)] = values[:, column]
        return p_rigid, p

    @one_blas_thread()
    def at(
        self, placed: Placed, values: np.ndarray, frame: Frame | None = None, near: Batched | None = None
    ) -> Batched | None:
        """Matrices at coordinates that were reached, with parameter sets (N, p), or (1, p) for all."""
        q, reached, turned = placed
        count = len(q)
        p_rigid, p = self._values(values, count)
        X = self._nodes(q, p_rigid, p)
        M_0, K_0, f, columns = self.model.relaxed(X[:, self.model.carriers].reshape(count, -1), p)
        one = int(np.argmax(reached))
        _, K, M = self.model.pieces(X if self.parameters else X[one : one + 1], p)  # one pose stands for all
        if not self._relaxed(f[reached], K_0):
            return None
        motions = self.model.motions(columns.reshape(count, 6, -1), X, self.locked)
        T = self.clusters.blocks(motions)
        M, K = (self._reduced(T, pieces, own) for pieces, own in ((M, M_0), (K, K_0)))
        good = reached & ~turned & np.isfinite(K).all(axis=(1, 2))
        return Batched(M, K, self._twist(frame, X, T, count), reached, good, reached & ~good)

    def _relaxed(self, f: np.ndarray, K_0: np.ndarray) -> bool:
        """Whether forces (N, 6 c) on the nodes are round-off of what stiffnesses (…, 6 c, 6 c) could give."""
        lengths = np.tile([self.begin.size] * 3 + [1.0] * 3, f.shape[1] // 6)
        K = np.abs(K_0) * lengths * lengths[:, None] if K_0.size else K_0
        return float(np.max(np.abs(f) * lengths, initial=0.0)) <= RELAXED * float(np.max(K, initial=0.0))

    def _nodes(self, q: np.ndarray, p_rigid: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Poses (N, nodes, 12) of the undeformed nodes."""
        position, rotation = body_poses(self.compiled, q, p_rigid)
        arms = self.arms(p)[0].reshape(*p.shape[:-1], 3, -1)
        X = np.empty((len(q), len(self.model.nodes), 12))
        for k, node in enumerate(self.model.nodes):
            body = self.model.mesh.arms.get(node, (node, None))[0]
            X[:, k, :9] = rotation[body].swapaxes(1, 2).reshape(-1, 9)
            X[:, k, 9:] = position[body] + (rotation[body] @ arms[..., k, None])[..., 0]
        return X

    def _reduced(self, T: dict[str, np.ndarray], pieces: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Jᵀ (·) J of the beam elements' matrices and of what is attached (N, k, k)."""
        columns, nodes, count = self.clusters.columns, self.model.nodes, len(T[self.model.nodes[0]])
        total = np.zeros((count, self.clusters.count, self.clusters.count))
        for k, (a, b) in enumerate(self.model.piece_places[:, [0, 6]] // 6):
            J_a, J_b, at = T[nodes[a]], T[nodes[b]], (columns[nodes[a]], columns[nodes[b]])
            for J, rows, i in ((J_a, at[0], slice(0, 6)), (J_b, at[1], slice(6, 12))):
                left = J.swapaxes(1, 2) @ pieces[:, k, i]
                for other, ways, j in ((J_a, at[0], slice(0, 6)), (J_b, at[1], slice(6, 12))):
                    total[:, np.array(rows, int)[:, None], np.array(ways, int)] += left[..., j] @ other
        if own.size:
            J = np.zeros((count, 6 * len(self.model.carriers), self.clusters.count))
            for row, k in enumerate(self.model.carriers):
                J[:, 6 * row : 6 * row + 6, list(columns[nodes[k]])] = T[nodes[k]]
            total += J.swapaxes(1, 2) @ own @ J
        return total

    def _twist(self, frame: Frame | None, X: np.ndarray, T: dict[str, np.ndarray], count: int) -> np.ndarray:
        """Twist (N, 6, k) of a place in world axes by the coordinates."""
        found = np.zeros((count, 6, self.clusters.count))
        if frame is None or frame.body == GROUND:
            return found
        hung = self.model.mesh.hung(frame)
        R = X[:, self.model.nodes.index(hung.body), :9].reshape(-1, 3, 3).swapaxes(1, 2)
        J, arm = T[hung.body], np.asarray(hung.pose().p, float)
        speed = R @ (J[:, :3] - np.asarray(skew(arm)) @ J[:, 3:])
        found[:, :, list(self.clusters.columns[hung.body])] = np.concatenate([speed, R @ J[:, 3:]], axis=1)
        return found
