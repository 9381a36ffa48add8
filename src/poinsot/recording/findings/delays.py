"""Forces that come later or earlier than the motion that needs them.

    y(t + τ) = W(t) π + friction + offset                     any π: rough values of the model move no τ
    r = (1 − P) y(t + τ),   d = (1 − P) ẏ(t + τ),   δτ = −dᵀr / dᵀd          P projects onto the columns
    σ² = Σ (dₚᵀrₚ)² / (dᵀd)²                     over parts p of the recording, as residuals are coloured

Free parameters may be negative, and then explain forces half a period late: the model's own values must not object.
Forces are filtered as the motion is, so that noise, and what it is between samples, decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.filtering.resample import evenly
from poinsot.recording.filtering.zero_phase import smoothed
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings.explained import Needed, basis_of, by_model, friction_of
from poinsot.recording.findings.trial import Trial

__all__ = ["delay_findings"]

PART = 0.1  # of the duration: the longest delay
FINE, MOST = 4, 200  # steps in a period of the cut-off; steps to either side at most
LESS = 0.65  # of what is unexplained without a delay
FITS = 0.1  # part of the forces that may be left with it
CLEAR, EXACT = 0.3, 1.2  # the same by the model's own values, which are right if they leave so many times the other
ALIKE = 1.3  # times what the best delay leaves: a shorter one is as good, as in a periodic motion
OBJECTS = 0.35  # beyond the least part that the model's own values leave: rough ones leave less
SURE = 5.0  # standard errors
SAMPLE = 0.8  # of a sample: less is a matter of when it is written
PARTS = 16  # of the recording, for the error
FEWEST = 50  # rows


@dataclass(frozen=True, eq=False)
class MovedForces:
    """Forces of k drives at m times that are moved along them."""

    t: np.ndarray  # (m,)  [s]
    signals: Sequence  # k splines of the filtered forces over their scales
    basis: np.ndarray  # (m k, r) of what the motion explains

    def forces(self, lag: float, order: int = 0) -> np.ndarray:
        """The forces a time later (m, k), or their derivatives."""
        return np.stack([signal(self.t + lag, order) for signal in self.signals], axis=1)

    def outside(self, lag: float, order: int = 0) -> np.ndarray:
        """r or d (m, k): what no parameters explain."""
        y = self.forces(lag, order).ravel()
        return (y - self.basis @ (self.basis.T @ y)).reshape(len(self.t), -1)

    def left(self, lag: float) -> float:
        """rᵀr."""
        return _size(self.outside(lag))


@dataclass(frozen=True)
class Delay:
    """A delay of the forces."""

    delay: float  # of the forces behind the motion  [s]
    error: float  # standard error  [s]
    left: float  # part that remains of what is unexplained without it


def delay_findings(trial: Trial, motion: Needed | None) -> Iterator[Finding]:
    """A delay of all forces, with its standard error, where it explains more than none and is sure."""
    found = None if motion is None else _delay(trial, motion)
    if found is None or abs(found.delay) < max(SURE * found.error, SAMPLE / trial.recorded.recording.rate):
        return
    them = " and ".join(["it", *(f"'{name}'" for name in trial.names[1:])]) + (" are" if trial.names[1:] else " is")
    word = "behind" if found.delay > 0 else "ahead of"
    message = (
        f"{them} {1e3 * abs(found.delay):.3g} ± {1e3 * found.error:.1g} ms {word} the motion that needs such forces: "
        f"{100 * found.left:.2g} % remains of what is unexplained without a delay"
    )
    place = trial.recorded.recording.channels[trial.names[0]].place
    advice = f"shift one of them, or make the delay an unknown, 'delay {place}'"
    yield Finding("delay", trial.names[0], "", found.delay, message, advice, Severity.ERROR)


def _delay(trial: Trial, motion: Needed) -> Delay | None:
    """By free parameters; by the model's own values where they leave no more than those: they are right."""
    t, scale = trial.recorded.t, trial.forces.std(axis=0)
    longest = PART * float(t[-1] - t[0])
    rows = (trial.t >= t[0] + longest) & (trial.t <= t[-1] - longest)
    if np.count_nonzero(rows) < FEWEST or not (scale > 0).all():
        return None
    try:
        signals = _signals(trial, scale)
    except PoinsotError:  # forces that cannot be filtered
        return None
    motion, step = motion.of(rows), 1 / (FINE * trial.cutoff)
    free, own = (MovedForces(trial.t[rows], signals, basis_of(x, scale)) for x in (motion.columns, _own(motion)))
    by_own = _explaining(own, motion, longest, step)
    if by_own and by_own.left < CLEAR and own.left(by_own.delay) < EXACT * free.left(by_own.delay):
        return by_own
    by_free = _explaining(free, motion, longest, step)
    return (
        by_free
        if by_free and by_free.left < LESS and free.left(by_free.delay) < FITS * trial.forces[rows].size
        else None
    )


