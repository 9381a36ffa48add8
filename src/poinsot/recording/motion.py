"""The motion that a recording holds: recorded positions become the prescribed coordinates of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.model.mechanism import Mechanism
from poinsot.motion.signals import Measured, Signal
from poinsot.recording.filtering.differentiate import differentiate
from poinsot.recording.recording import Recording

__all__ = ["RecordedMotion", "position_channels", "recorded_motion"]


@dataclass(frozen=True, eq=False)
class RecordedMotion:
    """Positions, rates and accelerations of recorded coordinates, ready for kinematics and inverse dynamics."""

    mechanism: Mechanism  # with names for all coordinates that were recorded
    motion: dict[str, Signal]  # by coordinate
    t: np.ndarray  # (n,)  [s]
    recording: Recording  # with the derivatives as channels
    edge: float = 0.0  # time at either end within which derivatives are poor  [s]


def position_channels(recording: Recording, mechanism: Mechanism) -> dict[str, str]:
    """Channels that hold positions, and the coordinate or encoder that each of them reads."""
    found = {}
    for name, channel in recording.channels.items():
        if channel.kind == "position" and (
            channel.place in mechanism.coordinates or _reads_coordinate(mechanism, channel.place)
        ):
            found[name] = channel.place
    return found


def _reads_coordinate(mechanism: Mechanism, place: str) -> bool:
    return place in mechanism.sensors and mechanism.sensors[place].on is not None


def recorded_motion(
    recording: Recording, mechanism: Mechanism, channels: Sequence[str] | None = None, **smoothing: Any
) -> RecordedMotion:
    """The motion of a mechanism from recorded positions, smoothed and differentiated as `differentiate` does.

    `channels` are those to use; by default all positions of coordinates, else of encoders. Offsets of encoders that
    the model file knows are taken off.
    """
    read = position_channels(recording, mechanism)
    if channels is not None:
        read = {name: read[name] for name in channels if name in read}
    direct = {name: place for name, place in read.items() if place in mechanism.coordinates}
    read = direct or read
    if not read:
        raise PoinsotError(
            f"no channel holds the position of a coordinate or encoder of {mechanism.name}; channels: "
            f"{listing(recording.channels)}; it has: {listing([*mechanism.coordinates, *mechanism.sensors])}"
        )
    for name, place in read.items():
        if twice := [other for other, same in read.items() if same == place and other != name]:
            raise PoinsotError(f"'{name}' and '{twice[0]}' both hold the position of '{place}': name the one to use")
    smooth = differentiate(recording, list(read), **smoothing)
    sensors = {place: mechanism.template.sensors[place].on for place in read.values() if place not in direct.values()}
    whole = mechanism.with_coordinates({name: on for name, on in sensors.items() if on is not None})
    motion: dict[str, Signal] = {}
    for name, place in read.items():
        offset = float(getattr(mechanism.sensors[place], "offset", 0.0)) if place in sensors else 0.0
        values = (smooth[f"{name}{end}"] for end in ("", ".rate", ".acceleration"))
        s, rate, acceleration = (np.ascontiguousarray(x) for x in values)
        motion[place] = Measured(smooth.t, s - offset, rate, acceleration)
    return RecordedMotion(whole, motion, smooth.t, smooth, float(smooth.constants.get("edge", 0.0)))
