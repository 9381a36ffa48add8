"""Motions from tables: a file, a data frame or a recording with times and positions becomes a motion by coordinate.

What headers may say is what recordings may: "t" or "time", units in brackets, any delimiter, a decimal comma. A
motion has no gaps: a sample that is missing is an error with its row and column.

A table may hold more than a motion: independent coordinates are taken, those that actuators drive first. It may be
measured: where noise would be much of the accelerations it is filtered, as recordings are that `identify` gets.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, counted, listing, one_line, unknown
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.times import samples, seconds
from poinsot.model.quantities.units import units_like
from poinsot.motion.signals import Measured, MotionTable
from poinsot.recording.clock.rate import usual_step
from poinsot.recording.clock.stamps import is_stamp, stamped, stamps
from poinsot.recording.clock.times import TIME_NAMES, is_time_name
from poinsot.recording.filtering.differentiate import differentiate
from poinsot.recording.filtering.held_samples import without_held
from poinsot.recording.filtering.measured_noise import SPLINE, measured_noise
from poinsot.recording.filtering.motion_cutoff import motion_cutoff
from poinsot.recording.filtering.one_clock import on_one_clock
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.independent import prescribing, untold
from poinsot.recording.motion import position_channels
from poinsot.recording.place import known_channels, placed
from poinsot.recording.read import read
from poinsot.recording.readers.dialect import number
from poinsot.recording.readers.table import Table
from poinsot.recording.recording import Clock, Recording
from poinsot.recording.units import si, split_unit, strange_unit

__all__ = ["MotionTable", "motion_table", "recording_of_frame"]

FAULTS = {  # of a text that a motion cannot have, by the code of the finding
    "ragged": "another number of fields than the header has,",
    "unreadable": "something else than a number",
    "text": "text instead of numbers",
    "cut": "the file ends too early",
    "decimal comma": "numbers with a decimal comma where other columns have a point",
}
CLOCK_FAULTS = {  # of the times of a table
    "reversed": "they decrease",
    "goes back": "they go back",
    "goes ahead": "one is ahead of those behind it",
    "restart": "they start again",
    "time repeats": "one repeats the one before",
    "no number": "there is no number",
}
TWO_TURNS = 4 * np.pi  # from which on a plain number for an angle may be meant in degrees  [rad]
FEWEST = 6  # rows, for splines of degree five
MUCH = 0.1  # of the accelerations of a motion, that noise may be


def motion_table(given: Any, mechanism: Mechanism | None = None) -> MotionTable:
    """A motion from the path of a table, a data frame or a recording.

    With a `mechanism` what is no position of a coordinate is left out: rates, forces and sensors without a word,
    other columns with a warning; as are coordinates that follow from the others.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (file := Path(folder) / "run.csv").write_text("time [s];phi [deg]\\n0;0\\n0,1;90\\n")
    ...     motion_table(file)["phi"][1].round(4).tolist()
    [0.0, 1.5708]
    """
    recording, name = _recording(given)
    _require_columns(recording, name)
    if isinstance(given, str | Path):
        _require_clock(recording, name)
    columns = list(recording.channels)
    if recording.clock is Clock.COUNTED and columns[:1] == ["column1"]:
        raise PoinsotError(
            f"{name}: no header with t stands right above the numbers; has a line there another number of fields?"
        )
    if recording.clock is Clock.COUNTED:
        raise PoinsotError(f"{name}: no column is the time: call one t or time [s]; there are: {', '.join(columns)}")
    if mechanism is not None:
        whole = _encoders_as_coordinates(placed(recording, mechanism), mechanism, name)
        columns = _positions(recording, whole, mechanism, name)
        _tell_turns(recording, whole, columns, name)
        recording = on_one_clock(without_held(whole.only(columns), columns), columns)
    if not columns:
        raise PoinsotError(f"{name}: there are no columns besides the time")
    for column in columns:
        missing = ~np.isfinite(recording[column])
        if missing.any():
            row = int(np.argmax(missing)) + 1
            raise PoinsotError(f"{name}: column '{column}' has no number in row {row} below the header")
    if mechanism is not None and len(recording) < FEWEST:
        rows = counted(len(recording), "row")
        raise PoinsotError(f"{name}: {rows} of numbers are too few for a motion, which needs {FEWEST} or more")
    places = {column: (recording.channels[column].place if mechanism else "") or column for column in columns}
    t = np.asarray(recording.t, float)
    if not (t[1:] > t[:-1]).all():
        row = int(np.argmin(t[1:] > t[:-1])) + 2
        raise PoinsotError(
            f"{name}: the times must increase: row {row} below the header is not later than the one before"
        )
    exact = MotionTable({places[column]: (t, np.asarray(recording[column], float)) for column in columns})
    return exact if mechanism is None else MotionTable(exact | _smooth(recording, places, mechanism, name))


def _encoders_as_coordinates(whole: Recording, mechanism: Mechanism, name: str) -> Recording:
    """Where no column is the position of a coordinate, encoders are those of the coordinates that they read."""
    read = position_channels(whole, mechanism)
    if not read or any(mechanism.elements.is_coordinate(place) for place in read.values()):
        return whole
    channels, values = dict(whole.channels), dict(whole.values)
    for column, place in read.items():
        sensor = mechanism.sensors[place]
        names = [n for n in mechanism.coordinates.known if mechanism.coordinates[n] == sensor.on]
        if not names:
            raise PoinsotError(
                f"{name}: the encoder '{place}' reads along what has no name: give it one under [coordinates]"
            )
        channels[column] = replace(channels[column], place=names[0])
        values[column] = values[column] - float(getattr(sensor, "offset", 0.0))
    return replace(whole, channels=channels, values=values)


def _smooth(recording: Recording, places: dict[str, str], mechanism: Mechanism, name: str) -> dict[str, Measured]:
    """By coordinate, columns whose noise would be much of their accelerations, behind the filter of `identify`."""
    found, said, step = {}, [], usual_step(recording.t) if len(recording) > 1 else np.inf
    for column, place in places.items():
        noise = measured_noise(recording.t, recording[column])
        if not noise:
            continue
        corner = motion_cutoff(recording, column)
        smooth = differentiate(recording, [column], cutoff={column: corner})
        s, rate, a = (np.ascontiguousarray(smooth[column + end]) for end in ("", ".rate", ".acceleration"))
        through = SPLINE * noise / step**2
        size = float(np.sqrt(np.mean(a**2)))
        if not through > MUCH * size or not np.isfinite([s, rate, a]).all():
            continue
        found[place] = Measured(recording.t, s, rate, a)
        unit = mechanism.coordinates[place].unit
        said.append(
            f"'{column}' at {corner:.3g} Hz (noise of {noise:.2g} {unit} would be {through:.2g} {unit}/s² beside "
            f"{size:.2g})"
        )
    if said:
        _note(
            f"{name}: filtered, as noise would be much of the accelerations: {listing(said, 6)}; samples that are "
            "given by coordinate, as (times, values), are taken as they are"
        )
    return found


def _tell_turns(recording: Recording, whole: Recording, columns: list[str], name: str) -> None:
    """Say which angles were made continuous, or were not, unless reading has said it."""
    for finding in whole.findings[len(recording.findings) :]:
        if finding.code in ("wrapped", "jumps", "first turns") and finding.channel in columns:
            at = f" (first at {finding.where})" if finding.where else ""
            _note(f"{name}: column '{finding.channel}': {finding.message}{at}; {finding.advice}")


def _require_columns(recording: Recording, name: str) -> None:
    """A motion has numbers in every column and row, and every name once."""
    for finding in recording.findings:
        if finding.code in FAULTS:
            column = f" column '{finding.channel}' has" if finding.channel else ""
            raise PoinsotError(f"{name}:{column} {FAULTS[finding.code]} {finding.where}".rstrip())
    columns = list(recording.channels)
    if [column.lower() for column in columns] in ([time] for time in TIME_NAMES):
        raise PoinsotError(f"{name}: there are no columns besides the time")
    for column in columns:
        first, _, number = column.rpartition("_")
        if number.isdigit() and first in columns:
            raise PoinsotError(f"{name}: there are two columns '{one_line(first, 80)}'")


def _recording(given: Any) -> tuple[Recording, str]:
    """A recording of what was given, and how to call it."""
    if isinstance(given, Recording):
        return given, "the recording"
    if isinstance(given, str | Path):
        return read(given, repair=False), Path(given).name
    return recording_of_frame(given), "the data frame"


def _require_clock(recording: Recording, name: str) -> None:
    """The times of a table grow from row to row; what reading it mends in a recording is an error in a motion."""
    for finding in recording.findings:
        if finding.channel == "t" and finding.code in CLOCK_FAULTS:
            fault = f"{CLOCK_FAULTS[finding.code]} {finding.where}, counted below the header"
            raise PoinsotError(f"{name}: the times must increase from row to row: {fault}")
        if finding.code == "time unit":
            _note(f"{name}: {finding.message} write t [ms], or another unit of times")


def recording_of_frame(frame: Any) -> Recording:
    """A recording of a data frame: a column of times, or an index of times; units in brackets in the headers.

    Columns of words beside others are left out with a finding.
    """
    values, units, words = {}, {}, []
    t, stamp, since = _stamped(frame)
    for header in frame.columns:
        name, unit = split_unit(str(header))
        factor, unit = _scale(str(header), unit)
        if header in stamp:
            continue
        if t is None and is_time_name(name):
            t = _times(frame[header], header, factor)
        elif _has_words(frame[header]):
            words.append(header)
        else:
            values[name], units[name] = factor * _numbers(frame[header], header), unit
    if t is None and (str(frame.index.name).lower() in TIME_NAMES or frame.index.dtype.kind in "fmM"):
        t = _times(frame.index, "index")
    if t is None:
        names = ", ".join(map(str, frame.columns))
        raise PoinsotError(f"the data frame: no column is the time: call one t or time [s]; there are: {names}")
    if words and not values:
        _numbers(frame[words[0]], words[0])
    message = f"left out, as they hold words: {listing(list(map(str, words)))}"
    left = Finding("left out", "", "", len(words), message, "nothing to do", Severity.NOTE)
    constants = {"t0": since} if since else {}
    return Recording.of(t, values, units=units, constants=constants).with_findings([left] if words else [])


def _stamped(frame: Any) -> tuple[np.ndarray | None, tuple[str, ...], float]:
    """Times of two columns that are one, the headers of these, and what was subtracted [s]; None without them."""
    headers = [x for x in frame.columns if is_stamp(str(x)) and np.asarray(frame[x]).dtype.kind in "iuf"]
    columns = tuple(np.asarray(frame[x], float) for x in headers)
    table = Table(tuple(map(str, headers)), ("",) * len(headers), columns, "data frame")
    time = next((x for x in frame.columns if is_time_name(split_unit(str(x))[0])), None)
    for stamp in stamps(table):
        pair = (headers[stamp.whole], headers[stamp.parts])
        if time is None or time in pair:
            t, since = stamped(table, stamp)
            first = t[0] if since and len(t) else 0.0
            return t - first, pair, since + first
    return None, (), 0.0


def _has_words(column: Any) -> bool:
    """Whether a column holds texts in all rows but empty ones, none of which is a number."""
    filled = [value for value in np.asarray(column).tolist() if isinstance(value, str) or value == value]
    return bool(filled) and all(isinstance(value, str) and number(value, ".") is None for value in filled)


def _scale(header: str, unit: str) -> tuple[float, str]:
    try:
        return si(unit)
    except PoinsotError as error:
        raise PoinsotError(f"the data frame: column '{one_line(header, 40)}': {error}") from None


def _times(column: Any, header: Any, factor: float = 1.0) -> np.ndarray:
    """A column of times [s], of durations or of moments."""
    try:
        return (factor if np.asarray(column).dtype.kind in "iuf" else 1.0) * seconds(column)
    except (TypeError, ValueError):
        raise PoinsotError(f"the data frame: column '{one_line(str(header), 40)}' does not hold times") from None


def _numbers(column: Any, header: Any) -> np.ndarray:
    try:
        return samples(column)
    except (TypeError, ValueError):
        raise PoinsotError(f"the data frame: column '{one_line(str(header), 40)}' does not hold numbers") from None


def _positions(recording: Recording, whole: Recording, mechanism: Mechanism, name: str) -> list[str]:
    """Columns that hold positions of the coordinates that a motion needs; `whole` is the recording when placed."""
    known, coordinates = known_channels(mechanism), mechanism.coordinates
    kept, strange = {}, []
    for column, channel in whole.channels.items():
        if channel.kind == "position" and mechanism.elements.is_coordinate(channel.place):
            _require_unit(name, column, channel.unit, coordinates[channel.place].unit)
            kept[column] = coordinates[channel.place]
        elif column not in known and not channel.place:
            strange.append(column)
    for column in strange:
        coordinate, unit = strange_unit(column)
        if coordinate in coordinates:
            there = units_like(coordinates[coordinate].unit)
            raise PoinsotError(
                f"{name}: column '{one_line(column, 80)}': '{unit}' is no unit that is known; there are: {there}"
            )
    # A plain column with the name of a drive and its joint is a force in a recording, not in a motion that needs it.
    plain = [c for c in recording if c in coordinates and c not in kept and not recording.channels[c].unit]
    open_ = untold(mechanism, [*kept.values()], [coordinates[c] for c in plain]) if kept else range(len(plain))
    kept |= {plain[k]: coordinates[plain[k]] for k in open_}
    if not kept and strange:
        raise PoinsotError(f"{name}: column '{strange[0]}': {unknown('coordinate', strange[0], coordinates.known)}")
    if not kept:
        raise PoinsotError(
            f"{name}: no column is the position of a coordinate; there are: {listing(coordinates.known)}"
        )
    for column, coordinate in kept.items():
        if coordinate.unit == "rad" and not recording.channels[column].unit:
            _hint_at_degrees(name, column, recording[column])
    once = len(set(kept.values())) == len(kept)  # one coordinate twice is told later
    places = {column: whole.channels[column].place or column for column in kept}
    samples = whole.t, {column: np.asarray(whole[column], float) for column in kept}
    needed = prescribing(mechanism.naming(*places.values()), places, samples) if once else list(kept)
    if strange:
        _note(f"{name}: left out, as no coordinate has that name: {listing(strange)}")
    if follow := [column for column in kept if column not in needed]:
        _note(f"{name}: the motion is prescribed by {listing(needed)}; left out, as it follows: {listing(follow)}")
    return needed


def _note(text: str) -> None:
    warnings.warn(text, stacklevel=2)


def _hint_at_degrees(name: str, column: str, values: np.ndarray) -> None:
    """Say so where plain numbers of an angle go beyond two turns."""
    finite = values[np.isfinite(values)]
    if len(finite) and max(np.abs(finite).max(), np.ptp(finite)) > TWO_TURNS:
        low, high = finite.min(), finite.max()
        _note(
            f"{name}: column '{column}' has no unit and goes from {low:.4g} to {high:.4g} rad; were degrees meant? "
            f"write {column} [deg], or {column} [rad]"
        )


def _require_unit(name: str, column: str, unit: str, wanted: str) -> None:
    if unit and unit != wanted:
        raise PoinsotError(f"{name}: column '{column}' is in {unit}, the coordinate in {wanted}")
