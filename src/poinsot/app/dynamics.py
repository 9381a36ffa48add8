"""Commands about motion: `poinsot simulate | kinematics | inverse`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer

import poinsot
from poinsot.app.console import busy
from poinsot.app.options import Change, Csv, Json, Model, Motion, Overwrite, Pose
from poinsot.app.output import table, write_json
from poinsot.app.tables import coordinate_units, force_units, loaded, pairs, pose_in, read_motion, write_table
from poinsot.errors import MotionError, PoinsotError
from poinsot.results import WRENCH

MAX_SAMPLES = 1_000_000  # in a table
INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it
Formulation = Annotated[str, typer.Option(help="joint, embedded, euler or rotation-matrix")]
Independent = Annotated[
    list[str] | None, typer.Option("--independent", metavar="NAME", help="an independent coordinate of `embedded`")
]
Axes = Annotated[str, typer.Option(help="axes of the reactions: joint, world or a body")]
About = Annotated[str, typer.Option(help="point of the reactions' moments: joint, world or a body")]
Force = Annotated[list[str] | None, typer.Option("--force", metavar="NAME=VALUE", help="an actuator's force")]
Velocity = Annotated[
    list[str] | None, typer.Option("--velocity", metavar="NAME=VALUE,…", help="rates [m/s, rad/s or with a unit]")
]
Method = Annotated[str, typer.Option(help="auto, explicit, or implicit for stiff mechanisms")]


def simulate(
    model: Model,
    t_end: Annotated[float, typer.Option("--t-end", help="duration [s]")] = 1.0,
    rate: Annotated[float, typer.Option(help="samples per second in the output [Hz]")] = 100.0,
    force: Force = None,
    pose: Pose = None,
    velocity: Velocity = None,
    change: Change = None,
    formulation: Formulation = "joint",
    independent: Independent = None,
    method: Method = "auto",
    csv: Csv = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Simulate a mechanism under constant actuator forces; tells drift and energy balance."""
    t = sample_times(t_end, rate)
    options = {"formulation": formulation, "independent": independent or None, "method": method}
    try:
        with busy(f"simulating {model}"):
            mechanism = loaded(model, change)
            options |= {"forces": pairs(force, "a force", force_units(mechanism)), "pose": pose_in(mechanism, pose)}
            rates = pairs(velocity, "a velocity", coordinate_units(mechanism, "/s"))
            found, code = poinsot.simulate(mechanism, t_end, t=t, velocity=rates or None, **options), 1
    except KeyboardInterrupt as stop:
        found, code = getattr(stop, "partial", None), INTERRUPTED
        if found is None:
            raise
    print("\n".join([str(found), *found.changes]))
    table(("coordinate", "start", "end"), [(n, float(s[0]), float(s[-1])) for n, s in found.coordinates.items()])
    write_table(csv, {"t": found.t, **found.coordinates, "energy": found.energy, "work": found.work}, overwrite)
    facts = ("formulation", "drift", "energy_error", "steps", "status", "changes")
    write_json(json, {"mechanism": found.mechanism.name} | {x: getattr(found, x) for x in facts}, overwrite)
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


def kinematics(
    model: Model,
    motion: Motion,
    change: Change = None,
    csv: Csv = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Positions of all bodies and coordinates along a prescribed motion."""
    t, signals = read_motion(motion)
    with busy(f"kinematics of {model}"):
        found, error = _kept(lambda: poinsot.kinematics(loaded(model, change), signals, t))
    print(f"{len(found.t)} samples, every joint closed to {found.residual:.1e}")
    ranges = [(n, float(s.min()), float(s.max())) for n, s in found.coordinates.items()]
    table(("coordinate", "least", "greatest"), ranges)
    places = {f"{b}.{axis}": p[:, k] for b, p in found.position.items() for k, axis in enumerate("xyz")}
    write_table(csv, {"t": found.t, **found.coordinates, **places}, overwrite)
    write_json(json, {"samples": len(found.t), "residual": found.residual, "ranges": ranges}, overwrite)
    if error:
        raise error


def inverse(
    model: Model,
    motion: Motion,
    axes: Axes = "joint",
    about: About = "joint",
    change: Change = None,
    csv: Csv = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Actuator forces, powers and the reactions of every joint along a prescribed motion."""
    t, signals = read_motion(motion)
    with busy(f"inverse dynamics of {model}"):
        found, error = _kept(lambda: poinsot.inverse_dynamics(loaded(model, change), signals, t))
        wrenches = {j: found.reaction(j, axes=axes, about=about) for j in found.reactions}
    rows = [(n, float(f.min()), float(f.max()), float(np.abs(found.power[n]).max())) for n, f in found.forces.items()]
    table(("actuator", "least force", "greatest force", "greatest power [W]"), rows)
    loads = {f"{j}.{c}": w[:, k] for j, w in wrenches.items() for k, c in enumerate(WRENCH.split())}
    write_table(csv, {"t": found.t, **found.forces, **loads}, overwrite)
    write_json(json, [dict(zip(("actuator", "least", "greatest", "power"), row)) for row in rows], overwrite)
    if error:
        raise error


def _kept(run: Callable[[], Any]) -> tuple[Any, MotionError | None]:
    """What a motion gave, if only up to where it could not be followed, and the error to raise afterwards."""
    try:
        return run(), None
    except MotionError as error:
        if error.partial is None:
            raise
        return error.partial, error
