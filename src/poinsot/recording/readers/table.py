"""Table: the columns of a file as they stand there, before anything is known about a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from poinsot.recording.finding import Finding
from poinsot.recording.recording import Axis

__all__ = ["Table", "averaged"]


@dataclass(frozen=True, eq=False)
class Table:
    """k columns of n samples as a file has them."""

    names: tuple[str, ...]  # k, unique
    units: tuple[str, ...]  # k as written, "" where nobody says
    columns: tuple[np.ndarray, ...]  # k of (n,), real, or complex over frequency
    format: str  # of the reader, such as "csv"
    abscissa: np.ndarray | None = None  # (n,) if the file has it apart from its columns  [s or Hz]
    axis: Axis = Axis.TIME
    rate: float | None = None  # that the header gives  [Hz]
    epoch: float = 0.0  # what the abscissa counts from, since 1970  [s]
    kinds: tuple[str, ...] = ()  # k, where the file says what it measured
    places: tuple[str, ...] = ()  # k, where the file says at which point
    constants: Mapping[str, Any] = field(default_factory=dict)  # single numbers and texts
    findings: tuple[Finding, ...] = ()


def averaged(table: Table, every: int) -> Table:
    """Means of `every` rows; rows at the end that are fewer are left out.

    >>> t = Table(("x",), ("",), (np.array([1.0, 3.0, 4.0]),), "csv")
    >>> averaged(t, 2).columns[0].tolist()
    [2.0]
    """

    def mean(x: np.ndarray) -> np.ndarray:
        return x[: len(x) // every * every].reshape(-1, every).mean(axis=1)

    return replace(
        table,
        columns=tuple(mean(column) for column in table.columns),
        abscissa=None if table.abscissa is None else mean(table.abscissa),
        rate=None if table.rate is None else table.rate / every,
    )
