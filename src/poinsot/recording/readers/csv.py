"""Text tables of any dialect, in blocks: what is read at once is bounded, whatever the size of the file.

A block of plain numbers is converted by Arrow if it is installed, else by NumPy; a block with anything else in it is
read field by field, so that what is wrong can be named with its line.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.readers.dialect import MISSING, Dialect, dialect_of, fields_of, number
from poinsot.recording.readers.table import Table

__all__ = ["read_csv"]

HEAD = 1 << 18  # bytes that tell the dialect
BLOCK = 1 << 24  # bytes that are converted at once


def read_csv(
    path: Path,
    *,
    wanted: Callable[[str], bool] = lambda name: True,
    every: int = 1,
    digest: Any = None,
) -> Table:
    """A table from a text file, gzip or plain; `digest` is fed with the bytes of the file.

    Only `wanted` columns are kept, and means of `every` so many rows.
    """
    with _opened(path, digest) as file:
        head = file.read(HEAD)
        dialect = dialect_of(head)
        parts = _Parts(dialect, [j for j, name in enumerate(dialect.names) if wanted(name)], every)
        for block in _blocks(file, head, dialect):
            parts.add(block)
    return parts.table()


class _Counted(io.RawIOBase):
    """A file whose bytes go through a digest while they are read."""

    def __init__(self, file: IO[bytes], digest: Any):
        self.file, self.digest = file, digest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        if self.digest is not None:
            self.digest.update(data)
        return len(data)

    def close(self) -> None:
        self.file.close()
        super().close()


def _opened(path: Path, digest: Any) -> IO[bytes]:
    """A stream of the file's text, decompressed where it is gzip."""
    raw = io.BufferedReader(_Counted(open(path, "rb"), digest), 1 << 20)  # noqa: SIM115
    if raw.peek(2)[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]
    return raw


def _blocks(file: IO[bytes], head: bytes, dialect: Dialect) -> Iterator[bytes]:
    """Whole lines of the body, a block at a time, in UTF-8."""
    rest, skip = head, dialect.first_row
    if dialect.encoding.startswith("utf-16"):  # rare, and small
        rest, skip = (head + file.read()).decode("utf-16", "replace").encode(), skip
    ended = False
    while not ended:
        more = _read(file, max(1, BLOCK - len(rest)))
        ended = not more
        rest += more
        if b"\r" in rest:
            rest = rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if rest[-1:] != b"\r" or ended else rest
        while skip and (cut := rest.find(b"\n")) >= 0:
            rest, skip = rest[cut + 1 :], skip - 1
        cut = len(rest) if ended else rest.rfind(b"\n") + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]


def _read(file: IO[bytes], size: int) -> bytes:
    try:
        return file.read(size)
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        raise PoinsotError(f"the compressed file is damaged: {error}") from None
    except Exception as error:  # zlib.error has no public base
        raise PoinsotError(f"the compressed file is damaged: {error}") from None


