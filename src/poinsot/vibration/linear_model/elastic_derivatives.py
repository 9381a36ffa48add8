"""Derivatives of the matrices of flexible mechanisms with respect to any parameter, while they stay at rest.

A parameter moves the rigid bodies to where the pose keeps its coordinates, and the nodes with them; then

    −K η + ∂(f − Cᵀλ) − Cᵀ δλ + Jᵀ δu = 0,        C η + ∂Φ = 0,        J η + ∂s = δs₀

gives what the beams add (theory/elastic, eq. 7). The matrices change along (η, δλ, δu, 1): directional derivatives
of their functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.formulations.elastic.beam_elements import piece_slopes
from poinsot.formulations.elastic.model import NUMBERS, ElasticModel, collect
from poinsot.formulations.elastic.nodal_forces import MATRICES, VALUES
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.algebra import skew
from poinsot.statics.elastic_equilibrium import Rest, model_of, rigid_motions, solve, stack
from poinsot.vibration.linear_model.record import MatrixDerivatives
from poinsot.vibration.place_equations import elastic_place_changes


@dataclass(frozen=True, eq=False)
class _Point:
    """Where functions are evaluated, with the parameters that are asked for among the symbols."""

    model: ElasticModel
    X: np.ndarray  # (nodes, 12)
    u: np.ndarray
    lam: np.ndarray
    p: np.ndarray
    rests: np.ndarray

    def along(self, which: int, eta: np.ndarray, du: Any, dlam: Any, dp: np.ndarray, drests: Any) -> dict[str, Any]:
        """Derivatives of the attached function's values (which = 0) or matrices (1)."""
        names = (VALUES, MATRICES)[which]
        at = (self.X[self.model.carriers].ravel(), self.u, self.lam, self.p, self.rests)
        ways = (_ways(self.X, eta)[self.model.carriers].ravel(), du, dlam, dp, drests)
        found = self.model.attached.slopes[which](*at, *ways)
        return {name: np.asarray(x).reshape(x.shape) for name, x in zip(names, found)}


