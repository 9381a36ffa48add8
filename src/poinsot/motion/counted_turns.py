"""Angles that are read off poses are known up to turns: along a motion the turns are counted.

A simulation integrates the rates of such angles beside its states, as ε ∫ ṡ dt with an ε so small that no step
depends on them. Rates count up to a multiple of the bodies' angular speeds: near an attitude in which an angle is not
defined its rate grows without bound. Along a prescribed motion a law about such an angle is refused half a turn from
its centre, beyond which a spring would pull the other way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot import formulations
from poinsot.errors import MotionError, PoinsotError
from poinsot.lazy import casadi
from poinsot.model.assembly.turns import continued, known_angles
from poinsot.spatial.algebra import Numbers
from poinsot.system.functions import poses_at
from poinsot.system.home import start
from poinsot.system.stored import stored, stored_parts

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.model.mechanism import Mechanism
    from poinsot.motion.continuity import Path
    from poinsot.spatial.pose import Pose
    from poinsot.system.system import System

EPSILON = 1e-12  # ε, of the default absolute tolerance's size: errors count as others do if they reach a radian
HALF = np.pi * (1 - 1e-9)  # angles within half a turn are as they are read  [rad]
FASTEST = 10.0  # times the angular speeds of the two bodies that an angle lies between


def angles_at(mechanism: Mechanism, poses: Mapping[str, Pose], given: Mapping[str, float]) -> dict[Coordinate, float]:
    """Angles  [rad] whose turns are known at poses in which named coordinates have given values: in machines with
    screws those that were counted on the way from the file's pose, too."""
    elements = mechanism.elements
    screws = any(joint.winds for joint in elements.joints.values())
    counted = continued(start(mechanism, given).angles, elements, poses) if screws else {}
    return known_angles(elements, poses, given, counted)


def turned_text(compiled: System, law: str) -> str:
    """What is said of a law, or a coupling, about an angle whose turns the formulation does not tell."""
    advice = "let another joint close its loop" if compiled.formulation in ("joint", "embedded") else "use 'joint'"
    return f"'{law}' is turned by half a turn, which this formulation cannot follow: {advice}"


def require_followed(compiled: System, angles: Mapping[Coordinate, float]) -> None:
    """That no law depends on turns of angles that are known and that the formulation's coordinates do not tell."""
    read = {c: angle for c, angle in angles.items() if c not in compiled.reading.angles}
    for name, force in compiled.mechanism.elements.forces.items() if read else ():
        centre = float(force.centre) if force.on in read else 0.0
        beyond = any(abs(read.get(part, centre) - centre) > np.pi for part in force.on.parts)
        if beyond and force.positional and force.clearance(centre) is None:
            raise PoinsotError(turned_text(compiled, name))


def turning(compiled: System) -> tuple[str, ...]:
    """Named coordinates that are angles and not among the coordinates of the formulation itself."""
    return tuple(_turning(compiled).facts)


@stored_parts
def _turning(compiled: System) -> tuple[dict[str, casadi.Function], list[str]]:
    direct, named = compiled.equations.kinematics.direct, compiled.elements.coordinates
    return {}, [name for name, c in named.items() if c in formulations.angles_read(c, direct)]


def turning_rates(compiled: System) -> list[Any]:
    """ε ṡ of every turning angle as symbols, finite in every pose."""
    twists, elements, found = compiled.equations.kinematics.twists, compiled.elements, []
    for name in turning(compiled):
        bodies = elements.coordinates[name].bodies(elements.joints)
        bound = FASTEST * sum(casadi.norm_1(casadi.SX(twists[b].w)) for b in bodies if b in twists)
        rate = compiled.coordinate(name)[1]
        above = casadi.if_else(rate < bound, rate, bound)  # also where the rate is no number
        found.append(EPSILON * casadi.if_else(above > -bound, above, -bound))
    return found


def first_counts(
    compiled: System, q: np.ndarray, p: np.ndarray, angles: Mapping[Coordinate, float] | None = None
) -> np.ndarray:
    """ε s of every turning angle at the start (k,), with the turns of angles that are known."""
    if not turning(compiled):
        return np.zeros(0)
    _, nv, _, nu = compiled.sizes
    (s,) = _angles(compiled)(q, np.zeros(nv), np.zeros(nu), p)
    s = np.where(np.isfinite(s), s, 0.0).ravel()
    beyond = {c: x for c, x in (angles or {}).items() if abs(x) > HALF}
    if not beyond:
        return EPSILON * s
    named = compiled.mechanism.elements.coordinates
    return EPSILON * np.array([beyond.get(named[name], x) for name, x in zip(turning(compiled), s)])


