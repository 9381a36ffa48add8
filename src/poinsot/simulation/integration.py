"""The integration behind a simulation: native loops, or CVODES for stiff mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from poinsot.engine import Formula, Status, Trajectories, integrator
from poinsot.engine.code.formula import formula
from poinsot.engine.interrupts import noted_interrupts
from poinsot.errors import Interrupted, PoinsotError, unknown
from poinsot.formulations.reading import COMBINATIONS
from poinsot.lazy import casadi
from poinsot.motion.angles import turned, turning, turning_rates
from poinsot.motion.signals import written_out
from poinsot.system.system import System

__all__ = ["Ending", "Event", "Found", "Law", "Motion", "commands", "compiled_motion", "digests", "written_law"]

Law = float | Callable[[Any, Any, Any], Any]  # a constant force, or a law of (t, s, ṡ)
METHODS = ("explicit", "implicit")
MUCH_BETTER = 300.0  # times the limit of combinations, 30 times what they were: others are chosen, with another limit
BEYOND = 0.5  # of the quality at which coordinates are chosen anew: below it no step goes
AMBIGUOUS = 0.955  # cos 0.3: so near to half a turn a spring about an angle read off a pose may jump by a turn
_QUIET = {"disable_internal_warnings": True, "show_eval_warnings": False}  # how a motion ended is in the result


class Ending(StrEnum):
    """How the integration of one motion ended."""

    FINISHED = ""
    STOPPED = "an event ends the motion"
    POOR = "the coordinates are poor"
    COLLAPSED = "the step became too small"
    EXHAUSTED = "there were too many steps"
    INTERRUPTED = "it was interrupted"


_ENDINGS = {
    Status.STEP_TOO_SMALL: Ending.COLLAPSED,
    Status.TOO_MANY_STEPS: Ending.EXHAUSTED,
    Status.INTERRUPTED: Ending.INTERRUPTED,
}


@dataclass(frozen=True, eq=False)
class Event:
    """What is watched along a motion."""

    name: str
    ending: Ending  # FINISHED if it does not end the motion
    why: str  # in which case this says why


@dataclass(frozen=True, eq=False)
class Found:
    """What an integration gave for N motions at n times."""

    y: np.ndarray  # (N, n, states), NaN at times that were not reached
    events: tuple[Event, ...]  # k that were watched
    event_times: np.ndarray  # (N, k), NaN where an event did not happen
    steps: np.ndarray  # (N,)
    endings: list[Ending]  # N
    reached: np.ndarray  # (N,)  [s]
    why: list[str]  # N, what ended it early; empty if nothing did


@dataclass(frozen=True, eq=False)
class Motion:
    """A compiled motion: right-hand side, projection, events."""

    events: tuple[Event, ...]
    method: str
    rhs: Formula
    projection: Formula | None
    crossing: Formula | None  # (k,), the functions whose signs change at events
    native: Any
    angles: int = 0  # states before the last one that count turns
    laws: Mapping[str, float | Formula] = field(default_factory=dict)  # of the actuators

    def __call__(
        self, t: np.ndarray, y0: np.ndarray, p: np.ndarray, *, rtol: float, atol: float, max_steps: int, threads: Any
    ) -> Found:
        """Integrate from y0 (states,) with parameters (m,) or (N, m); Interrupted brings what was found."""
        if self.method == "implicit":
            return self._implicit(t, y0, p, _cvodes(rtol, atol, max_steps))
        try:
            return self._found(t, self.native(t, y0, p, rtol=rtol, atol=atol, max_steps=max_steps, threads=threads))
        except Interrupted as stop:
            raise Interrupted(str(stop), partial=self._found(t, stop.partial)) from None

    def state_at(self, begin: float, y0: np.ndarray, end: float, p: np.ndarray, **options: Any) -> np.ndarray:
        """The state (states,) at a time, from that at an earlier one, whatever happens in between."""
        t = np.array([begin, end])
        if self.method == "implicit":
            y, none = np.full((2, len(y0)), np.nan), np.full(len(self.events), np.nan)
            y[0] = y0
            given = _cvodes(*(options[name] for name in ("rtol", "atol", "max_steps")))
            self._from_output_to_output(t, p, given, y, none, np.array([begin]), np.zeros(1, int))
            return y[-1]
        return self.native(t, y0, p, **options).y[0, -1]

    def _found(self, t: np.ndarray, run: Trajectories) -> Found:
        endings = [_ENDINGS.get(status, Ending.FINISHED) for status in run.status]
        return self._ended(t, run.y, run.event_times, run.steps, endings, run.t_reached)

    def _ended(
        self,
        t: np.ndarray,
        y: np.ndarray,
        times: np.ndarray,
        steps: np.ndarray,
        endings: list[Ending],
        reached: np.ndarray,
    ) -> Found:
        """Forget what lies behind the first event that ends a motion."""
        why = [str(ending) for ending in endings]
        last = [k for k, event in enumerate(self.events) if event.ending]
        for n in range(len(y)) if last else ():
            k = last[int(np.argmin(np.where(np.isfinite(times[n, last]), times[n, last], np.inf)))]
            if np.isfinite(times[n, k]):
                y[n, t > times[n, k]] = np.nan
                times[n, times[n] > times[n, k]] = np.nan
                endings[n], reached[n], why[n] = self.events[k].ending, times[n, k], self.events[k].why
        for n, k in _gaps(t, y, reached):  # coordinates that are poor only between the stages of a step
            y[n, k:], times[n, times[n] > t[k - 1]] = np.nan, np.nan
            poor = next((event for event in self.events if event.ending is Ending.POOR), None)
            endings[n], why[n] = (Ending.POOR, poor.why) if poor else (Ending.COLLAPSED, Ending.COLLAPSED)
            reached[n] = t[k - 1]
        return Found(y, self.events, times, steps, endings, reached, why)

    def _implicit(self, t: np.ndarray, y0: np.ndarray, p: np.ndarray, options: dict[str, Any]) -> Found:
        """CVODES from output to output; events are seen from one output to the next."""
        samples = np.atleast_2d(p)
        out = np.full((len(samples), len(t), len(y0)), np.nan)
        out[:, 0] = y0
        times, endings = np.full((len(samples), len(self.events)), np.nan), [Ending.INTERRUPTED] * len(samples)
        reached = np.full(len(samples), t[0])
        steps = np.zeros(len(samples), int)
        try:
            for n, constants in enumerate(samples):
                own = (out[n], times[n], reached[n : n + 1], steps[n : n + 1])
                endings[n] = self._from_output_to_output(t, constants, options, *own)
        except KeyboardInterrupt:
            found = self._ended(t, out, times, steps, endings, reached)
            raise Interrupted("the integration was interrupted", partial=found) from None
        return self._ended(t, out, times, steps, endings, reached)

    def _from_output_to_output(
        self,
        t: np.ndarray,
        p: np.ndarray,
        options: dict[str, Any],
        out: np.ndarray,
        times: np.ndarray,
        reached: np.ndarray,
        steps: np.ndarray,
    ) -> Ending:
        """Fill in the states (n, states), times of events (k,), time reached (1,) and steps (1,) of one motion."""
        problem, keep = self._problem()
        for k in range(1, len(t)):
            solver = casadi.integrator("implicit", "cvodes", problem, t[k - 1], t[k], options)
            with noted_interrupts() as interrupts:
                try:
                    end = solver(x0=out[k - 1][keep], p=p)
                    here = out[k - 1].copy()
                    here[keep] = np.asarray(end["xf"]).ravel()
                    here[~keep] += np.asarray(end["qf"]).ravel()
                except RuntimeError:
                    if interrupts:
                        raise KeyboardInterrupt from None
                    return Ending.COLLAPSED
            steps[0] += solver.stats()["nsteps"]
            if self.projection is not None:
                here = np.asarray(self.projection.function(t[k], here, p)).ravel()
            out[k], reached[0] = here, t[k]
            if self.crossing is not None and self._crossed(t, out, k, p, times):
                break
        return Ending.FINISHED

    def _problem(self) -> tuple[dict[str, Any], np.ndarray]:
        """The equations for CVODES, and which states are among its own (states,): turns are counted beside it."""
        rhs = self.rhs.function
        time, full, P = (casadi.SX.sym(n, rhs.numel_in(i)) for i, n in enumerate("typ"))
        keep = np.ones(full.numel(), bool)
        keep[keep.size - 1 - self.angles : -1] = False
        own, counts = np.flatnonzero(keep).tolist(), np.flatnonzero(~keep).tolist()
        slopes = rhs(time, full, P)
        return {"t": time, "x": full[own], "p": P, "ode": slopes[own], "quad": slopes[counts]}, keep

    def _crossed(self, t: np.ndarray, y: np.ndarray, k: int, p: np.ndarray, times: np.ndarray) -> bool:
        """Note events between outputs k − 1 and k, by the secant; tell whether one ends the motion."""
        before, after = (np.asarray(self.crossing.function(t[i], y[i], p)).ravel() for i in (k - 1, k))
        hit = (before * after <= 0) & (before != 0) & np.isnan(times)
        with np.errstate(invalid="ignore", divide="ignore"):
            times[hit] = (t[k - 1] + (t[k] - t[k - 1]) * before / (before - after))[hit]
        return any(event.ending for event, happened in zip(self.events, hit) if happened)


def _gaps(t: np.ndarray, y: np.ndarray, reached: np.ndarray) -> list[tuple[int, int]]:
    """Motions with an output that is missing before the time reached, and the first such output of each."""
    if np.isfinite(y.sum()):
        return []
    missing = ~np.isfinite(y).all(axis=2) & (t <= reached[:, None])
    return [(int(n), int(np.argmax(missing[n]))) for n in np.flatnonzero(missing.any(axis=1))]


def _cvodes(rtol: float, atol: float, max_steps: int) -> dict[str, Any]:
    """Options of CVODES; what it would print is said by the status."""
    return {"reltol": rtol, "abstol": atol, "max_num_steps": max_steps, **_QUIET}


def compiled_motion(
    compiled: System, laws: Mapping[str, float | Formula], events: Mapping[str, tuple[str, float]], method: str
) -> Motion:
    """The motion for written laws; constant forces are parameters of it, so that changing them costs nothing."""
    if not isinstance(method, str) or method not in METHODS:
        raise PoinsotError(unknown("method", method, METHODS))
    watched = tuple((n, on, float(value)) for n, (on, value) in events.items())
    key = ("motion", method, digests(laws), watched)

    def make() -> Motion:
        found = compiled.kept(key, lambda: _functions(compiled, laws, events, method))
        seen, parts = tuple(Event(name, Ending(ending), why) for name, ending, why in found.facts), found.functions
        native = integrator(**parts) if method == "explicit" else None
        count = len(turning(compiled))
        projection, crossing = parts.get("projection"), parts.get("events")
        return Motion(seen, method, parts["rhs"], projection, crossing, native, count, laws)

    return compiled.made(("compiled", key), make)


def digests(laws: Mapping[str, float | Formula]) -> tuple[tuple[str, str], ...]:
    """What tells laws apart: constants have none, and laws that are the same have the same."""
    return tuple((name, law.digest) for name, law in laws.items() if isinstance(law, Formula))


def written_law(name: str, law: Callable[[Any, Any, Any], Any]) -> Formula:
    """The law of an actuator as a function of (t, s, ṡ)."""
    t, s, s_dot = (casadi.SX.sym(x) for x in ("t", "s", "s_dot"))
    f = written_out(f"the law of actuator '{name}', a function of (t, s, ṡ),", law, t, s, s_dot)
    return formula(casadi.Function("law", [t, s, s_dot], [f]))


def _functions(
    compiled: System,
    laws: Mapping[str, float | Formula],
    events: Mapping[str, tuple[str, float]],
    method: str,
) -> tuple[dict[str, Any], Any]:
    """Right-hand side, projection and events of (t, y, p) by name; what is known about each event."""
    e = compiled.equations
    time, work, constants = casadi.SX.sym("t"), casadi.SX.sym("w"), casadi.SX.sym("u", len(laws))
    u = commands(compiled, laws, time, constants)
    solution = [compiled.dynamics.solution[0], casadi.SX(e.power)]
    acceleration, power = casadi.substitute(solution, [e.u], [u]) if laws else solution
    acceleration = acceleration * _within(compiled) if method == "explicit" else acceleration
    counts = casadi.SX.sym("turns", len(turning(compiled)))
    y, P = casadi.vertcat(e.q, e.v, counts, work), casadi.vertcat(constants, e.p)
    parts = {"rhs": (e.q_dot, acceleration, *turning_rates(compiled), power)}
    if e.phi.size1() or e.norms.size1():
        parts["projection"] = (*compiled.dynamics.projected, counts, work)
    watched = (*_user_events(compiled, events, counts), *_quality_events(compiled), *_force_events(compiled))
    if watched:
        parts["events"] = tuple(crossing for _, crossing in watched)
    functions = {n: casadi.Function(n, [time, y, P], [casadi.densify(casadi.vertcat(*x))]) for n, x in parts.items()}
    return functions, [[event.name, event.ending, event.why] for event, _ in watched]


def _within(compiled: System) -> Any:
    """1 where the coordinates are good, NaN well beyond where they are poor: no step is accepted there."""
    inside = casadi.SX(1.0)
    for quality in compiled.dynamics.qualities.values():
        inside = inside * casadi.if_else(quality > BEYOND, 1.0, np.nan)
    return inside


def commands(compiled: System, laws: Mapping[str, float | Formula], time: Any, constants: Any) -> Any:
    """Actuator forces as symbols: constants, or the user's laws of (t, s, ṡ)."""
    elements, found = compiled.elements, []
    for k, (name, law) in enumerate(laws.items()):
        if isinstance(law, Formula):
            s, s_dot = compiled.along(elements.actuators[name].on)
            found.append(law.function(time, s, s_dot))
        else:
            found.append(constants[k])
    return casadi.vertcat(*found) if found else casadi.SX(0, 1)


