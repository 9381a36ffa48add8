"""LabVIEW text: measurement files (.lvm) and exported waveforms, whose headers give start, step, names and units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.readers.csv import read_table
from poinsot.recording.readers.dialect import Dialect, decode, fields_of, number
from poinsot.recording.readers.table import ReadRequest, Table
from poinsot.recording.text import head_of
from poinsot.recording.units import known_unit, split_unit

__all__ = ["is_labview", "read_labview"]

_END = "***End_of_Header***"
_SIGNS = {"tab": "\t", "comma": ",", "semicolon": ";"}
_WAVEFORM = re.compile(r"^waveform\t.*\n(t0\t.*\n)?delta t\t", re.I)


def is_labview(head: bytes) -> bool:
    """Whether the first bytes of a text are those of LabVIEW."""
    text = head[:8192].decode("latin-1").replace("\r\n", "\n")
    return text.startswith("LabVIEW Measurement") or bool(_WAVEFORM.match(text))


def read_labview(path: Path, request: ReadRequest) -> Table:
    """A table of a LabVIEW text; of a measurement file with several segments the first."""
    head = head_of(path)
    text, encoding = decode(head)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[0].startswith("LabVIEW Measurement"):
        return _waveform(path, lines, encoding, request)
    ends = [k for k, line in enumerate(lines) if line.strip().startswith(_END)]
    if not ends:
        raise PoinsotError("the header of this LabVIEW file has no end")
    delimiter = next((_SIGNS[_value(line).lower()] for line in lines if _is_separator(line)), "\t")
    decimal = next((_value(line) or "." for line in lines[: ends[0]] if line.startswith("Decimal_Separator")), ".")
    about = _keys(lines[: ends[0]], delimiter)
    segment = _keys(lines[ends[0] + 1 : ends[1]], delimiter) if len(ends) > 1 else {}
    first = ends[min(1, len(ends) - 1)] + 1
    while first < len(lines) and not lines[first].strip():
        first += 1
    if first >= len(lines):
        raise PoinsotError("this LabVIEW file has no samples")
    names = [name.strip() for name in lines[first].split(delimiter)]
    if not any(number(name, decimal) is None for name in names if name):
        names, first = [f"column{k + 1}" for k in range(len(names))], first - 1
    return _segment(path, (names, first + 1, delimiter, decimal, encoding), about, segment, request)


def _is_separator(line: str) -> bool:
    return line.startswith("Separator") and _value(line).lower() in _SIGNS


def _value(line: str) -> str:
    """What stands behind the key of a line of the header."""
    return re.split(r"[\t;,]", line, maxsplit=1)[-1].strip() if len(line) < 4096 else ""


def _keys(lines: list[str], delimiter: str) -> dict[str, list[str]]:
    """The header by key."""
    pairs = (line.split(delimiter) for line in lines if delimiter in line)
    return {fields[0].strip(): [f.strip() for f in fields[1:]] for fields in pairs}


def _segment(
    path: Path,
    layout: tuple[list[str], int, str, str, str],
    about: Mapping[str, list[str]],
    segment: Mapping[str, list[str]],
    request: ReadRequest,
) -> Table:
    names, first, delimiter, decimal, encoding = layout
    comment = names[-1].lower() == "comment"
    names = [name or f"column{k + 1}" for k, name in enumerate(names[:-1] if comment else names)]
    named = [split_unit(name) for name in names]
    timed = names[0] == "X_Value"
    labels = segment.get("Y_Unit_Label", [])
    units = [unit for _, unit in named]
    for k in range(len(units) - timed):
        units[k + timed] = units[k + timed] or known_unit(labels[k] if k < len(labels) else "")
    columns = tuple(["t" if timed else named[0][0], *(name for name, _ in named[1:])])
    if len(set(columns)) < len(columns):
        columns = tuple(f"{name}_{k}" if columns.index(name) < k else name for k, name in enumerate(columns))
    kinds = ("number",) * len(columns) + (("text",) if comment else ())
    dialect = Dialect(
        encoding,
        delimiter,
        decimal,
        first,
        columns + (("comment",) if comment else ()),
        tuple(["s" if timed else units[0], *units[1:]]) + (("",) if comment else ()),
        kinds,
        (),
    )
    table = read_table(path, dialect, request, until=b"\nChannels" + delimiter.encode(), short=1 if comment else 0)
    step = number((segment.get("Delta_X") or [""])[0], decimal)
    without = about.get("X_Columns", ["One"])[0].lower() == "no"
    rate = 1 / step if without and step and step > 0 else None
    if without and rate:  # the column of times is there, and empty
        kept = [k for k, name in enumerate(table.names) if name != "t" or np.isfinite(table.columns[k]).any()]
        parts = {field: tuple(getattr(table, field)[k] for k in kept) for field in ("names", "units", "columns")}
        table = replace(table, **parts)
    constants = {key: values[0] for key, values in {**about, **segment}.items() if values and values[0]}
    return replace(table, format="labview", rate=rate, constants=constants)


def _waveform(path: Path, lines: list[str], encoding: str, request: ReadRequest) -> Table:
    """An exported waveform: its step, then a column of times as text, and the samples."""
    step = next((number(f, ".") for line in lines[:4] if line.lower().startswith("delta t") for f in _after(line)), 0)
    start = next((k for k, line in enumerate(lines) if re.match(r"time(\[\d+\])?\t", line, re.I)), None)
    if not step or step <= 0 or start is None:
        raise PoinsotError("this LabVIEW waveform has no step, or no line of names above its samples")
    width = len(fields_of(lines[start + 1], "\t")) if start + 1 < len(lines) else 2
    names = tuple("date" if k == 0 else f"Y{k - 1}" for k in range(width))
    kinds = ("text", *("number",) * (width - 1))
    dialect = Dialect(encoding, "\t", ".", start + 1, names, ("",) * width, kinds, tuple(lines[:start]))
    table = read_table(path, dialect, request)
    return replace(
        table, format="labview", rate=1 / step, findings=tuple(f for f in table.findings if f.code != "text")
    )


def _after(line: str) -> list[str]:
    return [f for f in line.split("\t")[1:] if f.strip()]
