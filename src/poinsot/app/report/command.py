"""Command about results: `poinsot report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poinsot.app.console import busy
from poinsot.app.options import Json, Overwrite, place_of
from poinsot.app.output import require_page, write_json
from poinsot.errors import PoinsotError


def report(
    result: Annotated[
        list[Path],
        typer.Argument(help="a folder that `poinsot identify` or `poinsot design` wrote; two are compared"),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            callback=place_of(require_page),
            help="the page; by default report.html in the folder",
        ),
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="DIR", help="another result, to compare it with")
    ] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a result as one HTML page that needs no network: verdicts, estimates, fits, plots with their data, 3D."""
    results = [*result, *([against] if against is not None else [])]
    if len(results) > 2:
        raise PoinsotError("a report is about one result, or compares two")
    other = results[1] if len(results) == 2 else None
    place = out or results[0] / ("report.html" if other is None else f"against-{other.resolve().name}.html")
    if place.parent.is_dir():  # what is no result is told by whoever reads it
        require_page(place, overwrite)
    from poinsot.app.report.page import write_report

    with busy("report"):
        page = write_report(results[0], place, other, overwrite)
    write_json(json, {"file": str(place), **page.to_dict()}, overwrite)
    print(f"{place}: {len(page.sections)} sections, {len(page.html.encode()) / 1e6:.1f} MB")
