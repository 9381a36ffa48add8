"""Universal files (UFF): functions at nodes become channels over time or frequency, all else that is known constants.

Functions (data sets 58) that share their abscissa are one part of the file; a recording holds one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import MissingExtraError, PoinsotError, counted, listing
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.readers.foreign import foreign
from poinsot.recording.readers.table import ReadRequest, Table
from poinsot.recording.recording import Axis
from poinsot.recording.units import known_unit

__all__ = ["read_uff"]

FUNCTION = 58
AXES = {17: Axis.TIME, 18: Axis.FREQUENCY}  # what the abscissa is
FUNCTIONS = {  # what was measured, by the number in the file
    0: "general",
    1: "time response",
    2: "auto spectrum",
    3: "cross spectrum",
    4: "frequency response",
    5: "transmissibility",
    6: "coherence",
    7: "auto correlation",
    8: "cross correlation",
    9: "power spectral density",
    10: "energy spectral density",
    11: "probability density",
    12: "spectrum",
}
QUANTITIES = {8: "position", 9: "force", 11: "velocity", 12: "acceleration", 13: "force", 15: "pressure"}
DIRECTIONS = {1: "+X", 2: "+Y", 3: "+Z", 4: "+RX", 5: "+RY", 6: "+RZ"}
NOTHING = ("", "NONE")


def read_uff(path: Path, request: ReadRequest) -> Table:
    """A table of the functions of a universal file that share one abscissa; geometry and shapes are constants.

    A file without functions gives a table without columns.
    """
    sets, unread = _sets(path)
    functions = [one for one in sets if one["type"] == FUNCTION and _has_samples(one)]
    constants = _constants([one for one in sets if one["type"] != FUNCTION])
    if not functions and not constants:
        kinds = sorted({number for number, _ in unread})
        said = f"only data sets {listing(map(str, kinds))}, which cannot be read" if kinds else "no data sets"
        raise PoinsotError(f"this universal file has {said}")
    findings = [*_unread(unread)]
    if not functions:
        findings.append(_without_functions(sets))
        return Table((), (), (), "uff", constants=constants, findings=tuple(findings))
    parts = _parts(functions)
    k = request.chosen(len(parts), "groups of functions with one abscissa")
    findings += _other_parts(parts, k, request.part)
    names = _names(parts[k])
    kept = [(name, one) for name, one in zip(names, parts[k]) if request.wanted(name)]
    if not kept:
        raise PoinsotError(f"none of the columns that are asked for is in it; there are: {listing(names)}")
    findings += [f for name, one in kept for f in _short(name, one)]
    first = parts[k][0]
    constants |= {"functions": {name: _about(one) for name, one in kept}}
    return Table(
        tuple(name for name, _ in kept),
        tuple(_unit(one) for _, one in kept),
        tuple(np.asarray(one["data"]) for _, one in kept),
        "uff",
        abscissa=np.asarray(first["x"], float),
        axis=AXES[first["abscissa_spec_data_type"]],
        kinds=tuple(_kind(one) for _, one in kept),
        places=tuple(_place(one) for _, one in kept),
        constants=constants,
        findings=tuple(findings),
    )


def _sets(path: Path) -> tuple[list[dict], list[tuple[int, str]]]:
    """The data sets that can be read, and number and reason of those that cannot."""
    try:
        import pyuff
    except ImportError:
        raise MissingExtraError("reading universal files", "pyuff", "data") from None
    sets: list[dict] = []
    unread: list[tuple[int, str]] = []
    with foreign("a universal file"):
        file = pyuff.UFF(str(path))
        numbers = [int(number) for number in file.get_set_types()]
    if not numbers:
        raise PoinsotError("this is no universal file: it has no data sets between lines of −1")
    known = {int(name) for name in file.get_supported_sets() if name.isdigit()}
    for k, number in enumerate(numbers):
        try:
            with foreign("a data set"):
                held = dict(file.read_sets(k)) if number in known else {}
        except PoinsotError:
            held = {}
        if held.get("type") == number:
            sets.append(held)
        else:
            unread.append((number, "damaged" if number in known else "unknown"))
    return sets, unread


def _has_samples(one: Mapping[str, Any]) -> bool:
    """Whether a function is over time or frequency and has samples."""
    known = one.get("abscissa_spec_data_type") in AXES
    return known and np.ndim(one["x"]) == 1 and len(one["x"]) == len(one["data"]) > 0


def _parts(functions: Sequence[dict]) -> list[list[dict]]:
    """Functions grouped by abscissa, in the order of the file."""
    groups: dict[tuple, list[dict]] = {}
    for one in functions:
        x = np.asarray(one["x"], float)
        groups.setdefault((one["abscissa_spec_data_type"], len(x), x[0], x[-1]), []).append(one)
    return list(groups.values())


def _direction(one: Mapping[str, Any], end: str) -> str:
    """Node and direction of the response ("rsp") or the reference ("ref"), such as "3+Z"; "" if none."""
    d = int(one.get(f"{end}_dir") or 0)
    node = int(one.get(f"{end}_node") or 0)
    sign = DIRECTIONS.get(abs(d), "")
    return f"{node}{sign.replace('+', '-') if d < 0 else sign}" if node > 0 else ""


def _place(one: Mapping[str, Any]) -> str:
    """Where the response was measured: node and direction, else the name of the channel."""
    name = str(one.get("rsp_ent_name", "")).strip()
    return _direction(one, "rsp") or (name if name not in NOTHING else "")


def _names(functions: Sequence[dict]) -> list[str]:
    """One name a function: what was measured where, by what it was excited; made unique by numbers."""
    names: list[str] = []
    for one in functions:
        reference = _direction(one, "ref")
        label = str(one.get("id1", "")).strip()
        name = _place(one) + (f":{reference}" if reference else "")
        name = name or (label if label not in NOTHING else "") or FUNCTIONS.get(one["func_type"], "function")
        number = sum(other == name or other.startswith(f"{name}#") for other in names)
        names.append(f"{name}#{number + 1}" if number else name)
    return names


def _kind(one: Mapping[str, Any]) -> str:
    """What a channel measures; over frequency, which function it is."""
    if one["func_type"] == 1:
        return QUANTITIES.get(one.get("ordinate_spec_data_type", 0), "")
    return FUNCTIONS.get(one["func_type"], "")


def _unit(one: Mapping[str, Any]) -> str:
    """Unit of the ordinate, over that of its denominator, where they are written and known."""
    over, under = (str(one.get(f"{end}_axis_units_lab", "")).strip() for end in ("ordinate", "orddenom"))
    over, under = ("" if text in NOTHING else text for text in (over, under))
    return known_unit(f"({over})/({under})" if over and under else over)


def _about(one: Mapping[str, Any]) -> dict[str, Any]:
    """What the file says about a function."""
    return {
        "function": FUNCTIONS.get(one["func_type"], str(one["func_type"])),
        "response": _direction(one, "rsp"),
        "reference": _direction(one, "ref"),
        **{key: value for key, value in one.items() if key not in ("x", "data", "type")},
    }


def _constants(sets: Sequence[dict]) -> dict[str, Any]:
    """Data sets other than functions, as "uff 15", a list where there are several."""
    found: dict[str, Any] = {}
    for one in sets:
        key = f"uff {one['type']}"
        found[key] = (
            one if key not in found else [*found[key], one] if type(found[key]) is list else [found[key], one]
        )
    return found


def _without_functions(sets: Sequence[dict]) -> Finding:
    """That a file has no function, and where what it has instead is to be found."""
    kinds = sorted({one["type"] for one in sets})
    message = (
        f"it has no functions (data sets {FUNCTION}), and so no channels, but data sets {listing(map(str, kinds))}"
    )
    advice = f'what they hold is in Python under recording.constants["uff {kinds[0]}"] and so on'
    return Finding("no functions", "", "", float(len(sets)), message, advice, Severity.NOTE)


def _unread(unread: Sequence[tuple[int, str]]) -> Iterator[Finding]:
    for why in sorted({reason for _, reason in unread}):
        numbers = sorted({number for number, reason in unread if reason == why})
        n = sum(reason == why for _, reason in unread)
        message = f"left out: {counted(n, 'data set')} ({listing(map(str, numbers))}), {why}"
        severity = Severity.NOTE if why == "unknown" else Severity.WARNING
        yield Finding("left out", "", "", n, message, "see whether they are needed", severity)


def _other_parts(parts: Sequence[Sequence[dict]], k: int, asked: int | None) -> Iterator[Finding]:
    if asked is None and len(parts) > 1:
        n = sum(map(len, parts)) - len(parts[k])
        message = f"left out: {counted(n, 'function')} with another abscissa than the first"
        yield Finding("left out", "", "", n, message, f"read them by part=2 … {len(parts)}", Severity.WARNING)


def _short(name: str, one: Mapping[str, Any]) -> Iterator[Finding]:
    """A header that promises more samples than there are."""
    promised, n = int(one.get("num_pts") or 0), len(one["data"])
    if promised > n:
        message = f"its header promises {counted(promised, 'sample')}, {n} are there"
        yield Finding("cut", name, "", promised - n, message, "see whether the file was cut off", Severity.ERROR)
