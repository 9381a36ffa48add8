"""Initial value problems in batch: native loops around native right-hand sides, each sample by itself."""

from __future__ import annotations

from ctypes import c_int64, c_void_p
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from poinsot.engine import integration
from poinsot.engine.arguments import Signature, read_signature
from poinsot.engine.build.build import Build, KernelInfo, start_build
from poinsot.engine.build.native import vector_lanes
from poinsot.engine.build.request import Kind, Request
from poinsot.engine.build.settings import MAX_NATIVE_INSTRUCTIONS, chosen_engine, waits_for_optimised
from poinsot.engine.build.support import llvm_obstacle, portable_form
from poinsot.engine.call_memory import address
from poinsot.engine.code.formula import Formula, formula
from poinsot.engine.integration.controller import REGISTERS, Status
from poinsot.engine.integration.layout import ARGUMENTS, RESULTS
from poinsot.engine.threads import BRIEF_INSTRUCTIONS, choose_threads, run_chunks
from poinsot.errors import Interrupted, PoinsotError, counted, unknown
from poinsot.lazy import casadi

_SOURCES = ("controller", "dop853", "layout", "integrator_code", "dense_code", "rk4_code")
INTEGRATOR = Kind(
    "integrator",
    lambda **given: integration.emit_integrator(**given),
    (c_int64, *[c_void_p] * 2),
    tuple(f"integration/{name}" for name in _SOURCES),
)
METHODS = ("dop853", "rk4")
_STATUSES = tuple(Status)  # by their numbers
_BUDGET, _GROUP = (ARGUMENTS.index(name) for name in ("budget", "group"))
STAGES = 12  # evaluations of the right-hand side in a step
_REGISTER = {name: k for k, name in enumerate(REGISTERS)}


@dataclass(frozen=True)
class Trajectories:
    """Solutions of an initial value problem: N samples at T times, n states, k event functions."""

    t: np.ndarray  # (T,)  [s]
    y: np.ndarray  # (N, T, n)  NaN at times that were not reached
    status: tuple[Status, ...]  # N
    t_reached: np.ndarray  # (N,)  [s]
    steps: np.ndarray  # (N,) accepted
    rejections: np.ndarray  # (N,)
    event_times: np.ndarray  # (N, k) first change of sign of each event function, NaN if none  [s]
    event_counts: np.ndarray  # (N, k) steps over which it changed its sign

    @property
    def finished(self) -> bool:
        """Tell whether every sample reached the last time."""
        return all(status is Status.FINISHED for status in self.status)

    def __str__(self) -> str:
        count = len(self.status)
        lines = [f"{counted(count, 'trajectory')} to t = {self.t[-1]:g}: {counted(int(self.steps.sum()), 'step')}"]
        for status in sorted(set(self.status) - {Status.FINISHED}):
            which = [k for k, s in enumerate(self.status) if s is status]
            lines.append(
                f"sample {which[0]} ({len(which)} in all), t = {self.t_reached[which[0]]:g}: {status.advice}"
            )
        return "\n".join(lines)


def integrator(
    rhs: casadi.Function | Formula,
    *,
    projection: casadi.Function | Formula | None = None,
    events: casadi.Function | Formula | None = None,
    method: str = "dop853",
    engine: str | None = None,
) -> Integrator:
    """Make an integrator of y' = rhs(t, y, p) with t a number, y (n,) and p (m,), m may be 0.

    `projection` (t, y, p) -> y is applied after every accepted step and to every output (constraints).
    `events` (t, y, p) -> (k,) are watched for changes of sign. `method` "dop853" has order 8(5, 3) and
    adaptive steps, "rk4" fixed steps. `engine` as in `kernel`.

    >>> import casadi
    >>> t, y, p = casadi.SX.sym("t"), casadi.SX.sym("y"), casadi.SX.sym("p")
    >>> decay = integrator(casadi.Function("decay", [t, y, p], [-p * y]))
    >>> decay([0.0, 1.0], y0=[1.0], p=[2.0]).y.round(6).ravel().tolist()
    [1.0, 0.135335]
    """
    if method not in METHODS:
        raise PoinsotError(unknown("method", method, METHODS))
    if events is not None and method == "rk4":
        raise PoinsotError("events are watched by the method 'dop853' only")
    inputs = _signature(rhs).inputs
    n, m = (prod(inputs[i]) for i in (1, 2)) if len(inputs) == 3 else (0, 0)
    functions = {"rhs": _full("rhs", rhs, n)}
    if projection is not None:
        functions["projection"] = _full("projection", projection, n)
    if events is not None:
        functions["events"] = _full("events", events, None)
    for name, given in functions.items():
        if [prod(given.signature.inputs[i]) for i in (1, 2)] != [n, m]:
            raise PoinsotError(f"{name} must take t, y and p of the same sizes as the right-hand side")
    return Integrator(functions, method, chosen_engine(engine))


