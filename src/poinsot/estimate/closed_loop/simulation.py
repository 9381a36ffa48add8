"""The motion of a mechanism under control, with any values of its linear parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.estimate.closed_loop.controllers import Control, References
from poinsot.estimate.closed_loop.equations import Parameters, driven, jump_rates, step_kernel
from poinsot.identifiability.states import States
from poinsot.store import Kept, arrays_digest, content_key, kept_arrays, writer_digest
from poinsot.system.system import System

MOST = 64  # steps from one sample to the next
ACCURATE = 1e-3  # of the spread of coordinates, speeds and accelerations, by which half the step may change them
SAME_CLOCK = 1e-2  # by which clocks of controllers and recording may differ and still be one
STILL = 1e-2  # of a coordinate's mean speed, over which a jump of friction at rest is spread


@dataclass(frozen=True, eq=False)
class Followed:
    """A simulated closed loop at n times."""

    states: States
    u: np.ndarray  # (n, nu) forces of all actuators  [N or N·m]
    steps: int  # from one time to the next


def closed_loop(
    begin: States,
    parameters: Parameters,
    theta: np.ndarray,
    control: Control,
    told: References,
    steps: int | None = None,
    still: np.ndarray | None = None,
) -> Followed:
    """The motion from the first of some states, drives following references, with θ (k,) for linear parameters.

    `steps` from one time to the next are doubled until that changes nothing, unless they are given. Jumps of friction
    at rest are spread over a part of the mean speed in the states, or speeds `still`, one for each such law.
    """
    compiled = begin.system
    for name, _ in control.drives:
        if name not in compiled.commands:
            raise PoinsotError(f"control: {unknown('actuator', name, compiled.commands)}")
    still = still_speeds(begin) if still is None else still
    p = begin.p[0] if begin.p.ndim == 2 else begin.p
    constants = np.concatenate([p, theta, still])
    if steps is not None:
        return _run(begin, parameters, constants, control, told, steps)
    coarse = _run(begin, parameters, constants, control, told, fewest_steps(told.t, control))
    while coarse.steps < MOST:
        fine = _run(begin, parameters, constants, control, told, 2 * coarse.steps)
        if _alike(coarse.states, fine.states):
            return coarse
        coarse = fine
    if not np.isfinite(coarse.states.q).all():
        raise PoinsotError(
            f"the closed loop of {compiled.mechanism.name} is unstable with these values: check gains, signs and "
            "sampling of the controllers"
        )
    return coarse


def kept_loop(
    begin: States,
    parameters: Parameters,
    theta: np.ndarray,
    control: Control,
    told: References,
    steps: int | None = None,
) -> Followed:
    """The same, from disk if it was simulated before."""
    names = [p.name for p in parameters]
    given = arrays_digest(*(begin.q, begin.v, begin.p, theta, told.t, told.s, told.s_dot, told.noise))
    told_apart = writer_digest(__name__), given, repr((names, control, steps))
    key = begin.system.key and content_key(begin.system.key, *told_apart)

    def make() -> Kept:
        found = closed_loop(begin, parameters, theta, control, told, steps)
        s = found.states
        return {"steps": found.steps}, {"t": s.t, "q": s.q, "v": s.v, "a": s.a, "p": s.p, "u": found.u}

    facts, found = kept_arrays(key, make)
    states = replace(begin, **{name: found[name] for name in ("t", "q", "v", "a", "p")})
    return Followed(states, found["u"], facts["steps"])


def _alike(one: States, other: States) -> bool:
    """Whether half the step changes neither coordinates nor speeds nor accelerations."""
    with np.errstate(invalid="ignore", over="ignore"):
        for a, b in ((one.q, other.q), (one.v, other.v), (one.a, other.a)):
            off, spread = np.sqrt(np.mean((a - b) ** 2, axis=0)), np.std(b, axis=0)
            if not np.all(off <= ACCURATE * np.maximum(spread, 1e-3 * spread.max())):
                return False
    return True


def fewest_steps(t: np.ndarray, control: Control) -> int:
    """Steps from one time to the next, one for every sample of the controllers at least."""
    return max(1, round(_samples(t, control)))


def _samples(t: np.ndarray, control: Control) -> float:
    """Samples of the controllers from one time to the next: whole ones, or a whole part of one, if nearly so."""
    found = 1.0 if control.rate is None else float(np.median(np.diff(t))) * control.rate
    whole = round(found) if found > 1 else 1 / round(1 / found)
    return whole if abs(whole / found - 1) < SAME_CLOCK else found


def _run(
    begin: States, parameters: Parameters, constants: np.ndarray, control: Control, told: References, m: int
) -> Followed:
    """So many steps from one time to the next."""
    compiled, n = begin.system, len(told.t)
    nq, nv, _, nu = compiled.sizes
    q, v = begin.q[0], begin.v[0]
    first = np.ravel(driven(compiled, parameters, control)(q, v, constants)[0]).reshape(2, -1)
    y = np.concatenate([q, v, first_memory(control, first[0], first[1])])
    given = step_inputs(told, control, whole_turns(compiled, control, told.s[0] - first[0]), m)
    after, a, u = step_kernel(compiled, parameters, control).scan([y], given, constants)
    whole = np.concatenate([y[None], after[:-1]])[::m]
    states = replace(
        begin, t=told.t, q=whole[:, :nq], v=whole[:, nq : nq + nv], a=a[::m], p=constants[: begin.p.shape[-1]]
    )
    return Followed(states, u[::m].reshape(n, nu), m)


def step_inputs(told: References, control: Control, turns: np.ndarray, m: int) -> np.ndarray:
    """What every step is given ((n − 1) m + 1, …), m of them from one time to the next; the last has no length."""
    n = len(told.t)
    fine = np.interp(np.arange((n - 1) * m + 1) / m, np.arange(n), told.t)
    s, s_dot = _between(fine, told)
    s_dot = _as_taken(fine, s, s_dot, told, control)
    noise = np.zeros_like(told.s) if told.noise is None else told.noise
    held = noise[np.minimum(np.arange(len(fine)) // m, n - 1)]
    at, ahead = np.arange(len(fine)), np.minimum(np.arange(len(fine)) + 1, len(fine) - 1)
    h = fine[ahead] - fine[at]
    told_now, told_next = (np.concatenate([s[k] - turns, s_dot[k], held], axis=1) for k in (at, ahead))
    acting = _acting(len(fine), _samples(told.t, control) / m)
    return np.concatenate([acting[:, None], h[:, None], told_now, told_next], axis=1)


def _between(fine: np.ndarray, told: References) -> tuple[np.ndarray, np.ndarray]:
    """References and their rates (n, d) at more times, by Hermite's cubics."""
    from scipy.interpolate import CubicHermiteSpline

    cubic = CubicHermiteSpline(told.t, told.s, told.s_dot)
    return cubic(fine), cubic(fine, 1)


