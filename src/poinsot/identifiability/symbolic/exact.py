"""Exact linear algebra over the field of rational functions of the geometry.

Vectors are NumPy arrays of field elements; a subspace is an array whose rows are its reduced basis.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from numbers import Rational
from typing import Any

import numpy as np

from poinsot.errors import MissingExtraError


def load_sympy() -> Any:
    """The package SymPy, or an error that says how to get it."""
    try:
        import sympy
    except ImportError:
        raise MissingExtraError("base parameters in symbols", "sympy", "symbolic") from None
    return sympy


class Exact:
    """The field ℚ(λ₁, λ₂, …) of rational functions of some symbols, and linear algebra over it.

    Elements that are numbers are kept as such: arithmetic with them is far quicker.
    """

    def __init__(self, symbols: tuple[Any, ...]):
        self.numbers = load_sympy().QQ
        self.functions = self.numbers.frac_field(*symbols) if symbols else self.numbers
        self.zero, self.one = self.numbers.zero, self.numbers.one

    def array(self, expressions: Any) -> np.ndarray:
        """Array of field elements from numbers or SymPy expressions, of any shape."""
        expressions = np.asarray(expressions, dtype=object)
        found = np.full(expressions.shape, self.zero, dtype=object)
        for index, value in np.ndenumerate(expressions):
            if value:
                found[index] = self._element(value)
        return found

    def _element(self, value: Any) -> Any:
        if isinstance(value, float):
            value = load_sympy().Rational(repr(value))
        if isinstance(value, load_sympy().Basic):
            value = self.functions.from_sympy(value)
        return self._simplest(self.functions.convert(value))

    def _simplest(self, element: Any) -> Any:
        """A constant function as the number that it is."""
        if self._is_number(element) or not (element.numer.is_ground and element.denom.is_ground):
            return element
        return element.numer.LC / element.denom.LC if element else self.zero

    def _is_number(self, element: Any) -> bool:
        return self.numbers.of_type(element) or isinstance(element, int)

    def number(self, value: Rational) -> Any:
        """A rational number as an element of the field."""
        return self.numbers(value.numerator, value.denominator)

    def expression(self, element: Any) -> Any:
        """SymPy expression of a field element."""
        return self.functions.to_sympy(self.functions.convert(element))

    def point(self, seed: int) -> Callable[[Any], Any]:
        """A function that evaluates field elements at one point of random numbers."""
        symbols = () if self.functions is self.numbers else self.functions.symbols
        at = [int(n) for n in np.random.default_rng(seed).integers(10**4, 10**6, len(symbols))]

        def value(polynomial: Any) -> Any:
            terms = polynomial.terms()
            return sum((c * prod(at[k] ** n for k, n in enumerate(powers) if n) for powers, c in terms), self.zero)

        return lambda x: x if self._is_number(x) else value(x.numer) / value(x.denom)

    def generic(self, question: Callable[..., np.ndarray], *arrays: np.ndarray) -> np.ndarray:
        """The answer to a question about arrays; the numbers that it is at two random points, where they agree.

        An answer that does not depend on the geometry is found without a single rational function.
        """
        if all(self._is_number(x) for array in arrays for x in array.ravel()):
            return question(*arrays)
        answers = []
        for seed in (1, 2):
            at = np.vectorize(self.point(seed), otypes=[object])
            answers.append(question(*(at(array) if array.size else array for array in arrays)))
        if answers[0].shape == answers[1].shape and np.all(answers[0] == answers[1]):
            return answers[0]
        return question(*arrays)

    def reduced(self, rows: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
        """Reduced row echelon form without its zero rows, and the pivot columns."""
        found = self.generic(self._reduced, np.asarray(rows, dtype=object))
        return found, tuple(next(j for j, x in enumerate(row) if x) for row in found)

    def _reduced(self, rows: np.ndarray) -> np.ndarray:
        entries = {i: {j: x for j, x in enumerate(row) if x} for i, row in enumerate(rows)}
        entries = {i: row for i, row in entries.items() if row}
        only_numbers = all(self._is_number(x) for row in entries.values() for x in row.values())
        field = self.numbers if only_numbers else self.functions
        entries = {i: {j: field.convert(x) for j, x in row.items()} for i, row in entries.items()}
        DomainMatrix = load_sympy().polys.matrices.DomainMatrix
        found, pivots = DomainMatrix(entries, rows.shape, field).rref()
        reduced = np.full((len(pivots), rows.shape[1]), self.zero, dtype=object)
        for index, x in found.to_dok().items():
            reduced[index] = self._simplest(x)
        return reduced

    def span(self, *parts: np.ndarray) -> np.ndarray:
        """Reduced basis of the sum of subspaces."""
        return self.reduced(np.concatenate(parts))[0]

    def null_space(self, rows: np.ndarray) -> np.ndarray:
        """Basis of all x with rows · x = 0."""
        reduced, pivots = self.reduced(rows)
        n = rows.shape[1]
        free = [j for j in range(n) if j not in pivots]
        basis = np.full((len(free), n), self.zero, dtype=object)
        for k, j in enumerate(free):
            basis[k, j] = self.one
            for i, pivot in enumerate(pivots):
                basis[k, pivot] = -reduced[i, j]
        return basis

    def meet(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Reduced basis of the intersection of two subspaces."""
        if len(a) == a.shape[1] or len(b) == 0:
            return b
        if len(b) == b.shape[1] or len(a) == 0:
            return a
        return self.span(self.null_space(np.concatenate([self.null_space(a), self.null_space(b)])))
