"""Recordings without the delays of their channels: those that the model file gives its sensors, and others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from poinsot.model.mechanism import Mechanism
from poinsot.recording.recording import RecordedChannel, Recording

__all__ = ["in_time", "moved_later", "sensor_delay", "without_delays"]

FEWEST = 4  # samples that a cubic takes


def sensor_delay(channel: RecordedChannel, mechanism: Mechanism) -> float:
    """By how much a channel is late, as the model file says of its sensor  [s]."""
    return float(mechanism.sensors[channel.place].delay) if channel.place in mechanism.sensors else 0.0


def in_time(recording: Recording, mechanism: Mechanism) -> Recording:
    """The recording without the delays that the model file gives its sensors; what was masked stays masked."""
    from scipy.interpolate import make_interp_spline

    t, values, steps, longest = recording.t, dict(recording.values), list(recording.steps), 0.0
    for name, channel in recording.channels.items():
        late = sensor_delay(channel, mechanism)
        good = recording.mask(name)
        if late and good.sum() > 3:
            at = np.clip(np.searchsorted(t, t + late - 0.5 / recording.rate), 0, len(t) - 1)
            there = make_interp_spline(t[good], recording[name][good], k=3)(
                np.clip(t + late, t[good][0], t[good][-1])
            )
            values[name] = np.where(good[at], there, np.nan)
            steps.append(f"'{name}' was moved by the delay of its sensor, {1e3 * late:.4g} ms")
            longest = max(longest, late)
    if not longest:
        return recording
    moved = replace(recording, values=values, steps=tuple(steps))
    return moved.rows(t <= t[-1] - longest + 1e-9, "the end was left out, which delayed sensors did not see")


def without_delays(recording: Recording, delays: Mapping[str, float]) -> Recording:
    """The recording without delays of its channels, by name  [s]."""
    values = {name: moved_later(recording.t, recording[name], -delay) for name, delay in delays.items()}
    return replace(recording, values={**recording.values, **values})


def moved_later(t: np.ndarray, x: np.ndarray, delay: float) -> np.ndarray:
    """Samples (n,) at t (n,) of what was a while before, by cubics; what was masked stays masked."""
    from scipy.interpolate import make_interp_spline

    good = np.isfinite(x)
    if np.count_nonzero(good) < FEWEST:
        return x
    at = np.clip(t - delay, t[good][0], t[good][-1])
    return np.where(good, make_interp_spline(t[good], x[good], k=3)(at), np.nan)
