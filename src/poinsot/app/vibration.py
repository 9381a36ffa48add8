"""Commands about vibration: `poinsot modes | frf | compliance | map`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import poinsot
from poinsot.app.console import busy
from poinsot.app.dynamics import FORMULATIONS
from poinsot.app.guide import names
from poinsot.app.notes import beside_data
from poinsot.app.options import Actuators, Change, Csv, Json, Model, Overwrite, Plot, Pose, in_unit
from poinsot.app.output import table, write_json, write_plot
from poinsot.app.tables import (
    coordinate_units,
    force_units,
    loaded,
    pairs,
    pose_in,
    pose_line,
    pose_rows,
    write_table,
)
from poinsot.errors import PoinsotError, one_line, require_known
from poinsot.model.quantities.parameters import as_value
from poinsot.model.quantities.units import beyond_two_turns

if TYPE_CHECKING:
    from poinsot.model.assembly.assembly import Assembly
    from poinsot.vibration.linear_model.record import LinearModel

MAX_POINTS = 1_000_000  # of a response or a map
MOVED = (
    1e-9  # of the machine's size, from which on an equilibrium is another pose than the one it was looked for near
)

Locked = Annotated[
    str | None,
    typer.Option(
        help="actuators that are locked: all, none, or names with commas between",
        autocompletion=names.of_model(lambda mechanism: ["all", "none", *mechanism.actuators]),
    ),
]
Formulation = Annotated[
    str | None,
    typer.Option(
        help="joint, embedded, euler, rotation-matrix or elastic",
        autocompletion=names.among(*FORMULATIONS, "elastic"),
    ),
]
Place = Annotated[
    str, typer.Argument(help="a body, or body.frame", autocompletion=names.of_model(lambda one: one.bodies))
]


def modes(
    model: Model,
    pose: Pose = None,
    change: Change = None,
    n: Annotated[int | None, typer.Option("-n", help="how many of the lowest modes")] = None,
    locked: Locked = None,
    actuator: Actuators = None,
    formulation: Formulation = None,
    damped: Annotated[bool, typer.Option("--damped", help="show the damped modes too")] = False,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Natural frequencies and what bends in each mode of a mechanism at rest.

    A negative frequency f is that of an unstable pose, which is left as exp(2π|f| t).
    """
    given: dict[str, Any] = {"n": n, "formulation": formulation, "locked": _locked(locked), "damped": damped}
    with busy(f"modes of {model}"):
        mechanism = loaded(model, change)
        given["forces"] = pairs(actuator, "a force", force_units(mechanism)) or None
        asked = pose_in(mechanism, pose)
        found = poinsot.modes(mechanism, asked, **given)
        rest = _at_rest(found.linear, asked, _locked(locked))
    kept = ("mechanism", "formulation", "locked", "forces", "frequencies", "growth", "labels", "strain_energy")
    data = {name: x for name, x in found.to_dict().items() if name in (*kept, "kinetic_energy", "shapes")}
    data |= {"displacements": list(found.linear.names), **_pose_data(found.linear), "said": rest}
    data["units"] = {"frequencies": "Hz", "growth": "1/s", "forces": force_units(mechanism)}
    if damped:
        data["damped_frequencies"] = found.damped.frequencies.tolist()
        data["damping_ratios"] = found.damped.ratios.tolist()
        data["units"] |= {"damped_frequencies": "Hz", "damping_ratios": "-"}
    write_plot(plot, found, overwrite)
    write_json(json, data, overwrite)
    beside_data(*_qualifying(rest))
    print("\n".join([str(found), *rest]))


