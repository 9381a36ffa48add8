"""Simulation: the motion of a mechanism, or of many that differ in parameters, under given forces."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise
from numbers import Real
from typing import Any

import numpy as np

from poinsot.engine import Formula
from poinsot.errors import (
    LARGEST,
    Interrupted,
    PoinsotError,
    by_name,
    count_of,
    list_of_names,
    listing,
    one_line,
    require_known,
)
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.assembly.degrees import ask_about_degrees
from poinsot.model.mechanism import Mechanism, require_inertia, require_mechanism, require_possible
from poinsot.model.quantities.parameters import as_value
from poinsot.model.state import GivenPose, State
from poinsot.motion.counted_turns import counted, first_counts, turning
from poinsot.motion.initial_pose import initial
from poinsot.motion.signals import as_times
from poinsot.simulation.chart_switching import (
    UNFINISHED,
    Problem,
    Stage,
    SwitchedIntegration,
    in_one_chart,
    integrate_switching,
    lost_balance,
    recovered,
    with_limit,
)
from poinsot.simulation.equations import Law, Laws, state_function, written_law
from poinsot.simulation.integration import compiled_motion, methods_of
from poinsot.simulation.record import Simulation, repeated, simulated_reactions, simulated_states
from poinsot.simulation.slow_motions import ATOL, RESTS, finer, moved
from poinsot.spatial.algebra import Numbers
from poinsot.system.end_stops import require_between_stops
from poinsot.system.initial_state import speeds
from poinsot.system.system import System
from poinsot.system.variants import careful, embedded_in

BATCHED_ROLES = ("inertia", "force", "gravity")
OUTPUTS = 101  # times that are given if nobody says which
OPEN = 1e-3  # of the machine's size, or in radians: a constraint that is violated by so much is lost
LIGHTER = 1e-2  # of a mass: a batch with less is solved with care
LOST = 1e-6  # of the largest energy: a balance lost by so much from one output to the next is no error of the steps,
ROUGH = 1e3  # unless rtol allows for more, this many times over, or in as many steps as there were


def simulate(
    mechanism: Mechanism,
    t_end: float | str,
    *,
    t: Numbers | None = None,
    forces: Mapping[str, Law] | None = None,
    pose: GivenPose = None,
    velocity: Mapping[str, float] | None = None,
    parameters: Mapping[str, Sequence[float]] | None = None,
    events: Mapping[str, tuple[str, float]] | None = None,
    formulation: str = "joint",
    independent: Sequence[str] | None = None,
    method: str = "auto",
    rtol: float = 1e-10,
    atol: float = ATOL,
    max_steps: int = 100_000,
    threads: int | None = None,
) -> Simulation:
    """Simulate a mechanism from a pose, with actuator forces [N or N·m] that are numbers or laws of (t, s, ṡ).

    `mechanism` until `t_end` [s]; `forces` by actuator; `pose` [m or rad] and `velocity` [m/s or rad/s] by
    coordinate, of least kinetic energy, or a state; `rtol`, `atol`, at most `max_steps`; `threads` for a batch.

    `t` are the times at which to give the motion (default: 101 from 0 to t_end). `parameters` gives N values for
    some inertias, force constants or gravity and simulates N mechanisms in one call. `events` names crossings
    (coordinate, value); rigid end stops are events that end the motion. `independent` are coordinates in which the
    formulation "embedded" starts; others are chosen by pivoting, at the start and wherever the choice becomes poor.
    `method` is "explicit" (order 8, adaptive, native), "implicit" (CVODES, for stiff mechanisms; its events are
    timed between outputs) or "auto": explicit, and implicit from where a motion is stiff, as dry friction may make
    it, which `changes` tells. Constraints are kept by projection; drift and energy balance are reported; a motion too
    slow for the default `atol`, or too short for `rtol`, is repeated with finer ones; Ctrl-C raises with a `partial`.

    >>> import poinsot
    >>> r = poinsot.simulate(poinsot.load("pendulum"), t_end=1.0, pose={"phi": 0.1})
    >>> bool(r.energy_error < 1e-9)
    True
    """
    times, begin_at, events = _times(t, t_end), _state(pose, velocity), _events(events)
    require_inertia(require_mechanism(mechanism))
    mechanism = _naming(mechanism, begin_at, events, independent)
    forces = {**begin_at.forces, **by_name(forces, "forces are", "{'A': 2.0}")}
    parameters = by_name(parameters, "parameters are", "{'bob.mass': [1.0, 2.0]}")
    options = _options(threads, rtol=rtol, atol=atol, max_steps=max_steps)
    begin = initial(mechanism, begin_at, formulation, tuple(parameters))
    require_between_stops(mechanism, begin.system, begin.q, begin.p, begin.angles, parameters)
    compiled, q, p = begin.system, begin.q, _batch(begin.system, mechanism, begin.p, parameters)
    compiled = careful(compiled) if _far_lighter(mechanism, parameters) else compiled
    v = speeds(compiled, q, p if p.ndim == 1 else p[0], begin_at.velocity) if begin.v is None else begin.v
    compiled = embedded_in(compiled, q, p if p.ndim == 1 else p[0], independent)
    given, grid = _laws(compiled, forces), times if times[0] == 0 else np.concatenate([[0.0], times])
    laws = tuple((name, law if isinstance(law, Formula) else None) for name, law in given.items())
    u = np.array([0.0 if isinstance(law, Formula) else law for law in given.values()], float)
    both = np.concatenate([u if p.ndim == 1 else np.broadcast_to(u, (len(p), len(u))), p], axis=-1)
    y0 = np.concatenate([q, v, first_counts(compiled, q, p if p.ndim == 1 else p[0], begin.angles), [0.0]])
    motions = [partial(compiled_motion, laws=laws, events=events, method=m) for m in methods_of(method)]
    problem = Problem(motions[0], grid, options, implicit=motions[1] if len(motions) > 1 else None)
    result, constants = partial(_result, mechanism, compiled, laws, len(times)), with_limit(compiled, y0, both)
    try:
        return result(*_integrated(compiled, problem, y0, constants))
    except Interrupted as stop:
        raise _interrupt(result(problem, stop.partial)) from None


def _integrated(
    compiled: System, problem: Problem, y0: np.ndarray, p: np.ndarray
) -> tuple[Problem, SwitchedIntegration]:
    """Motions from y0 with constants p, with a finer tolerance where they need it; and their problem."""
    run = integrate_switching(compiled, problem, y0, p)
    fine = finer(compiled, problem, run)
    again = None if fine is None else _integrated_again(compiled, fine, run, y0, p)
    return (problem, run) if fine is None or again is None else (fine, again)


def _integrated_again(
    compiled: System, problem: Problem, run: SwitchedIntegration, y0: np.ndarray, p: np.ndarray
) -> SwitchedIntegration | None:
    """Motions again, with other options; None where they do not come to where they came before.

    Those that did not switch charts before do not switch them now.
    """
    if run.changes:
        found = integrate_switching(compiled, problem, y0, p)
    else:
        found = in_one_chart(compiled, problem, y0, p)
        if UNFINISHED & set(found.integration.endings):
            return None
    came, before = found.integration.reached, run.integration.reached
    return found if np.all(came >= (1 - 1e-6) * before) else None


def _state(pose: GivenPose, velocity: Mapping[str, float] | None) -> State:
    """Where a simulation starts, from a pose by name or a state, and rates by name."""
    rates = by_name(velocity, "rates are", "{'x': 0.1}")
    if isinstance(pose, State):
        if rates and (pose.velocity or pose.q is not None):
            raise PoinsotError("the speeds are given twice: by a state and by velocity")
        return replace(pose, velocity=rates) if rates else pose
    return State(by_name(pose, "a pose is", "{'x': 0.1}"), rates)


def _naming(
    mechanism: Mechanism, at: State, events: Mapping[str, tuple[str, float]], independent: Sequence[str] | None
) -> Mechanism:
    """The mechanism with all joints named whose coordinates the call uses."""
    chosen = () if independent is None else list_of_names(independent, "independent coordinates")
    ask_about_degrees(mechanism, at.pose)
    return mechanism.naming(*at.pose, *at.velocity, *(on for on, _ in events.values()), *chosen)


def _interrupt(kept: Simulation) -> KeyboardInterrupt:
    """What Ctrl-C raises, with what was found before."""
    interrupt: Any = KeyboardInterrupt(kept.status)
    interrupt.partial = kept
    return interrupt


def _times(t: Numbers | None, t_end: float | str) -> np.ndarray:
    t_end = as_value(t_end, "s", "t_end") if isinstance(t_end, str) else t_end
    if not isinstance(t_end, Real) or not 0 < t_end <= LARGEST:
        many = "; times of output are t=" if isinstance(t_end, np.ndarray | list) else ""
        raise PoinsotError(f"t_end must be a positive time in seconds, not {one_line(repr(t_end), 40)}{many}")
    times = np.linspace(0.0, t_end, OUTPUTS) if t is None else as_times(t)
    if t is None and not (times[1:] > times[:-1]).all():
        raise PoinsotError(f"t_end = {t_end:g} s is too short for {OUTPUTS} output times: give a longer one, or t")
    if times[0] < 0 or times[-1] > t_end * (1 + 1e-12):
        raise PoinsotError(f"t must lie between 0 and t_end = {t_end:g} s, not {times[0]:g} … {times[-1]:g} s")
    return times


def _events(given: Mapping[str, tuple[str, float]] | None) -> dict[str, tuple[str, float]]:
    found = {}
    for name, event in by_name(given, "events are", "{'there': ('x', 0.1)}").items():
        if not isinstance(event, tuple | list) or len(event) != 2 or not isinstance(event[1], Real):
            raise PoinsotError(f"event '{name}' must be a coordinate and a number, such as ('x', 0.1), not {event!r}")
        found[name] = (str(event[0]), float(event[1]))
    return found


def _options(threads: int | None, **given: float) -> dict[str, Any]:
    for name, value in given.items():
        if not isinstance(value, Real) or not (0 <= value <= LARGEST or value == np.inf):
            raise PoinsotError(f"{name} must be a number that is not negative, not {value!r}")
    return {**given, "threads": None if threads is None else count_of(threads, "threads")}


def _batch(
    compiled: System, mechanism: Mechanism, p: np.ndarray, parameters: Mapping[str, Sequence[float]]
) -> np.ndarray:
    """Values of the free parameters (n,), or (N, n) for a batch."""
    if not parameters:
        return p
    try:
        sizes = {name: np.atleast_1d(np.asarray(values, float)).shape for name, values in parameters.items()}
    except (TypeError, ValueError):
        raise PoinsotError("parameters of a batch need lists of numbers") from None
    if len(set(sizes.values())) > 1 or any(len(size) != 1 or size == (0,) for size in sizes.values()):
        raise PoinsotError(f"parameters of a batch need lists of one length, not {listing(map(str, sizes.items()))}")
    batch = np.tile(p, (next(iter(sizes.values()))[0], 1))
    for name, values in parameters.items():
        role = mechanism.parameters[name].role
        if role not in BATCHED_ROLES:
            raise PoinsotError(
                f"'{name}' changes the geometry, and with it the start: simulate its values one by one"
            )
        if not np.isfinite(values).all():
            raise PoinsotError(f"the values of '{name}' must be finite numbers")
        batch[:, compiled.free.index(name)] = values
    require_possible(mechanism, parameters)
    return batch


def _far_lighter(mechanism: Mechanism, parameters: Mapping[str, Sequence[float]]) -> bool:
    """Whether a batch has masses so much smaller than the mechanism's that its equations are not made for them."""
    given = ((mechanism.parameters[name], values) for name, values in parameters.items())
    return any("kg" in one.unit and np.min(np.abs(values)) < LIGHTER * abs(one.value) for one, values in given)


