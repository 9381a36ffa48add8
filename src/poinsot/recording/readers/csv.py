"""Text tables of any dialect, in blocks: what is read at once is bounded, whatever the size of the file.

A block of plain numbers is converted by Arrow if it is installed, else by NumPy; a block with anything else in it is
read field by field, so that what is wrong can be named with its line.
"""

from __future__ import annotations

import io
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from poinsot.errors import PoinsotError, counted
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.readers.dialect import (
    COMMENTS,
    MISSING,
    Dialect,
    dialect_of,
    fields_of,
    moment,
    number,
    quantity,
)
from poinsot.recording.readers.table import ReadRequest, Table
from poinsot.recording.text import BLOCK, head_of, text_blocks
from poinsot.recording.units import split_unit

__all__ = ["read_csv", "read_table"]

PIECE = 1 << 16  # bytes of a damaged block that are read field by field
GROWTH = 1.25  # of the room for samples, where it is too small
_progress = logging.getLogger("poinsot.progress")


def read_csv(path: Path, request: ReadRequest) -> Table:
    """A table from a text file, gzip or plain, in whatever dialect it is written."""
    return read_table(path, dialect_of(head_of(path)), request)


def read_table(path: Path, dialect: Dialect, request: ReadRequest, until: bytes = b"", short: int = 0) -> Table:
    """A table from a text of a known dialect; `until` what begins another table, `short`: fields that may lack."""
    every = range(len(dialect.names))
    kept = [j for j in every if request.wanted(dialect.names[j])] or every  # none: an error will name them
    parts = _Parts(dialect, kept, request.every, short)
    for k, block in enumerate(text_blocks(path, dialect.encoding, dialect.first_row, parts.cut_off)):
        _progress.info("%s: %d MB of text", path.name, k * BLOCK >> 20)
        ended = block.find(until) if until else -1
        parts.add(block if ended < 0 else block[: ended + 1])
        if ended >= 0:
            parts.cut_off("the file has further segments, which are left out")
            break
    return parts.table()


class _Column:
    """Samples that grow in place: what is converted is copied at once, and the memory of a block is free."""

    def __init__(self) -> None:
        self._room, self._count = np.empty(0), 0

    def __len__(self) -> int:
        return self._count

    def append(self, x: np.ndarray) -> None:
        """Put samples (m,) behind the others."""
        end = self._count + len(x)
        if end > len(self._room):
            self._room.resize(max(end, int(GROWTH * len(self._room))), refcheck=False)
        self._room[self._count : end] = x
        self._count = end

    def whole(self) -> np.ndarray:
        """All samples (n,); nothing is put behind them any more."""
        self._room.resize(self._count, refcheck=False)
        return self._room


