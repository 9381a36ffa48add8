"""`poinsot reproduce`: every number that the papers publish, ours, and a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from poinsot.app.console import busy
from poinsot.app.options import Json, Overwrite
from poinsot.app.output import require_picture, table, write_bytes, write_json
from poinsot.app.reproduce.rows import Agreement, PublishedNumber
from poinsot.errors import PoinsotError, counted, unknown
from poinsot.results import Panel
from poinsot.results.drawing import picture


def _rows(paper: str) -> Iterator[PublishedNumber]:
    """The numbers of one paper; its equations are loaded only here, so that other commands start soon."""
    from poinsot.app.reproduce import four_bar, frequencies, hexapod, navaro, stewart

    modules = {m.__name__.rpartition(".")[2]: m for m in (four_bar, frequencies, hexapod, navaro, stewart)}
    return modules[paper.replace("-", "_")].rows()


def figures(paper: str) -> Mapping[str, Callable[[], Sequence[Panel]]]:
    """What the figures of one paper show, by name; loaded only here."""
    from poinsot.app.reproduce.figures import four_bar, frequencies, hexapod, navaro, stewart

    modules = {m.__name__.rpartition(".")[2]: m for m in (four_bar, frequencies, hexapod, navaro, stewart)}
    return modules[paper.replace("-", "_")].FIGURES


PAPERS: Mapping[str, Callable[[], Iterator[PublishedNumber]]] = {
    name: partial(_rows, name) for name in ("stewart", "frequencies", "hexapod", "four-bar", "navaro")
}
COLUMNS = ("paper", "quantity", "published", "ours", "unit", "verdict", "reason")


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"{', '.join(PAPERS)}, or all")] = "all",
    json: Json = None,
    overwrite: Overwrite = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="DIR", help="draw the papers' figures into a folder, as PNG")
    ] = None,
) -> None:
    """Reproduce the published numbers of the five papers; exits with 1 if one disagrees without a reason."""
    if paper not in (*PAPERS, "all"):
        raise PoinsotError(unknown("paper", paper, [*PAPERS, "all"]))
    papers = [*PAPERS] if paper == "all" else [paper]
    pictures = _places(plot, papers, overwrite)
    rows: list[PublishedNumber] = []
    with busy("reproduction") as say:
        for name in papers:
            for row in PAPERS[name]():
                rows.append(row)
                say(f"reproduction: {name}, {row.quantity}")
    write_json(json, [row.to_dict() for row in rows], overwrite)
    with busy("figures") as say:
        for path, panels in pictures.items():
            say(f"figures: {path.name}")
            write_bytes(path, picture(panels(), "png"), overwrite)
    table(COLUMNS, [(r.paper, r.quantity, r.printed, _shown(r), r.unit, r.verdict, r.reason) for r in rows])
    counts = Counter(row.verdict for row in rows)
    print(f"{counted(len(rows), 'number')}: " + ", ".join(f"{counts[v]} {v}" for v in Agreement if counts[v]))
    if plot is not None:
        print(f"{counted(len(pictures), 'figure')} in {plot}")
    if counts[Agreement.DISAGREES]:
        raise typer.Exit(1)


def _places(folder: Path | None, papers: Sequence[str], overwrite: bool) -> dict[Path, Callable[[], Sequence[Panel]]]:
    """Files of the figures, named by paper and figure, with what they show; asked before the work if they may be."""
    if folder is None:
        return {}
    found = {folder / f"{p}-{figure}.png": made for p in papers for figure, made in figures(p).items()}
    folder.mkdir(parents=True, exist_ok=True)
    for path in found:
        require_picture(path, overwrite)
    return found


def _shown(row: PublishedNumber) -> str:
    if row.ours is None:
        return "undetermined"
    return row.ours if isinstance(row.ours, str) else f"{row.ours:.6g}"
