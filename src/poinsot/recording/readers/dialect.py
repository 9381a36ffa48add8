"""Dialect of a text table: encoding, delimiter, decimal sign, where the numbers begin, names and units above them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, pairwise

import numpy as np

from poinsot.errors import PoinsotError, counted
from poinsot.recording.units import known_unit, si, split_unit

__all__ = ["COMMENTS", "MISSING", "Dialect", "decode", "dialect_of", "fields_of", "moment", "number", "quantity"]

COMMENTS = ("#", "%", "//", "!")
MISSING = ("", "nan", "na", "n/a", "null", "none", "-", "--", "?", "#n/a", "over", "overload", "err", "error")
# The first that explains most numbers is taken; "" is any run of blanks.
CANDIDATES = (
    (",", "."),
    (";", ","),
    (";", "."),
    ("\t", "."),
    ("\t", ","),
    ("|", "."),
    ("", "."),
    ("", ","),
    (",", ","),
)
SAMPLE = 200  # lines that are looked at
_WHOLE, _FRACTION = re.compile(r"[+-]?\d+$"), re.compile(r"\d+([eE][+-]?\d+)?$")  # halves of 1,25e-3
_BEHIND = re.compile(r"(?<=[\d.,\s])[^\d.,\s+-].*$")  # what stands behind a number
_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+$")
_POINT = re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?$")
_DAY = re.compile(r"(\d{1,2}):(\d\d):(\d\d(?:[.,]\d+)?)$")
_MOMENT = re.compile(rf"\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d|{_DAY.pattern}")
_THOUSANDS = {",": re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+$"), ".": re.compile(r"[+-]?\d{1,3}(,\d{3})+\.\d+$")}


@dataclass(frozen=True)
class Dialect:
    """How a text table is written."""

    encoding: str
    delimiter: str  # "" for any run of blanks
    decimal: str  # "." or ","
    first_row: int  # lines before the numbers
    names: tuple[str, ...]  # k
    units: tuple[str, ...]  # k, "" where none is written
    kinds: tuple[str, ...]  # k: "number", "quantity" (a number and the unit of the column), "date" or "text"
    comments: tuple[str, ...]  # lines above the table that are no header
    comma: tuple[bool, ...] = ()  # k: columns of text that would be numbers with a decimal comma
    headers: tuple[str, ...] = ()  # k, names with units as they are written; (): as the names


def decode(head: bytes) -> tuple[str, str]:
    """Text and encoding of the first bytes of a file; what is no text is an error."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if head.startswith(mark):
            return head.decode(encoding, errors="ignore"), encoding
    if b"\0" in head:
        raise PoinsotError("this is no text: it has bytes that are zero")
    try:
        return head.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if error.start >= len(head) - 4:  # a sign that was cut
            return head[: error.start].decode("utf-8"), "utf-8"
        return head.decode("latin-1"), "latin-1"


def number(text: str, decimal: str) -> float | None:
    """The number that a field holds, thousands apart or not; None if it holds none.

    >>> number("1.234,5", ","), number("1,234.5", "."), number("1.234", ","), number("0,5", ".")
    (1234.5, 1234.5, None, None)
    """
    text = text.strip().strip('"')
    if "," in text and "." in text and _THOUSANDS[decimal].match(text):
        text = text.replace("." if decimal == "," else ",", "")
    if decimal == ",":
        if "." in text:
            return None
        text = text.replace(",", ".")
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def quantity(text: str, unit: str, decimal: str) -> float | None:
    """The number in front of a unit; None where a field holds something else.

    >>> quantity("-1.5 kN", "kN", "."), quantity("3N", "N", "."), quantity("3 kN", "N", ".")
    (-1.5, 3.0, None)
    """
    text = text.strip()
    return number(text[: -len(unit)], decimal) if text.endswith(unit) else None


def moment(text: str) -> float | None:
    """Seconds of a date since 1970, or of a time of day since midnight; None if a field holds neither.

    >>> moment("1970-01-01 00:01:00"), moment("10:59:58,25"), moment("25:00:00"), moment("now")
    (60.0, 39598.25, None, None)
    """
    if day := _DAY.match(text.strip()):
        hours, minutes, rest = int(day[1]), int(day[2]), float(day[3].replace(",", "."))
        return 3600.0 * hours + 60.0 * minutes + rest if hours < 24 and minutes < 60 and rest < 61 else None
    try:
        datetime.fromisoformat(text.strip())
        return int(np.datetime64(text.strip(), "ns").astype(np.int64)) / 1e9
    except ValueError:
        return None


