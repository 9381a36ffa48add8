"""From columns of a file to channels of a mechanism: names, units, gains, offsets, and couplings of motors.

y = gain · (x in SI) + offset                    one column
y = R x + b,  y = R⁻¹ x + b,  y = Rᵀ x + b …     several, by a coupling matrix
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from poinsot.errors import PoinsotError, list_of_names, listing, one_line, unknown
from poinsot.model.build.complaints import told
from poinsot.model.file_kinds import COLUMNS, another_kind
from poinsot.model.quantities.parameters import as_value
from poinsot.model.toml import as_path, read_document
from poinsot.recording.filtering.wrapped import TURN, within_a_turn, without_jumps
from poinsot.recording.finding import Finding
from poinsot.recording.readers.table import Table
from poinsot.recording.recording import RecordedChannel, Recording
from poinsot.recording.units import si, split_unit

FASTER = 0.99  # weight below which a turn of an input moves an output by less than one
AT_ZERO = 0.1  # how near to its zero an input starts there  [rad]
COUNTED = "{} jumps by a whole turn of its encoder are taken out, with no turns before the first sample"

__all__ = [
    "ColumnMap",
    "ColumnSpec",
    "Coupling",
    "column_index",
    "column_map",
    "coupled",
    "is_meant",
    "mapped",
    "named_times",
]


class _Spec(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ColumnSpec(_Spec):
    """One channel and the column it comes from."""

    column: str | Annotated[int, Field(ge=1)] | None = None  # header, or number from 1; None: the channel's own name
    file: str = ""  # of several files that are read together: which; "": the one that has the column
    unit: str = ""  # of the column; "" if the header says it
    gain: float = 1.0  # of the value in SI
    offset: float = 0.0  # added after the gain, in the channel's SI unit
    kind: str = ""  # "position", "velocity", "force" …
    place: str = ""  # coordinate, joint, actuator or sensor that it measures
    noise: Annotated[float, Field(ge=0)] = 0.0  # standard deviation of one sample, in SI


TimeColumn = str | int | ColumnSpec
TimeColumns = Annotated[tuple[TimeColumn, ...], Field(min_length=1)]


class Coupling(_Spec):
    """Several channels from several others by a constant matrix, such as joints from motors."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]  # R, one row for every output if applied forward
    apply: Literal["forward", "inverse", "transpose", "inverse-transpose"] = "forward"
    offset: tuple[float, ...] = ()  # b, added to the outputs
    unit: str = ""  # SI unit of the outputs; "": that of the inputs
    kind: str = ""
    places: tuple[str, ...] = ()


class ColumnMap(_Spec):
    """How the columns of a file are read: the contents of a columns file."""

    format: Literal[1] = 1
    time: TimeColumn | TimeColumns | None = None  # column of the times; several: those that a file has
    rate: Annotated[float, Field(gt=0)] | None = None  # samples per second of a file without times  [Hz], or "5 kHz"
    channels: dict[str, ColumnSpec] = {}  # those that are kept; none: all columns under their own names
    couplings: tuple[Coupling, ...] = ()


def _first_turns(name: str, each: float, of: str, whose: str) -> Finding:
    """That an encoder was read within one turn, each of which moves a channel by a part `each` of one."""
    said = "it is read within one turn, and nothing tells its whole turns at the first sample"
    said += f": each is {each * 360:.4g}° of {of}; 0 taken"
    advice = f"give those as offset {whose}, {each * TURN:.5g} rad a turn"
    return Finding("first turns", name, "", each * 360, said, advice)


def _continuous(recording: Recording, coupling: Coupling, R: np.ndarray) -> Recording:
    """The recording with inputs without jumps by whole turns, and findings of those whose first turns are not known:
    a turn of theirs moves an output by less than one, and no offset is given."""
    values, steps, findings = {}, [], []
    for j, name in enumerate(coupling.inputs):
        if recording.units[name] != "rad" or not np.isrealobj(recording[name]):
            continue
        x = np.where(recording.mask(name), recording[name], np.nan)
        good, each = x[np.isfinite(x)], float(np.max(np.abs(R[:, j])))
        values[name], jumps = without_jumps(x)
        steps += [f"'{name}': {COUNTED.format(jumps)}"] if jumps else []
        if (jumps or within_a_turn(good)) and abs(good[0]) > AT_ZERO and 0 < each < FASTER and not coupling.offset:
            findings.append(_first_turns(name, each, listing(coupling.outputs, 8), "of the coupling"))
    if not steps and not findings:
        return recording
    jumped = {name: x for name, x in values.items() if any(step.startswith(f"'{name}'") for step in steps)}
    whole = replace(recording, values={**recording.values, **jumped}, steps=(*recording.steps, *steps))
    return whole.with_findings(findings)


