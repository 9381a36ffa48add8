"""Differences of two runs of one motion: what a model lacks repeats itself and cancels, what a payload adds stays.

y_b − y_a = (W_b − W_a) θ + W_b φ + y₀_b − y₀_a + e_b − e_a        φ: the payload   (theory/estimation, eq. 32)

Residuals of a difference are smaller and of another colour than those of a run, so that they are channels of their
own, masked in the other runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.rows.motion import with_cutoffs
from poinsot.estimate.rows.runs import RunRows, prepared
from poinsot.estimate.study import Processing, Study
from poinsot.identifiability.regressor import Regressor
from poinsot.recording.filtering.resample import TooFewSamplesError
from poinsot.recording.motion import position_channels

DIFFERENCE = " difference"  # behind the name of a channel
CLOSE = 1e-6  # of a step, by which the clocks of two runs may differ


def with_differences(runs: Sequence[RunRows], against: Mapping[str, str]) -> tuple[RunRows, ...]:
    """Runs with twice as many channels; those that are taken against another, by name, are their difference to it."""
    if not against:
        return tuple(runs)
    by_name = {run.name: run for run in runs}
    return tuple(
        _difference(run, by_name[against[run.name]]) if run.name in against else _padded(run, first=True)
        for run in runs
    )


def processing_by_run(study: Study) -> dict[str, Processing]:
    """How the rows of every run are made: where spectra tell the cut-offs of positions, those of runs that are taken
    against each other are the lowest of all these, or samples would be of other times and behind other filters.
    """
    found = {run.name: study.processing for run in study.runs}
    for whole in dict.fromkeys(study.against.values()):
        group = [run for run in study.runs if whole in (run.name, run.against)]
        own, lowest = {}, {}
        for run in group:
            try:
                recording = prepared(run, study.mechanism)
                cutoffs = with_cutoffs(study.processing, recording, study.mechanism).cutoff
            except TooFewSamplesError:  # which its own rows tell
                continue
            if isinstance(cutoffs, Mapping):
                own[run.name] = position_channels(recording, study.mechanism)
                for name, place in own[run.name].items():
                    lowest[place] = min(cutoffs[name], lowest.get(place, np.inf))
        for name, read in own.items():
            shared = {channel: lowest[place] for channel, place in read.items()}
            found[name] = replace(study.processing, cutoff=shared)
    return found


def plain_channels(names: Sequence[str]) -> tuple[str, ...]:
    """Names of channels without the differences."""
    return tuple(name for name in names if not name.endswith(DIFFERENCE))


def _difference(run: RunRows, other: RunRows) -> RunRows:
    """Rows of a run less those of another, sample by sample."""
    n = min(len(run.t), len(other.t))
    t, u = run.t[:n] - run.t[0], other.t[:n] - other.t[0]
    if n < 2 or np.max(np.abs(t - u)) > CLOSE * (t[1] - t[0]):
        raise PoinsotError(
            f"run '{run.name}' is taken against '{other.name}', which has another clock: both must be samples of one "
            "motion, at the same rate from its same moment on"
        )
    noise = None if run.noise is None or other.noise is None else run.noise[:n] - other.noise[:n]
    less = replace(
        run,
        t=run.t[:n],
        y=run.y[:n] - other.y[:n],
        W=run.W[:n] - other.W[:n],
        known=run.known[:n] - other.known[:n],
        noise=noise,
    )
    return _padded(less, first=False)


def _padded(run: RunRows, first: bool) -> RunRows:
    """A run with twice as many channels, the second half, or the first, masked."""

    def wide(x: np.ndarray, rest: float = 0.0) -> np.ndarray:
        empty = np.full_like(x, rest)
        return np.concatenate([x, empty] if first else [empty, x], axis=1)

    noise = None if run.noise is None else wide(run.noise)
    regressor = _doubled(run.regressor, first)
    return replace(run, y=wide(run.y, np.nan), W=wide(run.W), known=wide(run.known), noise=noise, regressor=regressor)


def _doubled(W: Regressor, first: bool) -> Regressor:
    """A regressor that names every channel and its difference; the half that a run has tells the sizes of columns."""
    c, natural = len(W.channels), W.natural

    def half(weights: np.ndarray) -> np.ndarray:
        both = weights.reshape(-1, 2 * c)
        return natural((both[:, :c] if first else both[:, c:]).ravel())

    names = (*W.channels, *(f"{name}{DIFFERENCE}" for name in W.channels))
    return replace(W, channels=names, channel_units=W.channel_units * 2, natural=half)
