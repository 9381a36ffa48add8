"""Filtering and differentiation of a recording's channels: smoothed values, rates and accelerations with errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real

import numpy as np

from poinsot.errors import PoinsotError, one_line, unknown
from poinsot.recording.filtering.derivatives import Derivatives
from poinsot.recording.filtering.fourier import fourier_fit
from poinsot.recording.filtering.resample import evenly, is_even
from poinsot.recording.filtering.spectrum import sample_noise, spectrum
from poinsot.recording.filtering.splines import spline_fit
from poinsot.recording.filtering.zero_phase import smoothed, zero_phase
from poinsot.recording.recording import RecordedChannel, Recording
from poinsot.store import Bounded, arrays_digest

__all__ = ["METHODS", "differentiate", "require_cutoff"]

DRAWS = 10  # of noise that is sent the way of interpolated samples
_PASSED = Bounded(64)
ROUNDING = 1e-3  # of the rate, which is known from written times
RATES = {"rad": ("rad/s", "rad/s²"), "m": ("m/s", "m/s²")}


def differentiate(
    recording: Recording,
    channels: Sequence[str] | str | None = None,
    *,
    method: str = "filter",
    cutoff: float | Mapping[str, float] | None = None,
    period: float | None = None,
    harmonics: int | None = None,
    order: int = 4,
) -> Recording:
    """The recording with smoothed channels, their rates (`NAME.rate`) and accelerations (`NAME.acceleration`).

    `channels` are by default those of kind "position". `method` is "filter" (zero phase, of an `order`), "fourier"
    (a periodic excitation of known `period` [s], with a number of `harmonics`) or "spline" (uneven clocks, gaps).
    `cutoff` [Hz] for all or by channel; by default it follows from the spectrum of each. The noise of every new
    channel is the standard error of its samples, by the method's own formula; `constants["edge"]` is the time [s] at
    either end within which errors are larger.
    """
    if method not in METHODS:
        raise PoinsotError(unknown("method of differentiation", method, METHODS))
    t = recording.require_times()
    names = _names(recording, channels)
    values, about, steps, edge = {}, {}, [], 0.0
    for name in names:
        corner = cutoff.get(name) if isinstance(cutoff, Mapping) else cutoff
        require_cutoff(recording, corner, f"of '{name}'")
        found = METHODS[method](t, recording[name], corner, period, harmonics, order)
        values |= {name: found.value, f"{name}.rate": found.rate, f"{name}.acceleration": found.acceleration}
        about |= _channels(recording.channels[name], found)
        steps.append(f"'{name}': {found.said}")
        edge = max(edge, found.edge)
    found = recording.with_channels(values, about)
    constants = {**recording.constants, "edge": edge}
    return replace(found, steps=(*recording.steps, *steps), constants=constants)


def require_cutoff(recording: Recording, cutoff: float | None, of: str) -> None:
    """A cut-off [Hz] that the recording can be filtered at, if one is given."""
    if cutoff is None:
        return
    if not isinstance(cutoff, Real) or not cutoff > 0:
        raise PoinsotError(f"the cut-off {of} must be a positive frequency, not {one_line(repr(cutoff), 40)} Hz")
    rate = recording.rate
    if cutoff > rate / 2 * (1 + ROUNDING):
        raise PoinsotError(
            f"the cut-off {of}, {cutoff:g} Hz, is above half the sampling rate of {rate:.4g} Hz: "
            f"it can be {rate / 2:.4g} Hz at most"
        )


def _names(recording: Recording, channels: Sequence[str] | str | None) -> tuple[str, ...]:
    if channels is not None:
        return tuple(recording.only(channels).channels)
    names = tuple(name for name, channel in recording.channels.items() if channel.kind == "position")
    if not names:
        raise PoinsotError("no channel is known to be a position: name the channels to differentiate")
    return names


def _channels(channel: RecordedChannel, found: Derivatives) -> dict[str, RecordedChannel]:
    rate, second = RATES.get(channel.unit, (f"{channel.unit}/s", f"{channel.unit}/s²"))
    name, origin = channel.name, f"derivative of {channel.name}"
    place = channel.place or name
    value = replace(channel, noise=float(found.errors[0]))
    more = {"rate": ("velocity", rate, 1), "acceleration": ("acceleration", second, 2)}
    return {name: value} | {
        f"{name}.{end}": RecordedChannel(f"{name}.{end}", unit, kind, place, origin, float(found.errors[k]))
        for end, (kind, unit, k) in more.items()
    }


def _filtered(t, x, cutoff, period, harmonics, order) -> Derivatives:
    even_t, even_x = evenly(t, x)
    if np.isfinite(x).all() and is_even(t):
        return zero_phase(even_t, even_x, cutoff, order)
    noise = sample_noise(t, x)
    passes = None if noise is None else partial(_unit_noise, t, np.isfinite(x), order)
    return _back(zero_phase(even_t, even_x, cutoff, order, noise=noise, passes=passes), t)


def _unit_noise(t: np.ndarray, good: np.ndarray, order: int, corner: float) -> np.ndarray:
    """What interpolation and filter leave of unit white noise (3,); channels of one clock often share it."""
    key = (arrays_digest(t, good), order, corner)
    return _PASSED.get_or_make(key, lambda: _passed(t, good, order, corner))


def _passed(t: np.ndarray, good: np.ndarray, order: int, corner: float) -> np.ndarray:
    """The same steps with noise instead of samples."""
    random, squares = np.random.default_rng(0), []
    for _ in range(DRAWS):
        even_t, even_x = evenly(t, np.where(good, random.standard_normal(len(t)), np.nan))
        edge = min(int(2 / corner * len(even_t) / (even_t[-1] - even_t[0])), len(even_t) // 4)
        squares.append([np.mean(y[edge : len(y) - edge] ** 2) for y in smoothed(even_t, even_x, corner, order)])
    return np.sqrt(np.mean(squares, axis=0))


def _back(found: Derivatives, t: np.ndarray) -> Derivatives:
    """The same at the recorded times; NaN before the first sample and behind the last."""
    from scipy.interpolate import make_interp_spline

    spline = make_interp_spline(found.t, found.value, k=5)
    step = 1e-6 * (found.t[-1] - found.t[0])
    inside = (t >= found.t[0] - step) & (t <= found.t[-1] + step)
    value, rate, acceleration = (np.where(inside, spline(t, k), np.nan) for k in range(3))
    return replace(found, t=t, value=value, rate=rate, acceleration=acceleration)


def _fourier(t, x, cutoff, period, harmonics, order) -> Derivatives:
    if period is None:
        raise PoinsotError('the method "fourier" needs the period= of the excitation in seconds')
    if harmonics is None and cutoff is None:
        cutoff = _content(t, x)
    return fourier_fit(t, x, period, harmonics, cutoff)


def _splined(t, x, cutoff, period, harmonics, order) -> Derivatives:
    return spline_fit(t, x, 1.5 * _content(t, x) if cutoff is None else cutoff)


def _content(t: np.ndarray, x: np.ndarray) -> float:
    """Frequency above which there is nothing but noise  [Hz]."""
    even_t, even_x = evenly(t, x)
    interpolated = not (np.isfinite(x).all() and is_even(t))
    rate = (len(even_t) - 1) / (even_t[-1] - even_t[0])
    return spectrum(even_x, rate, sample_noise(t, x) if interpolated else None).cutoff


METHODS: dict[str, Callable[..., Derivatives]] = {"filter": _filtered, "fourier": _fourier, "spline": _splined}
