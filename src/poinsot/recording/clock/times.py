"""Clock: times of the samples from a column, a rate or nothing, strictly increasing, and what was wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError, counted
from poinsot.recording.clock.rate import GAP, unrounded, usual_step
from poinsot.recording.clock.stamps import Stamp, stamp_of, stamped, stamps
from poinsot.recording.columns import ColumnMap, ColumnSpec, column_index, named_times, time_columns
from poinsot.recording.finding import Finding, Severity, spans
from poinsot.recording.readers.table import Table
from poinsot.recording.recording import Clock
from poinsot.recording.units import si

__all__ = ["TIME_NAMES", "TIMING", "Times", "is_time_name", "is_uniform", "times_of"]

TIME_NAMES = (
    "t",
    "time",
    "times",
    "timestamp",
    "time_stamp",
    "stamp",
    "elapsed",
    "time_s",
    "t_s",
    "zeit",
    "sec",
    "seconds",
    "secs",
)
EPOCHS = ((1e17, 1e-9, "ns"), (1e14, 1e-6, "µs"), (1e11, 1e-3, "ms"))  # since 1970
TIMING = ("no clock", "time unit", "gaps", "jitter")  # codes of findings that matter only where time does
JITTER = 0.05  # of a step
FEW = 5  # rows with times of others: fewer are stamped wrongly, more are of a clock that was set back
FALLS = 0.25  # of the rows: times that fall as often are of no clock
SLOW = 0.5  # a step that hardly any machine is recorded with  [s]


@dataclass(frozen=True, eq=False)
class Times:
    """Times of a table's rows."""

    t: np.ndarray  # (m,) of the rows that are kept  [s]
    rows: np.ndarray | slice  # which of the table's rows these are
    clock: Clock
    column: str  # name of the column, "" if there is none
    findings: tuple[Finding, ...]
    steps: tuple[str, ...]
    epoch: float = 0.0  # what was subtracted  [s]
    parts: str = ""  # name of the column with the parts of a second, where the other has whole ones


def times_of(table: Table, columns: ColumnMap) -> Times:
    """Times of a table: its own abscissa, a column that the user or its name tells, a rate, or counted samples."""
    if not table.columns:
        return Times(np.zeros(0), slice(None), Clock.COUNTED, "", (), ())
    n = len(table.columns[0])
    rate = columns.rate or table.rate
    if table.abscissa is not None and columns.time is None:
        return _cleaned(table.abscissa, "", "", [])
    column, notes = _time_column(table, columns, n)
    if column is not None:
        if stamp := stamp_of(table, column, named_times(columns)):
            return _stamped(table, stamp, notes)
        spec = next((one for one in named_times(columns)[:1] if isinstance(one, ColumnSpec)), ColumnSpec())
        found = _cleaned(*_seconds(table, column, spec), notes, table.columns)
        _require_not_swapped(table, column, found)
        return found
    if rate is None:
        message = f"there is no time column and no rate for {counted(n, 'sample')}"
        advice = "name the time column (time=…) or give the rate= in Hz; nothing is differentiated without"
        finding = Finding("no clock", "t", "", n, message, advice, Severity.ERROR)
        return Times(np.arange(float(n)), slice(None), Clock.COUNTED, "", (finding,), ())
    step = f"times from an assumed rate of {rate:g} Hz"
    return Times(np.arange(n) / rate, slice(None), Clock.ASSUMED, "", (), (step,))


def _time_column(table: Table, columns: ColumnMap, n: int) -> tuple[int | None, list[Finding]]:
    """Number of the time column, if there is one."""
    wanted = time_columns(columns)[0]
    if wanted is not None:
        return column_index(table, wanted), []
    if columns.rate is not None:
        return None, []
    for k, name in enumerate(table.names):
        if is_time_name(name) and not np.iscomplexobj(table.columns[k]):
            return k, []
    for stamp in stamps(table):
        return stamp.whole, []
    if table.rate is None and n > 10 and table.names[0] == "column1" and is_uniform(table.columns[0]):
        step = float(np.median(np.diff(table.columns[0])))
        message = f"the first column grows by {step:g} from row to row and is taken as time in seconds"
        return 0, [Finding("time guessed", "t", "", step, message, "name it with time= to be sure", Severity.NOTE)]
    return None, []