def _signals(trial: Trial, scale: np.ndarray) -> list:
    """The forces over their scales (k,), filtered as the motion is, as splines."""
    from scipy.interpolate import make_interp_spline

    smooth, signals = trial.recorded.recording, []
    for name, size in zip(trial.names, scale):
        t, x = evenly(smooth.t, smooth[name])
        signals.append(make_interp_spline(t, smoothed(t, x / size, trial.cutoff, 4)[0], k=3))
    return signals


def _own(motion: Needed) -> np.ndarray:
    """Columns (m, k, 5 k): for every drive the force by the model's own values, friction, drive inertia, offset."""
    m, k = motion.forces.shape
    columns = np.zeros((m, k, 5 * k))
    for j in range(k):
        rate, acceleration = motion.drives[:, j].T
        own = np.column_stack([motion.forces[:, j], acceleration, friction_of(rate)])
        columns[:, j, 5 * j : 5 * j + 5] = own
    return columns


def _explaining(shifted: MovedForces, motion: Needed, longest: float, step: float) -> Delay | None:
    """The shortest delay that explains as much as any; None where none does."""
    lags, step = _coarse(shifted, motion, longest, step)
    every = [_refined(shifted, lag, step) for lag in lags]
    least = min((one.left for one in every), default=0.0)
    return min((one for one in every if one.left <= ALIKE * least), key=lambda one: abs(one.delay), default=None)


def _coarse(shifted: MovedForces, motion: Needed, longest: float, step: float) -> tuple[np.ndarray, float]:
    """Lags that explain more than their neighbours and that the model does not object to; the step between lags."""
    most = int(np.clip(longest / step, 2, MOST))
    step = longest / most
    lags = step * np.arange(-most, most + 1)
    left = np.array([shifted.left(lag) for lag in lags])
    own = np.array([by_model(motion, shifted.forces(lag)).unexplained for lag in lags])
    inner = np.arange(1, len(lags) - 1)
    least = (left[inner] <= left[inner - 1]) & (left[inner] <= left[inner + 1])
    return lags[inner[least & (own[inner] <= own.min() + OBJECTS)]], step


def _refined(shifted: MovedForces, lag: float, step: float) -> Delay:
    """The delay near a lag."""
    at = lag
    for _ in range(6):
        r, d = shifted.outside(at), shifted.outside(at, 1)
        at = float(np.clip(at - np.sum(d * r) / (_size(d) + 1e-300), lag - step, lag + step))
    products = np.sum(shifted.outside(at, 1) * shifted.outside(at), axis=1)
    parts = np.array([np.sum(part) for part in np.array_split(products, PARTS)])
    error = float(np.sqrt(np.sum(parts**2)) / (_size(shifted.outside(at, 1)) + 1e-300))
    return Delay(at, error, shifted.left(at) / (shifted.left(0.0) + 1e-300))


def _size(x: np.ndarray) -> float:
    return float(np.sum(x**2))
