"""Text exports of DataPhysics analysers: a header, then frequency or time, and real and imaginary parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from poinsot.recording.readers.csv import read_table
from poinsot.recording.readers.dialect import decode, dialect_of
from poinsot.recording.readers.table import ReadRequest, Table
from poinsot.recording.recording import Axis
from poinsot.recording.text import head_of
from poinsot.recording.units import known_unit

__all__ = ["is_dataphysics", "read_dataphysics"]

_COLUMNS = re.compile(r"^(Frequency|Time)\t.*$", re.M)
_UNITS = re.compile(r"^Units:\s*\n(.+)$", re.M)
_RATIO = re.compile(r"^\((.+)\)\s*/?\s*\((.+)\)$")  # (m/s²)(N) is written for (m/s²)/N


def is_dataphysics(head: bytes) -> bool:
    """Whether the first bytes of a text are those of such an export."""
    text = _plain(head[:8192].decode("latin-1"))
    return bool((columns := _COLUMNS.search(text)) and _UNITS.search(text, columns.end()))


def read_dataphysics(path: Path, request: ReadRequest) -> Table:
    """A table of an exported function; real and imaginary parts are one complex channel with the file's name."""
    head = head_of(path)
    text = _plain(decode(head)[0])
    columns = _COLUMNS.search(text)
    assert columns is not None
    header = [field.strip() for field in columns[0].split("\t")]
    under = _UNITS.search(text, columns.end())
    units = [field.strip() for field in under[1].split("\t")] if under else []
    units = (units + [""] * len(header))[: len(header)]
    dialect = dialect_of(head)
    about = [line for line in text[: columns.start()].split("\n") if line.strip()]
    if len(header) == len(dialect.names):
        dialect = replace(dialect, names=tuple(_unique(header)), units=tuple(units), comments=tuple(about))
    table = read_table(path, dialect, replace(request, wanted=lambda name: True))
    return _function(table, path.name.split(".")[0], units, request)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _unique(names: Sequence[str]) -> list[str]:
    return [name if name not in names[:k] else f"{name}_{k + 1}" for k, name in enumerate(names)]


def _function(table: Table, name: str, units: Sequence[str], request: ReadRequest) -> Table:
    """Complex channels over frequency, real ones over time."""
    x, *rest = table.columns
    names = [n.lower() for n in table.names]
    if len(rest) >= 2 and names[1].startswith("real") and names[2].startswith("imag"):
        values = [re + 1j * im for re, im in zip(rest[::2], rest[1::2])]
        written = [_ratio(unit) for unit in units[1::2]]
    else:
        values, written = list(rest), [_ratio(unit) for unit in units[1:]]
    channels = [name] if len(values) == 1 else [f"{name}.{k + 1}" for k in range(len(values))]
    over = Axis.FREQUENCY if names[0].startswith("freq") else Axis.TIME
    complex_kind = "frequency response" if np.iscomplexobj(values[0]) else ""
    kept = [k for k, channel in enumerate(channels) if request.wanted(channel)] or list(range(len(channels)))
    return replace(
        table,
        names=tuple(channels[k] for k in kept),
        units=tuple(written[k] if k < len(written) else "" for k in kept),
        columns=tuple(values[k] for k in kept),
        format="dataphysics",
        abscissa=x,
        axis=over,
        kinds=(complex_kind,) * len(kept),
    )


def _ratio(unit: str) -> str:
    match = _RATIO.match(unit)
    return known_unit(f"({match[1]})/({match[2]})" if match else unit)
