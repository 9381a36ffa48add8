"""Base parameters in symbols: expressions, legend, text and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from poinsot.identifiability.symbolic.exact import load_sympy
from poinsot.identifiability.symbolic.geometry import Geometry, LengthSymbol
from poinsot.model.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Symbolic(Sequence):
    """Base parameters φ_b = φ₁ + β φ₂ in symbols; a sequence of SymPy expressions, one a base parameter."""

    method: str  # "transfer" or "product class"
    columns: tuple[str, ...]  # all parameters, "link1.m"
    independent: tuple[str, ...]  # φ₁
    eliminated: tuple[str, ...]  # φ₂
    beta: Any  # SymPy matrix (independent × eliminated) in the coordinates of the joint points
    geometry: Geometry
    values: dict[Any, float]  # of every symbol in the mechanism  [m, -]
    conditions: dict[str, str]  # what was checked, by name, and what was found
    unexplained: int = 0  # relations known in numbers only; their parameters count as independent here

    @overload
    def __getitem__(self, k: int) -> Any: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, k):
        return self.expressions[k]

    def __len__(self) -> int:
        return len(self.independent)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.expressions)

    @cached_property
    def expressions(self) -> tuple[Any, ...]:
        """φ_b as SymPy expressions of parameters and lengths; squares of distances are written λ²."""
        return tuple(sum(terms, start=load_sympy().Integer(0)) for terms in self._terms)

    @cached_property
    def symbols(self) -> dict[Any, float]:
        """The symbols that occur, with their values  [m, -]."""
        used = set().union(*(x.free_symbols for x in self.expressions), self.beta.free_symbols)
        return {symbol: value for symbol, value in {**self.values, **self._distances}.items() if symbol in used}

    @property
    def legend(self) -> dict[Any, str]:
        """What every symbol stands for."""
        meaning = {u.symbol: f"{u.meaning} [{u.unit}]" for u in self.geometry.unknowns}
        for number, lengths in self._points.items():
            first = lengths[0]
            meaning[_distance(number)] = f"distance of joint {first.joint} from the origin of {first.body} [m]"
        return {symbol: meaning[symbol] for symbol in self.symbols}

    def coefficients(self, mechanism: Mechanism) -> np.ndarray:
        """β in numbers for another mechanism of the same structure (independent × eliminated)."""
        values = self.geometry.values(mechanism.elements)
        evaluate = load_sympy().lambdify(list(values), self.beta, "numpy")
        return np.array(evaluate(*values.values()), dtype=float).reshape(self.beta.shape)

    def text(self) -> str:
        """One base parameter a line, then the legend."""
        lines = [_joined([load_sympy().sstr(term).replace("**", "^") for term in terms]) for terms in self._terms]
        legend = [f"  {s} = {self.symbols[s]:.6g}  {meaning}" for s, meaning in self.legend.items()]
        conditions = [f"  {name}: {found}" for name, found in self.conditions.items()]
        return "\n".join([*lines, *(["where", *legend] if legend else []), f"method: {self.method}", *conditions])

    def latex(self) -> str:
        """One base parameter a line, as an `aligned` environment."""
        letters = {"l": "\\lambda", "r": "\\rho", "k": "\\kappa"}
        names = {s: f"{letters[s.name[0]]}_{{{s.name[1:]}}}" for s in (*self.values, *self._distances)}
        names |= {load_sympy().Symbol(c): _latex_parameter(c) for c in self.columns}
        latex = load_sympy().latex
        lines = [_joined([latex(term, symbol_names=names) for term in terms]) for terms in self._terms]
        return "\\begin{aligned}\n" + " \\\\\n".join(f"&{line}" for line in lines) + "\n\\end{aligned}"

    def __str__(self) -> str:
        return self.text()

    @cached_property
    def _points(self) -> dict[int, list[LengthSymbol]]:
        """Points off the axes of their body, by number."""
        found: dict[int, list[LengthSymbol]] = {}
        for u in self.geometry.unknowns:
            if isinstance(u, LengthSymbol):
                found.setdefault(u.point, []).append(u)
        return {number: lengths for number, lengths in found.items() if len(lengths) > 1}

    @cached_property
    def _distances(self) -> dict[Any, float]:
        return {
            _distance(number): float(np.sqrt(sum(self.values[u.symbol] ** 2 for u in lengths)))
            for number, lengths in self._points.items()
        }

    @cached_property
    def _terms(self) -> tuple[tuple[Any, ...], ...]:
        """Terms of every base parameter: itself, then the eliminated ones in order."""
        sympy = load_sympy()
        squares = {
            sympy.expand(sum(u.symbol**2 for u in lengths)): _distance(number) ** 2
            for number, lengths in self._points.items()
        }
        rows = []
        for i, name in enumerate(self.independent):
            found = [
                (_readable(self.beta[i, j], squares), e) for j, e in enumerate(self.eliminated) if self.beta[i, j]
            ]
            rows.append((sympy.Symbol(name), *(factor * sympy.Symbol(e) for factor, e in found)))
        return tuple(rows)


def _distance(number: int) -> Any:
    return load_sympy().Symbol(f"l{number}", positive=True)


def _readable(expression: Any, squares: dict[Any, Any]) -> Any:
    """An expression in factors, with the squares of distances among them written as such."""
    sympy = load_sympy()
    result = sympy.Integer(1)
    for part, sign in zip(sympy.fraction(sympy.together(expression)), (1, -1)):
        constant, factors = sympy.factor_list(part)
        result *= constant**sign
        for factor, power in factors:
            result *= squares.get(sympy.expand(factor), factor) ** (sign * power)
    return result


def _joined(terms: Sequence[str]) -> str:
    first, *others = terms
    return first + "".join(f" - {t[1:].lstrip()}" if t.startswith("-") else f" + {t}" for t in others)


def _latex_parameter(name: str) -> str:
    owner, _, label = name.rpartition(".")
    owner, label = (part.replace("_", "\\_") for part in (owner, label))
    kernel = label if len(label) == 1 else f"{{{label}}}" if label[0] in "mI" else f"\\mathrm{{{label}}}"
    if label[:1] == "I" and len(label) == 3:
        kernel, owner = "I", f"{owner},{label[1:]}"
    return f"{kernel}_{{\\mathrm{{{owner}}}}}"
