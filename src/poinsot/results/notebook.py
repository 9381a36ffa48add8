"""A result as a page of a notebook: its text, the first rows of its table, and its plot where Matplotlib is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.results.drawing import picture
from poinsot.results.panels import ROW_UNITS, Panel, with_unit

LINES, ROWS, COLUMNS = 30, 5, 8  # that are shown
FITTING = '<svg style="max-width:100%;height:auto"'  # a wide picture shrinks with its page


def page(
    text: str,
    index: Mapping[str, np.ndarray],
    columns: Mapping[str, tuple[np.ndarray, str]],
    panels: Callable[[], Sequence[Panel]],
) -> str:
    """HTML of a result's text, its table and its panels, everything in it escaped."""
    parts = [f"<pre>{escape(shortened(text))}</pre>", _table(index, columns), _drawn(panels)]
    return f"<div>{''.join(parts)}</div>"


def shortened(text: str) -> str:
    """The first lines of a text."""
    lines = text.splitlines()
    more = [f"… {len(lines) - LINES} more lines"] if len(lines) > LINES else []
    return "\n".join([*lines[:LINES], *more])


def _table(index: Mapping[str, np.ndarray], columns: Mapping[str, tuple[np.ndarray, str]]) -> str:
    if not columns:
        return ""
    columns = {
        name: column
        for name, column in columns.items()
        if not any(len(x) == len(column[0]) and all(x == column[0]) for x in index.values())
    }
    shown = dict(list(columns.items())[:COLUMNS])
    n = len(next(iter(columns.values()))[0])
    over = [with_unit(name, ROW_UNITS.get(name, "")) for name in index]
    heads = [*over, *(with_unit(name, unit) for name, (_, unit) in shown.items())]
    body = zip(*(x[:ROWS] for x in index.values()), *(values[:ROWS] for values, _ in shown.values()))
    rows = "".join(f"<tr>{''.join(f'<td>{escape(_cell(x))}</td>' for x in row)}</tr>" for row in body)
    left = f"{min(ROWS, n)} of {n} rows, {len(shown)} of {len(columns)} columns"
    said = f"<p>{left}</p>" if n > ROWS or len(columns) > len(shown) else ""
    head = "".join(f"<th>{escape(str(h))}</th>" for h in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{said}"


def _cell(x: Any) -> str:
    if isinstance(x, float | np.floating):
        return f"{x:.6g}" if np.isfinite(x) else "–"
    return ", ".join(map(str, x)) if isinstance(x, tuple | list) else str(x)


def _drawn(panels: Callable[[], Sequence[Panel]]) -> str:
    """The plot as SVG; nothing without Matplotlib, or where there is nothing to draw."""
    try:
        svg = picture(panels(), "svg").decode()
    except PoinsotError:
        return ""
    return re.sub(r"^.*?<svg", FITTING, svg, count=1, flags=re.S)
