"""Motions: what named coordinates do over time, as functions, Fourier series, splines or constants.

A motion gives s, ṡ and s̈ of every prescribed coordinate. Functions are written with the symbol t, so their
derivatives are exact; samples are joined by splines of degree five.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import inf
from os import PathLike
from typing import Any

import numpy as np

from poinsot.engine.given_functions import differentiated
from poinsot.errors import MotionError, PoinsotError, one_line
from poinsot.lazy import provided
from poinsot.model.assembly.degrees import ask_about_range
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.times import seconds
from poinsot.model.state import in_si
from poinsot.spatial.algebra import Numbers

BETWEEN = 201  # times at which a motion that is computed is known, besides those that are asked for


class MotionTable(dict[str, Any]):
    """Signals by coordinate in SI, whose units are no question any more; from a table times (n,) [s] and values (n,),
    or what is left of them behind a filter."""


GivenMotion = Any  # signals by coordinate, or a table of samples: the path of a file, a data frame, a recording


class Signal(ABC):
    """A coordinate as a function of time."""

    @abstractmethod
    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """s, ṡ, s̈ at times t (n,)."""


@dataclass(frozen=True)
class ConstantSignal(Signal):
    """s = const."""

    value: float

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The value, and no motion."""
        return np.full(t.shape, float(self.value)), np.zeros(t.shape), np.zeros(t.shape)


@dataclass(frozen=True)
class Fourier(Signal):
    """s = s₀ + Σ_k a_k sin(k ω t) + b_k cos(k ω t)."""

    omega: float  # ω  [rad/s]
    sines: tuple[float, ...] = ()  # a_k
    cosines: tuple[float, ...] = ()  # b_k
    offset: float = 0.0  # s₀

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The series and its derivatives."""
        s, d, a = np.full(t.shape, float(self.offset)), np.zeros(t.shape), np.zeros(t.shape)
        for coefficients, phase in ((self.sines, -np.pi / 2), (self.cosines, 0.0)):
            for k, c in enumerate(coefficients, 1):
                w = k * self.omega
                s += c * np.cos(w * t + phase)
                d -= c * w * np.sin(w * t + phase)
                a -= c * w * w * np.cos(w * t + phase)
        return s, d, a


@dataclass(frozen=True)
class Function(Signal):
    """s = f(t), a Python function of arithmetic and casadi or NumPy functions, differentiated exactly."""

    function: Callable[[Any], Any]

    @cached_property
    def _differentiated(self) -> Any:
        """t -> s, ṡ, s̈ (3,)."""
        return differentiated("a motion that is a function of t (others can be given as samples)", self.function)

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The function and its derivatives."""
        values = np.asarray(self._differentiated.map(len(t))(t.reshape(1, -1)))
        return values[0], values[1], values[2]


@dataclass(frozen=True, eq=False)
class Samples(Signal):
    """A spline of degree five through samples (t_k, s_k), which must cover the times asked for."""

    t: Numbers  # (n,)  [s]
    s: Numbers  # (n,)

    @cached_property
    def _spline(self) -> tuple[Any, Any, Any]:
        """The spline and its two derivatives."""
        from scipy.interpolate import make_interp_spline

        spline = make_interp_spline(seconds(self.t), np.asarray(self.s, float), k=5)
        return spline, spline.derivative(1), spline.derivative(2)

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The spline and its derivatives."""
        knots, values = seconds(self.t), np.asarray(self.s, float)
        if knots.shape != values.shape or knots.ndim != 1 or len(knots) < 6:
            raise PoinsotError("samples of a motion need as many times as values, six or more")
        good = np.isfinite(knots) & np.isfinite(values)
        if not good.all():  # what lies before the first sample that is no number can still be used
            return self._before(int(np.argmin(good)), t)
        if np.any(np.diff(knots) <= 0) or t[0] < knots[0] - 1e-12 or t[-1] > knots[-1] + 1e-12:
            raise PoinsotError(
                f"samples from {knots[0]:g} to {knots[-1]:g} s do not cover {t[0]:g} to {t[-1]:g} s in order"
            )
        s, d, a = self._spline
        return s(t), d(t), a(t)

    def _before(self, bad: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The spline through the samples before a bad one, NaN from there on."""
        if bad < 6:
            raise PoinsotError(f"sample {bad} of a motion is not a finite number")
        found = [np.full(t.shape, np.nan) for _ in range(3)]
        knots = seconds(self.t)[:bad]
        before = t <= knots[-1]
        if before.any():
            parts = Samples(knots, self.s[:bad]).at(t[before])
            for whole, part in zip(found, parts):
                whole[before] = part
        return found[0], found[1], found[2]


