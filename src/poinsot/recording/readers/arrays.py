"""Named arrays of a file become columns over one clock: those that share the length of most samples.

Scalars and texts are constants, and so are small arrays of another length; large ones are left out, and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.readers.table import Table

__all__ = ["column_names", "common_length", "rate_in", "table_of_arrays"]

SMALL = 10_000  # numbers of an array that is kept as a constant
RATES = ("sampling_rate", "sample_rate", "samplerate", "sampling_frequency", "fs")  # [Hz]
STEPS = ("dt", "ts", "delta_t", "sample_time", "sampling_time", "sampling_period")  # [s]


def common_length(shapes: Mapping[str, tuple[int, ...]]) -> int:
    """Number of samples n of the arrays that hold most of all numbers; n is one of their two dimensions."""
    held: Counter[int] = Counter()
    for shape in shapes.values():
        if 1 <= len(shape) <= 2:
            for n in set(shape):
                held[n] += int(np.prod(shape))
    return max(held, key=lambda n: (held[n], n), default=0)


def column_names(name: str, shape: tuple[int, ...], n: int) -> tuple[str, ...]:
    """Names of the columns that an array gives; none if it has not n samples."""
    if n not in shape or n < 2 or not 1 <= len(shape) <= 2:
        return ()
    k = int(np.prod(shape)) // n
    sign = "_" if name[-1:].isdigit() else ""
    return (name,) if k == 1 else tuple(f"{name}{sign}{j + 1}" for j in range(k))


def rate_in(constants: Mapping[str, Any]) -> float | None:
    """Samples per second that a constant of a usual name gives  [Hz]."""
    for name, value in constants.items():
        last = name.lower().rsplit(".", 1)[-1]
        if last in (*RATES, *STEPS) and isinstance(value, float | int) and 0 < value < 1e9:
            return float(value) if last in RATES else 1 / float(value)
    return None


def table_of_arrays(
    arrays: Mapping[str, np.ndarray],
    constants: Mapping[str, Any],
    format: str,
    wanted: Callable[[str], bool],
    *,
    units: Mapping[str, str] | None = None,
    across: bool = False,
    left_out: tuple[str, ...] = (),
) -> Table:
    """A table of arrays (n,), (n, k) or (k, n) by name; `across`: a square one holds samples (k, n)."""
    n = common_length({name: a.shape for name, a in arrays.items()})
    constants, names, columns, said, dropped = dict(constants), [], [], [], list(left_out)
    for name, array in arrays.items():
        of = column_names(name, array.shape, n)
        if not of and array.size <= SMALL:
            constants[name] = array
        elif not of:
            dropped.append(name)
        rows = array.reshape(n, -1) if of and (array.ndim == 1 or (array.shape[0] == n and not across)) else array.T
        rows = array.reshape(-1, n).T if of and across and array.shape[-1] == n else rows
        for j, column in enumerate(of):
            if wanted(column):
                names.append(column)
                columns.append(_number(rows[:, j]))
                said.append((units or {}).get(name, ""))
    if not columns:
        some = [c for name, a in arrays.items() for c in column_names(name, a.shape, n)]
        raise PoinsotError(f"none of the columns that are asked for is in it; there are: {listing(some)}")
    if len(set(names)) < len(names):
        raise PoinsotError("two of its columns have one name")
    return Table(
        tuple(names),
        tuple(said),
        tuple(columns),
        format,
        rate=rate_in(constants),
        constants=constants,
        findings=tuple(_dropped(dropped)),
    )


def _number(column: np.ndarray) -> np.ndarray:
    """Numbers of a column in double precision, in one piece."""
    return np.ascontiguousarray(column, dtype=complex if np.iscomplexobj(column) else float)


def _dropped(names: list[str]) -> Iterator[Finding]:
    if names:
        message = f"{listing(names)}: left out, being no numbers or of another length"
        yield Finding("left out", "", "", len(names), message, "read them on their own", Severity.NOTE)
