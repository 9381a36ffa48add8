"""Command about experiments: `poinsot design`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import poinsot
from poinsot.app.console import busy, resumed
from poinsot.app.options import Json, Overwrite, Plot, folder_of
from poinsot.app.output import write_json, write_plot
from poinsot.parallel.cluster import require_distributed

Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", callback=folder_of("design.json"), help="write the result to a folder"),
]


def design(
    study: Annotated[Path, typer.Argument(help="a file of a design (TOML), or the name of one in the library")],
    out: Out = None,
    dask: Annotated[
        str | None, typer.Option("--dask", metavar="ADDRESS", help="a scheduler, tcp://…, or local")
    ] = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Design an experiment: where to measure or how to move, what it will tell, and which limits bind."""
    require_distributed(dask)
    with busy("design"), resumed():
        found = poinsot.design(study, dask=dask)
    written = []
    try:
        if out is not None:
            written.append(f"written to {found.save(out, overwrite)}")
        write_json(json, found.to_dict(), overwrite)
        write_plot(plot, found, overwrite)
    finally:  # a disk that is full takes no more than the files
        print("\n".join([str(found), *written]))
