"""From relations between parameters to β: Gauss and Jordan over the rational functions, sparsely.

A relation is a change of the parameters that no motion shows. Solved for the eliminated parameters, each changes one
of them by 1 and the independent ones by −β, so that φ_b = φ₁ + β φ₂ stays  (theory/symbols, eq. 8).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.identifiability.symbolic.exact import Exact

LARGEST = 60  # terms in a pivot; twice as many in any other coefficient

Relation = dict[str, Any]  # name of a parameter -> element of the field


class TooLargeError(PoinsotError):
    """Expressions grow without bound with these parameters eliminated."""

    def __init__(self, column: str):
        super().__init__(
            f"with '{column}' eliminated beside the others, the coefficients are quotients of polynomials "
            f"with more than {LARGEST} terms"
        )


def independent(exact: Exact, relations: Sequence[Relation], columns: Sequence[str]) -> list[Relation]:
    """The shortest relations that span all of them, judged at one point of small random primes."""
    ordered = sorted((r for r in relations if r), key=lambda r: (len(r), sum(map(_terms, r.values()))))
    at = exact.point(seed=len(ordered))
    kept: list[Relation] = []
    pivots: dict[str, Relation] = {}
    for relation in ordered:
        row = {c: at(x) for c, x in relation.items()}
        while row:
            first = min(row, key=columns.index)
            if first not in pivots:
                pivots[first] = {c: x / row[first] for c, x in row.items()}
                kept.append(relation)
                break
            row = _minus(row, row[first], pivots[first])
    return kept


def solved(
    relations: Sequence[Relation], unknowns: Collection[str], progress: Callable[[str, float], None] | None = None
) -> tuple[dict[str, Relation], list[Relation]]:
    """Relations solved for the unknowns, {unknown: its row without itself}, and those that hold no unknown.

    The next pivot is the one that causes least fill, numbers before functions of the geometry. With a pivot of more
    than `LARGEST` terms the expressions would fill books: that is an error.
    """
    waiting = [dict(r) for r in relations]
    done: dict[str, Relation] = {}
    while True:
        count = {c: sum(c in r for r in waiting) for c in unknowns}
        choices = [
            ((_terms(x) > 1, (len(r) - 1) * (count[c] - 1), _terms(x)), i, c)
            for i, r in enumerate(waiting)
            for c, x in r.items()
            if c in count
        ]
        if not choices:
            return done, [r for r in waiting if r]
        _, i, column = min(choices)
        row = waiting.pop(i)
        pivot = row.pop(column)
        if _terms(pivot) > LARGEST or max(map(_terms, row.values()), default=0) > 2 * LARGEST:
            raise TooLargeError(column)
        row = {c: x / pivot for c, x in row.items()}
        waiting = [_without(r, column, row) for r in waiting]
        done = {c: _without(r, column, row) for c, r in done.items()}
        done[column] = row
        if progress:
            progress(f"solved for {column}", len(done) / len(relations))


def _without(row: Relation, column: str, replacement: Relation) -> Relation:
    """A row after column + replacement = 0 has been used to remove the column."""
    if column not in row:
        return row
    row = dict(row)
    return _minus(row, row.pop(column), replacement)


def _minus(row: Relation, factor: Any, other: Relation) -> Relation:
    changed = dict(row)
    for c, x in other.items():
        value = changed[c] - factor * x if c in changed else -factor * x
        if value:
            changed[c] = value
        else:
            changed.pop(c, None)
    return changed


def _terms(element: Any) -> int:
    """1 for a number, else the number of terms above and below the bar, and one more."""
    if not hasattr(element, "numer") or not hasattr(element.numer, "terms"):
        return 1
    return 1 + len(element.numer) + len(element.denom)


def coefficients(solution: dict[str, Relation], rows: Sequence[str], columns: Sequence[str], zero: Any) -> np.ndarray:
    """β (rows × columns) of relations solved for the columns."""
    beta = np.full((len(rows), len(columns)), zero, dtype=object)
    for j, column in enumerate(columns):
        for i, row in enumerate(rows):
            if row in solution[column]:
                beta[i, j] = -solution[column][row]
    return beta
