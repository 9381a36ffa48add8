"""Parquet files, a group of rows at a time; only columns that are asked for are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import MissingExtraError, PoinsotError, listing
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.readers.foreign import foreign
from poinsot.recording.readers.table import ReadRequest, Table
from poinsot.recording.units import split_unit

__all__ = ["read_parquet"]

ROWS = 1 << 17  # that are converted at once


def read_parquet(path: Path, request: ReadRequest) -> Table:
    """A table of the numeric columns of a Parquet file; times as dates become seconds since 1970."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("reading Parquet files", "pyarrow", "data") from None
    with foreign("a Parquet file"), pq.ParquetFile(path, memory_map=False) as file:
        fields = list(file.schema_arrow)
        headers = {field.name: split_unit(field.name) for field in fields}
        kept = [f for f in fields if request.wanted(headers[f.name][0]) and _is_numeric(pa, f.type)]
        blocks: list[list[np.ndarray]] = [[] for _ in kept]
        for batch in file.iter_batches(ROWS, columns=[f.name for f in kept]):
            for parts, column in zip(blocks, batch.columns):
                parts.append(_numbers(pa, column))
    if not kept or not blocks[0]:
        raise PoinsotError(f"none of its columns of numbers is asked for; there are: {listing(headers)}")
    dates = [pa.types.is_timestamp(f.type) for f in kept]
    units = ["s" if date else _unit(f) or headers[f.name][1] for f, date in zip(kept, dates)]
    names = [headers[f.name][0] for f in kept]
    if len(set(names)) < len(names):
        names = [f.name for f in kept]
    columns = tuple(np.concatenate(parts) for parts in blocks)
    others = [f.name for f in fields if not _is_numeric(pa, f.type)]
    message = f"{listing(others)}: no numbers, left out"
    notes = (Finding("left out", "", "", len(others), message, "nothing to do", Severity.NOTE),) if others else ()
    return Table(tuple(names), tuple(units), columns, "parquet", findings=notes)


def _is_numeric(pa: Any, type: Any) -> bool:
    t = pa.types
    return t.is_floating(type) or t.is_integer(type) or t.is_boolean(type) or t.is_timestamp(type)


def _numbers(pa: Any, column: Any) -> np.ndarray:
    """A column of a batch in double precision, NaN where it is empty."""
    if pa.types.is_timestamp(column.type):
        ns = column.cast(pa.timestamp("ns", tz=column.type.tz)).cast(pa.int64())
        return ns.to_numpy(zero_copy_only=False) * 1e-9
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def _unit(field: Any) -> str:
    """The unit that the metadata of a column give."""
    about = field.metadata or {}
    return next((about[key].decode("utf-8", "replace") for key in (b"unit", b"units") if key in about), "")
