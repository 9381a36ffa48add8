"""What commands print and write."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.app.console import write_data
from poinsot.errors import PoinsotError, listing
from poinsot.model.quantities.expressions import text
from poinsot.model.quantities.parameters import Parameters
from poinsot.model.toml import check_place, write_aside
from poinsot.results import Result
from poinsot.results.drawing import FORMATS, picture, require_matplotlib
from poinsot.spatial.rotation import quaternion_from_matrix

QUATERNION = ("qw", "qx", "qy", "qz")
MATRIX = tuple(f"R{i}{j}" for i in "123" for j in "123")
OUT_OF_PLANE = tuple(["z", "qx", "qy", "vz", "wx", "wy", "az", "alphax", "alphay", "fz", "tx", "ty"])


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; columns of numbers are aligned at the right, and folded where they do not fit."""
    rows = [list(row) for row in rows]
    numeric = [all(isinstance(row[i], int | float) or row[i] is None for row in rows) for i in range(len(columns))]
    cells = [list(columns), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    terminal = sys.stdout is not None and sys.stdout.isatty()
    room = shutil.get_terminal_size().columns if terminal else 160
    if sum(widths) + 2 * (len(widths) - 1) > room or not all(cell.isascii() for row in cells for cell in row):
        return _folded(cells, numeric, None if terminal else room)
    lines = ["  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric)) for row in cells]
    bold = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    print(f"\033[1m{lines[0]}\033[0m" if bold else lines[0], *lines[1:], sep="\n")


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
    return f"{value + 0.0:.8g}" if isinstance(value, float) else str(value)  # -0.0 is 0


def signals(result: Any) -> dict[str, tuple[np.ndarray, str]]:
    """Columns of a result over time with their units: coordinates first, orientations as quaternions wxyz.

    What a planar mechanism does not have, motions out of its plane, is left out.
    """
    columns = result.to_columns()
    for body, R in getattr(result, "rotation", {}).items():
        columns |= {f"{body}.{part}": (x + 0.0, "-") for part, x in zip(QUATERNION, quaternion_from_matrix(R).T)}
        columns = {name: column for name, column in columns.items() if name not in {f"{body}.{r}" for r in MATRIX}}
    first = [name for name in columns if name.removesuffix(".rate") in result.mechanism.coordinates]
    out_of_plane = OUT_OF_PLANE if result.mechanism.planar else ()
    ordered = {name: columns[name] for name in (*first, *columns)}
    return {"t": (result.t, "s")} | {
        name: column
        for name, column in ordered.items()
        if name in first or name.rpartition(".")[2] not in out_of_plane
    }


def headed(columns: Mapping[str, tuple[np.ndarray, str]]) -> dict[str, np.ndarray]:
    """The same by headers such as "theta1 [rad]", which `poinsot read` understands."""
    return {f"{name} [{unit}]" if unit else name: values for name, (values, unit) in columns.items()}


def whole(result: Any) -> dict[str, Any]:
    """All data of a result for JSON, with the units of its signals."""
    return result.to_dict() | {"units": {name: unit for name, (_, unit) in signals(result).items()}}


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
    """Write a file aside and rename it, or the standard output for "-"; what exists is kept unless told otherwise."""
    if str(path) == "-":
        write_data(content)
    else:
        check_place(path, overwrite)
        write_aside(path, content)


def write_bytes(path: Path, content: bytes, overwrite: bool) -> None:
    """The same for what is no text."""
    check_place(path, overwrite)
    write_aside(path, content)


def require_picture(path: Path, overwrite: bool) -> None:
    """That a plot can be drawn and written there, told before the work."""
    if path.suffix.lower().removeprefix(".") not in FORMATS:
        raise PoinsotError(f"{path}: the ending of a plot must be {listing([f'.{form}' for form in FORMATS])}")
    require_matplotlib()
    check_place(path, overwrite)


def require_page(path: Path, overwrite: bool) -> None:
    """That a page can be written there, told before the work."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise PoinsotError(f"{path}: the ending of a page must be .html; browsers print it to PDF")
    check_place(path, overwrite)


def require_png(path: Path, overwrite: bool) -> None:
    """That a picture in space can be written there, told before the work."""
    if path.suffix.lower() != ".png":
        raise PoinsotError(f"{path}: the ending of a picture must be .png; --html writes a page that can be turned")
    check_place(path, overwrite)


def write_plot(path: Path | None, results: Result | Sequence[Result], overwrite: bool) -> None:
    """Draw a result, or several below each other, into a file, if one is asked for; the ending says what kind."""
    if path is not None:
        results = [results] if isinstance(results, Result) else results
        panels = [panel for result in results for panel in result.panels()]
        write_bytes(path, picture(panels, path.suffix.lower().removeprefix(".")), overwrite)


def write_json(path: Path | None, data: Any, overwrite: bool) -> None:
    """Write data as JSON, if a file is asked for."""
    if path:
        write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n", overwrite)
