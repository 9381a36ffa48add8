"""The cut-off of a motion's filter, where nobody gives one."""

from __future__ import annotations

import hashlib

import numpy as np

from poinsot.recording.filtering.resample import evenly
from poinsot.recording.filtering.spectrum import sample_noise, spectrum
from poinsot.recording.filtering.zero_phase import filter_errors
from poinsot.recording.recording import Recording
from poinsot.store import Bounded

__all__ = ["motion_cutoff", "rounding"]

SLOWEST, FASTEST = 4.0, 25.0  # times the frequency of the motion, up to which it is followed
OFTEN = 0.5  # of the samples: more steps are white noise
GRID = 1e-3  # of a grid's step, that samples are off it
_KNOWN: Bounded = Bounded(256)  # by the digest of times and samples


def motion_cutoff(recording: Recording, name: str) -> float:
    """Cut-off of a position with the least error of its acceleration [Hz], in multiples of the motion's frequency.

    What a drive does far beyond is its gears' and its structure's, not the mechanism's. It is computed once for the
    same samples: rows, their noise and doubts ask for it.
    """
    key = hashlib.blake2b(recording.t.tobytes() + recording[name].tobytes()).digest()
    return _KNOWN.get_or_make(key, lambda: _cutoff(recording, name))


def _cutoff(recording: Recording, name: str) -> float:
    t, x = evenly(recording.t, recording[name], name)
    rate = (len(t) - 1) / (t[-1] - t[0])
    content = spectrum(x, rate)
    noise = max(content.noise, sample_noise(recording.t, recording[name]) or 0.0, rounding(recording[name]))
    content = spectrum(x, rate, noise)
    corners = np.geomspace(SLOWEST, FASTEST, 24) * content.dynamics
    errors = [np.hypot(*filter_errors(content, corner, rate))[2] for corner in corners]
    return float(min(corners[int(np.argmin(errors))], rate / 2, recording.rate / 2))


def rounding(x: np.ndarray) -> float:
    """Deviation of white noise with as much power at low frequencies as samples (n,) that were rounded to a grid; 0
    where they are on none, or move from one to the next more often than not.

    Noise of a resolution r has the deviation r/√12. Where only a part c of the samples steps, it is no higher in
    frequency than these are, and r/√(12 · 2c) would be that of white noise.
    """
    step = np.abs(np.diff(x[np.isfinite(x)]))
    moves = step > 0
    often = float(np.mean(moves)) if len(step) else 0.0
    if not 0 < often < OFTEN:
        return 0.0
    grid = float(step[moves].min())
    return grid / np.sqrt(24 * often) if np.all(np.abs(step / grid - np.rint(step / grid)) < GRID) else 0.0
