"""Commands about what can be identified: `poinsot base | determinable`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

import poinsot
from poinsot.app.console import busy
from poinsot.app.options import Json, Model, Motion, Overwrite
from poinsot.app.output import write_json
from poinsot.app.tables import names_in, read_motion
from poinsot.errors import PoinsotError

Names = Annotated[str | None, typer.Option(metavar="A,B,…", help="names or patterns, with commas between them")]


def base(
    model: Model,
    eliminate: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="parameters to express by others, the most wanted first")
    ] = None,
    channels: Names = None,
    parameters: Names = None,
    latex: Annotated[bool, typer.Option("--latex", help="write the combinations in symbols as LaTeX")] = False,
    numbers: Annotated[bool, typer.Option("--numbers", help="leave out the symbols, which can take minutes")] = False,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Base parameters: which combinations of parameters measurements can determine."""
    with busy("base parameters in numbers"):
        found = poinsot.base_parameters(
            poinsot.load(model),
            channels=names_in(channels),
            eliminate=names_in(eliminate),
            parameters=names_in(parameters),
        )
    write_json(json, found.to_dict(), overwrite)
    if latex:
        print(_symbols(found).latex())
        return
    print(found)
    if numbers:
        return
    try:
        print(f"\nin symbols:\n{_symbols(found).text()}")
    except PoinsotError as error:  # a mechanism or an installation without them gets a note, not an error
        print(f"note: no symbols: {error}", file=sys.stderr)


def determinable(
    model: Model,
    motion: Motion,
    channels: Names = None,
    parameters: Names = None,
    noise: Annotated[float | None, typer.Option(help="standard deviation of a sample, in N or N·m")] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Which parameters a measurement along a motion determines, how well, and what it determines instead."""
    t, signals = read_motion(motion)
    with busy("what the measurement determines"):
        found = poinsot.determinable(
            poinsot.load(model), signals, t, names_in(channels), parameters=names_in(parameters), noise=noise
        )
    print(found)
    write_json(json, found.to_dict(), overwrite)


def _symbols(found) -> Any:
    with busy("base parameters in symbols") as tell:
        return found.in_symbols(progress=lambda what, done: tell(f"base parameters in symbols: {what} {done:.0%}"))
