"""Derivatives along a driven motion, as symbols: one adjoint pass for any scalar of (q, v, v̇).

[C; J] v = [0; ṡ],  [C; J] v̇ = γ(q, v) + [0; s̈],  δq = N [C; J]⁻¹ [0; δs]: with A = [C; J], a scalar with the
gradients (g_q, g_v, g_a) has, with respect to s, ṡ, s̈, those that three solutions with Aᵀ give
(theory/design, eq. 23).
"""

from __future__ import annotations

from typing import Any

from poinsot.experiment.limits import Quantity, coordinate_of
from poinsot.identifiability.channels import MeasuredChannel
from poinsot.identifiability.linear import LinearParameter
from poinsot.identifiability.rows import regressor_rows
from poinsot.lazy import casadi
from poinsot.motion.driven import driven
from poinsot.motion.equations import inverse_solution
from poinsot.system.stored import stored
from poinsot.system.system import System

Limited = tuple[str, str]  # owner of a limit and quantity


@stored
def regressor_function(
    compiled: System, measured: tuple[MeasuredChannel, ...], parameters: tuple[LinearParameter, ...]
) -> casadi.Function:
    """(q, v, v̇, weights, p) -> W (c, K) and its check value."""
    e, rows = compiled.equations, regressor_rows(compiled, measured, parameters)
    return casadi.Function("W", [e.q, e.v, rows.a, rows.w, e.p], [casadi.densify(rows.matrix), rows.check])


@stored
def regressor_slope(
    compiled: System, measured: tuple[MeasuredChannel, ...], parameters: tuple[LinearParameter, ...]
) -> casadi.Function:
    """(q, v, v̇, weights, p, Y) -> gradients of Σ Y_ij W_ij with respect to q, v and v̇."""
    e, rows = compiled.equations, regressor_rows(compiled, measured, parameters)
    Y = casadi.SX.sym("Y", *rows.matrix.shape)
    total = casadi.dot(Y, casadi.densify(rows.matrix))
    slopes = [casadi.densify(casadi.gradient(total, x)) for x in (e.q, e.v, rows.a)]
    return casadi.Function("W_slope", [e.q, e.v, rows.a, rows.w, e.p, Y], slopes)


@stored
def limited_quantities(compiled: System, limited: tuple[Limited, ...]) -> casadi.Function:
    """(q, v, v̇, weights, p) -> limited quantities (h, 1), and their gradients with respect to q, v and v̇."""
    e = compiled.equations
    forced = any(quantity == Quantity.FORCE for _, quantity in limited)
    solution = inverse_solution(compiled) if forced else None
    a = solution.a if solution else casadi.SX.sym("a", e.v.size1())
    w = solution.w if solution else casadi.SX.sym("w", e.u.size1())
    found = []
    for name, quantity in limited:
        if quantity == Quantity.FORCE and solution is not None:
            found.append(solution.u[compiled.commands.index(name)])
            continue
        s, rate = compiled.along(coordinate_of(compiled.elements, name))
        found.append({Quantity.POSITION: s, Quantity.RATE: rate}.get(Quantity(quantity), e.rate(rate, a)))
    h = casadi.vertcat(*found)
    slopes = [casadi.densify(casadi.jacobian(h, x)) for x in (e.q, e.v, a)]
    return casadi.Function("limited", [e.q, e.v, a, w, e.p], [casadi.densify(h), *slopes])


@stored
def adjoint(compiled: System, names: tuple[str, ...]) -> casadi.Function:
    """(q, v, v̇, p, g_q, g_v, g_a) -> gradients with respect to s, ṡ and s̈ (k,) each  (theory/design, eq. 23)."""
    e, equations = compiled.equations, driven(compiled, names).equations
    nq, nv = e.q.size1(), e.v.size1()
    a, g = casadi.SX.sym("a", nv), [casadi.SX.sym(f"g{i}", n) for i, n in enumerate((nq, nv, nv))]
    lam = casadi.SX.sym("lam", nv)

    def last(x: Any) -> Any:
        return casadi.densify(x[nv - len(names) :])

    def pulled(x: Any, *wrt: Any) -> Any:
        """(q, v, v̇, p, λ) -> ∂(λᵀ x)/∂(…), λ being held."""
        return casadi.Function("x", [e.q, e.v, a, e.p, lam], [casadi.gradient(casadi.dot(lam, x), y) for y in wrt])

    by_a = equations.multipliers(g[2])
    by_q, by_v = pulled(equations.gamma - equations.A @ a, e.q, e.v)(e.q, e.v, a, e.p, by_a)
    by_rate = equations.multipliers(g[1] + by_v)
    g_q = g[0] + by_q - pulled(equations.A @ e.v, e.q)(e.q, e.v, a, e.p, by_rate)
    outputs = [last(x) for x in (equations.multipliers(e.N.T @ g_q), by_rate, by_a)]
    return casadi.Function("adjoint", [e.q, e.v, a, e.p, *g], outputs)


def _held(compiled: System, names: tuple[str, ...]) -> Any:
    """[C; J]: constraints, and rates of all actuators, or of named coordinates where actuators are missing."""
    e, elements = compiled.equations, compiled.elements
    along = [actuator.on for actuator in elements.actuators.values()]
    if len(along) < e.v.size1() - e.kinematics.phi.size1():
        along = [elements.coordinate(name) for name in names]
    rates = casadi.vertcat(*(compiled.along(one)[1] for one in along))
    return casadi.densify(casadi.vertcat(e.kinematics.C, casadi.jacobian(rates, e.v)))


@stored
def held_slopes(compiled: System, names: tuple[str, ...]) -> casadi.Function:
    """(q, p) -> Jacobian (m + u, nv) of the constraints and of the actuators' rates."""
    e = compiled.equations
    return casadi.Function("held", [e.q, e.p], [_held(compiled, names)])


@stored
def held_bend(compiled: System, names: tuple[str, ...]) -> casadi.Function:
    """(q, p, Y) -> gradient of Σ Y_ij J_ij with respect to q."""
    e, J = compiled.equations, _held(compiled, names)
    Y = casadi.SX.sym("Y", *J.shape)
    return casadi.Function("held_bend", [e.q, e.p, Y], [casadi.densify(casadi.gradient(casadi.dot(Y, J), e.q))])
