"""Arguments and options that several commands have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from poinsot.app.console import OnlyData
from poinsot.app.guide import names
from poinsot.app.output import require_picture
from poinsot.errors import PoinsotError
from poinsot.model.quantities.parameters import as_value

STANDARD_OUTPUT = "-"


def _reserved(ctx: typer.Context, path: Path | None) -> Path | None:
    """Where data goes; "-" keeps everything else away from the standard output."""
    if path is not None and str(path) == STANDARD_OUTPUT and not ctx.resilient_parsing:
        if isinstance(sys.stdout, OnlyData):
            raise PoinsotError("the standard output takes one of --json - and --csv -")
        sys.stdout = OnlyData(sys.stdout)
    return path


def _drawable(ctx: typer.Context, path: Path | None) -> Path | None:
    """The file of a plot: asked before the work whether it can be drawn and written."""
    if path is not None and not ctx.resilient_parsing:
        require_picture(path, bool(ctx.params.get("overwrite")))
    return path


def in_unit(unit: str, what: str) -> Callable[[Any], float]:
    """What reads an option: a number, or a quantity such as "200 ms"."""

    def read(value: Any) -> float:
        with suppress(ValueError):
            return float(value)  # what is not finite is refused with the sentence of what it is for
        try:
            return as_value(value, unit, what)
        except PoinsotError as error:
            raise typer.BadParameter(str(error)) from None

    return read


Duration = Annotated[
    float,
    typer.Option("--t-end", metavar="TIME", parser=in_unit("s", "the duration"), help="duration [s or with a unit]"),
]
Rate = Annotated[
    float,
    typer.Option(metavar="RATE", parser=in_unit("Hz", "the rate"), help="samples per second [Hz or with a unit]"),
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
        "--json", metavar="FILE", callback=_reserved, help="write the result as JSON; - for the standard output"
    ),
]
Csv = Annotated[
    Path | None,
    typer.Option(
        "--csv", metavar="FILE", callback=_reserved, help="write the signals as CSV; - for the standard output"
    ),
]
Overwrite = Annotated[bool, typer.Option("--force", "--overwrite", is_eager=True, help="replace files that exist")]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", callback=_drawable, help="draw the result: .png, .svg or .pdf"),
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