def fields_of(line: str, delimiter: str) -> list[str]:
    """Fields of a line."""
    if not delimiter:
        return line.split()
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return line.split(delimiter)


def dialect_of(head: bytes) -> Dialect:
    """The dialect of a table from the first bytes of its file."""
    text, encoding = decode(head)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > 2:
        lines = lines[:-1]  # the last may be cut
    delimiter, decimal, width = _best(lines)
    first = _below_header(lines, _first_row(lines, delimiter, decimal, width), delimiter, decimal, width)
    rows = [f for line in lines[first : first + SAMPLE] if len(f := fields_of(line, delimiter)) == width]
    kinds = tuple(_kind([row[j] for row in rows], decimal) for j in range(width))
    above = [line for line in lines[:first] if line.strip()]
    if rows and above and delimiter and not any(row[-1].strip() for row in rows):  # rows end with a delimiter
        above[-1] += delimiter * (len(fields_of(above[-1], delimiter)) == width - 1)
    if delimiter == "," and decimal == ".":
        _require_decimal_points(lines, first)
    names, units, rest, headers = _header(above, delimiter, width)
    written = [_unit_in([row[j] for row in rows], decimal) if kinds[j] == "text" else "" for j in range(width)]
    units = tuple(own or unit for own, unit in zip(written, units))
    kinds = tuple("quantity" if own else holds for own, holds in zip(written, kinds))
    comma = tuple(
        holds == "text" and decimal == "." and _kind([row[j] for row in rows], ",") == "number"
        for j, holds in enumerate(kinds)
    )
    return Dialect(encoding, delimiter, decimal, first, names, units, kinds, tuple(rest), comma, headers)


