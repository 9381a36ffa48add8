"""Recorded references of drives, and their rates."""

from __future__ import annotations

import numpy as np

from poinsot.estimate.closed_loop.controllers import Control, References
from poinsot.estimate.study import require_channels
from poinsot.recording.filtering.held_samples import as_written
from poinsot.recording.filtering.resample import is_even
from poinsot.recording.recording import Recording


def references(recording: Recording, control: Control, run: str, begin: float, end: float) -> References:
    """What the drives were told between two times, gaps bridged by straight lines."""
    names = [one.reference for _, one in control.drives]
    require_channels([name for name in names if name not in recording.channels], recording, run)
    inside = (recording.t > begin - 1e-9) & (recording.t < end + 1e-9)
    t, told = recording.t[inside], [as_written(recording, name)[inside] for name in names]
    s = np.stack([np.interp(t, t[np.isfinite(x)], x[np.isfinite(x)]) for x in told], axis=1)
    return References(t, s, rates_of(t, s))


def rates_of(t: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Rates of samples (n, d), by differences over four steps where these are even."""
    found = np.gradient(s, t, axis=0)
    if len(t) > 4 and is_even(t):
        found[2:-2] = (8 * (s[3:-1] - s[1:-3]) - (s[4:] - s[:-4])) / (12 * (t[-1] - t[0]) / (len(t) - 1))
    return found
