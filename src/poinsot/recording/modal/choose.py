"""Poles chosen from a stabilisation chart: long tracks, or the ones nearest to frequencies that the user gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.recording.modal.stabilisation import Chart, Track, frequency_of

__all__ = ["chosen_tracks", "nearest_tracks"]

SHORTEST = 0.3  # of the orders: a physical pole is stable through so many
SAME = 0.8  # MAC of shape and participation at which neighbours are one mode


def chosen_tracks(chart: Chart, orders: int, n: int | None = None) -> tuple[Track, ...]:
    """Tracks of physical modes by growing frequency: all that are long, or the n longest."""
    modes = _distinct(chart.tracks)
    long = [t for t in modes if len(t.poles) >= max(4, SHORTEST * orders)]
    kept = long if n is None else sorted(modes, key=lambda t: -len(t.poles))[:n]
    return tuple(sorted(kept, key=lambda t: t.pole.imag))


def nearest_tracks(chart: Chart, frequencies: Sequence[float]) -> tuple[Track, ...]:
    """The track nearest to each frequency [Hz]; within a tenth of it, the longest counts for more."""
    modes = _distinct(chart.tracks)
    found = []
    for f in frequencies:
        near = [t for t in modes if abs(frequency_of(np.array(t.pole)) - f) < 0.02 * f]
        if not near:
            known = listing([f"{float(frequency_of(np.array(t.pole))):.5g}" for t in modes])
            raise PoinsotError(f"no stable pole lies near {f:g} Hz; there are some at {known} Hz")
        distance = [abs(float(frequency_of(np.array(t.pole))) - f) / len(t.poles) for t in near]
        found.append(near[int(np.argmin(distance))])
    return tuple(sorted(dict.fromkeys(found), key=lambda t: t.pole.imag))


def _distinct(tracks: Sequence[Track]) -> list[Track]:
    """Tracks without those that noise split off a longer one."""
    modes: list[Track] = []
    for track in sorted(tracks, key=lambda t: -len(t.poles)):
        if not any(_same(mode, track) for mode in modes):
            modes.append(track)
    return modes


def _same(a: Track, b: Track) -> bool:
    """Nearer than half their half-power bands, and of one shape."""
    alike = np.abs(np.vdot(a.shape, b.shape)) ** 2 * np.abs(np.vdot(a.participation, b.participation)) ** 2
    return bool(abs(a.pole - b.pole) < (abs(a.pole.real) + abs(b.pole.real)) / 2 and alike > SAME)
