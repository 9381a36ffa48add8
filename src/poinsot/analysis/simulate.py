"""Simulation: the motion of a mechanism under given forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from poinsot.analysis.motion import written_out
from poinsot.analysis.state import state
from poinsot.analysis.system import System, start, system
from poinsot.engine import integrator
from poinsot.errors import PoinsotError, unknown
from poinsot.model.mechanism import Mechanism

__all__ = ["Simulation", "simulate"]

Law = float | Callable[[Any, Any, Any], Any]  # a constant force, or a law of (t, s, ṡ)


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion: n times."""

    mechanism: str
    formulation: str
    t: np.ndarray  # (n,)  [s]
    position: dict[str, np.ndarray]  # by body, origin in the world (n, 3)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (n, 3, 3)
    coordinates: dict[str, np.ndarray]  # coordinates that the model file names (n,)  [m or rad]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    energy: np.ndarray  # kinetic and potential (n,)  [J]
    work: np.ndarray  # of drives, dampers, friction and loads since the start (n,)  [J]
    drift: float  # largest violation of a constraint  [m or rad]
    energy_error: float  # largest |energy − work − energy at the start|  [J]
    steps: int
    status: str  # what to do next; empty means success

    @property
    def finished(self) -> bool:
        """Whether the motion reached the last time."""
        return not self.status

    def __str__(self) -> str:
        return (
            f"{self.mechanism} ({self.formulation}): {self.t[-1]:g} s in {self.steps} steps, "
            f"drift {self.drift:.1e}, energy error {self.energy_error:.1e} J"
            + (f"\n{self.status}" if self.status else "")
        )


def simulate(
    mechanism: Mechanism,
    t_end: float,
    *,
    t: Sequence[float] | None = None,
    forces: Mapping[str, Law] | None = None,
    pose: Mapping[str, float] | None = None,
    velocity: Mapping[str, float] | None = None,
    formulation: str = "joint",
    rtol: float = 1e-10,
    atol: float = 1e-12,
    max_steps: int = 100_000,
) -> Simulation:
    """Simulate a mechanism from a pose, with actuator forces [N or N·m] that are numbers or laws of (t, s, ṡ).

    `t` are the times at which to give the motion (default: 101 from 0 to t_end). Constraints are kept by
    projection after every step; drift and energy balance are reported with the result.

    >>> import poinsot
    >>> r = poinsot.simulate(poinsot.load("pendulum"), t_end=1.0, pose={"phi": 0.1})
    >>> bool(r.energy_error < 1e-9)
    True
    """
    times = _times(t, t_end)
    begin = start(mechanism, pose)
    compiled = system(mechanism, formulation, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    q, v = state(compiled, begin, p, velocity)
    laws = _laws(compiled, forces or {})
    motion = _integrator(compiled, laws)
    constants = np.array([law if not callable(law) else 0.0 for law in laws.values()], float)
    grid = times if times[0] == 0 else np.concatenate([[0.0], times])
    y0 = np.concatenate([q, v, [0.0]])
    run = motion(grid, y0, np.concatenate([constants, p]), rtol=rtol, atol=atol, max_steps=max_steps)
    y = run.y[0][len(grid) - len(times) :]
    return _result(mechanism, compiled, times, y, y0, constants, p, run, laws)


def _times(t: Sequence[float] | None, t_end: float) -> np.ndarray:
    if not isinstance(t_end, Real) or not np.isfinite(t_end) or t_end <= 0:
        raise PoinsotError(f"t_end must be a positive time in seconds, not {t_end!r}")
    times = np.linspace(0.0, t_end, 101) if t is None else np.asarray(t, float)
    if times.ndim != 1 or not times.size or not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0):
        raise PoinsotError("t must be a list of times, each later than the one before")
    if times[0] < 0 or times[-1] > t_end * (1 + 1e-12):
        raise PoinsotError(f"t must lie between 0 and t_end = {t_end:g} s, not {times[0]:g} … {times[-1]:g} s")
    return times