def _ways(X: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """Change (nodes, 12) of the nodes' poses for twists (nodes, 6) in their own axes: R [w]×, R v."""
    R = X[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1)
    turned = R @ skew(eta[:, 3:])
    return np.concatenate([turned.transpose(0, 2, 1).reshape(-1, 9), np.einsum("kij,kj->ki", R, eta[:, :3])], axis=1)


@one_blas_thread()
def elastic_derivatives(
    mechanism: Mechanism, rest: Rest, names: Sequence[str], places: tuple[str, ...] = ()
) -> MatrixDerivatives:
    """Derivatives of M, D, K and C along every named parameter, and those of the rows of places."""
    names = tuple(names)
    mechanism.parameters.require(names)
    if _free_loads(mechanism, rest):
        raise PoinsotError("flexible links have derivatives only while no free actuator carries a load: lock them")
    model = model_of(mechanism, names)
    point = _Point(model, rest.X, rest.u, rest.lam, model.parameters(mechanism), rest.rests)
    begin = _Point(model, rest.X_begin, rest.u, rest.lam, point.p, rest.rests)
    ways = np.eye(len(point.p))[[model.names.index(name) for name in names]]
    begun, drests = _rigid_changes(begin, rest, ways)
    held = [begin.along(0, eta, 0, 0, dp, dr)["along"].ravel() for eta, dp, dr in zip(begun, ways, drests)]
    bent = _bent_changes(point, rest, begun, held, ways, drests)
    found = [_matrices(point, rest, *change, dp, dr) for change, dp, dr in zip(bent, ways, drests)]
    dP = np.zeros((len(names), len(places), 6 * len(model.nodes)))
    for k, (eta, *_) in enumerate(bent if places else ()):
        function = elastic_place_changes(model, mechanism, places)
        dP[k] = np.asarray(function(rest.X.ravel(), point.p, _ways(rest.X, eta).ravel(), ways[k]))
    dM, dD, dK, dC = (np.array([x[i] for x in found]) for i in range(4))
    return MatrixDerivatives(names, dM, dD, dK, dC, dP)


def _free_loads(mechanism: Mechanism, rest: Rest) -> bool:
    """Whether actuators that are not locked carry more than round-off of what joints bear."""
    drives = [rest.size if a.on.unit == "m" else 1.0 for a in mechanism.elements.actuators.values()]
    free = [i for i in range(len(rest.u)) if i not in rest.locked]
    borne = np.max(np.abs(rest.terms.C.T @ rest.lam) * rest.lengths, initial=0.0)
    return bool(np.any(np.abs(rest.u * np.array(drives))[free] > 1e-9 * borne))


def _rigid_changes(begin: _Point, rest: Rest, ways: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Twists (nodes, 6) of the undeformed nodes while the pose keeps its coordinates, along every way (p,) of the
    parameters; changes of clamped springs."""
    model, n = begin.model, 6 * len(begin.model.nodes)
    arms = [np.asarray(model.arms_slope(begin.p, dp)).T for dp in ways]
    own = [np.concatenate([x, np.zeros_like(x)], axis=1) for x in arms]
    B = rigid_motions(model, begin.X)
    at = (begin.X[model.carriers].ravel(), begin.u, begin.lam, begin.p, begin.rests)
    C, naming = (np.zeros((len(x), n)) for x in (begin.model.attached.rows, rest.kept_rows))
    C[:, model.places] = np.asarray(model.attached.constraints(*at))
    naming[:, model.places] = np.asarray(model.attached.naming(*at))[rest.kept_rows]
    moved = [begin.along(0, eta, 0, 0, dp, 0) for eta, dp in zip(own, ways)]
    right = [np.concatenate([x["phi"].ravel(), x["named"].ravel()[rest.kept_rows]]) for x in moved]
    named = list(model.mesh.elements.coordinates.values())
    units = [rest.size if named[i].unit == "m" else 1.0 for i in rest.kept_rows]
    rows = 1 / np.concatenate([rest.row_sizes[: len(C)], units])
    columns = np.tile([rest.size] * 3 + [1.0] * 3, B.shape[1] // 6)
    A = (np.vstack([C, naming]) @ B) * columns * rows[:, None]
    steps = columns[:, None] * np.linalg.lstsq(A, (-np.array(right) * rows).T, rcond=1e-10)[0]
    etas = [eta + (B @ step).reshape(-1, 6) for eta, step in zip(own, steps.T)]
    return etas, [begin.along(0, eta, 0, 0, dp, 0)["clamped"].ravel() for eta, dp in zip(etas, ways)]


def _bent_changes(
    point: _Point, rest: Rest, etas: list[np.ndarray], begun: list[np.ndarray], ways: np.ndarray, drests: list
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Twists of the nodes, and changes of forces and multipliers, with what the beams add, along every way."""
    terms, held = rest.terms, list(rest.locked)
    n, m, rights = point.X.shape[0] * 6, len(rest.lam), []
    for eta, s_begin, dp, dr in zip(etas, begun, ways, drests):
        change, left = point.along(0, eta, 0, 0, dp, dr), _piece_change(point, eta, dp)[0]
        left[point.model.places] += change["left"].ravel()
        rights.append(np.concatenate([left, -change["phi"].ravel(), (s_begin - change["along"].ravel())[held]]))
    steps = solve(terms.K, stack(terms.C, terms.drives[held]), np.array(rights).T, rest).T
    du = np.zeros((len(etas), len(rest.u)))
    du[:, held] = -steps[:, n + m :]
    return [(eta + x[:n].reshape(-1, 6), u, x[n : n + m]) for eta, x, u in zip(etas, steps, du)]


def _piece_change(point: _Point, eta: np.ndarray, dp: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Change of the beams' forces on all nodes (6n,), and of K and M of every piece."""
    model, total = point.model, np.zeros(eta.size)
    count = len(model.mesh.pieces)
    if not count:
        return total, np.zeros((0, 12, 12)), np.zeros((0, 12, 12))
    ways, at = _ways(point.X, eta), model.piece_places
    theta = np.asarray(model.numbers(point.p)).T.reshape(count, NUMBERS)
    dtheta = np.asarray(model.numbers_slope(point.p, dp)).T.reshape(count, NUMBERS)
    ends, moves = ([x[at[:, first] // 6] for first in (0, 6)] for x in (point.X, ways))
    f, K, M = piece_slopes()(*ends, theta, *moves, dtheta)
    np.add.at(total, at.ravel(), f.reshape(count, 12).ravel())
    return total, K, M


def _matrices(point: _Point, rest: Rest, eta: Any, du: Any, dlam: Any, dp: Any, drests: Any) -> tuple[Any, ...]:
    model, n = point.model, eta.size
    found = point.along(1, eta, du, dlam, dp, drests)
    _, dK, dM = _piece_change(point, eta, dp)
    at, add = model.places, collect(model)
    square = [
        add(n, [(at, at, found[key])], model.piece_places, beams)
        for key, beams in (("M", dM), ("D", None), ("K", dK))
    ]
    rows = np.vstack([found["C"], found["drives"][list(rest.locked)]])[rest.equations]
    return (*square, add(n, [(None, at, rows)]))
