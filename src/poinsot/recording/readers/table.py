"""Table: the columns of a file as they stand there; ReadRequest: what is asked of a reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.finding import Finding
from poinsot.recording.recording import Axis

__all__ = ["ReadRequest", "Table", "averaged"]


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
    headers: tuple[str, ...] = ()  # of all columns of the file, those that are not kept too; (): the names


@dataclass(frozen=True)
class ReadRequest:
    """What a reader is asked for; by default everything."""

    wanted: Callable[[str], bool] = lambda name: True  # whether a column of this name is kept
    every: int = 1  # rows that are averaged into one
    part: int | None = None  # of a file that holds several tables, from 1

    def chosen(self, parts: int, what: str) -> int:
        """Index of the part that is read, of so many; the first by default."""
        k = 1 if self.part is None else self.part
        if k > parts:
            raise PoinsotError(f"there is no part {k}: the file has {parts} {what}")
        return k - 1


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