def _laws(compiled: System, forces: Mapping[str, Law]) -> dict[str, float | Formula]:
    require_known("actuator", forces, compiled.commands)
    given = {
        name: written_law(name, law) if callable(law) else compiled.command(name, law) for name, law in forces.items()
    }
    for name, force in given.items():
        drive = compiled.mechanism.actuators[name]
        if isinstance(force, float) and (beyond := drive.excess(force)):
            said = f"the force of '{name}', {force:g} {drive.unit}, is {beyond}: it is simulated as given"
            warnings.warn(said, stacklevel=3)
    return {name: given.get(name, 0.0) for name in compiled.commands}


def _result(
    mechanism: Mechanism, compiled: System, laws: Laws, outputs: int, problem: Problem, run: SwitchedIntegration
) -> Simulation:
    """What was found at the last `outputs` times of a grid that starts at 0."""
    grid = problem.t
    nq, nv, _, _ = compiled.sizes
    complete = slice(np.count_nonzero(np.isfinite(run.integration.y).all(axis=(0, 2))))  # what is not reached is last
    reached = run.integration.y[:, complete]
    kinetic, potential, phi, named, rates, placed = _outputs(compiled, reached, run.at(complete))
    energy = kinetic + potential
    balance = energy - energy[:, :1] - reached[..., -1]
    largest = np.maximum(kinetic, np.abs(potential)).max(axis=1, keepdims=True)
    lost, better = _lost_or_better(compiled, problem, run, largest, balance)
    if better is not None:
        return _result(mechanism, compiled, laws, outputs, problem, better)
    count, why = _closed(compiled, grid, phi, *_balanced(compiled, problem, run, lost, balance))
    t, y, p = grid[:count], reached[:, :count], run.at(slice(count))
    last = slice(len(grid) - outputs, count)
    batch = len(y) > 1 or run.p.ndim == 2
    constants = p[0, last] if p.ndim == 3 else np.atleast_2d(p)[0]  # of the first motion: (n, m), or (m,)

    def shape(x: np.ndarray) -> np.ndarray:
        return x[:, last] if batch else x[0, last]

    bodies, coordinates = compiled.mechanism.template.bodies, compiled.mechanism.template.coordinates
    last_first = (2, 0, 1) if batch else (1, 0)
    placed = shape(placed)
    places = placed.reshape(*placed.shape[:-1], len(bodies), 12).transpose(*last_first, -1)
    rotations = places[..., 3:].reshape(*places.shape[:-1], 3, 3)
    times = run.integration.event_times if batch else run.integration.event_times[0]
    return Simulation(
        formulation=compiled.formulation,
        t=t[last],
        position=dict(zip(bodies, places[..., :3])),
        rotation=dict(zip(bodies, rotations)),
        coordinates=dict(zip(coordinates, shape(named).transpose(last_first))),
        rates=dict(zip(coordinates, shape(rates).transpose(last_first))),
        q=shape(y[..., :nq]),
        v=shape(y[..., nq : nq + nv]),
        energy=shape(energy),
        work=shape(y[..., -1]),
        drift=float(np.max(np.abs(phi[:, :count]), initial=0.0)),
        energy_error=float(np.max(np.abs(balance[:, :count]), initial=0.0)),
        events={event.name: times[..., k] for k, event in enumerate(run.integration.events) if event.name},
        steps=int(run.integration.steps.max()),
        status=why or _status(mechanism, run),
        changes=run.changes,
        mechanism=mechanism,
        find_reactions=lambda: tuple(
            {n: shape(w) for n, w in table.items()} for table in simulated_reactions(compiled, laws, t, y, p)
        ),
        find_states=lambda: simulated_states(compiled, laws, t[last], y[0, last], constants),
    )


