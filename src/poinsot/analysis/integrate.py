"""The integration behind a simulation: native loops, or CVODES for stiff mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.analysis.motion import written_out
from poinsot.analysis.system import System
from poinsot.engine import Formula, integrator
from poinsot.engine.formula import formula
from poinsot.errors import PoinsotError, unknown

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
    rhs: Formula
    projection: Formula | None
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

        rhs = self.rhs.function
        time, y, P = (casadi.SX.sym(n, rhs.numel_in(i)) for i, n in enumerate("typ"))
        problem = {"t": time, "x": y, "p": P, "ode": rhs(time, y, P)}
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
                    here = np.asarray(self.projection.function(t[k], here, constants)).ravel()
                out[n, k] = here
        return Found(out, np.full((len(samples), len(self.names)), np.nan), np.full(len(samples), len(t) - 1), text)


def compiled_motion(
    compiled: System, laws: Mapping[str, Law], events: Mapping[str, tuple[str, float]], method: str
) -> Motion:
    """The motion for a set of laws; constant forces are parameters of it, so that changing them costs nothing."""
    if method not in METHODS:
        raise PoinsotError(unknown("method", method, METHODS))
    written = {name: _written(name, law) for name, law in laws.items() if callable(law)}
    watched = tuple((n, on, float(value)) for n, (on, value) in events.items())
    key = ("motion", tuple((n, f.digest) for n, f in written.items()), watched)

    def make() -> Motion:
        found = compiled.kept(key, lambda: _functions(compiled, laws, written, events))
        names, stops = (tuple(column) for column in found.facts)
        parts = found.functions
        native = integrator(**parts) if method == "explicit" else None
        return Motion(names, stops, method, parts["rhs"], parts.get("projection"), native)

    return compiled.made((method, key), make)


def _written(name: str, law: Law) -> Formula:
    """The law of an actuator as a function of (t, s, ṡ): laws that are the same have the same formula."""
    import casadi

    t, s, s_dot = (casadi.SX.sym(x) for x in ("t", "s", "s_dot"))
    f = written_out(f"the law of actuator '{name}', a function of (t, s, ṡ),", law, t, s, s_dot)
    return formula(casadi.Function("law", [t, s, s_dot], [f]))


def _functions(
    compiled: System,
    laws: Mapping[str, Law],
    written: Mapping[str, Formula],
    events: Mapping[str, tuple[str, float]],
) -> tuple[dict[str, Any], Any]:
    """Right-hand side, projection and events of (t, y, p) by name; names of the events, and why they end a motion."""
    import casadi

    e = compiled.equations
    time, work, constants = casadi.SX.sym("t"), casadi.SX.sym("w"), casadi.SX.sym("u", len(laws))
    u = _commands(compiled, laws, written, time, constants)
    solution = [compiled.dynamics.solution[0], casadi.SX(e.power)]
    acceleration, power = casadi.substitute(solution, [e.u], [u]) if laws else solution
    y, P = casadi.vertcat(e.q, e.v, work), casadi.vertcat(constants, e.p)
    parts = {"rhs": (e.q_dot, acceleration, power)}
    if e.phi.size1() or e.norms.size1():
        parts["projection"] = (*compiled.dynamics.projected, work)
    watched = _events(compiled, events)
    if watched:
        parts["events"] = tuple(x for _, _, x in watched)
    functions = {n: casadi.Function(n, [time, y, P], [casadi.densify(casadi.vertcat(*x))]) for n, x in parts.items()}
    return functions, [[n for n, _, _ in watched], [stop for _, stop, _ in watched]]


def _commands(
    compiled: System, laws: Mapping[str, Law], written: Mapping[str, Formula], time: Any, constants: Any
) -> Any:
    """Actuator forces as symbols: constants, or the user's laws of (t, s, ṡ)."""
    import casadi

    elements, found = compiled.elements, []
    for k, name in enumerate(laws):
        if name in written:
            s, s_dot = compiled.along(elements.actuators[name].on)
            found.append(written[name].function(time, s, s_dot))
        else:
            found.append(constants[k])
    return casadi.vertcat(*found) if found else casadi.SX(0, 1)


def _events(compiled: System, events: Mapping[str, tuple[str, float]]) -> list[tuple[str, str, Any]]:
    """Name, why it ends the motion (empty if it does not), and the function whose sign changes."""
    import casadi

    from poinsot.formulations.acting import centre_of, winds

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
