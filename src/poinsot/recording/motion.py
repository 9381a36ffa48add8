"""The motion that a recording holds: recorded positions become the prescribed coordinates of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.model.mechanism import Mechanism
from poinsot.motion.signals import Measured
from poinsot.recording.filtering.differentiate import differentiate
from poinsot.recording.independent import prescribing
from poinsot.recording.recording import Recording
from poinsot.store import Bounded

__all__ = ["RecordedMotion", "position_channels", "recorded_motion", "with_encoders", "with_recorded"]

_NAMED: Bounded = Bounded(32)


@dataclass(frozen=True, eq=False)
class RecordedMotion:
    """Positions, rates and accelerations of recorded coordinates, ready for kinematics and inverse dynamics."""

    mechanism: Mechanism  # with names for all coordinates that were recorded
    motion: dict[str, Measured]  # by coordinate
    t: np.ndarray  # (n,)  [s]
    recording: Recording  # with the derivatives as channels
    edge: float = 0.0  # time at either end within which derivatives are poor  [s]


def position_channels(recording: Recording, mechanism: Mechanism) -> dict[str, str]:
    """Channels that hold positions, and the coordinate or encoder that each of them reads."""
    found = {}
    for name, channel in recording.channels.items():
        if channel.kind == "position" and (
            mechanism.elements.is_coordinate(channel.place) or _reads_coordinate(mechanism, channel.place)
        ):
            found[name] = channel.place
    return found


def _reads_coordinate(mechanism: Mechanism, place: str) -> bool:
    return place in mechanism.sensors and mechanism.sensors[place].on is not None


def recorded_motion(
    recording: Recording, mechanism: Mechanism, channels: Sequence[str] | None = None, **smoothing: Any
) -> RecordedMotion:
    """The motion of a mechanism from recorded positions, smoothed and differentiated as `differentiate` does.

    `channels` are those to use; by default all positions of coordinates, else of encoders. Of more than the mechanism
    has freedoms independent ones prescribe the motion, which `steps` of the recording tell. Offsets of encoders that
    the model file knows are taken off.
    """
    read = position_channels(recording, mechanism)
    if channels is not None:
        read = {name: read[name] for name in channels if name in read}
    direct = {name: place for name, place in read.items() if mechanism.elements.is_coordinate(place)}
    read = direct or read
    if not read:
        raise PoinsotError(
            f"no channel holds the position of a coordinate or encoder of {mechanism.name}; channels: "
            f"{listing(recording.channels)}; it has: {listing([*mechanism.coordinates, *mechanism.sensors])}"
        )
    for name, place in read.items():
        if twice := [other for other, same in read.items() if same == place and other != name]:
            raise PoinsotError(f"'{name}' and '{twice[0]}' both hold the position of '{place}': name the one to use")
    whole, sensors = with_recorded(mechanism, read.values()), set(read.values()) - set(direct.values())
    offsets = {
        name: float(getattr(mechanism.sensors[place], "offset", 0.0))
        for name, place in read.items()
        if place in sensors
    }
    values = {name: recording[name] - offsets.get(name, 0.0) for name in read}
    needed = prescribing(whole, read, (recording.require_times(), values))
    if follow := [name for name in read if name not in needed]:
        said = f"the motion is that of {listing(needed)}; left out, as it follows: {listing(follow)}"
        recording = replace(recording, steps=(*recording.steps, said))
        read = {name: read[name] for name in needed}
    smooth = differentiate(recording, list(read), **smoothing)
    motion: dict[str, Measured] = {}
    for name, place in read.items():
        parts = (smooth[f"{name}{end}"] for end in ("", ".rate", ".acceleration"))
        s, rate, acceleration = (np.ascontiguousarray(x) for x in parts)
        motion[place] = Measured(smooth.t, s - offsets.get(name, 0.0), rate, acceleration)
    return RecordedMotion(whole, motion, smooth.t, smooth, float(smooth.constants.get("edge", 0.0)))


def with_recorded(mechanism: Mechanism, places: Iterable[str]) -> Mechanism:
    """The mechanism with names for the coordinates that encoders read."""
    places, known = tuple(places), mechanism.elements.is_coordinate
    named = mechanism.naming(*(place for place in places if known(place)))
    return with_encoders(named, (place for place in places if not known(place)))


def with_encoders(mechanism: Mechanism, names: Iterable[str]) -> Mechanism:
    """The mechanism with coordinates under the names of encoders; the same one when it is asked for again."""
    names = tuple(names)

    def make() -> Mechanism:
        sensors = {name: mechanism.template.sensors[name].on for name in names}
        return mechanism.with_coordinates({name: on for name, on in sensors.items() if on is not None})

    return _NAMED.get_or_make((id(mechanism), names), lambda: (mechanism, make()))[1]  # its id stays its own