def _lost_or_better(
    compiled: System, problem: Problem, run: SwitchedIntegration, largest: np.ndarray, balance: np.ndarray
) -> tuple[tuple[int, int] | None, SwitchedIntegration | None]:
    """Where the energy balance is lost, if anywhere; and if it can be helped the motions found in another way.

    What rests but for round-off has no energy that could be lost.
    """
    rests = moved(compiled, problem, run) < RESTS
    lost = _lost(run, np.where(rests[:, None], np.inf, largest), balance, problem.options["rtol"])
    return lost, recovered(run, compiled, problem, *lost) if lost else None


def _lost(run: SwitchedIntegration, largest: np.ndarray, balance: np.ndarray, rtol: float) -> tuple[int, int] | None:
    """Motion n and output k after which its energy balance is suddenly lost: it passed a singular pose wrongly."""
    change = np.abs(balance[:, 1:] - balance[:, :-1])
    allowed = np.maximum(LOST, rtol * np.maximum(ROUGH, run.integration.steps[:, None]))
    bad = change > allowed * largest
    if not bad.any():
        return None
    k = int(np.argmax(bad.any(axis=0)))
    return int(np.argmax(bad[:, k])), k


def _balanced(
    compiled: System, problem: Problem, run: SwitchedIntegration, lost: tuple[int, int] | None, balance: np.ndarray
) -> tuple[int, str]:
    """How many times to keep, and why not more."""
    if lost is None:
        return balance.shape[1], ""
    n, k = lost
    at = Stage(compiled, problem.t[k], run.integration.y[n, k], run.constants(n, k))
    why = lost_balance(problem, at, problem.t[k + 1], abs(balance[n, k + 1] - balance[n, k]))
    return k + 1, f"stopped at t = {at.t:.6g} s: {why}"