def _signature(function: casadi.Function | Formula) -> Signature:
    return function.signature if isinstance(function, Formula) else read_signature(function)


def _full(name: str, function: casadi.Function | Formula, states: int | None) -> Formula:
    """Give the formula of a function without structural zeros in inputs and output, as SX if possible."""
    given = _signature(function)
    if len(given.inputs) != 3 or len(given.outputs) != 1 or prod(given.inputs[0]) != 1:
        raise PoinsotError(f"{name} must be a function (t, y, p) -> one vector, with t a number")
    if states is not None and prod(given.outputs[0]) != states:
        raise PoinsotError(f"{name} must give {states} numbers, one a state, not {prod(given.outputs[0])}")
    if isinstance(function, Formula):
        return function
    return formula(_dense(name, function))


def _dense(name: str, function: casadi.Function) -> casadi.Function:
    symbol: Any = casadi.SX.sym if portable_form(function)[0].is_a("SXFunction") else casadi.MX.sym
    t, y, p = (symbol(s, function.numel_in(i)) for i, s in enumerate("typ"))
    inputs = [casadi.reshape(v, *function.size_in(i)) for i, v in enumerate((t, y, p))]
    result = casadi.vec(casadi.densify(function(*inputs)))
    return casadi.Function(name, [t, y, p], [result])


