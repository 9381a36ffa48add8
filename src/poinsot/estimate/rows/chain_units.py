"""Units of what a measuring chain adds to a channel, before any recording is there: "delay A", "offset leg*"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.expressions import quantity
from poinsot.model.quantities.units import dimension_text, force_unit
from poinsot.results import WRENCH

WORDS = {"delay": "s", "gain": "-", "offset": ""}  # SI unit; "": that of the channel


def chain_unit(name: str, mechanism: Mechanism, given: Sequence[Any]) -> str | None:
    """SI unit in which values `given` of such an unknown are meant; None where the name is none of a chain.

    Where no channel of the model has that name, what was recorded tells later; texts are taken in their own unit.

    >>> import poinsot
    >>> bar = poinsot.load("four_bar")
    >>> chain_unit("delay A", bar, ()), chain_unit("offset A", bar, ()), chain_unit("link1.mass", bar, ())
    ('s', 'N·m', None)
    """
    word, space, pattern = name.partition(" ")
    if not space or word not in WORDS:
        return None
    if WORDS[word]:
        return WORDS[word]
    read = [found for value in given if isinstance(value, str) and (found := quantity(value)) is not None]
    channels = [(channel, unit) for channel, unit in _channels(mechanism) if fnmatchcase(channel, pattern)]
    units = list(dict.fromkeys(unit for _, unit in channels))
    if len(units) > 1 and read and any(channel != pattern for channel, _ in channels):
        raise PoinsotError(f"values for '{name}' would be for channels of several units: {', '.join(units)}")
    own = dimension_text(read[0][1].dimension) if read else "-"
    return next(iter([*units, own]))  # of a drive or a sensor before the joint of that name


def _channels(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """Names and SI units of what can be measured of a mechanism."""
    yield from ((name, actuator.unit) for name, actuator in mechanism.actuators.items())
    for sensor in mechanism.sensors.values():
        yield from ((f"{word}{c.name}", c.unit) for c in sensor.channels for word in ("", "sensor "))
    named = mechanism.coordinates
    for name, coordinate in (*named.items(), *named.of_joints.items()):
        yield from ((name, coordinate.unit), (f"freedom {name}", force_unit("f", coordinate.unit)))
    owners = [
        *(f"reaction {joint}" for joint in mechanism.elements.joints),
        *(f"wrench {b}" for b in mechanism.bodies),
    ]
    yield from ((f"{one}.{part}", "N" if part[0] == "f" else "N·m") for one in owners for part in WRENCH.split())
    yield "power", "W"