@dataclass(frozen=True, eq=False)
class Measured(Signal):
    """Samples of s, ṡ and s̈ at times t_k, as filters give them; between them a spline through s."""

    t: Numbers  # (n,)  [s]
    s: Numbers  # (n,)
    rate: Numbers  # (n,)
    acceleration: Numbers  # (n,)

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The samples at their own times, the spline between them."""
        own = seconds(self.t)
        k = np.minimum(np.searchsorted(own, t), len(own) - 1)
        sampled = own[k] == t
        found = [np.asarray(x, float)[k] for x in (self.s, self.rate, self.acceleration)]
        if not sampled.all():
            between = self._between.at(t[~sampled])
            for whole, part in zip(found, between):
                whole[~sampled] = part
        return found[0], found[1], found[2]

    @cached_property
    def _between(self) -> Samples:
        return Samples(self.t, self.s)


def as_signal(value: Any) -> Signal:
    """A signal from a number, a function, a pair of arrays (t, s), or itself."""
    if isinstance(value, Signal):
        return value
    if callable(value):
        return Function(value)
    try:
        if isinstance(value, tuple):
            t, s = value
            return Samples(t, s)
        return ConstantSignal(float(value))
    except (TypeError, ValueError, OverflowError):
        raise PoinsotError(
            "a motion is a number, a function of t, a Fourier series, (times, values) or as many values as there are "
            f"times t, not {type(value).__name__}{_shape(value)}"
        ) from None


def _shape(value: Any) -> str:
    shape: tuple[int, ...] = ()
    with suppress(ValueError):
        shape = np.shape(value) if isinstance(value, np.ndarray | list) else ()
    return f" of {' × '.join(map(str, shape))}" if shape else ""


def as_times(t: Numbers) -> np.ndarray:
    """Times (n,) from what a user gives, each later than the one before  [s]."""
    try:
        times = seconds(t)
    except (TypeError, ValueError, OverflowError):
        times = np.zeros(0)
    if times.ndim == 1 and times.size and -inf < times[0] and times[-1] < inf and (times[1:] > times[:-1]).all():
        return times
    raise PoinsotError("t must be a list of times, each later than the one before")


def dense(t: np.ndarray) -> np.ndarray:
    """Times (n,) with others between them, so that a spline through what is found there is as good as that."""
    if len(t) == 1:
        return t
    between = np.linspace(t[0], t[-1], BETWEEN)
    nearest = np.abs(between[:, None] - t).min(axis=1)
    return np.sort(np.concatenate([t, between[nearest > 1e-6 * (t[-1] - t[0])]]))


def require_motion(motion: Any) -> Mapping[str, Any]:
    """What was given, if it maps names of coordinates to signals."""
    if isinstance(motion, Mapping) and all(isinstance(name, str) for name in motion):
        return motion
    raise PoinsotError(
        f"a motion is given by coordinate, such as {{'x': lambda t: 0.1 * t}}, or as a table with a column t (the "
        f"path of a CSV file, a data frame or a recording), not as {type(motion).__name__}"
    )


def as_motion(motion: Any, mechanism: Mechanism, t: Numbers | None = None) -> Mapping[str, Any]:
    """Signals by coordinate of a mechanism, from what a user gives: such a mapping, or a table of samples.

    Values may be quantities, such as "20 deg", and arrays as long as `t` (n,) [s], the samples at these times.
    """
    table = isinstance(motion, str | PathLike) or hasattr(motion, "abscissa") or hasattr(motion, "iloc")
    found = require_motion(provided("motion from a table")(motion, mechanism) if table else motion)
    if isinstance(found, MotionTable):
        return found
    found = {name: _sampled(x, t) for name, x in in_si(mechanism, found).items()}
    for name, value in found.items():
        ask_about_range(mechanism, name, *_extent(value))
    return MotionTable(found)


def _sampled(value: Any, t: Any) -> Any:
    """Samples at times t (n,), where a value is an array as long as these."""
    if isinstance(value, np.ndarray | list) and t is not None:
        with suppress(TypeError, ValueError):
            if np.shape(value) == np.shape(t) and np.size(t) and np.ndim(t) == 1:
                return Samples(t, np.asarray(value, float))
    return value


def _extent(value: Any) -> tuple[float, float]:
    """Least and greatest value of a motion that numbers give; of a function of time it is not asked."""
    with suppress(PoinsotError, TypeError, ValueError):
        signal = as_signal(value)
        if isinstance(signal, ConstantSignal):
            return signal.value, signal.value
        if isinstance(signal, Fourier):
            swing = sum(map(abs, (*signal.sines, *signal.cosines)))
            return signal.offset - swing, signal.offset + swing
        s = np.asarray(signal.s, float) if isinstance(signal, Samples) else np.zeros(0)
        s = s[np.isfinite(s)]
        return (float(s.min()), float(s.max())) if len(s) else (0.0, 0.0)
    return 0.0, 0.0


def as_signals(motion: Mapping[str, Any]) -> dict[str, Signal]:
    """Signals by coordinate, to be evaluated as often as it takes."""
    found = {}
    for name, value in motion.items():
        try:
            found[name] = as_signal(value)
        except (PoinsotError, TypeError, ValueError) as error:
            raise PoinsotError(f"the motion of '{name}': {one_line(str(error), 200)}") from None
    return found


def evaluate_motion(motion: Mapping[str, Any], t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """s, ṡ, s̈ of all prescribed coordinates, (n, k) each; NaN is an error that names coordinate and time."""
    parts = {}
    for name, value in motion.items():
        try:
            parts[name] = as_signal(value).at(t)
        except (PoinsotError, TypeError, ValueError, OverflowError) as error:
            raise PoinsotError(f"the motion of '{name}': {one_line(str(error), 200)}") from None
    for name, values in parts.items():
        if not np.isfinite(values).all():
            at = int(np.argmin(np.isfinite(values).all(axis=0)))
            raise MotionError(f"the motion of '{name}' is not a finite number at t = {t[at]:g} s", t=float(t[at]))
    stacked = [np.stack(column, axis=1) for column in zip(*parts.values())]
    return stacked[0], stacked[1], stacked[2]


def own_times(motion: Mapping[str, Any]) -> np.ndarray:
    """Times (n,) that a motion brings along: those of its samples, or one period of its Fourier series  [s].

    >>> own_times({"a": Fourier(2.0, (1.0,)), "b": 0.5}).shape
    (100,)
    """
    signals = {name: as_signal(value) for name, value in require_motion(motion).items()}
    for signal in signals.values():
        if isinstance(signal, Samples | Measured):
            return as_times(signal.t)
    series = [signal for signal in signals.values() if isinstance(signal, Fourier)]
    if not series or any(isinstance(signal, Function) for signal in signals.values()):
        raise PoinsotError("a motion that is a function of t needs the times t at which it is measured")
    harmonics = max(len(one.sines) for one in series), max(len(one.cosines) for one in series)
    count = max(100, 20 * max(harmonics))
    return np.linspace(0.0, 2 * np.pi / min(abs(one.omega) for one in series), count, endpoint=False)
