"""Whole turns at the first sample, of encoders behind gears and screws that read within one turn.

Behind a gear m = N q, an angle m that is known up to 2π k leaves the joint open by 2π k / N. What tells k is looked
for in this order: the recording's other encoders, rigid end stops, the file's pose, and whether the mechanism can be
assembled. Where nothing does, a finding says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import attempt_assembly
from poinsot.model.assembly.end_stops import passed_stops, rigid_stops
from poinsot.model.assembly.topology import topology
from poinsot.model.assembly.turns import hinges_of_screws
from poinsot.model.mechanism import Mechanism
from poinsot.recording.filtering.wrapped import TURN, within_a_turn
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.independent import independent
from poinsot.recording.motion import position_channels, with_recorded
from poinsot.recording.recording import Axis, Recording
from poinsot.system.home import start

__all__ = ["with_first_turns"]

CODE = "first turns"
AT_HOME = 0.1  # how near to the file's pose a motion starts there, up to turns  [rad]
AGREES = TURN / 4  # how near to an angle that others tell it has to be, up to turns  [rad]
SLACK = 0.02  # of what a turn moves, by which that may be beyond its stops
STILL = 1e-12  # of a metre or a radian: what a turn moves by less is not moved
MANY = 60  # choices that are tried by assembly
FASTER = 0.99  # ratio below which a turn of an angle moves another by less than a turn


def with_first_turns(recording: Recording, read: Recording, mechanism: Mechanism) -> Recording:
    """The recording with whole turns added to angles behind gears and screws where something tells them, and a
    finding for each of those that were read within one turn; `read` has them as they were read."""
    if read.axis is not Axis.TIME or not len(read):
        return recording
    told = {finding.channel for finding in recording.findings if finding.code == CODE}
    behind = _behind(recording, mechanism)
    opened = [name for name in behind if name not in told and within_a_turn(read[name][read.mask(name)])]
    if not opened:
        return recording
    search = _TurnsOf(recording, mechanism, behind, tuple(opened))
    values, findings, steps = dict(recording.values), [], []
    for name in opened:
        found = search.turns(name)
        if found is None:
            findings.append(_unknown(name, behind[name], mechanism))
            steps.append(f"'{name}': {findings[-1].message}")
            continue
        turns, why = found
        search.known.add(name)
        if turns:
            values[name] = np.array(values[name]) + TURN * turns
            search.shifts[name] = TURN * turns
            steps.append(f"'{name}': {turns:+d} whole turn{'s' * (abs(turns) > 1)}, as {why} tells")
        if turns or why != HOME:
            said = (
                f"it was read within one turn; its turns at the first sample, {turns:+d}, are those that {why} tells"
            )
            advice = "nothing to do"
            findings.append(Finding(CODE, name, "", float(turns), said, advice, Severity.NOTE, mended=bool(turns)))
    return replace(recording, values=values, steps=(*recording.steps, *steps)).with_findings(findings)


HOME = "the pose of the model file"


@dataclass(frozen=True)
class _Behind:
    """An angle of a motor or screw, of which a whole turn moves something else by less than one."""

    on: Coordinate
    moved: Coordinate | None  # what it moves; None: the slide of its own joint
    ratio: float  # of moved by on  [- or m/rad]
    others: tuple[tuple[Coordinate, float], ...] = ()  # further parts of its coupling, and moved by each of them
    rest: float = 0.0  # moved with all of them at zero  [rad or m]


def _behind(recording: Recording, mechanism: Mechanism) -> dict[str, _Behind]:
    """By channel, recorded angles of which a whole turn is another pose."""
    elements, found = mechanism.elements, {}
    screws = {*hinges_of_screws(elements)}
    for name, place in position_channels(recording, mechanism).items():
        on = elements.coordinates[place] if elements.is_coordinate(place) else elements.sensors[place].on
        if on is None or on.unit != "rad" or recording.units[name] != "rad":
            continue
        geared = next((g for c in elements.couplings.values() if (g := _geared(c, on)) is not None), None)
        joint = elements.joints.get(getattr(on, "joint", ""))
        if geared is not None:
            found[name] = geared
        elif on in screws or (joint is not None and joint.winds):
            found[name] = _Behind(on, None, 0.0)
    return found


def _geared(coupling, on: Coordinate) -> _Behind | None:
    """What an angle moves through a coupling: the slowest angle or length in it; None where it is the slower one."""
    parts = {part: float(w) for part, w in zip(coupling.on.parts, coupling.on.factors)}
    if on not in parts or not parts[on]:
        return None
    slower = {p: abs(parts[on] / w) for p, w in parts.items() if p != on and w}
    slower = {p: r for p, r in slower.items() if p.unit == "m" or r < FASTER}
    if not slower:
        return None
    moved = min(slower, key=lambda p: slower[p] if p.unit == "rad" else 0.0)
    others = tuple((p, -w / parts[moved]) for p, w in parts.items() if p not in (on, moved))
    return _Behind(on, moved, -parts[on] / parts[moved], others, float(coupling.value) / parts[moved])


class _TurnsOf:
    """What tells the turns of channels."""

    def __init__(self, recording: Recording, mechanism: Mechanism, behind: Mapping[str, _Behind], opened: tuple):
        self.recording, self.behind, self.opened = recording, behind, opened
        self.places = position_channels(recording, mechanism)
        self.mechanism = with_recorded(mechanism, self.places.values())
        self.known: set[str] = {name for name in self.places if name not in opened}
        self.shifts: dict[str, float] = {}  # that were found, by channel  [rad]

    def turns(self, name: str) -> tuple[int, str] | None:
        """Whole turns that a channel lacks, and what tells them; None where nothing does."""
        try:
            return self._by_others(name) or self._by_stops(name) or self._by_home(name) or self._by_assembly(name)
        except PoinsotError:  # the mechanism cannot be assembled
            return None

    def _samples(self, name: str) -> np.ndarray:
        """A channel as its coordinate (n,), without the offset of its encoder."""
        sensor = self.mechanism.sensors.get(self.places[name])
        return self.recording[name] + self.shifts.get(name, 0.0) - float(getattr(sensor, "offset", 0.0) or 0.0)

    @cached_property
    def _first(self) -> int:
        """The first sample at which all angles and lengths are known."""
        good = np.all([np.isfinite(self._samples(n)) & self.recording.mask(n) for n in self.places], axis=0)
        return int(np.argmax(good))

    def _pose(self, names: list[str], at: int) -> dict[str, float]:
        return {self.places[n]: float(self._samples(n)[at]) for n in names}

    def _tell_all(self, names: list[str]) -> list[str]:
        """Of channels those that tell the pose, in which all freedoms are known; none where they do not."""
        on = [self.mechanism.elements.coordinates[self.places[n]] for n in names]
        home = start(self.mechanism, None)
        chosen = independent(self.mechanism, home, on)
        everything = independent(self.mechanism, home, [*self.mechanism.elements.coordinates.of_joints.values()])
        return [names[k] for k in chosen] if len(chosen) == len(everything) else []

    def _by_others(self, name: str) -> tuple[int, str] | None:
        others = self._tell_all(sorted(self.known - {name}))
        if not others:
            return None
        found = attempt_assembly(self.mechanism, self._pose(others, self._first), home=start(self.mechanism, None))
        if not found.converged:
            return None
        told = found.value(self.behind[name].on, self.mechanism.elements.joints)
        gap = told - float(self._samples(name)[self._first])
        turns = round(gap / TURN)
        return (turns, "the rest of the recording") if abs(gap - TURN * turns) < AGREES else None

    def _by_stops(self, name: str) -> tuple[int, str] | None:
        """The one choice that keeps it, and what it moves, between rigid end stops all along."""
        behind, low, high = self.behind[name], -np.inf, np.inf
        of = {self.mechanism.elements.coordinates[self.places[n]]: n for n in self.known}
        x = np.where(self.recording.mask(name), self._samples(name), np.nan)
        for stop in rigid_stops(self.mechanism, start(self.mechanism, None).size):
            if stop.on == behind.on:
                s, step = x, TURN
            elif behind.moved is None:
                s, step = self._along_screw(name, stop.on)
            elif stop.on == behind.moved and all(p in of for p, _ in behind.others):
                own = sum(w * self._samples(of[p]) for p, w in behind.others)
                s, step = behind.rest + behind.ratio * x + own, TURN * behind.ratio
            else:
                continue
            s = s[np.isfinite(s)]
            if not len(s) or abs(step) < STILL:
                continue
            least, most = (stop.lower - s.min()) / step, (stop.upper - s.max()) / step
            low, high = max(low, np.ceil(min(least, most) - SLACK)), min(high, np.floor(max(least, most) + SLACK))
        return (int(low), "the room between end stops") if low == high else None

    def _rows(self, name: str) -> list[int]:
        """The first sample, and those at which a channel is least and greatest."""
        x = np.where(self.recording.mask(name), self._samples(name), np.nan)
        return [self._first, int(np.nanargmin(x)), int(np.nanargmax(x))]

    def _along_screw(self, name: str, on: Coordinate) -> tuple[np.ndarray, float]:
        """A coordinate at a few samples (n,), and by how much a turn of a screw moves it; no samples where the pose
        is not known."""
        given, place = self._tell_all([name, *sorted(self.known - {name})]), self.places[name]
        if name not in given:
            return np.zeros(0), 0.0
        poses = [self._pose(given, row) for row in self._rows(name)]
        home = start(self.mechanism, None)
        found = [
            attempt_assembly(self.mechanism, p, home=home)
            for p in (*poses, poses[0] | {place: poses[0][place] + TURN})
        ]
        s = np.array([one.value(on, self.mechanism.elements.joints) if one.converged else np.nan for one in found])
        return s[:-1], float(s[-1] - s[0]) if np.isfinite(s[-1] - s[0]) else 0.0

    def _by_home(self, name: str) -> tuple[int, str] | None:
        home = start(self.mechanism, None)
        gap = home.value(self.behind[name].on, self.mechanism.elements.joints) - float(
            self._samples(name)[self._first]
        )
        turns = round(gap / TURN)
        return (turns, HOME) if abs(gap - TURN * turns) < AT_HOME else None

    def _by_assembly(self, name: str) -> tuple[int, str] | None:
        """The one choice in which the mechanism can be assembled between its stops, at a few samples."""
        behind, home = self.behind[name], start(self.mechanism, None)
        if behind.moved is None or not topology(self.mechanism.elements).loops:
            return None
        given = self._tell_all([name, *sorted(self.known - {name})])
        reach = 1.0 / abs(behind.ratio) if behind.moved.unit == "rad" else home.size / abs(TURN * behind.ratio)
        if name not in given or reach > MANY:
            return None
        poses = [self._pose(given, row) for row in self._rows(name)]
        place, most, fit = self.places[name], int(np.ceil(reach)), []
        for turns in sorted(range(-most, most + 1), key=abs):
            moved = [pose | {place: pose[place] + TURN * turns} for pose in poses]
            fit += [turns] if all(self._fits(pose) for pose in moved) else []
            if len(fit) > 1:
                return None
        return (fit[0], "that it can be assembled in no other pose") if len(fit) == 1 else None

    def _fits(self, pose: Mapping[str, float]) -> bool:
        found = attempt_assembly(self.mechanism, pose, home=start(self.mechanism, None))
        return found.converged and not found.flipped and not [*passed_stops(self.mechanism, found, pose)]


def _unknown(name: str, behind: _Behind, mechanism: Mechanism) -> Finding:
    """That nothing tells the turns."""
    if behind.moved is None:
        leads = [abs(float(getattr(j, "lead", 0.0))) for j in mechanism.elements.joints.values() if j.winds]
        amount = leads[0] * TURN if len(leads) == 1 else 0.0
        each = f"{amount:.4g} m along the screw" if amount else "another place along a screw"
    elif behind.moved.unit == "m":
        amount = abs(behind.ratio) * TURN
        each = f"{amount:.4g} m of '{mechanism.elements.coordinates.name_of(behind.moved)}'"
    else:
        amount = abs(behind.ratio) * 360
        each = f"{amount:.4g}° of '{mechanism.elements.coordinates.name_of(behind.moved)}'"
    said = (
        f"it is read within one turn, and nothing tells its whole turns at the first sample: each is {each}; 0 taken"
    )
    advice = (
        f"give them as offset in columns= ({TURN:.5g} rad a turn), or the pose at the first sample as [pose] of the "
        "model; an encoder or end stops of what it moves would tell them"
    )
    return Finding(CODE, name, "", amount, said, advice, Severity.WARNING)