def _laws(compiled: System, forces: Mapping[str, Law]) -> dict[str, Law]:
    for name in forces:
        if name not in compiled.commands:
            raise PoinsotError(unknown("actuator", name, compiled.commands))
    given = {name: law if callable(law) else compiled.command(name, law) for name, law in forces.items()}
    return {name: given.get(name, 0.0) for name in compiled.commands}


def _integrator(compiled: System, laws: Mapping[str, Law]) -> Any:
    """The native loop for a set of laws; constants are parameters of it, so that changing them costs nothing."""
    import casadi

    from poinsot.formulations.acting import along

    key = ("integrator", *(law if callable(law) else None for law in laws.values()))
    if key in compiled._kernels:
        return compiled._kernels[key]
    e, elements = compiled.equations, compiled.elements
    time, work, constants = casadi.SX.sym("t"), casadi.SX.sym("w"), casadi.SX.sym("u", len(laws))
    commands = []
    for k, (name, law) in enumerate(laws.items()):
        if callable(law):
            s, s_dot = along(elements.actuators[name].on, elements, e.poses, e.q, e.q_dot, lambda on: None)
            commands.append(
                written_out(f"the law of actuator '{name}', a function of (t, s, ṡ),", law, time, s, s_dot)
            )
        else:
            commands.append(constants[k])
    u = casadi.vertcat(*commands) if commands else casadi.SX(0, 1)
    acceleration, power = compiled.dynamics.solution[0], e.power
    acceleration, power = casadi.substitute([acceleration, casadi.SX(power)], [e.u], [u])
    y, P = casadi.vertcat(e.q, e.v, work), casadi.vertcat(constants, e.p)
    rhs = casadi.Function("rhs", [time, y, P], [casadi.vertcat(e.q_dot, acceleration, power)])
    q, v = compiled.dynamics.projected
    projection = casadi.Function("projection", [time, y, P], [casadi.vertcat(q, v, work)])
    keep = e.phi.size1() or e.norms.size1()
    compiled._kernels[key] = integrator(rhs, projection=projection if keep else None)
    return compiled._kernels[key]


def _result(
    mechanism: Mechanism,
    compiled: System,
    times: np.ndarray,
    y: np.ndarray,
    y0: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    run: Any,
    laws: Mapping[str, Law],
) -> Simulation:
    import casadi

    e = compiled.equations
    nq, nv, _, _ = e.sizes
    reached = np.isfinite(y).all(axis=1)
    times, y = times[reached], y[reached]

    def outputs() -> list[Any]:
        energy = e.v.T @ e.M @ e.v / 2 + e.potential
        named = [compiled.coordinate(name)[0] for name in compiled.elements.coordinates]
        return [energy, e.phi, casadi.vertcat(*named) if named else casadi.SX(0, 1)]

    both = np.vstack([y0[None], y])
    energy, phi, named = compiled.kernel("outputs", outputs)(both[:, :nq], both[:, nq : nq + nv], u, p)
    energy, work = energy.ravel(), both[:, -1]
    position, rotation = compiled.poses(y[:, :nq], p)
    balance = energy - energy[0] - work
    status = run.status[0]
    text = "" if run.finished else f"stopped at t = {run.t_reached[0]:.6g} s: {status.advice}"
    return Simulation(
        mechanism=mechanism.name,
        formulation=compiled.dynamics.formulation,
        t=times,
        position=position,
        rotation=rotation,
        coordinates={name: named[1:, k] for k, name in enumerate(compiled.elements.coordinates)},
        q=y[:, :nq],
        v=y[:, nq : nq + nv],
        energy=energy[1:],
        work=work[1:],
        drift=float(np.max(np.abs(phi), initial=0.0)),
        energy_error=float(np.max(np.abs(balance), initial=0.0)),
        steps=int(run.steps[0]),
        status=text,
    )
