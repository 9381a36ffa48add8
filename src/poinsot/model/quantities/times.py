"""Times and samples as numbers: what NumPy and pandas call durations and moments is no number of seconds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np


def seconds(t: Any) -> np.ndarray:
    """Times as numbers [s]: durations of Python, NumPy or pandas in seconds, moments counted from the first one.

    >>> seconds(np.array(["2026-01-01T12:00:00", "2026-01-01T12:00:00.5"], "datetime64[ms]")).tolist()
    [0.0, 0.5]
    """
    times = np.asarray(t)
    first = times.flat[0] if times.size else None
    if isinstance(first, datetime | timedelta):  # objects, those of pandas among them
        begin = first if isinstance(first, datetime) else timedelta()
        return np.array([(one - begin).total_seconds() for one in times.flat]).reshape(times.shape)
    if times.dtype.kind in "mM":
        return (times - (first if times.dtype.kind == "M" else 0)) / np.timedelta64(1, "s")
    return np.asarray(t, float)


def samples(column: Any) -> np.ndarray:
    """A copy of a column of real or complex numbers; durations and moments are none (TypeError)."""
    if np.asarray(column).dtype.kind in "mM":
        raise TypeError("durations and moments are no samples")
    return np.array(column, dtype=complex if np.iscomplexobj(column) else float)