def named_times(columns: ColumnMap) -> tuple[TimeColumn | None, ...]:
    """The time columns that are named, one at least, which may be None."""
    return columns.time if isinstance(columns.time, tuple) else (columns.time,)


def time_columns(columns: ColumnMap) -> list[str | int | None]:
    """Headers or numbers of the time columns that are named."""
    return [one.column if isinstance(one, ColumnSpec) else one for one in named_times(columns)]


def column_map(columns: Any, *, time: Any = None, rate: float | str | None = None, couplings: Any = ()) -> ColumnMap:
    """A map from what a user gives: a columns file, a mapping by channel, or a list of names in order."""
    if isinstance(columns, ColumnMap):
        data: dict[str, Any] = columns.model_dump()
    elif isinstance(columns, str | Path):
        data = read_document(as_path(columns), "a columns file")[1]
    else:
        data = {"channels": _channels(columns)}
    rate = data.get("rate") if rate is None else rate
    rate = as_value(rate, "Hz", "rate") if isinstance(rate, str) else rate
    for key, value in (("time", time), ("rate", rate), ("couplings", None if _none(couplings) else couplings)):
        data |= {key: value} if value is not None else {}
    try:
        return ColumnMap.model_validate(data)
    except ValidationError as error:
        if said := another_kind(data, COLUMNS):
            raise PoinsotError(f"the columns: {said}") from None
        first = error.errors()[0]
        if first["loc"][0] == "time":
            raise PoinsotError(
                "time is the header or number of a column, a table with column and unit, or a list of such, "
                f"not {one_line(repr(data['time']), 60)}"
            ) from None
        place, words = told(error, data)
        raise PoinsotError(f"the columns: {'.'.join(map(str, place))}: {words}") from None


def _none(couplings: Any) -> bool:
    return isinstance(couplings, list | tuple) and not couplings


def _channels(columns: Any) -> dict[str, Any]:
    if columns is None:
        return {}
    if isinstance(columns, Mapping):
        return {n: {"column": c} if isinstance(c, str | int) else c for n, c in columns.items()}
    if isinstance(columns, Sequence) and not isinstance(columns, bytes):
        names = list_of_names(columns, "the columns of a file")
        return {name: {"column": k} for k, name in enumerate(names, 1) if name}
    raise PoinsotError("columns are given as a mapping from channel to column, a list of names, or a file")


def mapped(
    table: Table, columns: ColumnMap, source: str
) -> tuple[dict, dict[str, RecordedChannel], list[str], list[Finding]]:
    """Values and channels of a table in SI units, a sentence for everything that was done, and what was found."""
    wanted = columns.channels or {name: ColumnSpec(column=name) for name in table.names}
    values, channels, steps, findings = {}, {}, [], []
    for name, spec in wanted.items():
        k = column_index(table, name if spec.column is None else spec.column)
        written = spec.unit or table.units[k]
        factor, unit = _si(name, written)
        column = table.columns[k]
        if unit == "rad" and abs(spec.gain) != 1:  # turns of the encoder are none of the channel
            angle, jumps = without_jumps(factor * np.asarray(column, float))
            column = angle / factor if jumps else column
            steps += [f"'{name}': {COUNTED.format(jumps)}"] if jumps else []
            good = angle[np.isfinite(angle)]
            if jumps and abs(spec.gain) < FASTER and not spec.offset and abs(good[0]) > AT_ZERO:
                findings.append(_first_turns(name, abs(spec.gain), name, "in columns="))
        values[name] = _scaled(column, spec.gain * factor, spec.offset)
        kind = spec.kind or (table.kinds[k] if table.kinds else "")
        scale = (spec.gain * factor, spec.offset)
        place = spec.place or (table.places[k] if table.places else "")
        channels[name] = RecordedChannel(name, unit, kind, place, f"{table.names[k]} of {source}", spec.noise, scale)
        steps += _said(name, table.names[k], spec, written, factor, unit)
    return values, channels, steps, findings


def _scaled(column: np.ndarray, gain: float, offset: float) -> np.ndarray:
    return column if gain == 1 and offset == 0 else gain * column + offset


