"""Equations of a mechanism at rest: forces, constraints and stiffness, in any coordinates.

    r = Q(q, u) − C(q)ᵀ λ,        K = −∂r/∂q N        (theory/vibration, eq. 2)

K keeps the stiffness of the constraint reactions, ∂(Cᵀλ)/∂q, and that of forces that follow a body. Springs that are
clamped in their pose have their rests ρ as arguments here: one set of equations serves all poses.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.formulations.generalised_forces import curvature, slope, transmitted, turn, winds
from poinsot.lazy import casadi
from poinsot.spatial.algebra import is_zero, vector
from poinsot.spatial.motion import carry_twist
from poinsot.spatial.pose import Pose
from poinsot.system.scaled_rank import Sizes
from poinsot.system.stored import remembered

if TYPE_CHECKING:
    from poinsot.formulations.equations import Equations
    from poinsot.system.system import System

CENTRES = 1e-4  # ε: of the machine's size, so that round-off in sums of lengths is far below T


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
        first, x = len(e.balance.acting) - e.u.size1(), casadi.SX.sym("s_dot")
        for k, (drive, _, s_dot) in enumerate(e.balance.acting[first:]):
            arriving = casadi.SX(transmitted((law for law, _, _ in e.balance.acting[:first]), drive, e.u[k], x))
            J, slope_at_rest = casadi.jacobian(s_dot, e.v), casadi.substitute(casadi.jacobian(arriving, x), x, 0)
            D -= J.T @ J * slope_at_rest
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


def force_sizes(e: Equations, size: float, rests: Mapping[str, Any]) -> Any:
    """How large the terms are that are summed up in each generalised force: T (nv, 1) as symbols  [N or N·m].

        T_i = Σ m|g| (|∂p/∂x_i| + ε ℓ |∂θ/∂x_i|) + Σ (|V'| + |V''| ℓ + |F| + |u|) |∂s/∂x_i|
              + Σ |f| |∂p/∂x_i| + |n| |∂θ/∂x_i|

    over bodies with mass centres p, laws along coordinates s with natural sizes ℓ, and loads. A generalised force far
    below T is round-off, whatever the units and however light the part of the machine that it moves. Centres are sums
    of lengths of the machine: of one on the axis that its body turns about, ε ℓ says what may be left. `size` of the
    machine [m]; `rests` of clamped springs by their names.
    """
    elements = e.symbols.elements
    total = casadi.SX(e.v.size1(), 1)
    weight = _length(vector(*elements.gravity))
    for name, body in elements.bodies.items():
        V = carry_twist(Pose(np.eye(3), vector(*body.com)), e.kinematics.twists[name])
        total += casadi.fabs(body.mass) * weight * (_columns(V.v, e) + CENTRES * size * _columns(V.w, e))
    for k, part in enumerate(e.balance.acting):
        total += casadi.fabs(casadi.jacobian(part[2], e.v)).T * _law_size(e, k, size, rests)
    for load in elements.loads.values():
        V = load.twist(e.kinematics.twists[load.at.body])
        total += _length(vector(*load.force)) * _columns(V.v, e) + _length(vector(*load.moment)) * _columns(V.w, e)
    return casadi.densify(casadi.substitute(total, e.v, casadi.SX.zeros(e.v.shape)))


def _law_size(e: Equations, k: int, size: float, rests: Mapping[str, Any]) -> Any:
    """Modulus of the force of a law along its coordinate, and of what a displacement of natural size adds to it."""
    law, s, s_dot = e.balance.acting[k]
    first = len(e.balance.acting) - e.u.size1()
    if k >= first:
        return casadi.fabs(e.u[k - first])
    relaxed = law.relaxed_at(rests[law.name]) if law.name in rests else law
    length = size if law.on.unit == "m" else 1.0
    own = casadi.fabs(slope(relaxed, s)) + casadi.fabs(curvature(relaxed, s)) * length
    return own + casadi.fabs(casadi.SX(law.force(s, s_dot)))


def _length(x: Any) -> Any:
    return casadi.norm_2(casadi.SX(x))


def _columns(rate: Any, e: Equations) -> Any:
    """Euclidean length (nv, 1) of every column of ∂rate/∂v."""
    J = casadi.jacobian(casadi.SX(rate), e.v)
    return casadi.sqrt(casadi.sum1(J**2)).T