def frf(
    model: Model,
    inputs: Annotated[list[str], typer.Option("--input", help='where a force acts: "platform x", or a coordinate')],
    outputs: Annotated[list[str], typer.Option("--output", help="what is measured, in the same way")],
    low: Annotated[
        float,
        typer.Option(
            "--from",
            metavar="FREQUENCY",
            parser=in_unit("Hz", "--from", positive=False),
            help="lowest [Hz or with a unit]",
        ),
    ] = 1.0,
    high: Annotated[
        float,
        typer.Option("--to", metavar="FREQUENCY", parser=in_unit("Hz", "--to"), help="highest [Hz or with a unit]"),
    ] = 100.0,
    points: Annotated[int, typer.Option(help="number of frequencies")] = 200,
    quantity: Annotated[str, typer.Option(help="receptance, mobility or accelerance")] = "receptance",
    damping: Annotated[float | None, typer.Option(help="ratio of all modes; default: the model's dampers")] = None,
    loss_factor: Annotated[float, typer.Option(help="structural damping")] = 0.0,
    pose: Pose = None,
    change: Change = None,
    locked: Locked = None,
    formulation: Formulation = None,
    csv: Csv = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Frequency responses between points and directions."""
    from poinsot.vibration.eigenmodes import said_of
    from poinsot.vibration.linear_model.model import linear_model

    if not (points >= 2 and 0 <= low < high < np.inf):
        raise PoinsotError(f"expected two or more frequencies upwards, got {points} from {low:g} to {high:g} Hz")
    _bounded(points)
    options = {"quantity": quantity, "damping": damping, "loss_factor": loss_factor}
    f = np.linspace(low, high, points)
    with busy(f"frequency responses of {model}"):
        mechanism = loaded(model, change)
        asked = pose_in(mechanism, pose)
        given = {"locked": _locked(locked), "formulation": formulation}
        found = poinsot.frf(mechanism, inputs, outputs, f, pose=asked, **given, **options)
        linear = linear_model(mechanism, asked, **given)
        rest = _at_rest(linear, asked, _locked(locked))
    responses = {(o, i): found.between(o, i) for o in found.outputs for i in found.inputs}
    columns, units = {"f": f}, {"f": "Hz", "growth": "1/s"}
    for (o, i), H in responses.items():
        columns |= {f"re {o} / {i}": np.real(H), f"im {o} / {i}": np.imag(H)}
        units |= dict.fromkeys((f"re {o} / {i}", f"im {o} / {i}"), found.unit(o, i))
    write_plot(plot, found, overwrite)
    write_table(csv, {f"{name} [{units[name]}]": x for name, x in columns.items()}, overwrite)
    data: dict[str, Any] = {name: x.tolist() for name, x in columns.items()}
    data |= {"units": units, "quantity": quantity, "growth": found.growth, **_pose_data(linear), "said": rest}
    write_json(json, data, overwrite)
    beside_data(*said_of(found.growth, "such a response"), *_qualifying(rest))
    print("\n".join([str(found), *rest]))


def compliance(
    model: Model,
    at: Place,
    pose: Pose = None,
    change: Change = None,
    locked: Locked = None,
    formulation: Formulation = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Static compliance of a body or frame: displacements and turns per force and moment, world axes."""
    from poinsot.vibration.eigenmodes import said_of
    from poinsot.vibration.linear_model.model import linear_model

    with busy(f"compliance of {model}"):
        mechanism = loaded(model, change)
        asked = pose_in(mechanism, pose)
        given = {"locked": _locked(locked), "formulation": formulation}
        found = poinsot.compliance(mechanism, at, asked, **given)
        linear = linear_model(mechanism, asked, **given)
        rest = _at_rest(linear, asked, _locked(locked))
    turns = [axis.startswith("r") for axis in found.axes]
    rest = [*said_of(found.growth, "this compliance"), *rest]
    moved, pushed = (["rad" if t else "m" for t in turns], ["(N·m)" if t else "N" for t in turns])
    units = {"compliance": [[f"{m}/{f}" for f in pushed] for m in moved], "growth": "1/s"}
    data = {"at": at, "axes": found.axes, "per": found.per, "compliance": found.matrix.tolist(), "units": units}
    write_plot(plot, found, overwrite)
    beside_data(*_qualifying(rest))
    write_json(json, {**data, "growth": found.growth, **_pose_data(linear), "said": rest}, overwrite)
    table(
        ("", *(f"per {name} [{'N·m' if turn else 'N'}]" for name, turn in zip(found.per, turns)), "unit"),
        [(a, *row, "rad" if turn else "m") for a, row, turn in zip(found.axes, _rounded(found.matrix, turns), turns)],
    )
    print("\n".join(rest))


def _rounded(matrix: np.ndarray, turns: list[bool]) -> list[list[float]]:
    """A compliance to print: 0 where an entry is round-off of its block's largest one."""
    turn = np.array(turns)
    shown = matrix.copy()
    for rows in (turn, ~turn):
        for columns in (turn, ~turn):
            block = np.ix_(rows, columns)
            shown[block] = np.where(
                np.abs(matrix[block]) > 1e-10 * np.abs(matrix[block]).max(initial=0), matrix[block], 0
            )
    return shown.tolist()


def _at_rest(linear: LinearModel, asked: Any, wish: Any) -> list[str]:
    """Which actuators are free and why, what they carry, and the pose about which small motions are meant."""
    from poinsot.statics.force_sizes import told_forces
    from poinsot.statics.locked import locked_actuators

    mechanism, lines = linear.mechanism, []
    free = [name for name in mechanism.actuators if name not in linear.locked]
    if free and wish is None:
        all_locked = len(locked_actuators(mechanism.elements, None)) > len(linear.locked)
        why = "nothing could move with them locked" if all_locked else "a spring acts along their coordinates"
        lines.append(f"free, as {why}: {', '.join(free)} (--locked chooses others)")
    units = force_units(mechanism)
    told = told_forces(mechanism, {name: float(force) for name, force in linear.forces.items()})
    held = [f"{name} {told[name]:.5g} {units[name]}" for name in free if told.get(name, 0.0)]
    lines += [f"constant forces of free actuators: {', '.join(held)}"] if held else []
    said = {name: mechanism.actuators[name].excess(linear.forces.get(name, 0.0)) for name in mechanism.actuators}
    lines += [
        f"{name} carries {linear.forces[name]:.5g} {units[name]}, {text}" for name, text in said.items() if text
    ]
    own = "the pose asked for" if asked else "the model's own pose"
    if moved := _moved(poinsot.assemble(mechanism, asked), linear):
        own = f"an equilibrium, up to {moved} from {own}"
    shown = pose_line(mechanism, linear.poses, linear.angles)
    return [*lines, f"about {own}" + (f": {shown}" if shown else "")]


def _qualifying(rest: list[str]) -> list[str]:
    """What `_at_rest` tells but the pose, where it is the one that was meant."""
    return [line for line in rest if not line.startswith(("about the pose asked for", "about the model's own pose"))]


def _moved(begin: Assembly, linear: LinearModel) -> str:
    """How far bodies are from where they were: "0.1 m and 90°", what did not move left out; empty if none did.

    Two attitudes differ by the angle θ with |R − R'| = 2 √2 sin θ/2.
    """
    pairs = [(begin.poses[name], linear.poses[name]) for name in linear.mechanism.bodies]
    length = max((float(np.linalg.norm(X.p - Y.p)) for X, Y in pairs), default=0.0)
    chord = max((float(np.linalg.norm(X.R - Y.R)) for X, Y in pairs), default=0.0)
    angle = 2 * math.asin(min(1.0, chord / math.sqrt(8)))
    found = [f"{length:.3g} m"] * (length > MOVED * begin.size) + [f"{math.degrees(angle):.3g}°"] * (angle > MOVED)
    return " and ".join(found)


def _pose_data(linear: LinearModel) -> dict[str, Any]:
    rows = pose_rows(linear.mechanism, linear.poses, linear.angles)
    return {"pose": {name: {"value": value, "unit": unit} for name, value, unit, _ in rows}}


def map_(
    model: Model,
    over: Annotated[
        list[str],
        typer.Option(
            "--over",
            metavar="NAME=FROM:TO:COUNT",
            help="a coordinate's values [m, rad or with a unit]",
            autocompletion=names.of_model(lambda mechanism: mechanism.coordinates.known, "="),
        ),
    ],
    n: Annotated[int | None, typer.Option("-n", help="how many of the lowest modes")] = None,
    pose: Pose = None,
    change: Change = None,
    locked: Locked = None,
    csv: Csv = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Natural frequencies over a grid of poses; those out of reach are NaN.

    A negative frequency f is that of an unstable pose, which is left as exp(2π|f| t).
    """
    mechanism = loaded(model, change)
    units = coordinate_units(mechanism)
    grids = dict(_grid(text, units) for text in over)
    _bounded(math.prod(len(values) for values in grids.values()))
    own = mechanism.elements.pose
    fixed = pose_in(mechanism, pose) or {
        name: own[name] for name in own if name not in grids and len(grids) < len(own)
    }
    values = dict(zip(grids, np.meshgrid(*grids.values(), indexing="ij")))
    with busy(f"map of {model}") as tell:
        found = poinsot.frequency_map(
            mechanism,
            {**fixed, **values},
            n=n,
            locked=_locked(locked),
            progress=lambda done: tell(f"map of {model}: {done:.0%} of the poses"),
        )
    flat = found.frequencies.reshape(-1, found.frequencies.shape[-1])
    columns = {name: x.ravel() for name, x in values.items()} | {f"f{k + 1}": x for k, x in enumerate(flat.T)}
    write_plot(plot, found, overwrite)
    units = {name: units[name] if name in values else "Hz" for name in columns}
    write_table(csv, {f"{name} [{units[name]}]": x for name, x in columns.items()}, overwrite)
    if json:
        known = {name: [None if np.isnan(v) else float(v) for v in x] for name, x in columns.items()}
        counts = {"unreachable": found.unreachable, "unbalanced": found.unbalanced}
        write_json(json, {**known, "units": units, **counts}, overwrite)
    beside_data(*found.doubts())
    print(found)


def _locked(text: str | None) -> str | list[str] | None:
    return text if text in (None, "all", "none") else [name.strip() for name in text.split(",")]


def _grid(text: str, units: Mapping[str, str]) -> tuple[str, np.ndarray]:
    """A name and its values from "x=-0.1:0.1:50" or "phi=-30 deg:30 deg:5"."""
    name, _, numbers = (part.strip() for part in text.partition("="))
    try:
        low, high, count = numbers.split(":")
        number = int(count)
    except ValueError:
        raise PoinsotError(f"expected name=from:to:count, got '{one_line(text, 80)}'") from None
    require_known("coordinate", [name], units)
    first, last = (as_value(end, units[name], f"--over {name}") for end in (low, high))
    if number < 1:
        raise PoinsotError(f"expected at least one value, got '{one_line(text, 80)}'")
    _bounded(number)
    if any(beyond_two_turns(end, units[name]) for end in (low, high)):
        meant = f"{name}={low.strip()} deg:{high.strip()} deg:{number}"
        warnings.warn(f"{name} goes from {low} to {high} rad; were degrees meant? write {meant}", stacklevel=2)
    return name, np.linspace(first, last, number)


def _bounded(number: int) -> None:
    if number > MAX_POINTS:
        raise PoinsotError(f"{number:.3g} points are asked for; at most {MAX_POINTS} are given")
