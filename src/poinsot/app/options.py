"""Arguments and options that several commands have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from poinsot.app.console import OnlyData
from poinsot.app.guide import names
from poinsot.app.output import require_picture
from poinsot.errors import PoinsotError
from poinsot.model.quantities.parameters import as_value
from poinsot.store.files import check_place
from poinsot.store.folder import check_folder

STANDARD_OUTPUT = "-"
PLACES = "poinsot.places"  # of results that a call has named so far, in the memory of its context
Check = Callable[[Path, bool], Any]  # of a place, and whether what stands there may be replaced


def place_of(check: Check = check_place, *, stream: bool = False) -> Callable[..., Path | None]:
    """What reads the place of a result: it is refused before the work if nothing can be written there.

    `stream` allows for "-", the standard output, and keeps everything else away from it.
    """

    def read(ctx: typer.Context, param: typer.CallbackParam, path: Path | None) -> Path | None:
        if path is None or ctx.resilient_parsing:
            return path
        if stream and str(path) == STANDARD_OUTPUT:
            _reserve_output()
            return path
        check(path, bool(ctx.params.get("overwrite")))
        name = param.opts[-1]
        other = ctx.meta.setdefault(PLACES, {}).setdefault(path.absolute(), name)
        if other != name:
            raise PoinsotError(f"{path}: {other} and {name} cannot write the same file")
        return path

    return read


def _reserve_output() -> None:
    if isinstance(sys.stdout, OnlyData):
        raise PoinsotError("the standard output takes one of --json - and --csv -")
    sys.stdout = OnlyData(sys.stdout)


def folder_of(sign: str) -> Callable[..., Path | None]:
    """What reads the folder of a result, which a file of that name shows to be one of its kind."""
    return place_of(lambda folder, overwrite: check_folder(folder, sign, overwrite))


def in_unit(unit: str, option: str, positive: bool = True) -> Callable[[Any], float]:
    """What reads a number, or a quantity such as "200 ms": finite, and positive unless told otherwise."""

    def read(value: Any) -> float:
        number: float | None = None
        with suppress(ValueError):
            number = float(value)
        if number is None:
            number = as_value(value, unit, option)
        if not isfinite(number) or (number <= 0 if positive else number < 0):
            least = "positive" if positive else "finite, not negative"
            raise PoinsotError(f"{option}: expected a {least} number or quantity in {unit}, got '{value}'")
        return number

    return read


Duration = Annotated[
    float,
    typer.Option("--t-end", metavar="TIME", parser=in_unit("s", "--t-end"), help="duration [s or with a unit]"),
]
Rate = Annotated[
    float,
    typer.Option(
        "--rate", metavar="RATE", parser=in_unit("Hz", "--rate"), help="samples per second [Hz or with a unit]"
    ),
]
Model = Annotated[
    str,
    typer.Argument(
        help="a name from the library (see `poinsot models`) or a model file", autocompletion=names.models
    ),
]
Motion = Annotated[
    Path,
    typer.Argument(
        help="a CSV file: t [s], then a column for every prescribed coordinate", autocompletion=names.tables
    ),
]
Json = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        callback=place_of(stream=True),
        help="write the result as JSON; - for the standard output",
    ),
]
Csv = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        callback=place_of(stream=True),
        help="write the signals as CSV; - for the standard output",
    ),
]
Overwrite = Annotated[bool, typer.Option("--force", "--overwrite", is_eager=True, help="replace files that exist")]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE", callback=place_of(require_picture), help="draw the result: .png, .svg or .pdf"
    ),
]
Pose = Annotated[
    list[str] | None,
    typer.Option(
        "--pose",
        metavar="NAME=VALUE,…",
        help="coordinates [m, rad or with a unit]",
        autocompletion=names.of_model(lambda mechanism: mechanism.coordinates.known, "="),
    ),
]
Change = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE,…",
        help="parameters of the model, with or without units",
        autocompletion=names.of_model(lambda mechanism: mechanism.parameters, "="),
    ),
]
Actuators = Annotated[
    list[str] | None,
    typer.Option(
        "--actuator",
        metavar="NAME=VALUE",
        help="constant force of an actuator [N, N·m or with a unit]",
        autocompletion=names.of_model(lambda mechanism: mechanism.actuators, "="),
    ),
]
