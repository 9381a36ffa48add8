"""A mechanism at rest: forces, constraints and stiffness in one pose, in any coordinates.

    r = Q(q, u) − C(q)ᵀ λ,        K = −∂r/∂q N        (theory/vibration, eq. 2)

K keeps the stiffness of the constraint reactions, ∂(Cᵀλ)/∂q, and that of forces that follow a body. Springs that are
clamped in their pose have their rests ρ as arguments here: one set of equations serves all poses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.formulations.generalised_forces import slope, turn, winds
from poinsot.lazy import casadi
from poinsot.spatial.algebra import is_zero
from poinsot.statics.force_sizes import force_sizes
from poinsot.system.scaled_rank import Sizes, free_motions, least_squares
from poinsot.system.stored import remembered
from poinsot.system.system import System

CLOSED = 1e-12  # of the machine's size or of a radian, up to which joints count as closed


@remembered
def balance(compiled: System) -> Balance:
    """The functions of a system at rest, made once."""
    return Balance(compiled)


class Balance:
    """Expressions and functions of (q, u, ρ, p) for a mechanism at rest."""

    def __init__(self, compiled: System):
        self.compiled, e = compiled, compiled.equations
        still = casadi.SX.zeros(e.v.shape)
        clamped = {name for name, law in e.symbols.mechanism.template.forces.items() if law.clamped}
        self.clamped = tuple(part for part in e.balance.acting if part[0].name in clamped)
        self.rho = casadi.SX.sym("rho", len(self.clamped))
        self.lam = casadi.SX.sym("lam", e.kinematics.phi.size1())
        Q, V = self._with_rests(e.balance.Q, casadi.SX(e.balance.potential))
        self.Q, self.C = casadi.substitute([Q, e.kinematics.C], [e.v], [still])
        self.potential, self.N = V, e.N
        self.J_a = casadi.densify(casadi.jacobian(self.Q, e.u).T)
        self.D = casadi.substitute(-casadi.jacobian(e.balance.Q, e.v) - self._dry_friction(), e.v, still)
        self.K = -casadi.jacobian(self.Q - self.C.T @ self.lam, e.q) @ self.N
        self.read = casadi.vertcat(*(s for _, s, _ in self.clamped)) if self.clamped else casadi.SX(0, 1)
        first = len(e.balance.acting) - e.u.size1()
        self.s_a = casadi.vertcat(*(s for _, s, _ in e.balance.acting[first:])) if e.u.size1() else casadi.SX(0, 1)

    @cached_property
    def sizes(self) -> Sizes:
        """What displacements, rows and drives are measured by."""
        return Sizes.of(self.compiled)

    def _with_rests(self, Q: Any, V: Any) -> tuple[Any, Any]:
        """Generalised forces and energy with ρ in the place of the rests at home."""
        e = self.compiled.equations
        for i, (spring, s, s_dot) in enumerate(self.clamped):
            relaxed, at = spring.relaxed_at(self.rho[i]), s
            if winds(spring, e.kinematics.direct):
                at = self.rho[i] + turn(s - self.rho[i])
            Q += casadi.jacobian(s_dot, e.v).T @ (slope(spring, s) - slope(relaxed, at))
            V += relaxed.potential(at) - spring.potential(s)
        return Q, V

    def _dry_friction(self) -> Any:
        """What the smoothed sign of dry friction adds to D: it is no damping, and no small motion overcomes it."""
        e = self.compiled.equations
        D = casadi.SX(e.v.size1(), e.v.size1())
        for law, _, s_dot in e.balance.acting:
            if not is_zero(law.dry_slope()):
                J = casadi.jacobian(s_dot, e.v)
                D += J.T @ J * law.dry_slope()
        return D

    @cached_property
    def forces(self) -> Any:
        """(q, u, ρ, p) -> Q, Φ, C, potential, J_a, s_a."""
        e = self.compiled.equations
        outputs = [self.Q, e.kinematics.phi, self.C, self.potential, self.J_a, self.s_a]
        return casadi.Function("forces", [e.q, e.u, self.rho, e.p], outputs)

    @cached_property
    def terms(self) -> Any:
        """(q, u, ρ, p) -> moduli of the terms that are summed up in each generalised force (nv, 1)."""
        e = self.compiled.equations
        rests = {part[0].name: self.rho[i] for i, part in enumerate(self.clamped)}
        return casadi.Function("terms", [e.q, e.u, self.rho, e.p], [force_sizes(e, self.sizes.machine, rests)])

    @cached_property
    def stiffness(self) -> Any:
        """(q, u, λ, ρ, p) -> K."""
        e = self.compiled.equations
        return casadi.Function("stiffness", [e.q, e.u, self.lam, self.rho, e.p], [self.K])

    @cached_property
    def inertia(self) -> Any:
        """(q, p) -> M, D."""
        e = self.compiled.equations
        return casadi.Function("inertia", [e.q, e.p], [e.balance.M, self.D])

    @cached_property
    def _rests(self) -> Any:
        e = self.compiled.equations
        return casadi.Function("rests", [e.q, e.p], [self.read])

    def rests(self, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Rests ρ of the clamped springs (k,) when they are relaxed at q  [m or rad]."""
        return np.asarray(self._rests(q, p)).ravel()


