"""Commands about motion: `poinsot simulate | kinematics | inverse`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import typer

import poinsot
from poinsot.app.console import INTERRUPTED, busy
from poinsot.app.guide import names
from poinsot.app.notes import beside_data
from poinsot.app.options import Actuators, Change, Csv, Duration, Json, Model, Motion, Overwrite, Plot, Pose, Rate
from poinsot.app.output import (
    OUT_OF_PLANE,
    headed,
    signals,
    table,
    whole,
    write_json,
    write_plot,
)
from poinsot.app.tables import coordinate_units, force_units, loaded, pairs, pose_in, read_motion, write_table
from poinsot.errors import MotionError, PoinsotError, counted
from poinsot.results.words import settled

MAX_SAMPLES = 1_000_000  # in a table
FORMULATIONS = ("joint", "embedded", "euler", "rotation-matrix")
Formulation = Annotated[
    str, typer.Option(help="joint, embedded, euler or rotation-matrix", autocompletion=names.among(*FORMULATIONS))
]
Independent = Annotated[
    list[str] | None,
    typer.Option(
        "--independent",
        metavar="NAME",
        help="an independent coordinate of `embedded`",
        autocompletion=names.of_model(lambda mechanism: mechanism.coordinates.known),
    ),
]
Free = Annotated[
    list[str] | None,
    typer.Option(
        "--free",
        metavar="NAME",
        help="a coordinate that follows the equations of motion, from --pose with --velocity",
        autocompletion=names.of_model(lambda mechanism: mechanism.coordinates.known),
    ),
]
Drives = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="actuators, or motion: ideal drives along the prescribed coordinates in their place",
        autocompletion=names.among("actuators", "motion"),
    ),
]
Axes = Annotated[str, typer.Option(help="axes of the reactions: joint, world or a body")]
About = Annotated[str, typer.Option(help="point of the reactions' moments: joint, world or a body")]
Velocity = Annotated[
    list[str] | None,
    typer.Option(
        "--velocity",
        metavar="NAME=VALUE,…",
        help="rates [m/s, rad/s or with a unit]",
        autocompletion=names.of_model(lambda mechanism: mechanism.coordinates.known, "="),
    ),
]
Method = Annotated[
    str,
    typer.Option(
        help="auto, explicit, or implicit for stiff mechanisms",
        autocompletion=names.among("auto", "explicit", "implicit"),
    ),
]
SPEEDS = ("vx vy vz", "ax ay az", "wx wy wz", "alphax alphay alphaz")  # of a body, as `body_motions` orders them
SPEED_UNITS = ("m/s", "m/s²", "rad/s", "rad/s²")


def simulate(
    model: Model,
    t_end: Duration = 1.0,
    rate: Rate = 100.0,
    actuator: Actuators = None,
    pose: Pose = None,
    velocity: Velocity = None,
    change: Change = None,
    formulation: Formulation = "joint",
    independent: Independent = None,
    method: Method = "auto",
    csv: Csv = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Simulate a mechanism under constant actuator forces; tells drift and energy balance."""
    t = sample_times(t_end, rate)
    options: dict[str, Any] = {"formulation": formulation, "independent": independent or None, "method": method}
    try:
        with busy(f"simulating {model}"):
            mechanism = loaded(model, change)
            options |= {
                "forces": pairs(actuator, "a force", force_units(mechanism)),
                "pose": pose_in(mechanism, pose),
            }
            rates = pairs(velocity, "a velocity", coordinate_units(mechanism, "/s"))
            found, code = poinsot.simulate(mechanism, t_end, t=t, velocity=rates or None, **options), 1
    except KeyboardInterrupt as stop:
        found, code = getattr(stop, "partial", None), INTERRUPTED
        if found is None:
            raise
    write_plot(plot, found, overwrite)
    if csv:
        write_table(csv, headed(_simulated_signals(found)), overwrite)
    if json:
        write_json(json, whole(found), overwrite)
    beside_data(*([found.status] if found.status else []), *found.changes)
    print("\n".join([str(found), *found.changes]))
    table(("coordinate", "start", "end", "unit"), _coordinate_rows(found, lambda s: (s[0], s[-1])))
    if code == INTERRUPTED or not found.finished:
        raise typer.Exit(code)


def sample_times(t_end: float, rate: float) -> np.ndarray:
    """Times of the samples (n,) of so many seconds at a rate [Hz]."""
    if not rate > 0:
        raise PoinsotError(f"the rate must be positive, not {rate:g} Hz")
    if not 0 < t_end < np.inf:
        raise PoinsotError(f"the duration must be a positive time in seconds, not {t_end:g}")
    if t_end * rate > MAX_SAMPLES:
        raise PoinsotError(
            f"{t_end:g} s at {rate:g} Hz are {t_end * rate:.3g} samples; at most {MAX_SAMPLES} are given"
        )
    return np.linspace(0.0, t_end, max(2, round(t_end * rate) + 1))


