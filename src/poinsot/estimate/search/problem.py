"""What every search solves: residuals, each over its standard deviation, of unknowns within bounds.

c(p) = Σ e(p)² + Σ ((p − p₀)/σ₀)²        (theory/search, eq. 1)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.model.quantities.units import parse_unit

ON_BOUND = 1e-6  # of the width of its bounds, or of its size, within which a value lies on one
ROUGH = 1e6  # times what a mass, a length and a time of the machine make of a unit
INSIDE = 0.01  # of the width of its bounds, by which a start is moved off one of them


@dataclass(frozen=True, eq=False)
class Space:
    """k unknowns, where the search begins, and where it may go."""

    names: tuple[str, ...]  # k
    units: tuple[str, ...]  # k
    start: np.ndarray  # (k,)  [SI]
    lower: np.ndarray  # (k,)  [SI]
    upper: np.ndarray  # (k,)  [SI]
    prior: np.ndarray  # (k,) known besides, NaN where nothing is  [SI]
    deviation: np.ndarray  # (k,) of the prior  [SI]
    model: np.ndarray  # (k,) values in the model  [SI]
    scale: np.ndarray | None = None  # (k,) what counts as a large change, where it is not the value  [SI]
    machine: tuple[float, float, float] | None = None  # a mass, a length and a time of it, where known  [kg, m, s]

    def __post_init__(self) -> None:
        outside = [n for n, p, a, b in zip(self.names, self.start, self.lower, self.upper) if not a <= p <= b]
        if outside:
            raise PoinsotError(f"the start of {listing(outside)} lies outside the bounds")

    @property
    def size(self) -> np.ndarray:
        """What counts as a large change of each unknown (k,): its value, else the width of its bounds  [SI]."""
        return np.where(np.isfinite(self.told), self.told, 1.0)

    @property
    def told(self) -> np.ndarray:
        """The same (k,), infinite where neither a value nor bounds tell it."""
        if self.scale is not None:
            return self.scale
        size, width = np.maximum(np.abs(self.start), np.abs(self.model)), self.upper - self.lower
        return np.where(size > 0, size, np.where(width > 0, width, np.inf))

    @property
    def most(self) -> np.ndarray:
        """More than may be meant by a change (k,): the same, and what the machine's mass, length and time make of the
        unit; infinite where nothing tells it."""
        told = np.where(np.isfinite(self.told), self.told, 0.0)
        own = np.array([_of_machine(unit, self.machine) for unit in self.units])
        return np.where(np.isfinite(own), np.maximum(told, own), self.told)

    def too_wide(self, k: int, deviation: float, value: float) -> bool:
        """Whether a standard error leaves an unknown undetermined: beyond its size, or beyond its value and all that
        the machine tells where the model has none."""
        known = self.told[k]
        return bool(deviation > (known if np.isfinite(known) else max(self.most[k], abs(value))))

    @property
    def bounded(self) -> bool:
        """Whether all unknowns have two bounds."""
        return bool(np.isfinite(self.upper - self.lower).all())

    def require_bounds(self, method: str) -> None:
        """Methods that search a box need one."""
        open_ended = [n for n, w in zip(self.names, self.upper - self.lower) if not np.isfinite(w)]
        if open_ended:
            raise PoinsotError(f"the method '{method}' searches within bounds: give them to {listing(open_ended)}")

    def inside(self, p: np.ndarray) -> np.ndarray:
        """The nearest values within the bounds."""
        return np.clip(p, self.lower, self.upper)

    def on_bounds(self, p: np.ndarray) -> list[int]:
        """Numbers of the unknowns whose values lie on a bound."""
        width = self.upper - self.lower
        room = ON_BOUND * np.where(np.isfinite(width), width, self.size)
        return np.flatnonzero((p - self.lower <= room) | (self.upper - p <= room)).tolist()

    def held(self, j: int, value: float) -> Space:
        """The same with one unknown held."""
        lower, upper, start = self.lower.copy(), self.upper.copy(), self.start.copy()
        lower[j] = upper[j] = start[j] = value
        return replace(self, lower=lower, upper=upper, start=start)


def _of_machine(unit: str, machine: tuple[float, float, float] | None) -> float:
    """A mass, a length and a time in a unit; much more of it where the time, which is rough, or no unit is in it."""
    if machine is None:
        return np.inf
    powers = parse_unit(unit or "-").dimension
    size = float(np.prod([x**n for x, n in zip(machine, powers)]))
    return size if any(powers) and not powers[2] else ROUGH * size


@dataclass(frozen=True, eq=False)
class SearchProblem(ABC):
    """m residuals of k unknowns; one for every kind of measurement."""

    space: Space

    def at(self, p: np.ndarray) -> Self:
        """The same problem from another start."""
        return replace(self, space=replace(self.space, start=p))

    def holding(self, held: Sequence[int]) -> Self:
        """The problem with some unknowns held where it starts."""
        space = self.space
        for k in held:
            space = space.held(k, float(space.start[k]))
        return replace(self, space=space)

    def fresh(self) -> Self:
        """The same problem, which remembers nothing of what was asked before and is no other thread's."""
        return self

    @abstractmethod
    def residuals(self, p: np.ndarray) -> np.ndarray:
        """(m,) measured less predicted, each over its standard deviation; NaN where the model has no answer."""

    @abstractmethod
    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """∂e/∂p (m, k), exact."""

    def costs(self, P: np.ndarray) -> np.ndarray:
        """Sums of squared residuals (N,) of many sets of unknowns (N, k); infinite where the model has no answer."""
        found = np.array([np.sum(self.residuals(p) ** 2) for p in P])
        return np.where(np.isfinite(found), found, np.inf)

    def natural(self, p: np.ndarray) -> np.ndarray:
        """Sizes (k,) of what was summed in the columns of the Jacobian, below which they are round-off."""
        return np.linalg.norm(self.jacobian(p), axis=0)

    def absorbed(self, p: np.ndarray) -> int:
        """Residuals that tell nothing by their size: left out, or taken up by what was eliminated."""
        return 0


@dataclass(frozen=True, eq=False)
class Weighed(SearchProblem):
    """A problem with what is known of its unknowns besides, as further residuals."""

    of: SearchProblem

    @property
    def known(self) -> np.ndarray:
        """Numbers of the unknowns that have a prior."""
        return np.flatnonzero(np.isfinite(self.space.prior))

    def fresh(self) -> Weighed:
        """With fresh data."""
        return replace(self, of=self.of.fresh())

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """Those of the data, then (p₀ − p)/σ₀."""
        return np.append(self.of.residuals(p), ((self.space.prior - p) / self.space.deviation)[self.known])

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """With a row for every prior."""
        return np.concatenate([self.of.jacobian(p), -np.diag(1 / self.space.deviation)[self.known]])

    def costs(self, P: np.ndarray) -> np.ndarray:
        """Those of the data and of the priors."""
        apart = ((self.space.prior - P) / self.space.deviation)[:, self.known]
        return self.of.costs(P) + np.sum(apart**2, axis=1)

    def natural(self, p: np.ndarray) -> np.ndarray:
        """With the priors."""
        return np.hypot(self.of.natural(p), np.nan_to_num(1 / self.space.deviation))

    def absorbed(self, p: np.ndarray) -> int:
        """Those of the data."""
        return self.of.absorbed(p)


def with_priors(problem: SearchProblem) -> SearchProblem:
    """The problem with its priors as residuals."""
    return Weighed(problem.space, problem) if np.isfinite(problem.space.prior).any() else problem
