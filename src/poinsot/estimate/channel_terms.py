"""What a measuring chain adds to a channel: offset, gain and delay, as unknowns.

y(t) = (1 + g) (W θ + y₀)(t − τ) + o        linear about the last g and τ        (theory/estimation, eq. 31)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.estimate.runs import RunRows
from poinsot.estimate.study import Unknown

KINDS = ("offset", "gain", "delay")  # in front of the name of a channel, or of a pattern


@dataclass(frozen=True)
class ChannelTerm:
    """One unknown of one channel."""

    kind: str  # of KINDS
    channel: int
    given: Unknown
    unit: str

    @property
    def name(self) -> str:
        """Such as "delay m4"."""
        return self.given.name


def is_term(one: Unknown) -> bool:
    """Whether an unknown is of a measuring chain."""
    return one.name.split(" ")[0] in KINDS and " " in one.name


def terms_of(unknowns: Sequence[Unknown], channels: Sequence[str], units: Sequence[str]) -> tuple[ChannelTerm, ...]:
    """The terms that unknowns ask for, patterns resolved."""
    found: dict[str, ChannelTerm] = {}
    for one in unknowns:
        kind, _, pattern = one.name.partition(" ")
        matched = [k for k, name in enumerate(channels) if fnmatchcase(name, pattern)]
        if not matched:
            raise PoinsotError(unknown("measured channel", pattern, channels))
        for k in matched:
            name = f"{kind} {channels[k]}"
            unit = {"offset": units[k], "gain": "-", "delay": "s"}[kind]
            found.setdefault(name, ChannelTerm(kind, k, replace(one, name=name), unit))
    return tuple(found.values())


def with_terms(run: RunRows, terms: Sequence[ChannelTerm], values: np.ndarray, theta: np.ndarray) -> RunRows:
    """The rows of a run behind offsets, gains and delays (m,), and their columns, for linear parameters (K,)."""
    if not terms:
        return run
    moved = {t.channel: v for t, v in zip(terms, values) if t.kind == "delay"}
    W, known = _delayed(run.t, run.W, moved), _delayed(run.t, run.known, moved)
    plain = W @ theta + known
    gain = np.ones(plain.shape[1])
    for term, value in zip(terms, values):
        gain[term.channel] += value if term.kind == "gain" else 0.0
    slope = np.gradient(plain, run.t, axis=0) * gain
    extra = np.zeros((*plain.shape, len(terms)))
    constant = known * gain
    for j, (term, value) in enumerate(zip(terms, values)):
        c = term.channel
        extra[:, c, j] = {"offset": 1.0, "gain": plain[:, c], "delay": -slope[:, c]}[term.kind]
        constant[:, c] += value if term.kind == "offset" else 0.0
    noise = None if run.noise is None else run.noise * gain[:, None]
    return replace(run, W=W * gain[:, None], known=constant, noise=noise, extra=extra)


def _delayed(t: np.ndarray, x: np.ndarray, delays: dict[int, float]) -> np.ndarray:
    """Columns (n, c, …), some channels as they were a while before."""
    from scipy.interpolate import make_interp_spline

    found = x.copy()
    for c, tau in delays.items():
        if tau:
            found[:, c] = make_interp_spline(t, x[:, c], k=3)(np.clip(t - tau, t[0], t[-1]))
    return found
