"""Poses from independent coordinates: loops stay closed, and the assembly mode is the one of the pose before.

The motions N that the joints leave are the null space of their Jacobian C. A coordinate s with rate J ξ is
independent of others where J N is; dragging a body solves min |V − T N z| for the small motion z and brings the
coordinates to s + J N z, a few times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import Assembly, assemble
from poinsot.model.assembly.constraints import IN_PLANE, Constraints
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.algebra import skew
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_logarithm

DEPENDENT = 1e-6  # of the largest singular value or row: what counts as zero
TURNED = 1e-3  # of a target, beyond which its attitude counts  [rad]
STEPS, CLOSE = 6, 1e-4  # of dragging, and when it is near enough: of the machine's size, or in radians


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

    def values(self, poses: Mapping[str, Pose]) -> dict[str, float]:
        """Values of the independent coordinates in given poses  [m or rad]."""
        placed = {GROUND: Pose.identity(), **poses}
        return {n: float(c.value(placed, self.mechanism.joints)) for n, c in self.coordinates.items()}

    def assembled(self, values: Mapping[str, float], start: Assembly) -> Assembly:
        """The pose with these coordinates, on the branch of the pose before; PoinsotError where there is none."""
        return assemble(self.mechanism, values, home=start)

    def residual(self, poses: Mapping[str, Pose]) -> float:
        """Largest violation of a joint  [m or rad]."""
        found, _ = Constraints(self.mechanism.elements).evaluate({GROUND: Pose.identity(), **poses})
        return float(np.max(np.abs(found), initial=0.0))

    def dragged(self, body: str, target: Pose, start: Assembly, at: np.ndarray | None = None) -> Assembly:
        """The pose in which a frame at a point of a body is as near to a target as joints and branches allow.

        `at` (3,) [m] in the body, by default its origin; a target that only moves the point lets the body turn.
        """
        X_BH = Pose(np.eye(3), np.zeros(3) if at is None else np.asarray(at, float))
        turns = np.linalg.norm(_gap(start.poses[body] @ X_BH, target)[3:]) > TURNED
        now = start
        for _ in range(STEPS):
            error = _gap(now.poses[body] @ X_BH, target)
            if np.linalg.norm(error[:3]) < CLOSE * now.size and (not turns or np.linalg.norm(error[3:]) < CLOSE):
                break
            further = self._step(body, X_BH, target, now, now.size * (0.3 if turns else 0.01))
            if further is None:
                break
            now = further
        return now

    def _step(self, body: str, X_BH: Pose, target: Pose, now: Assembly, arm: float) -> Assembly | None:
        """One step towards a target, shorter while it cannot be assembled; None where none brings it nearer.

        A turn by a radian weighs as much as a way of length `arm` [m].
        """
        N, rates = self._free(now.poses)
        if not N.shape[1]:
            return None
        k, wide = self._bodies.index(body), self._columns
        T = np.zeros((6, N.shape[1]))
        T[list(IN_PLANE) if wide == 3 else slice(None)] = N[wide * k : wide * (k + 1)]
        T[:3] -= np.asarray(skew(X_BH.p), float) @ T[3:]  # of the point, in the axes of the body
        weight = np.r_[np.ones(3), np.full(3, arm)]
        error = weight * _gap(now.poses[body] @ X_BH, target)
        z = np.linalg.lstsq(weight[:, None] * T, error, rcond=1e-6)[0]
        change, values = dict(zip(self.names, rates @ z)), self.values(now.poses)
        for part in (1.0, 0.5, 0.25, 0.1):
            try:
                found = self.assembled({n: values[n] + part * change[n] for n in self.names}, now)
            except PoinsotError:
                continue
            if np.linalg.norm(weight * _gap(found.poses[body] @ X_BH, target)) < 0.999 * np.linalg.norm(error):
                return found
        return None

    @cached_property
    def _bodies(self) -> tuple[str, ...]:
        return tuple(self.mechanism.elements.bodies)

    @property
    def _columns(self) -> int:
        return 3 if self.mechanism.planar else 6

    def _free(self, poses: Mapping[str, Pose]) -> tuple[np.ndarray, np.ndarray]:
        """Motions that the joints leave (columns), and rates of the coordinates for each."""
        elements = self.mechanism.elements
        J = Constraints(elements, tuple(self.coordinates.values())).evaluate({GROUND: Pose.identity(), **poses})[1]
        count = len(J) - len(self.names)
        N = null_space(J[:count])
        return N, J[count:] @ N


def _gap(X: Pose, target: Pose) -> np.ndarray:
    """Twist (6,) in the axes of the body from a pose to a target."""
    R = np.asarray(X.R, float)
    return np.concatenate([R.T @ (target.p - X.p), rotation_logarithm(R.T @ target.R)])


def null_space(C: np.ndarray) -> np.ndarray:
    """Orthonormal columns z with C z = 0."""
    if not C.size:
        return np.eye(C.shape[1])
    _, s, Vt = np.linalg.svd(C)
    rank = int(np.sum(s > DEPENDENT * s[0])) if len(s) else 0
    return Vt[rank:].T


def posing_of(mechanism: Mechanism) -> Posing:
    """A mechanism with as many independent coordinates as it has freedoms, as far as coordinates and joints go.

    Those of the file's pose come first, then those of actuators, then others that are named, then those of joints.
    """
    home = assemble(mechanism)
    candidates = dict(_candidates(mechanism))
    whole = mechanism.with_coordinates({n: c for n, c in candidates.items() if not mechanism.coordinates.declares(n)})
    J = Constraints(whole.elements, tuple(candidates.values())).evaluate({GROUND: Pose.identity(), **home.poses})[1]
    count = len(J) - len(candidates)
    N = null_space(J[:count])
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
