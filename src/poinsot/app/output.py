"""What commands print and write."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from poinsot.errors import PoinsotError
from poinsot.model.check import Report
from poinsot.model.expressions import text
from poinsot.model.parameters import Parameters
from poinsot.model.toml import write_aside

__all__ = ["parameter_rows", "report_data", "table", "write_json", "write_text"]


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; columns of numbers are aligned at the right."""
    from rich.console import Console
    from rich.table import Table

    rows = [list(row) for row in rows]
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        numeric = all(isinstance(row[i], int | float) or row[i] is None for row in rows)
        shown.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(_cell(value) for value in row))
    width = None if sys.stdout.isatty() else 160
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


def report_data(report: Report) -> dict[str, Any]:
    """A check report as JSON data."""
    return {**asdict(report), "ok": report.ok}


def write_text(path: Path, content: str, overwrite: bool) -> None:
    """Write a file aside and rename it; an existing one is kept unless told otherwise."""
    if path.exists() and not overwrite:
        raise PoinsotError(f"{path}: exists already; choose another name or add --overwrite")
    write_aside(path, content)


def write_json(path: Path, data: Any, overwrite: bool) -> None:
    """Write data as JSON."""
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n", overwrite)
