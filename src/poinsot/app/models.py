"""Commands about mechanisms: `poinsot models | show | parameters | check | pose | convert | schema`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

import poinsot
from poinsot.app.console import busy
from poinsot.app.options import Change, Json, Model, Overwrite, Plot, Pose, place_of
from poinsot.app.output import parameter_rows, table, write_json, write_plot, write_text
from poinsot.app.tables import loaded, pose_in, pose_rows
from poinsot.errors import MissingMeshWarning, PoinsotError
from poinsot.model import interchange
from poinsot.model.load import LIBRARY
from poinsot.model.toml import read_text
from poinsot.results.words import settled
from poinsot.spatial.rotation import quaternion_from_matrix

_WRITERS = {".xml": "write_mjcf", ".mjcf": "write_mjcf", ".urdf": "write_urdf"}
BODY = ("x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz")  # place and orientation of a body in the world


def models(json: Json = None, overwrite: Overwrite = False) -> None:
    """List the mechanisms of the library."""
    rows = []
    with busy("loading the library"):
        for name in poinsot.library_names():
            mechanism = poinsot.load(name)
            summary = " ".join(mechanism.description.split()).split(". ")[0].split(": ")[0]
            kind = "planar" if mechanism.planar else "spatial"
            rows.append((name, kind, len(mechanism.bodies), len(mechanism.joints), len(mechanism.actuators), summary))
    columns = ("name", "kind", "bodies", "joints", "actuators", "description")
    write_json(json, [dict(zip(columns, row)) for row in rows], overwrite)
    table(columns, rows)


def show(model: Model, json: Json = None, overwrite: Overwrite = False) -> None:
    """Print a model file; those of the library are examples of the format."""
    path = LIBRARY / f"{model}.toml" if model in poinsot.library_names() else Path(model)
    if not path.exists():
        poinsot.load(model)  # whose error lists what exists
    text = read_text(path)
    write_json(json, {"model": model, "text": text}, overwrite)
    print(text, end="" if text.endswith("\n") else "\n")


def parameters(model: Model, change: Change = None, json: Json = None, overwrite: Overwrite = False) -> None:
    """Show the parameters of a mechanism: names, values, units, bounds."""
    with busy(f"loading {model}"):
        found = loaded(model, change).parameters
    columns, rows = parameter_rows(found)
    write_json(json, [dict(zip(columns, row)) for row in rows], overwrite)
    table(columns, rows)


def check(
    model: Model,
    in_space: Annotated[
        bool, typer.Option("--in-space", help="model the joints of a planar mechanism in space")
    ] = False,
    change: Change = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Say what a mechanism is and what is wrong with it; exits with 1 if it cannot be used."""
    with busy(f"checking {model}"), warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingMeshWarning)  # the report says so
        mechanism = loaded(model, change)
        report = poinsot.check(mechanism.in_space() if in_space else mechanism)
    write_plot(plot, report, overwrite)
    write_json(json, report.to_dict() | {"units": {"size": "m", "residual": "-"}}, overwrite)
    print(report)
    if not report.ok:
        raise typer.Exit(1)


def pose(
    model: Model,
    pose: Pose = None,
    change: Change = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Assemble a pose: coordinates, where every body is, how far from singular; without --pose the model's own."""
    with busy(f"assembling {model}"):
        mechanism = loaded(model, change)
        given = pose_in(mechanism, pose)
        found = poinsot.assemble(mechanism, given)
        near = poinsot.singularity(mechanism, given)
    coordinates = pose_rows(mechanism, found.poses, found.angles)
    places = {name: found.poses[name] for name in mechanism.bodies}
    bodies = [
        (name, *(settled(x, found.size) for x in X.p), *(settled(x, 1.0) for x in quaternion_from_matrix(X.R)))
        for name, X in places.items()
    ]
    data = {
        "mechanism": mechanism.name,
        "coordinates": {name: {"value": value, "unit": unit} for name, value, unit, _ in coordinates},
        "bodies": {name: {"position": X.p.tolist(), "rotation": X.R.tolist()} for name, X in places.items()},
        "quaternions": {name: quaternion_from_matrix(X.R).tolist() for name, X in places.items()},
        "residual": found.residual,
        "size": found.size,
        "singularity": near.to_dict(),
        "units": {"position": "m", "rotation": "-", "residual": "-", "size": "m"},
    }
    write_plot(plot, (found, near), overwrite)
    write_json(json, data, overwrite)
    print(f"{mechanism.name}: every joint closed to {found.residual:.1e} of the machine's size ({found.size:.3g} m)")
    table(("coordinate", "value", "unit", ""), coordinates)
    print()
    table(("body", *BODY), bodies)
    print(f"\n{near}")


def schema(
    output: Annotated[
        Path | None,
        typer.Option(
            *("-o", "--output"),
            metavar="FILE",
            callback=place_of(stream=True),
            help="write to a file instead of the screen",
        ),
    ] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Show the JSON Schema of model files, for editors that check while you type."""
    from poinsot.model.schema import json_schema

    for path in (output, json):
        if path:
            write_text(path, json_schema(), overwrite)
    if not output:
        print(json_schema(), end="")


def convert(
    model: Model,
    output: Annotated[
        Path,
        typer.Argument(callback=place_of(), help="a .toml, .xml or .mjcf (MJCF), or .urdf file; the ending decides"),
    ],
    change: Change = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a mechanism in another format; what cannot be represented is said."""
    if output.suffix not in (".toml", *_WRITERS):
        raise PoinsotError(f"{output}: the ending must be .toml, .xml, .mjcf or .urdf")
    with busy(f"converting {model}"):
        mechanism = loaded(model, change)
        if output.suffix == ".toml":
            conversion = interchange.Conversion((poinsot.save(mechanism, output, overwrite),), ())
        else:
            conversion = getattr(poinsot, _WRITERS[output.suffix])(mechanism, output, overwrite)
    write_json(json, conversion.to_dict(), overwrite)
    print(conversion)
