"""Runs of a study as samples, inputs and the motion near which they are looked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from poinsot.errors import MotionError, PoinsotError, counted, listing, unknown
from poinsot.estimate.closed_loop.controllers import Control
from poinsot.estimate.closed_loop.references import references
from poinsot.estimate.closed_loop.simulation import still_speeds
from poinsot.estimate.problems.output.records import InputNoise, OutputRun, Prepared, force_unit
from poinsot.estimate.rows.motion import run_motion, with_cutoffs
from poinsot.estimate.rows.runs import bridged, measured_forces, require_units
from poinsot.estimate.rows.runs import prepared as on_even_clock
from poinsot.estimate.search.problem import Space
from poinsot.estimate.study import Role, Run, Study
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism
from poinsot.recording.filtering.held_samples import as_written
from poinsot.recording.filtering.in_time import sensor_delay
from poinsot.recording.filtering.measured_noise import measured_noise
from poinsot.recording.filtering.spectrum import sample_noise
from poinsot.recording.motion import position_channels, with_encoders
from poinsot.recording.place import placed
from poinsot.recording.recording import Recording
from poinsot.system.initial_state import state
from poinsot.system.system import System, start, system

LEAST = 1e-6  # of its spread: noise of a channel, where samples show none
FEWEST = 8  # samples of a run


def prepared(study: Study, mechanism: Mechanism, space: Space, roles: tuple[Role, ...]) -> Prepared | None:
    """Runs that have some roles; None if there are none."""
    runs = study.with_roles(*roles)
    if not runs:
        return None
    found = [_motion(run, mechanism, study) for run in runs]
    recordings, places, steps = [one[0] for one in found], found[0][1], [text for one in found for text in one[4]]
    if any(list(one[1].values()) != list(places.values()) for one in found):
        raise PoinsotError("all runs of a study must have recorded the same positions")
    whole, compiled, p = _simulated(found[0][2], found[0][3], space)
    forces = [_drive_channels(rec, mechanism, run.name, space) for run, rec in zip(runs, recordings)]
    control = _known_control(study.control, compiled)
    every = tuple(name for name in compiled.commands if all(name in one for one in forces))
    shown = tuple(name for name, _ in control.drives if name in every) if control else ()
    silent = [name for name in compiled.commands if not control and name not in every]
    assumed = (f"no force of {listing(silent)} was recorded: 0 is assumed",) if silent else ()
    units = [whole.template.coordinate(place).unit for place in places.values()]
    taken_as = [_table(one[5], places, [f[name] for name in shown], mechanism) for one, f in zip(found, forces)]
    tables, late = [table for table, _ in taken_as], taken_as[0][1]
    channels = (*zip(places, units), *((name, force_unit(whole, name)) for name in shown))
    driven = () if control else every
    sigma, known = _noise(study, channels, recordings, tables, driven)
    taken = tuple(
        OutputRun(
            run.name,
            rec.t,
            table,
            *_inputs(rec, [one.get(name) for name in compiled.commands]),
            None if control is None else references(rec, control, run.name, rec.t[0], rec.t[-1]),
            *_aligned(states, rec.t),
        )
        for run, rec, one, table, (_, _, _, states, *_) in zip(runs, recordings, forces, tables, found)
    )
    for one in taken:
        if len(one.t) < FEWEST:
            raise PoinsotError(f"run '{one.name}' has {counted(len(one.t), 'sample')}: give it {FEWEST} or more")
    return Prepared(
        mechanism=whole,
        compiled=compiled,
        p=p,
        unknowns=space.names,
        control=control,
        inputs=study.processing.inputs,
        outputs=tuple(places.values()),
        forces=shown,
        channels=channels,
        sigma=sigma,
        known=known,
        driven=driven,
        input_sigma=np.array([np.nan if s is None else s for s in _given(study, driven)]),
        input_noise=_noise_of_inputs(study, recordings, forces, driven),
        runs=taken,
        steps=(*steps, *assumed),
        assumed=assumed,
        late=late,
        reach=np.array([late, late]),
    )


def _motion(run: Run, mechanism: Mechanism, study: Study):
    """Recording, its positions and their places, the mechanism with names for them, its states, what was done.

    At last the recording as it is, with the delays of sensors, which the others are without.
    """
    if run.role is Role.PAYLOAD:
        raise PoinsotError(f"run '{run.name}': payloads are for measured forces, not for simulated outputs")
    run = _as_held(run, mechanism) if study.processing.inputs == "held" else run
    recording, late = on_even_clock(run, mechanism), on_even_clock(run, mechanism, delays=False)
    late = late.rows(np.arange(len(late.t)) < len(recording.t), "")
    read = position_channels(recording, mechanism)
    if not read:
        raise PoinsotError(
            f"run '{run.name}' has no recorded position of a coordinate or encoder of {mechanism.name} "
            f"({listing([*mechanism.coordinates, *mechanism.sensors])}): output error has nothing to explain"
        )
    require_units(run, recording, tuple(read))
    said = [f"run '{run.name}': {text}" for text in recording.steps]
    whole = with_encoders(mechanism, (place for place in read.values() if place in mechanism.sensors))
    try:
        motion = run_motion(recording, mechanism, with_cutoffs(study.processing, recording, mechanism))
        return recording, read, whole, motion.states, said, late
    except (MotionError, PoinsotError) as error:
        said.append(f"run '{run.name}': states are looked for near rest in the pose of the model, since {error}")
    begin = start(whole, None)
    compiled = system(whole, "joint", home=begin)
    p = compiled.parameters(whole, begin.poses)
    q, v = state(compiled, begin, p, None)
    Q, V = (np.tile(x, (len(recording.t), 1)) for x in (q, v))
    return recording, read, whole, States(compiled, recording.t, Q, V, V, p, begin.size), said, late


def _as_held(run: Run, mechanism: Mechanism) -> Run:
    """The run with forces as they were written: what drives hold acts until the next, which a logger may repeat."""
    recording = placed(run.recording, mechanism)
    forces = measured_forces(recording, mechanism, run.name).values()
    written = {name: as_written(recording, name) for name in forces}
    return replace(run, recording=replace(recording, values={**recording.values, **written}))


def _simulated(whole: Mechanism, states: States, space: Space) -> tuple[Mechanism, System, np.ndarray]:
    """The mechanism with unknowns at their start and jumps of friction at rest spread, and its system."""
    jumping = [name for name, law in whole.forces.items() if law.smoothed(1.0) is not law]
    owners = [name if f"{name}.smooth" in whole.parameters else name.rpartition(".")[0] for name in jumping]
    spread = {f"{name}.smooth": float(speed) for name, speed in zip(owners, still_speeds(states))}
    begin = whole.with_parameters(spread | dict(zip(space.names, space.start.tolist())))
    compiled = system(begin, "joint", tuple(dict.fromkeys([*space.names, *spread])))
    chart = states.p[0] if states.p.ndim == 2 else states.p
    p = compiled.parameters(begin)
    p[len(compiled.free) :] = chart[len(states.system.free) :]
    return begin, compiled, p


def _known_control(control: Control | None, compiled: System) -> Control | None:
    for name, _ in control.drives if control else ():
        if name not in compiled.commands:
            raise PoinsotError(f"control: {unknown('actuator', name, compiled.commands)}")
    return control


Force = tuple[str, float]  # recorded channel of a drive's force, and its gain


def _drive_channels(recording: Recording, mechanism: Mechanism, run: str, space: Space) -> dict[str, Force]:
    """Where the force of every drive was recorded: under its own name, else by a sensor of it."""
    measured = measured_forces(recording, mechanism, run)
    found = {name: (measured[name], 1.0) for name in mechanism.actuators if name in measured}
    for name, sensor in mechanism.sensors.items():
        channel = measured.get(f"sensor {name}")
        if channel is None or not sensor.actuator or sensor.actuator in found:
            continue
        if f"{name}.gain" in space.names:
            raise PoinsotError(
                f"the gain of '{name}' cannot be found from simulated outputs, since its forces drive the simulation:"
                " take problem = 'forces'"
            )
        found[sensor.actuator] = channel, float(getattr(sensor, "gain", 1.0))
    return found


def _table(
    recording: Recording, places: dict[str, str], forces: list[Force], mechanism: Mechanism
) -> tuple[np.ndarray, np.ndarray]:
    """Samples (n, c): positions less the offsets that the model knows, then forces; and their delays (c,)."""
    offsets = [
        float(getattr(mechanism.sensors[place], "offset", 0.0)) if place in mechanism.sensors else 0.0
        for place in places.values()
    ]
    names = [*places, *(name for name, _ in forces)]
    late = [sensor_delay(recording.channels[name], mechanism) for name in names]
    gains = np.array([1.0 for _ in places] + [gain for _, gain in forces])
    return (recording.table(names) - np.array([*offsets, *(0.0 for _ in forces)])) / gains, np.array(late)


def _inputs(recording: Recording, channels: list[Force | None]) -> tuple[np.ndarray, np.ndarray]:
    """Forces of drives (n, nu), gaps bridged by straight lines, and the gaps; 0 where none was recorded."""
    x = np.array([np.zeros(len(recording.t)) if c is None else recording[c[0]] / c[1] for c in channels])
    x = x.reshape(-1, len(recording.t)).T
    return bridged(x), ~np.isfinite(x)


def _aligned(states: States, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds at the nearest of the states' times."""
    at = np.clip(np.searchsorted(states.t, t - 1e-9), 0, len(states.t) - 1)
    return states.q[at], states.v[at]


