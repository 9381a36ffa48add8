"""What a plot shows, as data: a panel is one pair of axes with its labels, which carry units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROW_UNITS = {"t": "s", "tau": "s", "frequency": "Hz"}  # of what results are over
VERDICTS = ("determined", "poorly determined", "undetermined")  # drawn in colours and markers of their own


def with_unit(label: str, unit: str) -> str:
    """A label with its unit, if there is one.

    >>> with_unit("force", "N")
    'force [N]'
    """
    return f"{label} [{unit}]" if unit else label


@dataclass(frozen=True, eq=False)
class Curve:
    """One line, or points: y over x (n,)."""

    name: str
    x: Any  # (n,)
    y: Any  # (n,)
    error: Any = None  # standard error (n,): a band about a line, bars at points
    style: str = "line"  # or "dashed", "points", "crosses", "faint"


@dataclass(frozen=True, eq=False, kw_only=True)
class Panel:
    """One pair of axes."""

    title: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class LinePanel(Panel):
    """Curves over one abscissa."""

    x: str  # label with unit
    y: str  # label with unit
    curves: tuple[Curve, ...]
    log: str = ""  # "x", "y" or "xy"
    marks: Mapping[str, float] = field(default_factory=dict)  # vertical lines by name
    levels: Mapping[str, float] = field(default_factory=dict)  # horizontal lines by name
    shaded: tuple[tuple[float, float], ...] = ()  # spans of x that something was found in
    square: bool = False  # one scale for both axes


@dataclass(frozen=True, eq=False, kw_only=True)
class BarPanel(Panel):
    """Numbers by name, from top to bottom; several series stand beside each other or, as shares, on each other."""

    names: tuple[str, ...]  # k
    x: str  # label with unit
    series: Mapping[str, Any]  # (k,) by name
    errors: Mapping[str, Any] = field(default_factory=dict)  # standard errors (k,) by series
    verdicts: tuple[str, ...] = ()  # k of `VERDICTS`, or none
    stacked: bool = False
    points: bool = False  # instead of bars
    log: bool = False
    levels: Mapping[str, float] = field(default_factory=dict)  # vertical lines by name


@dataclass(frozen=True, eq=False, kw_only=True)
class FieldPanel(Panel):
    """Numbers (n, m) over two abscissae: x along the rows, y along the columns; names, or places."""

    x: str
    y: str
    across: Any  # (n,) numbers or names
    upwards: Any  # (m,)
    values: Any  # (n, m)
    label: str  # of the values, with unit
    signed: bool = False  # colours on both sides of zero
    log: bool = False  # colours of the logarithm
    limit: float | None = None  # of the colours, where it is known
    points: tuple[Curve, ...] = ()  # drawn above it


@dataclass(frozen=True, eq=False, kw_only=True)
class TextPanel(Panel):
    """Sentences."""

    lines: tuple[str, ...]


def trace_panels(
    rows: Mapping[str, np.ndarray], columns: Mapping[str, Mapping[str, tuple[np.ndarray, str]]]
) -> tuple[Panel, ...]:
    """A panel for all columns of one unit: lines over what the rows are, bars by name where there is one row.

    `columns` by the words for them are those of a table: values (n,) and units by label.
    """
    found: list[Panel] = []
    index = {name: np.ravel(values) for name, values in rows.items()}
    for words, table in columns.items():
        by_unit: dict[str, dict[str, np.ndarray]] = {}
        for label, (values, unit) in table.items():
            by_unit.setdefault(unit, {})[label] = values
        found += [_traced(words, unit, index, group) for unit, group in by_unit.items()]
    return tuple(found)


def _traced(words: str, unit: str, index: Mapping[str, np.ndarray], group: Mapping[str, np.ndarray]) -> Panel:
    label = with_unit(next(iter(group)) if len(group) == 1 else words, unit)
    if not index:
        names = tuple(group)
        return BarPanel(names=names, x=label, series={words: np.array([group[name][0] for name in names])})
    *outer, (over, places) = index.items()
    if places.dtype.kind not in "fiu":
        return BarPanel(names=tuple(map(str, places)), x=label, series=group)
    x = with_unit(over, ROW_UNITS.get(over, ""))
    if not outer:
        return LinePanel(x=x, y=label, curves=tuple(Curve(name, places, y) for name, y in group.items()))
    batch = outer[0][1]
    curves = [
        Curve(f"{name}, {outer[0][0]} {member}", places[batch == member], y[batch == member])
        for name, y in group.items()
        for member in np.unique(batch)
    ]
    return LinePanel(x=x, y=label, curves=tuple(curves))
