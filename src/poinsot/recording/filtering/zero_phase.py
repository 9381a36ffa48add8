"""Zero-phase low-pass filter and differentiation.

A Butterworth filter H of order m runs forwards and backwards: no phase, the gain |H|². With white noise of standard
deviation σ at the rate f_s and the content S(f), the k-th derivative of what remains has the error

    σ_k² = (2 σ²/f_s) ∫ |H|⁴ (2πf)²ᵏ df  +  ∫ S (1 − |H|²)² (2πf)²ᵏ df              (theory/measurements, eq. 1)

noise that passes, and content that is taken away.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.filtering.derivatives import Derivatives
from poinsot.recording.filtering.spectrum import Spectrum, spectrum

__all__ = ["smoothed", "zero_phase"]

OPEN = 0.49  # of the rate: a corner beyond takes nothing away
MARGIN = 1.5  # of the frequency where content ends


def zero_phase(
    t: np.ndarray,
    x: np.ndarray,
    cutoff: float | None = None,
    order: int = 4,
    *,
    noise: float | None = None,
    passes: Callable[[float], np.ndarray] | None = None,
) -> Derivatives:
    """Filter and differentiate evenly spaced samples x (n,) at t (n,) [s].

    `cutoff` [Hz] of the filter; by default it follows from the spectrum. Where samples are interpolated: `noise` of
    one, and `passes`, which tells how much of unit noise is left in value, rate and acceleration (3,) at a cut-off.
    """
    rate = (len(t) - 1) / (t[-1] - t[0])
    content = spectrum(x, rate, noise)
    corner = MARGIN * content.cutoff if cutoff is None else cutoff
    if not corner > 0:
        raise PoinsotError(f"the cut-off must be a positive frequency, not {corner:g} Hz")
    value, speed, acceleration = smoothed(t, x, corner, order)
    left, lost = filter_errors(content, corner, rate, order)
    left = left if passes is None else content.noise * passes(corner)
    said = f"zero-phase Butterworth filter of order {order} at {min(corner, rate / 2):.4g} Hz"
    return Derivatives(
        t,
        value,
        speed,
        acceleration,
        np.hypot(left, lost),
        content.noise,
        said + ("" if cutoff is not None else ", from its spectrum"),
        edge=1 / corner,
    )


def smoothed(t: np.ndarray, x: np.ndarray, corner: float, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value, rate and acceleration of evenly spaced samples x (n,) at t (n,) behind a filter at a corner [Hz]."""
    from scipy.interpolate import make_interp_spline
    from scipy.signal import butter, sosfiltfilt

    rate = (len(t) - 1) / (t[-1] - t[0])
    smooth = np.asarray(x, float)
    if corner < OPEN * rate:  # else there is nothing to take away
        sections = butter(order, corner, fs=rate, output="sos")
        pad = min(len(x) - 1, int(3 * rate / corner) + 3 * order)
        smooth = sosfiltfilt(sections, x, padtype="odd", padlen=pad)
    spline = make_interp_spline(t, smooth, k=5)
    return smooth, spline(t, 1), spline(t, 2)


def _prewarped(f: np.ndarray, corner: float, rate: float) -> np.ndarray:
    """Frequencies over the corner, as the bilinear transform sees them."""
    return np.tan(np.pi * np.minimum(f, 0.4999 * rate) / rate) / np.tan(np.pi * corner / rate)


def filter_errors(content: Spectrum, corner: float, rate: float, order: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Noise that passes and content that is lost (3,), in value, rate and acceleration, with a corner [Hz]."""
    f, k, gain = content.frequency, np.arange(3)[:, None], np.ones_like(content.frequency)
    if corner < OPEN * rate:
        gain = 1 / (1 + _prewarped(f, corner, rate) ** (2 * order))  # |H|²
    w = (2 * np.pi * f)[None] ** (2 * k)
    slowest = np.where(k[:, 0] == 0, f[0], 0.0)  # below the first frequency
    passed = content.floor * (np.trapezoid(gain**2 * w, f) + slowest)
    return np.sqrt(passed), np.sqrt(np.trapezoid(content.signal * (1 - gain) ** 2 * w, f))
