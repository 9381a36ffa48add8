"""Equations of a simulation as functions of (t, y, p); y holds q, v, counted turns and the work of the actuators.

Derivatives with respect to parameters follow at the end  (theory/dynamics, eq. 17, 18).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.engine import Formula
from poinsot.engine.code.formula import formula
from poinsot.engine.given_functions import written_out
from poinsot.lazy import casadi
from poinsot.motion.counted_turns import turning, turning_rates
from poinsot.motion.driven import driven
from poinsot.motion.equations import columns, inverse_solution
from poinsot.simulation.events import Watched, watched_events
from poinsot.spatial.algebra import vector
from poinsot.system.functions import places
from poinsot.system.stored import stored, stored_parts

if TYPE_CHECKING:
    from poinsot.system.system import System

Law = float | Callable[[Any, Any, Any], Any]  # a constant force, or a law of (t, s, ṡ)
Laws = tuple[tuple[str, Formula | None], ...]  # by actuator, the law as written; None where the force is constant
BEYOND = 0.5  # of the quality at which coordinates are chosen anew: below it no step goes


def written_law(name: str, law: Callable[[Any, Any, Any], Any]) -> Formula:
    """The law of an actuator as a function of (t, s, ṡ)."""
    t, s, s_dot = (casadi.SX.sym(x) for x in ("t", "s", "s_dot"))
    f = written_out(f"the law of actuator '{name}', a function of (t, s, ṡ),", law, t, s, s_dot)
    return formula(casadi.Function("law", [t, s, s_dot], [f]))


@stored_parts
def motion_functions(
    compiled: System, laws: Laws, events: Watched, method: str
) -> tuple[dict[str, casadi.Function], list[list[str]]]:
    """Right-hand side, projection and events of (t, y, p) by name; what is known about each event."""
    e = compiled.equations
    time, work, constants = casadi.SX.sym("t"), casadi.SX.sym("w"), casadi.SX.sym("u", len(laws))
    u = _commands(compiled, laws, time, constants)
    solution = [compiled.dynamics.solution[0], casadi.SX(e.balance.power)]
    acceleration, power = casadi.substitute(solution, [e.u], [u]) if laws else solution
    acceleration = acceleration * _within(compiled) if method == "explicit" else acceleration
    counts = casadi.SX.sym("turns", len(turning(compiled)))
    y, P = casadi.vertcat(e.q, e.v, counts, work), casadi.vertcat(constants, e.p)
    rates = (e.kinematics.q_dot, acceleration, *turning_rates(compiled), power)
    parts: dict[str, tuple[casadi.SX, ...]] = {"rhs": rates}
    if e.kinematics.phi.size1() or e.kinematics.norms.size1():
        parts["projection"] = (*compiled.dynamics.projected, counts, work)
    watched = watched_events(compiled, events, counts)
    if watched:
        parts["events"] = tuple(crossing for _, crossing in watched)
    functions = {n: casadi.Function(n, [time, y, P], [casadi.densify(casadi.vertcat(*x))]) for n, x in parts.items()}
    return functions, [[event.name, event.ending, event.why] for event, _ in watched]


def _within(compiled: System) -> casadi.SX:
    """1 where the coordinates are good, NaN well beyond where they are poor: no step is accepted there."""
    inside = casadi.SX(1.0)
    for quality in compiled.dynamics.qualities.values():
        inside = inside * casadi.if_else(quality > BEYOND, 1.0, np.nan)
    return inside


def _commands(compiled: System, laws: Laws, time: casadi.SX, constants: casadi.SX) -> casadi.SX:
    """Actuator forces as symbols: constants, or the user's laws of (t, s, ṡ)."""
    elements, found = compiled.elements, []
    for k, (name, law) in enumerate(laws):
        if law is not None:
            s, s_dot = compiled.along(elements.actuators[name].on)
            found.append(law.function(time, s, s_dot))
        else:
            found.append(constants[k])
    return casadi.vertcat(*found) if found else casadi.SX(0, 1)


@stored_parts
def plain_functions(compiled: System, laws: Laws) -> tuple[dict[str, casadi.Function], None]:
    """Rates, projection and energies of (t, y, p), from the system of all constraints whatever the coordinates."""
    e, solved = compiled.equations, compiled.dynamics.system
    time, constants, work = casadi.SX.sym("t"), casadi.SX.sym("u", len(laws)), casadi.SX.sym("w")
    counts = casadi.SX.sym("turns", len(turning(compiled)))
    y, P = casadi.vertcat(e.q, e.v, counts, work), casadi.vertcat(constants, e.p)
    rates = casadi.vertcat(e.kinematics.q_dot, solved.acceleration, *turning_rates(compiled), e.balance.power)
    rates = casadi.substitute(rates, e.u, _commands(compiled, laws, time, constants)) if laws else rates
    kept = casadi.vertcat(*compiled.dynamics.projected, counts, work)
    outputs = {"rates": rates, "kept": kept, "energies": casadi.vertcat(e.balance.kinetic, e.balance.potential)}
    return {n: casadi.Function(n, [time, y, P], [casadi.densify(x)]) for n, x in outputs.items()}, None


