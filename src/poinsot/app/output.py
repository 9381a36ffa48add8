"""What commands print and write."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from poinsot.model.quantities.expressions import text
from poinsot.model.quantities.parameters import Parameters
from poinsot.model.toml import check_place, write_aside
from poinsot.store.folder import check_folder


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; columns of numbers are aligned at the right, and folded where they do not fit."""
    rows = [list(row) for row in rows]
    numeric = [all(isinstance(row[i], int | float) or row[i] is None for row in rows) for i in range(len(columns))]
    cells = [list(columns), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    terminal = sys.stdout.isatty()
    room = shutil.get_terminal_size().columns if terminal else 160
    if sum(widths) + 2 * (len(widths) - 1) > room or not all(cell.isascii() for row in cells for cell in row):
        return _folded(cells, numeric, None if terminal else room)
    lines = ["  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric)) for row in cells]
    print(f"\033[1m{lines[0]}\033[0m" if terminal else lines[0], *lines[1:], sep="\n")


def _folded(cells: list[list[str]], numeric: list[bool], width: int | None) -> None:
    """A table that is wider than the room for it; rich folds its columns, and takes a while to load."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for column, right in zip(cells[0], numeric):
        shown.add_column(column, justify="right" if right else "left", overflow="fold")
    for row in cells[1:]:
        shown.add_row(*row)
    Console(width=width, highlight=False, markup=False).print(shown)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def parameter_rows(parameters: Parameters) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Columns and rows of a table of parameters, the derived ones at the end."""
    columns = ("parameter", "value", "unit", "lower", "upper", "description")

    def bound(value: float) -> float | None:
        return value if math.isfinite(value) else None

    rows: list[tuple[Any, ...]] = [
        (p.name, p.value, p.unit, bound(p.lower), bound(p.upper), p.description) for p in parameters.values()
    ]
    values = parameters.values_by_name
    rows += [(name, float(values[name]), "", None, None, f"= {text(e)}") for name, e in parameters.derived.items()]
    return columns, rows


def write_text(path: Path, content: str, overwrite: bool) -> None:
    """Write a file aside and rename it; an existing one is kept unless told otherwise."""
    check_place(path, overwrite, "add --overwrite")
    write_aside(path, content)


def write_bytes(path: Path, content: bytes, overwrite: bool) -> None:
    """The same for what is no text."""
    check_place(path, overwrite, "add --overwrite")
    write_aside(path, content)


def check_outputs(path: Path | None, folder: Path | None, sign: str, overwrite: bool) -> None:
    """That a file and a folder of results, known by its file `sign`, may be written: asked before long work."""
    if path is not None:
        check_place(path, overwrite, "add --overwrite")
    if folder is not None:
        check_folder(folder, sign, overwrite)


def write_json(path: Path | None, data: Any, overwrite: bool) -> None:
    """Write data as JSON, if a file is asked for."""
    if path:
        write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n", overwrite)
