"""Kinematics of a driven mechanism: named coordinates are prescribed, everything else follows.

Φ(q) = 0, s(q) = s*(t)          Newton, exact to round-off
C v = 0, J v = ṡ*               C v̇ = γ, J v̇ = s̈* − J̇ v        (theory/dynamics, eq. 11)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from poinsot.errors import MotionError, PoinsotError, counted
from poinsot.model.assembly.assembly import Assembly, unit_hint
from poinsot.model.assembly.end_stops import RigidStop, rigid_stops
from poinsot.model.assembly.turns import wound
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.motion.continuation import Course, follow
from poinsot.motion.continuity import Path, joined, require_continuity
from poinsot.motion.counted_turns import angles_at, first_turned, turned_error, turning, unwound
from poinsot.motion.driven import driven, require_count
from poinsot.motion.equations import body_motions, rigid_stop_angles, rigid_stop_parts
from poinsot.motion.signals import (
    GivenMotion,
    Measured,
    as_motion,
    as_signals,
    as_times,
    dense,
    evaluate_motion,
    own_times,
    require_motion,
)
from poinsot.motion.singular_crossing import passing
from poinsot.results import Result
from poinsot.spatial.algebra import Numbers
from poinsot.system.conditioning import SINGULAR_POSE, conditioning, rechart
from poinsot.system.functions import body_poses, poses_at
from poinsot.system.open_spins import OpenSpins, open_spins
from poinsot.system.system import start, system
from poinsot.system.variants import UNSURE, careful

SINGULAR = 1e-10  # check value of the solution below which the prescribed coordinates do not tell the speeds
LOST = 1e3  # times the condition number of the joints at the first sample: they lose rank, and round-off is told


@dataclass(frozen=True, eq=False)
class Kinematics(Result):
    """Positions, velocities and accelerations of every body along a motion: n times."""

    t: np.ndarray  # (n,)  [s]
    position: dict[str, np.ndarray]  # by body, origin in the world (n, 3)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (n, 3, 3)
    velocity: dict[str, np.ndarray]  # by body, of the origin in the world (n, 3)  [m/s]
    angular_velocity: dict[str, np.ndarray]  # by body, in the world (n, 3)  [rad/s]
    acceleration: dict[str, np.ndarray]  # by body, of the origin in the world (n, 3)  [m/s²]
    angular_acceleration: dict[str, np.ndarray]  # by body, in the world (n, 3)  [rad/s²]
    coordinates: dict[str, np.ndarray]  # by name (n,)  [m or rad]
    rates: dict[str, np.ndarray]  # of the coordinates, by name (n,)  [m/s or rad/s]
    residual: float  # largest violation of a constraint  [m or rad]
    path: Path
    mechanism: Mechanism = field(repr=False)
    spins: OpenSpins | None = None  # that the motion leaves open, and that are kept at rest

    _over, _hidden, _plot = ("t", "t"), ("path", "spins"), {"coordinates": "coordinates", "rates": "rates"}

    def first(self, n: int) -> Kinematics:
        """The same at the first n times."""
        if n == len(self.t):
            return self
        path = self.path
        cut = replace(path.among(np.arange(len(path.t)) < n), between=None)
        parts = {f.name: getattr(self, f.name) for f in fields(self)}
        dicts = {x: {b: rows[:n] for b, rows in part.items()} for x, part in parts.items() if isinstance(part, dict)}
        return replace(self, t=self.t[:n], path=cut, **dicts)

    def __str__(self) -> str:
        span = f"{counted(len(self.t), 'sample')} from {self.t[0]:g} to {self.t[-1]:g} s"
        lines = [f"{span}, joints closed to {self.residual:.1e} m or rad"]
        lines += [f"  {name}  {s.min():.6g} … {s.max():.6g}" for name, s in self.coordinates.items()]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    @property
    def notes(self) -> tuple[str, ...]:
        """What is assumed of the motion."""
        return (self.spins.told,) if self.spins else ()

    def of(self, mechanism: Mechanism, spins: OpenSpins) -> Kinematics:
        """The same with the coordinates of a mechanism without those of spins."""
        own = spins.names.values()
        s, s_dot = ({n: x for n, x in part.items() if n not in own} for part in (self.coordinates, self.rates))
        return replace(self, coordinates=s, rates=s_dot, mechanism=mechanism, spins=spins)


def kinematics(
    mechanism: Mechanism, motion: GivenMotion, t: Numbers | None = None, *, formulation: str = "joint"
) -> Kinematics:
    """Positions, velocities and accelerations of every body of a driven mechanism.

    `mechanism` at times `t` (n,) [s], in a `formulation`: "joint", "embedded", "euler" or "rotation-matrix".

    `motion` prescribes as many independent coordinates as the mechanism has freedoms: a number, a function of t,
    a Fourier series, or samples (times, values) for each; or it is a table of samples, the path of a CSV file, a data
    frame or a recording. Without `t` its own times are taken. Bodies that it leaves to spin about lines of their own,
    such as rods between two balls, are kept from it, with a note in the result. A motion beyond a rigid end stop is a
    warning that names the stop, the coordinate, its value and the time.

    >>> import poinsot
    >>> k = poinsot.kinematics(poinsot.load("four_bar"), {"theta1": lambda t: 1 + 2 * t}, [0.0, 0.1])
    >>> bool(abs(k.angular_velocity["link1"][0, 2] - 2) < 1e-12)
    True
    """
    motion = as_motion(motion, require_mechanism(mechanism), t)
    mechanism, t = mechanism.naming(*motion), own_times(motion) if t is None else t
    if spins := open_spins(mechanism, motion):
        whole = {**motion, **spins_at_rest(spins, motion, t, formulation)}
        return kinematics(spins.mechanism, whole, t, formulation=formulation).of(mechanism, spins)
    try:
        path = solve_path(mechanism, motion, t, formulation)
        warn_beyond_stops(path, mechanism, motion)
        return _observed(mechanism, path, motion)
    except MotionError as error:
        error.partial = None if error.partial is None else _observed(mechanism, error.partial, motion)
        raise


def spins_at_rest(
    spins: OpenSpins, motion: Mapping[str, Any], t: Numbers, formulation: str = "joint"
) -> dict[str, Measured]:
    """Motions of open spins that keep their bodies at rest about their own lines, by name.

    With ω′ and ω̇′ where the angle ψ about the line e is held: ψ̇ = −ω′·e, ψ̈ = −ω̇′·e (theory/dynamics, eq. 22).
    """
    times = dense(as_times(t))
    held = {**motion, **spins.held}
    found = _observed(spins.mechanism, solve_path(spins.mechanism, held, times, formulation), held)
    still, h = {}, np.diff(times)
    for body, name in spins.names.items():
        e = found.rotation[body] @ spins.axes[body]
        rate, bend = (-np.sum(w[body] * e, axis=1) for w in (found.angular_velocity, found.angular_acceleration))
        steps = h / 2 * (rate[1:] + rate[:-1]) + h**2 / 12 * (bend[:-1] - bend[1:])
        still[name] = Measured(times, spins.held[name] + np.concatenate([[0.0], np.cumsum(steps)]), rate, bend)
    return still


def solve_path(
    mechanism: Mechanism,
    motion: Mapping[str, Any],
    t: Numbers,
    formulation: str = "joint",
    free: tuple[str, ...] = (),
) -> Path:
    """Coordinates, speeds and accelerations along a prescribed motion; `free` are further parameters as symbols.

    A motion that cannot be followed is an error that keeps the path up to there.
    """
    t = as_times(t)
    try:
        return _path(require_mechanism(mechanism), motion, t, formulation, free)
    except MotionError as error:
        before = int(np.searchsorted(t, error.t))
        if before == 0 or error.partial is not None:
            raise
        path = solve_path(mechanism, motion, t[:before], formulation, free)
        held = {name: mechanism.coordinates[name] for name in motion}
        weak = conditioning(path.system, poses_at(path.system, path.q[-1], path.constants(-1)), held)
        hint = _unit_hint(mechanism, motion, t[before : before + 1])
        raise MotionError(
            f"{error} ({weak} at t = {path.t[-1]:g} s, the last pose reached){hint}",
            t=error.t,
            joint=weak.name,
            condition=weak.condition,
            partial=path,
        ) from None


def followed_path(mechanism: Mechanism, motion: Mapping[str, Any], t: Numbers) -> Path:
    """The path of a prescribed motion on which every law knows its angles: forces can be asked for along it."""
    path = solve_path(mechanism, motion, t)
    if turned := first_turned(path, mechanism, _first_values(motion, path.t)):
        raise turned_error(path, *turned)
    return path


def warn_beyond_stops(path: Path, mechanism: Mechanism, motion: Mapping[str, Any]) -> None:
    """Tell where a prescribed motion first passes rigid end stops: no machine follows it there."""
    for stop, s in _along_stops(path, mechanism, motion):
        if (passed := stop.passed(s)).any():
            at = int(np.argmax(passed))
            said = f"from t = {path.t[at]:g} s on the motion is beyond {stop.told(float(s[at]))}"
            warnings.warn(said, stacklevel=3)


def _along_stops(
    path: Path, mechanism: Mechanism, motion: Mapping[str, Any]
) -> Iterator[tuple[RigidStop, np.ndarray]]:
    """Rigid end stops, and the values (n,) of their coordinates along a motion."""
    stops = rigid_stops(mechanism, path.system.home.size)
    if not stops:
        return
    whole, read = path.between or path, rigid_stop_angles(path.system).facts
    columns = zip(*(x.T for x in rigid_stop_parts(path.system)(whole.q, whole.v, whole.p)))
    poses = poses_at(path.system, path.q[0], path.constants(0))
    begin, asked = angles_at(mechanism, poses, _first_values(motion, path.t)), np.isin(whole.t, path.t)
    for stop in stops:
        values = []
        for part, turns in zip(stop.on.parts, read[stop.name]):
            s, s_dot = next(columns)
            values.append(begin.get(part, s[0]) - s[0] + unwound(whole.t, s, s_dot) if turns else s)
        yield stop, np.asarray(stop.on.combined(tuple(values)))[asked]


def _first_values(motion: Mapping[str, Any], t: np.ndarray) -> dict[str, float]:
    """Prescribed coordinates at the first of times t (n,), by name  [m or rad]."""
    return dict(zip(motion, evaluate_motion(as_signals(motion), t[:1])[0][0].tolist()))


def _unit_hint(mechanism: Mechanism, motion: Mapping[str, Any], t: np.ndarray) -> str:
    """What to say of a pose at a time (1,) that cannot be reached, where it could be in other units."""
    try:
        values = evaluate_motion(as_signals(motion), t)[0][0]
    except PoinsotError:  # no number is given there
        return ""
    return unit_hint(mechanism, {name: float(s) for name, s in zip(motion, values)})


def _path(
    mechanism: Mechanism, motion: Mapping[str, Any], t: np.ndarray, formulation: str, free: tuple[str, ...]
) -> Path:
    names = tuple(require_motion(motion))
    require_count(system(mechanism, formulation, free), names)
    signals = as_signals(motion)
    rates = evaluate_motion(signals, t)
    begin = _begin(mechanism, dict(zip(names, rates[0][0])), t[0], formulation)
    compiled = system(mechanism, formulation, free, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    course = Course(driven(compiled, names), signals, t, *rates, p, begin.size, len(p) > len(compiled.free))
    return passing(course, compiled.coordinates(begin, p), _attempt)


def _attempt(course: Course, q0: np.ndarray) -> Path:
    """The motion on the branch of q0, with as much care as it takes."""
    compiled, names = course.driven.compiled, course.driven.names
    for one, care in ((compiled, False), (compiled, True), (careful(compiled), True)):
        try:
            return in_charts(*replace(course, driven=driven(one, names)).dense(), q0, care)
        except MotionError as error:
            trouble = error
    raise trouble


def in_charts(course: Course, asked: np.ndarray, q0: np.ndarray, care: bool) -> Path:
    """The motion on the branch of q0 at the samples that were asked for, in as many charts as it takes."""
    parts = []
    while True:
        parts.append(_followed(course, q0, care))
        end = len(parts[-1].t) - 1
        if end == len(course.t) - 1:
            return joined(parts).among(asked)
        q0, p = rechart(course.driven.compiled, parts[-1].q[-1], course.p)
        course = course.part(slice(end, None), p)


def _followed(course: Course, q0: np.ndarray, care: bool) -> Path:
    """The motion on the branch of q0, with its rates."""
    track, drive = follow(course, q0, care), course.driven
    course = course.part(slice(np.count_nonzero(track.asked)))
    s_dot, s_ddot = course.rates(track.t)
    v, a, check = drive.rates(track.q, s_dot, s_ddot, course.p)
    path = Path(drive.compiled, track.t, track.q, v, a, course.p, track.residual, check.ravel())
    _require_determined(path, drive.names)
    require_continuity(path, course, track.walked)
    return path.among(track.asked)


def _begin(mechanism: Mechanism, pose: dict[str, float], t: float, formulation: str) -> Assembly:
    """The mechanism in the first pose of a motion."""
    try:
        return start(mechanism, pose)
    except PoinsotError as error:
        held = {name: mechanism.coordinates[name] for name in pose}
        weak = conditioning(system(mechanism, formulation), start(mechanism, None).poses, held)
        text = f"at t = {t:g} s {error} ({weak} in the pose of the model file)"
        raise MotionError(text, t=float(t), joint=weak.name, condition=weak.condition) from None


def _require_determined(path: Path, names: Sequence[str]) -> None:
    """A motion through a pose in which the prescribed coordinates do not tell all speeds is an error."""
    for at in np.flatnonzero(~(path.check > UNSURE)).tolist():
        lost = not path.check[at] > SINGULAR
        if lost or path.holding(at) > max(SINGULAR_POSE, LOST * path.holding(0)):
            raise MotionError(
                f"at t = {path.t[at]:g} s the prescribed coordinates ({', '.join(names)}) do not determine the "
                f"motion: the pose is singular{' for them' if lost else ', branches of motions meet there'}",
                t=float(path.t[at]),
            )


def _first_turns(path: Path, motion: Mapping[str, Any], names: Sequence[str], s: dict[str, np.ndarray]) -> np.ndarray:
    """Angles (k,) to be added to named ones, read off poses, for the whole turns that are known at the first time."""
    if not names:
        return np.zeros(0)
    elements = path.system.mechanism.elements
    given = _first_values(motion, path.t)
    angles = angles_at(path.system.mechanism, poses_at(path.system, path.q[0], path.constants(0)), given)
    read = np.array([s[name][0] for name in names])
    return wound(angles, [elements.coordinates[name] for name in names], read) - read


def _observed(mechanism: Mechanism, path: Path, motion: Mapping[str, Any]) -> Kinematics:
    """Motions of all bodies in world axes."""
    compiled = path.system
    names = list(compiled.mechanism.template.bodies)
    whole = path.between or path
    motions, named = body_motions(compiled)(whole.q, whole.v, whole.a, whole.p)
    asked = np.isin(whole.t, path.t)
    s, s_dot = (dict(zip(mechanism.coordinates, part)) for part in named.T.reshape(2, -1, len(whole.t)))
    turns = _first_turns(path, motion, turning(compiled), s)
    s |= {name: ahead + unwound(whole.t, s[name], s_dot[name]) for name, ahead in zip(turning(compiled), turns)}
    motions = motions[asked].reshape(len(path.t), len(names), 4, 3)
    position, rotation = body_poses(compiled, path.q, path.p)
    by_body = [{n: motions[:, k, j] for k, n in enumerate(names)} for j in range(4)]
    return Kinematics(
        t=path.t,
        position=position,
        rotation=rotation,
        velocity=by_body[0],
        acceleration=by_body[1],
        angular_velocity=by_body[2],
        angular_acceleration=by_body[3],
        coordinates={name: x[asked] for name, x in s.items()},
        rates={name: x[asked] for name, x in s_dot.items()},
        residual=path.residual,
        path=path,
        mechanism=mechanism,
    )
