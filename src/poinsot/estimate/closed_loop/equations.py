"""The closed loop as symbols: the mechanism from its linear parameters, its controllers, and one step of both.

    M(q; θ) v̇ + Cᵀ λ = B u − h(q, v; θ) ,   C v̇ = γ        M = ∂r/∂v̇,  h = r at v̇ = 0
    u = F(s* − s, ṡ*, ṡ, z) ,   ż = …                        (theory/estimation, eq. 23)

with the forces r(q, v, v̇; θ) that a motion needs, as the regressor has them.

One step is that of Runge and Kutta of order 4, then one of Newton back to the constraints. Forces are held from one
sample of the controllers to the next, or follow continuously.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from poinsot.elements.coordinates import AlongJoint
from poinsot.engine import Kernel, kernel, kkt
from poinsot.estimate.closed_loop.controllers import Control
from poinsot.formulations.generalised_forces import transmitted, turn
from poinsot.formulations.solve import unit_quaternions
from poinsot.identifiability.linear import LinearParameter
from poinsot.identifiability.rows import linear_equations, rates_and_efforts
from poinsot.lazy import casadi
from poinsot.system.stored import remembered, stored
from poinsot.system.system import System

Parameters = tuple[LinearParameter, ...]


@dataclass(frozen=True, eq=False)
class Plant:
    """A mechanism as functions of its state, forces and constants."""

    constants: Any  # p, and what else is a number in it, as symbols
    rates: casadi.Function  # (q, v, u, constants) -> q̇, v̇
    kept: casadi.Function  # (q, v, constants) -> q and v on the constraints
    driven: casadi.Function  # (q, v, constants) -> s, ṡ of all drives with a controller


@remembered
def step_kernel(compiled: System, parameters: Parameters, control: Control) -> Kernel:
    """The step as native code for one sample after another."""
    made = kernel(_step.formula(compiled, parameters, control), lanes=1)
    made.wait()
    return made


def _jumping(e: Any) -> list[int]:
    """Laws that jump at rest."""
    return [k for k, (law, _, _) in enumerate(e.balance.acting) if law.smoothed(1.0) is not law]


@stored
def jump_rates(compiled: System) -> casadi.Function:
    """(q, v, p) -> rates of the coordinates of all laws that jump at rest."""
    e = compiled.equations
    rates = casadi.vertcat(casadi.SX(0, 1), *(e.balance.acting[k][2] for k in _jumping(e)))
    return casadi.Function("jump_rates", [e.q, e.v, e.p], [casadi.densify(rates)])


@stored
def driven(compiled: System, parameters: Parameters, control: Control) -> casadi.Function:
    """(q, v, constants) -> s and ṡ of all drives with a controller."""
    return _plant(compiled, parameters, control).driven


@remembered
def _plant(compiled: System, parameters: Parameters, control: Control) -> Plant:
    """Write the equations of motion from the forces that a motion needs."""
    e, theta = linear_equations(compiled, parameters)
    still, acting = casadi.SX.sym("still", len(_jumping(e))), list(e.balance.acting)
    for k, at in enumerate(_jumping(e)):
        acting[at] = (acting[at][0].smoothed(still[k]), *acting[at][1:])
    e = replace(e, balance=replace(e.balance, acting=tuple(acting)))
    a, motion = casadi.SX.sym("a", e.v.size1()), e.kinematics
    R, E = rates_and_efforts(e, a)
    need = casadi.jtimes(R, e.v, E, True)
    M = casadi.jacobian(need, a)
    first, laws = len(acting) - e.u.size1(), [law for law, _, _ in compiled.equations.balance.acting]
    drives = [s_dot for _, _, s_dot in acting[first:]]
    B = casadi.jacobian(casadi.vertcat(casadi.SX(0, 1), *drives), e.v).T
    arriving = [transmitted(laws[:first], laws[first + k], e.u[k], rate) for k, rate in enumerate(drives)]
    Q = B @ casadi.vertcat(casadi.SX(0, 1), *arriving) - casadi.substitute(need, a, 0)
    solved = kkt(M, motion.C, Q, motion.gamma, compiled.dynamics.order, compiled.dynamics.all_weighted(M))
    q, v = e.q, e.v
    if motion.phi.size1():
        moved = solved.solve(casadi.SX(v.size1(), 2), -casadi.horzcat(motion.phi, motion.C @ v))[0]
        q, v = q + e.N @ moved[:, 0], v + moved[:, 1]
    constants = casadi.vertcat(e.p, theta, still)
    return Plant(
        constants,
        casadi.Function("rates", [e.q, e.v, e.u, constants], [motion.q_dot, solved.acceleration]),
        casadi.Function("kept", [e.q, e.v, constants], [unit_quaternions(e, q), v]),
        casadi.Function("driven", [e.q, e.v, constants], [seen_by(compiled, control)]),
    )


def seen_by(compiled: System, control: Control) -> Any:
    """s and ṡ (2 d, 1) of all drives with a controller."""
    along = [compiled.along(compiled.elements.actuators[name].on) for name, _ in control.drives]
    return casadi.densify(casadi.vertcat(*(s for s, _ in along), *(s_dot for _, s_dot in along)))


@stored
def _step(compiled: System, parameters: Parameters, control: Control) -> casadi.Function:
    """One step of the mechanism with linear parameters."""
    return controlled_step(compiled, _plant(compiled, parameters, control), control)


def controlled_step(compiled: System, plant: Plant, control: Control) -> casadi.Function:
    """(y, given, constants) -> y after the step, v̇ and forces at its beginning; y holds q, v and the memory.

    `given` are: whether the controllers act, the step, references, their rates and noise, now and at the end.
    """
    (nq, nv, _, nu), d = compiled.sizes, len(control.drives)
    size = (2 + control.delay) * d
    y, K = casadi.SX.sym("y", nq + nv + size), casadi.SX.sym("constants", plant.constants.size1())
    given = casadi.SX.sym("given", 2 + 6 * d)
    q, v, memory = y[:nq], y[nq : nq + nv], y[nq + nv :]
    acts, h, now, end = given[0], given[1], given[2 : 2 + 3 * d], given[2 + 3 * d :]
    drive = _Drive(compiled, plant, control, K)
    if control.rate is None:
        z, u_0 = memory[:d], drive.forces(q, v, now, memory[:d])[0]

        bent = casadi.vertcat(
            h / 2 * (now[d : 2 * d] - end[d : 2 * d]), casadi.SX(2 * d, 1)
        )  # Hermite's cubic halfway

        def slopes(share: float, q: Any, v: Any, z: Any) -> tuple[Any, ...]:
            told = (1 - share) * now + share * end + share * (1 - share) * bent
            u, z_dot = drive.forces(q, v, told, z)
            return (*plant.rates(q, v, drive.spread(u, nu), K), z_dot)

        q, v, z, a = runge_kutta(slopes, h, q, v, z)
        after = casadi.vertcat(z, memory[d:])
    else:
        after, u_0 = drive.sampled(q, v, now, memory, acts, 1 / control.rate)

        def slopes(share: float, q: Any, v: Any, z: Any) -> tuple[Any, ...]:
            return (*plant.rates(q, v, drive.spread(u_0, nu), K), 0 * z)

        q, v, _, a = runge_kutta(slopes, h, q, v, casadi.SX(d, 1))
    q, v = plant.kept(q, v, K)
    outputs = [casadi.vertcat(q, v, after), a, drive.spread(u_0, nu)]
    return casadi.Function("closed_loop", [y, given, K], [casadi.densify(x) for x in outputs])


def runge_kutta(slopes: Any, h: Any, *x: Any) -> tuple[Any, ...]:
    """x a step later, and the second of the slopes at its beginning, which is v̇."""
    k1 = slopes(0.0, *x)
    k2 = slopes(0.5, *(y + h / 2 * k for y, k in zip(x, k1)))
    k3 = slopes(0.5, *(y + h / 2 * k for y, k in zip(x, k2)))
    k4 = slopes(1.0, *(y + h * k for y, k in zip(x, k3)))
    ends = (y + h / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip(x, k1, k2, k3, k4))
    return (*ends, k1[1])


@dataclass(frozen=True, eq=False)
class _Drive:
    """All controllers as symbols."""

    compiled: System
    plant: Plant
    control: Control
    constants: Any

    def forces(self, q: Any, v: Any, told: Any, z: Any) -> tuple[Any, Any]:
        """Forces (d,) of continuous controllers, and the rates of their integrals."""
        d, seen = len(self.control.drives), self.plant.driven(q, v, self.constants)
        return self._forces(seen[:d] + told[2 * d :], seen[d:], told, z)

    def _forces(self, s: Any, s_dot: Any, told: Any, z: Any) -> tuple[Any, Any]:
        d, found = len(self.control.drives), []
        for k, (name, one) in enumerate(self.control.drives):
            e = told[k] - s[k]
            found.append(one.force(turn(e) if self._winds(name) else e, told[d + k], s_dot[k], z[k]))
        return casadi.vertcat(*(f for f, _ in found)), casadi.vertcat(*(rate for _, rate in found))

    def _winds(self, name: str) -> bool:
        """Whether the coordinate of a drive is known up to turns."""
        on = self.compiled.elements.actuators[name].on
        direct = self.compiled.equations.kinematics.direct
        return on.unit == "rad" and (not isinstance(on, AlongJoint) or direct(on) is None)

    def sampled(self, q: Any, v: Any, told: Any, memory: Any, acts: Any, period: float) -> tuple[Any, Any]:
        """The memory of sampled controllers after they may have acted, and the forces (d,) that are held."""
        d, seen = len(self.control.drives), self.plant.driven(q, v, self.constants)
        z, past = memory[:d], memory[2 * d :]
        s = seen[:d] + told[2 * d :]
        rates = [
            (s[k] - past[(one.differences - 1) * d + k]) / (one.differences * period)
            if one.differences
            else seen[d + k]
            for k, (_, one) in enumerate(self.control.drives)
        ]
        u, z_dot = self._forces(s, casadi.vertcat(*rates), told, z)
        kept = [s, past[: (self.control.delay - 1) * d]] if self.control.delay > 1 else [s] * self.control.delay
        new = casadi.vertcat(z + period * z_dot, u, *kept)
        after = acts * new + (1 - acts) * memory
        return after, after[d : 2 * d]

    def spread(self, u: Any, nu: int) -> Any:
        """Forces (nu,) of all actuators from those with a controller (d,)."""
        full = casadi.SX(nu, 1)
        for k, (name, _) in enumerate(self.control.drives):
            full[self.compiled.commands.index(name)] = u[k]
        return full
