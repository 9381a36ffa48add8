"""Coordinates of the pose from which an analysis starts.

The first pose that names some coordinates is put together by `model.assembly`. Where the next ones name the same
coordinates, and these are as many as there are freedoms, native Newton follows the same way from the file's pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.formulations.registry import formulation_of
from poinsot.model.assembly.turns import known_angles, winds
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.model.state import State
from poinsot.motion.continuation import Course, reached
from poinsot.motion.counted_turns import HALF, angles_at, require_followed
from poinsot.motion.driven import driven
from poinsot.store import Bounded
from poinsot.system.functions import poses_at
from poinsot.system.given_state import assembled
from poinsot.system.system import System, start, system

_INITIAL: Bounded = Bounded(32)
_WAYS: Bounded = Bounded(16)


@dataclass(frozen=True, eq=False)
class Initial:
    """A pose in the coordinates of a system."""

    system: System
    q: np.ndarray  # (nq,)
    p: np.ndarray  # parameters and chart
    v: np.ndarray | None = None  # (nv,) where a state gives it
    angles: Mapping[Coordinate, float] = field(default_factory=dict)  # whose whole turns are known  [rad]
    again: bool = False  # whether such poses are asked for again and again, so that native code is worth its time


def initial(mechanism: Mechanism, at: State, formulation: str, free: tuple[str, ...] = ()) -> Initial:
    """Bring named coordinates from the file's pose to those of a state; from memory if it was asked for before."""
    formulation_of(formulation)
    if at.q is not None or at.v is not None:
        begin, q, v = assembled(system(mechanism, formulation, free), mechanism, at)
        compiled = system(mechanism, formulation, free, home=begin)
        angles = known_angles(mechanism.elements, begin.poses, {})
        return Initial(compiled, q, compiled.parameters(mechanism, begin.poses), v, angles)
    pose = at.pose or None
    structure = (id(mechanism), formulation, free)
    key = (*structure, None if pose is None else tuple((n, str(s)) for n, s in pose.items()))

    def make() -> Initial:
        if pose is not None:
            names = tuple(pose)
            way = _WAYS.get_or_make((*structure, *names), lambda: _Way(mechanism, names, formulation, free))
            if (found := way.to(pose)) is not None:
                return found
        begin = start(mechanism, pose)
        compiled = system(mechanism, formulation, free, home=begin)
        p = compiled.parameters(mechanism, begin.poses)
        require_followed(compiled, begin.angles)
        return Initial(compiled, compiled.coordinates(begin, p), p, angles=begin.angles)

    return _INITIAL.get_or_make(key, lambda: (mechanism, make()))[1]  # its id stays its own


def straight(mechanism: Mechanism, pose: Mapping[str, float]) -> Initial | None:
    """The pose that is reached straight from the file's by native Newton alone; None where it is not.

    Where charts have to be chosen on the way, `model.assembly` finds it, or raises an error.
    """
    key = (id(mechanism), "joint", (), *pose)
    way = _WAYS.get_or_make(key, lambda: _Way(mechanism, tuple(pose), "joint", ()))
    return way.led(pose, patient=False) if way.known else initial(mechanism, State(pose=pose), "joint")


class _Straight(Course):
    """Prescribed coordinates that go straight from the first of two samples, at t = 0, to the second, at t = 1."""

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        return self.s[0] + t * self.s_dot[0], self.s_dot[0]


class _Way:
    """Ways of named coordinates from the file's pose to others."""

    def __init__(self, mechanism: Mechanism, names: tuple[str, ...], formulation: str, free: tuple[str, ...]):
        self.mechanism, self.names, self.formulation, self.free = mechanism, names, formulation, free
        self.asked = False

    def to(self, pose: Mapping[str, float]) -> Initial | None:
        """The mechanism at given values of the coordinates; None where others must say, at the first call too."""
        before, self.asked = self.asked, True
        return self.led(pose) if before and self.known else None

    @property
    def known(self) -> bool:
        """Whether native Newton can go such ways."""
        return self._home is not None

    def led(self, pose: Mapping[str, float], patient: bool = True) -> Initial | None:
        """The mechanism at given values of the coordinates; None where native Newton does not lead there."""
        if self._home is None:
            return None
        home, at_home = self._home
        compiled = home.system
        drive = driven(compiled, self.names)
        units = (compiled.mechanism.template.coordinates[name].unit for name in self.names)
        s = np.array([as_value(pose[name], unit, name) for name, unit in zip(self.names, units)])
        elements = compiled.mechanism.elements
        turns = drive.turns & (not winds(elements))
        way = np.where(turns, np.remainder(s - at_home + np.pi, 2 * np.pi) - np.pi, s - at_home)
        rates = np.stack([way, way])
        between = (np.array([0.0, 1.0]), np.stack([at_home, at_home + way]), rates, np.zeros_like(rates))
        q = reached(_Straight(drive, {}, *between, home.p, compiled.home.size, charted=False), home.q, patient)
        if q is None:
            return None
        given = dict(zip(self.names, s))
        if self._plain and np.all(np.abs(s[drive.turns]) < HALF):
            angles = {elements.coordinates[name]: x for name, x in given.items()}
        else:
            angles = angles_at(self.mechanism, poses_at(compiled, q, home.p), given)
        require_followed(compiled, angles)
        return Initial(compiled, compiled.reading.wound(q, angles), home.p, angles=angles, again=True)

    @cached_property
    def _plain(self) -> bool:
        """Whether nothing but the coordinates themselves tells the turns of angles."""
        elements = self.mechanism.elements
        stops = (law for law in elements.forces.values() if law.on.unit == "rad" and np.isfinite(law.limits).any())
        turned = (x for x in elements.pose.values() if abs(float(x)) > HALF)
        told = winds(elements) and (elements.couplings or self.formulation not in ("joint", "embedded"))
        return not told and next(stops, None) is None and next(turned, None) is None

    @cached_property
    def _home(self) -> tuple[Initial, np.ndarray] | None:
        """The file's pose, and the values of the coordinates there; None where the coordinates do not tell all."""
        mechanism, elements = self.mechanism, self.mechanism.elements
        begin = start(mechanism, None)
        compiled = system(mechanism, self.formulation, self.free)
        p = compiled.parameters(mechanism, begin.poses)
        _, nv, m, _ = compiled.sizes
        clamped = system(mechanism, self.formulation, self.free, home=begin) is not compiled
        known = all(name in elements.coordinates for name in self.names)
        if clamped or not known or len(self.names) != nv - m or len(p) > len(compiled.free):
            return None
        at = [begin.value(elements.coordinates[name], elements.joints) for name in self.names]
        return Initial(compiled, compiled.coordinates(begin, p), p), np.array(at)
