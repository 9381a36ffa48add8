"""Families of motions: every coordinate is linear in its numbers, s = B(t) c, the first of which is a constant.

    Fourier          s = c₀ + Σ a_k sin kωt + b_k cos kωt ,   at rest at both ends: Σ k a_k = 0, Σ k² b_k = 0
    spline           of degree five through points, likewise at rest at both ends
    point to point   s = s_i + (s_{i+1} − s_i)(10 x³ − 15 x⁴ + 6 x⁵): at rest in every point
    ramps            polynomials of degree five from rest at c₀ to the periodic motion and back

Conditions at the ends are linear: the numbers are those of their null space (theory/design, eq. 20).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.motion.signals import Fourier, Samples, Signal

PER_HARMONIC = 16  # samples in a period of the highest harmonic, for searches
PER_PIECE = 12  # between two points


class Shape(ABC):
    """A family of motions with m numbers a coordinate; B(t) c with a constant in front."""

    @property
    @abstractmethod
    def duration(self) -> float:
        """Of the whole motion  [s]."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Numbers m of a coordinate."""

    @property
    @abstractmethod
    def grid(self) -> np.ndarray:
        """Times (n,) of a search, which show all that the motion does  [s]."""

    @abstractmethod
    def at(self, t: np.ndarray) -> np.ndarray:
        """B and its two derivatives (3, n, m) at times t (n,)."""

    @abstractmethod
    def signal(self, c: np.ndarray) -> Signal:
        """The motion of numbers c (m,)."""

    @property
    def measured(self) -> tuple[float, float]:
        """Begin and end of the part that is measured  [s]."""
        return 0.0, self.duration

    def finer(self, times: int) -> np.ndarray:
        """The grid with so many steps in place of each  [s]."""
        t = self.grid
        if t[-1] < self.duration:  # a period ends where the next one begins
            t = np.append(t, min(self.duration, 2 * t[-1] - t[-2]))
        steps = np.arange(times) / times
        return np.append((t[:-1, None] + np.diff(t)[:, None] * steps).ravel(), t[-1])


@dataclass(frozen=True)
class FourierShape(Shape):
    """A finite Fourier series over whole periods."""

    period: float  # [s]
    harmonics: tuple[int, ...]
    periods: int = 1
    rest: bool = True  # whether it begins and ends at rest, without acceleration

    @property
    def duration(self) -> float:
        """All periods  [s]."""
        return self.period * self.periods

    @property
    def grid(self) -> np.ndarray:
        """Times (n,) in one period, which the others repeat  [s]."""
        n = PER_HARMONIC * max(self.harmonics)
        return np.arange(n) * (self.period / n)

    @cached_property
    def _free(self) -> np.ndarray:
        """Sines and cosines (2 h, m − 1) of the numbers."""
        h = np.array(self.harmonics, float)
        conditions = np.zeros((2, 2 * len(h)))
        conditions[0, : len(h)], conditions[1, len(h) :] = h, h**2
        return _null_space(conditions if self.rest else conditions[:0])

    @property
    def count(self) -> int:
        """One constant and the numbers of the series."""
        return 1 + self._free.shape[1]

    def at(self, t: np.ndarray) -> np.ndarray:
        """The series and its derivatives."""
        w = 2 * np.pi / self.period * np.array(self.harmonics)
        x = w * np.asarray(t, float)[:, None]
        sin, cos = np.sin(x), np.cos(x)
        parts = ((sin, cos), (w * cos, -w * sin), (-(w**2) * sin, -(w**2) * cos))
        found = np.zeros((3, len(x), self.count))
        found[0, :, 0] = 1.0
        found[:, :, 1:] = np.stack([np.concatenate(pair, axis=1) for pair in parts]) @ self._free
        return found

    def signal(self, c: np.ndarray) -> Fourier:
        """The series itself."""
        series, h = self._free @ c[1:], len(self.harmonics)
        both = np.zeros((2, max(self.harmonics)))
        both[:, np.array(self.harmonics) - 1] = series.reshape(2, h)
        sines, cosines = (tuple(x.tolist()) for x in both)
        return Fourier(2 * np.pi / self.period, sines, cosines, float(c[0]))


@dataclass(frozen=True)
class PointShape(Shape):
    """A motion through points at equal times."""

    seconds: float  # [s]
    points: int

    @property
    def duration(self) -> float:
        """Of the whole motion  [s]."""
        return self.seconds

    @property
    def grid(self) -> np.ndarray:
        """Times (n,), some between two points  [s]."""
        return np.linspace(0.0, self.seconds, PER_PIECE * (self.points - 1) + 1)

    @property
    def _knots(self) -> np.ndarray:
        return np.linspace(0.0, self.seconds, self.points)


