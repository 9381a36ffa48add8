"""`poinsot reproduce`: every number that the papers publish, ours, and a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated

import typer

from poinsot.app.console import busy
from poinsot.app.options import Json, Overwrite
from poinsot.app.output import table, write_json
from poinsot.app.reproduce.rows import Agreement, PublishedNumber
from poinsot.errors import PoinsotError, unknown


def _rows(paper: str) -> Iterator[PublishedNumber]:
    """The numbers of one paper; its equations are loaded only here, so that other commands start soon."""
    from poinsot.app.reproduce import four_bar, frequencies, hexapod, navaro, stewart

    modules = {m.__name__.rpartition(".")[2]: m for m in (four_bar, frequencies, hexapod, navaro, stewart)}
    return modules[paper.replace("-", "_")].rows()


PAPERS: Mapping[str, Callable[[], Iterator[PublishedNumber]]] = {
    name: partial(_rows, name) for name in ("stewart", "frequencies", "hexapod", "four-bar", "navaro")
}
COLUMNS = ("paper", "quantity", "published", "ours", "unit", "verdict", "reason")


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"{', '.join(PAPERS)}, or all")] = "all",
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Reproduce the published numbers of the five papers; exits with 1 if one disagrees without a reason."""
    if paper not in (*PAPERS, "all"):
        raise PoinsotError(unknown("paper", paper, [*PAPERS, "all"]))
    rows: list[PublishedNumber] = []
    with busy("reproduction") as say:
        for name in PAPERS if paper == "all" else [paper]:
            for row in PAPERS[name]():
                rows.append(row)
                say(f"reproduction: {name}, {row.quantity}")
    table(COLUMNS, [(r.paper, r.quantity, r.printed, _shown(r), r.unit, r.verdict, r.reason) for r in rows])
    counts = Counter(row.verdict for row in rows)
    print(f"{len(rows)} numbers: " + ", ".join(f"{counts[v]} {v}" for v in Agreement if counts[v]))
    write_json(json, [row.to_dict() for row in rows], overwrite)
    if counts[Agreement.DISAGREES]:
        raise typer.Exit(1)


def _shown(row: PublishedNumber) -> str:
    if row.ours is None:
        return "undetermined"
    return row.ours if isinstance(row.ours, str) else f"{row.ours:.6g}"
