"""Poses that may be tried: coordinates of the model's pose between their limits, other limits and end stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.experiment.limits import Limit, LimitReached, end_stops, force_limits, position_limits
from poinsot.experiment.poses.equations import limited
from poinsot.model.mechanism import Mechanism
from poinsot.system.system import System

TURN = 2 * np.pi
ROUND = 1e-9  # of a limit's size, up to which it is not violated


@dataclass(frozen=True, eq=False)
class PoseSpace:
    """d coordinates s of a pose, and limits of what else moves."""

    names: tuple[str, ...]  # d
    units: tuple[str, ...]  # d, "rad" or "m"
    lower: np.ndarray  # (d,) [rad or m]
    upper: np.ndarray  # (d,)
    limits: tuple[Limit, ...]  # of the coordinates, of others, of end stops, and of forces that hold the pose
    owners: tuple[tuple[str, str], ...]  # of every limit but those of forces: table of the model and name in it

    @classmethod
    def of(cls, mechanism: Mechanism, limits: Sequence[Limit], names: tuple[str, ...] = ()) -> PoseSpace:
        """The space of a mechanism's poses in named coordinates, by default those of the model's pose; lengths need
        limits, angles without any turn freely."""
        names = names or tuple(mechanism.elements.pose)
        if not names:
            raise PoinsotError(f"{mechanism.name} names no coordinates of a pose: there is nothing to choose")
        units = tuple(mechanism.elements.coordinate(name).unit for name in names)
        kept = position_limits(limits)
        given = {limit.owner: limit for limit in kept}
        lower, upper = np.array([_sides(given.get(name), name, unit) for name, unit in zip(names, units)]).T
        stops = list(end_stops(mechanism))
        tables = ["coordinates" if limit.owner in mechanism.coordinates else "actuators" for limit in kept]
        owners = [*zip(tables, (limit.owner for limit in kept)), *(("forces", limit.owner) for limit in stops)]
        return cls(names, units, lower, upper, (*kept, *stops, *force_limits(limits)), tuple(owners))

    @cached_property
    def free(self) -> np.ndarray:
        """Coordinates (d,) that turn without limits."""
        return np.array([unit == "rad" for unit in self.units]) & (self.upper - self.lower >= TURN * (1 - 1e-12))

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Poses (count, d), uniform between the limits."""
        return rng.uniform(self.lower, self.upper, (count, len(self.names)))

    def inside(self, s: np.ndarray) -> np.ndarray:
        """Poses (…, d) brought between the limits; angles that turn freely are counted on."""
        width = self.upper - self.lower
        turned = self.lower + np.remainder(s - self.lower, width)
        return np.where(self.free, turned, np.clip(s, self.lower, self.upper))

    def own(self, compiled: System, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The pose (1, d) at coordinates q (nq,)."""
        return limited(compiled, tuple(("coordinates", name) for name in self.names))(q[None], p)[0]

    @property
    def forces(self) -> tuple[Limit, ...]:
        """Limits of the forces that hold a pose, the last ones."""
        return self.limits[len(self.owners) :]

    def values(self, compiled: System, q: np.ndarray, p: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """What is limited (N, l) at coordinates q (N, nq), angles near the middle of their limits, and forces."""
        if not self.limits:
            return np.zeros((len(q), 0))
        (found,) = limited(compiled, self.owners)(q, p) if self.owners else (np.zeros((len(q), 0)),)
        found = np.concatenate([found, forces], axis=1)
        middle = np.array([_middle(limit) for limit in self.limits])
        turned = middle + np.remainder(found - middle + np.pi, TURN) - np.pi
        laws = (getattr(compiled.mechanism.elements, table)[name] for table, name in self.owners)
        counted = [compiled.counts(getattr(law, "on", law)) for law in laws]
        up_to_turns = np.array([limit.unit == "rad" for limit in self.limits])
        up_to_turns[: len(counted)] &= ~np.array(counted, bool)
        return np.where(up_to_turns, turned, found)

    def excess(self, values: np.ndarray) -> np.ndarray:
        """By how much each limit is violated (N, l), negative where it is kept, infinite where no drive holds it;
        round-off aside."""
        low, high = (np.array([getattr(limit, side) for limit in self.limits]) for side in ("lower", "upper"))
        return np.where(np.isnan(values), np.inf, np.maximum(low - values, values - high))

    def reached(self, values: np.ndarray) -> tuple[LimitReached, ...]:
        """How far poses with values (N, l) go, round-off at a limit aside."""
        found = []
        for limit, column in zip(self.limits, values.T):
            inside = np.clip(column, limit.lower, limit.upper)
            found.append(
                limit.reached(np.where(np.abs(inside - column) <= ROUND * limit_size(limit), inside, column))
            )
        return tuple(found)


def limit_size(limit: Limit) -> float:
    """What a violation is measured by: the limits themselves, angles by a radian at least  [rad or m]."""
    largest = max((abs(x) for x in (limit.lower, limit.upper) if np.isfinite(x)), default=0.0)
    return max(largest, 1.0) if limit.unit == "rad" else largest or 1.0


def _sides(limit: Limit | None, name: str, unit: str) -> tuple[float, float]:
    """Least and greatest value of a coordinate of the pose."""
    lower, upper = (limit.lower, limit.upper) if limit else (-np.inf, np.inf)
    if unit == "rad":
        return (max(lower, -np.pi), min(upper, np.pi)) if not np.isfinite([lower, upper]).all() else (lower, upper)
    if not np.isfinite([lower, upper]).all():
        raise PoinsotError(f"'{name}' is a length and needs limits on both sides to draw poses from")
    return lower, upper


def _middle(limit: Limit) -> float:
    return (limit.lower + limit.upper) / 2 if np.isfinite([limit.lower, limit.upper]).all() else 0.0
