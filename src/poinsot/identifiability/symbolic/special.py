"""Relations of a special geometry that no single joint knows, recognised in the numbers.

Bars of a parallelogram do not turn against each other; the plate of a delta robot does not turn at all. Such
relations lie between the parameters of one or two bodies, with coefficients that are whole or half numbers whatever
the lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations

import numpy as np

from poinsot.identifiability.symbolic.elimination import Relation
from poinsot.identifiability.symbolic.screws import float_span

TOLERANCE = 1e-7  # between a coefficient and the number that it is taken for


def null_rows(
    columns: Sequence[str], independent: Sequence[str], eliminated: Sequence[str], beta: np.ndarray
) -> np.ndarray:
    """All relations in numbers (eliminated × columns): one at each eliminated parameter, −β at the others."""
    at = {name: k for k, name in enumerate(columns)}
    rows = np.zeros((len(eliminated), len(columns)))
    rows[np.arange(len(eliminated)), [at[name] for name in eliminated]] = 1.0
    rows[:, [at[name] for name in independent]] = -np.asarray(beta).T
    return rows


def special_relations(columns: list[str], null: np.ndarray, known: np.ndarray) -> list[Relation]:
    """Relations between the parameters of one or two bodies that `known` (r × columns) does not span."""
    owners = [name.rpartition(".")[0] for name in columns]
    bodies = list(dict.fromkeys(owners))
    found: list[Relation] = []
    lengths = np.linalg.norm(known, axis=1, keepdims=True)
    span = np.linalg.qr((known / lengths).T)[0].T if len(known) else known  # orthonormal rows
    for group in chain(((b,) for b in bodies), combinations(bodies, 2)):
        if len(span) == len(null):
            break
        inside = np.array([owner in group for owner in owners])
        for row in _supported(null, inside):
            rest = row - (row @ span.T) @ span
            if np.linalg.norm(rest) > TOLERANCE * np.linalg.norm(row) and (relation := _recognised(columns, row)):
                found.append(relation)
                span = np.vstack([span, rest / np.linalg.norm(rest)])
    return found


def _supported(null: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Reduced basis of the relations that hold between some columns only."""
    U, sigma, _ = np.linalg.svd(null[:, ~inside])
    rank = int(np.sum(sigma > TOLERANCE * max(sigma.max(initial=0.0), 1e-300)))
    rows = U[:, rank:].T @ null
    rows[:, ~inside] = 0.0
    return float_span(rows, TOLERANCE)


def _recognised(columns: list[str], row: np.ndarray) -> Relation:
    """A row whose entries are whole or half numbers, as a relation; empty for any other."""
    doubled = np.rint(2 * row)
    if np.any(np.abs(2 * row - doubled) > TOLERANCE):
        return {}
    return {name: Fraction(int(n), 2) for name, n in zip(columns, doubled) if n}
