"""Equilibrium: the pose in which a mechanism rests, or the forces that hold it in a given pose.

    r(q, λ) = Q(q, 0, u) − C(q)ᵀ λ = 0,        Φ(q) = 0

Newton on both, with the stiffness K = −∂r/∂q N, which contains that of the constraint reactions. A pose is stable
when K is positive on the motions that the constraints leave.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.analysis.inverse_dynamics import inverse_dynamics
from poinsot.analysis.kinematics import require_count
from poinsot.analysis.state import state
from poinsot.analysis.system import System, start, system
from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, by_name
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.spatial.pose import Pose

__all__ = ["Equilibrium", "equilibrium", "hold"]

TOLERANCE = 1e-11  # of the largest generalised force
STEP = 0.3  # largest change of a coordinate in one step  [m or rad]


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pose in which a mechanism rests."""

    poses: dict[str, Pose]  # X_WB of every body
    coordinates: dict[str, float]  # coordinates that the model file names  [m or rad]
    forces: dict[str, float]  # by actuator, as given  [N or N·m]
    multipliers: np.ndarray  # (m,)
    residual: float  # largest generalised force that is left  [N or N·m]
    stiffness: np.ndarray  # eigenvalues of K on the free motions (mobility,), smallest first
    energy: float  # potential  [J]

    @property
    def stable(self) -> bool:
        """Whether the pose is a minimum of the potential energy."""
        return bool(np.all(self.stiffness > 0))

    def __str__(self) -> str:
        named = ", ".join(f"{name} = {value:.6g}" for name, value in self.coordinates.items())
        kind = "stable" if self.stable else "not stable"
        return f"{kind} equilibrium at {named or 'the assembled pose'}, residual {self.residual:.1e}"


def hold(mechanism: Mechanism, pose: Mapping[str, float] | None = None) -> dict[str, float]:
    """Actuator forces [N or N·m] that hold a mechanism at rest in a pose of all its freedoms.

    >>> import poinsot
    >>> round(poinsot.hold(poinsot.load("hexapod"))["leg1"], 6)
    8.510397
    """
    given = by_name(pose, "a pose is", "{'x': 0.1}")
    pose = dict(require_mechanism(mechanism).elements.pose if pose is None else given)
    require_count(system(mechanism), tuple(pose))
    found = inverse_dynamics(mechanism, pose, [0.0])
    return {name: float(force[0]) for name, force in found.forces.items()}


@one_blas_thread()
def equilibrium(
    mechanism: Mechanism,
    *,
    pose: Mapping[str, float] | None = None,
    forces: Mapping[str, float] | None = None,
    formulation: str = "joint",
    iterations: int = 200,
) -> Equilibrium:
    """The pose, near a given one, in which gravity, springs, loads and given actuator forces balance.

    >>> import poinsot
    >>> rest = poinsot.equilibrium(poinsot.load("pendulum"), pose={"phi": 0.8})
    >>> abs(rest.coordinates["phi"]) < 1e-9, rest.stable
    (True, True)
    """
    begin = start(require_mechanism(mechanism), by_name(pose, "a pose is", "{'x': 0.1}") or None)
    compiled = system(mechanism, formulation, home=begin)
    forces = by_name(forces, "forces are", "{'A': 2.0}")
    given = {name: compiled.command(name, value) for name, value in forces.items()}
    u = np.array([given.get(name, 0.0) for name in compiled.commands])
    p = compiled.parameters(mechanism, begin.poses)
    q, _ = state(compiled, begin, p, None)
    balance, scale = _balance(compiled), 1e-9
    for _ in range(iterations):
        point = _Point(balance(q, u, p))
        scale = max(scale, point.scale)
        if point.settles(scale):
            return _result(compiled, q, u, p, point)
        q = _step(compiled, balance, q, u, p, point)
    raise PoinsotError(
        f"no equilibrium was found near the given pose in {iterations} steps: a force of {point.residual:.1e} is left"
    )


