"""Which part of a mechanism a channel measures: from its name, or as the user says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from poinsot.errors import listing, suggestion
from poinsot.model.assembly.end_stops import rigid_stops
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.units import units_like
from poinsot.recording.filtering.first_turns import with_first_turns
from poinsot.recording.filtering.held_samples import HELD, without_held
from poinsot.recording.filtering.wrapped import unwrapped
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.independent import untold
from poinsot.recording.motion import position_channels
from poinsot.recording.recording import Axis, RecordedChannel, Recording
from poinsot.recording.units import PER_MINUTE, si, strange_unit

__all__ = ["known_channels", "placed"]

TURNS_PER_MINUTE = si("rpm")[0]  # [rad/s]
RATES = {"rad": ("rad/s", "rad/s²"), "m": ("m/s", "m/s²")}


def known_channels(mechanism: Mechanism) -> dict[str, RecordedChannel]:
    """Channels that the names of a mechanism tell: sensors, actuators, named coordinates and their rates.

    A coordinate `x`, or a joint's, may be recorded as `x`, its speed as `x.rate` or `x.velocity`, its acceleration as
    `x.acceleration`; the force of an actuator under the actuator's name or as `NAME.force`.
    """
    known: dict[str, RecordedChannel] = {}
    named = mechanism.coordinates
    for name, coordinate in [*named.of_joints.items(), *named.items()]:
        rate, second = RATES.get(coordinate.unit, ("", ""))
        kinds = {"": ("position", coordinate.unit), ".acceleration": ("acceleration", second)}
        kinds |= {suffix: ("velocity", rate) for suffix in (".rate", ".velocity")}
        known |= {name + end: RecordedChannel(name + end, unit, kind, name) for end, (kind, unit) in kinds.items()}
    for name, actuator in mechanism.actuators.items():
        unit = actuator.unit
        known |= {key: RecordedChannel(key, unit, "force", name) for key in (name, f"{name}.force")}
    for name, sensor in mechanism.sensors.items():
        for k, channel in enumerate(sensor.channels):
            kind = sensor.quantities()[k]
            known[channel.name] = RecordedChannel(
                channel.name, channel.unit, kind, name, noise=float(sensor.spread("noise")[k])
            )
    return known


def placed(recording: Recording, mechanism: Mechanism) -> Recording:
    """The recording with kinds, places and missing units from the mechanism; units that cannot be are errors, and
    channels that nothing of the mechanism has the name of are noted. Angles kept within a turn become continuous
    where rigid end stops allow it, and those behind gears and screws have the turns that something tells. Samples
    that a logger repeats until the next comes are masked."""
    known, channels, findings = known_channels(mechanism), dict(recording.channels), []
    turning: list[str] = []
    units = {name: c.unit for name, c in [*mechanism.coordinates.of_joints.items(), *mechanism.coordinates.items()]}
    for name in _beside_forces(recording, mechanism):
        known[name] = replace(known[name], unit=units[name], kind="position")
    for name, channel in channels.items():
        match = known.get(channel.place if channel.place in known and not channel.kind else name)
        if match is not None and match.place in mechanism.actuators and channel.unit == units.get(match.place):
            match = replace(match, unit=channel.unit, kind="position")  # a drive and a coordinate of one name
        if match is None:
            continue
        if _turns_per_minute(channel, match):
            scale = (channel.scale[0] * TURNS_PER_MINUTE, channel.scale[1] * TURNS_PER_MINUTE)
            channel = replace(channel, unit=match.unit, noise=channel.noise * TURNS_PER_MINUTE, scale=scale)
            turning.append(name)
        channels[name] = replace(
            channel,
            unit=channel.unit or match.unit,
            kind=channel.kind or match.kind,
            place=channel.place or match.place,
            noise=channel.noise or match.noise,
        )
        findings += _unit_findings(channel, match)
    strange = [name for name, c in channels.items() if name not in known and not c.place]
    used = recording.constants.get("coupled", ())
    strange = [name for name in strange if name not in used and not _is_second(name, known, recording)]
    strange = strange if recording.axis is Axis.TIME else []  # responses are placed by their own words
    findings += [one for one in _strange_findings(strange, known) if one not in recording.findings]
    found = _in_radians(replace(recording, channels=channels), turning).with_findings(findings)
    kept = {f.channel for f in found.findings if f.code == HELD}  # as whoever read it wanted
    found = without_held(found, [name for name, c in found.channels.items() if c.place and name not in kept])
    return with_first_turns(unwrapped(found, _limits(found, mechanism)), found, mechanism)


def _turns_per_minute(channel: RecordedChannel, match: RecordedChannel) -> bool:
    """Whether a channel in 1/min is the speed of what turns, so that these are revolutions per minute."""
    return channel.unit == PER_MINUTE and match.unit == RATES["rad"][0]


def _in_radians(recording: Recording, names: list[str]) -> Recording:
    """The recording with channels in revolutions per minute in rad/s."""
    values = {name: recording[name] * TURNS_PER_MINUTE for name in names}
    steps = [f"'{name}': 1/min → rad/s, as revolutions per minute" for name in names]
    return replace(recording, values={**recording.values, **values}, steps=(*recording.steps, *steps))


def _limits(recording: Recording, mechanism: Mechanism) -> dict[str, tuple[float, float]]:
    """Rigid end stops of the coordinates that channels hold, by channel  [m or rad]."""
    stops = rigid_stops(mechanism, 1.0)
    read = position_channels(recording, mechanism) if stops else {}
    named, sensors = mechanism.coordinates, mechanism.sensors
    on = {name: named[at] if mechanism.elements.is_coordinate(at) else sensors[at].on for name, at in read.items()}
    return {name: (stop.lower, stop.upper) for name, c in on.items() for stop in stops if stop.on == c}


def _beside_forces(recording: Recording, mechanism: Mechanism) -> list[str]:
    """Channels of which only the name says something, that of a drive and of a coordinate, and which are positions:
    `NAME.force` is recorded too, and no other positions tell the coordinate."""
    drives, named = mechanism.actuators, mechanism.coordinates
    both = [
        name
        for name, channel in recording.channels.items()
        if name in drives and name in named and f"{name}.force" in recording
        if not (channel.unit or channel.kind or channel.place)
    ]
    if not both:
        return []
    rest = placed(recording.only([name for name in recording if name not in both]), mechanism)
    places = position_channels(rest, mechanism).values()
    told: list[Any] = [named[p] if mechanism.elements.is_coordinate(p) else mechanism.sensors[p].on for p in places]
    return [both[k] for k in untold(mechanism, told, [named[name] for name in both])]


def _is_second(name: str, known: Mapping[str, RecordedChannel], recording: Recording) -> bool:
    """Whether a column has the name of another one with a number, as the second of that name gets when it is read."""
    first, _, number = name.rpartition("_")
    return number.isdigit() and first in known and any(f.code == "duplicate" for f in recording.findings)


def _strange_findings(names: list[str], known: Mapping[str, RecordedChannel]) -> Iterator[Finding]:
    """Columns that no name of the mechanism tells: one by one where a name is near, the others together."""
    unread = {name: (of, unit) for name in names for of, unit in [strange_unit(name)] if of in known}
    for name, (of, unit) in unread.items():
        there = units_like(known[of].unit)
        message = f"'{unit}' is no unit that is known: the column is not used for '{of}'; there are: {there}"
        yield Finding("unknown unit", name, "", 0.0, message, "write another unit, or give it in columns=")
    names = [name for name in names if name not in unread]
    near = {name: hint for name in names if (hint := suggestion(name, known))}
    for name, hint in near.items():
        message = f"nothing of the mechanism has this name{hint}: it is not used, unless a study names it"
        advice = "rename it, or say by place= in columns= what it measures"
        yield Finding("not used", name, "", 0.0, message, advice, Severity.NOTE)
    if others := [name for name in names if name not in near]:
        message = f"not used, unless a study names them, as nothing of the mechanism is called so: {listing(others)}"
        places = dict.fromkeys(channel.place for channel in reversed([*known.values()]))
        advice = f"say by place= in columns= what they measure, if it is one of {listing(places)}"
        yield Finding("not used", "", "", float(len(others)), message, advice, Severity.NOTE)


def _unit_findings(channel: RecordedChannel, match: RecordedChannel) -> Iterator[Finding]:
    if not channel.unit and match.unit:
        message = f"its unit is not said: {match.unit} is assumed"
        yield Finding(
            "unit assumed", channel.name, "", 0.0, message, "write it in the header or columns=", Severity.NOTE
        )
    elif channel.unit != match.unit and channel.unit and match.unit:
        message = f"it is recorded in {channel.unit}, the mechanism measures {match.unit} there"
        advice = "give its unit and gain in columns="
        if match.unit == RATES["rad"][0] and channel.unit == "Hz":
            advice = "write rpm, deg/s or rad/s: whether 1/s and Hz count turns or radians is not said"
        yield Finding("unit", channel.name, "", 0.0, message, advice, Severity.ERROR)
