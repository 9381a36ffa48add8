"""Named parameters: every physical number of a mechanism, with unit, value and bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poinsot.errors import PoinsotError, by_name, counted, unknown
from poinsot.model.quantities.expressions import Expression, evaluate, names, quantity, text, written
from poinsot.model.quantities.units import UNIT_LIST, comma_advice, expected, in_place
from poinsot.spatial.algebra import Scalar


@dataclass(frozen=True)
class Parameter:
    """One physical number of a mechanism."""

    name: str  # a path: "platform.mass", "link2.com.x"
    value: float  # SI
    unit: str = "-"  # SI unit of the value
    lower: float = float("-inf")
    upper: float = float("inf")
    role: str = "named"  # "inertia", "elastic", "geometry", "force", "gravity", "sensor", or "named" by the file
    description: str = ""
    source: tuple[str | int, ...] | None = field(default=None, compare=False)  # where its number stands in the file
    copies: tuple[str, ...] = field(default=(), compare=False)  # what it would be called in each copy that shares it

    def __float__(self) -> float:
        return self.value

    def check(self, values: ArrayLike | None = None) -> None:
        """Raise when its value, or one of several others for it, is outside the bounds."""
        _within(self, self.value if values is None else values, "")


@dataclass(frozen=True)
class ExpressionLimit:
    """What a number of the model file that is an expression of parameters must stay within."""

    name: str  # what the parameter would be called: "bob.mass"
    expression: Expression
    unit: str
    lower: float = float("-inf")
    upper: float = float("inf")

    def check(self, values: ArrayLike) -> None:
        """Raise when one of the values that the expression has is outside the limits."""
        _within(self, values, f"{written(self.expression)} = ")


@dataclass(frozen=True)
class Parameters(Mapping[str, Parameter]):
    """The parameters of a mechanism by name; prints as a table.

    `derived` are those that the model file gives as expressions of others; they follow and cannot be set.
    """

    entries: dict[str, Parameter]
    derived: dict[str, Expression] = field(default_factory=dict)  # in an order in which they can be evaluated
    limits: tuple[ExpressionLimit, ...] = ()  # of other numbers that are expressions

    def __getitem__(self, name: str) -> Parameter:
        if name not in self.entries:
            if name in self.derived:
                raise PoinsotError(f"parameter '{name}' is derived: it is {text(self.derived[name])}")
            if said := self.of_copies(name):
                raise PoinsotError(f"parameter '{name}' {said}")
            raise PoinsotError(unknown("parameter", name, self.entries))
        return self.entries[name]

    def of_copies(self, name: str) -> str:
        """What a name of a copy of a component stands for where it is no parameter: one that all copies share, or one
        with "self" in its name, as results call it "leg1.coulomb"; empty for other names."""
        parts = name.split(".")
        for full in (name, *(".".join([*parts[:k], "self", *parts[k:]]) for k in range(1, len(parts)))):
            if full in self.entries:
                return f"is called '{full}'"
            shared = next((p.name for p in self.entries.values() if full in p.copies), None)
            if shared is not None:
                local = full.partition(".")[2]  # its name inside the component
                apart = f'separate = ["{local}"] under [instances] of the model file'
                advice = f"change that, or give every copy its own: {apart}, in Python with_separate('{shared}')"
                return f"is shared by all copies as '{shared}': {advice}"
        return ""

    def require(self, names: Iterable[str]) -> None:
        """Every name must be one of a parameter; the first that is not is an error that says what there is."""
        for name in names:
            self[name]

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def values_by_name(self) -> dict[str, float]:
        """Value of every parameter, the derived ones included  [SI]."""
        return self.environment({})

    def environment(self, given: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """Values for evaluating expressions: given numbers or symbols, the nominal values for the rest."""
        values: dict[str, Scalar] = {name: parameter.value for name, parameter in self.entries.items()}
        values.update(given)
        for name, expression in self.derived.items():
            values[name] = evaluate(expression, values)
        return values

    def matching(self, *patterns: str) -> tuple[str, ...]:
        """Names that match any of the patterns, such as "leg*.mass"."""
        return tuple(name for name in self.entries if any(fnmatchcase(name, pattern) for pattern in patterns))

    def with_values(self, changes: Mapping[str, float | str]) -> Parameters:
        """New parameters with some values changed; text may carry a unit ("74 g")."""
        entries = dict(self.entries)
        for name, value in by_name(changes, "parameters are", "{'bob.mass': '2 kg'}").items():
            parameter = self[name]
            entries[name] = replace(parameter, value=as_value(value, parameter.unit, name))
            entries[name].check()
        changed = replace(self, entries=entries)
        changed.check_limits({})
        return changed

    def check_limits(self, given: Mapping[str, ArrayLike]) -> None:
        """Raise when the values given, one or many each, bring an expression out of its limits."""
        if self.limits:
            with np.errstate(all="ignore"):
                values = self.environment({name: np.asarray(v, float) for name, v in given.items()})
                for limit in self.limits:
                    limit.check(evaluate(limit.expression, values))

    def __str__(self) -> str:
        rows = [("parameter", "value", "unit", "bounds", "")]
        for p in self.entries.values():
            bounded = (p.lower, p.upper) != (float("-inf"), float("inf"))
            interval = f"[{p.lower:g}, {p.upper:g}]" if bounded else ""
            rows.append((p.name, f"{p.value:.8g}", p.unit, interval, p.description))
        environment = self.environment({})
        for name, expression in self.derived.items():
            rows.append((name, f"{float(environment[name]):.8g}", "", "", f"= {text(expression)}"))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        return "\n".join("  ".join([*(c.ljust(w) for c, w in zip(row, widths)), row[4]]).rstrip() for row in rows)

    def __repr__(self) -> str:
        return f"<{counted(len(self.entries), 'parameter')}>\n{self}"


def _within(about: Parameter | ExpressionLimit, values: ArrayLike, written: str) -> None:
    """Raise when one of the values is outside the bounds."""
    flat = np.asarray(values, float).ravel()
    bad = (flat < about.lower) | (flat > about.upper)
    if bad.any():
        first = int(np.argmax(bad))
        which = f" (sample {first + 1})" if flat.size > 1 else ""
        raise PoinsotError(
            f"{about.name} = {written}{flat[first]:g} {about.unit}{which} is outside its bounds "
            f"[{about.lower:g}, {about.upper:g}]"
        )


def as_value(value: Any, unit: str, name: str) -> float:
    """Number in SI from a number or a quantity with a unit of the right dimension."""
    if isinstance(value, str):
        read = quantity(value)
        if read is None:
            known = f"; units are {UNIT_LIST} and their products" if re.match(r"\s*[-+\d.]", value) else ""
            hint = comma_advice(value) or known
            raise PoinsotError(f"{name}: expected a number or a quantity in {unit}, got '{value}'{hint}")
        number = in_place(*read, unit)
        if number is None:
            raise PoinsotError(f"{name}: {expected(unit, value, read[1])}")
    else:
        try:
            number = float("no number" if isinstance(value, bool) else value)
        except (TypeError, ValueError):
            raise PoinsotError(f"{name}: expected a number in {unit}, got {value!r}") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise PoinsotError(f"{name}: expected a finite number in {unit}, got {number}")
    return number


def in_order(expressions: Mapping[str, Expression]) -> dict[str, Expression]:
    """Sort derived parameters so that each comes after those that it needs; a cycle is an error."""
    done: dict[str, Expression] = {}

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in done or name not in expressions:
            return
        if name in trail:
            raise PoinsotError(f"parameters refer to each other in a circle: {' → '.join([*trail, name])}")
        if len(trail) > 200:
            raise PoinsotError(f"parameter '{trail[0]}' is derived through more than 200 others")
        for needed in names(expressions[name]):
            visit(needed, (*trail, name))
        done[name] = expressions[name]

    for name in expressions:
        visit(name, ())
    return done
