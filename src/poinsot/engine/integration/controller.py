"""Step-size control of the adaptive integrator, as SX functions from its registers to its registers.

Native code and the VM run the same functions, lane by lane: no trajectory depends on its neighbours.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from math import inf
from typing import Any

from poinsot.lazy import casadi

REGISTERS = (
    "t",  # time reached  [s]
    "h",  # step to try next; 0 at first if it is to be chosen  [s]
    "step",  # step being tried  [s]
    "t_try",  # its end  [s]
    "active",  # 1 while running
    "accept",  # 1 if the step was good
    "rejected",  # 1 if the step before was not
    "status",
    "steps",
    "rejections",
    "next",  # number of the next output time
    "t_end",
    "max_step",
    "max_steps",
    "rtol",
    "atol",
    "n5",  # squared norms of the error estimates, scaled
    "n3",
    "size",  # number of states
)
SAFETY, SMALLEST, LARGEST = 0.9, 0.2, 10.0


class Status(IntEnum):
    """How an integration ended."""

    RUNNING = 0
    FINISHED = 1
    STEP_TOO_SMALL = 2
    TOO_MANY_STEPS = 3
    INTERRUPTED = 4

    @property
    def advice(self) -> str:
        """Say what to do next; empty means success."""
        return {
            2: "The step became too small: look for a singularity or a stiff term at the time reached.",
            3: "There were too many steps: loosen rtol, raise max_steps, or look for a stiff term.",
            4: "It was interrupted: start again from the state at the time reached.",
        }.get(int(self), "")


def _function(name: str, rule: Any) -> casadi.Function:
    registers = casadi.SX.sym("registers", len(REGISTERS))
    values = dict(zip(REGISTERS, casadi.vertsplit(registers)))
    values |= rule(**values)
    return casadi.Function(name, [registers], [casadi.vertcat(*[values[r] for r in REGISTERS])])


@cache
def probe() -> casadi.Function:
    """Choose a small step from the scaled norms of state (n5) and slope (n3), to see how the slope changes."""

    def rule(t, t_end, n5, n3, size, **_):
        d0, d1 = casadi.sqrt(n5 / size), casadi.sqrt(n3 / size)
        tiny = casadi.logic_or(d0 < 1e-5, d1 < 1e-5)
        step = casadi.if_else(tiny, 1e-6, 0.01 * d0 / d1)
        step = casadi.fmin(step, t_end - t)
        return {"step": step, "t_try": t + step}

    return _function("probe", rule)


@cache
def first_step() -> casadi.Function:
    """Choose the first step from the scaled norms of the slope (n5) and of its change over the probe (n3), unless
    one is given: an error of 0.01, if the eighth derivative is of their size (Hairer, Nørsett, Wanner, II.4).
    """

    def rule(t, h, step, t_end, n5, n3, size, **_):
        largest = casadi.fmax(casadi.sqrt(n5 / size), casadi.sqrt(n3 / size) / step)
        guess = casadi.if_else(largest > 1e-15, (0.01 / largest) ** (1 / 8), casadi.fmax(1e-6, 1e-3 * step))
        chosen = casadi.if_else(n3 < inf, casadi.fmin(100 * step, guess), step)
        running = t < t_end
        return {
            "h": casadi.if_else(h > 0, h, chosen),
            "active": running,
            "status": casadi.if_else(running, int(Status.RUNNING), int(Status.FINISHED)),
        }

    return _function("first_step", rule)


@cache
def begin() -> casadi.Function:
    """Set the step to be tried: no longer than allowed, and ending on the last time exactly."""

    def rule(t, h, t_end, max_step, active, **_):
        end = t + casadi.fmin(h, max_step)
        t_try = casadi.if_else(active, casadi.if_else(end < t_end, end, t_end), t)
        return {"t_try": t_try, "step": t_try - t, "n5": casadi.SX(0.0), "n3": casadi.SX(0.0)}

    return _function("begin", rule)


@cache
def judge() -> casadi.Function:
    """Accept or reject the step, and choose the next one.

    error = step · n5 / √((n5 + 0.01 n3) size),      next = step · 0.9 error^(−1/8), within limits
    """

    def rule(t, step, t_try, t_end, active, rejected, steps, rejections, max_steps, n5, n3, size, h, **_):
        error = casadi.if_else(n5 == 0, 0.0, step * n5 / casadi.sqrt((n5 + 0.01 * n3) * size))
        good = error < 1  # never for NaN
        accept, refuse = casadi.logic_and(active, good), casadi.logic_and(active, casadi.logic_not(good))
        wish = SAFETY * error ** (-1 / 8)
        growth = casadi.fmin(wish, casadi.if_else(rejected, 1.0, LARGEST))
        factor = casadi.if_else(good, growth, casadi.fmax(wish, SMALLEST))
        shrunk = step * factor
        vanishing = shrunk < 10 * 2.0**-52 * casadi.fmax(casadi.fabs(t), casadi.fabs(t_end))
        steps, rejections = steps + accept, rejections + refuse
        status = casadi.if_else(steps + rejections >= max_steps, int(Status.TOO_MANY_STEPS), int(Status.RUNNING))
        status = casadi.if_else(casadi.logic_and(refuse, vanishing), int(Status.STEP_TOO_SMALL), status)
        done = casadi.logic_and(accept, t_try >= t_end)
        status = casadi.if_else(done, int(Status.FINISHED), status)
        return {
            "accept": accept,
            "rejected": refuse,
            "h": casadi.if_else(active, shrunk, h),
            "steps": steps,
            "rejections": rejections,
            "status": casadi.if_else(active, status, _["status"]),
        }

    return _function("judge", rule)


@cache
def advance() -> casadi.Function:
    """Move on to the end of an accepted step."""

    def rule(t, t_try, accept, status, **_):
        return {"t": casadi.if_else(accept, t_try, t), "active": status == int(Status.RUNNING)}

    return _function("advance", rule)
