"""Values and tables as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SHOWN = 60  # rows of a printed table


def in_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows as lines with their cells below each other, the first ones of many."""
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(len(rows[0]) if rows else 0)]
    lines = ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows[:SHOWN]]
    return lines + ([f"  … ({len(rows)} in all)"] if len(rows) > SHOWN else [])


def with_error(value: float, deviation: float) -> str:
    """A value with as many digits as its standard error is worth.

    >>> with_error(6.83712, 0.00093)
    '6.83712 ± 0.00093'
    """
    if not (np.isfinite(deviation) and deviation > 0):
        return f"{value:.6g}"
    digits = 1 - int(np.floor(np.log10(deviation)))
    if -4 < digits < 9 and abs(value) < 1e7:
        return f"{value:.{max(digits, 0)}f} ± {deviation:.{max(digits, 0)}f}"
    return f"{value:.6g} ± {deviation:.2g}"
