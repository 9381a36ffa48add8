"""Numbers with names and units as a person reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from poinsot.errors import listing

SHOWN = 12  # quantities in a line, rows of a table


def quantities(values: Mapping[str, float], unit: Callable[[str], str], limit: int = SHOWN) -> str:
    """Values by name with their units in one line, shortened when there are many.

    >>> quantities({"A": 2.5, "B": 0.0}, lambda name: "N·m")
    'A = 2.5 N·m, B = 0 N·m'
    """
    return listing([f"{name} = {value:.6g} {unit(name)}" for name, value in values.items()], limit)


def aligned(rows: Sequence[Sequence[str]], limit: int = SHOWN) -> list[str]:
    """Rows as lines, the first cell to the left and the others to the right below each other, heads first.

    >>> aligned([("", "x [m]"), ("tip", "1.5")])
    ['       x [m]', '  tip    1.5']
    """
    shown = rows[: limit + 1]
    widths = [max(map(len, column)) for column in zip(*shown)]
    lines = [
        "  " + "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))])
        for row in shown
    ]
    return [line.rstrip() for line in lines] + ([f"  … ({len(rows) - 1} in all)"] if len(rows) > len(shown) else [])
