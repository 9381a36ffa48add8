"""Rows of the regressor as symbols, by virtual power.

With R(q, v) all rates at which something acts (twists of bodies, rates of coordinates, twists of loaded places) and E
the efforts there, which are linear in the parameters θ, the generalised forces that a motion needs are

    r = (∂R/∂v)ᵀ E(q, v, v̇) ,    E = (∂E/∂θ) θ                      (theory/identifiability, eq. 2)

A channel g(q, v, v̇, u, λ; θ), with (u, λ) from the equations of motion, is then exactly linear in θ:

    ∂g/∂θ|_{u,λ} + (∂R/∂v Z)ᵀ ∂E/∂θ ,    Z = K⁻¹ (∂g/∂u, ∂g/∂λ)      (theory/identifiability, eq. 3)

one factor K of the inverse dynamics, one right-hand side a channel; Z is the virtual motion that the channel resists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.sensors import Sense
from poinsot.engine import Link, elimination_order, kkt
from poinsot.errors import PoinsotError
from poinsot.formulations.embedded import free_speeds
from poinsot.formulations.equations import Equations
from poinsot.formulations.generalised_forces import coordinate_force, gravity_energy
from poinsot.formulations.reactions import joint_reactions, needed
from poinsot.formulations.tree import speed_scales
from poinsot.identifiability.channels import MeasuredChannel
from poinsot.identifiability.linear import LinearParameter, with_symbols
from poinsot.lazy import casadi
from poinsot.motion.equations import inverse_solution
from poinsot.spatial.algebra import apply, cross, vector
from poinsot.spatial.motion import Twist, Wrench, carry_wrench
from poinsot.system.stored import stored
from poinsot.system.system import System


@dataclass(frozen=True, eq=False)
class Rows:
    """The regressor of one state as symbols."""

    a: Any  # symbols of v̇ (nv, 1)
    w: Any  # symbols of the actuators' weights (nu, 1)
    matrix: Any  # (channels, parameters)
    check: Any  # 1 is perfect, 0 where the actuators lose hold of the mechanism
    reach: Any  # (channels, 1) speed of the bodies in the virtual motion of each channel
    pace: Any  # (2, 1) rate  [1/s] and acceleration  [m/s²] of the bodies


def regressor_rows(
    compiled: System, measured: Sequence[MeasuredChannel], parameters: Sequence[LinearParameter]
) -> Rows:
    """Write the rows of all channels."""
    e, theta = linear_equations(compiled, parameters)
    held = any(c.held for c in measured)
    solution = inverse_solution(compiled) if held else None
    a = solution.a if solution else casadi.SX.sym("a", e.v.size1())
    w = solution.w if solution else casadi.SX.sym("w", e.u.size1())
    rates, efforts = rates_and_efforts(e, a)
    lam = casadi.SX.sym("lam", e.kinematics.phi.size1())
    g = casadi.vertcat(*_direct(e, a, lam, measured))
    Z = _virtual_motions(compiled, measured, g, lam)
    moved = casadi.jtimes(rates, e.v, Z)
    matrix = casadi.jacobian(g, theta) + casadi.sparsify(moved.T @ casadi.jacobian(efforts, theta))
    if any(casadi.which_depends(matrix, theta, 1, True)):
        raise PoinsotError("a law is not linear in the parameters that it calls linear")
    check = solution.check if solution else casadi.SX(1.0)
    return Rows(a, w, matrix, check, _reach(compiled, measured, moved), _pace(e, a))


def linear_equations(compiled: System, parameters: Sequence[LinearParameter]) -> tuple[Equations, Any]:
    """The equations with symbols for linear parameters in all laws and bodies, and these symbols (k, 1)."""
    e = compiled.equations
    elements, theta = with_symbols(compiled.elements, parameters)
    laws = {**elements.forces, **elements.actuators}
    acting = tuple((laws[law.name].unloaded(), s, rate) for law, s, rate in e.balance.acting)
    return replace(e, symbols=replace(e.symbols, elements=elements), balance=replace(e.balance, acting=acting)), theta


def _reach(compiled: System, measured: Sequence[MeasuredChannel], moved: Any) -> Any:
    """Speeds (channels, 1) of all bodies together in the virtual motions, turns by the machine's size; what is
    read as a wrench resists a speed of 1, its moments a turn of 1 besides.
    """
    elements, size = compiled.elements, compiled.equations.symbols.home.size
    lengths = np.tile([1.0] * 3 + [size] * 3, len(elements.bodies))
    virtual = casadi.sum1((casadi.diag(lengths) @ moved[: len(lengths), :]) ** 2).T
    own = [(1.0 if c.unit == "N" else size) if c.is_wrench(elements) else 0.0 for c in measured]
    return casadi.sqrt(virtual + casadi.SX(np.square(own)))


def _pace(e: Equations, a: Any) -> Any:
    """Rate and acceleration (2, 1) of all bodies together, sums without cancellation, gravity included."""
    elements, size = e.symbols.elements, e.symbols.home.size
    gravity = casadi.SX(vector(*elements.gravity))
    rate, acceleration = casadi.SX(0), casadi.sumsqr(gravity)
    for name in elements.bodies:
        V = _stack(e.kinematics.twists[name].v, e.kinematics.twists[name].w)
        A = casadi.jtimes(V, e.q, e.kinematics.q_dot) + casadi.jtimes(V, e.v, a)
        v, w = casadi.sumsqr(V[:3]), casadi.sumsqr(V[3:])
        rate += v / size**2 + w
        acceleration += casadi.sumsqr(A[:3]) + size**2 * casadi.sumsqr(A[3:]) + v * w + size**2 * w**2
    return casadi.sqrt(casadi.vertcat(rate, acceleration))


def rates_and_efforts(e: Equations, a: Any) -> tuple[Any, Any]:
    """R and E: bodies with the wrenches they need, laws and loads with minus what they give."""
    elements = e.symbols.elements
    moving = [e.kinematics.twists[name] for name in elements.bodies]
    twists = casadi.vertcat(*(_stack(V.v, V.w) for V in moving))
    A = casadi.jtimes(twists, e.q, e.kinematics.q_dot) + casadi.jtimes(twists, e.v, a)
    rates, efforts = [twists], []
    for k, name in enumerate(elements.bodies):
        F = needed(e, name, Twist(A[6 * k : 6 * k + 3], A[6 * k + 3 : 6 * k + 6]))
        efforts.append(_stack(F.f, F.n))
    for k, (_, _, rate) in enumerate(e.balance.acting[: len(e.balance.acting) - e.u.size1()]):
        rates.append(rate)
        efforts.append(-coordinate_force(e, k, a))
    for load in elements.loads.values():
        V_F, F = load.twist(e.kinematics.twists[load.at.body]), load.wrench(e.kinematics.poses[load.at.body])
        rates.append(_stack(V_F.v, V_F.w))
        efforts.append(-_stack(F.f, F.n))
    return casadi.vertcat(*rates), casadi.vertcat(*efforts)


def _direct(e: Equations, a: Any, lam: Any, measured: Sequence[MeasuredChannel]) -> list[Any]:
    """Every channel as an expression of u, λ and θ; zero where it is a virtual motion alone."""
    quantities = {c.quantity for c in measured}
    wrenches = joint_reactions(e, a, lam) if quantities & {"reaction", "sensor"} else {}
    bodies = _body_wrenches(e, a) if "wrench" in quantities else {}
    found = []
    for c in measured:
        if c.quantity == "actuator":
            found.append(e.u[c.index])
        elif c.quantity == "reaction":
            found.append(_stack(wrenches[c.owner].f, wrenches[c.owner].n)[c.index])
        elif c.quantity == "sensor":
            found.append(_reading(e, wrenches, c))
        else:
            found.append(bodies[c.owner][c.index] if c.quantity == "wrench" else casadi.SX(0))
    return found


def _reading(e: Equations, wrenches: dict[str, Wrench], channel: MeasuredChannel) -> Any:
    """What a force sensor of the model file reads."""
    elements = e.symbols.elements

    def wrench(name: str, side: str) -> Wrench:
        joint = elements.joints[name]
        across = joint.relative(e.kinematics.poses[joint.a.body], e.kinematics.poses[joint.b.body])
        return carry_wrench(across, wrenches[name]) if side == "a" else wrenches[name]

    u = {name: e.u[k] for k, name in enumerate(elements.actuators)}
    sense = Sense(_not_read, _not_read, u.__getitem__, wrench, vector(*elements.gravity))
    return elements.sensors[channel.owner].readings(sense)[channel.index]


def _not_read(part: Any) -> Any:
    raise PoinsotError("a sensor that measures force reads no motion")


def _body_wrenches(e: Equations, a: Any) -> dict[str, Any]:
    """Q_e − M q̈ of every body, and what all of them and the loads exert on the ground."""
    _, efforts = rates_and_efforts(e, a)
    elements, found, total = e.symbols.elements, {}, casadi.SX.zeros(6)
    for k, name in enumerate(elements.bodies):
        f, n = efforts[6 * k : 6 * k + 3], efforts[6 * k + 3 : 6 * k + 6]
        found[name] = -casadi.vertcat(apply(e.kinematics.poses[name].R, f), n)
        total -= _on_ground(e.kinematics.poses[name].R, e.kinematics.poses[name].p, f, n)
    first = efforts.size1() - 6 * len(elements.loads)
    for k, load in enumerate(elements.loads.values()):
        X_WF = e.kinematics.poses[load.at.body] @ load.at.pose()
        total -= _on_ground(X_WF.R, X_WF.p, *(efforts[first + 6 * k + i : first + 6 * k + i + 3] for i in (0, 3)))
    return {**found, GROUND: total}


def _on_ground(R: Any, p: Any, f: Any, n: Any) -> Any:
    """A wrench in the axes of a frame, in world axes about the world's origin."""
    force = apply(R, f)
    return _stack(force, apply(R, n) + cross(p, force))


