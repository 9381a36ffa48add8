"""End stops while a body is dragged: coordinates that are at one stay there while the body is pulled beyond it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import null_space

from poinsot.elements import GROUND
from poinsot.elements.forces import Force
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.constraints import Constraints
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose

STOP = 1e-4  # of the machine's size, or in radians, by which an end stop is passed at most


@dataclass(frozen=True, eq=False)
class EndStops:
    """Laws that limit coordinates; all in natural sizes: the machine's for lengths, radians."""

    mechanism: Mechanism
    laws: tuple[Force, ...]

    @cached_property
    def _coordinates(self) -> Constraints:
        return Constraints(self.mechanism.elements, tuple(law.on for law in self.laws))

    def _sizes(self, at: Assembly) -> np.ndarray:
        return np.array([1.0 if law.on.unit == "rad" else at.size for law in self.laws])

    def rates(self, at: Assembly) -> np.ndarray:
        """Derivatives (k, n) of their coordinates by the twists of the bodies."""
        J = self._coordinates.evaluate({GROUND: Pose.identity(), **at.poses})[1]
        return J[len(J) - len(self.laws) :] / self._sizes(at)[:, None]

    def room(self, at: Assembly) -> np.ndarray:
        """How far (k, 2) their coordinates are from the lower and from the upper stop; negative beyond it."""
        both = self._coordinates.evaluate({GROUND: Pose.identity(), **at.poses})[0]
        s = both[len(both) - len(self.laws) :]
        centre = np.array([float(law.centre) if law.on.unit == "rad" else np.inf for law in self.laws])
        turns = np.round((np.where(np.isfinite(centre), centre, s) - s) / (2 * np.pi))
        s = s + 2 * np.pi * turns  # angles that are read off a pose are known up to turns
        low, high = np.array([law.limits for law in self.laws]).reshape(-1, 2).T
        return np.stack([s - low, high - s], axis=1) / self._sizes(at)[:, None]

    def reached(self, at: Assembly) -> tuple[str, ...]:
        """Names of the laws that are at one of their stops."""
        return tuple(law.name for law, room in zip(self.laws, self.room(at)) if room.min() < 2 * STOP)


def towards(A: np.ndarray, error: np.ndarray, S: np.ndarray, room: np.ndarray) -> np.ndarray:
    """z of least |error − A z| for which no coordinate with rates S z leaves the room (k, 2) that its stops give."""
    held = np.zeros(len(S), bool)
    while True:
        free = null_space(S[held]) if held.any() else np.eye(A.shape[1])
        z = free @ np.linalg.lstsq(A @ free, error, rcond=1e-6)[0]
        outwards = np.stack([-S @ z, S @ z], axis=1) > 1e-9 * np.linalg.norm(z)
        passing = ~held & np.any(outwards & (room < STOP), axis=1)
        if not passing.any():
            return z
        held |= passing


def parts_to_stops(rates: np.ndarray, room: np.ndarray) -> list[float]:
    """Parts of a step with these rates (k,) after which coordinates are at their stops."""
    ahead = np.where(rates > 0, room[:, 1], room[:, 0])
    return [float(s / abs(rate)) for s, rate in zip(ahead, rates) if rate and s >= STOP]
