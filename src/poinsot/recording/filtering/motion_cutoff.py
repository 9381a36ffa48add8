"""The cut-off of a motion's filter, where nobody gives one."""

from __future__ import annotations

import numpy as np

from poinsot.recording.filtering.resample import evenly
from poinsot.recording.filtering.spectrum import sample_noise, spectrum
from poinsot.recording.filtering.zero_phase import filter_errors
from poinsot.recording.recording import Recording

__all__ = ["motion_cutoff"]

SLOWEST, FASTEST = 4.0, 25.0  # times the frequency of the motion, up to which it is followed


def motion_cutoff(recording: Recording, name: str) -> float:
    """Cut-off of a position with the least error of its acceleration [Hz], in multiples of the motion's frequency.

    What a drive does far beyond is its gears' and its structure's, not the mechanism's.
    """
    t, x = evenly(recording.t, recording[name])
    rate = (len(t) - 1) / (t[-1] - t[0])
    content = spectrum(x, rate)
    content = spectrum(x, rate, max(content.noise, sample_noise(recording.t, recording[name]) or 0.0))
    corners = np.geomspace(SLOWEST, FASTEST, 24) * content.dynamics
    errors = [np.hypot(*filter_errors(content, corner, rate))[2] for corner in corners]
    return float(min(corners[int(np.argmin(errors))], rate / 2, recording.rate / 2))