@dataclass(frozen=True, eq=False)
class Given:
    """What is given where a mechanism rests."""

    u: np.ndarray  # (nu,) forces of the actuators that are not solved for
    solved: tuple[int, ...]  # actuators whose force balance decides
    held: tuple[int, ...]  # actuators whose coordinate does not move
    at: np.ndarray  # where they hold it
    rho: np.ndarray  # rests of the clamped springs
    p: np.ndarray


class Point:
    """Forces, constraints and stiffness at one pose; forces in least squares where they do not balance.

    Balance and ranks are decided at natural sizes: forces times displacements of natural size are energies.
    """

    def __init__(self, functions: Balance, q: np.ndarray, given: Given):
        self.q, self.given, self.functions = q, given, functions
        held, solved, sizes = list(given.held), list(given.solved), functions.sizes
        u = given.u.copy()
        u[solved] = 0.0
        values = [np.asarray(x) for x in functions.forces(q, u, given.rho, given.p)]
        Q, phi, C, energy, J_a, s_a = values
        Q, phi, self.energy = Q.ravel(), phi.ravel(), energy.item()
        C, J_a = C.reshape(len(phi), len(Q)), J_a.reshape(len(u), len(Q))
        self.C, self.J_a = C, J_a
        self.rows = np.vstack([C, J_a[held]])
        self.row_sizes = np.concatenate([sizes.rows, sizes.drives[held]])
        self.phi = np.concatenate([phi, (s_a.ravel()[held] - given.at)])
        joints, drives = C * sizes.speeds / sizes.rows[:, None], J_a * sizes.speeds / sizes.drives[:, None]
        if solved:
            B = free_motions(joints)
            pushed = least_squares((drives[solved] @ B).T, -B.T @ (Q * sizes.speeds))
            u[solved] = pushed / sizes.drives[solved]
        Q = Q + J_a[solved].T @ u[solved]
        self.u, self.Q = u, Q
        self.lam = least_squares(joints.T, Q * sizes.speeds) / sizes.rows
        self.left = Q - C.T @ self.lam
        self.residual = float(np.max(np.abs(self.left), initial=0.0))

    @cached_property
    def motions(self) -> np.ndarray:
        """Motions (nv, k) that joints and locked actuators leave, at natural sizes."""
        return free_motions(self.rows * self.functions.sizes.speeds / self.row_sizes[:, None])

    @cached_property
    def free(self) -> np.ndarray:
        """The same motions (nv, k) as displacements  [m or rad]."""
        return self.functions.sizes.speeds[:, None] * self.motions

    @cached_property
    def force(self) -> np.ndarray:
        """Work (k,) of all forces along the free motions  [J]."""
        return self.free.T @ self.Q

    @cached_property
    def terms(self) -> np.ndarray:
        """Moduli (k,) of what is summed up in `force`  [J]."""
        own = np.asarray(self.functions.terms(self.q, self.u, self.given.rho, self.given.p)).ravel()
        return np.abs(self.free).T @ own

    @property
    def imbalance(self) -> float:
        """Largest force along a free motion, as a fraction of the terms that are summed up in it."""
        return float(np.max(np.abs(self.force) / np.where(self.terms > 0, self.terms, np.inf), initial=0.0))

    @property
    def gap(self) -> float:
        """How far joints are open, as a fraction of the machine's size or in radians."""
        return float(np.max(np.abs(self.phi / self.row_sizes), initial=0.0))

    @cached_property
    def K(self) -> np.ndarray:
        """−∂(Q − Cᵀλ)/∂q N (nv, nv)."""
        n = len(self.Q)
        return np.asarray(self.functions.stiffness(self.q, self.u, self.lam, self.given.rho, self.given.p)).reshape(
            n, n
        )

    def settles(self, tolerance: float) -> bool:
        """Whether joints are closed and what is left of the forces is round-off of their terms."""
        return self.gap < CLOSED and self.imbalance <= tolerance