def is_time_name(name: str) -> bool:
    """Whether a column of this name has times, such as "stamp", "header.stamp" or "__time".

    >>> is_time_name("header.stamp"), is_time_name("__time"), is_time_name("q.position")
    (True, True, False)
    """
    return name.lower().strip(" _").rpartition(".")[2] in TIME_NAMES


def _stamped(table: Table, stamp: Stamp, notes: Sequence[Finding]) -> Times:
    """Times from seconds and their parts."""
    names = [table.names[k] for k in (stamp.whole, stamp.parts)]
    t, since = stamped(table, stamp)
    step = f"times from '{names[0]}' and '{names[1]}'"
    return replace(_cleaned(t, names[0], step, notes, table.columns, since), parts=names[1])


def _require_not_swapped(table: Table, column: int, found: Times) -> None:
    """That no other column is the time, where in most rows the times of this one go back."""
    if not any(one.code == "goes back" and one.severity is Severity.ERROR for one in found.findings):
        return
    for name, x in zip(table.names, table.columns):
        if not np.iscomplexobj(x) and is_uniform(x):
            raise PoinsotError(
                f"the times of column '{table.names[column]}' go back in most rows, and '{name}' grows evenly: are "
                "their headers swapped? name the time column, such as "
                f'time="{name}"'
            )


def is_uniform(x: np.ndarray) -> bool:
    """Whether samples grow by nearly the same step."""
    d = np.diff(x)
    return bool(np.isfinite(d).all() and len(d) and d.min() > 0 and np.ptp(d) < 0.5 * np.median(d))


def _seconds(table: Table, column: int, spec: ColumnSpec) -> tuple[np.ndarray, str, str]:
    """Times in seconds, the column's name, and what was done."""
    raw, name, written = table.columns[column], table.names[column], spec.unit or table.units[column]
    if np.iscomplexobj(raw):
        raise PoinsotError(f"the time column '{name}' is not real")
    if written:
        factor, unit = si(written)
        if unit != "s":
            raise PoinsotError(f"the time column '{name}' is in {written}, which is no time")
        return raw * factor * spec.gain + spec.offset, name, f"times in {written}" if factor != 1 else ""
    for size, factor, unit in EPOCHS:
        if len(raw) and np.nanmedian(np.abs(raw)) > size:
            return raw * factor, name, f"times in {unit} since 1970"
    return raw * spec.gain + spec.offset, name, ""


def _cleaned(
    t: np.ndarray,
    column: str,
    step: str,
    notes: Sequence[Finding],
    columns: Sequence[np.ndarray] = (),
    since: float = 0.0,
) -> Times:
    """Times that grow from row to row: rows that do not are left out, and said.

    `columns` are all of the table; `since` was subtracted already  [s].
    """
    t = np.asarray(t, float)
    findings, steps = list(notes), [step] if step else []
    rows: np.ndarray | slice = slice(None)
    if not _grows(t):
        order, copies = np.arange(len(t)), _copies(columns, t)
        if _falls(t[~copies]):
            order = order[::-1]
            findings.append(_reversed(t, column))
        later, found = _growing(t[order], order + 1, column, copies[order])
        rows = order[later]
        t, findings = t[rows], [*findings, *found]
    first = float(t[0]) if since or abs(t[0]) > 1e6 else 0.0
    epoch = since + first
    t, unit = unrounded(t - first if first else t)
    if unit:
        steps.append(f"stamps rounded to {unit:.3g} s are those of an even clock at {1 / usual_step(t):.6g} Hz")
    findings += _steps(t)
    if epoch:
        steps.append(f"{epoch:.6f} s were taken from all times")
    return Times(t, rows, Clock.RECORDED, column, tuple(findings), tuple(steps), epoch)


def _grows(t: np.ndarray) -> bool:
    """Whether every time is a number and later than the one before."""
    return bool(len(t) and np.isfinite(t[0]) and np.isfinite(t[-1]) and (t[1:] > t[:-1]).all())


def _falls(t: np.ndarray) -> bool:
    """Whether times fall from row to row: the rows were written in the opposite order."""
    steps = np.diff(t[np.isfinite(t)])
    return bool(len(steps) and (steps <= 0).all() and np.count_nonzero(steps) > len(steps) / 2)


