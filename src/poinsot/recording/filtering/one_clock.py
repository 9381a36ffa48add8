"""Channels that were sampled by clocks of their own, brought to one: that of the slowest that leads, a position.

Samples of a faster channel go through a zero-phase filter that keeps out what would alias; between samples there are
splines of degree three. What the leading channel says stays as it was recorded: it is differentiated twice, and no
filter before that hides its noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poinsot.recording.filtering.resample import FEWEST, evenly
from poinsot.recording.recording import Recording

__all__ = ["on_one_clock", "own_step"]

REGULAR = 1.5  # of the upper to the lower quartile of steps: those of a clock, not of samples that were lost
OTHERS = 0.05  # of all rows: as many of others within such steps tell a clock of its own
ALIKE = 0.99  # of a step: clocks of one rate
FASTER = 1.5  # times a rate, from which on what would alias is kept out
CORNER, ORDER = 0.4, 4  # of the lower rate, of the filter that does so, forwards and backwards
FAR = 1.5  # of its own steps, from a sample of which nothing is known


def own_step(t: np.ndarray, good: np.ndarray) -> float | None:
    """Step of the clock by which a channel with samples at some of the times t (n,) was taken; None: that of t.

    Samples that were lost make its steps longer; rows of other clocks lie within its usual ones.

    >>> t = np.arange(12) / 4.0
    >>> own_step(t, np.arange(12) % 3 == 0), own_step(t, np.arange(12) != 5)
    (0.75, None)
    """
    rows = np.flatnonzero(good)
    if len(rows) < 3 or len(rows) == len(t):
        return None
    steps = np.diff(t[rows])
    low, own, high = np.quantile(steps, (0.25, 0.5, 0.75))
    within = np.sum((np.diff(rows) - 1)[steps <= REGULAR * own])
    return float(own) if high <= REGULAR * low and within > OTHERS * len(t) else None


def on_one_clock(recording: Recording, leading: Sequence[str], others: Sequence[str] = ()) -> Recording:
    """The recording at the times of the slowest of the leading channels, if they and others have several clocks.

    The others are brought there, whatever their rate; `constants["slowest rate"]` is the lowest of them all [Hz].
    What is neither, and slower, has samples only at times next to its own.
    """
    t, used = recording.abscissa, [*leading, *others]
    if not leading or all(recording.mask(name).all() for name in used):
        return recording
    own = {name: own_step(t, recording.mask(name)) for name in used}
    if not any(own.values()):
        return recording
    steps = {name: step or float(np.median(np.diff(t))) for name, step in own.items()}
    base = max(leading, key=steps.__getitem__)
    rows = np.flatnonzero(recording.mask(base))
    values = {name: _at(recording, name, rows, steps[base], name in used) for name in recording}
    said = f"channels with clocks of their own were taken at the times of '{base}', {1 / steps[base]:.4g} Hz"
    constants = {**recording.constants, "slowest rate": 1 / max(steps.values())}
    steps_done = (*recording.steps, said)
    return replace(recording, abscissa=t[rows], values=values, steps=steps_done, constants=constants)


def _at(recording: Recording, name: str, rows: np.ndarray, step: float, between: bool) -> np.ndarray:
    """Samples (m,) of a channel at some times, a `step` apart; of a slower one also `between` its own."""
    t, x, good = recording.abscissa, recording[name], recording.mask(name)
    own, at = t[good], t[rows]
    own_step = float(np.median(np.diff(own))) if len(own) > 1 else np.inf
    if len(own) < FEWEST or (good[rows].all() and step < FASTER * own_step):
        return x[rows]
    from scipy.interpolate import make_interp_spline

    even, smooth = _without_aliases(own, x[good], own_step, step)
    near = np.clip(np.searchsorted(own, at), 1, len(own) - 1)
    away = np.minimum(np.abs(at - own[near - 1]), np.abs(own[near] - at))
    known = away <= (FAR * own_step if between or own_step <= step / ALIKE else 1.001 * step / 2)
    known &= (at >= even[0]) & (at <= even[-1])
    found = make_interp_spline(even, smooth, k=3)(np.clip(at, even[0], even[-1]))
    return np.where(known, found, np.nan)


def _without_aliases(t: np.ndarray, x: np.ndarray, own: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Samples at their times, or behind the filter at even ones where steps are to be so much longer."""
    if step < FASTER * own:
        return t, x
    from scipy.signal import butter, sosfiltfilt

    even, y = evenly(t, x)
    rate = (len(even) - 1) / (even[-1] - even[0])
    return even, sosfiltfilt(butter(ORDER, CORNER / step, fs=rate, output="sos"), y)
