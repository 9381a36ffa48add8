"""Base parameters of a mechanism in symbols, from the numeric ones and the mechanism's geometry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from poinsot.errors import PoinsotError, counted, unknown
from poinsot.identifiability.linear import labels
from poinsot.identifiability.symbolic.elimination import Relation, TooLargeError, coefficients, independent, solved
from poinsot.identifiability.symbolic.exact import Exact, load_sympy
from poinsot.identifiability.symbolic.geometry import Geometry, geometry
from poinsot.identifiability.symbolic.product_class import product_relations
from poinsot.identifiability.symbolic.result import Symbolic
from poinsot.identifiability.symbolic.special import null_rows, special_relations
from poinsot.identifiability.symbolic.transfer import transfers
from poinsot.model.mechanism import Mechanism

Progress = Callable[[str, float], None]  # what is being done, and the fraction that is done
TOLERANCE = 1e-6  # of the largest coefficient, between symbols and numbers


class Base(Protocol):
    """Base parameters in numbers: φ_b = φ₁ + β φ₂."""

    columns: Sequence[str]
    independent: Sequence[str]
    eliminated: Sequence[str]
    coefficients: np.ndarray  # (independent, eliminated)


def symbolise(
    mechanism: Mechanism, base: Base, method: str = "transfer", progress: Progress | None = None
) -> Symbolic:
    """The symbols of base parameters that are known in numbers.

    `method` is "transfer" (any mechanism: inertia moved from body to body) or "product class" (planar mechanisms
    whose loops close through the ground). Both are compared with the numbers of `base` before they are given out;
    `progress` is told what is being done and the fraction that is done.
    """
    load_sympy()
    if method not in METHODS:
        raise PoinsotError(unknown("method", method, METHODS))
    return METHODS[method](mechanism, base, progress)


def by_transfer(mechanism: Mechanism, base: Base, progress: Progress | None = None) -> Symbolic:
    """Symbols from the transfers of inertia at the joints."""
    places = geometry(mechanism.elements)
    exact = Exact(places.symbols)
    relations = _between(exact, places, base, transfers(exact, places, progress))
    special: list[Relation] = []
    if len(relations) < len(base.eliminated):
        null = null_rows(base.columns, base.independent, base.eliminated, base.coefficients)
        known = _numbers(base, relations, exact, places.values(mechanism.elements))
        special = [
            {name: exact.number(x) for name, x in relation.items()}
            for relation in special_relations(list(base.columns), null, known)
        ]
    conditions = {}
    if special:
        count = counted(len(special), "relation")
        conditions["special geometry"] = f"{count} for it only; recognised in the numbers"
    return assembled("transfer", mechanism, base, places, exact, [*relations, *special], conditions, progress)


def by_product_class(mechanism: Mechanism, base: Base, progress: Progress | None = None) -> Symbolic:
    """Symbols from the search among products of lengths."""
    places = geometry(mechanism.elements)
    exact = Exact(places.symbols)
    if progress:
        progress("search at a geometry of primes", 0.0)
    relations, conditions = product_relations(mechanism, tuple(base.eliminated), exact, places)
    relations = _between(exact, places, base, relations)
    return assembled("product class", mechanism, base, places, exact, relations, conditions, progress)


def _between(exact: Exact, places: Geometry, base: Base, relations: list[Relation]) -> list[Relation]:
    """Independent relations between the parameters of the base: what changes one that the model fixes is none."""
    everything = [f"{body}.{label}" for body in places.bodies for label in labels(places.planar)]
    everything += [name for site in places.sites for name in site.drives.values()]
    fixed = [name for name in everything if name not in base.columns]
    return solved(independent(exact, relations, everything), fixed)[1]


def assembled(
    method: str,
    mechanism: Mechanism,
    base: Base,
    places: Geometry,
    exact: Exact,
    relations: list[Relation],
    conditions: dict[str, str],
    progress: Progress | None = None,
) -> Symbolic:
    """The result for relations that have been found, compared with the numbers."""
    values = places.values(mechanism.elements)
    _check(base, relations, exact, values)
    try:
        solution, rest = solved(relations, base.eliminated, progress)
    except TooLargeError as error:
        easy = ", ".join(solved(relations, base.columns)[0])
        raise PoinsotError(f"{error}; these give short ones: eliminate {easy}") from None
    if rest:
        raise PoinsotError(
            f"{counted(len(rest), 'relation')} between parameters that are to be kept, such as {', '.join(rest[0])}: "
            "eliminate one of them"
        )
    eliminated = tuple(name for name in base.eliminated if name in solution)
    kept = (*base.independent, *(name for name in base.eliminated if name not in solution))
    beta = coefficients(solution, kept, eliminated, exact.zero)
    unexplained = len(base.eliminated) - len(eliminated)
    complete = "yes" if not unexplained else f"no: {counted(unexplained, 'relation')} known in numbers only"
    count = f"{counted(len(eliminated), 'relation')} in symbols, {len(base.eliminated)} in numbers"
    return Symbolic(
        method=method,
        columns=tuple(base.columns),
        independent=kept,
        eliminated=eliminated,
        beta=load_sympy().Matrix(*beta.shape, [exact.expression(x) for x in beta.ravel()]),
        geometry=places,
        values=values,
        conditions={**conditions, "complete": complete, "count": count},
        unexplained=unexplained,
    )


def _numbers(base: Base, relations: list[Relation], exact: Exact, values: dict[Any, float]) -> np.ndarray:
    """Relations (r × columns) at the values of the symbols."""
    evaluate = load_sympy().lambdify(
        list(values), [[exact.expression(r.get(c, 0)) for c in base.columns] for r in relations], "numpy"
    )
    return np.array(evaluate(*values.values()), dtype=float).reshape(len(relations), len(base.columns))


def _check(base: Base, relations: list[Relation], exact: Exact, values: dict[Any, float]) -> None:
    """Every relation in symbols must be one in numbers: φ₁ + β φ₂ = 0."""
    rows = _numbers(base, relations, exact, values)
    at = {name: k for k, name in enumerate(base.columns)}
    first = rows[:, [at[name] for name in base.independent]]
    change = rows[:, [at[name] for name in base.eliminated]] @ np.asarray(base.coefficients).T
    size = np.abs(first) + np.abs(change) + np.abs(rows).max(axis=1, initial=0.0)[:, None]
    wrong = np.argwhere(np.abs(first + change) > TOLERANCE * size)
    if len(wrong):
        row, column = wrong[0]
        owners = ", ".join(sorted({c.rpartition(".")[0] for c in relations[row]}))
        raise PoinsotError(
            f"these measurements determine more than the forces of all actuators do: a transfer of inertia within "
            f"{owners} changes {base.independent[column]}; symbols exist for the forces of the actuators"
        )


METHODS = {"transfer": by_transfer, "product class": by_product_class}