def _reversed(t: np.ndarray, column: str) -> Finding:
    """The finding that rows come in the opposite order."""
    n, finite = len(t), t[np.isfinite(t)]
    message = f"the times decrease, from {finite[0]:g} to {finite[-1]:g} s: the rows are put in the opposite order"
    where = _where([2], column) + " on"
    return Finding("reversed", "t", f"from {where}", n, message, "see how the file was sorted", mended=True)


def _copies(columns: Sequence[np.ndarray], t: np.ndarray) -> np.ndarray:
    """Which rows (n,) were written before, in all columns: some loggers write a block twice."""
    copies = np.zeros(len(t), bool)
    _, which, counts = np.unique(t, return_inverse=True, return_counts=True)
    again = np.flatnonzero(counts[which] > 1)
    if len(again) and columns:
        bits = [np.ascontiguousarray(x[again]).view(np.uint8).reshape(len(again), -1) for x in columns]
        copies[again] = True
        copies[again[np.unique(np.column_stack(bits), axis=0, return_index=True)[1]]] = False
    return copies


def _growing(t: np.ndarray, number: np.ndarray, column: str, copies: np.ndarray) -> tuple[np.ndarray, list[Finding]]:
    """Which rows (n,) have a time that is later than all before, and what is wrong with the others.

    `number` (n,) are those of the rows in the file, from 1; `copies` (n,) those that were written before.
    """
    none = ~np.isfinite(t)
    findings = _bad_rows(number[none], len(t), column, "no number", "no time")
    good = ~none & ~copies
    ahead = _ahead(t, good)
    findings += _bad_rows(number[ahead], len(t), column, "goes ahead", "time is ahead of that of the next rows")
    good[ahead] = False
    parts = _parts(t, good)
    begin, end = max(parts, key=lambda part: part[1] - part[0])
    if len(parts) > 1:
        findings.append(_restart(t, good, parts, (begin, end), number, column))
    inside = good & (np.arange(len(t)) >= begin) & (np.arange(len(t)) < end)
    top = np.maximum.accumulate(np.where(inside, t, -np.inf))
    later = inside & (t > np.concatenate([[-np.inf], top[:-1]]))
    back, repeats = _back_and_repeats(t, inside & ~later)
    repeats = np.union1d(repeats, np.flatnonzero(copies & ~none))
    what = "time goes back" if 2 * len(back) <= len(t) else "the rows are not in the order of time, which goes back"
    findings += _bad_rows(number[back], len(t), column, "goes back", what)
    findings += _bad_rows(number[repeats], len(t), column, "time repeats", "time repeats")
    if not later.any():
        raise PoinsotError("no row has a time")
    return later, findings