def _user_events(compiled: System, events: Mapping[str, tuple[str, float]], counts: Any) -> list[tuple[Event, Any]]:
    """Crossings of named coordinates, beyond a turn if they are angles."""
    found, angles = [], turning(compiled)
    for name, (on, value) in events.items():
        s = compiled.coordinate(on)[0]
        s = turned(s, counts[angles.index(on)]) if on in angles else s
        found.append((Event(name, Ending.FINISHED, ""), s - value))
    return found


def _quality_events(compiled: System) -> list[tuple[Event, Any]]:
    """Where coordinates become poor, or combinations of redundant constraints so good that their limit is too low."""
    found = [(Event("", Ending.POOR, name), q - 1) for name, q in compiled.dynamics.qualities.items()]
    if compiled.equations.combined is not None:
        better = compiled.dynamics.system.check - MUCH_BETTER * compiled.equations.limit
        found.append((Event("", Ending.POOR, COMBINATIONS), better))
    return found


def _force_events(compiled: System) -> list[tuple[Event, Any]]:
    """Rigid end stops, and springs about angles that are no longer unambiguous."""
    from poinsot.formulations.acting import centre_of, winds

    found = []
    for name, force in compiled.elements.forces.items():
        s, _ = compiled.along(force.on)
        if force.kind == "end-stop" and isinstance(force.stiffness, float) and force.stiffness == 0:
            why, gap = f"the end stop '{name}' was reached", (s - force.lower) * (force.upper - s)
            found.append((Event(name, Ending.STOPPED, why), gap))
        elif winds(force, compiled.equations.direct):
            why = f"'{name}' is turned by half a turn, which this formulation cannot follow: use 'joint'"
            turned = casadi.cos(s - centre_of(force)) + AMBIGUOUS
            found.append((Event(f"{name} turned", Ending.STOPPED, why), turned))
    return found
