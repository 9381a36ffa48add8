"""Zero-phase low-pass filter and differentiation.

A Butterworth filter H of order m runs forwards and backwards: no phase, the gain |H|². With white noise of standard
deviation σ at the rate f_s and the content S(f), the k-th derivative of what remains has the error

    σ_k² = (2 σ²/f_s) ∫ |H|⁴ (2πf)²ᵏ df  +  ∫ S (1 − |H|²)² (2πf)²ᵏ df              (theory/measurements, eq. 1)

noise that passes, and content that is taken away.
"""

from __future__ import annotations

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.filtering.derivatives import Derivatives
from poinsot.recording.filtering.spectrum import Spectrum, spectrum

__all__ = ["zero_phase"]

MARGIN = 1.5  # of the frequency where content ends


def zero_phase(t: np.ndarray, x: np.ndarray, cutoff: float | None = None, order: int = 4) -> Derivatives:
    """Filter and differentiate evenly spaced samples x (n,) at t (n,) [s].

    `cutoff` [Hz] of the filter; by default it follows from the spectrum.
    """
    from scipy.interpolate import make_interp_spline
    from scipy.signal import butter, sosfiltfilt

    rate = (len(t) - 1) / (t[-1] - t[0])
    content = spectrum(x, rate)
    corner = MARGIN * content.cutoff if cutoff is None else cutoff
    if not corner > 0:
        raise PoinsotError(f"the cut-off must be a positive frequency, not {corner:g} Hz")
    if corner >= 0.49 * rate:  # nothing to take away
        smooth, gain = np.asarray(x, float), np.ones_like(content.frequency)
    else:
        sections = butter(order, corner, fs=rate, output="sos")
        pad = min(len(x) - 1, int(3 * rate / corner) + 3 * order)
        smooth = sosfiltfilt(sections, x, padtype="odd", padlen=pad)
        gain = 1 / (1 + _prewarped(content.frequency, corner, rate) ** (2 * order))
    spline = make_interp_spline(t, smooth, k=5)
    said = f"zero-phase Butterworth filter of order {order} at {min(corner, rate / 2):.4g} Hz"
    return Derivatives(
        t,
        smooth,
        spline(t, 1),
        spline(t, 2),
        _errors(content, gain),
        content.noise,
        said + ("" if cutoff is not None else ", from its spectrum"),
        edge=1 / corner,
    )


def _prewarped(f: np.ndarray, corner: float, rate: float) -> np.ndarray:
    """Frequencies over the corner, as the bilinear transform sees them."""
    return np.tan(np.pi * np.minimum(f, 0.4999 * rate) / rate) / np.tan(np.pi * corner / rate)


def _errors(content: Spectrum, gain: np.ndarray) -> np.ndarray:
    """Standard errors (3,) of value, rate and acceleration; `gain` is |H|² (m,)."""
    f = content.frequency
    w = (2 * np.pi * f)[None] ** (2 * np.arange(3)[:, None])
    passed = np.trapezoid(content.floor * gain**2 * w, f)
    lost = np.trapezoid(content.signal * (1 - gain) ** 2 * w, f)
    return np.sqrt(passed + lost)