@dataclass
class _Parts:
    """Columns while a file is read: k lists of arrays, and what was wrong."""

    dialect: Dialect
    kept: Sequence[int]  # columns that are wanted
    every: int = 1
    columns: list[list[np.ndarray]] = field(default_factory=list)
    line: int = 0  # lines of the body before the block
    ragged: list[int] = field(default_factory=list)  # lines with another number of fields
    unread: dict[int, list[int]] = field(default_factory=dict)  # column -> lines with something else than a number
    pending: np.ndarray | None = None  # rows that wait for others to be averaged with

    def __post_init__(self) -> None:
        self.line = self.dialect.first_row
        self.kept = [j for j in self.kept if self.dialect.kinds[j] != "text"]
        self.columns = [[] for _ in self.kept]

    def add(self, block: bytes) -> None:
        """Convert a block of whole lines."""
        rows = _fast(block, self.dialect, self.kept)
        if rows is None:
            rows = self._carefully(block)
            self.line += block.count(b"\n")
        else:
            self.line += len(rows[0]) if rows else 0
        if self.every > 1:
            rows = self._averaged(rows)
        for parts, column in zip(self.columns, rows):
            parts.append(column)

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
            if len(fields) != width and not (len(fields) == width + 1 and not fields[-1].strip()):
                self.ragged.append(k)
                continue
            rows.append([self._value(fields[j], j, k) for j in self.kept])
        return list(np.array(rows, float).reshape(-1, len(self.kept)).T)

    def _value(self, text: str, column: int, line: int) -> float:
        if self.dialect.kinds[column] == "date":
            with suppress(ValueError):
                return np.datetime64(text.strip(), "ns").astype(np.int64) * 1e-9
        value = number(text, self.dialect.decimal)
        if value is None and text.strip().lower() in MISSING:
            return np.nan
        if value is None:
            self.unread.setdefault(column, []).append(line)
            return np.nan
        return value

    def table(self) -> Table:
        """The table, with what was wrong as findings."""
        d = self.dialect
        columns = []
        for parts in self.columns:
            columns.append(np.concatenate(parts) if parts else np.zeros(0))
            parts.clear()
        if not columns or not len(columns[0]):
            raise PoinsotError("no rows of numbers were found in this text")
        units = tuple("s" if d.kinds[j] == "date" else d.units[j] for j in self.kept)
        return Table(
            tuple(d.names[j] for j in self.kept),
            units,
            tuple(columns),
            "csv",
            constants={"header": "\n".join(d.comments)} if d.comments else {},
            findings=tuple(self._findings()),
        )

    def _findings(self) -> Iterator[Finding]:
        d = self.dialect
        for name, holds in zip(d.names, d.kinds):
            if holds == "text":
                message = "a column of text is left out"
                yield Finding("text", name, "", 0.0, message, "nothing to do", Severity.NOTE, mended=True)
        if self.ragged:
            n = len(self.ragged)
            message = f"{n} lines have another number of fields than {len(d.names)} and are left out"
            advice = "see whether the file was cut or two were joined"
            yield Finding("ragged", "", _lines(self.ragged), n, message, advice, mended=True)
        for j, lines in self.unread.items():
            message = f"{len(lines)} fields are no numbers and are masked"
            advice = "see what the logger writes there"
            yield Finding("unreadable", d.names[j], _lines(lines), len(lines), message, advice, mended=True)


def _lines(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - 3} more" if len(numbers) > 3 else ""
    return f"in lines {', '.join(map(str, numbers[:3]))}{more}"


def _fast(block: bytes, dialect: Dialect, kept: Sequence[int]) -> list[np.ndarray] | None:
    """Columns of a block of plain numbers, None if it holds anything else."""
    if any(dialect.kinds[j] != "number" for j in kept):
        return None
    try:
        return _by_arrow(block, dialect, kept) if dialect.delimiter else _by_numpy(block, dialect, kept)
    except ImportError:
        return _by_numpy(block, dialect, kept)
    except ValueError:  # Arrow's errors are some
        return None


def _by_arrow(block: bytes, dialect: Dialect, kept: Sequence[int]) -> list[np.ndarray]:
    from pyarrow import csv, float64

    names = [str(j) for j in range(len(dialect.names))]
    wanted = [str(j) for j in kept]
    table = csv.read_csv(
        io.BytesIO(block),
        read_options=csv.ReadOptions(column_names=names, block_size=1 << 22),
        parse_options=csv.ParseOptions(delimiter=dialect.delimiter),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(wanted, float64()),
            include_columns=wanted,
            decimal_point=dialect.decimal,
            null_values=["", "nan", "NaN", "NAN"],  # anything else is read with its line
        ),
    )
    return [table.column(name).to_numpy() for name in wanted]


def _by_numpy(block: bytes, dialect: Dialect, kept: Sequence[int]) -> list[np.ndarray]:
    text = block.decode("latin-1")
    if dialect.decimal == ",":
        text = text.replace(",", ".")
    lines = io.StringIO(text)
    first = text.split("\n", 1)[0]
    if len(fields_of(first, dialect.delimiter)) != len(dialect.names):
        raise ValueError("another number of fields")
    rows = np.loadtxt(lines, delimiter=dialect.delimiter or None, usecols=kept, ndmin=2, comments=None)
    return list(rows.T)
