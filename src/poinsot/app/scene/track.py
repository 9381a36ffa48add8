"""Poses over time: a motion resampled to the frames of a film, or one period of a vibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from poinsot.app.scene.bodies import ALONG_BEAM
from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.motion.inverse_dynamics import forces_along
from poinsot.motion.kinematics import Kinematics
from poinsot.motion.reactions import JointReactions
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_exponential
from poinsot.vibration.modes import Modes

MOST_FRAMES = 1500  # of a page; a longer motion is shown with fewer a second
HELD = 0.5  # for which a pose is shown that has nothing between it and the next  [s]
PERIOD, PHASES = 1.6, 32  # seconds and frames of one swing of a mode
VISIBLE = 0.09, 0.35  # largest displacement over the machine's extent, largest turn [rad]


class Moving(Protocol):
    """What can be shown: a simulation, or the kinematics of a driven motion, at n times."""

    @property
    def t(self) -> np.ndarray:
        """Times (n,)  [s]."""
        ...

    @property
    def position(self) -> dict[str, np.ndarray]:
        """By body (n, 3)  [m]."""
        ...

    @property
    def rotation(self) -> dict[str, np.ndarray]:
        """By body (n, 3, 3)."""
        ...


@dataclass(frozen=True, eq=False)
class FilmFrame:
    """One frame of a film: where the bodies are and how the beams are bent."""

    poses: dict[str, Pose]  # X_WB of all bodies, the ground included
    lines: dict[str, np.ndarray] = field(default_factory=dict)  # by beam (n, 3) in the frame of its body  [m]
    joints: dict[str, Pose] = field(default_factory=dict)  # of flexible bodies: displaced body frame at the joint


@dataclass(frozen=True, eq=False)
class Film:
    """Frames that follow each other at an even pace."""

    pace: float  # from one frame to the next  [s]
    frames: tuple[FilmFrame, ...]
    find_reactions: Callable[[], dict[str, np.ndarray]] = dict  # by joint (frames, 3) in the world's axes  [N]
    motion: Moving | None = None  # that it shows; None of a mode

    @cached_property
    def reactions(self) -> FilmReactions:
        """Joint reactions of all frames, computed when first asked for."""
        try:
            return FilmReactions(self.find_reactions())
        except PoinsotError as error:
            return FilmReactions({}, f"no joint reactions of this motion: {error}")


@dataclass(frozen=True, eq=False)
class FilmReactions:
    """Forces of joints on their second bodies, frame by frame."""

    forces: dict[str, np.ndarray]  # by joint (frames, 3) in the world's axes, NaN where undetermined  [N]
    missing: str = ""  # why there are none

    def at(self, k: int) -> dict[str, np.ndarray]:
        """Forces (3,) of one frame by joint  [N]."""
        return {name: f[k] for name, f in self.forces.items()}

    @cached_property
    def greatest(self) -> float:
        """Of all joints and frames  [N]."""
        sizes = [np.linalg.norm(f, axis=1) for f in self.forces.values()]
        return float(np.nanmax(np.concatenate(sizes), initial=0.0)) if sizes else 0.0


def resampled(mechanism: Mechanism, moving: Moving, fps: float = 25.0, most: int = MOST_FRAMES) -> Film:
    """A motion at so many frames a second: positions linear between samples, rotations at constant rate."""
    t = np.asarray(moving.t, float)
    if len(t) == 0:
        raise PoinsotError("there is nothing to show: the motion has no samples")
    if not 0 < fps <= 1000:
        raise PoinsotError(f"frames a second must be a positive number of at most 1000, not {fps!r}")
    if getattr(moving, "apart", False):
        poses = {n: [Pose(R, p) for p, R in zip(moving.position[n], moving.rotation[n])] for n in mechanism.bodies}
        each = [{GROUND: Pose.identity(), **{n: of[k] for n, of in poses.items()}} for k in range(len(t))]
        return Film(HELD, tuple(FilmFrame(one) for one in each), motion=moving)
    order = np.flatnonzero(np.concatenate([[True], np.diff(t) > 0]))
    t = t[order]
    count = int(min(max(round((t[-1] - t[0]) * fps), 1) + 1, most)) if len(t) > 1 else 1
    times = np.linspace(t[0], t[-1], count)
    pace = float((t[-1] - t[0]) / (count - 1)) if count > 1 else 1.0 / fps
    tracks = {name: _interpolated(t, order, moving, name, times) for name in mechanism.bodies}
    frames = []
    for k in range(count):
        poses = {name: Pose(R[k], p[k]) for name, (p, R) in tracks.items()}
        frames.append(FilmFrame({GROUND: Pose.identity(), **poses}))
    return Film(pace, tuple(frames), lambda: _reactions(moving, t, order, times), moving)


def _reactions(moving: Moving, t: np.ndarray, order: np.ndarray, times: np.ndarray) -> dict[str, np.ndarray]:
    """Forces of joints (times, 3) along a motion, linear between its samples; an error where it has none."""
    found = forces_along(moving) if isinstance(moving, Kinematics) else moving
    if not isinstance(found, JointReactions):
        raise PoinsotError("it tells poses alone")
    forces = {name: found.reaction(name, axes="world")[order, :3] for name in found.reactions}
    return {name: np.column_stack([np.interp(times, t, f[:, i]) for i in range(3)]) for name, f in forces.items()}


def _interpolated(
    t: np.ndarray, order: np.ndarray, moving: Moving, name: str, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    from scipy.spatial.transform import Rotation, Slerp

    if name not in moving.position:
        raise PoinsotError(f"the motion does not tell where the body '{name}' is")
    p, R = np.asarray(moving.position[name], float)[order], np.asarray(moving.rotation[name], float)[order]
    if not (np.all(np.isfinite(p)) and np.all(np.isfinite(R))):
        raise PoinsotError(f"the motion of the body '{name}' has samples that are not finite")
    if len(t) == 1:
        return p, R
    where = np.column_stack([np.interp(times, t, p[:, i]) for i in range(3)])
    return where, Slerp(t, Rotation.from_matrix(R))(np.clip(times, t[0], t[-1])).as_matrix()


@dataclass(frozen=True, eq=False)
class Vibration:
    """One mode about the pose at rest, made visible."""

    modes: Modes
    k: int  # which, from 0
    amplitude: float  # of the shape, as `Modes.shapes` has it
    extent: float  # of the machine  [m]

    def shot(self, phase: float) -> FilmFrame:
        """The mechanism at a phase of the swing  [rad]."""
        linear, scale = self.modes.linear, self.amplitude * np.cos(phase)
        x = np.real(self.modes.shapes[:, self.k]) * scale
        moved = {name: self._displaced(Frame(name, ""), x) for name in linear.mechanism.bodies}
        poses = {GROUND: Pose.identity(), **moved}
        lines = {name: _line(self.modes, name, x, moved) for name in _beams(self.modes)}
        flexible = {beam.body for beam in linear.mechanism.beams.values()} if lines else set()
        joints = {
            name: poses[j.a.body].inverse() @ self._displaced(j.a, x) @ j.a.pose().inverse()
            for name, j in linear.mechanism.joints.items()
            if j.a.body in flexible
        }
        return FilmFrame(poses, lines, joints)

    def _displaced(self, frame: Frame, x: np.ndarray) -> Pose:
        """Pose X_WF of a frame that has moved by a small displacement and turn."""
        linear = self.modes.linear
        V = np.asarray(linear.twist(frame), float) @ x
        rest = _rest(self.modes, frame)
        return Pose(rotation_exponential(V[3:]) @ rest.R, rest.p + V[:3])


def _rest(modes: Modes, frame: Frame) -> Pose:
    """Pose of a frame in the mechanism at rest."""
    if frame.body == GROUND:
        return frame.pose()
    return modes.linear.poses[frame.body] @ frame.pose()


def vibration(modes: Modes, k: int, extent: float, size: float = 1.0) -> Vibration:
    """Mode k, swinging so far that it is seen: `size` 1 moves a joint by a tenth of the machine, or 20°."""
    if not 0 <= k < modes.shapes.shape[1]:
        raise PoinsotError(f"there is no mode {k + 1}; there are {modes.shapes.shape[1]}")
    x, linear = np.real(modes.shapes[:, k]), modes.linear
    places = [Frame(name, "") for name in linear.mechanism.bodies]
    places += [end for joint in linear.mechanism.joints.values() for end in (joint.a, joint.b)]
    places += [Frame(n, "centre", tuple(map(float, b.com))) for n, b in linear.mechanism.bodies.items()]
    moves = np.array([np.asarray(linear.twist(frame), float) @ x for frame in places if frame.body != GROUND])
    far = np.linalg.norm(moves[:, :3], axis=1).max() / (VISIBLE[0] * extent)
    turned = np.linalg.norm(moves[:, 3:], axis=1).max() / VISIBLE[1]
    bent = max((_node_motion(modes, beam, x) for beam in _beams(modes)), default=0.0) / (VISIBLE[0] * extent)
    return Vibration(modes, k, size / max(far, turned, bent, 1e-300), extent)


def swing(shown: Vibration) -> Film:
    """One period of a mode."""
    phases = 2 * np.pi * np.arange(PHASES) / PHASES
    return Film(PERIOD / PHASES, tuple(shown.shot(float(phase)) for phase in phases))


def _beams(modes: Modes) -> Iterator[str]:
    return (part.name for part in modes.linear.parts if part.name in modes.linear.mechanism.beams)


def _nodes(modes: Modes, beam: str) -> list[tuple[int, Pose]]:
    """Numbers of the nodes of a beam from its end a to b, with their poses at rest."""
    linear = modes.linear
    part = next(part for part in linear.parts if part.name == beam)
    law = linear.mechanism.beams[beam]
    names = list(linear.places)
    found = [(int(k), linear.places[names[int(k)]]) for k in np.unique(part.index // 6)]
    X_WB = linear.poses[law.body]
    axis = X_WB.R @ np.asarray(law.axes(), float)[:, 0]
    return sorted(found, key=lambda node: float(axis @ node[1].p))


def _node_motion(modes: Modes, beam: str, x: np.ndarray) -> float:
    return max(float(np.linalg.norm(x[6 * k : 6 * k + 3])) for k, _ in _nodes(modes, beam))


def _line(modes: Modes, beam: str, x: np.ndarray, moved: dict[str, Pose]) -> np.ndarray:
    """A bent beam in the displaced frame of its body: cubic between its nodes, along their tangents (n, 3)  [m]."""
    law, nodes = modes.linear.mechanism.beams[beam], _nodes(modes, beam)
    R_B = np.asarray(law.axes(), float)
    points, tangents = [], []
    for k, X in nodes:
        u, r = x[6 * k : 6 * k + 3], x[6 * k + 3 : 6 * k + 6]
        points.append(X.p + X.R @ u)
        tangents.append(X.R @ rotation_exponential(r) @ R_B[:, 0])
    each = max(ALONG_BEAM // (len(nodes) - 1), 2)
    spans = [
        _hermite(points[i], points[i + 1], tangents[i], tangents[i + 1], each, i == len(nodes) - 2)
        for i in range(len(nodes) - 1)
    ]
    X_BW = moved[law.body].inverse()
    return np.array([X_BW.point(point) for point in _even(np.vstack(spans))])


def _hermite(
    a: np.ndarray, b: np.ndarray, along_a: np.ndarray, along_b: np.ndarray, count: int, last: bool
) -> np.ndarray:
    """Points of the cubic from a to b with unit tangents at both (n, 3)."""
    s = np.linspace(0.0, 1.0, count + 1)[: count + 1 if last else count, None]
    length = np.linalg.norm(b - a)
    h = (2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2)
    return h[0] * a + h[1] * length * along_a + h[2] * b + h[3] * length * along_b


def _even(points: np.ndarray) -> np.ndarray:
    """As many points as a beam is drawn with."""
    at = np.linspace(0, len(points) - 1, ALONG_BEAM)
    return np.column_stack([np.interp(at, np.arange(len(points)), points[:, i]) for i in range(3)])