class _Point:
    """Forces, constraints and stiffness at one pose."""

    def __init__(self, values: Any):
        Q, self.phi, C, self.energy, H = (np.asarray(x) for x in values[:5])
        self.Q, self.phi, self.energy = Q.ravel(), self.phi.ravel(), self.energy.item()
        self.C = C.reshape(len(self.phi), len(self.Q))
        self.slopes = H.reshape(len(self.Q), -1)  # ∂Q/∂q N
        self.curvature = values[5]
        self.lam = np.linalg.lstsq(self.C.T, self.Q, rcond=1e-12)[0] if len(self.phi) else np.zeros(0)
        left = self.Q - self.C.T @ self.lam
        self.residual = float(np.max(np.abs(left), initial=0.0))
        self.scale = float(np.max(np.abs([self.Q, self.C.T @ self.lam]), initial=0.0))
        self.K = -(self.slopes - np.asarray(self.curvature(self.lam)))
        _, s, Vt = np.linalg.svd(self.C) if len(self.phi) else (None, np.zeros(0), np.eye(len(self.Q)))
        self.free = Vt[int(np.sum(s > 1e-10 * max(s[0], 1e-300))) if len(s) else 0 :]
        self.force = self.free @ left

    def settles(self, scale: float) -> bool:
        """Whether what is left is round-off of forces of a size."""
        return self.residual < TOLERANCE * scale and float(np.max(np.abs(self.phi), initial=0.0)) < 1e-12


def _step(compiled: System, balance: Any, q: np.ndarray, u: np.ndarray, p: np.ndarray, point: _Point) -> np.ndarray:
    """Towards the minimum of the energy: Newton with the curvature made positive, and a line search."""
    K = point.free @ point.K @ point.free.T
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    largest, force = (np.max(np.abs(x), initial=1e-300) for x in (values, point.force))
    curvature = np.maximum(np.abs(values), max(1e-9 * largest, 1e-3 * force))
    move = point.free.T @ (vectors @ ((vectors.T @ point.force) / curvature))
    move -= np.linalg.pinv(point.C) @ point.phi if len(point.phi) else 0.0
    move *= min(1.0, STEP / max(np.max(np.abs(move), initial=0.0), 1e-300))
    for _ in range(12):
        moved = compiled.displaced(q, move, p)
        trial = _Point(balance(moved, u, p))
        if trial.residual < 2 * point.residual:
            return moved
        move = move / 2
    return moved


def _balance(compiled: System) -> Any:
    """(q, u, p) -> Q, Φ, C, energy, ∂Q/∂q N, and the map λ -> ∂(Cᵀλ)/∂q N."""
    import casadi

    if "balance" not in compiled._kernels:
        e = compiled.equations
        rest = casadi.SX.zeros(e.v.shape)
        N = casadi.jacobian(e.q_dot, e.v)
        lam = casadi.SX.sym("lam", e.phi.size1())
        Q, C = casadi.substitute([e.Q, e.C], [e.v], [rest])
        outputs = [Q, e.phi, C, casadi.SX(e.potential), casadi.jacobian(Q, e.q) @ N]
        forces = casadi.Function("balance", [e.q, e.u, e.p], outputs)
        curved = casadi.Function("curved", [e.q, e.p, lam], [casadi.jacobian(C.T @ lam, e.q) @ N])
        compiled._kernels["balance"] = lambda q, u, p: [*forces(q, u, p), lambda x: curved(q, p, x)]
    return compiled._kernels["balance"]


def _result(compiled: System, q: np.ndarray, u: np.ndarray, p: np.ndarray, point: _Point) -> Equilibrium:
    position, rotation = compiled.poses(q[None], p)
    poses = {name: Pose(rotation[name][0], position[name][0]) for name in position}
    elements = compiled.equations.symbols.mechanism.elements
    with_ground = {**poses, "ground": Pose.identity()}
    K = point.free @ point.K @ point.free.T
    return Equilibrium(
        poses=poses,
        coordinates={n: float(c.value(with_ground, elements.joints)) for n, c in elements.coordinates.items()},
        forces=dict(zip(compiled.commands, u.tolist())),
        multipliers=point.lam,
        residual=point.residual,
        stiffness=np.linalg.eigvalsh((K + K.T) / 2),
        energy=point.energy,
    )