def _given(study: Study, names: Iterable[str]) -> list[float | None]:
    """Standard deviations that the study gives."""
    return [next((s for pattern, s in study.noise.items() if fnmatchcase(n, pattern)), None) for n in names]


def _noise_of_inputs(
    study: Study, recordings: list[Recording], forces: list[dict[str, Force]], driven: tuple[str, ...]
) -> InputNoise:
    """By the study, by the recording or its sensor, or of samples that are no smooth course."""
    sigma, told = np.zeros(len(driven)), np.zeros(len(driven), bool)
    for k, (name, given) in enumerate(zip(driven, _given(study, driven))):
        channels = [(recording, *one[name]) for recording, one in zip(recordings, forces)]
        own = [rec.channels[channel].noise / abs(gain) for rec, channel, gain in channels]
        seen = [_samples_noise(rec.t, rec[channel]) / abs(gain) for rec, channel, gain in channels]
        told[k] = given is not None or min(own) > 0
        sigma[k] = given if given is not None else np.median(own if told[k] else seen)
    return InputNoise(sigma, told)


def _samples_noise(t: np.ndarray, x: np.ndarray) -> float:
    good = np.isfinite(x)
    return measured_noise(t[good], x[good])


def _noise(
    study: Study,
    channels: tuple[tuple[str, str], ...],
    recordings: list[Recording],
    tables: list[np.ndarray],
    inputs: tuple[str, ...],
) -> tuple[np.ndarray, bool]:
    """Standard deviation of a sample of every channel (c,), and whether the study tells all of them."""
    names = [name for name, _ in channels]
    for pattern in study.noise:
        if not any(fnmatchcase(name, pattern) for name in (*names, *inputs)):
            raise PoinsotError(
                f"the study gives noise for '{pattern}', which is no measured channel: {', '.join((*names, *inputs))}"
            )
    given = _given(study, names)
    spread = np.nanstd(np.concatenate(tables), axis=0)
    own = [
        float(np.median([sample_noise(rec.t, table[:, c]) or 0.0 for rec, table in zip(recordings, tables)]))
        for c in range(len(names))
    ]
    told = np.maximum(own, LEAST * np.where(spread > 0, spread, 1.0))
    return np.array([s if g is None else g for s, g in zip(told, given)]), all(g is not None for g in given)
