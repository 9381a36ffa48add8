"""What every kind of measurement gives to a search: residuals, fits channel by channel, the mechanism with values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from poinsot.estimate.results.kept import BodyMotion
from poinsot.estimate.results.validation import RunFit
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.determined import Determined, determined
from poinsot.estimate.search.problem import SearchProblem, with_priors
from poinsot.model.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Measurement(ABC):
    """Measurements of one kind, and the problem that they pose."""

    problem: SearchProblem
    known: bool  # whether the standard deviations of the residuals are known
    steps: tuple[str, ...] = ()  # everything that was done, one sentence each
    doubts: tuple[str, ...] = ()  # what is wrong with it, for the verdict
    assumed: tuple[str, ...] = ()  # what was taken for granted, told behind the verdict
    besides: tuple[str, ...] = ()  # what else the verdict says
    changes: np.ndarray | None = None  # (m, K) draws of what noise that residuals do not show does to them
    holds: ClassVar[bool] = False  # whether unknowns that cannot be told from others keep their start in the search

    @abstractmethod
    def fit(self, p: np.ndarray) -> RunFit:
        """What was measured and what values (k,) predict, channel by channel."""

    @abstractmethod
    def mechanism_at(self, p: np.ndarray) -> Mechanism:
        """The mechanism with values (k,)."""

    def determined(self, p: np.ndarray, residual: float = 1.0) -> Determined:
        """What the measurements determine near values (k,), with residuals of so many times their size there."""
        problem = with_priors(self.problem)
        return determined(
            residual * problem.residuals(p),
            problem.jacobian(p),
            np.maximum(problem.natural(p), 1 / problem.space.most),  # a standard deviation for all that may be meant
            self.known,
            self.series(p),
            problem.space.on_bounds(p),
            self.prefer,
            problem.absorbed(p),
            int(np.isfinite(problem.space.prior).sum()),
            problem.space.size if self.holds else None,
            self.changes,
        )

    def settled(self, p: np.ndarray, method: SearchMethod) -> tuple[Self, np.ndarray]:
        """The same at values (k,) that a method found, with what these tell of the data; and the values to take."""
        return self, p

    def series(self, p: np.ndarray) -> tuple[tuple[int, int], ...]:
        """Samples and channels of time series that the residuals are, in their order; none: independent residuals."""
        return ()

    @property
    def prefer(self) -> tuple[int, ...]:
        """Unknowns that are expressed by others first, where they are determined together."""
        return ()

    def motion(self, p: np.ndarray) -> BodyMotion | None:
        """Poses of all bodies with values (k,), in the first run or in all measured poses; None: nothing moves."""
        return None

    def remarks(self, p: np.ndarray) -> tuple[str, ...]:
        """What is wrong with the measurements at values (k,), such as outliers, for the verdict."""
        return ()
