"""Commands about vibration: `poinsot modes | frf | compliance | map`."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import typer

import poinsot
from poinsot.app.console import busy
from poinsot.app.options import Change, Csv, Json, Model, Overwrite, Pose
from poinsot.app.output import table, write_json
from poinsot.app.tables import loaded, pose_in, write_table
from poinsot.errors import PoinsotError, one_line

MAX_POINTS = 1_000_000  # of a response or a map

Locked = Annotated[
    str | None, typer.Option(help="actuators that are locked: all, none, or names with commas between")
]
Formulation = Annotated[str | None, typer.Option(help="joint, embedded, euler, rotation-matrix or elastic")]


def modes(
    model: Model,
    pose: Pose = None,
    change: Change = None,
    n: Annotated[int | None, typer.Option("-n", help="how many of the lowest modes")] = None,
    locked: Locked = None,
    formulation: Formulation = None,
    damped: Annotated[bool, typer.Option("--damped", help="show the damped modes too")] = False,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Natural frequencies and what bends in each mode of a mechanism at rest."""
    given = {"n": n, "formulation": formulation, "locked": _locked(locked), "damped": damped}
    with busy(f"modes of {model}"):
        mechanism = loaded(model, change)
        found = poinsot.modes(mechanism, pose_in(mechanism, pose), **given)
    print(found)
    kept = ("mechanism", "formulation", "locked", "forces", "frequencies", "labels", "strain_energy")
    data = {name: x for name, x in found.to_dict().items() if name in kept}
    if damped:
        data["damped_frequencies"] = found.damped.frequencies.tolist()
        data["damping_ratios"] = found.damped.ratios.tolist()
    write_json(json, data, overwrite)


def frf(
    model: Model,
    inputs: Annotated[list[str], typer.Option("--input", help='where a force acts: "platform x", or a coordinate')],
    outputs: Annotated[list[str], typer.Option("--output", help="what is measured, in the same way")],
    low: Annotated[float, typer.Option("--from", help="lowest frequency [Hz]")] = 1.0,
    high: Annotated[float, typer.Option("--to", help="highest frequency [Hz]")] = 100.0,
    points: Annotated[int, typer.Option(help="number of frequencies")] = 200,
    quantity: Annotated[str, typer.Option(help="receptance, mobility or accelerance")] = "receptance",
    damping: Annotated[float | None, typer.Option(help="ratio of all modes; default: the model's dampers")] = None,
    loss_factor: Annotated[float, typer.Option(help="structural damping")] = 0.0,
    pose: Pose = None,
    change: Change = None,
    locked: Locked = None,
    csv: Csv = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Frequency responses between points and directions."""
    if not (points >= 2 and 0 <= low < high < np.inf):
        raise PoinsotError(f"expected two or more frequencies upwards, got {points} from {low:g} to {high:g} Hz")
    _bounded(points)
    options = {"quantity": quantity, "damping": damping, "loss_factor": loss_factor}
    f = np.linspace(low, high, points)
    with busy(f"frequency responses of {model}"):
        mechanism = loaded(model, change)
        given = {"pose": pose_in(mechanism, pose), "locked": _locked(locked)}
        found = poinsot.frf(mechanism, inputs, outputs, f, **given, **options)
    print(found)
    pairs = {(o, i): found.between(o, i) for o in found.outputs for i in found.inputs}
    columns = {"f": f}
    for (o, i), H in pairs.items():
        columns |= {f"re {o} / {i}": np.real(H), f"im {o} / {i}": np.imag(H)}
    write_table(csv, columns, overwrite)
    write_json(json, {name: x.tolist() for name, x in columns.items()}, overwrite)


def compliance(
    model: Model,
    at: Annotated[str, typer.Argument(help="a body, or body.frame")],
    pose: Pose = None,
    change: Change = None,
    locked: Locked = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Static compliance of a body or frame: displacements and turns per force and moment, world axes."""
    with busy(f"compliance of {model}"):
        mechanism = loaded(model, change)
        found = poinsot.compliance(mechanism, at, pose_in(mechanism, pose), locked=_locked(locked))
    rows = [(axis, *row) for axis, row in zip(found.axes, found.matrix.tolist())]
    table(("[m or rad]", *(f"per {name}" for name in found.per)), rows)
    write_json(json, {"at": at, "axes": found.axes, "compliance": found.matrix.tolist()}, overwrite)


def map_(
    model: Model,
    over: Annotated[list[str], typer.Option("--over", metavar="NAME=FROM:TO:COUNT", help="a coordinate's values")],
    n: Annotated[int | None, typer.Option("-n", help="how many of the lowest modes")] = None,
    pose: Pose = None,
    change: Change = None,
    locked: Locked = None,
    csv: Csv = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Natural frequencies over a grid of poses; those out of reach are NaN."""
    from rich.progress import Progress

    grids = dict(_grid(text) for text in over)
    _bounded(math.prod(len(values) for values in grids.values()))
    mechanism = loaded(model, change)
    own = mechanism.elements.pose
    fixed = pose_in(mechanism, pose) or {
        name: own[name] for name in own if name not in grids and len(grids) < len(own)
    }
    values = dict(zip(grids, np.meshgrid(*grids.values(), indexing="ij")))
    with Progress(transient=True) as bar:
        task = bar.add_task("poses", total=1.0)
        found = poinsot.frequency_map(
            mechanism,
            {**fixed, **values},
            n=n,
            locked=_locked(locked),
            progress=lambda done: bar.update(task, completed=done),
        )
    print(found)
    flat = found.frequencies.reshape(-1, found.frequencies.shape[-1])
    columns = {name: x.ravel() for name, x in values.items()} | {f"f{k + 1}": x for k, x in enumerate(flat.T)}
    write_table(csv, columns, overwrite)
    if json:
        known = {name: [None if np.isnan(v) else float(v) for v in x] for name, x in columns.items()}
        write_json(json, {**known, "unreachable": found.unreachable, "unbalanced": found.unbalanced}, overwrite)


def _locked(text: str | None) -> str | list[str] | None:
    return text if text in (None, "all", "none") else [name.strip() for name in text.split(",")]


def _grid(text: str) -> tuple[str, np.ndarray]:
    """A name and its values from "x=-0.1:0.1:50"."""
    name, _, numbers = text.partition("=")
    try:
        low, high, count = numbers.split(":")
        ends, number = (float(low), float(high)), int(count)
    except ValueError:
        raise PoinsotError(f"expected name=from:to:count, got '{one_line(text, 80)}'") from None
    if number < 1 or not np.all(np.isfinite(ends)):
        raise PoinsotError(f"expected finite values, at least one of them, got '{one_line(text, 80)}'")
    _bounded(number)
    return name.strip(), np.linspace(*ends, number)


def _bounded(number: int) -> None:
    if number > MAX_POINTS:
        raise PoinsotError(f"{number:.3g} points are asked for; at most {MAX_POINTS} are given")
