"""Stamps: two columns of a table that are one time, seconds and their parts, as in messages of ROS."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.recording.columns import ColumnSpec, TimeColumn, column_index
from poinsot.recording.readers.table import Table
from poinsot.recording.units import si

__all__ = ["Stamp", "is_stamp", "stamp_of", "stamped", "stamps"]

_SECONDS = re.compile(r"(?P<of>.*?)(sec|second)s?", re.IGNORECASE)
_PARTS = re.compile(r"(?P<of>.*?)(?P<unit>nano|n|micro|u|milli|m)(sec|second)s?", re.IGNORECASE)
_PART = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "nano": 1e-9, "micro": 1e-6, "milli": 1e-3}  # [s]

FAST = 0.5  # step below which parts of a second fall whenever the second grows  [s]


@dataclass(frozen=True)
class Stamp:
    """Two columns of a table that are one time."""

    whole: int  # number of the column of seconds
    parts: int  # of their parts
    unit: float  # of these  [s]


def is_stamp(name: str) -> bool:
    """Whether a column of this name may have seconds of a time whose parts stand beside it, or these parts.

    >>> is_stamp("header.stamp.sec"), is_stamp("header.stamp.nanosec"), is_stamp("q")
    (True, True, False)
    """
    return bool(_SECONDS.fullmatch(name.strip()) or _PARTS.fullmatch(name.strip()))


def stamps(table: Table) -> Iterator[Stamp]:
    """Pairs of columns whose names say that they are one time, such as header.stamp.sec and header.stamp.nanosec."""
    whole = {m["of"].lower(): k for k, name in enumerate(table.names) if (m := _SECONDS.fullmatch(name.strip()))}
    for j, name in enumerate(table.names):
        if (m := _PARTS.fullmatch(name.strip())) and m["of"].lower() in whole:
            stamp = Stamp(whole[m["of"].lower()], j, _PART[m["unit"].lower()])
            if _is_one_time(table, stamp):
                yield stamp


def stamped(table: Table, stamp: Stamp) -> tuple[np.ndarray, float]:
    """Times (n,) of a pair of columns, and what was subtracted  [s]: whole seconds, so that nothing is rounded."""
    seconds, parts = table.columns[stamp.whole], table.columns[stamp.parts]
    known = seconds[np.isfinite(seconds)]
    since = float(known[0]) if len(known) and abs(known[0]) > 1e6 else 0.0
    return (seconds - since) + stamp.unit * parts, since


def stamp_of(table: Table, column: int, named: Sequence[TimeColumn | None]) -> Stamp | None:
    """The pair of columns to which a time column belongs: by their names, or the first two that are named."""
    for stamp in stamps(table):
        if column in (stamp.whole, stamp.parts):
            return stamp
    if len(named) < 2:
        return None
    pair = [one if isinstance(one, ColumnSpec) else ColumnSpec(column=one) for one in named[:2]]
    at = [column_index(table, "t" if one.column is None else one.column) for one in pair]
    units = [si(one.unit or table.units[k] or "s") for one, k in zip(pair, at)]
    (small, k), (large, j) = sorted((factor, k) for (factor, _), k in zip(units, at))
    stamp = Stamp(j, k, small)
    timed = small < large == 1 and all(unit == "s" for _, unit in units)
    return stamp if timed and _is_one_time(table, stamp) else None


def _is_one_time(table: Table, stamp: Stamp) -> bool:
    """Whether one column has parts of a second, and the other whole ones or such as grow more often with them."""
    seconds, parts = table.columns[stamp.whole], table.columns[stamp.parts] * stamp.unit
    good = np.isfinite(seconds) & np.isfinite(parts)
    seconds, parts = seconds[good], parts[good]
    if not len(parts) or np.iscomplexobj(seconds + parts) or parts.min() < 0 or parts.max() >= 1:
        return False
    whole = seconds - seconds[0] + parts
    grown = np.diff(seconds) > 0
    if np.median(np.diff(whole)) < FAST and np.any(np.diff(parts)[grown] >= 0):  # the same time once more
        return False
    return bool(not np.any(seconds % 1) or np.count_nonzero(np.diff(whole) > 0) > np.count_nonzero(grown))
