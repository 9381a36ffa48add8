"""Targets of speed, which friction needs: a least rms rate, or a band of speeds of which every part gets its time.

    rms     √mean ṡ² ≥ v                          band    share of time with |ṡ| in each of five parts ≥ 5 %

A share of time has steps: the search takes logistic edges, and what is checked and reported is counted
(theory/design, eq. 26).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.experiment.limits import LimitReached

Speed = float | tuple[float, float]  # least rms rate, or a band  [SI]
PARTS, SHARE = 5, 0.05  # of a band, and least share of time in each of them
EDGE, INSET = (
    20.0,
    4.0,
)  # width of a part over that h of its edges, which are so many h inside: what is outside counts 1.8 %
FASTER, FULLER = (
    1.01,
    1.1,
)  # rms rates and shares over their targets in a search, so that a motion may be made smaller


@dataclass(frozen=True)
class SpeedTarget(ABC):
    """What the speed of one driven coordinate is to do."""

    name: str  # of the coordinate
    j: int  # its number among those driven

    @property
    @abstractmethod
    def least(self) -> float:
        """Of the smooth value in a search."""

    @abstractmethod
    def smooth(self, rate: np.ndarray) -> tuple[float, np.ndarray]:
        """A value that is to reach `least`, of rates (n,) at equal times, and its gradient (n,)."""

    @abstractmethod
    def reached(self, rate: np.ndarray, unit: str) -> LimitReached:
        """How far rates (n,) go."""

    @abstractmethod
    def ratio(self, rate: np.ndarray) -> np.ndarray:
        """What is reached over what is asked for (…), of rates (…, n)."""


@final
@dataclass(frozen=True)
class RmsTarget(SpeedTarget):
    """√mean ṡ² ≥ v."""

    speed: float  # v  [SI]

    @property
    def least(self) -> float:
        """Of the squared ratio."""
        return FASTER**2

    def smooth(self, rate: np.ndarray) -> tuple[float, np.ndarray]:
        """The squared ratio."""
        return float(np.mean(rate**2)) / self.speed**2, 2 * rate / len(rate) / self.speed**2

    def ratio(self, rate: np.ndarray) -> np.ndarray:
        """Of the rms rate to the one that is asked for."""
        return np.sqrt(np.mean(rate**2, axis=-1)) / self.speed

    def reached(self, rate: np.ndarray, unit: str) -> LimitReached:
        """The rms rate."""
        rms = float(self.ratio(rate)) * self.speed
        return LimitReached(f"{self.name} rms rate", f"{unit}/s", self.speed, np.inf, rms, rms)


@final
@dataclass(frozen=True)
class ShareTarget(SpeedTarget):
    """Share of time with a ≤ |ṡ| ≤ b is at least `SHARE`."""

    low: float  # a  [SI]
    high: float  # b  [SI]

    @property
    def least(self) -> float:
        """Of the ratio."""
        return FULLER

    def smooth(self, rate: np.ndarray) -> tuple[float, np.ndarray]:
        """The ratio with logistic edges; slow speeds have none below."""
        width = (self.high - self.low) / EDGE
        inside, slope = np.zeros_like(rate), np.zeros_like(rate)
        for edge, sign in ((self.low, 1.0), (self.high, -1.0)):
            edge += sign * INSET * width if edge > 0 else 0.0
            over = 0.5 * (1 + np.tanh((np.abs(rate) - edge) / (2 * width)))  # logistic, without overflow
            passed = edge <= 0
            inside += sign * (1.0 if passed else over)
            slope += 0.0 if passed else sign * over * (1 - over) / width
        size = SHARE * len(rate)
        return float(np.sum(inside)) / size, slope * np.sign(rate) / size

    def ratio(self, rate: np.ndarray) -> np.ndarray:
        """Of the share to the one that is asked for."""
        return np.mean((np.abs(rate) >= self.low) & (np.abs(rate) <= self.high), axis=-1) / SHARE

    def reached(self, rate: np.ndarray, unit: str) -> LimitReached:
        """The share of time."""
        share = float(self.ratio(rate)) * SHARE
        what = f"time of {self.name} at {self.low:.3g} … {self.high:.3g} {unit}/s"
        return LimitReached(what, "of all", SHARE, 1.0, share, share)


def speed_targets(given: Mapping[str, Speed], names: Sequence[str]) -> Iterator[SpeedTarget]:
    """Targets of driven coordinates: a least rms rate, or equal parts of a band, each of which gets its time."""
    for name, speed in given.items():
        if name not in names:
            raise PoinsotError(f"speed: '{name}' does not drive the motion, {listing(names)} do")
        j = list(names).index(name)
        if isinstance(speed, tuple):
            edges = np.linspace(*speed, PARTS + 1).tolist()
            yield from (ShareTarget(name, j, a, b) for a, b in pairwise(edges))
        else:
            yield RmsTarget(name, j, speed)