def _virtual_motions(compiled: System, measured: Sequence[MeasuredChannel], g: Any, lam: Any) -> Any:
    """Z (nv, channels): the virtual motion that each channel resists."""
    e = compiled.equations
    n = e.v.size1()
    columns = [casadi.SX(n, 1)] * len(measured)
    held = [k for k, c in enumerate(measured) if c.held]
    if held:
        s = inverse_solution(compiled)
        by_u, by_lam = casadi.jacobian(g[held], e.u), casadi.jacobian(g[held], lam)
        solved = s.factor.solve(casadi.vertcat(s.B @ casadi.diag(1 / s.w) @ by_u.T, -by_lam.T))[:n, :]
        for i, k in enumerate(held):
            columns[k] = solved[:, i]
    free = [k for k, c in enumerate(measured) if c.quantity == "freedom"]
    if free:
        directions = free_directions(compiled, [measured[k].index for k in free])
        for i, k in enumerate(free):
            columns[k] = directions[:, i]
    for k, c in enumerate(measured):
        if c.quantity == "power":
            columns[k] = e.v
    return casadi.horzcat(*columns)


def free_directions(compiled: System, speeds: Sequence[int]) -> Any:
    """Motions (nv, k) that the constraints allow, each with one independent speed at 1 and the others at 0."""
    e = compiled.equations
    n, m = e.v.size1(), e.kinematics.phi.size1()
    if m == 0:
        return casadi.SX.eye(n)[:, list(speeds)]
    home = compiled.dynamics.jacobian_at_home
    independent = free_speeds(e, home)
    pick = np.eye(n)[list(independent)]
    A = casadi.vertcat(e.kinematics.C, casadi.sparsify(casadi.SX(pick)))
    owner = {k: block.name for block in e.graph.blocks for k in block.columns}
    links = [*e.graph.links, *(Link(f"speed {k}", (m + i,), (owner[k],)) for i, k in enumerate(independent))]
    order = elimination_order(e.graph.blocks, links, e.graph.couplings, jacobian=np.vstack([home, pick]))
    natural = casadi.diag(speed_scales(e.graph.branches, e.symbols.home.size) ** -2.0)
    solution = kkt(natural, A, casadi.SX(n, 1), casadi.SX(A.size1(), 1), order, added={})
    b = casadi.SX(A.size1(), len(speeds))
    for i, k in enumerate(speeds):
        b[m + independent.index(k), i] = 1
    return solution.solve(casadi.SX(n, len(speeds)), b)[0]


def _stack(first: Any, second: Any) -> Any:
    return casadi.vertcat(casadi.SX(first), casadi.SX(second))


@stored
def energy_rows(compiled: System, parameters: tuple[LinearParameter, ...]) -> casadi.Function:
    """(q, v, p) -> ∂/∂θ of T + V and of the power of all that has no potential."""
    e = compiled.equations
    elements, theta = with_symbols(compiled.elements, parameters)
    energy, power = casadi.SX(gravity_energy(elements, e.kinematics.poses)), casadi.SX(0)
    for name, body in elements.bodies.items():
        energy += body.spatial_inertia().momentum(e.kinematics.twists[name]).power(e.kinematics.twists[name]) / 2
    for law, s, rate in e.balance.acting[: len(e.balance.acting) - e.u.size1()]:
        force = elements.forces[law.name]
        energy += force.potential(s) + force.kinetic(rate)
        power += force.force(s, rate) * rate
    for load in elements.loads.values():
        power += load.wrench(e.kinematics.poses[load.at.body]).power(load.twist(e.kinematics.twists[load.at.body]))
    return casadi.Function("energy", [e.q, e.v, e.p], [casadi.jacobian(x, theta) for x in (energy, power)])
