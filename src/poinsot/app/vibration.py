"""Commands about vibration: `poinsot modes | frf | compliance | map`."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
import typer

from poinsot.app.console import busy
from poinsot.app.options import Csv, Json, Model, Overwrite, Pose
from poinsot.errors import PoinsotError, one_line

MAX_POINTS = 1_000_000  # of a response or a map

Actuators = Annotated[
    str | None, typer.Option(help="locked, free, or the names of those that are locked, separated by commas")
]
Formulation = Annotated[str | None, typer.Option(help="joint, embedded, euler, rotation-matrix or elastic")]


def modes(
    model: Model,
    pose: Pose = None,
    n: Annotated[int | None, typer.Option("-n", help="how many of the lowest modes")] = None,
    actuators: Actuators = None,
    formulation: Formulation = None,
    damped: Annotated[bool, typer.Option("--damped", help="show the damped modes too")] = False,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Natural frequencies and what bends in each mode of a mechanism at rest."""
    from poinsot.app.output import write_json
    from poinsot.model.load import load
    from poinsot.vibration.modes import modes as run

    given = {"n": n, "formulation": formulation, "actuators": _locked(actuators), "damped": damped}
    with busy(f"modes of {model}"):
        found = run(load(model), _pose(pose), **given)
    print(found)
    data: dict[str, Any] = {
        "mechanism": found.linear.mechanism.name,
        "formulation": found.linear.formulation,
        "locked": found.linear.locked,
        "forces": found.linear.forces,
        "frequencies": found.frequencies.tolist(),
        "labels": found.labels,
        "strain_energy": {name: x.tolist() for name, x in found.strain_energy.items()},
    }
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
    actuators: Actuators = None,
    csv: Csv = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Frequency responses between points and directions."""
    from poinsot.app.output import write_json
    from poinsot.app.tables import write_table
    from poinsot.model.load import load
    from poinsot.vibration.response import frf as run

    if not (points >= 2 and 0 <= low < high < np.inf):
        raise PoinsotError(f"expected two or more frequencies upwards, got {points} from {low:g} to {high:g} Hz")
    _bounded(points)
    options = {"quantity": quantity, "damping": damping, "loss_factor": loss_factor}
    f = np.linspace(low, high, points)
    with busy(f"frequency responses of {model}"):
        found = run(load(model), inputs, outputs, f, pose=_pose(pose), actuators=_locked(actuators), **options)
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
    actuators: Actuators = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Static compliance of a body or frame: displacements and turns per force and moment, world axes."""
    from poinsot.app.output import table, write_json
    from poinsot.model.load import load
    from poinsot.vibration.compliance import compliance as run

    with busy(f"compliance of {model}"):
        found = run(load(model), at, _pose(pose), actuators=_locked(actuators))
    axes = ("x", "y", "rz") if len(found) == 3 else ("x", "y", "z", "rx", "ry", "rz")
    forces = [f"per {'M' if axis.startswith('r') else 'F'}{axis[-1]}" for axis in axes]
    table(("[m or rad]", *forces), [(axis, *row) for axis, row in zip(axes, found.tolist())])
    write_json(json, {"at": at, "axes": axes, "compliance": found.tolist()}, overwrite)


def map_(
    model: Model,
    over: Annotated[list[str], typer.Option("--over", metavar="NAME=FROM:TO:COUNT", help="a coordinate's values")],
    n: Annotated[int | None, typer.Option("-n", help="how many of the lowest modes")] = None,
    pose: Pose = None,
    actuators: Actuators = None,
    csv: Csv = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Natural frequencies over a grid of poses; those out of reach are NaN."""
    from rich.progress import Progress

    from poinsot.app.output import write_json
    from poinsot.app.tables import write_table
    from poinsot.model.load import load
    from poinsot.vibration.maps import frequency_map

    grids = dict(_grid(text) for text in over)
    _bounded(math.prod(len(values) for values in grids.values()))
    mechanism = load(model)
    own = mechanism.elements.pose
    fixed = _pose(pose) or {name: own[name] for name in own if name not in grids and len(grids) < len(own)}
    values = dict(zip(grids, np.meshgrid(*grids.values(), indexing="ij")))
    with Progress(transient=True) as bar:
        task = bar.add_task("poses", total=1.0)
        found = frequency_map(
            mechanism,
            {**fixed, **values},
            n=n,
            actuators=_locked(actuators),
            progress=lambda done: bar.update(task, completed=done),
        )
    print(found)
    flat = found.frequencies.reshape(-1, found.frequencies.shape[-1])
    columns = {name: x.ravel() for name, x in values.items()} | {f"f{k + 1}": x for k, x in enumerate(flat.T)}
    write_table(csv, columns, overwrite)
    if json:
        known = {name: [None if np.isnan(v) else float(v) for v in x] for name, x in columns.items()}
        write_json(json, {**known, "unreachable": found.unreachable, "unbalanced": found.unbalanced}, overwrite)


def _pose(texts: list[str] | None) -> dict[str, float] | None:
    from poinsot.app.tables import pairs

    return pairs(texts, "a coordinate") or None


def _locked(text: str | None) -> str | list[str] | None:
    return text if text in (None, "locked", "free") else [name.strip() for name in text.split(",")]


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
