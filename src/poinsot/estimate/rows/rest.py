"""Runs at rest: neither motion nor change, which tell weights at most and nothing of errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.estimate.rows.runs import RunRows
from poinsot.recording.filtering.spectrum import sample_noise
from poinsot.recording.motion import position_channels

__all__ = ["at_rest", "require_changes"]

STILL = 1.5  # deviation of a position over that of its noise, up to which nothing moves
ROUND_OFF = 1e-9  # of its largest value, up to which a channel is constant


def at_rest(runs: Sequence[RunRows]) -> bool:
    """Whether no recorded position moves by more than its noise, in any of some runs."""
    moves = [
        _moves(run.recording.t, run.recording[name])
        for run in runs
        for name in position_channels(run.recording, run.motion.mechanism)
    ]
    return bool(moves) and not any(moves)


def require_changes(runs: Sequence[RunRows]) -> None:
    """Runs in which something moves, or measured forces change at least as noise does."""
    forces = np.concatenate([run.y for run in runs])
    still = all(_deviation(x) <= ROUND_OFF * np.nanmax(np.abs(x)) for x in forces.T if np.isfinite(x).any())
    if still and at_rest(runs):
        raise PoinsotError(
            f"nothing changes in {listing([run.name for run in runs])}: neither positions nor forces, which tells "
            "nothing of parameters and their errors; record a motion, or several poses"
        )


def _moves(t: np.ndarray, x: np.ndarray) -> bool:
    """Whether samples (n,) at t (n,) [s] differ by more than noise and round-off."""
    noise, size = sample_noise(t, x) or 0.0, float(np.nanmax(np.abs(x), initial=0.0))
    return _deviation(x) > max(STILL * noise, ROUND_OFF * size)


def _deviation(x: np.ndarray) -> float:
    good = x[np.isfinite(x)]
    return float(np.std(good)) if len(good) else 0.0
