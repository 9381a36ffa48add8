"""A motion goes on in other coordinates where its own become poor.

Euler angles are centred anew before they come near their singularity; independent rates are chosen again by pivoting.
The state is carried over exactly: the same poses, the same twists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.errors import Interrupted, PoinsotError
from poinsot.formulations.embedded import rate_names
from poinsot.formulations.reading import COMBINATIONS
from poinsot.simulation.equations import check_function, twist_function
from poinsot.simulation.events import Ending
from poinsot.simulation.integration import Found, Motion
from poinsot.simulation.singular_crossing import across, leading
from poinsot.system.conditioning import SINGULAR_POSE, Weakness, poses_at, weakness
from poinsot.system.system import System
from poinsot.system.variants import careful, chosen_rates, embedded_with, machine_of

__all__ = ["Continued", "Stage", "continued", "lost_balance", "recovered", "with_limit"]

SHORTEST = 1e-9  # of the whole duration: what coordinates must be good for
WORSE = 0.1  # of the check value where combinations of redundant constraints were chosen: others are chosen below it
IMPROVED = 2.0  # times that: what others must do better
AHEAD = 0.5  # of the time in which combinations became poor: how far a singular pose is looked for
UNFINISHED = {
    Ending.POOR,
    Ending.COLLAPSED,
    Ending.EXHAUSTED,
}  # it may go on in other coordinates, or a cause be named


@dataclass(frozen=True, eq=False)
class Continued:
    """Motions with the coordinates that they were followed in."""

    found: Found
    p: np.ndarray  # constants (m,), (N, m), or (N, n, m) where they change along the motion
    changes: tuple[str, ...]  # one sentence for every change of coordinates

    def at(self, times: slice) -> np.ndarray:
        """The constants at some of the times."""
        return self.p[:, times] if self.p.ndim == 3 else self.p

    def constants(self, n: int, k: int) -> np.ndarray:
        """The constants (m,) of motion n at time k."""
        return self.p[n, k] if self.p.ndim == 3 else np.atleast_2d(self.p)[n if self.p.ndim == 2 else 0]


@dataclass(frozen=True, eq=False)
class Stage:
    """A state from which a motion goes on."""

    system: System
    t: float  # [s]
    y: np.ndarray  # (states,)
    p: np.ndarray  # constants (m,): actuator forces, parameters, charts

    def weakness(self) -> Weakness:
        """What holds least there."""
        nq, _, _, nu = self.system.sizes
        return weakness(self.system, poses_at(self.system, self.y[:nq], self.p[nu:]))


def continued(
    compiled: System, motion: Callable[[System], Motion], t: np.ndarray, y0: np.ndarray, p: np.ndarray, **options: Any
) -> Continued:
    """Integrate from y0 (states,) with constants p, (m,) or (N, m), changing coordinates where it takes that."""
    try:
        found = motion(compiled)(t, y0, p, **options)
    except Interrupted as stop:
        raise Interrupted(str(stop), partial=Continued(_halted(stop.partial), p, ())) from None
    if not UNFINISHED & set(found.endings):
        return Continued(found, p, ())
    constants = np.array(np.broadcast_to(np.atleast_2d(p)[:, None], (*found.y.shape[:2], p.shape[-1])))
    changes: list[str] = []
    try:
        for n in range(len(found.y)):
            label = f"motion {n}: " if p.ndim == 2 else ""
            _go_on(compiled, motion, t, y0, found, n, constants[n], options, changes, label)
    except KeyboardInterrupt as stop:
        kept = Continued(_halted(found), constants if changes else p, tuple(changes))
        raise Interrupted(str(stop), partial=kept) from None
    return Continued(found, constants if changes else p, tuple(changes))


def _halted(found: Found) -> Found:
    """Say of motions that could perhaps go on that they were interrupted."""
    for n, ending in enumerate(found.endings):
        if ending in UNFINISHED:
            found.endings[n], found.why[n] = Ending.INTERRUPTED, str(Ending.INTERRUPTED)
    return found


def _go_on(
    compiled: System,
    motion: Callable[[System], Motion],
    t: np.ndarray,
    y0: np.ndarray,
    found: Found,
    n: int,
    constants: np.ndarray,
    options: dict[str, Any],
    changes: list[str],
    label: str,
) -> None:
    """Follow motion n to its end; fills in what was found, the constants (n, m) at every time, and the changes."""
    stage = Stage(compiled, t[0], y0, constants[0].copy())
    while found.endings[n] in UNFINISHED:
        end = found.reached[n]
        k = max(int(np.searchsorted(t, end)) - 1, 0)
        known = replace(stage, t=t[k], y=found.y[n, k]) if t[k] > stage.t else stage
        stuck = found.endings[n] is Ending.POOR and end - stage.t < SHORTEST * (t[-1] - t[0])
        better = None if stuck else _better(known, motion, found, n, options)
        if better is None or _still_poor(known, better[0]):
            ahead = end + AHEAD * (end - stage.t)  # poor since stage.t: where rank is lost lies not far ahead
            beyond = end if better is None and end > known.t else max(ahead, t[t > known.t][0])
            at = known if better is None else replace(known, p=better[0].p)
            led = _led_over if better is None else _passed
            better = led(at, motion, found, n, t, constants, min(beyond, t[-1]), options) or better
        if better is None:
            found.why[n] = _trouble(known, motion(stage.system), end, options, found.endings[n])
            break
        stage, text = better
        changes.append(f"{label}at t = {stage.t:.6g} s {text}")
        _resume(stage, motion, found, n, t, constants, options)


def _resume(
    stage: Stage,
    motion: Callable[[System], Motion],
    found: Found,
    n: int,
    t: np.ndarray,
    constants: np.ndarray,
    options: dict[str, Any],
) -> None:
    """Integrate motion n from a state on; fills in what was found and the constants (n, m) at every later time."""
    after, halt = t > stage.t, None
    if not after.any():
        found.endings[n], found.reached[n], found.why[n] = Ending.FINISHED, t[-1], ""
        return
    try:
        run = motion(stage.system)(np.concatenate([[stage.t], t[after]]), stage.y, stage.p, **options)
    except Interrupted as stop:
        run, halt = stop.partial, stop
    found.y[n, after], constants[after] = run.y[0, 1:], stage.p
    found.event_times[n] = np.where(np.isnan(found.event_times[n]), run.event_times[0], found.event_times[n])
    found.steps[n] += run.steps[0]
    found.endings[n], found.reached[n], found.why[n] = run.endings[0], run.reached[0], run.why[0]
    if halt is not None:
        raise halt


def recovered(
    gone: Continued,
    compiled: System,
    motion: Callable[[System], Motion],
    t: np.ndarray,
    n: int,
    k: int,
    options: dict[str, Any],
) -> Continued | None:
    """The motions with the one that lost its energy balance after output k led over the singular pose there.

    None where momentum does not tell how it goes on.
    """
    found = gone.found
    p = gone.p if gone.p.ndim == 3 else np.atleast_2d(gone.p)[:, None]
    constants = np.array(np.broadcast_to(p, (*found.y.shape[:2], p.shape[-1])))
    at = Stage(compiled, t[k], found.y[n, k], constants[n, k].copy())
    better = _led_over(at, motion, found, n, t, constants[n], t[k + 1], options)
    if better is None:
        return None
    label, changes = (f"motion {n}: " if gone.p.ndim == 2 else ""), list(gone.changes)
    changes.append(f"{label}at t = {better[0].t:.6g} s {better[1]}")
    _resume(better[0], motion, found, n, t, constants[n], options)
    _go_on(better[0].system, motion, t, better[0].y, found, n, constants[n], options, changes, label)
    return Continued(found, constants, tuple(changes))


def _led_over(
    known: Stage, motion: Callable[[System], Motion], found: Found, n: int, t: np.ndarray, *given: Any
) -> tuple[Stage, str] | None:
    """The state behind a singular pose, from an earlier output where the last state is too near to step over it."""
    better, back, last = _passed(known, motion, found, n, t, *given), 1, int(np.searchsorted(t, known.t)) - 1
    while better is None and back <= last + 1:
        k = last + 1 - back
        earlier = Stage(known.system, t[k], found.y[n, k], given[0][k].copy())
        better, back = _passed(earlier, motion, found, n, t, *given), 2 * back
    return better if better is not None and better[0].t > known.t else None


def _passed(
    known: Stage,
    motion: Callable[[System], Motion],
    found: Found,
    n: int,
    t: np.ndarray,
    constants: np.ndarray,
    end: float,
    options: dict[str, Any],
) -> tuple[Stage, str] | None:
    """The state behind a singular pose, stepped over with momentum; fills in outputs within the step."""
    here = known.system
    begin = known.t, known.y
    step = across(here, motion, begin, known.p, end, options)
    if step is not None:
        before, inside = (t > known.t) & (t <= step.t[0]), (t > step.t[0]) & (t <= step.t[1])
        found.y[n, before], constants[before] = leading(here, motion, begin, known.p, t[before], options), known.p
    if step is None or not np.isfinite(found.y[n, before]).all():
        return None
    found.y[n, inside], constants[inside] = step.at(t[inside]), known.p
    behind = replace(known, t=step.t[1], y=step.y[1])
    nq, _, _, nu = here.sizes
    kept = len(known.p) - here.outline.redundancy.chart_numbers
    p = known.p.copy()
    if here.outline.redundancy.groups:
        p[kept:] = here.reading.chart(poses_at(here, behind.y[:nq], p[nu:]))[-(len(p) - kept) :]
    system = (
        embedded_with(here, chosen_rates(here, behind.y[:nq], p[nu:])) if here.formulation == "embedded" else here
    )
    behind = replace(behind, system=system, p=with_limit(system, behind.y, p))
    return behind, "it went through a singular pose on its branch, by its momentum"


def _still_poor(known: Stage, better: Stage) -> bool:
    """Whether other combinations of redundant constraints are as poor as those before: a singular pose is near."""
    if better.system is not known.system or not known.system.outline.redundancy.groups:
        return False
    return bool(better.p[-1] < IMPROVED * WORSE * known.p[-1])


def _better(
    known: Stage, motion: Callable[[System], Motion], found: Found, n: int, options: dict[str, Any]
) -> tuple[Stage, str] | None:
    """Where and how to go on after a motion ended, and what changes there; None if there is no way."""
    here = known.system
    if found.endings[n] is Ending.POOR:
        y = motion(here).state_at(known.t, known.y, found.reached[n], known.p, **options)
        try:
            return _anew(replace(known, t=found.reached[n], y=y), found.why[n]) if np.isfinite(y).all() else None
        except PoinsotError:  # no choice of coordinates is good there
            return None
    if found.endings[n] is Ending.EXHAUSTED or careful(here) is here:
        return None
    return replace(known, system=careful(here)), "the equations were solved in another order"


def _trouble(known: Stage, motion: Motion, end: float, options: dict[str, Any], ending: Ending) -> str:
    """Why a motion cannot go on, from the last state that was reached."""
    t, y = known.t, known.y
    if motion.method == "explicit" and end > t:
        times = _between(t, end, 1 - 0.5 ** np.arange(40))
        states = motion.native(times, y, known.p, **options).y[0]
        last = int(np.max(np.flatnonzero(np.isfinite(states).all(axis=1)), initial=0))
        t, y = times[last], states[last]
    weak = replace(known, y=y).weakness()
    what = Ending.COLLAPSED if ending is Ending.POOR else ending
    if weak.condition > SINGULAR_POSE:
        return f"{what} near a singular pose: {weak} at t = {t:.6g} s"
    advice = "loosen rtol, raise max_steps, or " if ending is Ending.EXHAUSTED else ""
    return (
        f"{what}, and no singular pose is near ({weak} at t = {t:.6g} s): {advice}look for a stiff term, or for a "
        "force that grows without bound"
    )


def _between(begin: float, end: float, fractions: np.ndarray) -> np.ndarray:
    """Times at these fractions of an interval, each later than the one before: those that round-off joins are one."""
    return np.unique(begin + (end - begin) * fractions)


def _anew(at: Stage, poor: str) -> tuple[Stage, str]:
    """The same state in better coordinates, and a text that tells the change."""
    here = at.system
    nq, nv, _, nu = here.sizes
    q, v, own = at.y[:nq], at.y[nq : nq + nv], at.p[nu:]
    poses = poses_at(here, q, own)
    chart = here.reading.chart(poses)
    fresh = np.concatenate([at.p[: len(at.p) - len(chart)], chart])
    if poor == COMBINATIONS:
        kept = len(at.p) - here.outline.redundancy.chart_numbers
        fresh[:kept] = at.p[:kept]
        text = "other combinations of the redundant constraints were chosen"
        return replace(at, p=with_limit(here, at.y, fresh)), text
    if here.formulation == "embedded":
        rates = chosen_rates(here, q, fresh[nu:])
        text = f"the independent coordinates became {rate_names(machine_of(here), rates)}"
        chosen = embedded_with(here, rates)
        return replace(at, system=chosen, p=with_limit(chosen, at.y, fresh)), text
    q_new = here.reading.coordinates(poses, chart)
    v_new = _speeds(here, q, v, own, q_new, fresh[nu:])
    text = f"the Euler angles of '{poor}' came near their singularity, and all were centred anew"
    y = np.concatenate([q_new, v_new, at.y[nq + nv :]])
    return replace(at, y=y, p=with_limit(here, y, fresh)), text


def with_limit(compiled: System, y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Constants p, (m,) or (N, m), with the check value below which redundant constraints are combined anew.

    Without redundant constraints there is no such number, and nothing changes.
    """
    if not compiled.outline.redundancy.groups:
        return p
    nq, nv, _, nu = compiled.sizes
    samples = np.atleast_2d(p).copy()
    q, v = (np.broadcast_to(x, (len(samples), len(x))) for x in (y[:nq], y[nq : nq + nv]))
    samples[:, -1] = WORSE * check_function(compiled)(q, v, samples[:, :nu], samples[:, nu:])[0].ravel()
    return samples.reshape(p.shape)


