"""The integration behind a simulation: native loops, or CVODES for stiff mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.analysis.motion import written_out
from poinsot.analysis.system import System
from poinsot.engine import integrator
from poinsot.errors import PoinsotError, unknown
from poinsot.formulations.acting import centre_of, winds

__all__ = ["Found", "Law", "compiled_motion"]

Law = float | Callable[[Any, Any, Any], Any]  # a constant force, or a law of (t, s, ṡ)
METHODS = ("explicit", "implicit")
NEAR_SINGULAR = 0.02  # |det E| of Euler angles below which digits are lost
AMBIGUOUS = 0.955  # cos 0.3: so near to half a turn a spring about an angle read off a pose may jump by a turn


@dataclass(frozen=True, eq=False)
class Found:
    """What an integration gave for N motions at n times."""

    y: np.ndarray  # (N, n, states), NaN at times that were not reached
    event_times: np.ndarray  # (N, k)
    steps: np.ndarray  # (N,)
    text: str  # why it ended early; empty if it did not


@dataclass(frozen=True, eq=False)
class Motion:
    """A compiled motion: right-hand side, projection, events."""

    names: tuple[str, ...]  # of the events
    stops: tuple[str, ...]  # why an event ends the motion; empty if it does not
    method: str
    rhs: Any
    projection: Any | None
    native: Any

    def __call__(
        self, t: np.ndarray, y0: np.ndarray, p: np.ndarray, *, rtol: float, atol: float, max_steps: int, threads: Any
    ) -> Found:
        """Integrate from y0 (states,) with parameters (m,) or (N, m)."""
        if self.method == "implicit":
            return self._implicit(t, y0, p, rtol, atol, max_steps)
        run = self.native(t, y0, p, rtol=rtol, atol=atol, max_steps=max_steps, threads=threads)
        text = ""
        for k, status in enumerate(run.status):
            if status.advice and not text:
                text = f"stopped at t = {run.t_reached[k]:.6g} s: {status.advice}"
        y, stopped = self._stopped(t, run.y.copy(), run.event_times)
        return Found(y, run.event_times, run.steps, stopped or text)

    def _stopped(self, t: np.ndarray, y: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, str]:
        """Forget what lies behind an event that ends the motion."""
        text = ""
        for k, stop in enumerate(self.stops):
            for sample in np.flatnonzero(np.isfinite(times[:, k])) if stop else ():
                y[sample, t > times[sample, k]] = np.nan
                text = text or f"stopped at t = {times[sample, k]:.6g} s: {stop}"
        return y, text

    def _implicit(
        self, t: np.ndarray, y0: np.ndarray, p: np.ndarray, rtol: float, atol: float, max_steps: int
    ) -> Found:
        import casadi

        time, y, P = (casadi.SX.sym(n, self.rhs.numel_in(i)) for i, n in enumerate("typ"))
        problem = {"t": time, "x": y, "p": P, "ode": self.rhs(time, y, P)}
        options = {"reltol": rtol, "abstol": atol, "max_num_steps": max_steps}
        samples = np.atleast_2d(p)
        out = np.full((len(samples), len(t), len(y0)), np.nan)
        text = ""
        for n, constants in enumerate(samples):
            here = out[n, 0] = y0
            for k in range(1, len(t)):
                solver = casadi.integrator("implicit", "cvodes", problem, t[k - 1], t[k], options)
                try:
                    here = np.asarray(solver(x0=here, p=constants)["xf"]).ravel()
                except RuntimeError:
                    text = text or f"stopped at t = {t[k - 1]:.6g} s: the implicit method could not go on"
                    break
                if self.projection is not None:
                    here = np.asarray(self.projection(t[k], here, constants)).ravel()
                out[n, k] = here
        return Found(out, np.full((len(samples), len(self.names)), np.nan), np.full(len(samples), len(t) - 1), text)


def compiled_motion(
    compiled: System, laws: Mapping[str, Law], events: Mapping[str, tuple[str, float]], method: str
) -> Motion:
    """The motion for a set of laws; constant forces are parameters of it, so that changing them costs nothing."""
    if method not in METHODS:
        raise PoinsotError(unknown("method", method, METHODS))
    key = ("motion", method, *(law if callable(law) else None for law in laws.values()), *events.items())
    if key not in compiled._kernels:
        compiled._kernels[key] = _compile(compiled, laws, events, method)
    return compiled._kernels[key]


def _compile(
    compiled: System, laws: Mapping[str, Law], events: Mapping[str, tuple[str, float]], method: str
) -> Motion:
    import casadi

    e = compiled.equations
    time, work, constants = casadi.SX.sym("t"), casadi.SX.sym("w"), casadi.SX.sym("u", len(laws))
    u = _commands(compiled, laws, time, constants)
    solution = [compiled.dynamics.solution[0], casadi.SX(e.power)]
    acceleration, power = casadi.substitute(solution, [e.u], [u]) if laws else solution
    y, P = casadi.vertcat(e.q, e.v, work), casadi.vertcat(constants, e.p)
    rhs = casadi.Function("rhs", [time, y, P], [casadi.vertcat(e.q_dot, acceleration, power)])
    projection = None
    if e.phi.size1() or e.norms.size1():
        q, v = compiled.dynamics.projected
        projection = casadi.Function("projection", [time, y, P], [casadi.vertcat(q, v, work)])
    watched = _events(compiled, events)
    crossing = None
    if watched:
        crossing = casadi.Function("events", [time, y, P], [casadi.vertcat(*(x for _, _, x in watched))])
    native = integrator(rhs, projection=projection, events=crossing) if method == "explicit" else None
    names, stops = tuple(n for n, _, _ in watched), tuple(stop for _, stop, _ in watched)
    return Motion(names, stops, method, rhs, projection, native)


def _commands(compiled: System, laws: Mapping[str, Law], time: Any, constants: Any) -> Any:
    """Actuator forces as symbols: constants, or the user's laws of (t, s, ṡ)."""
    import casadi

    elements, found = compiled.elements, []
    for k, (name, law) in enumerate(laws.items()):
        if callable(law):
            s, s_dot = compiled.along(elements.actuators[name].on)
            found.append(written_out(f"the law of actuator '{name}', a function of (t, s, ṡ),", law, time, s, s_dot))
        else:
            found.append(constants[k])
    return casadi.vertcat(*found) if found else casadi.SX(0, 1)


def _events(compiled: System, events: Mapping[str, tuple[str, float]]) -> list[tuple[str, str, Any]]:
    """Name, why it ends the motion (empty if it does not), and the function whose sign changes."""
    import casadi

    found = [(name, "", compiled.coordinate(on)[0] - value) for name, (on, value) in events.items()]
    for body, quality in compiled.equations.chart_quality.items():
        why = f"the Euler angles of '{body}' come near their singularity: use another formulation or sequence"
        found.append((f"{body} singular", why, quality - NEAR_SINGULAR))
    for name, force in compiled.elements.forces.items():
        s, _ = compiled.along(force.on)
        if force.kind == "end-stop" and isinstance(force.stiffness, float) and force.stiffness == 0:
            found.append((name, f"the end stop '{name}' was reached", (s - force.lower) * (force.upper - s)))
        elif winds(force, compiled.equations.direct):
            why = f"'{name}' is turned by half a turn, which this formulation cannot follow: use 'joint'"
            found.append((f"{name} turned", why, casadi.cos(s - centre_of(force)) + AMBIGUOUS))
    return found
