"""Switch charts when the current coordinates become ill-conditioned.

Euler angles are centred anew before they come near their singularity; independent rates are chosen again by pivoting.
The state is carried over exactly: the same poses, the same twists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot import formulations
from poinsot.errors import Interrupted, PoinsotError
from poinsot.formulations.coordinates_of_poses import COMBINATIONS
from poinsot.simulation.equations import check_function, twist_function
from poinsot.simulation.events import Ending
from poinsot.simulation.integration import Integration, Motion
from poinsot.simulation.singular_crossing import across, leading
from poinsot.simulation.stiffness import is_stiff, jumping_laws
from poinsot.system.conditioning import SINGULAR_POSE, Conditioning, conditioning
from poinsot.system.functions import poses_at
from poinsot.system.system import System
from poinsot.system.variants import careful, chosen_rates, embedded_with, machine_of

SHORTEST = 1e-9  # of the whole duration: what coordinates must be good for
WORSE = 0.1  # of the check value where combinations of redundant constraints were chosen: others are chosen below it
IMPROVED = 2.0  # times that: what others must do better
AHEAD = 0.5  # of the time in which combinations became poor: how far a singular pose is looked for
UNFINISHED = {Ending.POOR, Ending.COLLAPSED, Ending.EXHAUSTED}  # it may go on in another chart, or a cause be named


@dataclass(frozen=True, eq=False)
class SwitchedIntegration:
    """N motions at n times, with the constants of the charts that they were followed in."""

    integration: Integration
    p: np.ndarray  # constants (m,), (N, m), or (N, n, m) where they change along the motion
    changes: tuple[str, ...]  # one sentence for every change of chart

    def at(self, times: slice) -> np.ndarray:
        """The constants at some of the times."""
        return self.p[:, times] if self.p.ndim == 3 else self.p

    def constants(self, n: int, k: int) -> np.ndarray:
        """The constants (m,) of motion n at time k."""
        return self.p[n, k] if self.p.ndim == 3 else np.atleast_2d(self.p)[n if self.p.ndim == 2 else 0]

    def courses(self, batch: bool) -> list[Trajectory]:
        """The motions one by one; in a batch their changes have a label."""
        run = self.integration
        p = self.p if self.p.ndim == 3 else np.atleast_2d(self.p)[:, None]
        p = np.broadcast_to(p, (*run.y.shape[:2], p.shape[-1]))
        parts = zip(run.y, p, run.event_times, run.steps, run.endings, run.reached, run.why)
        return [Trajectory(*part, label=f"motion {n}: " if batch else "") for n, part in enumerate(parts)]

    def following(self, courses: Sequence[Trajectory]) -> SwitchedIntegration:
        """The same with motions that were followed further."""
        changes = tuple(change for course in courses for change in course.changes)
        run = Integration(
            np.stack([c.y for c in courses]),
            self.integration.events,
            np.stack([c.event_times for c in courses]),
            np.array([c.steps for c in courses]),
            [c.ending for c in courses],
            np.array([c.reached for c in courses]),
            [c.why for c in courses],
        )
        return SwitchedIntegration(run, np.stack([c.p for c in courses]) if changes else self.p, changes)


@dataclass(frozen=True, eq=False)
class Problem:
    """What stays the same along a motion."""

    motion: Callable[[System], Motion]
    t: np.ndarray  # (n,), times of the outputs  [s]
    options: dict[str, Any]  # of the integration
    implicit: Callable[[System], Motion] | None = None  # by which a stiff motion goes on; None: it does not


@dataclass(frozen=True, eq=False)
class Stage:
    """A state from which a motion goes on."""

    system: System
    t: float  # [s]
    y: np.ndarray  # (states,)
    p: np.ndarray  # constants (m,): actuator forces, parameters, charts

    def conditioning(self) -> Conditioning:
        """The worst-conditioned constraint there."""
        nq, _, _, nu = self.system.sizes
        return conditioning(self.system, poses_at(self.system, self.y[:nq], self.p[nu:]))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """One motion at n times, as far as it was followed."""

    y: np.ndarray  # (n, states), NaN at times that were not reached
    p: np.ndarray  # constants (n, m) at every time
    event_times: np.ndarray  # (k,), NaN where an event did not happen
    steps: int
    ending: Ending
    reached: float  # [s]
    why: str  # what ended it early; empty if nothing did
    changes: tuple[str, ...] = ()
    label: str = ""  # begins the sentences about its changes

    def with_outputs(self, at: np.ndarray, y: np.ndarray, p: np.ndarray) -> Trajectory:
        """The course with other states, and constants p (m,), at some of its times (n,)."""
        states, constants = self.y.copy(), self.p.copy()
        states[at], constants[at] = y, p
        return replace(self, y=states, p=constants)

    def switched(self, stage: Stage, text: str) -> Trajectory:
        """The course with a change of chart written down."""
        return replace(self, changes=(*self.changes, f"{self.label}at t = {stage.t:.6g} s {text}"))


PROBED = 500  # steps that tell the pace of a motion
STIFF = "the motion is stiff: it goes on by implicit integration (CVODES)"
Switch = tuple[Stage, str, Trajectory]  # where a motion goes on, what changes there, and its course up to there


def integrate_switching(compiled: System, problem: Problem, y0: np.ndarray, p: np.ndarray) -> SwitchedIntegration:
    """Integrate from y0 (states,) with constants p, (m,) or (N, m), switching charts where that is needed."""
    t = problem.t
    whole = in_one_chart(compiled, problem, y0, p)
    if not UNFINISHED & set(whole.integration.endings):
        return whole
    courses = whole.courses(p.ndim == 2)
    try:
        for n, course in enumerate(courses):
            courses[n] = _followed(problem, Stage(compiled, t[0], y0, course.p[0].copy()), course)
    except Interrupted as stop:
        courses[n] = stop.partial
        raise Interrupted(str(stop), partial=_halted(whole, courses)) from None
    return whole.following(courses)


def in_one_chart(compiled: System, problem: Problem, y0: np.ndarray, p: np.ndarray) -> SwitchedIntegration:
    """Integrate as far as that goes without a switch."""
    try:
        return SwitchedIntegration(problem.motion(compiled)(problem.t, y0, p, **problem.options), p, ())
    except Interrupted as stop:
        halted = SwitchedIntegration(stop.partial, p, ())
        raise Interrupted(str(stop), partial=_halted(halted, halted.courses(p.ndim == 2))) from None


def _halted(whole: SwitchedIntegration, courses: Sequence[Trajectory]) -> SwitchedIntegration:
    """Say of motions that could perhaps go on that they were interrupted."""
    halted = {"ending": Ending.INTERRUPTED, "why": str(Ending.INTERRUPTED)}
    return whole.following([replace(c, **halted) if c.ending in UNFINISHED else c for c in courses])


def _followed(problem: Problem, stage: Stage, course: Trajectory) -> Trajectory:
    """The course of a motion to its end; Interrupted brings what there is of it."""
    t = problem.t
    try:
        while course.ending in UNFINISHED:
            end = course.reached
            k = max(int(np.searchsorted(t, end)) - 1, 0)
            known = replace(stage, t=t[k], y=course.y[k]) if t[k] > stage.t else stage
            if problem.implicit and course.ending is Ending.EXHAUSTED and _is_stiff(problem, known):
                problem, stage = replace(problem, motion=problem.implicit, implicit=None), known
                course = _resumed(problem, stage, course.switched(stage, STIFF))
                continue
            stuck = course.ending is Ending.POOR and end - stage.t < SHORTEST * (t[-1] - t[0])
            better = None if stuck else _better(problem, known, course)
            if better is None or _still_poor(known, better[0]):
                ahead = end + AHEAD * (end - stage.t)  # poor since stage.t: where rank is lost lies not far ahead
                beyond = end if better is None and end > known.t else max(ahead, t[t > known.t][0])
                at = known if better is None else replace(known, p=better[0].p)
                led = _led_over if better is None else _passed
                better = led(problem, at, course, min(beyond, t[-1])) or better
            if better is None:
                return replace(course, why=_reason(problem, known, course))
            stage, text, course = better
            course = _resumed(problem, stage, course.switched(stage, text))
    except Interrupted as stop:
        raise Interrupted(
            str(stop), partial=stop.partial if isinstance(stop.partial, Trajectory) else course
        ) from None
    except KeyboardInterrupt:
        raise Interrupted("the integration was interrupted", partial=course) from None
    return course


def _is_stiff(problem: Problem, stage: Stage) -> bool:
    """Whether a motion that used all its steps did so for stability alone: some more steps tell its pace."""
    motion, (nq, nv, _, _) = problem.motion(stage.system), stage.system.sizes
    span, few = np.array([stage.t, problem.t[-1]]), {**problem.options, "max_steps": PROBED}
    run = motion(span, stage.y, stage.p, **few)
    pace = run.steps[0] / max(run.reached[0] - stage.t, 1e-300)
    return is_stiff(lambda y: motion.rhs.function(stage.t, y, stage.p), stage.y, (nq, nv), pace)


def _resumed(problem: Problem, stage: Stage, course: Trajectory) -> Trajectory:
    """The course of a motion that was integrated from a state on; Interrupted brings what there is of it."""
    after, stop = problem.t > stage.t, None
    if not after.any():
        return replace(course, ending=Ending.FINISHED, reached=problem.t[-1], why="")
    try:
        times = np.concatenate([[stage.t], problem.t[after]])
        run = problem.motion(stage.system)(times, stage.y, stage.p, **problem.options)
    except Interrupted as interrupt:
        run, stop = interrupt.partial, interrupt
    course = replace(
        course.with_outputs(after, run.y[0, 1:], stage.p),
        event_times=np.where(np.isnan(course.event_times), run.event_times[0], course.event_times),
        steps=course.steps + run.steps[0],
        ending=run.endings[0],
        reached=run.reached[0],
        why=run.why[0],
    )
    if stop is not None:
        raise Interrupted(str(stop), partial=course)
    return course


def recovered(
    whole: SwitchedIntegration, compiled: System, problem: Problem, n: int, k: int
) -> SwitchedIntegration | None:
    """The motions with the one that lost its energy balance after output k led over the singular pose there.

    None where momentum does not tell how it goes on.
    """
    courses = whole.courses(whole.p.ndim == 2)
    course = replace(courses[n], changes=whole.changes)
    at = Stage(compiled, problem.t[k], course.y[k], course.p[k].copy())
    better = _led_over(problem, at, course, problem.t[k + 1])
    if better is None:
        return None
    stage, text, course = better
    try:
        courses[n] = _followed(problem, stage, _resumed(problem, stage, course.switched(stage, text)))
    except Interrupted as stop:
        courses[n] = stop.partial
        raise Interrupted(str(stop), partial=_halted(whole, courses)) from None
    return whole.following(courses)


def _led_over(problem: Problem, known: Stage, course: Trajectory, end: float) -> Switch | None:
    """The state behind a singular pose, from an earlier output where the last state is too near to step over it."""
    better, back = _passed(problem, known, course, end), 1
    last = int(np.searchsorted(problem.t, known.t)) - 1
    while better is None and back <= last + 1:
        k = last + 1 - back
        earlier = Stage(known.system, problem.t[k], course.y[k], course.p[k].copy())
        better, back = _passed(problem, earlier, course, end), 2 * back
    return better if better is not None and better[0].t > known.t else None


def _passed(problem: Problem, known: Stage, course: Trajectory, end: float) -> Switch | None:
    """The state behind a singular pose, stepped over with momentum, and the course with outputs within the step."""
    here, t, begin = known.system, problem.t, (known.t, known.y)
    step = across(here, problem.motion, begin, known.p, end, problem.options)
    if step is None:
        return None
    before, inside = (t > known.t) & (t <= step.t[0]), (t > step.t[0]) & (t <= step.t[1])
    up_to = leading(here, problem.motion, begin, known.p, t[before], problem.options)
    if not np.isfinite(up_to).all():
        return None
    course = course.with_outputs(before, up_to, known.p).with_outputs(inside, step.at(t[inside]), known.p)
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
    return behind, "it went through a singular pose on its branch, by its momentum", course


def _still_poor(known: Stage, better: Stage) -> bool:
    """Whether other combinations of redundant constraints are as poor as those before: a singular pose is near."""
    if better.system is not known.system or not known.system.outline.redundancy.groups:
        return False
    return bool(better.p[-1] < IMPROVED * WORSE * known.p[-1])


def _better(problem: Problem, known: Stage, course: Trajectory) -> Switch | None:
    """Where and how to go on after a motion ended, and what changes there; None if there is no way."""
    here = known.system
    if course.ending is Ending.POOR:
        y = problem.motion(here).state_at(known.t, known.y, course.reached, known.p, **problem.options)
        try:
            at = replace(known, t=course.reached, y=y)
            return (*_anew(at, course.why), course) if np.isfinite(y).all() else None
        except PoinsotError:  # no choice of coordinates is good there
            return None
    if course.ending is Ending.EXHAUSTED or careful(here) is here:
        return None
    return replace(known, system=careful(here)), "the equations were solved in another order", course


def _reason(problem: Problem, known: Stage, course: Trajectory) -> str:
    """Why a motion cannot go on, from the last state that was reached."""
    t, y, ending, motion = known.t, known.y, course.ending, problem.motion(known.system)
    if motion.method == "explicit" and course.reached > t:
        times = _between(t, course.reached, 1 - 0.5 ** np.arange(40))
        states = motion.native(times, y, known.p, **problem.options).y[0]
        last = int(np.max(np.flatnonzero(np.isfinite(states).all(axis=1)), initial=0))
        t, y = times[last], states[last]
    weak = replace(known, y=y).conditioning()
    what = Ending.COLLAPSED if ending is Ending.POOR else ending
    if weak.condition > SINGULAR_POSE:
        return f"{what} near a singular pose: {weak} at t = {t:.6g} s"
    advice = "loosen rtol, raise max_steps, or " if ending is Ending.EXHAUSTED else ""
    remedy = f"{advice}look for a stiff term, or for a force that grows without bound"
    remedy = jumping_laws(known.system.mechanism) or remedy
    return f"{what}, and no singular pose is near ({weak} at t = {t:.6g} s): {remedy}"


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
        text = f"the independent coordinates became {formulations.rate_names(machine_of(here), rates)}"
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


def lost_balance(problem: Problem, at: Stage, end: float, loss: float) -> str:
    """Why the energy balance was lost between a state and a later time: the worst pose on the way."""
    weak, when, motion = at.conditioning(), at.t, problem.motion(at.system)
    if motion.method == "explicit":
        times = _between(at.t, end, np.linspace(0.0, 1.0, 65))
        try:
            states = motion.native(times, at.y, at.p, **problem.options).y[0]
        except Interrupted:
            raise KeyboardInterrupt from None
        on_the_way = [(replace(at, y=y).conditioning(), t) for t, y in zip(times, states) if np.isfinite(y).all()]
        weak, when = max(on_the_way, key=lambda pair: pair[0].condition)
    return (
        f"the energy balance is lost by {loss:.1e} J: {weak} at t = {when:.6g} s; the mechanism passes a singular "
        "pose, or rtol or atol is too loose"
    )
