"""What a measuring chain adds to a channel: offset, gain and delay, as unknowns.

y(t) = (1 + g) (W θ + y₀)(t − τ) + o        linear about the last g and τ        (theory/estimation, eq. 31)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.estimate.study import Unknown

if TYPE_CHECKING:
    from poinsot.estimate.rows.runs import RunRows


@dataclass(frozen=True)
class ChannelTerm(ABC):
    """One unknown of one channel."""

    channel: int
    given: Unknown
    channel_unit: str

    word: ClassVar[str]  # in front of the name of a channel, or of a pattern

    @property
    def name(self) -> str:
        """Such as "delay m4"."""
        return self.given.name

    @property
    def unit(self) -> str:
        """SI unit of its value."""
        return "-"

    def offset(self, value: float) -> float:
        """What it adds to the channel."""
        return 0.0

    def gain(self, value: float, signed: np.ndarray) -> float | np.ndarray:
        """What it adds to the gain of 1; `signed` (n,) is the direction of the drive by the sign of its force."""
        return 0.0

    def delay(self, value: float) -> float:
        """By how much the channel is late  [s]."""
        return 0.0

    @abstractmethod
    def column(self, plain: np.ndarray, slope: np.ndarray, signed: np.ndarray) -> np.ndarray:
        """Its column (n,), from the channel as it would be without gain and offset (n,), its rate, and `signed`."""


class OffsetTerm(ChannelTerm):
    """A constant beside the channel."""

    word = "offset"

    @property
    def unit(self) -> str:
        """That of the channel."""
        return self.channel_unit

    def offset(self, value: float) -> float:
        """The value itself."""
        return value

    def column(self, plain: np.ndarray, slope: np.ndarray, signed: np.ndarray) -> np.ndarray:
        """1."""
        return np.ones_like(plain)


class GainTerm(ChannelTerm):
    """A share by which the channel is too large."""

    word = "gain"

    def gain(self, value: float, signed: np.ndarray) -> float | np.ndarray:
        """The value itself."""
        return value

    def column(self, plain: np.ndarray, slope: np.ndarray, signed: np.ndarray) -> np.ndarray:
        """The channel."""
        return plain


class DelayTerm(ChannelTerm):
    """A time by which the channel is late."""

    word = "delay"

    @property
    def unit(self) -> str:
        """Seconds."""
        return "s"

    def delay(self, value: float) -> float:
        """The value itself."""
        return value

    def column(self, plain: np.ndarray, slope: np.ndarray, signed: np.ndarray) -> np.ndarray:
        """Minus the rate of the channel."""
        return -slope


class LoadTerm(ChannelTerm):
    """A share of what a drive's transmission passes on, lost on the way: u = w + μ |w| σ."""

    word = "load"

    def gain(self, value: float, signed: np.ndarray) -> float | np.ndarray:
        """μ σ sgn w."""
        return value * signed

    def column(self, plain: np.ndarray, slope: np.ndarray, signed: np.ndarray) -> np.ndarray:
        """|w| σ."""
        return plain * signed


TERMS: dict[str, type[ChannelTerm]] = {term.word: term for term in (OffsetTerm, GainTerm, DelayTerm)}


def is_term(one: Unknown) -> bool:
    """Whether an unknown is of a measuring chain."""
    return one.name.split(" ")[0] in TERMS and " " in one.name


def terms_of(unknowns: Sequence[Unknown], channels: Sequence[str], units: Sequence[str]) -> tuple[ChannelTerm, ...]:
    """The terms that unknowns ask for, patterns resolved."""
    found: dict[str, ChannelTerm] = {}
    for one in unknowns:
        word, _, pattern = one.name.partition(" ")
        columns = [name.removeprefix("sensor ") for name in channels]
        columns = [short if columns.count(short) == 1 else name for short, name in zip(columns, channels)]
        matched = [k for k, both in enumerate(zip(columns, channels)) if any(fnmatchcase(x, pattern) for x in both)]
        if not matched:
            raise PoinsotError(unknown("measured channel", pattern, channels))
        for k in matched:
            name = f"{word} {channels[k] if pattern == channels[k] else columns[k]}"
            if name not in found or pattern in (columns[k], channels[k]):  # a name counts before a pattern
                found[name] = TERMS[word](k, replace(one, name=name), units[k])
    return tuple(found.values())


def with_terms(run: RunRows, terms: Sequence[ChannelTerm], values: np.ndarray, theta: np.ndarray) -> RunRows:
    """The rows of a run behind offsets, gains and delays (m,), and their columns, for linear parameters (K,)."""
    if not terms:
        return run
    late = {term.channel: term.delay(value) for term, value in zip(terms, values) if isinstance(term, DelayTerm)}
    moved = {channel: tau for channel, tau in late.items() if tau}
    W, known = _delayed(run.t, run.W, moved), _delayed(run.t, run.known, moved)
    plain = W @ theta + known
    signed = (np.zeros_like(plain) if run.direction is None else run.direction) * np.sign(plain)
    gain = np.ones_like(plain)
    for term, value in zip(terms, values):
        gain[:, term.channel] += term.gain(value, signed[:, term.channel])
    slope = _delayed(run.t, run.W @ theta + run.known, late, order=1) * gain
    constant = known * gain
    extra = np.zeros((*plain.shape, len(terms)))
    for j, (term, value) in enumerate(zip(terms, values)):
        c = term.channel
        extra[:, c, j] = term.column(plain[:, c], slope[:, c], signed[:, c])
        constant[:, c] += term.offset(value)
    noise = None if run.noise is None else run.noise * gain[:, :, None]
    y = run.y.copy()
    for c, tau in moved.items():  # what came before the first row, or after the last, is not known
        y[(run.t - tau < run.t[0]) | (run.t - tau > run.t[-1]), c] = np.nan
    return replace(run, y=y, W=W * gain[:, :, None], known=constant, noise=noise, extra=extra)


def _delayed(t: np.ndarray, x: np.ndarray, delays: dict[int, float], order: int = 0) -> np.ndarray:
    """Columns (n, c, …), some channels as they, or their rates (order 1), were a while before."""
    from scipy.interpolate import make_interp_spline

    found = x.copy()
    for c, tau in delays.items():
        found[:, c] = make_interp_spline(t, x[:, c], k=3)(np.clip(t - tau, t[0], t[-1]), nu=order)
    return found
