"""Poses from independent coordinates: loops stay closed, and the assembly mode is the one of the pose before.

The motions N that the joints leave are the null space of their Jacobian C. A coordinate s with rate J ξ is
independent of others where J N is. Dragging a body solves min |V − T N z| for the small motion z, displaces all
bodies by N z and closes the joints again, until no step brings the body nearer. A coordinate at an end stop stays
there while the body is pulled beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poinsot.app.viewer.end_stops import STOP, EndStops, towards
from poinsot.elements import GROUND
from poinsot.elements.coordinates import Coordinate
from poinsot.model.assembly.assembly import Assembly, assemble, close
from poinsot.model.assembly.constraints import IN_PLANE, Constraints, row_lengths, twist_scales
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.algebra import skew
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_logarithm
from poinsot.system.scaled_rank import rank_of

TURNED = 1e-3  # of a target, beyond which its attitude counts  [rad]
STEPS, CLOSE = 30, 1e-5  # of dragging at most, and the shortest: of the machine's size, or in radians
LONGEST, SHORTER = 0.3, 12  # the longest, in the same sizes, and how often it is halved
ENOUGH = 0.5  # of what a step promises for the squared distance, by the slope where it begins, must be kept


@dataclass(frozen=True, eq=False)
class Posing:
    """A mechanism with independent coordinates by which it is posed."""

    mechanism: Mechanism
    names: tuple[str, ...]  # of its coordinates, independent of each other
    home: Assembly  # in the pose of the file

    @property
    def coordinates(self) -> dict[str, Coordinate]:
        """The independent coordinates by name."""
        return {name: self.mechanism.coordinates[name] for name in self.names}

    def values(self, at: Assembly) -> dict[str, float]:
        """Values of the independent coordinates in a pose, angles with the turns that are known  [m or rad]."""
        return {name: at.value(c, self.mechanism.joints) for name, c in self.coordinates.items()}

    def assembled(self, values: Mapping[str, float], start: Assembly) -> Assembly:
        """The pose with these coordinates, on the branch of the pose before; PoinsotError where there is none."""
        return assemble(self.mechanism, values, home=start)

    def closed(self, poses: Mapping[str, Pose], start: Assembly, *, held: bool = False) -> Assembly:
        """The closed pose next to poses X_WB that are nearly so, angles with the turns next to those of `start`.

        With `held` coordinates keep the values that the poses show, however far the joints are from closed.
        """
        joints = Constraints(self.mechanism.elements, tuple(self.coordinates.values()) if held else ())
        near = replace(start, poses={**start.poses, **poses})
        return close(joints, near, np.zeros(len(joints.names) * joints.freedom)).require()

    @cached_property
    def stops(self) -> EndStops:
        """The end stops of the mechanism."""
        laws = self.mechanism.forces.values()
        return EndStops(self.mechanism, tuple(law for law in laws if np.isfinite(law.limits).any()))

    def residual(self, poses: Mapping[str, Pose]) -> float:
        """Largest violation of a joint  [m or rad]."""
        found, _ = Constraints(self.mechanism.elements).evaluate({GROUND: Pose.identity(), **poses})
        return float(np.max(np.abs(found), initial=0.0))

    def dragged(self, body: str, target: Pose, start: Assembly, at: np.ndarray | None = None) -> Assembly:
        """The pose in which a frame at a point of a body is as near to a target as joints allow.

        `at` (3,) [m] in the body, by default its origin. A target that only moves the point lets the body turn, one
        that only turns it lets the point move.
        """
        X_BH = Pose(np.eye(3), np.zeros(3) if at is None else np.asarray(at, float))
        now, (far, turn) = start, self.missed(body, target, start, at)
        weight = np.repeat([1.0 if far > CLOSE * now.size else 0.01, now.size * (0.3 if turn > TURNED else 0.01)], 3)
        s = self.stops.values(now)
        for _ in range(STEPS):
            further = self._step(body, X_BH, target, now, weight, s)
            if further is None:
                break
            now, s = further, self.stops.values(further, s)
        self.stops.keep(now, s)
        return now

    def missed(self, body: str, target: Pose, reached: Assembly, at: np.ndarray | None = None) -> tuple[float, float]:
        """How far the frame of `dragged` is from its target, and how much it is turned against it  [m, rad]."""
        X_BH = Pose(np.eye(3), np.zeros(3) if at is None else np.asarray(at, float))
        gap = _gap(reached.poses[body] @ X_BH, target)
        return float(np.linalg.norm(gap[:3])), float(np.linalg.norm(gap[3:]))

    def _step(
        self, body: str, X_BH: Pose, target: Pose, now: Assembly, weight: np.ndarray, s: np.ndarray
    ) -> Assembly | None:
        """One step towards a target, shorter while it brings too little; None where none brings it nearer.

        s are the coordinates that have end stops.
        """
        joints, stops = Constraints(self.mechanism.elements), self.stops
        J = joints.evaluate({GROUND: Pose.identity(), **now.poses})[1]
        N = free(joints, J, now.size)
        if not N.shape[1]:
            return None
        S, room = stops.rates(now) @ N, stops.room(now, s)
        k, wide = joints.names.index(body), joints.freedom
        T = np.zeros((6, N.shape[1]))
        T[list(IN_PLANE) if wide == 3 else slice(None)] = N[wide * k : wide * (k + 1)]
        T[:3] -= np.asarray(skew(X_BH.p), float) @ T[3:]  # of the point, in the axes of the body
        error = weight * _gap(now.poses[body] @ X_BH, target)
        z = towards(weight[:, None] * T, error, S, room)
        natural = float(np.max(np.abs(N @ z) / twist_scales(joints, now.size)))
        if natural < CLOSE:
            return None
        z *= min(1.0, LONGEST / natural)
        gain = float(error @ (weight * (T @ z)))
        for part in 0.5 ** np.arange(SHORTER):
            found = close(joints, now, part * (N @ z))
            left = weight * _gap(found.poses[body] @ X_BH, target)
            nearer = found.converged and not found.flipped and left @ left < error @ error - ENOUGH * part * gain
            if nearer and np.all(stops.room(found, stops.values(found, s)) >= np.minimum(room, 0.0) - STOP):
                return found
        return None


def _gap(X: Pose, target: Pose) -> np.ndarray:
    """Twist (6,) in the axes of the body from a pose to a target."""
    R = np.asarray(X.R, float)
    return np.concatenate([R.T @ (target.p - X.p), rotation_logarithm(R.T @ target.R)])


def free(joints: Constraints, C: np.ndarray, size: float) -> np.ndarray:
    """Motions (n, k) that joints with Jacobian C leave, orthonormal by the natural sizes at a size [m]."""
    scales = twist_scales(joints, size)
    if not C.size:
        return np.diag(scales)
    A = C * scales / row_lengths(joints.rows, size)[:, None]
    return scales[:, None] * np.linalg.svd(A)[2][rank_of(A) :].T


def posing_of(mechanism: Mechanism) -> Posing:
    """A mechanism with as many independent coordinates as it has freedoms, as far as coordinates and joints go.

    Those of the file's pose come first, then those of actuators, then others that are named, then those of joints.
    """
    home = assemble(mechanism)
    candidates = dict(_candidates(mechanism))
    whole = mechanism.with_coordinates({n: c for n, c in candidates.items() if not mechanism.coordinates.declares(n)})
    joints = Constraints(whole.elements, tuple(candidates.values()))
    J = joints.evaluate({GROUND: Pose.identity(), **home.poses})[1]
    count = len(J) - len(candidates)
    N = free(joints, J[:count], home.size)
    chosen, basis = [], np.zeros((0, N.shape[1]))
    for name, row in zip(candidates, J[count:] @ N):
        size = np.linalg.norm(row)
        rest = row - basis.T @ (basis @ row)
        if size > 0 and np.linalg.norm(rest) > 1e-4 * size:
            chosen.append(name)
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
    return Posing(whole, tuple(chosen), home)


def _candidates(mechanism: Mechanism) -> Iterator[tuple[str, Coordinate]]:
    named = mechanism.coordinates
    yield from ((name, named[name]) for name in mechanism.elements.pose if name in named)
    for name, actuator in mechanism.actuators.items():
        own = next((n for n in named.known if named[n] == actuator.on), None)
        yield (own or (name if name not in named else f"{name}.drive")), actuator.on
    yield from ((name, named[name]) for name in named.known)