@stored
def _angles(compiled: System) -> casadi.Function:
    s = casadi.vertcat(*(compiled.coordinate(name)[0] for name in turning(compiled)))
    return compiled.dynamics.function("angles", [s])


def turned(s: Any, count: Any) -> Any:
    """An angle s beyond a turn, with its count ε ∫ ṡ dt, as symbols: it has no jumps."""
    return s + 2 * np.pi * casadi.floor((count / EPSILON - s) / (2 * np.pi) + 0.5)


def counted(s: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Angles s (…, n) without jumps by turns, from the first count on, with counts ε ∫ ṡ dt (…, n).

    >>> counted(np.array([3.0, -3.0, 1.0]), 1e-12 * np.array([3.0, 3.3, 26.1])).round(2).tolist()
    [3.0, 3.28, 26.13]
    """
    turns = np.rint(np.diff(counts / EPSILON - s, axis=-1, prepend=0.0) / (2 * np.pi))
    if not turns.any():
        return s
    return s + 2 * np.pi * np.cumsum(np.where(np.isfinite(turns), turns, 0.0), axis=-1)


def unwound(t: Numbers, s: np.ndarray, s_dot: np.ndarray) -> np.ndarray:
    """Angles s (…, n) at times t (n,) without jumps by turns, from the first sample on.

    The turn is the one that the rates s_dot (…, n) foretell where these are alike at both ends of an interval: a
    shaft may turn more than half a turn between samples. Elsewhere it is the nearest one.

    >>> unwound([0.0, 1.0, 2.0], np.array([3.0, -3.0, 3.0]), np.array([0.3, 0.3, 6.6])).round(2).tolist()
    [3.0, 3.28, 3.0]
    """
    t = np.asarray(t)
    step, moved = t[1:] - t[:-1], s[..., 1:] - s[..., :-1]
    if np.abs(moved).max(initial=0.0) + np.abs(s_dot).max(initial=0.0) * step.max(initial=0.0) < np.pi:
        return s  # no turn could be foretold
    first, last = s_dot[..., :-1], s_dot[..., 1:]
    steady = np.abs(last - first) * step < np.pi
    expected = np.where(steady, (first + last) * step / 2, 0.0)
    turns = np.rint((expected - moved) / (2 * np.pi))
    if not turns.any():
        return s
    return np.concatenate([s[..., :1], s[..., 1:] + 2 * np.pi * np.cumsum(turns, axis=-1)], axis=-1)


def turned_error(path: Path, at: int, law: str, partial: Any = None) -> MotionError:
    """That a law does not know its angle from a sample on; `partial` is what is known before."""
    why = turned_text(path.system, law)
    return MotionError(f"at t = {path.t[at]:g} s {why}", t=float(path.t[at]), partial=partial)


def first_turned(path: Path, mechanism: Mechanism, given: Mapping[str, float]) -> tuple[int, str] | None:
    """The first sample at which a law cannot know its angle, and the law's name; None where all do.

    `given` are named coordinates at the first sample, with their turns  [m or rad].
    """
    read = _read_off(path.system).facts
    if not read:
        return None
    whole, forces = path.between or path, mechanism.elements.forces
    s, s_dot = (x.T for x in _law_angles(path.system)(whole.q, whole.v, whole.p))
    begin = angles_at(mechanism, poses_at(path.system, path.q[0], path.constants(0)), given)
    found = []
    for (name, k), angle, rate in zip(read, s, s_dot):
        parts = forces[name].on.parts
        centre = float(forces[name].centre) if len(parts) == 1 else 0.0
        turns = begin.get(parts[k], angle[0]) - angle[0]
        beyond = np.abs(turns + unwound(whole.t, angle, rate) - centre) > np.pi
        if beyond.any():
            found.append((int(np.searchsorted(path.t, whole.t[np.argmax(beyond)])), name))
    return min(found, default=None)


@stored_parts
def _read_off(compiled: System) -> tuple[dict[str, casadi.Function], list[list]]:
    """Laws by name, and which parts of their coordinates are angles that are read off poses."""
    direct, found = compiled.equations.kinematics.direct, []
    for name, law in compiled.elements.forces.items():
        if law.positional and law.clearance(law.centre) is None:
            angles = formulations.angles_read(law.on, direct)
            found += [[name, k] for k, part in enumerate(law.on.parts) if part in angles]
    return {}, found


@stored
def _law_angles(compiled: System) -> casadi.Function:
    """(q, v, p) -> those angles and their rates."""
    e, forces = compiled.equations, compiled.elements.forces
    along = [compiled.along(forces[name].on.parts[k]) for name, k in _read_off(compiled).facts]
    outputs = [casadi.vertcat(*(casadi.SX(x[j]) for x in along)) for j in (0, 1)]
    return casadi.Function("turned", [e.q, e.v, e.p], outputs)
