"""The integration behind a simulation: native loops, or CVODES for stiff mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.engine import Cvodes, Formula, Status, Trajectories, integrator
from poinsot.errors import Interrupted, PoinsotError, unknown
from poinsot.motion.counted_turns import turning
from poinsot.simulation.equations import Laws, motion_functions
from poinsot.simulation.events import Ending, Event, Watched
from poinsot.system.stored import remembered
from poinsot.system.system import System

METHODS = ("auto", "explicit", "implicit")
_ENDINGS = {
    Status.STEP_TOO_SMALL: Ending.COLLAPSED,
    Status.TOO_MANY_STEPS: Ending.EXHAUSTED,
    Status.INTERRUPTED: Ending.INTERRUPTED,
}


@dataclass(frozen=True, eq=False)
class Integration:
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
    laws: Laws = ()  # of the actuators

    def __call__(
        self, t: np.ndarray, y0: np.ndarray, p: np.ndarray, *, threads: int | None, **options: float
    ) -> Integration:
        """Integrate from y0 (states,) with parameters (m,) or (N, m); Interrupted brings what was found."""
        if self.method == "implicit":
            return self._implicit(t, y0, p, options)
        try:
            return self._native_ended(t, self.native(t, y0, p, threads=threads, **options))
        except Interrupted as stop:
            raise Interrupted(str(stop), partial=self._native_ended(t, stop.partial)) from None

    def state_at(self, begin: float, y0: np.ndarray, end: float, p: np.ndarray, **options: Any) -> np.ndarray:
        """The state (states,) at a time, from that at an earlier one, whatever happens in between."""
        t = np.array([begin, end])
        if self.method == "implicit":
            y, none = np.full((2, len(y0)), np.nan), np.full(len(self.events), np.nan)
            y[0] = y0
            given = {name: option for name, option in options.items() if name != "threads"}
            self._from_output_to_output(t, p, given, y, none, np.array([begin]), np.zeros(1, int))
            return y[-1]
        return self.native(t, y0, p, **options).y[0, -1]

    def _native_ended(self, t: np.ndarray, run: Trajectories) -> Integration:
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
    ) -> Integration:
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
        return Integration(y, self.events, times, steps, endings, reached, why)

    def _implicit(self, t: np.ndarray, y0: np.ndarray, p: np.ndarray, options: dict[str, Any]) -> Integration:
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
        last = len(out[0]) - 1
        step = Cvodes(self.rhs, range(last - self.angles, last), **options)  # turns are counted beside its states
        for k in range(1, len(t)):
            if (found := step(t[k - 1], t[k], out[k - 1], p)) is None:
                return Ending.COLLAPSED
            here, taken = found
            steps[0] += taken
            if self.projection is not None:
                here = np.asarray(self.projection.function(t[k], here, p)).ravel()
            out[k], reached[0] = here, t[k]
            if self.crossing is not None and self._crossed(self.crossing.function, t, out, k, p, times):
                break
        return Ending.FINISHED

    def _crossed(
        self, crossing: Callable[..., Any], t: np.ndarray, y: np.ndarray, k: int, p: np.ndarray, times: np.ndarray
    ) -> bool:
        """Note events between outputs k − 1 and k, by the secant; tell whether one ends the motion."""
        before, after = (np.asarray(crossing(t[i], y[i], p)).ravel() for i in (k - 1, k))
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


def methods_of(method: str) -> tuple[str, ...]:
    """How to integrate at first, and from where a motion is stiff."""
    if not isinstance(method, str) or method not in METHODS:
        raise PoinsotError(unknown("method", method, METHODS))
    return ("explicit", "implicit") if method == "auto" else (method,)


def compiled_motion(compiled: System, laws: Laws, events: Mapping[str, tuple[str, float]], method: str) -> Motion:
    """The motion for written laws; constant forces are parameters of it, so that changing them costs nothing."""
    return _motion(compiled, laws, tuple((n, on, float(value)) for n, (on, value) in events.items()), method)


@remembered
def _motion(compiled: System, laws: Laws, events: Watched, method: str) -> Motion:
    written = motion_functions(compiled, laws, events, method)
    watched, parts = tuple(Event(name, Ending(ending), why) for name, ending, why in written.facts), written.functions
    native = integrator(**parts) if method == "explicit" else None
    count = len(turning(compiled))
    return Motion(watched, method, parts["rhs"], parts.get("projection"), parts.get("events"), native, count, laws)
