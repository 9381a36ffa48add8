"""Small motions of mechanisms with flexible links about a pose at rest.

Loops are closed by the Jacobians of chains (theory/elastic, eq. 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.formulations.elastic import ElasticModel, Terms, chain_basis
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.turns import continued, known_angles
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.algebra import skew
from poinsot.spatial.pose import Pose
from poinsot.statics.elastic_equilibrium import (
    Rest,
    model_of,
    require_bent_between_stops,
    settled,
    stack,
    undeformed,
    world_motions,
)
from poinsot.system.home import start
from poinsot.vibration.linear_model.elastic_derivatives import elastic_derivatives
from poinsot.vibration.linear_model.record import ElasticPart, LinearModel, dense


@one_blas_thread()
def elastic_model_about(
    mechanism: Mechanism,
    pose: Mapping[str, float] | Assembly | None,
    *,
    locked: str | Sequence[str] | None = None,
    forces: Mapping[str, float] | None = None,
    free: tuple[str, ...] = (),
) -> LinearModel:
    """The small motions of a mechanism with beams about a pose."""
    kept = pose if isinstance(pose, Mapping) else mechanism.elements.pose
    mechanism = mechanism.naming(*kept)
    model, begin = model_of(mechanism, free), start(mechanism, pose)
    rows = [list(mechanism.elements.coordinates).index(name) for name in kept]
    rest = settled(undeformed(model, mechanism, begin.poses, locked, forces or {}, rows))
    require_bent_between_stops(mechanism, rest, known_angles(mechanism.elements, begin.poses, kept))
    found = _linear(mechanism, rest)
    poses = {**found.poses, GROUND: Pose.identity()}
    return replace(found, angles=continued(begin.angles, mechanism.elements, poses))


def _linear(mechanism: Mechanism, rest: Rest) -> LinearModel:
    model, terms = rest.model, rest.terms
    names, held = tuple(mechanism.elements.actuators), list(rest.locked)
    locked = tuple(names[i] for i in held)
    basis, coordinates = (None, 6 * len(model.nodes)) if model.large else chain_basis(model, terms, rest.X, locked)
    world = world_motions(rest.X, np.zeros(3)).reshape(-1, 6)

    def twist(frame: Frame) -> np.ndarray:
        found = np.zeros((6, 6 * len(model.nodes)))
        if frame.body == GROUND:
            return found
        hung = model.mesh.hung(frame)
        k = model.nodes.index(hung.body)
        R = rest.X[k, :9].reshape(3, 3).T
        arm = R @ np.asarray(hung.pose().p, float)
        found[:3, 6 * k : 6 * k + 3], found[3:, 6 * k + 3 : 6 * k + 6] = R, R
        found[:3, 6 * k + 3 : 6 * k + 6] = -np.asarray(skew(arm)) @ R
        return found

    return LinearModel(
        mechanism=mechanism,
        formulation="elastic",
        names=tuple(f"{node} {c}" for node in model.nodes for c in ("x", "y", "z", "rx", "ry", "rz")),
        units=("m", "m", "m", "rad", "rad", "rad") * len(model.nodes),
        M=terms.M,
        D=terms.D,
        K=terms.K,
        C=stack(terms.C, terms.drives[held])[rest.equations],
        sizes=rest.lengths,
        row_sizes=rest.row_sizes[rest.equations],
        force=terms.f - terms.C.T @ rest.lam,
        forces=dict(zip(names, rest.u.tolist())),
        locked=locked,
        poses=_bodies(mechanism, rest),
        parts=_parts(model, terms, rest.X),
        basis=basis,
        coordinates=coordinates,
        twist=twist,
        derivatives=lambda parameters, places=(): elastic_derivatives(mechanism, rest, parameters, places),
        places={name: Pose(x[:9].reshape(3, 3).T, x[9:]) for name, x in zip(model.nodes, rest.X)},
        momentum=np.asarray(world.T @ terms.M),
    )


def _bodies(mechanism: Mechanism, rest: Rest) -> dict[str, Pose]:
    """Poses of the bodies' own frames, each on the node that is nearest to it."""
    found = {}
    for body in mechanism.elements.bodies:
        hung = rest.model.mesh.hung(Frame(body, ""))
        x = rest.X[rest.model.nodes.index(hung.body)]
        found[body] = Pose(x[:9].reshape(3, 3).T, x[9:]) @ hung.pose()
    return found


def _rigid_motions(X: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Displacements (k, 6), among those of all nodes X (nodes, 12), that move nodes as one rigid body."""
    nodes = np.unique(index // 6)
    about, found = X[nodes[0], 9:], np.zeros((len(X) * 6, 6))
    for i in nodes:
        R_BW = X[i, :9].reshape(3, 3)
        arm = np.asarray(skew(X[i, 9:] - about), float)
        found[6 * i : 6 * i + 6] = np.block([[R_BW, -R_BW @ arm], [np.zeros((3, 3)), R_BW]])
    return found[index]


def _parts(model: ElasticModel, terms: Terms, X: np.ndarray) -> tuple[ElasticPart, ...]:
    """Springs, end stops that are touched, and beams, each with its own stiffness and mass."""
    found = []
    for law, row, k in zip(model.attached.springs, dense(terms.springs), terms.stiffness):
        index = np.flatnonzero(row)
        if k != 0 and len(index):
            found.append(ElasticPart(*law, index, k * np.outer(row[index], row[index])))
    _, K, M = terms.pieces
    for beam in dict.fromkeys(piece.beam for piece in model.mesh.pieces):
        own = [k for k, piece in enumerate(model.mesh.pieces) if piece.beam == beam]
        index = np.unique(model.piece_places[own])
        total = np.zeros((2, len(index), len(index)))
        for k in own:
            at = np.searchsorted(index, model.piece_places[k])
            total[0][at[:, None], at] += K[k]
            total[1][at[:, None], at] += M[k]
        found.append(ElasticPart(beam, "beam", index, total[0], total[1], _rigid_motions(X, index)))
    return tuple(found)