@stored
def reaction_function(compiled: System, laws: Laws) -> casadi.Function:
    """(t, q, v, constants) -> reactions of all joints (6 j,) and a number that tells near-singularity.

    Accelerations come from the system of all constraints, whichever rates are independent.
    """
    e, dynamics = compiled.equations, compiled.dynamics
    time, constants = casadi.SX.sym("t"), casadi.SX.sym("u", len(laws))
    solved = dynamics.system
    flat, check = columns(e, solved.acceleration, solved.multipliers), casadi.SX(solved.check)
    if laws:
        flat = casadi.substitute(flat, e.u, _commands(compiled, laws, time, constants))
    inputs = [time, e.q, e.v, casadi.vertcat(constants, e.p)]
    return casadi.Function("reactions", inputs, [flat, check])


@stored
def acceleration_function(compiled: System, laws: Laws) -> casadi.Function:
    """(t, q, v, constants) -> v̇ (nv,), actuator forces (nu,), and a number that tells near-singularity."""
    e, solved = compiled.equations, compiled.dynamics.system
    time, constants = casadi.SX.sym("t"), casadi.SX.sym("u", len(laws))
    u, acceleration = _commands(compiled, laws, time, constants), casadi.SX(solved.acceleration)
    acceleration = casadi.substitute(acceleration, e.u, u) if laws else acceleration
    inputs = [time, e.q, e.v, casadi.vertcat(constants, e.p)]
    outputs = [casadi.densify(acceleration), casadi.densify(u), casadi.SX(solved.check)]
    return casadi.Function("accelerations", inputs, outputs)


@stored
def state_function(compiled: System) -> casadi.Function:
    """(y, constants) -> energies, constraints, named coordinates, their rates, places of all bodies."""
    e = compiled.equations
    named = [compiled.coordinate(name)[k] for k in (0, 1) for name in compiled.elements.coordinates]
    energies = [casadi.SX(e.balance.kinetic), casadi.SX(e.balance.potential)]
    outputs = [*energies, e.kinematics.all_phi, *named, places(compiled)]
    beside = casadi.SX.sym("beside", len(turning(compiled)) + 1)  # turns and work
    inputs = [casadi.vertcat(e.q, e.v, beside), casadi.vertcat(e.u, e.p)]
    return casadi.Function("watched", inputs, [casadi.densify(casadi.vertcat(*outputs))])


@stored
def check_function(compiled: System) -> casadi.Function:
    """(q, v, u, p) -> a number that tells near-singularity of the system of all constraints."""
    return compiled.dynamics.function("check", [compiled.dynamics.system.check])


@stored
def twist_function(compiled: System) -> casadi.Function:
    """(q, v, u, p) -> twists of all bodies (6 b,), and their derivatives by the speeds."""
    e = compiled.equations
    moving = [e.kinematics.twists[body] for body in compiled.elements.bodies]
    flat = casadi.vertcat(*(casadi.SX(part) for V in moving for part in (V.v, V.w)))
    return compiled.dynamics.function("twists", [flat, casadi.jacobian(flat, e.v)])


@stored
def driven_sensitivity(compiled: System, names: tuple[str, ...], wrt: tuple[str, ...]) -> casadi.Function:
    """(q, v, a, weights, p) -> derivatives of forces, body forces and coordinates, parameter by parameter."""
    e, drive = compiled.equations, driven(compiled, names).equations
    solution = inverse_solution(compiled)
    a, w, u = solution.a, solution.w, solution.u
    named = [compiled.coordinate(name)[0] for name in compiled.elements.coordinates]
    outputs = casadi.vertcat(u, *(_body_force(compiled, body, a) for body in compiled.elements.bodies), *named)
    levels = [drive.gap, drive.A @ e.v, drive.A @ a - drive.gamma]
    inputs, columns = [e.q, e.v, a, e.p], []
    for name in wrt:
        unit = casadi.SX.zeros(e.p.shape)
        unit[e.symbols.names.index(name)] = 1
        direction = [casadi.SX.zeros(x.shape) for x in inputs[:3]] + [unit]
        for k, level in enumerate(levels):
            change = drive.solve(-_along(level, inputs, direction))
            direction[k] = e.N @ change if k == 0 else change
        columns.append(_along(outputs, inputs, direction))
    return casadi.Function("sensitivity", [e.q, e.v, a, w, e.p], [casadi.vertcat(*columns)])


