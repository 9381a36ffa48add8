"""End stops while a body is dragged: coordinates that are at one stay there while the body is pulled beyond it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import nnls

from poinsot.elements import GROUND
from poinsot.elements.forces import Force
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.constraints import Constraints
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose

STOP = 1e-4  # of the machine's size, or in radians, by which an end stop is passed at most
FAR = 1.0  # in the same sizes: stops that are farther away than a step goes
TURN = 2 * np.pi
LOOSE = 1e-6  # of the largest singular value: weight of all motions, also of those that nothing is asked of
SAME = 1e-12  # of what stops leave no room for: they contradict each other


@dataclass(frozen=True, eq=False)
class EndStops:
    """Laws that limit coordinates; all in natural sizes: the machine's for lengths, radians."""

    mechanism: Mechanism
    laws: tuple[Force, ...]
    _last: dict[str, Any] = field(default_factory=dict)  # the pose that was dragged to, and the coordinates there

    @cached_property
    def _coordinates(self) -> Constraints:
        return Constraints(self.mechanism.elements, tuple(law.on for law in self.laws))

    def _sizes(self, at: Assembly) -> np.ndarray:
        return np.array([1.0 if law.on.unit == "rad" else at.size for law in self.laws])

    def rates(self, at: Assembly) -> np.ndarray:
        """Derivatives (k, n) of their coordinates by the twists of the bodies."""
        J = self._coordinates.evaluate({GROUND: Pose.identity(), **at.poses})[1]
        return J[len(J) - len(self.laws) :] / self._sizes(at)[:, None]

    def values(self, at: Assembly, near: np.ndarray | None = None) -> np.ndarray:
        """Their coordinates (k,); angles, which a pose tells up to turns, nearest to others (k,).

        Without those they are as they were dragged there; elsewhere an angle is between its stops if it can be,
        as few turns away as possible.
        """
        if near is None and self._last.get("at") is at:
            return self._last["values"]
        both = self._coordinates.evaluate({GROUND: Pose.identity(), **at.poses})[0]
        s, sizes = both[len(both) - len(self.laws) :], self._sizes(at)
        turning = np.array([law.on.unit == "rad" for law in self.laws], bool)
        if near is None:
            low, high = self._limits.T
            least, most = np.ceil((low - s) / TURN), np.floor((high - s) / TURN)
            turns = np.where(least <= most, np.clip(0.0, least, most), 0.0)
        else:
            turns = np.round((near * sizes - s) / TURN)
        return (s + TURN * np.where(turning, turns, 0.0)) / sizes

    def keep(self, at: Assembly, s: np.ndarray) -> None:
        """Remember coordinates (k,) with their turns, where a drag ends and the next begins."""
        self._last.update({"at": at, "values": s})

    def room(self, at: Assembly, s: np.ndarray) -> np.ndarray:
        """How far (k, 2) coordinates s (k,) are from their lower and upper stops; negative beyond them."""
        low, high = self._limits.T / self._sizes(at)
        return np.stack([s - low, high - s], axis=1)

    @cached_property
    def _limits(self) -> np.ndarray:
        return np.array([law.limits for law in self.laws]).reshape(-1, 2)

    def reached(self, at: Assembly) -> tuple[str, ...]:
        """Names of the laws that are at one of their stops."""
        rooms = self.room(at, self.values(at))
        return tuple(law.name for law, room in zip(self.laws, rooms) if room.min() < 2 * STOP)


def towards(A: np.ndarray, error: np.ndarray, S: np.ndarray, room: np.ndarray) -> np.ndarray:
    """z of least |error − A z| for which coordinates with rates S z do not leave the room (k, 2) before their stops.

    With A = U Σ Vᵀ and z = V Σ⁻¹ (Uᵀ error + x) it is the shortest x with G x ≥ h, by non-negative least squares
    (Lawson and Hanson, Solving Least Squares Problems, 23.4). Directions in which nothing is asked cost a little.
    """
    looser = LOOSE * np.linalg.norm(A, 2) * np.eye(A.shape[1])
    U, sigma, Vt = np.linalg.svd(np.vstack([A, looser]), full_matrices=False)
    if not sigma.all():
        return np.zeros(A.shape[1])
    V, best = Vt.T / sigma, U[: len(A)].T @ error
    G, h = np.concatenate([S @ V, -S @ V]), -np.maximum(room.T.ravel(), 0.0)
    near = -h < FAR
    G, h = G[near], h[near] - G[near] @ best
    if np.all(h <= 0):
        return V @ best
    E, f = np.vstack([G.T, h]), np.append(np.zeros(len(best)), 1.0)
    left = E @ nnls(E, f)[0] - f
    return V @ (best - left[:-1] / left[-1]) if abs(left[-1]) > SAME else np.zeros(A.shape[1])