def _require_decimal_points(lines: Sequence[str], first: int) -> None:
    """That commas between fields are no decimal commas too, where halves of numbers make as many as there are names.

    Halves are told from whole numbers by twice as many fields as names, or by what only a fraction has.
    """
    top = next((k for k in reversed(range(first)) if (f := _filled(lines[k])) and not any(map(_is_number, f))), None)
    names = [] if top is None else _filled(lines[top])
    rows = [_filled(line) for line in lines[first if top is None else top + 1 :][:SAMPLE] if line.strip()]
    if not rows or any(_POINT.match(f) for row in rows for f in row):
        return
    halved = [row for row in rows if 0 < len(row) - (len(names) or len(row) // 2) <= _halves(row)]
    behind = [b for row in halved for a, b in pairwise(row) if _WHOLE.match(a)]
    signs = sum(_is_fraction(b) and (b[0] == "0" or names != []) for b in behind)
    twice = names and all(len(row) == 2 * len(names) for row in rows)
    if 10 * len(halved) < 9 * len(rows) or not (twice or signs > (0 if names else len(rows) / 20)):
        return
    fields = " or ".join(map(str, sorted({len(row) for row in rows})[:3]))
    head = (
        f"the header has {counted(len(names), 'name')} and the rows {fields} fields"
        if names
        else f"rows have {fields} fields"
    )
    raise PoinsotError(
        f"{head}: commas seem to separate fields and to stand for decimal points; write it with decimal points, or "
        "with semicolons between fields"
    )


def _filled(line: str) -> list[str]:
    """Fields between commas, but for an empty one at the end."""
    fields = [f.strip() for f in fields_of(line, ",")]
    return fields[:-1] if fields and not fields[-1] else fields


def _is_number(field: str) -> bool:
    return number(field, ".") is not None


def _halves(row: Sequence[str]) -> int:
    """How many pairs of neighbours may be a number with a decimal comma, none of them in two."""
    count, k = 0, 0
    while k < len(row) - 1:
        pair = bool(_WHOLE.match(row[k]) and _FRACTION.match(row[k + 1]))
        count, k = count + pair, k + 1 + pair
    return count


def _is_fraction(field: str) -> bool:
    """Whether no whole number is written so: 05, 25e-3."""
    return bool(_FRACTION.match(field)) and (not field.isdigit() or (len(field) > 1 and field[0] == "0"))


def _best(lines: Sequence[str]) -> tuple[str, str, int]:
    """Delimiter, decimal sign and number of fields that make most numbers of the lines."""
    body = [line for line in lines if line.strip() and not line.lstrip().startswith(COMMENTS)]
    sample = body[:40] + body[-SAMPLE:] if len(body) > SAMPLE + 40 else body
    best = (0, 0.0, 0, ("", ".", 0))
    for rank, (delimiter, decimal) in enumerate(CANDIDATES):
        rows = [fields_of(line, delimiter) for line in sample]
        if delimiter == decimal and not any("," in f and not _GROUPS.match(f.strip()) for row in rows for f in row):
            continue  # quoted numbers with decimal commas, or with thousands apart
        counts = Counter(len(row) for row in rows if any(number(f, decimal) is not None for f in row))
        if not counts:
            continue
        width = max(counts, key=lambda k: (counts[k] * k, k))
        numbers = [sum(number(f, decimal) is not None for f in row) for row in rows if len(row) == width]
        share = sum(numbers) / (width * len(numbers))  # 0,5;1,5 has two numbers in three fields, or in two
        best = max(best, (sum(numbers), share, -rank, (delimiter, decimal, width)))
    if best[0] == 0:
        raise PoinsotError("no table of numbers was found in this text")
    return best[3]


def _first_row(lines: Sequence[str], delimiter: str, decimal: str, width: int) -> int:
    """Number of the first line that is a row of numbers, followed by others."""

    def is_row(line: str) -> bool:
        fields = fields_of(line, delimiter)
        return len(fields) == width and any(
            number(f, decimal) is not None or _MOMENT.match(f.strip()) for f in fields
        )

    first = None
    for k, line in enumerate(lines):
        if is_row(line) and not line.lstrip().startswith(COMMENTS):
            first = k if first is None else first
            following = islice((other for other in lines[k + 1 :] if other.strip()), 2)
            if all(is_row(other) and not other.lstrip().startswith(COMMENTS) for other in following):
                return k
    return first or 0


def _below_header(lines: Sequence[str], first: int, delimiter: str, decimal: str, width: int) -> int:
    """The first row, or a line of numbers above it that lacks fields or has too many, right below a header."""

    def numbers(line: str) -> list[bool]:
        return [number(f, decimal) is not None for f in fields_of(line, delimiter)]

    top = first
    while top and numbers(lines[top - 1]) and all(numbers(lines[top - 1])):
        top -= 1
    header = numbers(lines[top - 1]) if top else []
    return top if len(header) == width and not any(header) else first


def _kind(column: Sequence[str], decimal: str) -> str:
    """What a column holds, by the first rows."""
    filled = [f.strip() for f in column if f.strip().lower() not in MISSING]
    numbers = sum(number(f, decimal) is not None for f in filled)
    if 2 * numbers >= len(filled):
        return "number"
    return "date" if _MOMENT.match(filled[0]) and moment(filled[0]) is not None else "text"


def _unit_in(column: Sequence[str], decimal: str) -> str:
    """The unit that stands behind every number of a column; "" where there is none, or several."""
    filled = [f.strip() for f in column if f.strip().lower() not in MISSING]
    behind = _BEHIND.search(filled[0]) if filled else None
    unit = known_unit(behind[0]) if behind else ""
    return unit if unit and all(quantity(f, unit, decimal) is not None for f in filled) else ""


def _header(
    above: Sequence[str], delimiter: str, width: int
) -> tuple[tuple[str, ...], tuple[str, ...], list[str], tuple[str, ...]]:
    """Names and units from the lines above the numbers, the lines that are neither, and names as they are written."""
    rest, split = list(above), []
    for line in reversed(above[-3:]):
        plain = line.strip()
        for mark in COMMENTS:
            plain = plain.removeprefix(mark).strip()
        for sign in (delimiter, "\t", ""):
            fields = [f.strip().strip('"') for f in fields_of(plain, sign)]
            if len(fields) == width + 1 and not fields[-1]:
                fields = fields[:-1]
            if len(fields) == width and any(fields):
                split.append(fields)
                rest.remove(line)
                break
        else:
            break
        if len(split) == 2:
            break
    if len(split) == 2 and not _are_units(split[0]):
        rest.append(delimiter.join(split.pop()))
    if not split:
        names = tuple(f"column{j + 1}" for j in range(width))
        return names, ("",) * width, rest, names
    pairs = [split_unit(name) for name in split[-1]]
    units = [f.strip("[](){}") for f in split[0]] if len(split) == 2 else [unit for _, unit in pairs]
    names = [name or f"column{j + 1}" for j, (name, _) in enumerate(pairs)]
    return tuple(_unique(names)), tuple(units), rest, tuple(as_is or name for as_is, name in zip(split[-1], names))


def _are_units(fields: Sequence[str]) -> bool:
    """Whether a line below the names holds their units."""
    for field in fields:
        try:
            si(field.strip("[](){} "))
        except PoinsotError:
            return False
    return any(fields)


def _unique(names: Sequence[str]) -> list[str]:
    counts: Counter[str] = Counter()
    unique = []
    for name in names:
        counts[name] += 1
        unique.append(name if counts[name] == 1 else f"{name}_{counts[name]}")
    return unique
