"""Limits of an experiment: what coordinates and actuators may do, and how far a design goes.

A limit is of a coordinate, the displacement of an actuator or what an encoder reads without its offset ("phi1",
"leg1"), its rate ("phi1.rate"), its acceleration ("phi1.acceleration"), or the force of an actuator ("leg1.force").
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from poinsot.elements.coordinates.base import Coordinate
from poinsot.errors import PoinsotError, by_name, one_line, unknown
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements
from poinsot.model.quantities.parameters import as_value
from poinsot.model.quantities.units import beyond_two_turns

BINDS = 1e-3  # of the width between limits, within which a design rests on one


class Quantity(StrEnum):
    """What of a coordinate or actuator is limited."""

    POSITION = ""
    RATE = "rate"
    ACCELERATION = "acceleration"
    FORCE = "force"


@dataclass(frozen=True)
class Limit:
    """Least and greatest value of one quantity."""

    owner: str  # a coordinate or an actuator
    quantity: Quantity
    unit: str
    lower: float = -np.inf  # [SI]
    upper: float = np.inf  # [SI]

    @property
    def name(self) -> str:
        """As it is written in a study."""
        return f"{self.owner}.{self.quantity}" if self.quantity else self.owner

    def reached(self, values: np.ndarray) -> LimitReached:
        """How far values of any shape go."""
        if not np.size(values):
            return LimitReached(self.name, self.unit, self.lower, self.upper, np.nan, np.nan)
        return LimitReached(
            self.name, self.unit, self.lower, self.upper, float(np.min(values)), float(np.max(values))
        )


@dataclass(frozen=True)
class LimitReached:
    """How far a design goes, and how far it may."""

    name: str
    unit: str
    lower: float  # [SI]
    upper: float  # [SI]
    least: float  # [SI]
    greatest: float  # [SI]

    @property
    def excess(self) -> float:
        """By how much it is violated, 0 where it is kept  [SI]."""
        return float(max(self.lower - self.least, self.greatest - self.upper, 0.0))

    @property
    def binds(self) -> bool:
        """Whether the design rests on it."""
        width = self.upper - self.lower
        room = BINDS * (width if np.isfinite(width) else max(abs(self.least), abs(self.greatest)))
        return bool(min(self.least - self.lower, self.upper - self.greatest) <= room)

    def __str__(self) -> str:
        bounds = f"{self.lower:.6g} … {self.upper:.6g}".replace("-inf", "").replace("inf", "").strip()
        said = f" violated by {self.excess:.3g} {self.unit}" if self.excess else " binds" if self.binds else ""
        return f"{self.name}: {self.least:.6g} … {self.greatest:.6g} of {bounds} {self.unit}{said}"


def limits_of(given: Any, mechanism: Mechanism) -> tuple[Limit, ...]:
    """Limits from a table by name or pattern: two values, or one that counts to both sides; numbers are SI, texts
    have a unit. Forces of actuators that have limits in the model file keep these."""
    found = {limit.name: limit for limit in _own(mechanism)}
    for pattern, value in by_name(given, "limits are", "{'phi': [-1, 1]}").items():
        owner, quantity = _split(pattern)
        owners = [name for name in _owners(mechanism, quantity) if fnmatchcase(name, owner)]
        if not owners:
            raise PoinsotError(f"limits: {unknown('coordinate or actuator', owner, _owners(mechanism, quantity))}")
        for name in owners:
            unit = _unit(mechanism, name, quantity)
            lower, upper = _pair(value, unit, pattern)
            _ask_for_degrees(name, value, unit)
            found[f"{name}.{quantity}" if quantity else name] = Limit(name, quantity, unit, lower, upper)
    return tuple(found.values())


def _own(mechanism: Mechanism) -> Iterable[Limit]:
    """Forces that the model file limits."""
    for name, drive in mechanism.actuators.items():
        lower, upper = float(drive.lower), float(drive.upper)
        if np.isfinite([lower, upper]).any():
            yield Limit(name, Quantity.FORCE, _unit(mechanism, name, Quantity.FORCE), lower, upper)


def position_limits(limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """Limits of where poses at rest are; those of rates and accelerations mean nothing there."""
    for limit in limits:
        if limit.quantity in (Quantity.RATE, Quantity.ACCELERATION):
            raise PoinsotError(f"poses are at rest: the limit of '{limit.name}' means nothing for them")
    return tuple(limit for limit in limits if limit.quantity is Quantity.POSITION)


def force_limits(limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """Limits of the forces that hold poses."""
    return tuple(limit for limit in limits if limit.quantity is Quantity.FORCE)


def end_stops(mechanism: Mechanism) -> list[Limit]:
    """End stops of the mechanism as limits."""
    found = []
    for name, law in mechanism.forces.items():
        simple = law.simple(0.0)
        if simple is not None and np.isfinite([simple.lower, simple.upper]).any():
            found.append(Limit(name, Quantity.POSITION, law.on.unit, simple.lower, simple.upper))
    return found


def _split(pattern: str) -> tuple[str, Quantity]:
    owner, _, word = pattern.rpartition(".")
    if owner and word in list(Quantity)[1:]:
        return owner, Quantity(word)
    return pattern, Quantity.POSITION


def _owners(mechanism: Mechanism, quantity: Quantity) -> list[str]:
    if quantity is Quantity.FORCE:
        return list(mechanism.actuators)
    read = [name for name, sensor in mechanism.sensors.items() if sensor.on is not None]
    return list(dict.fromkeys([*mechanism.coordinates, *mechanism.actuators, *read]))


def coordinate_of(parts: Mechanism | Elements, owner: str) -> Coordinate:
    """The coordinate of that name, or that along which an actuator or end stop acts or which an encoder reads."""
    if owner in parts.coordinates:
        return parts.coordinates[owner]
    on = next(table[owner].on for table in (parts.actuators, parts.sensors, parts.forces) if owner in table)
    assert on is not None
    return on


def _unit(mechanism: Mechanism, owner: str, quantity: Quantity) -> str:
    if quantity is Quantity.FORCE:
        return mechanism.actuators[owner].unit
    return coordinate_of(mechanism, owner).unit + {Quantity.RATE: "/s", Quantity.ACCELERATION: "/s²"}.get(
        quantity, ""
    )


def _ask_for_degrees(name: str, value: Any, unit: str) -> None:
    """Say so where plain numbers that limit an angle go beyond two turns."""
    ends = value if isinstance(value, list | tuple) else [value]
    if plain := [end for end in ends if beyond_two_turns(end, unit)]:
        said, meant = (", ".join(form.format(end) for end in plain) for form in ("{} rad", '"{} deg"'))
        warnings.warn(f"limits of '{name}': {said}; were degrees meant? write {meant}", stacklevel=2)


def _pair(value: Any, unit: str, name: str) -> tuple[float, float]:
    """Least and greatest value."""
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise PoinsotError(f"the limits of '{name}' are two values, not {one_line(repr(value), 40)}")
        lower = -np.inf if value[0] is None else as_value(value[0], unit, f"the limits of '{name}'")
        upper = np.inf if value[1] is None else as_value(value[1], unit, f"the limits of '{name}'")
    else:
        upper = as_value(value, unit, f"the limit of '{name}'")
        lower = -upper
    if not lower < upper:
        raise PoinsotError(f"the limits of '{name}' are in the wrong order: {lower:g} is not below {upper:g} {unit}")
    return lower, upper