def _speeds(
    compiled: System, q: np.ndarray, v: np.ndarray, p: np.ndarray, q_new: np.ndarray, p_new: np.ndarray
) -> np.ndarray:
    """Speeds (nv,) in new coordinates with the same twists of all bodies."""
    twists = twist_function.formula(compiled).function
    moving, slopes_new = twists(q, v, 0, p)[0], twists(q_new, 0, 0, p_new)[1]
    return np.linalg.lstsq(np.asarray(slopes_new), np.asarray(moving).ravel(), rcond=None)[0]


def lost_balance(at: Stage, motion: Motion, end: float, loss: float, options: dict[str, Any]) -> str:
    """Why the energy balance was lost between a state and a later time: the worst pose on the way."""
    weak, when = at.weakness(), at.t
    if motion.method == "explicit":
        times = _between(at.t, end, np.linspace(0.0, 1.0, 65))
        try:
            states = motion.native(times, at.y, at.p, **options).y[0]
        except Interrupted:
            raise KeyboardInterrupt from None
        on_the_way = [(replace(at, y=y).weakness(), t) for t, y in zip(times, states) if np.isfinite(y).all()]
        weak, when = max(on_the_way, key=lambda pair: pair[0].condition)
    return (
        f"the energy balance is lost by {loss:.1e} J: {weak} at t = {when:.6g} s; the mechanism passes a singular "
        "pose, or rtol is too loose"
    )