class Integrator:
    """Integrates batches of initial value problems; made by `integrator`."""

    def __init__(self, functions: dict[str, Formula], method: str, engine: str):
        self.functions, self.method, self.engine = functions, method, engine
        self.n, self.m = (prod(functions["rhs"].signature.inputs[i]) for i in (1, 2))
        self.k = prod(functions["events"].signature.outputs[0]) if "events" in functions else 0
        self._builds: dict[int, Build] = {}
        if self.obstacle and engine == "native":
            raise PoinsotError(f"the integrator cannot run as native code: {self.obstacle}")

    @cached_property
    def obstacle(self) -> str:
        """Why no native code is used; empty if it is."""
        if self.engine == "vm":
            return "the VM was asked for"
        if found := next(filter(None, (f.obstacle for f in self.functions.values())), "") or llvm_obstacle():
            return found
        limit = MAX_NATIVE_INSTRUCTIONS
        few = self.instructions <= limit
        return "" if few else f"it has {self.instructions} instructions, more than the {limit} that are compiled"

    @property
    def instructions(self) -> int:
        """Those of all functions, and of the loop around them."""
        return sum(f.instructions for f in self.functions.values()) + 500

    @property
    def info(self) -> KernelInfo:
        """What runs now, and why."""
        for build in self._builds.values():
            return build.state.info
        reason = self.obstacle or "nothing has run yet"
        return KernelInfo("integrator", "vm", self.functions["rhs"].instructions, 1, 0.0, False, reason)

    def _build(self, count: int) -> Build | None:
        """Get native code: for single samples, or for as many as a vector holds."""
        if self.obstacle:
            return None
        lanes = 1 if count == 1 else vector_lanes()
        if lanes not in self._builds:
            request = Request(INTEGRATOR, self.functions, {"lanes": lanes, "method": self.method})
            self._builds[lanes] = start_build(request, "integrator", self.instructions)
        if waits_for_optimised():
            self._builds[lanes].wait()
        return self._builds[lanes]

    def wait(self, count: int = 2, seconds: float | None = None) -> KernelInfo:
        """Wait for the optimised code for batches of `count` samples (1, or more)."""
        if build := self._build(count):
            build.wait(seconds)
        return self.info

    def __call__(
        self,
        t: Any,
        y0: Any,
        p: Any = (),
        *,
        rtol: float = 1e-9,
        atol: float = 1e-12,
        first_step: float = 0.0,
        max_step: float = np.inf,
        max_steps: int = 100_000,
        substeps: int = 1,
        threads: int | None = None,
    ) -> Trajectories:
        """Integrate from t[0] and give the states at all times t (T,), which must increase.

        y0 (n,) or (N, n), p (m,) or (N, m). `rtol`, `atol` bound the error of a step, rtol |y| + atol;
        `max_steps` counts rejected steps too; `substeps` are the steps of "rk4" between two times. Ctrl-C raises
        `Interrupted`, a KeyboardInterrupt whose `partial` holds what was reached.
        """
        t, y0, p = _times(t), _batch("y0", y0, self.n), _batch("p", p, self.m)
        counts = {len(a) for a in (y0, p) if a.ndim == 2}
        if len(counts) > 1:
            raise PoinsotError(f"y0 has {len(y0)} samples, p has {len(p)}")
        if not (rtol >= 0 and atol >= 0 and rtol + atol > 0 and max_step > 0 and substeps >= 1):
            raise PoinsotError("rtol and atol must not be negative nor both zero, max_step and substeps positive")
        count = counts.pop() if counts else 1
        given = {"t": t[0], "h": first_step, "next": 1, "t_end": t[-1], "max_step": max_step, "size": self.n}
        given |= {"max_steps": max_steps, "rtol": rtol, "atol": atol}
        registers = np.zeros(len(REGISTERS))
        registers[[_REGISTER[name] for name in given]] = list(given.values())
        out = np.full((count, len(t), self.n), np.nan)
        results, event_results = np.zeros((count, len(RESULTS))), np.full((count, 2 * self.k), np.nan)
        out[:, 0], results[:, RESULTS.index("t")] = y0, t[0]
        arrays = (t, y0, p, out, results, event_results, registers)
        try:
            build = self._build(count) if count else None
            if count and build is not None and build.state.code is not None:
                self._native(build.state, arrays, substeps, threads)
            elif count:
                integration.numpy_integration(self.functions, self.method, *arrays, substeps)
        except KeyboardInterrupt:
            reached = _trajectories(t, out, results, event_results)
            raise Interrupted("the integration was interrupted", partial=reached) from None
        return _trajectories(t, out, results, event_results)

    def _native(self, state: Any, arrays: tuple[np.ndarray, ...], substeps: int, threads: int | None) -> None:
        """Integrate in native code that comes back every few milliseconds, so that Python can see to interrupts."""
        t, y0, p, out, results, event_results, registers = arrays
        budget = int(BRIEF_INSTRUCTIONS / (STAGES * state.info.instructions)) + 1
        halted: list[bool] = []

        def call(start: int, stop: int) -> None:
            y, q = (a[start:] if a.ndim == 2 else a for a in (y0, p))
            words = {
                "times": address(t),
                "count_times": len(t),
                "y0": address(y),
                "y0_stride": y.strides[0] if y.ndim == 2 else 0,
                "p": address(q),
                "p_stride": q.strides[0] if q.ndim == 2 else 0,
                "out": address(out[start:]),
                "results": address(results[start:]),
                "event_results": address(event_results[start:]),
                "registers": address(registers),
                "substeps": substeps,
                "budget": budget,
                "group": 0,
                "inside": 0,
            }
            table = np.array([words[name] for name in ARGUMENTS], dtype=np.int64)
            work = np.empty(state.workspace + 8)
            given = (stop - start, address(table), -(-address(work) // 64) * 64)
            groups = -(-(stop - start) // state.info.lanes)
            state.code.entry(*given)
            while table[_GROUP] < groups and not halted:
                table[_BUDGET] = budget
                state.code.entry(*given)

        evaluations = float(STAGES) * max(100, 10 * len(t)) if len(out) > state.info.lanes else 0.0
        workers = choose_threads(threads, len(out) * state.info.instructions * evaluations)
        run_chunks(call, len(out), state.info.lanes, workers, halt=lambda: halted.append(True))


def _times(t: Any) -> np.ndarray:
    t = np.ascontiguousarray(t, dtype=np.float64)
    if t.ndim != 1 or t.size == 0 or not (np.isfinite(t[0]) and np.isfinite(t[-1]) and (t[1:] > t[:-1]).all()):
        raise PoinsotError("t must be a list of times, each later than the one before")
    return t


def _batch(name: str, value: Any, size: int) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise PoinsotError(f"{name} must hold real numbers, not {array.dtype}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise PoinsotError(f"{name} must have shape ({size},) or (N, {size}), not {array.shape}")
    return array


def _trajectories(t: np.ndarray, y: np.ndarray, results: np.ndarray, events: np.ndarray) -> Trajectories:
    counts, k = results.astype(int), events.shape[1] // 2
    status, steps, rejections = (counts[:, RESULTS.index(name)] for name in ("status", "steps", "rejections"))
    reached = results[:, RESULTS.index("t")]
    ended = tuple(_STATUSES[number] or Status.INTERRUPTED for number in status.tolist())  # none runs any more
    return Trajectories(t, y, ended, reached, steps, rejections, events[:, :k], events[:, k:].astype(int))
