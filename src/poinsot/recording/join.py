"""Joining recordings that were taken on one clock: which channels come from which file, and all in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from poinsot.errors import PoinsotError, listing, one_line, require_known, suggestion
from poinsot.recording.columns import ColumnMap, ColumnSpec, TimeColumn, column_index, named_times
from poinsot.recording.readers.table import Table
from poinsot.recording.recording import Axis, Clock, Recording
from poinsot.recording.units import split_unit

__all__ = ["joined", "of_each", "with_time_of"]

SAME = 1e-3  # of a step: times that differ by less are written differently, or in other units


def of_each(whole: ColumnMap, files: Sequence[Path], tables: Sequence[Table]) -> list[ColumnMap]:
    """The map of every file, from one for all of them: the channels whose columns it has, or is said to have."""
    if not whole.channels:
        return [whole] * len(files)
    names = [_called(file, files) for file in files]
    chosen: list[dict] = [{} for _ in files]
    for name, spec in whole.channels.items():
        column = name if spec.column is None else spec.column
        require_known("file", [spec.file] if spec.file else [], {*names, *(file.name for file in files)})
        meant = [k for k, file in enumerate(files) if spec.file in ("", names[k], file.name)]
        having = meant if len(meant) == 1 and spec.file else [k for k in meant if _has(tables[k], column)]
        if len(having) > 1:
            said = f'{{"column": {column!r}, "file": "{names[having[-1]]}"}}'.replace("'", '"')
            raise PoinsotError(
                f"channel '{name}': {listing(names[k] for k in having)} have a column {_quoted(column)}: say which, "
                f"such as {said}"
            )
        if not having:
            raise PoinsotError(_nowhere(column, names, tables))
        chosen[having[0]][name] = spec
    if idle := [one for one, channels in zip(names, chosen) if not channels]:
        raise PoinsotError(f"{idle[0]}: none of the columns that are asked for is in it: leave it out, or name one")
    return [whole.model_copy(update={"channels": channels}) for channels in chosen]


def with_time_of(whole: ColumnMap, file: str, table: Table, alone: bool) -> ColumnMap:
    """The map with the time columns that a file has, of those that are named; one that is `alone` must have one."""
    if whole.time is None:
        return whole
    named = named_times(whole)
    mine = [one for one in named if not isinstance(one, ColumnSpec) or one.file in ("", file)]
    having = [one for one in mine if _has(table, _column(one))]
    return whole.model_copy(update={"time": tuple(having) or (named[0] if alone else None)})


def _column(time: TimeColumn | None) -> str | int:
    """Header or number of a time column."""
    column = time.column if isinstance(time, ColumnSpec) else time
    return "t" if column is None else column


def _called(file: Path, files: Sequence[Path]) -> str:
    """The name of a file, with its folder where another one has that name."""
    alone = sum(other.name == file.name for other in files) == 1
    return file.name if alone else f"{file.parent.name}/{file.name}"


def _has(table: Table, column: str | int) -> bool:
    try:
        column_index(table, column)
    except PoinsotError:
        return column in table.headers  # without numbers, which is told when it is read
    return True


def _quoted(column: str | int) -> str:
    return f"'{one_line(column, 80)}'" if isinstance(column, str) else str(column)


def _nowhere(column: str | int, names: Sequence[str], tables: Sequence[Table]) -> str:
    """That no file has a column, and what each of them has."""
    headers = [list(table.headers or table.names) for table in tables]
    near = suggestion(str(column), [split_unit(header)[0] for some in headers for header in some])
    there = "; ".join(f"{name}: {listing(some)}" for name, some in zip(names, headers))
    return f"no file has a column {_quoted(column)}{near}; there are: {there}"


def joined(recordings: Sequence[Recording]) -> Recording:
    """One recording with the channels of all, over the union of their times; NaN where one has no sample.

    >>> a = Recording.of([0.0, 1.0], {"x": [1.0, 2.0]})
    >>> b = Recording.of([1.0, 2.0], {"y": [5.0, 6.0]})
    >>> joined([a, b])["y"].tolist()
    [nan, 5.0, 6.0]
    """
    names = [name for one in recordings for name in one.channels]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        meant = f'{{"column": "{twice[0]}", "file": …}}'
        raise PoinsotError(
            f"two recordings have channels of one name: {listing(twice)}; name them by columns=, such as {meant}; "
            "parts of one log are runs of their own"
        )
    if {one.axis for one in recordings} != {recordings[0].axis}:
        raise PoinsotError("recordings over time and over frequency are not joined")
    clocks = {one.clock for one in recordings}
    if Clock.COUNTED in clocks and (len(clocks) > 1 or len({len(one) for one in recordings}) > 1):
        raise PoinsotError(_without_clock(recordings))
    recordings = _since_one_moment(recordings)
    first = recordings[0]
    _require_common_time(recordings)
    t, places = _one_clock([one.abscissa for one in recordings])
    values = {}
    for one, at in zip(recordings, places):
        for name, column in one.values.items():
            values[name] = np.full(len(t), np.nan, column.dtype)
            values[name][at] = column
    return Recording(
        t,
        values,
        {name: channel for one in recordings for name, channel in one.channels.items()},
        clock=first.clock if len(clocks) == 1 else Clock.RECORDED,
        axis=first.axis,
        sources=tuple(source for one in recordings for source in one.sources),
        steps=(*(step for one in recordings for step in one.steps), f"{len(recordings)} recordings were joined"),
        findings=tuple(finding for one in recordings for finding in one.findings),
        constants={key: value for one in recordings for key, value in one.constants.items()},
    )


def _since_one_moment(recordings: Sequence[Recording]) -> list[Recording]:
    """The recordings with times since the moment from which the first one counts, where they tell theirs."""
    start = recordings[0].constants.get("t0", 0.0)
    late = [one.constants.get("t0", 0.0) - start for one in recordings]
    moved = [replace(one, abscissa=one.abscissa + by) if by else one for one, by in zip(recordings, late)]
    return [replace(one, constants={**one.constants, "t0": start}) if start else one for one in moved]


def _one_clock(times: Sequence[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Union (n,) of times, of which those that differ by their rounding are one, and the rows of each."""
    every = np.unique(np.concatenate(times))
    step = min((float(np.median(np.diff(t))) for t in times if len(t) > 1), default=0.0)
    begins = np.diff(every, prepend=-np.inf) > SAME * step
    return every[begins], [np.cumsum(begins)[np.searchsorted(every, t)] - 1 for t in times]


def _require_common_time(recordings: Sequence[Recording]) -> None:
    """That all recordings have some times in common."""
    timed = [one for one in recordings if one.axis is Axis.TIME and len(one)]
    if len(timed) > 1 and max(one.abscissa[0] for one in timed) > min(one.abscissa[-1] for one in timed):
        spans = listing(f"{_file(one)} is over {one.abscissa[0]:.6g} … {one.abscissa[-1]:.6g} s" for one in timed)
        raise PoinsotError(
            f"the recordings have no times in common: {spans}; see their clocks and units of time, or make them runs "
            "of their own"
        )


def _without_clock(recordings: Sequence[Recording]) -> str:
    """Why recordings cannot be joined, and which of them have no times."""
    counted = [one for one in recordings if one.clock is Clock.COUNTED]
    named = listing(f"{_file(one)} (columns: {listing(one.channels, 8)})" for one in counted)
    return (
        f"no times are known of {named}: name the time columns, one or several, such as time = "
        '["Zeit", "t"]; without times only recordings with equally many samples are joined'
    )


def _file(recording: Recording) -> str:
    return recording.sources[0].name if recording.sources else "a recording"
