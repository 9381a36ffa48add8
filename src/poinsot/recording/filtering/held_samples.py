"""Samples that a logger repeats until the next comes: what is new stands in every p-th row.

    x_k ≠ x_{k−1}   only where   k mod p = r

An encoder of few counts that moves slowly changes by one count, in any row: changes of one size are none of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from poinsot.recording.finding import Finding, spans
from poinsot.recording.recording import Axis, Clock, Recording

__all__ = ["HELD", "HeldSamples", "as_written", "held_samples", "with_held_told", "without_held"]

HELD = "sampled and held"  # code of the finding
LEAST = 20  # changes
SURE, MOST = 0.95, 0.5  # of the changes at such rows; of such rows, that have one
LONGEST, SHORT = 50, 10  # rows of a period, of a smooth channel and of any
REST = 10  # times the usual rows between changes: longer, the machine rests
GRAIN, COARSE = 1.5, 0.2  # least changes; share of larger ones, below which it is an encoder that counts
LEVELS = 10  # fewer are a signal that is switched, or flickers
REPEATS = 0.05  # of the samples
LOST = 1.5  # usual steps: rows are missing
FORCES = ("N", "N·m")


@dataclass(frozen=True, eq=False)
class HeldSamples:
    """Rows in which a channel repeats what was sampled before."""

    rows: np.ndarray  # (n,) which
    period: int  # rows of a sample

    def told(self, recording: Recording, name: str, mended: bool) -> Finding:
        """That a channel of a recording is so."""
        own = f"{recording.rate / self.period:.4g} Hz"
        own = "that of the rows by as many" if recording.clock is Clock.COUNTED else own
        message = f"it repeats each value {self.period} times: its own rate is {own}"
        message += "; the repeats are left out" if mended else ""
        advice = "log it at its own rate"
        if recording.units[name] in FORCES:
            advice += "; where the drive itself holds each value so long, read it with repair=False"
        where = spans(recording.abscissa, np.flatnonzero(self.rows)[:1]) if not mended else ""
        count = int(np.count_nonzero(self.rows))
        return Finding(HELD, name, where, count, message, advice, mended=mended)


def without_held(recording: Recording, names: Iterable[str]) -> Recording:
    """The recording without the repeats of some channels, with findings."""
    for name in names:
        if (held := held_samples(recording, name)) is not None:
            finding = held.told(recording, name, mended=True)
            recording = recording.masked(held.rows, f"'{name}': {finding.message}", name).with_findings([finding])
    return recording


def with_held_told(recording: Recording) -> Recording:
    """The recording with findings of repeats, which stay."""
    found = [(name, held_samples(recording, name)) for name in recording]
    return recording.with_findings(held.told(recording, name, mended=False) for name, held in found if held)


def as_written(recording: Recording, name: str) -> np.ndarray:
    """Samples of a channel (n,), repeats put back: what a drive is told, or holds, acts until the next.

    >>> t = np.arange(200) / 100.0
    >>> held = Recording.of(t, {"q": np.repeat(np.sin(t[::2]), 2)})
    >>> bool(np.array_equal(as_written(without_held(held, ["q"]), "q"), held["q"]))
    True
    """
    x = recording[name]
    if not any(one.code == HELD and one.channel == name and one.mended for one in recording.findings):
        return x
    last = np.maximum.accumulate(np.where(np.isfinite(x), np.arange(len(x)), 0))
    return x[last]


def held_samples(recording: Recording, name: str) -> HeldSamples | None:
    """What a channel repeats; None where it is sampled in every row, or in rows of no pattern.

    >>> t = np.arange(200) / 100.0
    >>> held = held_samples(Recording.of(t, {"q": np.repeat(np.sin(t[::2]), 2)}), "q")
    >>> (held.period, held.rows[:4].tolist()) if held else None
    (2, [False, True, False, True])
    """
    x = recording[name]
    rows = np.flatnonzero(np.isfinite(x))
    if recording.axis is not Axis.TIME or np.iscomplexobj(x) or len(rows) < LEAST:
        return None
    step = np.diff(x[rows])
    changed = step != 0
    count = np.count_nonzero(changed)
    if count < LEAST or count > (1 - REPEATS) * len(rows):
        return None
    size = np.abs(step[changed])
    if np.mean(size > GRAIN * size.min()) < COARSE or len(np.unique(x[rows[1:]][changed])) < LEVELS:
        return None
    at = np.flatnonzero(changed) + 1  # among the rows
    for numbers in _numbers(recording):
        if found := _pattern((k := numbers[rows])[at], x[rows][at]):
            held = np.zeros(len(x), bool)
            held[rows[~_fresh(k, at, *found)]] = True
            return HeldSamples(held, found[0]) if held.sum() > REPEATS * len(rows) else None
    return None


def _fresh(k: np.ndarray, at: np.ndarray, period: int, phase: int) -> np.ndarray:
    """Which rows of numbers k (n,) hold samples, where changes are in rows `at`."""
    fresh = k % period == phase
    late = at[~fresh[at]]  # what stands in the row of a sample that came later is the one before
    own = np.searchsorted(k, k[late] - (k[late] - phase) % period)
    fresh[own[~np.isin(own, at)]] = False
    fresh[at] = True
    fresh[0] = True
    return fresh


def _numbers(recording: Recording) -> Iterator[np.ndarray]:
    """Numbers of the rows (n,): as they follow each other, and with those that the clock says are lost."""
    yield np.arange(len(recording))
    steps = np.diff(recording.abscissa)
    usual = float(np.median(steps))
    if recording.clock is not Clock.COUNTED and usual > 0 and (steps > LOST * usual).any():
        yield np.concatenate([[0], np.cumsum(np.maximum(np.rint(steps / usual), 1))]).astype(int)


def _pattern(k: np.ndarray, x: np.ndarray) -> tuple[int, int] | None:
    """Period and the row in it at which there are changes, by their numbers k (m,) and the values x (m,) there."""
    between = np.diff(k)
    moving = between[between <= REST * np.median(between)]
    mean = float(np.mean(moving))
    smooth = float(np.std(np.diff(x, 2))) < float(np.std(np.diff(x)))
    longest = LONGEST if smooth else SHORT
    for p in range(min(longest, int(mean / SURE)), 1, -1):
        share = np.bincount(k % p, minlength=p) / len(k)
        if share.max() >= SURE and p / mean >= MOST:
            return p, int(np.argmax(share))
    return None