def _closed(compiled: System, t: np.ndarray, phi: np.ndarray, count: int, why: str) -> tuple[int, str]:
    """How many of `count` times to keep, and why not more: those before a constraint, rows phi (N, n, m), is open."""
    rows = compiled.outline.all_rows
    opening = np.abs(phi[:, :count]) / row_lengths(rows, compiled.home.size)
    wide = np.flatnonzero((opening > OPEN).any(axis=(0, 2)))
    if not len(wide):
        return count, why
    row, k = rows[int(np.argmax(opening[:, wide[0]].max(axis=0)))], max(int(wide[0]), 1)
    return k, f"stopped at t = {t[k - 1]:.6g} s: {row} does not hold any more in these coordinates: use 'joint'"


def _status(mechanism: Mechanism, run: SwitchedIntegration) -> str:
    """Why the first motion that ended early did so."""
    for n, (why, reached) in enumerate(zip(run.integration.why, run.integration.reached)):
        if why:
            names = [e.name for e, t in zip(run.integration.events, run.integration.event_times[n]) if t == reached]
            return f"stopped at t = {reached:.6g} s: {why}{_limits(mechanism, names)}"
    return ""


def _limits(mechanism: Mechanism, reached: Sequence[str]) -> str:
    """The coordinate of the first end stop among the events that were reached, and its limits, in brackets."""
    named = mechanism.coordinates
    for law in (mechanism.forces[name] for name in reached if name in mechanism.forces):
        of = [name for name, one in [*named.items(), *named.of_joints.items()] if one == law.on]
        if np.isfinite(law.limits).any() and of:
            lower, upper = law.limits
            return f" ({of[0]} from {lower:.6g} to {upper:.6g} {law.on.unit})"
    return ""


def _outputs(compiled: System, y: np.ndarray, p: np.ndarray) -> list[np.ndarray]:
    """Energies (N, n), constraints (N, n, m), coordinates by name and their rates (N, n, k), places (N, n, 12 b)."""
    names, angles = list(compiled.mechanism.template.coordinates), turning(compiled)
    (flat,) = state_function(compiled)(y.reshape(-1, y.shape[-1]), repeated(p, y))
    flat = flat.reshape(*y.shape[:2], -1)
    nq, nv, _, _ = compiled.sizes
    ends = accumulate((2, len(compiled.outline.all_rows), len(names), len(names), flat.shape[-1]), initial=0)
    energy, phi, named, rates, placed = (flat[..., first:end] for first, end in pairwise(ends))
    if angles:
        index = [names.index(name) for name in angles]
        wound = named[..., index].swapaxes(-1, -2)
        s = counted(wound, y[..., nq + nv : nq + nv + len(angles)].swapaxes(-1, -2))
        if s is not wound:
            named[..., index] = s.swapaxes(-1, -2)
    return [energy[..., 0], energy[..., 1], phi, named, rates, placed]
