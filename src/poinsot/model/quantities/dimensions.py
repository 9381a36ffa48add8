"""Dimensions of expressions: lengths are not added to masses, and an expression is in the unit of its place.

A dimension is the powers of (kg, m, s, rad), or None where it is not known: a number or a parameter without a unit
may stand for any quantity ("400*length^2/12" is an inertia where 400 are kilograms). In a sum a plain number beside
a quantity is refused: it has no unit to take. A parameter without a unit that stands alone in places of one
dimension is of that dimension in sums. Otherwise only what is certainly wrong is refused. Angles count as numbers,
and the radian may be left out of everything else, but not beside a frequency: 2π f is an angular speed, 2 f is none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from poinsot.errors import PoinsotError
from poinsot.model.quantities.expressions import Call, Constant, Expression, Name, written
from poinsot.model.quantities.units import Dimension, dimension_text, parse_unit

NUMBER: Dimension = (0, 0, 0, 0)
ANGLE: Dimension = (0, 0, 0, 1)
FREQUENCY: Dimension = (0, 0, -1, 0)
OF_NUMBERS = {"sin", "cos", "tan", "asin", "acos", "atan", "exp", "log"}
GIVE_ANGLES = {"asin", "acos", "atan", "atan2"}
Turns = tuple[float, ...]  # powers of rad, Hz and π; NaN where they are not known


def unit_dimension(unit: str) -> Dimension | None:
    """Dimension of a parameter by its unit; one without a unit may be anything."""
    return None if unit in ("-", "1", "") else parse_unit(unit).dimension


def fits(dimension: Dimension | None, other: Dimension | None) -> bool:
    """Tell whether two dimensions may be one: numbers and unknown ones fit everything.

    >>> fits((0, 1, 0, 0), (0, 1, 0, 1)), fits((0, 1, 0, 0), (0, 0, 0, 1))
    (True, False)
    """
    unknown = (None, NUMBER)
    return dimension in unknown or other in unknown or dimension[:3] == other[:3]


def dimension_of(expression: Expression, known: Mapping[str, Dimension | None]) -> Dimension | None:
    """Dimension of an expression from those of the parameters in it; a sum of unlike ones is an error."""
    if isinstance(expression, Constant):
        return expression.dimension
    if isinstance(expression, Name):
        return known.get(expression.name)
    parts = [dimension_of(argument, known) for argument in expression.arguments]
    operation = expression.operation
    if operation in ("+", "-", "atan2"):
        joined = _alike(expression, *parts)
        return ANGLE if operation == "atan2" else joined
    if operation in ("*", "/"):
        return _product(expression, *parts)
    if operation in ("^", "sqrt"):
        return _power(expression, *parts)
    if operation in OF_NUMBERS:
        if parts[0] is not None and any(parts[0][:3]):
            raise PoinsotError(
                f"'{written(expression)}' needs a number or an angle, got a quantity in {dimension_text(parts[0])}"
            )
        return ANGLE if operation in GIVE_ANGLES else NUMBER
    return parts[0]  # neg, abs


def _alike(expression: Call, a: Dimension | None, b: Dimension | None) -> Dimension | None:
    for number, other in zip(expression.arguments, (b, a)):
        bare = number.arguments[0] if isinstance(number, Call) and number.operation == "neg" else number
        if isinstance(bare, Constant) and bare.dimension is None and bare.value and other and any(other[:3]):
            verb, unit = {"+": "adds", "-": "subtracts"}.get(expression.operation, "compares"), dimension_text(other)
            raise PoinsotError(
                f"'{written(expression)}' {verb} a quantity in {unit} and the plain number {bare.value:g}: write its "
                f"unit, as in '{bare.value:g} {unit}'"
            )
    if a is not None and b is not None and not fits(a, b):
        verb = {"+": "adds", "-": "subtracts"}.get(expression.operation, "compares")
        raise PoinsotError(
            f"'{written(expression)}' {verb} quantities in {dimension_text(a)} and {dimension_text(b)}"
        )
    return b if a in (None, NUMBER) else a


def _product(expression: Call, a: Dimension | None, b: Dimension | None) -> Dimension | None:
    divisor = expression.arguments[1]
    if expression.operation == "/" and isinstance(divisor, Constant) and divisor.value.is_integer():
        b = b or NUMBER  # a whole number below the line is one, as in length/2
    if a is None or b is None:
        return None
    sign = 1 if expression.operation == "*" else -1
    return tuple(x + sign * y for x, y in zip(a, b))


def _power(expression: Call, base: Dimension | None, exponent: Dimension | None = NUMBER) -> Dimension | None:
    if exponent is not None and any(exponent):
        raise PoinsotError(f"the exponent of '{written(expression)}' is in {dimension_text(exponent)}, not a number")
    if base is None or base == NUMBER:
        return base
    power = Constant(0.5) if expression.operation == "sqrt" else expression.arguments[1]
    if isinstance(power, Call) and power.operation == "neg" and isinstance(power.arguments[0], Constant):
        power = Constant(-power.arguments[0].value)
    return tuple(x * power.value for x in base) if isinstance(power, Constant) else None


def unit_turns(unit: str) -> Turns:
    """Powers of rad, Hz and π of a parameter by its unit."""
    return (math.nan,) * 3 if (dimension := unit_dimension(unit)) is None else _turns(dimension)


def turns_of(expression: Expression, known: Mapping[str, Turns]) -> Turns:
    """Powers of rad, Hz and π of an expression from those of the parameters in it; a plain number has none."""
    if isinstance(expression, Name):
        return known[expression.name]
    if isinstance(expression, Constant):
        return (0.0, 0.0, 1.0) if expression.value == math.pi else _turns(expression.dimension or NUMBER)
    operation, parts = expression.operation, [turns_of(argument, known) for argument in expression.arguments]
    if operation in ("*", "/"):
        sign = 1 if operation == "*" else -1
        return tuple(x + sign * y for x, y in zip(*parts))
    if operation in ("^", "sqrt"):
        power = Constant(0.5) if operation == "sqrt" else expression.arguments[1]
        return tuple(x * power.value if isinstance(power, Constant) else math.nan for x in parts[0])
    if operation in OF_NUMBERS | GIVE_ANGLES:
        return (float(operation in GIVE_ANGLES), 0.0, 0.0)
    return max(parts, key=lambda part: abs(part[1] * (part[1] - part[2])))  # a sum: the one that is not in radians


def in_hertz(turns: Turns, unit: str) -> bool:
    """Whether frequencies stand where `unit` has angles, and no π makes angular speeds of them.

    >>> in_hertz((0, 1, 0), "rad/s"), in_hertz((0, 1, 1), "rad/s"), in_hertz((0, 1, 0), "m/s")
    (True, False, False)
    """
    angle, frequency, pi = turns
    wanted = parse_unit(unit).dimension[3]
    return wanted != 0 and abs((angle - wanted) * frequency * (frequency - pi)) > 0


def _turns(dimension: Dimension) -> Turns:
    return (dimension[3], float(dimension == FREQUENCY), 0.0)