@dataclass
class _Parts:
    """Columns while a file is read: k of them, and what was wrong."""

    dialect: Dialect
    kept: Sequence[int]  # columns that are wanted
    every: int = 1
    short: int = 0  # fields at the end that a line may lack
    columns: list[_Column] = field(default_factory=list)
    line: int = 0  # lines of the file before the block
    ragged: list[int] = field(default_factory=list)  # lines with another number of fields
    unread: dict[int, list[int]] = field(default_factory=dict)  # column -> lines with something else than a number
    pending: np.ndarray | None = None  # rows that wait for others to be averaged with
    cut: str = ""  # why the file ends before its end

    def __post_init__(self) -> None:
        self.line = self.dialect.first_row
        self.kept = [j for j in self.kept if self.dialect.kinds[j] != "text"]
        self.columns = [_Column() for _ in self.kept]

    def cut_off(self, why: str) -> None:
        """Note why the file ends here."""
        self.cut = why

    def add(self, block: bytes) -> None:
        """Convert a block of whole lines; what is not plain is halved until little is read field by field."""
        rows = _fast(block, self.dialect, self.kept)
        middle = block.rfind(b"\n", 0, len(block) // 2) + 1
        if rows is None and len(block) > PIECE and middle:
            self.add(block[:middle])
            return self.add(block[middle:])
        if rows is None:
            rows = self._carefully(block)
        self.line += int(np.count_nonzero(np.frombuffer(block, np.uint8) == 10))  # line feeds
        if self.every > 1:
            rows = self._averaged(rows)
        for column, x in zip(self.columns, rows):
            column.append(x)
        return None

    def _averaged(self, rows: list[np.ndarray]) -> list[np.ndarray]:
        table = np.stack(rows) if rows else np.zeros((0, 0))
        if self.pending is not None:
            table = np.concatenate([self.pending, table], axis=1)
        whole = table.shape[1] // self.every * self.every
        self.pending = table[:, whole:]
        return list(table[:, :whole].reshape(len(rows), -1, self.every).mean(axis=2))

    def _carefully(self, block: bytes) -> list[np.ndarray]:
        """Field by field; what is no number is NaN, and its line is noted."""
        width, rows = len(self.dialect.names), []
        for k, line in enumerate(block.decode("utf-8", "replace").split("\n"), self.line + 1):
            if not line.strip():
                continue
            fields = fields_of(line, self.dialect.delimiter)
            if len(fields) == width + 1 and not fields[-1].strip():
                fields.pop()
            if not width - self.short <= len(fields) <= width:
                if not line.lstrip().startswith(COMMENTS):
                    self.ragged.append(k)
                continue
            rows.append([self._value(fields[j], j, k) for j in self.kept])
        return list(np.array(rows, float).reshape(len(rows), len(self.kept)).T)

    def _value(self, text: str, column: int, line: int) -> float:
        if self.dialect.kinds[column] == "date" and (since := moment(text)) is not None:
            return since
        if self.dialect.kinds[column] == "quantity":
            value = quantity(text, self.dialect.units[column], self.dialect.decimal)
        else:
            value = number(text, self.dialect.decimal)
        if value is None and text.strip().lower() in MISSING:
            return np.nan
        if value is None:
            self.unread.setdefault(column, []).append(line)
            return np.nan
        return value

    def table(self) -> Table:
        """The table, with what was wrong as findings."""
        d, findings = self.dialect, tuple(self._findings())
        columns = [column.whole() for column in self.columns]
        if not columns or not len(columns[0]):
            raise PoinsotError("no rows of numbers were found in this text")
        units = tuple("s" if d.kinds[j] == "date" else d.units[j] for j in self.kept)
        return Table(
            tuple(d.names[j] for j in self.kept),
            units,
            tuple(columns),
            "csv",
            constants={"header": "\n".join(d.comments)} if d.comments else {},
            findings=findings,
            headers=d.headers,
        )

    def _findings(self) -> Iterator[Finding]:
        d = self.dialect
        commas = [d.names[j] for j in np.flatnonzero(d.comma)]
        if self.cut:
            rows = len(self.columns[0]) if self.columns else 0
            advice = "see whether the file was cut off" if "damaged" in self.cut else "write one segment a file"
            yield Finding("cut", "", f"after {counted(rows, 'row')}", rows, self.cut, advice, mended=True)
        for name in commas:
            message = "its numbers have a decimal comma, those of other columns a point: it is left out"
            yield Finding("decimal comma", name, "", 1, message, "write all numbers alike", Severity.ERROR)
        for name, holds in zip(d.names, d.kinds):
            if holds == "text" and name not in commas:
                message = "a column of text is left out"
                yield Finding("text", name, "", 0.0, message, "nothing to do", Severity.NOTE, mended=True)
        named = Counter(split_unit(header)[0] for header in d.headers)
        for name in (name for name, count in named.items() if name and count > 1):
            message = f"{named[name]} columns are headed '{name}': the second is called '{name}_2'"
            yield Finding("duplicate", name, "", named[name], message, "see which one is meant")
        if self.ragged:
            n = len(self.ragged)
            have, are = ("line has", "is") if n == 1 else ("lines have", "are")
            message = f"{n} {have} another number of fields than {len(d.names)} and {are} left out"
            advice = "see whether the file was cut or two were joined"
            yield Finding("ragged", "", _lines(self.ragged), n, message, advice, mended=True)
        for j, lines in self.unread.items():
            one = "field is no number and is masked"
            message = f"{len(lines)} {one if len(lines) == 1 else 'fields are no numbers and are masked'}"
            advice = "see what the logger writes there"
            yield Finding("unreadable", d.names[j], _lines(lines), len(lines), message, advice, mended=True)


def _lines(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - 3} more" if len(numbers) > 3 else ""
    return f"in line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:3]))}{more}"


def _fast(block: bytes, dialect: Dialect, kept: Sequence[int]) -> list[np.ndarray] | None:
    """Columns of a block of plain numbers, None if it holds anything else."""
    if any(dialect.kinds[j] != "number" for j in kept):
        return None
    for convert in (_by_arrow, _by_numpy):
        with suppress(ImportError, ValueError):  # Arrow's errors are some
            return convert(block, dialect, kept)
    return None


def _by_arrow(block: bytes, dialect: Dialect, kept: Sequence[int]) -> list[np.ndarray]:
    from pyarrow import BufferReader, csv, float64

    if not dialect.delimiter:
        raise ValueError("runs of blanks")
    names = [str(j) for j in range(len(dialect.names))]
    wanted = [str(j) for j in kept]
    table = csv.read_csv(
        BufferReader(block),
        read_options=csv.ReadOptions(column_names=names, block_size=1 << 20),
        parse_options=csv.ParseOptions(delimiter=dialect.delimiter),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(wanted, float64()),
            include_columns=wanted,
            decimal_point=dialect.decimal,
            null_values=["", "nan", "NaN", "NAN"],  # anything else is read with its line
        ),
    )
    if table.num_rows != _rows_in(block):
        raise ValueError("rows are missing")  # seen once: Arrow gave the first MB of a block, and no error
    return [table.column(name).to_numpy() for name in wanted]


def _rows_in(block: bytes) -> int:
    """Lines of a block that are not empty; a few too many where several empty ones follow each other."""
    ends = int(np.count_nonzero(np.frombuffer(block, np.uint8) == 10)) + (not block.endswith(b"\n"))
    return ends - block.count(b"\n\n") - block.count(b"\n\r\n") - block.startswith((b"\n", b"\r\n"))


def _by_numpy(block: bytes, dialect: Dialect, kept: Sequence[int]) -> list[np.ndarray]:
    if any(holds != "number" for holds in dialect.kinds):
        raise ValueError("a column of text")
    text = block.decode("latin-1")
    if dialect.decimal == ",":
        text = text.replace(",", ".")
    rows = np.loadtxt(io.StringIO(text), delimiter=dialect.delimiter or None, ndmin=2, comments=None)
    if rows.shape[1] != len(dialect.names):
        raise ValueError("another number of fields")
    return list(rows.T[list(kept)])
