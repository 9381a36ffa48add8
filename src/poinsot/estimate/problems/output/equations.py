"""One step of a mechanism with any parameters of its model file, and its derivative along one direction.

y⁺ = F(y, x) ,   s = h(y, x) ,      δy⁺ = F_y δy + F_x δx ,   δs = h_y δy + h_x δx        (theory/search, eq. 21)

y holds q, v and the memory of controllers, x the unknown parameters. One direction at a time keeps the code short;
directions, segments and candidates are samples of one batch. F is a step of Runge and Kutta of order 4, then one of
Newton back to the constraints.
"""

from __future__ import annotations

from typing import Any

from poinsot.engine import Kernel, kernel
from poinsot.estimate.closed_loop.controllers import Control
from poinsot.estimate.closed_loop.equations import Plant, controlled_step, runge_kutta, seen_by
from poinsot.lazy import casadi
from poinsot.system.stored import remembered, stored
from poinsot.system.system import System


@remembered
def step_kernel(
    compiled: System, unknowns: tuple[str, ...], outputs: tuple[str, ...], control: Control | None, tangent: bool
) -> Kernel:
    """The step as native code; `tangent` with its derivative along a direction."""
    made = kernel((_tangent if tangent else _plain).formula(compiled, unknowns, outputs, control))
    made.wait()
    return made


@stored
def _plain(
    compiled: System, unknowns: tuple[str, ...], outputs: tuple[str, ...], control: Control | None
) -> casadi.Function:
    """(Y, given, p) -> Y after the step, outputs at its beginning; Y holds y and x."""
    Y, given, p, after, seen = _step(compiled, unknowns, outputs, control)
    return casadi.Function("shooting", [Y, given, p], [casadi.densify(after), casadi.densify(seen)])


@stored
def _tangent(
    compiled: System, unknowns: tuple[str, ...], outputs: tuple[str, ...], control: Control | None
) -> casadi.Function:
    """(Y, δY, given, p) -> Y and δY after the step, outputs and their change at its beginning."""
    Y, given, p, after, seen = _step(compiled, unknowns, outputs, control)
    D = casadi.SX.sym("D", Y.size1())
    change = casadi.jtimes(casadi.vertcat(after, seen), Y, D)
    parts = [after, change[: after.size1()], seen, change[after.size1() :]]
    return casadi.Function("shooting_tangent", [Y, D, given, p], [casadi.densify(x) for x in parts])


@stored
def freedoms(compiled: System) -> casadi.Function:
    """(q, p) -> C (m, nv) and N (nq, nv)."""
    e = compiled.equations
    return casadi.Function("freedoms", [e.q, e.p], [casadi.densify(e.kinematics.C), casadi.densify(e.N)])


@stored
def drive_states(compiled: System, control: Control) -> casadi.Function:
    """(q, v, p) -> s and ṡ of all drives with a controller."""
    e = compiled.equations
    return casadi.Function("drive_states", [e.q, e.v, e.p], [seen_by(compiled, control)])


def _step(compiled: System, unknowns: tuple[str, ...], outputs: tuple[str, ...], control: Control | None) -> Any:
    """Symbols of Y, inputs and p, Y after a step, and outputs at its beginning: coordinates, then forces."""
    e, (nq, nv, _, _) = compiled.equations, compiled.sizes
    plant = plant_of(compiled, control)
    step = _open_step(compiled, plant) if control is None else controlled_step(compiled, plant, control)
    n, m = step.numel_in(0), step.numel_in(1)
    Y, given, p = casadi.SX.sym("Y", n + len(unknowns)), casadi.SX.sym("given", m), casadi.SX.sym("p", e.p.size1())
    constants = with_unknowns(compiled, p, unknowns, Y[n:])
    after, _, u = step(Y[:n], given, constants)
    seen = casadi.vertcat(coordinates(compiled, outputs)(Y[:nq], Y[nq : nq + nv], constants), u)
    return Y, given, p, casadi.vertcat(after, Y[n:]), seen


def with_unknowns(compiled: System, p: Any, unknowns: tuple[str, ...], x: Any) -> Any:
    """Parameters p with unknowns x (k,) in their places."""
    constants = casadi.SX(p)
    for k, name in enumerate(unknowns):
        constants[compiled.equations.symbols.names.index(name)] = x[k]
    return constants


def coordinates(compiled: System, outputs: tuple[str, ...]) -> casadi.Function:
    """(q, v, p) -> coordinates by name."""
    e = compiled.equations
    named = casadi.vertcat(casadi.SX(0, 1), *(compiled.coordinate(name)[0] for name in outputs))
    return casadi.Function("see", [e.q, e.v, e.p], [casadi.densify(named)])


def plant_of(compiled: System, control: Control | None) -> Plant:
    """The mechanism with its parameters as symbols."""
    e = compiled.equations
    seen = casadi.SX(0, 1) if control is None else seen_by(compiled, control)
    return Plant(
        e.p,
        casadi.Function("rates", [e.q, e.v, e.u, e.p], [e.kinematics.q_dot, compiled.dynamics.solution[0]]),
        casadi.Function("kept", [e.q, e.v, e.p], list(compiled.dynamics.projected)),
        casadi.Function("driven", [e.q, e.v, e.p], [seen]),
    )


def _open_step(compiled: System, plant: Plant) -> casadi.Function:
    """(y, given, p) -> y after the step, v̇ and forces at its beginning; given are the step and forces.

    Forces (3 nu,) are those at its beginning, halfway and at its end.
    """
    (nq, nv, _, nu), constants = compiled.sizes, casadi.SX.sym("p", plant.constants.size1())
    y, given = casadi.SX.sym("y", nq + nv), casadi.SX.sym("given", 1 + 3 * nu)
    u = {0.0: given[1 : 1 + nu], 0.5: given[1 + nu : 1 + 2 * nu], 1.0: given[1 + 2 * nu :]}

    def slopes(share: float, q: Any, v: Any) -> Any:
        return plant.rates(q, v, u[share], constants)

    q, v, a = runge_kutta(slopes, given[0], y[:nq], y[nq:])
    q, v = plant.kept(q, v, constants)
    return casadi.Function("open_loop", [y, given, constants], [casadi.vertcat(q, v), a, u[0.0]])
