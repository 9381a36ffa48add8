"""Numbers with names and units as a person reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from poinsot.errors import listing

SHOWN = 12  # quantities in a line, rows of a table
ROUND_OFF = 1e-11  # of the size of what is printed, below which a number is printed as 0


def settled(value: float, size: float) -> float:
    """A number to print: 0 where it is the round-off of numbers of that size; files keep all digits.

    >>> settled(-1.6e-26, 0.3), settled(0.1, 0.3)
    (0.0, 0.1)
    """
    return float(value) if not abs(value) <= ROUND_OFF * size else 0.0


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
