"""What is known of the unknowns before the test, from which parameter sets are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.problems.space import space_of
from poinsot.estimate.study import Unknown
from poinsot.model.mechanism import Mechanism, require_possible


@dataclass(frozen=True, eq=False)
class ParameterPrior:
    """k unknowns: uniform between bounds, normal about a prior value, within bounds if there are both."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    nominal: np.ndarray  # (k,) in the model  [SI]
    lower: np.ndarray  # (k,) -inf: none  [SI]
    upper: np.ndarray  # (k,) [SI]
    mean: np.ndarray  # (k,) NaN: no prior  [SI]
    deviation: np.ndarray  # (k,) of the prior  [SI]

    @classmethod
    def of(
        cls, mechanism: Mechanism, unknowns: Sequence[Unknown], spread: float
    ) -> tuple[Mechanism, ParameterPrior, tuple[str, ...]]:
        """The mechanism with groups as one parameter each, the prior of its unknowns, and what was assumed.

        Unknowns with neither bounds nor a prior are within a `spread` of the model's value.
        """
        mechanism, space, _ = space_of(mechanism, unknowns)
        assert space.model is not None
        lower, upper, steps = np.array(space.lower), np.array(space.upper), []
        for j, name in enumerate(space.names):
            if np.isfinite([lower[j], upper[j]]).all() or np.isfinite(space.prior[j]):
                continue
            sides = space.model[j] + spread * abs(space.model[j]) * np.array([-1, 1])
            if space.model[j] == 0:
                raise PoinsotError(
                    f"unknown '{name}' is 0 in the model: give its bounds, or a prior with a deviation"
                )
            lower[j], upper[j] = max(lower[j], sides[0]), min(upper[j], sides[1])
            steps.append(f"'{name}' is taken to be within {spread:.0%} of the model's value")
        found = cls(space.names, space.units, space.model, lower, upper, space.prior, space.deviation)
        for side in (lower, upper):
            require_possible(mechanism, {n: x for n, x in zip(space.names, side) if np.isfinite(x)})
        return mechanism, found, tuple(steps)

    @cached_property
    def size(self) -> np.ndarray:
        """What errors are relative to (k,): the model's value, or where that is 0 how wide the prior is  [SI]."""
        width = np.where(np.isfinite(self.deviation), self.deviation, (self.upper - self.lower) / 2)
        return np.where(self.nominal != 0, np.abs(self.nominal), width)

    @property
    def information(self) -> np.ndarray:
        """(k, k) of the priors, of unknowns relative to their size; bounds give none."""
        return np.diag(np.nan_to_num(self.size / self.deviation) ** 2)

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Parameter sets (count, k)."""
        from scipy.special import ndtr, ndtri

        u = rng.uniform(size=(count, len(self.names)))
        mean, deviation = np.nan_to_num(self.mean), np.nan_to_num(self.deviation, nan=1.0)
        low, high = (ndtr((side - mean) / deviation) for side in (self.lower, self.upper))
        normal = mean + deviation * ndtri(low + (high - low) * u)
        with np.errstate(invalid="ignore"):
            flat = self.lower + (self.upper - self.lower) * u
        return np.where(np.isfinite(self.mean), normal, flat)