@dataclass(frozen=True)
class SplineShape(PointShape):
    """A spline of degree five through points, at rest at both ends."""

    @cached_property
    def _free(self) -> np.ndarray:
        """Values at the points (points, m): a constant, and what is at rest at the ends."""
        ends = self._through(np.array([0.0, self.duration]), np.eye(self.points))[1:].reshape(4, -1)
        free = _null_space(np.concatenate([ends, np.ones((1, self.points))]))
        return np.concatenate([np.ones((self.points, 1)), free], axis=1)

    def _through(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Splines through values (points, m) and their derivatives (3, n, m)."""
        return np.stack([np.stack(Samples(self._knots, column).at(t)) for column in values.T], axis=2)

    @property
    def count(self) -> int:
        """One constant, and the points less five conditions."""
        return self._free.shape[1]

    def at(self, t: np.ndarray) -> np.ndarray:
        """The splines and their derivatives."""
        return self._through(t, self._free)

    def signal(self, c: np.ndarray) -> Samples:
        """The spline through its points."""
        return Samples(self._knots, self._free @ c)


@dataclass(frozen=True)
class PointToPointShape(PointShape):
    """Moves from point to point, at rest in each."""

    @property
    def count(self) -> int:
        """The first point, and the others relative to it."""
        return self.points

    def at(self, t: np.ndarray) -> np.ndarray:
        """The moves and their derivatives."""
        return _moves(self._knots, t, self._free)

    @property
    def _free(self) -> np.ndarray:
        free = np.eye(self.points)
        free[:, 0] = 1.0
        return free

    def signal(self, c: np.ndarray) -> Signal:
        """The moves."""
        return Moves(tuple(self._knots.tolist()), tuple((self._free @ c).tolist()))


@dataclass(frozen=True)
class Moves(Signal):
    """Moves from point to point with polynomials of degree five, at rest in every point."""

    t: tuple[float, ...]  # [s]
    s: tuple[float, ...]

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where it is; beyond its ends it stays there."""
        s, d, a = _moves(np.array(self.t), np.asarray(t, float), np.array(self.s)[:, None])[..., 0]
        return s, d, a


@dataclass(frozen=True)
class RampedShape(Shape):
    """A periodic motion with ramps from rest in front of it and to rest behind it."""

    inner: FourierShape
    ramp: float  # [s]

    @property
    def duration(self) -> float:
        """Ramps and all periods  [s]."""
        return self.inner.duration + 2 * self.ramp

    @property
    def count(self) -> int:
        """Those of the periodic motion."""
        return self.inner.count

    @property
    def measured(self) -> tuple[float, float]:
        """The periodic part  [s]."""
        return self.ramp, self.ramp + self.inner.duration

    @property
    def grid(self) -> np.ndarray:
        """Times (n,) in both ramps and one period  [s]."""
        ramp = np.linspace(0.0, self.ramp, 2 * PER_PIECE, endpoint=False)
        return np.concatenate([ramp, self.ramp + self.inner.grid, self.measured[1] + ramp])

    def at(self, t: np.ndarray) -> np.ndarray:
        """The motion and its derivatives."""
        t = np.asarray(t, float)
        before, behind = t < self.ramp, t > self.measured[1]
        found = self.inner.at(np.clip(t - self.ramp, 0.0, self.inner.duration))
        end, rest = self.inner.at(np.zeros(1))[:, 0], np.zeros((3, self.count))
        rest[0, 0] = 1.0  # at the constant
        found[:, before] = _ramp(rest, end, self.ramp, t[before])
        found[:, behind] = _ramp(end, rest, self.ramp, t[behind] - self.measured[1])
        return found

    def signal(self, c: np.ndarray) -> Signal:
        """The ramped motion."""
        return RampedSignal(self, tuple(np.asarray(c, float).tolist()))


@dataclass(frozen=True)
class RampedSignal(Signal):
    """A periodic motion with ramps."""

    shape: RampedShape
    numbers: tuple[float, ...]

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The motion and its derivatives."""
        s, d, a = self.shape.at(t) @ np.array(self.numbers)
        return s, d, a


def _null_space(conditions: np.ndarray) -> np.ndarray:
    """Orthonormal columns that satisfy linear conditions (r, n)."""
    if not len(conditions):
        return np.eye(conditions.shape[1])
    scaled = conditions / np.maximum(np.linalg.norm(conditions, axis=1, keepdims=True), np.finfo(float).tiny)
    _, sigma, Vt = np.linalg.svd(scaled)
    return Vt[int(np.sum(sigma > 1e-12)) :].T


def _moves(knots: np.ndarray, t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rest-to-rest moves through values (points, m) and their derivatives (3, n, m)."""
    h = np.diff(knots)
    k = np.clip(np.searchsorted(knots, t, side="right") - 1, 0, len(h) - 1)
    x, h = np.clip((t - knots[k]) / h[k], 0.0, 1.0)[:, None], h[k][:, None]
    blend = (
        x**3 * (10 - 15 * x + 6 * x**2),
        30 * x**2 * (1 - x) ** 2 / h,
        60 * x * (1 - x) * (1 - 2 * x) / h**2,
    )
    step = values[k + 1] - values[k]
    found = np.stack([one * step for one in blend])
    found[0] += values[k]
    return found


def _ramp(begin: np.ndarray, end: np.ndarray, ramp: float, t: np.ndarray) -> np.ndarray:
    """Polynomials of degree five (3, n, m) between states (3, m) at 0 and `ramp`."""
    powers = np.array([1.0, ramp, ramp**2])[:, None]
    near, far = begin * powers, end * powers  # derivatives by x = t/ramp
    rows = np.array([_polynomial(np.array([x]))[d, 0] for x in (0.0, 1.0) for d in range(3)])
    c = np.linalg.solve(rows, np.concatenate([near, far]))
    return np.einsum("dnp,pm->dnm", _polynomial(t / ramp), c) / powers[:, :, None]


def _polynomial(x: np.ndarray) -> np.ndarray:
    """1, x, …, x⁵ and two derivatives (3, n, 6)."""
    p, x = np.arange(6), x[:, None]
    return np.stack([x**p, p * x ** np.maximum(p - 1, 0), p * (p - 1) * x ** np.maximum(p - 2, 0)])
