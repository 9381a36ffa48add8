"""Equations of a prescribed motion: what bodies do, and the forces that it takes.

B u − Cᵀ λ = M v̇ − Q₀        least forces, measured by weights, where there are more actuators than freedoms
(theory/dynamics, eq. 13)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poinsot import formulations
from poinsot.engine import kkt
from poinsot.engine.linear.sparse_ldl import ZeroPivotError
from poinsot.errors import PoinsotError
from poinsot.lazy import casadi
from poinsot.system.conditioning import freest
from poinsot.system.stored import remembered, stored, stored_parts

if TYPE_CHECKING:
    from poinsot.engine import Factor
    from poinsot.formulations.equations import Equations
    from poinsot.system.system import System

SINGULAR = 1e-12  # check value of the solution below which the actuators do not hold the mechanism
DOUBTFUL = 1e-16  # of the mean of what holds the speeds, at natural sizes: entries of 1e-8, squared


@dataclass(frozen=True, eq=False)
class InverseSolution:
    """Forces of a prescribed motion as symbols, with the factor for further right-hand sides."""

    a: casadi.SX  # symbols of v̇ (nv, 1)
    w: casadi.SX  # symbols of the actuators' weights (nu, 1)
    u: casadi.SX  # actuator forces as expressions of (q, v, v̇, w, p) (nu, 1)
    lam: casadi.SX  # multipliers, likewise (m, 1)
    B: casadi.SX  # generalised forces of unit actuator forces (nv, nu)
    factor: Factor  # of [[B W⁻¹ Bᵀ + CᵀC, Cᵀ], [C, 0]]
    check: casadi.SX  # 1 is perfect; that of the factor, or less where drives and joints hold a speed by round-off


@remembered
def inverse_solution(compiled: System) -> InverseSolution:
    """Actuator forces and multipliers of a prescribed motion as symbols, made once."""
    e = compiled.equations
    a, w = casadi.SX.sym("a", e.v.size1()), casadi.SX.sym("w", e.u.size1())
    rates = [rate for _, _, rate in e.balance.acting[len(e.balance.acting) - e.u.size1() :]]
    B = casadi.jacobian(casadi.vertcat(casadi.SX(0, 1), *rates), e.v).T
    Q0 = casadi.substitute(e.balance.Q, e.u, casadi.SX.zeros(e.u.shape))
    drives = B @ casadi.diag(1 / w) @ B.T
    dynamics = compiled.dynamics
    targets, weights = casadi.SX(e.kinematics.phi.size1(), 1), dynamics.all_weighted(drives)
    try:
        solved = kkt(drives, e.kinematics.C, e.balance.M @ a - Q0, targets, dynamics.order, weights)
    except ZeroPivotError:
        on = {name: actuator.on for name, actuator in compiled.mechanism.actuators.items()}
        loose, _ = freest(compiled, compiled.home.poses, on)
        raise PoinsotError(
            f"the actuators ({', '.join(compiled.commands)}) do not hold the mechanism: with them locked {loose} can "
            "still move, condition number inf"
        ) from None
    u, lam = (B.T @ solved.acceleration) / w, -solved.multipliers
    check = casadi.fmin(solved.check, _held(solved.factor, e.graph.scales, drives))
    return InverseSolution(a, w, formulations.commanded(e, u), lam, B, solved.factor, check)


def _held(factor: Factor, scales: np.ndarray, drives: casadi.SX) -> casadi.SX:
    """How well drives and joints hold every speed, at natural sizes; 1 where that is beyond doubt.

    A pivot is a sum of squares of what engages a speed: of entries that are round-off it is as large as its terms.
    """
    n = len(scales)
    mean = casadi.dot(casadi.diag(drives), scales**2) / n
    pivots = dict(zip(factor.order, factor.pivots))
    least = casadi.SX(1.0)
    for k in range(n):
        least = casadi.fmin(least, pivots[k] * (scales[k] ** 2 / DOUBTFUL) / mean)
    return least


def columns(e: Equations, a: casadi.SX, lam: casadi.SX) -> casadi.SX:
    """Reactions of all joints, then forces of all couplings, as one column of symbols (6 j + c, 1), in the model's
    order."""
    wrenches = formulations.joint_reactions(e, a, lam)
    ordered = [wrenches[name] for name in e.symbols.elements.joints]
    parts = [casadi.vertcat(casadi.SX(W.f), casadi.SX(W.n)) for W in ordered]
    return casadi.vertcat(*parts, *formulations.coupling_forces(e, lam))


@stored
def inverse_function(compiled: System) -> casadi.Function:
    """(q, v, v̇, weights, p) -> u, λ, check, reactions, forces of couplings and rates of the actuated coordinates."""
    e = compiled.equations
    s = inverse_solution(compiled)
    a, w, u, lam = s.a, s.w, s.u, s.lam
    rates = [rate for _, _, rate in e.balance.acting[len(e.balance.acting) - e.u.size1() :]]
    flat = casadi.substitute(casadi.vertcat(columns(e, a, lam), *rates), e.u, casadi.densify(u))
    return casadi.Function("inverse", [e.q, e.v, a, w, e.p], [u, lam, s.check, flat])


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


@stored
def named_coordinates(compiled: System) -> casadi.Function:
    """(q, v, p) -> named coordinates and their rates."""
    e = compiled.equations
    along = [compiled.coordinate(name) for name in compiled.elements.coordinates]
    outputs = [casadi.vertcat(casadi.SX(0, 1), *(casadi.SX(x[j]) for x in along)) for j in (0, 1)]
    return casadi.Function("named", [e.q, e.v, e.p], outputs)


@stored
def drive_motions(compiled: System) -> casadi.Function:
    """(q, v, v̇, p) -> rates of all actuated coordinates, then their accelerations, in one column."""
    e = compiled.equations
    a = casadi.SX.sym("a", e.v.size1())
    rates = [compiled.along(actuator.on)[1] for actuator in compiled.elements.actuators.values()]
    flat = casadi.vertcat(casadi.SX(0, 1), *rates, *(e.rate(rate, a) for rate in rates))
    return casadi.Function("drives", [e.q, e.v, a, e.p], [casadi.densify(flat)])


def jacobians(compiled: System, outputs: tuple[str, ...]) -> casadi.Function:
    """(q, p) -> C, and rates per speed of the actuated coordinates, of the outputs and of all that have names."""
    e, elements = compiled.equations, compiled.elements
    driven = [compiled.along(actuator.on)[1] for actuator in elements.actuators.values()]
    named = ([compiled.coordinate(name)[1] for name in names] for names in (outputs, elements.coordinates))
    columns = [casadi.vertcat(casadi.SX(0, 1), *rates) for rates in (driven, *named)]
    slopes = [casadi.densify(casadi.jacobian(rates, e.v)) for rates in columns]
    return casadi.Function("J", [e.q, e.p], [e.kinematics.C, *slopes])


@stored_parts
def rigid_stop_angles(compiled: System) -> tuple[dict[str, casadi.Function], dict[str, list[bool]]]:
    """Rigid end stops by name: whether the parts of their coordinates are angles that are read off poses."""
    direct, found = compiled.equations.kinematics.direct, {}
    for name, law in compiled.elements.forces.items():
        if law.clearance(law.centre) is not None:
            angles = formulations.angles_read(law.on, direct)
            found[name] = [part in angles for part in law.on.parts]
    return {}, found


@stored
def rigid_stop_parts(compiled: System) -> casadi.Function:
    """(q, v, p) -> the parts of the coordinates of all rigid end stops, and their rates."""
    e, forces = compiled.equations, compiled.elements.forces
    along = [compiled.along(part) for name in rigid_stop_angles(compiled).facts for part in forces[name].on.parts]
    outputs = [casadi.vertcat(*(casadi.SX(x[j]) for x in along)) for j in (0, 1)]
    return casadi.Function("stops", [e.q, e.v, e.p], outputs)
