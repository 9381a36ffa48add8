"""Values and tables as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SHOWN = 60  # rows of a printed table
FAR = 5.0  # joint standard errors, beyond which a prior is contradicted


def in_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows as lines with their cells below each other, the first ones of many."""
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(len(rows[0]) if rows else 0)]
    lines = ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths) if w).rstrip() for row in rows[:SHOWN]]
    return lines + ([f"  … ({len(rows)} in all)"] if len(rows) > SHOWN else [])


def in_brackets(lower: float, upper: float) -> str:
    """An interval in the digits that its width is worth.

    >>> in_brackets(6.83612, 6.83812)
    '[6.8361, 6.8381]'
    """
    width = upper - lower
    if not (np.isfinite(width) and width > 0):
        return f"[{lower:.6g}, {upper:.6g}]"
    digits = 1 - int(np.floor(np.log10(width)))
    if -4 < digits < 9 and max(abs(lower), abs(upper)) < 1e7:
        return f"[{lower:.{max(digits, 0)}f}, {upper:.{max(digits, 0)}f}]"
    return f"[{lower:.6g}, {upper:.6g}]"


def with_error(value: float, deviation: float) -> str:
    """A value with as many digits as its standard error is worth.

    >>> with_error(6.83712, 0.00093)
    '6.83712 ± 0.00093'
    >>> with_error(-0.0001, 0.016)
    '0.000 ± 0.016'
    """
    if not (np.isfinite(deviation) and deviation > 0):
        return f"{value:.6g}"
    digits = 1 - int(np.floor(np.log10(deviation)))
    if -4 < digits < 9 and abs(value) < 1e7:
        shown = f"{value:.{max(digits, 0)}f}"
        return f"{shown if float(shown) else shown.lstrip('-')} ± {deviation:.{max(digits, 0)}f}"
    return f"{value:.6g} ± {deviation:.2g}"


def contradiction(name: str, unit: str, prior: float, deviation: float, away: float, d: float, error: float) -> str:
    """That a prior is so many standard errors away from what the data says, d ± error of its deviations below it."""
    data = f"{prior - d * deviation:.6g} ± {error * deviation:.2g}"
    return (
        f"The prior of {name}, {prior:.6g} ± {deviation:.2g} {unit}, is {away:.0f} standard errors "
        f"from what the data says without it, {data}."
    )
