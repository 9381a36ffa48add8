"""Reading a recording: the file becomes a table, the table channels in SI units over a clock, with what is wrong."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import MissingExtraError, PoinsotError, count_of, one_line
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.recording.clock.stamps import is_stamp
from poinsot.recording.clock.times import Times, is_time_name, times_of
from poinsot.recording.columns import ColumnMap, Coupling, column_map, coupled, is_meant, mapped, time_columns
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings import compared, inspected
from poinsot.recording.findings.contradictions import contradictions
from poinsot.recording.join import joined, of_each, with_time_of
from poinsot.recording.place import known_channels, placed
from poinsot.recording.readers.registry import reader_of
from poinsot.recording.readers.table import ReadRequest, Table, averaged
from poinsot.recording.recording import Axis, Clock, RecordedChannel, Recording, Source
from poinsot.store.files import IrregularFileError, file_kind

__all__ = ["read"]

NAMELESS = re.compile(r"column\d+|Unnamed: \d+(_\d+)?")  # how columns without a name are called
INDEX = ("column1", "Unnamed: 0")  # how the rows' numbers of a data frame are headed, if at all


def read(
    path: str | Path | Sequence[str | Path],
    *,
    columns: Any = None,
    time: str | int | Mapping[str, Any] | Sequence[Any] | None = None,
    rate: float | str | None = None,
    couplings: Sequence[Mapping[str, Any]] = (),
    mechanism: Mechanism | None = None,
    format: str | None = None,
    part: int | None = None,
    every: int = 1,
    repair: bool = True,
) -> Recording:
    """A recording from a file, or from several that were taken on one clock.

    `path` is a text table (CSV of any dialect, also gzip), a MATLAB, HDF5, NumPy, Parquet, UFF, DataPhysics, LabVIEW
    or MCAP file, or the folder of a ROS 2 bag; several paths are recordings on one clock, which are joined. `format`
    names the reader where the file does not tell; `part` (from 1) is read of a UFF file with several abscissae.

    `columns` are the channels to keep: a mapping from channel to column (its header, its number from 1, or a table
    with column, unit, gain, offset, kind, place, noise), a list of names in the order of the columns, or a columns
    file (TOML) that may hold all of this; for a list of paths, a list of these, or one for all: every file gives the
    columns that it has, and `file` in a table says which, where several have it. `time` is the time column (header,
    number or table with column and unit; several, where files call it differently, or of seconds and their parts);
    `rate` [Hz, or "5 kHz"] makes times where there are none. With a `mechanism`, channels that have the names of its
    sensors, coordinates or actuators get kinds, units and places, and more faults are found. Means of `every` rows
    are taken. `repair` masks samples that cannot be right (spikes, repeats); findings say whether that was done.

    `couplings` give channels from others, such as joints from motors: tables with `inputs` and `outputs` (names of
    channels), `matrix` R (a row for every output), `apply` ("forward": y = R x, "inverse": y = R⁻¹ x, "transpose",
    "inverse-transpose") and, where needed, `offset` (added to the outputs, in SI), `unit`, `kind` and `places`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (file := Path(folder) / "run.csv").write_text("t [ms],q [deg]\\n0,0\\n10,90\\n20,180\\n")
    ...     rec = read(file)
    >>> rec.t.tolist(), rec["q"].round(4).tolist(), rec.units
    ([0.0, 0.01, 0.02], [0.0, 1.5708, 3.1416], {'q': 'rad'})

    A joint behind a gear of 50 : 1, with its zero at a right angle of the motor's:

    >>> gear = {"inputs": ["m"], "outputs": ["q"], "matrix": [[50]], "apply": "inverse", "offset": [1.5708]}
    >>> with TemporaryDirectory() as folder:
    ...     _ = (file := Path(folder) / "run.csv").write_text("t [s],m [rad]\\n0,0\\n1,50\\n2,100\\n")
    ...     read(file, couplings=[gear])["q"].tolist()
    [1.5708, 2.5708, 3.5708]
    """
    files = _files(path)
    each = isinstance(columns, list) and len(columns) == len(files) > 1
    given = [column_map(one, time=time, rate=rate) for one in (columns if each else [columns])]
    every = count_of(every, "every")
    repair = repair is True
    mechanism = None if mechanism is None else require_mechanism(mechanism)
    request = ReadRequest(every=every, part=None if part is None else count_of(part, "part"))
    tables = [_table(file, given[each * k], format, request) for k, file in enumerate(files)]
    links = [coupling for one in (*given, column_map(None, couplings=couplings)) for coupling in one.couplings]
    shared = len(files) > 1 and not each
    maps = of_each(given[0], files, [table for table, _ in tables]) if shared else given
    maps = [with_time_of(of, file.name, table, len(files) == 1) for of, file, (table, _) in zip(maps, files, tables)]
    parts = [_read_one(file, *one, of, every) for file, one, of in zip(files, tables, maps)]
    return _finished(parts[0] if len(parts) == 1 else joined(parts), links, mechanism, repair)


def _files(path: Any) -> list[Path]:
    """The files that are meant."""
    if hasattr(path, "columns") and hasattr(path, "index"):
        raise PoinsotError(
            "a data frame is no file: give it to identify or inverse_dynamics as it is, or make a recording of it by "
            "Recording.of(frame['t'], frame.drop(columns='t'))"
        )
    files = [path] if isinstance(path, str | Path) else list(path) if isinstance(path, list | tuple) else []
    if not files or not all(isinstance(file, str | Path) and "\0" not in str(file) for file in files):
        raise PoinsotError(
            f"a recording is read from a file, or a list of files, not from {one_line(repr(path), 40)}"
        )
    return [Path(file) for file in files]


def _finished(
    recording: Recording, couplings: Sequence[Coupling], mechanism: Mechanism | None, repair: bool
) -> Recording:
    """What is wrong with the samples, couplings, places, and what cannot be so."""
    if recording.axis is Axis.TIME and len(recording):
        recording = inspected(recording, repair)
    for coupling in couplings:
        recording = coupled(recording, coupling)
    if mechanism is not None:
        recording = placed(_with_missed_texts(recording, mechanism), mechanism)
    if recording.axis is Axis.FREQUENCY:
        return recording
    recording = compared(recording, mechanism)
    if mechanism is None or any(float(sensor.delay) for sensor in mechanism.sensors.values()):
        return recording  # positions that are late by known times are compared when they are used
    return recording.with_findings(contradictions(recording, mechanism, Severity.WARNING))


def _with_missed_texts(recording: Recording, mechanism: Mechanism) -> Recording:
    """The recording with columns of text as errors where a channel of the mechanism has their name."""
    known, findings = known_channels(mechanism), list(recording.findings)
    for k, one in enumerate(findings):
        if one.code == "text" and one.channel in known:
            message = f"{one.message}, and the mechanism has a channel of this name"
            advice = "write numbers alone in its cells, and their unit in the header"
            findings[k] = replace(one, message=message, advice=advice, severity=Severity.ERROR, mended=False)
    return replace(recording, findings=tuple(findings))


def _read_one(path: Path, table: Table, digest: str, given: ColumnMap, every: int) -> Recording:
    if given.rate is not None and every > 1:
        given = given.model_copy(update={"rate": given.rate / every})
    if table.axis is Axis.FREQUENCY and table.abscissa is not None:
        times = Times(table.abscissa, slice(None), Clock.RECORDED, "", (), ())
    else:
        try:
            times = times_of(table, given)
        except PoinsotError as error:
            raise PoinsotError(f"{path.name}: {error}") from None
    table = table if given.channels else _without_nameless(_without_index(table, times.column))
    values, channels, steps, told = mapped(_without(table, (times.column, times.parts), given), given, path.name)
    told += _times_as_channels(times.column, channels, path.name)
    kept = {name: column[times.rows] for name, column in values.items()}
    for column in (times.t, *kept.values()):
        column.setflags(write=False)
    if every > 1:
        steps.insert(0, f"means of {every} rows were taken while reading")
    epoch = times.epoch or table.epoch
    return Recording(
        abscissa=times.t,
        values=kept,
        channels=channels,
        clock=times.clock,
        axis=table.axis,
        sources=(Source(path.name, digest, table.format),),
        steps=(*times.steps, *steps),
        findings=(*table.findings, *times.findings, *told),
        constants=dict(table.constants) | ({"t0": epoch} if epoch else {}),
    )


def _times_as_channels(time: str, channels: Mapping[str, RecordedChannel], file: str) -> list[Finding]:
    """The finding that a channel is made of the column of the times, as by a list that leaves that one out."""
    same = [name for name, channel in channels.items() if time and channel.origin == f"{time} of {file}"]
    advice = "a list of columns counts all, the times too, with '' for those that are no channels"
    message = f"it is column '{time}', the times"
    return [Finding("times", name, "", 0.0, message, advice, Severity.WARNING) for name in same]


def _without(table: Table, times: tuple[str, str], given: ColumnMap) -> Table:
    """The table without its time columns, unless a channel is made of them."""
    if not times[0] or given.channels or len(table.names) == 1:
        return table
    return _kept(table, [k for k, name in enumerate(table.names) if name not in times])


def _without_index(table: Table, time: str) -> Table:
    """The table without a first column that has no name and counts the rows, as data frames are written."""
    first, *others = table.names or ("",)
    if not others or others[0] == "column2" or first not in INDEX or time in ("", first):
        return table
    rows = table.columns[0]
    if np.iscomplexobj(rows) or not np.isfinite(rows).all() or (np.diff(rows) <= 0).any() or (rows % 0.5).any():
        return table
    message = "the first column has no name and counts the rows: it is left out"
    note = Finding("left out", "", "", 1, message, "nothing to do", Severity.NOTE, mended=True)
    return replace(_kept(table, range(1, len(table.names))), findings=(*table.findings, note))


def _without_nameless(table: Table) -> Table:
    """The table without columns that have neither a name nor a sample, as where rows end with a delimiter."""
    empty = [
        NAMELESS.fullmatch(name) is not None and bool(np.isnan(column).all())
        for name, column in zip(table.names, table.columns)
    ]
    kept = [k for k, one in enumerate(empty) if not one]
    return _kept(table, kept) if kept and any(empty) else table


def _kept(table: Table, kept: Sequence[int]) -> Table:
    """Some of the columns of a table, by number from 0."""

    def pick(parts: tuple) -> tuple:
        return tuple(parts[k] for k in kept) if parts else ()

    return replace(
        table,
        names=pick(table.names),
        units=pick(table.units),
        columns=pick(table.columns),
        kinds=pick(table.kinds),
        places=pick(table.places),
        headers=table.headers or table.names,
    )


def _table(path: Path, given: ColumnMap, format: str | None, request: ReadRequest) -> tuple[Table, str]:
    """The columns of a file and its digest; whatever is wrong with it is one sentence that names it."""
    try:
        _require_file(path)
        reader = reader_of(path, format)
        if request.part is not None and not reader.parts:
            raise PoinsotError(f"files of the format {reader.name} have no parts")
        table = reader.read(path, replace(request, wanted=_wanted(given)))
        if request.every > 1 and not reader.text:
            table = averaged(table, request.every)
        return table, _digest(path)
    except OSError as error:
        raise PoinsotError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except MissingExtraError:
        raise
    except PoinsotError as error:
        raise PoinsotError(f"{path.name}: {error}") from None
    except UnicodeError:
        raise PoinsotError(f"{one_line(str(path), 60)}: no file has such a name") from None
    except MemoryError:
        raise PoinsotError(f"{path.name}: not enough memory; keep some of its columns, or every k-th row") from None


def _require_file(path: Path) -> None:
    """Pipes and devices are not opened; folders may be bags."""
    status = path.stat()
    if not path.is_file() and not path.is_dir():
        raise IrregularFileError(file_kind(status))
    if path.is_file() and status.st_size == 0:
        raise PoinsotError("the file is empty")


def _digest(path: Path) -> str:
    """SHA-256 of a file, of a folder that of its files one after the other, by name."""
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())
    digest = hashlib.sha256()
    for name in files:
        with open(name, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _wanted(given: ColumnMap) -> Callable[[str], bool]:
    """Which columns of a text table are kept while it is read; all, unless channels name theirs by header."""
    specs = {name: spec.column if spec.column is not None else name for name, spec in given.channels.items()}
    named = [*specs.values(), *time_columns(given)]
    if not specs or any(isinstance(column, int) for column in named):
        return lambda name: True
    times = given.rate is None
    return lambda name: (
        any(column and is_meant(column, name) for column in named)
        or (times and (is_time_name(name) or is_stamp(name)))
    )
