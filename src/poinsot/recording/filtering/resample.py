"""Even clocks: samples at equal steps from recorded ones, for filters that need them."""

from __future__ import annotations

import numpy as np

from poinsot.errors import PoinsotError, counted
from poinsot.recording.recording import Recording

__all__ = ["FEWEST", "TooFewSamplesError", "decimated", "evenly", "is_even", "resampled"]

EVEN = 1e-3  # of a step: scatter of a clock that counts as even
FEWEST = 16  # samples that can be filtered, and have a spectrum


class TooFewSamplesError(PoinsotError):
    """A channel that is too short to be filtered."""


def is_even(t: np.ndarray) -> bool:
    """Whether times (n,) are equally spaced, to a thousandth of a step."""
    d = np.diff(t)
    return bool(len(d) and np.max(np.abs(d - d.mean())) <= EVEN * d.mean())


def evenly(t: np.ndarray, x: np.ndarray, name: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Samples (n,) of a channel at equal steps; those that are masked, or between uneven times, are interpolated."""
    from scipy.interpolate import make_interp_spline

    good = np.isfinite(x)
    if good.sum() < FEWEST:
        called, masked = f"channel '{name}'" if name else "a channel", len(x) - good.sum()
        why = f" ({masked} of {len(x)} are NaN or masked)" if masked else ""
        raise TooFewSamplesError(f"{called} needs {FEWEST} samples or more to be filtered, not {good.sum()}{why}")
    if good.all() and is_even(t):
        return t, np.asarray(x, float)
    inside = t[(t >= t[good][0]) & (t <= t[good][-1])]
    even = np.linspace(inside[0], inside[-1], len(inside))
    return even, make_interp_spline(t[good], x[good], k=3)(even)


def resampled(recording: Recording, rate: float) -> Recording:
    """The recording at an even rate [Hz], by splines of degree three between its samples."""
    from dataclasses import replace

    from scipy.interpolate import make_interp_spline

    if len(recording) < FEWEST:
        raise TooFewSamplesError(
            f"{counted(len(recording), 'sample')} cannot be taken at another rate, which needs {FEWEST} or more"
        )
    if not rate > 0:
        raise PoinsotError(f"a rate must be positive, not {rate:g} Hz")
    t = recording.require_times()
    even = np.arange(t[0], t[-1] + 1e-9 / rate, 1 / rate)
    values = {}
    for name in recording:
        x, good = recording[name], recording.mask(name)
        values[name] = np.full(len(even), np.nan)
        if good.sum() > 3:
            inside = (even >= t[good][0]) & (even <= t[good][-1])
            values[name][inside] = make_interp_spline(t[good], x[good], k=3)(even[inside])
    step = f"resampled from {recording.rate:.6g} to {rate:.6g} Hz by splines"
    return replace(recording, abscissa=even, values=values, steps=(*recording.steps, step))


def decimated(recording: Recording, factor: int) -> Recording:
    """Every `factor`-th sample, after a zero-phase filter at 0.4 of the new rate that keeps out what would alias."""
    from dataclasses import replace

    from scipy.signal import butter, sosfiltfilt

    t = recording.require_times()
    if not isinstance(factor, int) or factor < 1 or len(t) < 30 * factor:
        raise PoinsotError(f"{len(t)} samples cannot be decimated by {factor}")
    if factor == 1:
        return recording
    sections = butter(8, 0.8 / factor, output="sos")
    values, rows = {}, slice(factor // 2, None, factor)
    for name in recording:
        even_t, even_x = evenly(t, recording[name], name)
        smooth = sosfiltfilt(sections, even_x)
        values[name] = np.interp(t[rows], even_t, smooth, left=np.nan, right=np.nan)
    step = f"decimated by {factor} after a zero-phase filter at {0.4 * recording.rate / factor:.4g} Hz"
    return replace(recording, abscissa=t[rows], values=values, steps=(*recording.steps, step))
