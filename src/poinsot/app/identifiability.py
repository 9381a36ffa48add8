"""Commands about what can be identified: `poinsot base | determinable | regressor`."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import poinsot
from poinsot.app.console import busy, limited
from poinsot.app.guide import names
from poinsot.app.options import Change, Json, Model, Motion, Overwrite, Plot, in_unit, place_of
from poinsot.app.output import table, write_bytes, write_json, write_plot
from poinsot.app.tables import assigned, channels_in, loaded, names_in, read_motion, write_table
from poinsot.errors import PoinsotError

Names = Annotated[str | None, typer.Option(metavar="A,B,…", help="names or patterns, with commas between them")]
TEXTS = ("channels", "channel_units", "columns", "units")  # of a regressor
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", callback=place_of(), help="write it: .csv or .npz"),
]
Channels = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,…",
        help="what is measured: names or patterns, with commas between them; by default the actuators' forces",
        autocompletion=names.of_model(lambda mechanism: mechanism.actuators),
    ),
]


def base(
    model: Model,
    eliminate: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="parameters to express by others, the most wanted first")
    ] = None,
    channels: Channels = None,
    parameters: Names = None,
    change: Change = None,
    latex: Annotated[bool, typer.Option("--latex", help="write the combinations in symbols as LaTeX")] = False,
    numbers: Annotated[bool, typer.Option("--numbers", help="leave out the symbols, which can take minutes")] = False,
    within: Annotated[
        float,
        typer.Option(
            "--within", metavar="TIME", parser=in_unit("s", "--within"), help="how long the symbols may take"
        ),
    ] = 120.0,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Base parameters: which combinations of parameters measurements can determine."""
    with busy("base parameters in numbers"):
        mechanism = loaded(model, change)
        found = poinsot.base_parameters(
            mechanism,
            channels=channels_in(mechanism, channels),
            eliminate=names_in(eliminate),
            parameters=names_in(parameters),
        )
    write_plot(plot, found, overwrite)
    write_json(json, found.to_dict(), overwrite)
    if latex:
        print(_symbols(found, within).latex())
        return
    print(found, flush=True)
    if numbers:
        return
    try:
        print(f"\nin symbols:\n{_symbols(found, within).text()}")
    except PoinsotError as error:  # a mechanism or an installation without them gets a note, not an error
        print(f"note: no symbols: {error}", file=sys.stderr)


def determinable(
    model: Model,
    motion: Motion,
    channels: Channels = None,
    parameters: Names = None,
    change: Change = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE",
            help="standard deviation of a sample [SI unit of its channel, or with a unit], for all or by channel, "
            "NAME=VALUE,…; by default that of the model's sensors",
        ),
    ] = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Which parameters a measurement along a motion determines, how well, and what it determines instead."""
    mechanism = loaded(model, change)
    t, signals = read_motion(motion, mechanism)
    with busy("what the measurement determines"):
        wanted = channels_in(mechanism, channels)
        spread = None if noise is None else dict(assigned([noise], "a noise")) if "=" in noise else noise
        found = poinsot.determinable(mechanism, signals, t, wanted, parameters=names_in(parameters), noise=spread)
    write_plot(plot, found, overwrite)
    write_json(json, found.to_dict(), overwrite)
    print(found)


def regressor(
    model: Model,
    motion: Motion,
    channels: Channels = None,
    parameters: Names = None,
    change: Change = None,
    out: Out = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """The regressor along a motion: channels = matrix · parameters + rhs.

    Rows are samples in the order of time, all channels of the first sample first; columns are the linear parameters,
    whose values in the model are in the output too. What is not a column is known, and in rhs.
    """
    if out is not None and out.suffix not in (".csv", ".npz"):
        raise PoinsotError(f"{out}: the ending must be .csv or .npz")
    mechanism = loaded(model, change)
    t, signals = read_motion(motion, mechanism)
    with busy(f"regressor of {model}"):
        found = poinsot.regressor(
            mechanism, signals, t, channels_in(mechanism, channels), parameters=names_in(parameters)
        )
    if out is not None and out.suffix == ".csv":
        c = len(found.channels)
        rows = {"t [s]": found.t.repeat(c), "channel": [*found.channels] * len(found.t)}
        rows |= {name: found.matrix[:, k] for k, name in enumerate(found.columns)} | {"rhs": found.rhs}
        write_table(out, rows, overwrite)
    elif out is not None:
        write_bytes(out, _as_npz(found), overwrite)
    write_plot(plot, found, overwrite)
    write_json(json, found.to_dict(), overwrite)
    print(found)
    print("rows: samples in the order of time, for each of them " + ", ".join(found.channels))
    columns = list(zip(found.columns, found.parameters.tolist(), found.units))
    table(("column", "value", "unit"), columns)


def _as_npz(found: Any) -> bytes:
    import numpy as np

    out = io.BytesIO()
    texts: dict[str, Any] = {name: np.array(getattr(found, name)) for name in TEXTS}
    np.savez(out, t=found.t, matrix=found.matrix, rhs=found.rhs, parameters=found.parameters, **texts)
    return out.getvalue()


def _symbols(found: poinsot.BaseParameters, seconds: float) -> Any:
    late = f"they take longer than {seconds:g} s; --within gives them more, --numbers leaves them out"
    with limited(seconds, late), busy("base parameters in symbols") as tell:
        return found.in_symbols(progress=lambda what, done: tell(f"base parameters in symbols: {what} {done:.0%}"))
