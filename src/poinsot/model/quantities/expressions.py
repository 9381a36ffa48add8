"""Numbers in a model: a value with a unit, or an expression of named parameters. Reading one runs no code.

    expression = term {("+" | "-") term}          term   = factor {("*" | "/") factor}
    factor     = ["+" | "-"] power                power  = atom ["^" factor]
    atom       = number [unit] | name | function "(" expression {"," expression} ")" | "(" expression ")"

Names are parameters with dots ("base.radius") or the constant pi. Expressions evaluate on numbers and on symbols.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.model.quantities.units import UNIT_LIST, UNITS, Dimension, Unit, comma_advice, parse_unit
from poinsot.spatial.algebra import Scalar, function

MAX_LENGTH, MAX_DEPTH = 2000, 50
FUNCTIONS = {name: 1 for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "abs")}
FUNCTIONS["atan2"] = 2
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*(?:\.\w+)*)|(?P<sign>\*\*|[-+*/^(),]))"
)
_WORD = "(?:" + "|".join(sorted(UNITS, key=len, reverse=True)) + r")(?:\^-?\d|[²³])?"
_UNIT = re.compile(rf"[ ]?({_WORD}(?:[·*/]{_WORD})*)(?![\w.(])")


@dataclass(frozen=True)
class Constant:
    """A number that is not a parameter."""

    value: float  # SI
    dimension: Dimension | None = field(default=None, compare=False)  # None: written without a unit


@dataclass(frozen=True)
class Name:
    """A reference to a parameter."""

    name: str


@dataclass(frozen=True)
class Call:
    """An operation or function of expressions."""

    operation: str
    arguments: tuple[Expression, ...]


Expression = Constant | Name | Call

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
    "neg": lambda a: -a,
}


def evaluate(expression: Expression, values: Mapping[str, Scalar]) -> Scalar:
    """Value of an expression for parameter values that are numbers or symbols.

    >>> evaluate(parse("2 * a + 1 mm"), {"a": 1.0})
    2.001
    """
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, Name):
        if expression.name not in values:
            raise PoinsotError(unknown("parameter", expression.name, values))
        return values[expression.name]
    arguments = [evaluate(argument, values) for argument in expression.arguments]
    try:
        if expression.operation in _OPERATIONS:
            value = _OPERATIONS[expression.operation](*arguments)
        else:
            value = function(expression.operation, *arguments)
    except (ZeroDivisionError, OverflowError):
        value = math.nan
    if isinstance(value, complex) or value is math.nan:
        raise PoinsotError(f"'{text(expression)}' has no finite value")
    return value


def renamed(expression: Expression, rename: Callable[[str], str]) -> Expression:
    """An expression with other names for its parameters."""
    if isinstance(expression, Name):
        return Name(rename(expression.name))
    if isinstance(expression, Call):
        return Call(expression.operation, tuple(renamed(a, rename) for a in expression.arguments))
    return expression


def finite(expression: Expression, values: Mapping[str, Scalar]) -> float:
    """Value of an expression for numbers; one that is not finite is an error."""
    with np.errstate(all="ignore"):
        value = float(evaluate(expression, values))
    if not math.isfinite(value):
        raise PoinsotError(f"'{text(expression)}' has no finite value")
    return value


def names(expression: Expression) -> Iterator[str]:
    """Names of the parameters in an expression."""
    if isinstance(expression, Name):
        yield expression.name
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from names(argument)


def text(expression: Expression) -> str:
    """Write an expression so that `parse` reads it back."""
    if isinstance(expression, Constant):
        return repr(expression.value)
    if isinstance(expression, Name):
        return expression.name
    arguments = [text(argument) for argument in expression.arguments]
    if expression.operation == "neg":
        return f"(-{arguments[0]})"
    if expression.operation in _OPERATIONS:
        return f"({arguments[0]} {expression.operation} {arguments[1]})"
    return f"{expression.operation}({', '.join(arguments)})"


def written(expression: Expression) -> str:
    """An expression as a person would write it in a sentence: without brackets around the whole."""
    words = text(expression)
    return words[1:-1] if words.startswith("(") else words


def quantity(source: str) -> tuple[float, Unit] | None:
    """Read a plain number with a unit, "-9.81 m/s²"; None for anything else."""
    match = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-zµ°].*?)?\s*", source)
    if match is None:
        return None
    try:
        unit = parse_unit(match.group(2) or "1")
    except PoinsotError:
        return None
    return float(match.group(1)) * unit.factor, unit


def parse(source: str) -> Expression:
    """Read an expression; an error says where it stops making sense."""
    if len(source) > MAX_LENGTH:
        raise PoinsotError(f"an expression of {len(source)} characters is too long; at most {MAX_LENGTH} are read")
    parser = _Parser(source)
    result = parser.sum()
    if parser.token is not None:
        hint = f"; units are {UNIT_LIST}, and products as in '3 kg·m²' or '3 N*m/rad'"
        sort, word = parser.token
        hint = hint if sort == "name" else comma_advice(source) if word == "," else ""
        parser.fail(f"unexpected '{word}'{hint}")
    return result


class _Parser:
    """Recursive descent over the grammar in the module's docstring."""

    def __init__(self, source: str):
        self.source, self.position, self.depth = source, 0, 0
        self.token: tuple[str, str] | None = None
        self.advance()

    def fail(self, what: str) -> NoReturn:
        raise PoinsotError(f"cannot read the expression '{self.source[:80]}': {what}")

    def advance(self) -> None:
        if not self.source[self.position :].strip():
            self.token = None
            return
        match = _TOKEN.match(self.source, self.position)
        if match is None:
            sign = self.source[self.position :].strip()[:1]
            self.fail(f"unexpected '{sign}'{' (write deg)' if sign == '°' else ''}")
        self.position, kind = match.end(), str(match.lastgroup)
        self.token = (kind, match.group(kind))

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"more than {MAX_DEPTH} levels of nesting")

    def close(self) -> None:
        if not self.take(")"):
            self.fail("a bracket is not closed")

    def take(self, *signs: str) -> str | None:
        if self.token is None or self.token[0] != "sign" or self.token[1] not in signs:
            return None
        sign = self.token[1]
        self.advance()
        return sign

    def sum(self) -> Expression:
        self.deeper()
        left = self.product()
        while sign := self.take("+", "-"):
            left = Call(sign, (left, self.product()))
        self.depth -= 1
        return left

    def product(self) -> Expression:
        left = self.factor()
        while sign := self.take("*", "/"):
            left = Call(sign, (left, self.factor()))
        return left

    def factor(self) -> Expression:
        signs = 0
        while sign := self.take("+", "-"):
            signs += sign == "-"
        base = self.atom()
        if self.take("^", "**"):
            self.deeper()
            base = Call("^", (base, self.factor()))
            self.depth -= 1
        return Call("neg", (base,)) if signs % 2 else base

    def atom(self) -> Expression:
        if self.token is None:
            self.fail("it ends too early")
        sort, word = self.token
        if sort == "number":
            return self.number(float(word))
        if sort == "name":
            self.advance()
            if self.take("("):
                return self.call(word)
            return Constant(math.pi, (0, 0, 0, 0)) if word == "pi" else Name(word)
        if self.take("("):
            inner = self.sum()
            self.close()
            return inner
        self.fail(f"unexpected '{word}'{comma_advice(self.source) if word == ',' else ''}")

    def number(self, value: float) -> Constant:
        written, dimension = _UNIT.match(self.source, self.position), None
        if written:
            self.position, unit = written.end(), parse_unit(written.group(1))
            value, dimension = value * unit.factor, unit.dimension
        self.advance()
        return Constant(value, dimension)

    def call(self, name: str) -> Expression:
        if name not in FUNCTIONS:
            raise PoinsotError(unknown("function", name, FUNCTIONS))
        arguments = [self.sum()]
        while self.take(","):
            arguments.append(self.sum())
        self.close()
        if len(arguments) != FUNCTIONS[name]:
            self.fail(f"{name} takes {FUNCTIONS[name]} argument(s), not {len(arguments)}")
        return Call(name, tuple(arguments))
