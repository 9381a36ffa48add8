"""Tables of motions in files, the first column being time in seconds; numbers with units by name."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

import poinsot
from poinsot.app.output import write_text
from poinsot.elements import GROUND
from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError, one_line, unknown
from poinsot.lazy import provided
from poinsot.model.assembly.constraints import Constraints
from poinsot.model.assembly.turns import wound
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.model.quantities.units import Meant, beyond_two_turns, comma_advice
from poinsot.motion.signals import own_times
from poinsot.results.words import settled
from poinsot.spatial.pose import Pose
from poinsot.system.system import start

KINDS = {"a force": "actuator"}  # that have what a command is given; else it is coordinates


def read_motion(path: Path, mechanism: Mechanism | None = None) -> tuple[np.ndarray, dict[str, Any]]:
    """Times (n,) [s] and, by coordinate, the signals of a motion in a table of any dialect."""
    found = provided("motion from a table")(path, mechanism)
    return own_times(found), found


def pairs(texts: Iterable[str] | None, what: str, units: Mapping[str, str] | None = None) -> dict[str, float]:
    """Numbers in SI by name from texts such as "leg1=9.5" or "x=0.1,y=0.2", "phi=10 deg" where `units` has it."""
    found = {}
    for name, value in assigned(texts, what):
        try:
            found[name] = as_value(value, (units or {})[name], name) if name in (units or {}) else float(value)
        except ValueError:
            if units is not None and name not in units:
                raise PoinsotError(unknown(KINDS.get(what, "coordinate"), name, units)) from None
            raise PoinsotError(f"expected {what} as name=number, got '{one_line(f'{name}={value}', 80)}'") from None
    return found


def assigned(texts: Iterable[str] | None, what: str) -> Iterator[tuple[str, str]]:
    """Names and their values, as texts, from texts such as "leg1=9.5" or "x=0.1,y=20 mm"."""
    for whole, text in ((several, part) for several in texts or () for part in several.split(",")):
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not value:
            hint = comma_advice(whole.partition("=")[2])
            raise PoinsotError(f"expected {what} as name=number, got '{one_line(text, 80)}'{hint}")
        yield name, value


def loaded(model: str, change: Iterable[str] | None = None) -> Mechanism:
    """A mechanism of the library or of a file, with parameters changed by texts such as "platform.mass=7.2 kg"."""
    mechanism = poinsot.load(model)
    changes: dict[str, float | str] = dict(assigned(change, "a parameter"))
    return mechanism.with_parameters(changes) if changes else mechanism


def pose_in(mechanism: Mechanism, texts: Iterable[str] | None) -> dict[str, float] | None:
    """Coordinates of a mechanism by name, in SI; None if none are given."""
    units = coordinate_units(mechanism)
    for name, value in assigned(texts, "a coordinate"):
        if beyond_two_turns(value, units.get(name)):
            warnings.warn(f"{name} = {value} rad; were degrees meant? write {name}={value} deg", stacklevel=2)
    return {name: Meant(x) for name, x in pairs(texts, "a coordinate", units).items()} or None


def coordinate_units(mechanism: Mechanism, per: str = "") -> dict[str, str]:
    """Units of the coordinates of a mechanism and of its joints, or of their rates `per` "/s"."""
    named = mechanism.coordinates
    return {name: one.unit + per for name, one in [*named.of_joints.items(), *named.items()]}


def force_units(mechanism: Mechanism) -> dict[str, str]:
    """Units of the forces of its actuators."""
    return {name: one.unit for name, one in mechanism.actuators.items()}


def pose_rows(
    mechanism: Mechanism, poses: Mapping[str, Pose], angles: Mapping[Coordinate, float] | None = None
) -> list[tuple[str, float, str, str]]:
    """Coordinates of a mechanism in given poses: name, value in SI, unit, and the same in degrees or millimetres.

    `angles` [rad] are those whose turns are known.
    """
    named = mechanism.coordinates
    coordinates = {name: named[name] for name in (named or named.known)}  # those of joints where the file names none
    if not coordinates:
        return []
    parts = tuple(dict.fromkeys(part for one in coordinates.values() for part in one.parts))
    read = Constraints(mechanism.elements, parts).evaluate({GROUND: Pose.identity(), **poses})[0][-len(parts) :]
    known = dict(zip(parts, wound(angles or {}, parts, read)))
    values = [float(one.combined(tuple(known[part] for part in one.parts))) for one in coordinates.values()]
    sizes = {"rad": 1.0, "m": start(mechanism, None).size}
    rows = []
    for (name, one), value in zip(coordinates.items(), values):
        x = settled(value, sizes.get(one.unit, 1.0))
        rows.append((name, x, one.unit, f"{np.degrees(x):.6g}°" if one.unit == "rad" else f"{1e3 * x:.6g} mm"))
    return rows


def pose_line(mechanism: Mechanism, poses: Mapping[str, Pose], angles: Mapping[Coordinate, float]) -> str:
    """A pose on one line, angles with their turns where these are known: "theta1 = 1.0472 rad (60°), …"."""
    rows = pose_rows(mechanism, poses, angles)
    return ", ".join(f"{name} = {x:.6g} {unit}" + (f" ({other})" * (unit == "rad")) for name, x, unit, other in rows)


def channels_in(mechanism: Mechanism, text: str | None) -> list[str] | None:
    """Channels with commas between them; a force sensor may be named alone, for "sensor NAME", unless an actuator is.

    >>> channels_in(poinsot.load("four_bar"), "A, reaction B")
    ['A', 'reaction B']
    """
    names = names_in(text)
    if names is None:
        return None
    return [f"sensor {name}" if _is_force_sensor(mechanism, name) else name for name in names]


def _is_force_sensor(mechanism: Mechanism, name: str) -> bool:
    if any(fnmatchcase(actuator, name) for actuator in mechanism.actuators):
        return False
    sensors = [(key, one) for key, one in mechanism.sensors.items() if one.measures_force]
    return any(fnmatchcase(c, name) for key, one in sensors for c in (key, *(x.name for x in one.channels)))


def names_in(text: str | None) -> list[str] | None:
    """Names with commas between them; None if there is no text."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def write_table(path: Path | None, columns: dict[str, np.ndarray], overwrite: bool) -> None:
    """Write columns of equal length as CSV, with all digits, if a file is asked for."""
    if not path:
        return
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([x if isinstance(x, str) else repr(float(x)) for x in row] for row in zip(*columns.values()))
    write_text(path, out.getvalue(), overwrite)