def _said(name: str, column: str, spec: ColumnSpec, written: str, factor: float, unit: str) -> list[str]:
    done = [f"read from column '{column}'"] if name != column else []
    done += [f"{written} → {unit}"] if factor != 1 else []
    done += [f"times {spec.gain:g}"] if spec.gain != 1 else []
    done += [f"plus {spec.offset:g} {unit}"] if spec.offset else []
    return [f"'{name}': {', '.join(done)}"] if done else []


def _si(name: str, unit: str) -> tuple[float, str]:
    try:
        return si(unit)
    except PoinsotError as error:
        raise PoinsotError(f"channel '{name}': {error}") from None


def column_index(table: Table, column: str | int) -> int:
    """Number of a column, from its name, its header as the file has it, or its number from 1."""
    if isinstance(column, int):
        if not 1 <= column <= len(table.names):
            raise PoinsotError(f"there is no column {column}; there are: {listing(table.headers or table.names)}")
        return column - 1
    if column in table.names:
        return table.names.index(column)
    unit = split_unit(column)[1]
    for k, (name, written) in enumerate(zip(table.names, table.units)):
        if is_meant(column, name) and unit in ("", written):
            return k
    if column in table.headers:
        raise PoinsotError(f"column '{one_line(column, 80)}' holds no numbers")
    raise PoinsotError(unknown("column", column, table.headers or table.names))


def is_meant(column: str, name: str) -> bool:
    """Whether a header may be that of a column of this name: with a unit behind it, one of several of that name.

    >>> is_meant("q1 [deg]", "q1"), is_meant("time_ms", "time"), is_meant("q1_deg", "q1_2"), is_meant("q1", "q2")
    (True, True, True, False)
    """
    short, unit = split_unit(column)
    return name in (column, short) or (unit != "" and re.sub(r"_\d+$", "", name) == short)


def coupled(recording: Recording, coupling: Coupling | Mapping[str, Any]) -> Recording:
    """The recording with the outputs of a coupling, whose inputs stay.

    With the matrix R of motors and joints q_m = R q: joints by "inverse", torques τ = Rᵀ τ_m by "transpose".

    >>> rec = Recording.of([0.0, 1.0], {"m1": [2.0, 4.0], "m2": [3.0, 5.0]}, units={"m1": "rad", "m2": "rad"})
    >>> two = {"inputs": ("m1", "m2"), "outputs": ("q1", "q2"), "matrix": ((2, 0), (1, 1)), "apply": "inverse"}
    >>> coupled(rec, two)["q2"].tolist()
    [2.0, 3.0]
    """
    c = Coupling.model_validate(coupling) if isinstance(coupling, Mapping) else coupling
    R = np.array(c.matrix, float)
    R = R.T if "transpose" in c.apply else R
    if "inverse" in c.apply:
        if R.ndim != 2 or R.shape[0] != R.shape[1] or np.linalg.matrix_rank(R) < len(R):
            raise PoinsotError(f"the coupling matrix of {listing(c.outputs)} cannot be inverted")
        R = np.linalg.inv(R)
    if R.shape != (len(c.outputs), len(c.inputs)):
        raise PoinsotError(
            f"a coupling of {len(c.inputs)} inputs and {len(c.outputs)} outputs needs a matrix of "
            f"{len(c.outputs)} × {len(c.inputs)}, not {' × '.join(map(str, R.shape))}"
        )
    offset = np.array(c.offset or np.zeros(len(c.outputs)))
    if offset.shape != (len(c.outputs),) or len(c.places) not in (0, len(c.outputs)):
        raise PoinsotError(f"the coupling of {listing(c.outputs)} needs one offset and one place an output")
    recording = _continuous(recording, c, R)
    x = recording.table(c.inputs)
    y = np.stack([x[:, row != 0] @ row[row != 0] for row in R], axis=1) + offset  # a masked input of weight 0 is none
    first = recording.channels[c.inputs[0]]
    channels = {
        name: RecordedChannel(
            name,
            c.unit or first.unit,
            c.kind or first.kind,
            c.places[k] if c.places else "",
            f"coupled from {listing(c.inputs, 8)}",
            float(np.sqrt(sum((R[k, j] * recording.channels[n].noise) ** 2 for j, n in enumerate(c.inputs)))),
        )
        for k, name in enumerate(c.outputs)
    }
    step = f"{listing(c.outputs, 8)} follow from {listing(c.inputs, 8)} by a coupling matrix ({c.apply})"
    found = recording.with_channels({name: y[:, k] for k, name in enumerate(c.outputs)}, channels, step)
    inputs = sorted({*found.constants.get("coupled", ()), *c.inputs})
    return replace(found, constants={**found.constants, "coupled": inputs})
