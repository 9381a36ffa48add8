"""Units of columns: what people write above them, and the SI unit in which a channel is kept.

Headers write more than model files: °/s, rpm, Nm, "g" for the standard acceleration of gravity, volts and
amperes. What is no mechanical unit is kept as it is.
"""

from __future__ import annotations

import math
import re
from itertools import product

from poinsot.errors import PoinsotError
from poinsot.model.quantities.units import dimension_text, parse_unit

__all__ = ["is_mechanical", "known_unit", "si", "split_unit", "strange_unit"]

STANDARD_GRAVITY = 9.80665  # [m/s²]
_SPELT = {
    "º": "°",
    "degree": "deg",
    "degrees": "deg",
    "radian": "rad",
    "radians": "rad",
    "sec": "s",
    "second": "s",
    "seconds": "s",
    "msec": "ms",
    "metre": "m",
    "meter": "m",
    "meters": "m",
    "metres": "m",
    "newton": "N",
    "N-m": "N·m",
    "N.m": "N·m",
    "kp": "kgf",
    "Deg": "deg",
    "inch": "in",
    "inches": "in",
    "foot": "ft",
    "feet": "ft",
    **{  # of torques, in which a pound and an ounce are forces
        spelt: f"{force}·{length}"
        for force, names in (("lbf", ("lbf", "lb", "lbs")), ("ozf", ("ozf", "oz")))
        for name, length, sign in product(names, ("in", "ft"), " -·*.")
        for spelt in (f"{name}{sign}{length}", f"{length}{sign}{name}")
    },
}
_ANGULAR = ("rad", "rad/s", "rad/s²")  # how units of these dimensions are written
_OTHER = {  # factor to the SI unit beside it
    "g": (STANDARD_GRAVITY, "m/s²"),
    "mg": (STANDARD_GRAVITY * 1e-3, "m/s²"),
    "rpm": (2 * math.pi / 60, "rad/s"),
    "ns": (1e-9, "s"),
    "h": (3600.0, "s"),
    "mV": (1e-3, "V"),
    "kV": (1e3, "V"),
    "mA": (1e-3, "A"),
    "dps": (math.pi / 180, "rad/s"),
}
_BETWEEN = re.compile(r"(?<=[^\W\d_]|[°²³)])\s+(?=[^\W\d_]|[°(])")  # a space that stands for a point
PER_MINUTE = "1/min"  # turns of what turns, events of others: the unit of a channel that is placed tells
_PER_MINUTE = ("1/min", "/min", "min^-1", "min⁻¹", "min-1")
_KEPT = (
    "V",
    "A",
    "K",
    "°C",
    "C",
    "%",
    "count",
    "counts",
    "inc",
    "bit",
    "bits",
    "Ω",
    "T",
    "uT",
    "µT",
    "gauss",
    "strain",
)
_PER_FORCE = re.compile(r"\(?(?P<over>[^()]+)\)?\s*/\s*\(?(?P<force>N|kN|lbf|N·m|Nm)\)?")  # of frequency responses
_IN_HEADER = re.compile(r"^\s*(?P<name>.*?)\s*[\[({]\s*(?P<unit>[^\[\](){}]*)\s*[\])}]\s*$")
_SUFFIX = re.compile(r"^(?P<name>.+)_(?P<unit>ms|us|ns|mm|deg|rad|rpm|Nm|mA)$")


def si(text: str) -> tuple[float, str]:
    """Factor to SI and the SI unit of what stands above a column; what is no mechanical unit is kept.

    >>> si("°/s")
    (0.017453292519943295, 'rad/s')
    >>> si("rev/min")[1], si("1/min"), si("1/s")[1]
    ('rad/s', (1.0, '1/min'), 'Hz')
    >>> si("g"), si("V"), si("mm"), si("g/N")
    ((9.80665, 'm/s²'), (1.0, 'V'), (0.001, 'm'), (9.80665, '(m/s²)/N'))
    """
    text = text.strip()
    if match := _PER_FORCE.fullmatch(text):
        (over, unit), (under, force) = si(match["over"]), si(match["force"])
        return over / under, f"({unit})/{force}" if "/" in unit else f"{unit}/{force}"
    if text in ("", "-", "1"):
        return 1.0, "-" if text else ""
    if text in _PER_MINUTE:
        return 1.0, PER_MINUTE
    if text in _OTHER:
        return _OTHER[text]
    if text in _KEPT:
        return 1.0, text
    spelt = "".join(_SPELT.get(part, part) for part in re.split(r"([/*·^ ])", _SPELT.get(text, text)))
    spelt = spelt.replace("º", "°")
    spelt = re.sub(r"(?<=[A-Za-z])2$", "²", spelt.replace("s2", "s²"))
    unit = parse_unit(_BETWEEN.sub("*", spelt))
    for angular in _ANGULAR:
        if unit.dimension == parse_unit(angular).dimension:
            return unit.factor, angular
    return unit.factor, dimension_text(unit.dimension)


def kept_in_si(text: str) -> tuple[float, str]:
    """Factor to SI and the SI unit; a text that is no unit is kept as it is.

    >>> kept_in_si("mm"), kept_in_si("furlong")
    ((0.001, 'm'), (1.0, 'furlong'))
    """
    try:
        return si(text)
    except PoinsotError:
        return 1.0, text


def known_unit(text: str) -> str:
    """The unit as it is written, if it is one; "" if not.

    >>> known_unit("mm"), known_unit("furlong")
    ('mm', '')
    """
    try:
        si(text)
    except PoinsotError:
        return ""
    return text.strip()


def is_mechanical(text: str) -> bool:
    """Whether a unit is one of mechanics, which a gain does not turn into another; not V, counts, or none.

    >>> is_mechanical("W"), is_mechanical("V"), is_mechanical("")
    (True, False, False)
    """
    return bool(known_unit(text)) and text.strip() not in (*_KEPT, "-", "1")


def split_unit(header: str) -> tuple[str, str]:
    """Name and unit of a column from its header; "" where none is written.

    >>> split_unit("q1 [deg]"), split_unit("force (N)"), split_unit("time_ms"), split_unit("leg1")
    (('q1', 'deg'), ('force', 'N'), ('time', 'ms'), ('leg1', ''))
    """
    for pattern in (_IN_HEADER, _SUFFIX):
        if (match := pattern.match(header)) and match["name"]:
            unit = match["unit"].strip()
            if known_unit(unit) == unit:
                return match["name"].strip(), unit
    return header.strip(), ""


def strange_unit(header: str) -> tuple[str, str]:
    """Name and text in brackets of a header whose brackets hold no unit that is known; "" twice where there is none.

    >>> strange_unit("x [furlong]"), strange_unit("x [mm]"), strange_unit("x")
    (('x', 'furlong'), ('', ''), ('', ''))
    """
    match = _IN_HEADER.match(header)
    return (match["name"], match["unit"].strip()) if match and not known_unit(match["unit"]) else ("", "")
