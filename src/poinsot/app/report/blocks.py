"""What sections are made of. They hold plain text: the template alone writes HTML, and escapes all of it."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

DIGITS = 8  # of numbers in plots


class Tone(StrEnum):
    """How a text is meant."""

    PLAIN = "plain"
    LEAD = "lead"
    GOOD = "good"
    DOUBT = "doubt"
    BAD = "bad"
    NOTE = "note"
    CODE = "code"


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str
    tone: Tone = Tone.PLAIN
    kind: str = "words"


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    items: Sequence[str]
    kind: str = "points"


@dataclass(frozen=True)
class Badge:
    """A word in a cell that is also a colour."""

    text: str
    tone: Tone

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class ReportTable:
    """A table: the first column names its rows."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]  # texts and badges
    words: Sequence[int] = ()  # columns that hold words; all others hold numbers
    kind: str = "grid"


@dataclass(frozen=True)
class Column:
    """Rows of a column of a plot's data, in place of an array in a trace."""

    head: str
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True, eq=False)
class ReportPlot:
    """A plot, which shows its columns and nothing else: the same columns are its CSV file.

    Colours are "@measured", "@predicted", "@residual", "@held-out", "@quiet" or "@1" … "@7": the page has them for
    light and dark.
    """

    name: str  # of its CSV file
    title: str
    alt: str  # what is seen, in words
    columns: Mapping[str, Sequence[Any] | np.ndarray]  # by heading with unit
    traces: Sequence[Mapping[str, Any]]  # of plotly, with `Column` for arrays
    layout: Mapping[str, Any] = field(default_factory=dict)
    height: int = 320  # [px]
    kind: str = "drawing"

    def data(self) -> dict[str, Any]:
        """For the page's script."""
        heads = list(self.columns)
        return {
            "name": self.name,
            "heads": heads,
            "columns": [[_plain(x) for x in values] for values in self.columns.values()],
            "traces": _resolved(self.traces, heads),
            "layout": _resolved(self.layout, heads),
        }


@dataclass(frozen=True)
class ReportScene:
    """A page of its own inside this one, opened when asked for; before that, and on paper, a picture."""

    title: str
    alt: str
    html: str
    picture: bytes  # PNG with a clear background
    kind: str = "scene"

    @property
    def source(self) -> str:
        """Address of the picture, which holds the picture itself."""
        return f"data:image/png;base64,{base64.b64encode(self.picture).decode()}"


@dataclass(frozen=True)
class Folded:
    """Blocks behind a line that opens them."""

    title: str
    blocks: Sequence[Any]
    kind: str = "folded"


@dataclass(frozen=True)
class ReportSection:
    """A part of the page."""

    name: str  # of the link to it
    title: str
    blocks: Sequence[Any]


def _plain(x: Any) -> Any:
    """A cell as JSON has it: texts, numbers in as many digits as are drawn, null for what is not finite."""
    if isinstance(x, str) or x is None:
        return x
    value = float(x)
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def _resolved(value: Any, heads: list[str]) -> Any:
    """Traces with references to columns by number."""
    if isinstance(value, Column):
        return {"$": heads.index(value.head), "from": value.start, "to": value.stop}
    if isinstance(value, Mapping):
        return {key: _resolved(x, heads) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [_resolved(x, heads) for x in value]
    return value
