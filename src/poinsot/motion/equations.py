"""Equations of a prescribed motion: what bodies do, and the actuator forces and multipliers that it takes.

B u − Cᵀ λ = M v̇ − Q₀        least forces, measured by weights, where there are more actuators than freedoms
(theory/dynamics, eq. 13)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poinsot.engine import kkt
from poinsot.lazy import casadi
from poinsot.motion.reactions import columns
from poinsot.system.stored import remembered, stored

if TYPE_CHECKING:
    from poinsot.engine import Factor
    from poinsot.system.system import System


@dataclass(frozen=True, eq=False)
class InverseSolution:
    """Forces of a prescribed motion as symbols, with the factor for further right-hand sides."""

    a: casadi.SX  # symbols of v̇ (nv, 1)
    w: casadi.SX  # symbols of the actuators' weights (nu, 1)
    u: casadi.SX  # actuator forces as expressions of (q, v, v̇, w, p) (nu, 1)
    lam: casadi.SX  # multipliers, likewise (m, 1)
    B: casadi.SX  # generalised forces of unit actuator forces (nv, nu)
    factor: Factor  # of [[B W⁻¹ Bᵀ + CᵀC, Cᵀ], [C, 0]]


@remembered
def inverse_solution(compiled: System) -> InverseSolution:
    """Actuator forces and multipliers of a prescribed motion as symbols, made once."""
    e = compiled.equations
    a, w = casadi.SX.sym("a", e.v.size1()), casadi.SX.sym("w", e.u.size1())
    B = casadi.jacobian(e.balance.Q, e.u)
    Q0 = casadi.substitute(e.balance.Q, e.u, casadi.SX.zeros(e.u.shape))
    drives = B @ casadi.diag(1 / w) @ B.T
    dynamics = compiled.dynamics
    targets, weights = casadi.SX(e.kinematics.phi.size1(), 1), dynamics.all_weighted(drives)
    solved = kkt(drives, e.kinematics.C, e.balance.M @ a - Q0, targets, dynamics.order, weights)
    u, lam = (B.T @ solved.acceleration) / w, -solved.multipliers
    return InverseSolution(a, w, u, lam, B, solved.factor)


@stored
def inverse_function(compiled: System) -> casadi.Function:
    """(q, v, v̇, weights, p) -> u, λ, check, reactions and rates of the actuated coordinates."""
    e = compiled.equations
    s = inverse_solution(compiled)
    a, w, u, lam = s.a, s.w, s.u, s.lam
    rates = [rate for _, _, rate in e.balance.acting[len(e.balance.acting) - e.u.size1() :]]
    flat = casadi.substitute(casadi.vertcat(columns(e, a, lam), *rates), e.u, casadi.densify(u))
    return casadi.Function("inverse", [e.q, e.v, a, w, e.p], [u, lam, s.factor.check, flat])


@stored
def body_motions(compiled: System) -> casadi.Function:
    """(q, v, v̇, p) -> velocities and accelerations of all bodies, named coordinates and their rates."""
    e = compiled.equations
    a = casadi.SX.sym("a", e.v.size1())
    columns = []
    for name in compiled.mechanism.template.bodies:
        for moving in e.world_twist(name):
            columns += [moving, e.rate(moving, a)]
    named = [compiled.coordinate(name)[k] for k in (0, 1) for name in compiled.elements.coordinates]
    outputs = [casadi.vertcat(*columns), casadi.vertcat(*named) if named else casadi.SX(0, 1)]
    return casadi.Function("observed", [e.q, e.v, a, e.p], outputs)
