"""What is physically possible: inertia matrices of all bodies, linear in the unknowns, and limits of the others.

P_i(φ) ⪰ 0,    φ_l ≤ φ ≤ φ_u       P the pseudo-inertia, in the plane [[J, h], [hᵀ, m 1]]  (theory/estimation, eq. 11)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.estimate.unknowns import PAYLOAD, Unknowns
from poinsot.identifiability.linear import LinearParameter, force_name, labels
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.inertia import planar_inertia, pseudo_inertia

POINT = 1e-6  # of the machine's size, below which the radius of gyration of a body says nothing of its size
PART = 0.1  # of the machine's size, that stands for it then
CURVED = 1e-5  # least eigenvalue of a scaled inertia matrix, at which the curvature of log det is taken
SINGULAR = 1e-9  # eigenvalue of a scaled inertia matrix, below which a body is impossible


@dataclass(frozen=True, eq=False)
class BodyInertia:
    """Inertia matrix P(φ) = C + Σ φ_k A_k of a body, or of what a payload adds to it; n = 4, in the plane 3, or less.

    Scaled, P̃ = S⁻¹ P S⁻ᵀ with S Sᵀ that of a round body of the model's mass, centre and radius of gyration.
    """

    name: str
    constant: np.ndarray  # S⁻¹ C S⁻ᵀ (n, n)
    slopes: np.ndarray  # S⁻¹ A S⁻ᵀ (k, n, n)
    missing: tuple[str, ...]  # patterns of its parameters that are no unknowns

    @property
    def whole(self) -> bool:
        """Whether all its parameters are unknowns."""
        return not self.missing

    def is_impossible(self, phi: np.ndarray) -> bool:
        """Whether no body has such unknowns (k,)."""
        return self.least(phi) < -SINGULAR

    def scaled(self, phi: np.ndarray) -> np.ndarray:
        """P̃ (n, n) for unknowns (k,)."""
        return self.constant + np.tensordot(phi, self.slopes, 1)

    def least(self, phi: np.ndarray) -> float:
        """The least eigenvalue of P̃."""
        return float(np.linalg.eigvalsh(self.scaled(phi))[0])


@dataclass(frozen=True, eq=False)
class Possible:
    """All that k unknowns must fulfil."""

    bodies: tuple[BodyInertia, ...]
    lower: np.ndarray  # (k,)  [SI]
    upper: np.ndarray  # (k,)  [SI]
    size: np.ndarray  # (k,) by how much the unknowns may reasonably differ  [SI]
    inertial: np.ndarray  # (k,) whether it is a parameter of a body

    def curvature(self, phi: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Second derivatives (j, j) of −Σ log det P̃_i at unknowns (k,) along directions (k, j)."""
        H = np.zeros((slopes.shape[1], slopes.shape[1]))
        for body in self.bodies:
            value, vectors = np.linalg.eigh(body.scaled(phi))
            W = (vectors / np.sqrt(np.maximum(value, CURVED))).T
            changes = (W @ np.tensordot(slopes, body.slopes, (0, 0)) @ W.T).reshape(len(H), -1)
            H += changes @ changes.T
        return H

    def defects(self, phi: np.ndarray, names: tuple[str, ...]) -> tuple[str, ...]:
        """Bodies that no matter can have, and parameters beyond their limits."""
        bad = tuple(f"body '{body.name}'" for body in self.bodies if body.is_impossible(phi))
        slack = SINGULAR * self.size
        beyond = (phi < self.lower - slack) | (phi > self.upper + slack)
        return bad + tuple(f"'{name}'" for name, out in zip(names, beyond) if out)


def possible(unknowns: Unknowns, linear: Sequence[LinearParameter], length: float, alone: np.ndarray) -> Possible:
    """What unknowns must fulfil, given as k linear parameters, in a machine of some size [m].

    `alone` (k,) are values with which each by itself would give as much as was measured: the size of those that are
    no inertia  [SI].
    """
    owners = {(p.owner, p.name.startswith(PAYLOAD)): None for p in linear if p.table == "bodies"}
    scales = {owner: _scale(unknowns.mechanism, owner, length) for owner, _ in owners}
    bodies = tuple(_body(unknowns.mechanism, linear, owner, payload, scales[owner]) for owner, payload in owners)
    limits = [_limits(unknowns.mechanism, p) for p in linear]
    given = unknowns.given
    inertial = np.array([p.table == "bodies" for p in linear], bool)
    reach = np.array([_reach(scales[p.owner], p) if p.table == "bodies" else 0.0 for p in linear])
    return Possible(
        bodies,
        np.array([max(low, one.lower) for (low, _), one in zip(limits, given)]),
        np.array([min(high, one.upper) for (_, high), one in zip(limits, given)]),
        np.where(inertial, reach, _sizes(alone, unknowns.model)),
        inertial,
    )


