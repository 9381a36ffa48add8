"""Units: what people write (mm, g, deg, N·m/rad) and the SI values that everything else uses."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from poinsot.errors import PoinsotError

Dimension = tuple[float, ...]  # powers of kg, m, s, rad
TWO_TURNS = 4 * math.pi  # from which on a plain number for an angle may be meant in degrees  [rad]

# Powers of (kg, m, s, rad); angles are kept apart so that 3 deg is not the number 3 and 5 mm not 5 mm/rad.
_BASE = {
    "kg": (1.0, (1, 0, 0, 0)),
    "g": (1e-3, (1, 0, 0, 0)),
    "t": (1e3, (1, 0, 0, 0)),
    "m": (1.0, (0, 1, 0, 0)),
    "cm": (1e-2, (0, 1, 0, 0)),
    "mm": (1e-3, (0, 1, 0, 0)),
    "um": (1e-6, (0, 1, 0, 0)),
    "µm": (1e-6, (0, 1, 0, 0)),
    "km": (1e3, (0, 1, 0, 0)),
    "in": (0.0254, (0, 1, 0, 0)),
    "ft": (0.3048, (0, 1, 0, 0)),
    "lb": (0.45359237, (1, 0, 0, 0)),
    "oz": (0.028349523125, (1, 0, 0, 0)),
    "s": (1.0, (0, 0, 1, 0)),
    "ms": (1e-3, (0, 0, 1, 0)),
    "us": (1e-6, (0, 0, 1, 0)),
    "µs": (1e-6, (0, 0, 1, 0)),
    "min": (60.0, (0, 0, 1, 0)),
    "Hz": (1.0, (0, 0, -1, 0)),
    "kHz": (1e3, (0, 0, -1, 0)),
    "rad": (1.0, (0, 0, 0, 1)),
    "mrad": (1e-3, (0, 0, 0, 1)),
    "deg": (math.pi / 180, (0, 0, 0, 1)),
    "°": (math.pi / 180, (0, 0, 0, 1)),
    "rev": (2 * math.pi, (0, 0, 0, 1)),
    "N": (1.0, (1, 1, -2, 0)),
    "kN": (1e3, (1, 1, -2, 0)),
    "mN": (1e-3, (1, 1, -2, 0)),
    "lbf": (4.4482216152605, (1, 1, -2, 0)),
    "ozf": (0.2780138509537812, (1, 1, -2, 0)),
    "kgf": (9.80665, (1, 1, -2, 0)),
    "Nm": (1.0, (1, 2, -2, 0)),
    "kNm": (1e3, (1, 2, -2, 0)),
    "mNm": (1e-3, (1, 2, -2, 0)),
    "Ncm": (1e-2, (1, 2, -2, 0)),
    "Nmm": (1e-3, (1, 2, -2, 0)),
    "rpm": (2 * math.pi / 60, (0, 0, -1, 1)),
    "J": (1.0, (1, 2, -2, 0)),
    "W": (1.0, (1, 2, -3, 0)),
    "Pa": (1.0, (1, -1, -2, 0)),
    "kPa": (1e3, (1, -1, -2, 0)),
    "bar": (1e5, (1, -1, -2, 0)),
    "psi": (6894.757293168, (1, -1, -2, 0)),
    "MPa": (1e6, (1, -1, -2, 0)),
    "GPa": (1e9, (1, -1, -2, 0)),
    "1": (1.0, (0, 0, 0, 0)),
    "-": (1.0, (0, 0, 0, 0)),
}
UNITS = tuple(name for name in _BASE if name not in ("1", "-"))
UNIT_LIST = ", ".join(UNITS)  # for messages
_PER_TIME, _TURNING = (0, 0, -1, 0), (0, 0, -1, 1)  # dimensions of frequencies and of angular speeds
_LIKE = {  # products for messages, beside the units of the same dimension
    "N·m": ("N·m", "Nm", "mNm", "Ncm", "Nmm", "kNm", "lbf·ft", "lbf·in", "ozf·in", "kgf·m"),
    "rad/s": ("rad/s", "deg/s", "°/s", "rev/s", "rpm", "U/min"),
    "rad/s²": ("rad/s²", "deg/s²", "°/s²"),
    "m/s": ("m/s", "mm/s", "cm/s", "m/min", "in/s", "ft/s"),
    "m/s²": ("m/s²", "mm/s²", "ft/s²"),
}
_COMMA = re.compile(r"(?<![\w.])([-+]?[\d.]*),(\d+)")
_SI_NAMES = (
    *("kg", "m", "rad", "kg·m²", "m/s²", "-", "N", "N/m", "N·m/rad", "N·m", "N·s/m", "N·m·s/rad", "m/rad", "Pa"),
    *("m²", "m³", "m⁴", "s", "Hz", "m/s", "kg/m³", "W"),
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@dataclass(frozen=True)
class Unit:
    """A unit as text, its factor to SI and its dimension."""

    text: str
    factor: float  # SI value of one such unit
    dimension: Dimension


def parse_unit(text: str) -> Unit:
    """Read a product of powers such as "kg·m²", "N*m/rad" or "m/s^2".

    >>> parse_unit("kg·mm²").factor
    1e-06
    """
    cleaned = re.sub(r"([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", lambda m: "^" + m.group(1).translate(_SUPERSCRIPTS), text.strip())
    cleaned = cleaned.replace("·", "*").replace("**", "^").replace(" ", "").replace("(", "").replace(")", "")
    cleaned = re.sub(r"^[Uur]/min$", "rev/min", cleaned)  # turns, as German and Japanese drives have them
    factor, dimension, sign = 1.0, [0, 0, 0, 0], 1
    for token in re.split(r"([*/])", cleaned):
        if token in ("*", "/"):
            sign = -1 if token == "/" else sign
            continue
        name, caret, power = token.partition("^")
        if name not in _BASE or (caret and not re.fullmatch(r"-?\d(\.5)?", power)):
            raise PoinsotError(f"'{text}' is not a unit; there are: {UNIT_LIST} and their products")
        exponent = sign * (float(power) if "." in power else int(power or 1))
        scale, powers = _BASE[name]
        factor *= scale**exponent
        dimension = [d + exponent * p for d, p in zip(dimension, powers)]
    return Unit(text, factor, tuple(dimension))


def same_dimension(a: Unit, b: Unit) -> bool:
    """Tell whether two units measure the same quantity.

    The angle may be left out, N·m for N·m/rad, but not of plain numbers, lengths and what is per time: the lead of a
    screw is 5 mm/rev, and 5 mm could be meant per turn or per radian, as 1 Hz could for a speed.

    >>> same_dimension(parse_unit("N·m"), parse_unit("N·m/rad"))
    True
    >>> same_dimension(parse_unit("mm"), parse_unit("m/rad")), same_dimension(parse_unit("Hz"), parse_unit("rad/s"))
    (False, False)
    """
    same_angle = a.dimension[3] == b.dimension[3]
    may_be_left_out = any(a.dimension[:2]) and a.dimension[:3] != (0, 1, 0)
    without_hertz = not any("Hz" in unit.text for unit in (a, b))
    return a.dimension[:3] == b.dimension[:3] and (same_angle or (may_be_left_out and without_hertz))


def in_place(number: float, given: Unit, unit: str) -> float | None:
    """What a number [SI] of a given unit is where `unit` is asked for; None where it measures something else.

    An angular speed is a frequency of so many turns: 60 rpm are 1 Hz. A number without unit is taken as it is.

    >>> in_place(2 * math.pi, parse_unit("rad/s"), "Hz"), in_place(1.0, parse_unit("Hz"), "rad/s")
    (1.0, None)
    """
    if given.text == "1":
        return number
    wanted = parse_unit(unit)
    if (given.dimension, wanted.dimension) == (_TURNING, _PER_TIME):
        return number / (2 * math.pi)
    return number if same_dimension(given, wanted) else None


def expected(unit: str, value: Any, given: Unit) -> str:
    """That a quantity is not in the unit of its place, and what to write where it may be meant per turn or radian.

    >>> expected("rad/s", "1 Hz", parse_unit("Hz"))
    "expected a quantity in rad/s, got '1 Hz': write rpm, deg/s or rad/s (whether Hz counts turns or radians is open)"
    """
    said = f"expected a quantity in {unit}, got '{value}'"
    if (given.dimension, parse_unit(unit).dimension) == (_PER_TIME, _TURNING):
        return f"{said}: write rpm, deg/s or rad/s (whether Hz counts turns or radians is open)"
    return said


def dimension_text(dimension: Dimension) -> str:
    """The SI unit of a dimension, as people write it.

    >>> dimension_text((1, 1, -2, 0)), dimension_text((0, 1.5, 0, 0))
    ('N', 'm^1.5')
    """
    for candidate in _SI_NAMES:
        if parse_unit(candidate).dimension == dimension:
            return candidate
    powers = zip(("kg", "m", "s", "rad"), dimension)
    return "·".join(f"{base}^{power:g}" if power != 1 else base for base, power in powers if power) or "-"


def units_like(unit: str) -> str:
    """Names of the units in which a quantity may be written, for messages; of all where none is its own.

    >>> units_like("rad")
    'rad, mrad, deg, °, rev'
    >>> units_like("N·m")
    'N·m, Nm, mNm, Ncm, Nmm, kNm, lbf·ft, lbf·in, ozf·in, kgf·m'
    """
    if unit in _LIKE:
        return ", ".join(_LIKE[unit])
    dimension = parse_unit(unit).dimension if unit else ()
    return ", ".join(name for name in UNITS if _BASE[name][1] == dimension) or f"{UNIT_LIST} and their products"


def force_unit(pattern: str, unit: str) -> str:
    """SI unit of a force parameter along a coordinate: "f/u" is N/m along a length, N·m/rad about an angle."""
    angular = unit == "rad"
    if pattern == "f*s^2/u":
        return "kg·m²" if angular else "kg"
    if pattern == "f/f":
        return "-"
    letters = {"u": unit, "f": "N·m" if angular else "N", "*": "·"}
    return "".join(letters.get(letter, letter) for letter in pattern)


def comma_advice(text: str) -> str:
    """That decimals take a point, where a text has a comma in a number; empty where it has none.

    >>> comma_advice("1,1 kg")
    '; decimals take a point: 1.1'
    >>> comma_advice("1.1 kg")
    ''
    """
    found = _COMMA.search(text)
    return f"; decimals take a point: {found.group(1).replace('.', '') or 0}.{found.group(2)}" if found else ""


class Meant(float):
    """A number [SI] whose unit is known to be the one that was meant."""


def beyond_two_turns(value: Any, unit: str | None) -> bool:
    """Whether an angle is given as a plain number, or a text of one, that may be meant in degrees.

    >>> beyond_two_turns("-60", "rad"), beyond_two_turns("-60 deg", "rad"), beyond_two_turns(1.5, "rad")
    (True, False, False)
    """
    try:
        plain = unit == "rad" and not isinstance(value, Meant)
        return plain and TWO_TURNS < abs(float(value)) < math.inf
    except (TypeError, ValueError):
        return False
