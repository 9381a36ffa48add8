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
from poinsot.errors import PoinsotError, require_known
from poinsot.formulations.elastic.beam_elements import piece_slopes
from poinsot.formulations.elastic.model import NUMBERS, ElasticModel, collect
from poinsot.formulations.elastic.nodal_forces import MATRICES, VALUES
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.algebra import skew
from poinsot.statics.elastic_equilibrium import Rest, model_of, rigid_motions, solve, stack
from poinsot.vibration.linear_model.record import MatrixDerivatives


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
    turned = R @ np.stack([np.asarray(skew(w)) for w in eta[:, 3:]])
    return np.concatenate([turned.transpose(0, 2, 1).reshape(-1, 9), np.einsum("kij,kj->ki", R, eta[:, :3])], axis=1)


@one_blas_thread()
def elastic_derivatives(mechanism: Mechanism, rest: Rest, names: Sequence[str]) -> MatrixDerivatives:
    """Derivatives of M, D, K and C along every named parameter."""
    names = tuple(names)
    require_known("parameter", names, mechanism.parameters)
    if _free_loads(mechanism, rest):
        raise PoinsotError("flexible links have derivatives only while no free actuator carries a load: lock them")
    model = model_of(mechanism, names)
    point = _Point(model, rest.X, rest.u, rest.lam, model.parameters(mechanism), rest.rests)
    begin = _Point(model, rest.X_begin, rest.u, rest.lam, point.p, rest.rests)
    found = [_one(begin, point, rest, model.names.index(name)) for name in names]
    return MatrixDerivatives(names, *(np.array([x[i] for x in found]) for i in range(4)))


def _free_loads(mechanism: Mechanism, rest: Rest) -> bool:
    """Whether actuators that are not locked carry more than round-off of what joints bear."""
    drives = [rest.size if a.on.unit == "m" else 1.0 for a in mechanism.elements.actuators.values()]
    free = [i for i in range(len(rest.u)) if i not in rest.locked]
    borne = np.max(np.abs(rest.terms.C.T @ rest.lam) * rest.lengths, initial=0.0)
    return bool(np.any(np.abs(rest.u * np.array(drives))[free] > 1e-9 * borne))


def _one(begin: _Point, point: _Point, rest: Rest, column: int) -> tuple[Any, ...]:
    """dM, dD, dK and dC along one parameter."""
    dp = np.zeros(len(point.p))
    dp[column] = 1.0
    eta_begin, drests = _rigid_change(begin, rest, dp)
    s_begin = begin.along(0, eta_begin, 0, 0, dp, drests)["along"].ravel()
    eta, du, dlam = _bent_change(point, rest, eta_begin, s_begin, dp, drests)
    return _matrices(point, rest, eta, du, dlam, dp, drests)


def _rigid_change(begin: _Point, rest: Rest, dp: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Twists (nodes, 6) of the undeformed nodes while the pose keeps its coordinates; change of clamped springs."""
    model, n = begin.model, 6 * len(begin.model.nodes)
    arms = np.asarray(model.arms_slope(begin.p, dp)).T
    own = np.concatenate([arms, np.zeros_like(arms)], axis=1)
    B = rigid_motions(model, begin.X)
    at = (begin.X[model.carriers].ravel(), begin.u, begin.lam, begin.p, begin.rests)
    C, naming = (np.zeros((len(x), n)) for x in (begin.model.attached.rows, rest.kept_rows))
    C[:, model.places] = np.asarray(model.attached.constraints(*at))
    naming[:, model.places] = np.asarray(model.attached.naming(*at))[rest.kept_rows]
    moved = begin.along(0, own, 0, 0, dp, 0)
    right = np.concatenate([moved["phi"].ravel(), moved["named"].ravel()[rest.kept_rows]])
    named = list(model.mesh.elements.coordinates.values())
    units = [rest.size if named[i].unit == "m" else 1.0 for i in rest.kept_rows]
    rows = 1 / np.concatenate([rest.row_sizes[: len(C)], units])
    columns = np.tile([rest.size] * 3 + [1.0] * 3, B.shape[1] // 6)
    A = (np.vstack([C, naming]) @ B) * columns * rows[:, None]
    step = columns * np.linalg.lstsq(A, -right * rows, rcond=1e-10)[0]
    eta = own + (B @ step).reshape(-1, 6)
    return eta, begin.along(0, eta, 0, 0, dp, 0)["clamped"].ravel()


def _bent_change(point: _Point, rest: Rest, eta: np.ndarray, s_begin: np.ndarray, dp: np.ndarray, drests: Any) -> Any:
    """Twists of the nodes, and changes of forces and multipliers, with what the beams add."""
    terms, held = rest.terms, list(rest.locked)
    n, m = eta.size, len(rest.lam)
    with_pieces = _piece_change(point, eta, dp)[0]
    change = point.along(0, eta, 0, 0, dp, drests)
    left = with_pieces
    left[point.model.places] += change["left"].ravel()
    right = np.concatenate([left, -change["phi"].ravel(), (s_begin - change["along"].ravel())[held]])
    step = solve(terms.K, stack(terms.C, terms.drives[held]), right, rest)
    du = np.zeros(len(rest.u))
    du[held] = -step[n + m :]
    return eta + step[:n].reshape(-1, 6), du, step[n : n + m]


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