def _as_taken(fine: np.ndarray, s: np.ndarray, s_dot: np.ndarray, told: References, control: Control) -> np.ndarray:
    """Rates of references (n, d) as controllers take them: of some by differences, as the drive's speed."""
    if control.rate is None:
        return s_dot
    found, tick = s_dot.copy(), float(np.median(np.diff(told.t))) / _samples(told.t, control)
    for k, (_, one) in enumerate(control.drives):
        if one.of_error and one.differences:
            before = fine - one.differences * tick
            past = _between(np.maximum(before, told.t[0]), told)[0][:, k]
            past += told.s_dot[0, k] * np.minimum(before - told.t[0], 0.0)  # on which the drive begins, too
            found[:, k] = (s[:, k] - past) / (one.differences / control.rate)
    return found


def whole_turns(compiled: System, control: Control, off: np.ndarray) -> np.ndarray:
    """Whole turns (d,) by which references are counted otherwise than coordinates."""
    units = [compiled.mechanism.template.actuators[name].on.unit for name, _ in control.drives]
    whole = 2 * np.pi * np.round(off / (2 * np.pi))
    return np.where(np.array([unit == "rad" for unit in units], bool), whole, 0.0)


def _acting(n: int, samples: float) -> np.ndarray:
    """1 in steps (n,) in which the controllers act anew, else 0; `samples` of theirs in a step."""
    count = np.floor(np.arange(n) * samples + 1e-6)
    return np.concatenate([[1.0], (np.diff(count) > 0).astype(float)])


def first_memory(control: Control, s: np.ndarray, s_dot: np.ndarray) -> np.ndarray:
    """What controllers hold at the start: integrals, forces, and positions before, one drive after another."""
    period = 0.0 if control.rate is None else 1 / control.rate
    past = [s - k * period * s_dot for k in range(1, control.delay + 1)]
    return np.concatenate([np.zeros(2 * len(s)), *past])


def still_speeds(states: States) -> np.ndarray:
    """Speeds over which jumps of laws at rest are spread, by law, from the mean speed of their coordinate."""
    (found,) = jump_rates(states.system)(states.q, states.v, states.p)
    return STILL * np.maximum(np.sqrt(np.mean(found**2, axis=0)), 1e-9).ravel()