def _body(
    mechanism: Mechanism, linear: Sequence[LinearParameter], owner: str, payload: bool, S: np.ndarray
) -> BodyInertia:
    """The inertia matrix of a body as a function of all unknowns."""
    matrix = planar_inertia if mechanism.planar else pseudo_inertia
    ten = np.zeros(10) if payload else np.asarray(mechanism.bodies[owner].inertial_parameters(), float).ravel()
    slopes, own = np.zeros((len(linear), len(S), len(S))), set()
    for k, p in enumerate(linear):
        if p.table == "bodies" and p.owner == owner and p.name.startswith(PAYLOAD) == payload:
            ten[p.place[1]] = 0.0
            slopes[k] = matrix(np.eye(10)[p.place[1]])
            own.add(p.place[1])
    T = np.linalg.inv(S)
    constant, slopes = T @ matrix(ten) @ T.T, T @ slopes @ T.T
    V = _range(constant, slopes)
    name = f"{PAYLOAD}{owner}" if payload else owner
    return BodyInertia(name, V.T @ constant @ V, V.T @ slopes @ V, _missing(mechanism, owner, own))


def _missing(mechanism: Mechanism, owner: str, own: set[int]) -> tuple[str, ...]:
    """Patterns of the parameters of a body that are not among its own, by number among the ten."""
    missing = [label for label, i in labels(mechanism.planar).items() if i not in own]
    patterns = {"m": "m", "mx": "m[xyz]", "my": "m[xyz]", "mz": "m[xyz]", "J": "J"}
    return tuple(dict.fromkeys(f"{owner}.{patterns.get(label, 'I*')}" for label in missing))


def _range(constant: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Directions (n, p) in which the matrix is not zero whatever the unknowns: a payload may be a mass alone."""
    U, s, _ = np.linalg.svd(np.hstack([constant, *slopes]))
    return U[:, s > SINGULAR * s[0]]


def _scale(mechanism: Mechanism, owner: str, length: float) -> np.ndarray:
    """S (n, n) of a body: its mass, centre and radius of gyration; those of a part of the machine if it has none."""
    body = mechanism.bodies[owner]
    masses = [float(other.mass) for other in mechanism.bodies.values()]
    m = float(body.mass) or max(masses, default=0.0) or 1.0
    J = np.asarray(body.inertia_about_centre(), float)
    square = abs(J[2, 2] if mechanism.planar else np.trace(J) / 6) / m
    radius = np.sqrt(square) if square > (POINT * length) ** 2 else PART * length
    c = np.asarray(body.com, float)
    if mechanism.planar:
        move = np.array([[1.0, c[0], c[1]], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        return np.sqrt(m) * move @ np.diag([radius, 1.0, 1.0])
    move = np.eye(4)
    move[:3, 3] = c
    return np.sqrt(m) * move @ np.diag([radius, radius, radius, 1.0])


def _reach(S: np.ndarray, p: LinearParameter) -> float:
    """Mass × lengthⁿ of a body with the scale S, about its origin."""
    P = S @ S.T
    m, second = (P[1, 1], P[0, 0]) if len(P) == 3 else (P[3, 3], np.trace(P[:3, :3]))
    return float(m * (second / m) ** (p.order / 2))


def _limits(mechanism: Mechanism, p: LinearParameter) -> tuple[float, float]:
    """Least and largest value of a parameter: bounds of the model file, and signs that a law cannot have."""
    if p.table == "parameters" or p.name.startswith(PAYLOAD) or (p.table == "bodies" and p.place[1]):
        return -np.inf, np.inf
    law = mechanism.template.forces[p.owner] if p.table == "forces" else None
    name = f"{p.owner}.mass" if p.table == "bodies" else force_name(law, p.place[0]) if law else p.name
    shared = {copy: entry for entry in mechanism.parameters.values() for copy in entry.copies}
    entry = mechanism.parameters[name] if name in mechanism.parameters else shared.get(name)
    if entry is not None:
        return entry.lower, entry.upper
    signed = law is None or p.place[0] not in (*law.nonnegative, *law.nonnegative_unless_bounded)
    return (-np.inf if signed else 0.0), np.inf


def _sizes(alone: np.ndarray, start: np.ndarray) -> np.ndarray:
    found = np.maximum(alone, np.abs(start))
    return np.where(found > 0, found, 1.0)