def _coordinate_rows(found: Any, ends: Callable[[np.ndarray], tuple[float, float]]) -> list[tuple[Any, ...]]:
    """Two values of every coordinate and its unit; round-off of the largest length, or of a radian, is 0."""
    units = {name: found.mechanism.coordinates[name].unit for name in found.coordinates}
    lengths = [np.abs(s).max() for name, s in found.coordinates.items() if units[name] == "m" and len(s)]
    size = {"m": max(lengths, default=1.0), "rad": 1.0}
    rows = []
    for name, s in found.coordinates.items():
        rows.append((name, *(settled(x, size.get(units[name], 1.0)) for x in ends(s)), units[name]))
    return rows


def _simulated_signals(found: Any) -> dict[str, tuple[np.ndarray, str]]:
    """Signals of a simulation by name with units, and velocities and accelerations of all bodies."""
    from poinsot.motion.equations import body_motions

    columns = {name: column for name, column in signals(found).items() if column[1] != "SI"}
    states = found.states()
    motions, _ = body_motions(states.system)(found.q, found.v, states.acceleration, states.p)
    bodies = list(states.system.mechanism.template.bodies)
    parts = np.reshape(motions, (len(found.t), len(bodies), 4, 3))
    for k, body in enumerate(bodies):
        for j, (labels, unit) in enumerate(zip(SPEEDS, SPEED_UNITS)):
            for i, label in enumerate(labels.split()):
                if not (found.mechanism.planar and label in OUT_OF_PLANE):
                    columns[f"{body}.{label}"] = parts[:, k, j, i], unit
    forces = force_units(found.mechanism)
    return columns | {f"{name}.force": (force, forces[name]) for name, force in states.forces.items()}


def kinematics(
    model: Model,
    motion: Motion,
    change: Change = None,
    formulation: Formulation = "joint",
    csv: Csv = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Places, orientations, velocities and accelerations of all bodies and coordinates along a prescribed motion."""
    mechanism = loaded(model, change)
    t, signal = read_motion(motion, mechanism)
    with busy(f"kinematics of {model}"):
        found, error = _kept(lambda: poinsot.kinematics(mechanism, signal, t, formulation=formulation))
    write_plot(plot, found, overwrite)
    if csv:
        write_table(csv, headed(signals(found)), overwrite)
    if json:
        write_json(json, whole(found), overwrite)
    print(f"{counted(len(found.t), 'sample')}, every joint closed to {found.residual:.1e} m or rad")
    table(("coordinate", "least", "greatest", "unit"), _coordinate_rows(found, lambda s: (s.min(), s.max())))
    _print_notes(found)
    if error:
        raise error


def inverse(
    model: Model,
    motion: Motion,
    free: Free = None,
    drives: Drives = "actuators",
    pose: Pose = None,
    velocity: Velocity = None,
    axes: Axes = "joint",
    about: About = "joint",
    change: Change = None,
    formulation: Formulation = "joint",
    csv: Csv = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Actuator forces, powers and the reactions of every joint along a prescribed motion."""
    mechanism = loaded(model, change)
    t, signal = read_motion(motion, mechanism)
    with busy(f"inverse dynamics of {model}"):
        options: dict[str, Any] = {"free": free or (), "pose": pose_in(mechanism, pose), "formulation": formulation}
        options |= {
            "drives": drives,
            "velocity": pairs(velocity, "a velocity", coordinate_units(mechanism, "/s")) or None,
        }
        found, error = _kept(lambda: poinsot.inverse_dynamics(mechanism, signal, t, **options))
        found = replace(found, reactions={j: found.reaction(j, axes=axes, about=about) for j in found.reactions})
    moved = {f"{n}{end}" for n in found.kinematics.coordinates for end in ("", ".rate")}
    driven = {name: x for name, x in signals(found.kinematics).items() if name in moved}
    write_plot(plot, found, overwrite)
    if csv:
        write_table(csv, headed({"t": (found.t, "s"), **driven, **signals(found)}), overwrite)
    if json:
        write_json(json, whole(found) | {"axes": axes, "about": about}, overwrite)
    table(("actuator", "least force", "greatest force", "unit", "greatest |power| [W]"), _force_rows(found))
    for name, drive in found.mechanism.actuators.items():
        if said := drive.excess(found.forces[name]):
            beside_data(f"{name}: {said}")
            print(f"{name}: {said}")
    _print_notes(found.kinematics)
    if error:
        raise error


def _force_rows(found: Any) -> list[tuple[Any, ...]]:
    units, rows = force_units(found.mechanism), []
    sizes = {
        u: max([0.0, *(np.abs(f).max() for n, f in found.forces.items() if units[n] == u)]) for u in ("N", "N·m")
    }
    for name, force in found.forces.items():
        least, greatest = (settled(x, sizes[units[name]]) for x in (force.min(), force.max()))
        rows.append((name, least, greatest, units[name], float(np.abs(found.power[name]).max())))
    return rows


def _print_notes(found: Any) -> None:
    """What is assumed of a motion."""
    for note in found.notes:
        beside_data(note)
        print(note)


def _kept(run: Callable[[], Any]) -> tuple[Any, MotionError | None]:
    """What a motion gave, if only up to where it could not be followed, and the error to raise afterwards."""
    try:
        return run(), None
    except MotionError as error:
        if error.partial is None:
            raise
        return error.partial, error
