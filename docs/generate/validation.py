"""The page on validation, from what the cross tests wrote down: `python -m docs.generate.validation FILE`."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from statistics import median

PAGE = Path(__file__).parents[1] / "validation.md"
HEAD = """# Validation

What Poinsot computes, compared with other programs, independent derivations and published numbers. Made by
`make validation` from the tests that compare; each of them fails beyond its own limit. *Error* is the largest
difference relative to the largest magnitude, over all cases; *digits* are those that agree in the worst case. Printed
numbers limit the digits of a paper. Counts that are equal have no error. Of random mechanisms, whose masses differ by
up to a million, the worst is shown; limits there follow from the condition number.

| quantity | compared with | cases | median error | largest error | digits |
|---|---|---|---|---|---|
"""
TAIL = """
Besides this, every formulation is held against the others, every law's motion against its constraint, every
derivative against differences, and every number of five papers against theirs (`poinsot reproduce all`). Speed is not
asserted in tests: `make bench`.
"""


def digits(error: float) -> str:
    """Digits that agree for a relative error.

    >>> digits(2e-6), digits(0.0)
    ('5', 'all')
    """
    return "all" if error == 0 else str(max(0, math.floor(-math.log10(error)))) if math.isfinite(error) else "none"


def page(lines: list[dict]) -> str:
    """The table: one row for each quantity and peer."""
    rows: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        rows.setdefault((line["quantity"], line["peer"]), []).append(line["error"])
    text = []
    for (quantity, peer), errors in sorted(rows.items()):
        shown = [f"{error:.0e}" if error else "–" for error in (median(errors), max(errors))]
        text.append(f"| {quantity} | {peer} | {len(errors)} | {' | '.join(shown)} | {digits(max(errors))} |")
    return HEAD + "\n".join(text) + "\n" + TAIL


def main(file: str) -> None:
    """Write the page."""
    lines = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    PAGE.write_text(page(lines), encoding="utf-8")
    print(f"{len(lines)} comparisons: {PAGE}")


if __name__ == "__main__":
    main(sys.argv[1])