def _ahead(t: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Rows with a time later than those of two rows behind it, which go on from the one before it: wrong stamps."""
    rows = np.flatnonzero(good)
    u = t[rows]
    before, own, behind, next_ = u[:-3], u[1:-2], u[2:-1], u[3:]
    return rows[1:-2][(before < behind) & (behind < next_) & (next_ < own)] if len(u) > 3 else rows[:0]


def _restart(
    t: np.ndarray,
    good: np.ndarray,
    parts: Sequence[tuple[int, int]],
    kept: tuple[int, int],
    number: np.ndarray,
    column: str,
) -> Finding:
    """The finding that only one part of several is kept; an error that stays where that is less than half."""
    before, inside = t[: parts[1][0]][good[: parts[1][0]]], t[slice(*kept)][good[slice(*kept)]]
    message = (
        f"the clock starts again or was set back, after {before[-1]:g} s: only the longest of {len(parts)} parts is "
        f"kept, {inside.min():g} to {inside.max():g} s"
    )
    advice = "recordings were joined, or the clock was set; read the parts one by one"
    where = f"in {_where(number[[first for first, _ in parts[1:]]], column)}"
    little = 2 * np.count_nonzero(good[slice(*kept)]) < np.count_nonzero(good) - len(parts)
    severity = Severity.ERROR if little else Severity.WARNING
    left_out = len(t) - (kept[1] - kept[0])
    return Finding("restart", "t", where, left_out, message, advice, severity, mended=not little)


def _back_and_repeats(t: np.ndarray, bad: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a time before the one before, and rows with the same."""
    rows = np.flatnonzero(bad)
    same = t[rows] == t[rows - 1]
    return rows[~same], rows[same]


def _parts(t: np.ndarray, good: np.ndarray) -> list[tuple[int, int]]:
    """First row and the one after the last of every part in which the clock runs on.

    Another part begins where time falls and grows again, by most of the whole time, or over times at which there are
    samples already. Rows that come late, in a burst, fall into the gap that they have left.
    """
    rows = np.flatnonzero(good)
    rows = rows[np.concatenate([[True], np.diff(t[rows]) != 0])] if len(rows) else rows
    u = t[rows]
    falls = np.flatnonzero(np.diff(u) < 0) + 1
    if not len(falls) or len(falls) > FALLS * len(u):
        return [(0, len(t))]
    span, steps = float(np.ptp(u)), np.diff(u)
    step = float(np.median(steps[steps > 0])) if np.any(steps > 0) else 0.0
    starts = [0]
    for k in falls:
        following = u[k : k + 20]
        if len(following) <= 5 or np.mean(np.diff(following) > 0) <= 0.8:
            continue
        if u[k - 1] - u[k] > 0.2 * span or _is_twice(u[starts[-1] : k], u[k:], step):
            starts.append(int(k))
    begins = [0, *rows[starts[1:]].tolist()]
    return list(zip(begins, [*begins[1:], len(t)]))


def _is_twice(before: np.ndarray, after: np.ndarray, step: float) -> bool:
    """Whether the rows after a fall have times that rows before it have, within half a step, until they are past."""
    passed = np.flatnonzero(after > before.max())
    late = after[: passed[0] if len(passed) else len(after)]
    if len(late) < FEW:
        return False
    late = late[late >= before.min() - step]
    if not len(late):
        return True
    known = np.sort(before[before >= late.min() - step])
    k = np.clip(np.searchsorted(known, late), 1, len(known) - 1) if len(known) > 1 else np.zeros(len(late), int)
    nearest = np.minimum(np.abs(known[k] - late), np.abs(known[k - 1] - late))
    return bool(np.mean(nearest < 0.6 * step) > 0.5)


def _bad_rows(rows: np.ndarray, n: int, column: str, code: str, what: str) -> list[Finding]:
    """The finding that some of n rows, by their numbers, are left out; an error that stays where most are."""
    if not len(rows):
        return []
    message = f"{what} in {len(rows)} of {n} rows, which are left out"
    where, most = f"in {_where(rows, column)}", 2 * len(rows) > n
    sorts = "sort them by time" if most and code == "goes back" else ""
    advice = sorts or "see how the logger stamps its samples"
    severity = Severity.ERROR if most else Severity.WARNING
    return [Finding(code, "t", where, len(rows), message, advice, severity, mended=not most)]


def _where(rows: Sequence[int] | np.ndarray, column: str) -> str:
    """Rows by number, and the column of the times."""
    named = f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows[:3]))}{' …' if len(rows) > 3 else ''}"
    return named + (f" of column '{column}'" if column else "")


def _steps(t: np.ndarray) -> Iterator[Finding]:
    """Gaps, jitter and a unit that cannot be right."""
    if len(t) < 3:
        return
    d = np.diff(t)
    step = usual_step(t)
    if not step > 0:  # times that repeat are told by themselves
        return
    gaps = np.flatnonzero(d > GAP * step)
    if len(gaps):
        message = f"{counted(len(gaps), 'gap')}, the longest {d.max():.4g} s where samples are {step:.4g} s apart"
        advice = "samples are missing there; filters work on the parts between"
        yield Finding("gaps", "t", spans(t, gaps), float(d.max()), message, advice)
    jitter = float(np.std(d[d <= GAP * step] if len(gaps) else d) / step)
    if jitter > JITTER:
        message = f"samples are {step:.4g} s apart with a scatter of {100 * jitter:.2g} %"
        yield Finding("jitter", "t", "", jitter, message, "recorded times are used; do not assume a constant rate")
    if step >= SLOW and len(t) > 20:
        message = f"samples are {step:.4g} s apart: milliseconds read as seconds?"
        advice = 'give the unit, time={"column": …, "unit": "ms"}'
        yield Finding("time unit", "t", "", step, message, advice, Severity.ERROR)