def _along(expression: casadi.SX, inputs: list[casadi.SX], direction: list[casadi.SX]) -> casadi.SX:
    """Derivative of an expression along a direction of its inputs."""
    return casadi.jtimes(expression, casadi.vertcat(*inputs), casadi.vertcat(*direction))


def _body_force(compiled: System, body: str, a: casadi.SX) -> casadi.SX:
    """Q_e − M q̈ of one body: gravity less what its motion needs; moment about the centre in body axes (6, 1)."""
    e, inertial = compiled.equations, compiled.elements.bodies[body]
    V, R = e.kinematics.twists[body], casadi.SX(e.kinematics.poses[body].R)
    w, com = casadi.SX(V.w), casadi.SX(vector(*inertial.com))
    velocity = R @ (casadi.SX(V.v) + casadi.cross(w, com))
    acceleration = e.rate(velocity, a)
    alpha = e.rate(w, a)
    J = casadi.SX(inertial.inertia_about_centre())
    force = inertial.mass * (casadi.SX(vector(*compiled.elements.gravity)) - acceleration)
    return casadi.vertcat(force, -(J @ alpha + casadi.cross(w, J @ w)))


@stored_parts
def augmented_motion(compiled: System, wrt: tuple[str, ...]) -> tuple[dict[str, casadi.Function], None]:
    """Right-hand side and projection of (t, y, p); y holds q, v and their derivatives, parameter by parameter."""
    e = compiled.equations
    solved = compiled.dynamics.system
    (_, n, m, _), C = e.sizes, e.kinematics.C
    a, lam = casadi.SX.sym("a", n), casadi.SX.sym("lam", m)
    r1, r2 = e.balance.M @ a + C.T @ lam - e.balance.Q, C @ a - e.kinematics.gamma
    inputs, states, rates = [e.q, e.v, e.p], [], []
    for name in wrt:
        dq, dv = casadi.SX.sym("dq", e.q.size1()), casadi.SX.sym("dv", n)
        unit = casadi.SX.zeros(e.p.shape)
        unit[e.symbols.names.index(name)] = 1
        slopes = [_along(x, inputs, [dq, dv, unit]) for x in (r1, r2)]
        s1, s2 = casadi.substitute(slopes, [a, lam], [solved.acceleration, solved.multipliers])
        change = solved.solve(-s1, -s2)[0]
        states += [dq, dv]
        rates += [_along(e.kinematics.q_dot, inputs, [dq, dv, unit]), change]
    time, u = casadi.SX.sym("t"), e.u
    y = casadi.vertcat(e.q, e.v, *states)
    rhs = casadi.Function(
        "rhs", [time, y, casadi.vertcat(u, e.p)], [casadi.vertcat(e.kinematics.q_dot, solved.acceleration, *rates)]
    )
    q, v = compiled.dynamics.projected
    keep = casadi.Function("keep", [time, y, casadi.vertcat(u, e.p)], [casadi.vertcat(q, v, *states)])
    return {"rhs": rhs} | ({"projection": keep} if m or e.kinematics.norms.size1() else {}), None


def start_slopes(compiled: System, held: tuple[str, ...], wrt: tuple[str, ...]) -> casadi.Function:
    """(q, p) -> derivatives of constraints and held coordinates by displacements and by parameters; q̇ per speed."""
    e, N = compiled.equations, compiled.equations.N
    gap = casadi.vertcat(e.kinematics.phi, *(compiled.coordinate(name)[0] for name in held))
    columns = [e.symbols.names.index(name) for name in wrt]
    parts = [casadi.jacobian(gap, e.q) @ N, casadi.jacobian(gap, e.p)[:, columns], N]
    return casadi.Function("start", [e.q, e.p], parts)


def coordinate_slopes(compiled: System, name: str, wrt: tuple[str, ...]) -> casadi.Function:
    """(q, p) -> derivatives of a named coordinate by q (1, nq) and by parameters (1, k)."""
    e, s = compiled.equations, compiled.coordinate(name)[0]
    columns = [e.symbols.names.index(name) for name in wrt]
    return casadi.Function("s", [e.q, e.p], [casadi.jacobian(s, e.q), casadi.jacobian(s, e.p)[:, columns]])
