"""Faults of single channels: missing, constant and coarse samples, and spikes.

A run of samples first … end − 1 is a spike where the others go on as if it were not there. With its distance d from
what is before and behind it, and the usual step s of the samples about it:

    d > 12 s,        |x_end − x_{first−1}| < max(8 s (end − first + 1)/2, d/100)

A step, a pulse that lasts, an impact that decays and a signal that chatters are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from poinsot.errors import counted
from poinsot.recording.filtering.one_clock import own_step
from poinsot.recording.finding import Finding, Severity, spans
from poinsot.recording.findings.held import frozen_findings, held_findings
from poinsot.recording.recording import RecordedChannel, Recording

__all__ = ["missing_findings", "sample_findings", "sentinels", "spikes"]

SPIKE = 12.0  # usual steps, from the median of five
USUAL = 8.0  # times what one of a hundred exceeds
RARE = 0.01  # of the samples
SINGLES, CODES = 0.1, 0.25  # of the samples: more are no spikes but the signal's nature
LONGEST = 10  # samples in a row of a value that stands for no sample
CLUSTER, CLUSTERS = 3, 0.3  # samples in a row of other spikes, share of such runs: the others are single
ALIKE, NEAR = 1.25, 0.02  # jumps to about that value for one to it, within that share of its distance
WINDOW = 12  # samples on either side about a run
DEVIATION = 0.7  # of noise, of which 85 of a hundred are not as large as 1
CLEAR = 3.0  # usual steps off what is beside it: such a code is no sample
CROWD = 0.21  # of the samples about that are as far off
PASSES = 4  # spikes that others hide are found after them
BLOCK = 1 << 13  # samples that are compared at once
LONG = 2.5  # steps of its own clock: a longer one is a gap
LEVELS = 0.3  # of the samples: with more levels they are not coarse
COARSE = 0.02  # of the standard deviation: a step that matters


def sample_findings(recording: Recording) -> Iterator[Finding]:
    """What is wrong with each channel by itself, but for missing samples and spikes, which are left aside."""
    t = recording.abscissa
    for name in recording:
        x, good = recording[name], recording.mask(name)
        if np.count_nonzero(good) < 10:
            continue
        values, times = (x, t) if good.all() else (x[good], t[good])
        if np.isrealobj(values) and len(at := spikes(values)[0]):
            yield from _sentinel_findings(recording.channels[name], times, values)
            values, times = np.delete(values, at), np.delete(times, at)
        if np.ptp(values) == 0:
            message = " ".join(f"it is {values[0]:.6g} {recording.channels[name].unit} all the time".split())
            yield Finding("constant", name, "", float(values[0]), message, "see whether it is connected and mapped")
            continue
        held = [*held_findings(name, times, values)]
        yield from held
        if np.isrealobj(values) and not any(finding.code == "stuck" for finding in held):
            yield from frozen_findings(recording, name, times, values)
        yield from _coarse(name, values, recording.channels[name].unit)


def _sentinel_findings(channel: RecordedChannel, t: np.ndarray, x: np.ndarray) -> Iterator[Finding]:
    """Values that stand for samples that were not taken."""
    for value, rows in sentinels(x).items():
        many, they = ("value", "it stands") if len(rows) == 1 else ("values", "they stand")
        message = f"{len(rows)} {many} of {value:.9g}{channel.given(value)}, far from those before and behind: {they}"
        message += " for no sample"
        advice = "see why the logger or the bus had none; they are among the spikes"
        yield Finding("sentinel", channel.name, spans(t, rows), value, message, advice, Severity.NOTE)


def missing_findings(recording: Recording) -> Iterator[Finding]:
    """Channels without some or all of their samples."""
    for name in recording:
        yield from _missing(name, recording.abscissa, recording.mask(name))


def _missing(name: str, t: np.ndarray, good: np.ndarray) -> Iterator[Finding]:
    lost = np.flatnonzero(~good)
    if not len(lost):
        return
    taken = np.flatnonzero(good)
    share = len(lost) / len(t)
    if not len(taken):
        yield Finding(
            "missing", name, "", 1.0, "it has no samples, all are NaN", "see whether it is mapped", Severity.ERROR
        )
        return
    step, own = np.diff(taken), own_step(t, good)
    if own is not None:
        regular = np.ptp(step) <= 1
        said = f"in one of {np.mean(step):.3g} rows: it runs on a slower clock"
        said = said if regular else f"every {own:.4g} s: it has a clock of its own"
        yield Finding("slower", name, "", own, f"it has a sample {said}", "nothing to do", Severity.NOTE)
        gaps = np.diff(t[taken]) > LONG * own
        lost, share = taken[:-1][gaps], float(np.sum(np.diff(t[taken])[gaps]) / np.ptp(t))
        if not len(lost):
            return
        message = f"{counted(len(lost), 'gap')}, where {100 * share:.2g} % of its samples are missing"
        yield Finding("missing", name, spans(t, lost), share, message, "they are not used", Severity.WARNING)
        return
    message = f"{len(lost)} of {len(t)} samples ({100 * share:.2g} %) are missing"
    severity = Severity.WARNING if share > 0.001 else Severity.NOTE
    yield Finding("missing", name, spans(t, lost), share, message, "they are masked and not used", severity)


def _coarse(name: str, x: np.ndarray, unit: str) -> Iterator[Finding]:
    """Few levels at equal distances."""
    if not _repeats_levels(x):
        return
    levels = np.unique(x)
    if len(levels) < 3 or len(levels) > LEVELS * len(x):
        return
    steps = np.diff(levels)
    step = float(np.min(steps))
    multiples, spread = steps / step, float(np.std(x))
    if step < 1e-6 * spread or np.max(np.abs(multiples - np.round(multiples))) > 0.05:
        return
    severity = Severity.WARNING if step > COARSE * spread else Severity.NOTE
    message = f"it is written in steps of {step:.4g} {unit}, {step / spread:.2g} of its standard deviation"
    advice = f"count a noise of {step / np.sqrt(12):.3g} for it, and do not differentiate it twice without a filter"
    yield Finding("quantised", name, "", step, message, advice, severity)


def _repeats_levels(x: np.ndarray) -> bool:
    """Whether x (n,) may have few levels, by some of its samples.

    With L ≤ c n levels two of n samples are alike with the probability (1/c − 1)/n at least, so that m = 16 √n of
    them, drawn by chance, have 128 (1/c − 1) such pairs on average: hardly ever less than a fifth.
    """
    m = 16 * int(np.sqrt(len(x)))
    if m > len(x) // 4:
        return True
    drawn = np.sort(x[np.random.default_rng(0).choice(len(x), m, replace=False, shuffle=False)])
    return bool(np.count_nonzero(drawn[1:] == drawn[:-1]) > 128 * (1 / LEVELS - 1) / 5)


def spikes(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of samples of x (n,) that stand alone far from their neighbours, and how far they are off.

    >>> x = np.sin(np.arange(200.0) / 20)
    >>> x[[20, 21, 90]] = -9999
    >>> spikes(x)[0].tolist()
    [20, 21, 90]
    """
    bad = np.zeros(len(x), bool)
    if len(x) < 10:
        return np.zeros(0, int), np.zeros(0)
    for rows in sentinels(x).values():
        bad[rows] = True
    for _ in range(PASSES):
        left = np.flatnonzero(~bad)
        found = _singles(x if len(left) == len(x) else x[left])
        if not len(found) or bad.sum() + len(found) > (SINGLES + CODES) * len(x):
            break
        bad[left[found]] = True
    at, left = np.flatnonzero(bad), np.flatnonzero(~bad)
    return at, np.abs(x[at] - x[_nearest(left, at)])


def sentinels(x: np.ndarray) -> dict[float, np.ndarray]:
    """Rows of each value that x (n,) takes again and again for a few samples, far from those beside: −9999, 0, 1e38.

    Such a value stands for a sample that was not taken. Levels of a pulse differ by noise, or are all there is.
    """
    steps = np.abs(np.diff(x))
    limit = SPIKE * _usual(steps)
    if limit == 0 or np.count_nonzero(steps > limit) < 4:
        return {}
    changes = np.flatnonzero(steps)
    runs = first, end = np.append(0, changes + 1), np.append(changes + 1, len(x))  # of one value each
    into, out = np.append(np.inf, steps)[first] > limit, np.append(steps, np.inf)[end - 1] > limit
    levels = np.sort(x[first[into | out]])
    short = into & out & (end - first <= LONGEST)
    if np.count_nonzero(short) > CODES * len(x):
        return {}
    short[short] = _count(levels, x[first[short]]) > 1
    first, end = first[short], end[short]
    alone = _stands_out(x, _covered(len(x), first, end), first, end, 1.0)
    codes = {}
    for value in np.unique(x[first[alone]]):
        mine = x[first] == value
        rows = _rows_of(value, x, *runs)
        reach = NEAR * float(np.median(np.abs(x[first[mine]] - x[first[mine] - 1])))
        own, near = _count(levels, value), _count(levels, value, reach)
        if min(alone[mine].sum(), len(rows) - 1) > 1 and 2 * alone[mine].sum() >= mine.sum() and near < ALIKE * own:
            codes[float(value)] = rows
    return codes if sum(map(len, codes.values())) <= CODES * len(x) else {}


def _rows_of(value: float, x: np.ndarray, first: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Samples of x (n,) that have a value which stands for none, wherever the motion has not just that value."""
    mine = (x[first] == value) & (end - first <= LONGEST)
    first, end = first[mine], end[mine]
    off, usual, bend = _beside(x, _covered(len(x), first, end), first, end)
    at_end = (first == 0) | (end == len(x))  # what is beside it is on one side only
    clear = (off > np.where(at_end, SPIKE, CLEAR) * usual) & (bend < off)
    return _rows(first[clear], end[clear])


def _count(levels: np.ndarray, value: Any, reach: float = 0.0) -> Any:
    """How many of the sorted levels are within reach of a value, or of each of several."""
    return np.searchsorted(levels, value + reach, "right") - np.searchsorted(levels, value - reach, "left")


def _rows(first: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Samples of runs first … end − 1, one after the other."""
    return np.concatenate([np.arange(a, b) for a, b in zip(first, end)]) if len(first) else np.zeros(0, int)


def _singles(x: np.ndarray) -> np.ndarray:
    """Samples far from the median of five about them: single ones, and pairs where most are single."""
    off = np.abs(_from_median(x))
    limit = max(SPIKE * 0.5 * _usual(np.abs(np.diff(x))), _gap(off), 1e-9 * float(np.ptp(x)))
    far = off > limit
    if not far.any() or np.count_nonzero(far) > 2 * SINGLES * len(x):
        return np.zeros(0, int)
    edges = np.flatnonzero(np.diff(far, prepend=False, append=False))
    first, end = edges[::2], edges[1::2]
    alone = (end - first <= CLUSTER) & _stands_out(x, far, first, end, CROWD)
    single = end - first == 1
    if np.count_nonzero(alone & ~single) > CLUSTERS * np.count_nonzero(alone):  # they are pulses
        alone &= single & (np.count_nonzero(alone & single) <= RARE * len(x))
    rows = _rows(first[alone], end[alone])
    return rows if len(rows) <= SINGLES * len(x) else np.zeros(0, int)


def _gap(off: np.ndarray) -> float:
    """What spikes exceed: eight times what one of a hundred others does, for as many spikes as that holds.

    Noise with long tails has its own measure: there is no such gap in it.
    """
    most = min(int(SINGLES * len(off)) + 1, len(off) - 1)
    below = most + int(RARE * len(off)) + 2
    largest = -np.sort(-(np.partition(off, len(off) - below)[-below:] if below < len(off) else off))
    behind = np.minimum(np.arange(most) + 1 + int(RARE * len(off)), len(largest) - 1)
    held = np.flatnonzero(largest[:most] > USUAL * largest[behind])
    return USUAL * float(largest[behind[held[-1]]]) if len(held) else np.inf


def _stands_out(x: np.ndarray, far: np.ndarray, first: np.ndarray, end: np.ndarray, crowd: float) -> np.ndarray:
    """Which runs first … end − 1 are far from what is beside them, which goes on as if they were not there.

    Where samples that are `far` (n,) are a crowd, a share of those about, or where others have such values too, they
    are the signal's nature.
    """
    off, usual, bend = _beside(x, far, first, end)
    small = np.minimum(np.maximum(USUAL * usual * (end - first + 1) / 2, off / 100), off / 4)
    around = np.clip(first[:, None] + np.arange(-2 * WINDOW, 2 * WINDOW + 1), 0, len(x) - 1)
    visited = np.any(~far[around] & (np.abs(x[around] - x[first][:, None]) < off[:, None] / 4), axis=1)
    crowded = np.mean(far[around[:, WINDOW:-WINDOW]], axis=1) > crowd
    return (off > SPIKE * usual) & (bend <= small) & ~crowded & ~visited


def _beside(
    x: np.ndarray, far: np.ndarray, first: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each run first … end − 1: its distance from what is beside it, the usual step there, and how that goes on.

    What is beside it are three samples on either side that are not `far` (n,).
    """
    rest = np.flatnonzero(~far)
    if len(rest) < 6:
        return np.zeros(len(first)), np.zeros(len(first)), np.full(len(first), np.inf)
    at = np.clip(np.searchsorted(rest, first), 3, len(rest) - 3)[:, None]  # first sample behind, among the rest
    before, after = x[rest[at + np.arange(-3, 0)]], x[rest[at + np.arange(3)]]
    off = np.min([np.abs(x[k] - side) for k in (first, end - 1) for side in (before[:, 2], after[:, 0])], axis=0)
    steps = np.abs(np.diff(x[rest]))
    usual = DEVIATION * np.quantile(steps[np.clip(at + np.arange(-WINDOW, WINDOW), 0, len(steps) - 1)], 0.85, axis=1)
    ends = np.stack([before[:, 2], np.median(before, axis=1), np.median(after, axis=1), after[:, 0]])
    return off, usual, np.max(np.abs(np.diff(ends, axis=0)), axis=0)


def _covered(n: int, first: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Which of n samples runs first … end − 1 cover."""
    edges = np.zeros(n + 1, int)
    np.add.at(edges, first, 1)
    np.add.at(edges, end, -1)
    return np.cumsum(edges[:-1]) > 0


def _usual(y: np.ndarray) -> float:
    """Standard deviation of noise of which y (n,) are magnitudes, by those that are not 0."""
    moving = y[y > 0]
    return 1.4826 * float(np.median(moving)) if len(moving) else 0.0


def _nearest(rows: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The last of the sorted rows before each index; the first where there is none."""
    return rows[np.maximum(np.searchsorted(rows, at) - 1, 0)] if len(rows) else at


def _from_median(x: np.ndarray) -> np.ndarray:
    """Distance of every sample from the median of five about it, in blocks that stay in the processor's cache."""
    padded = np.concatenate([x[:1], x[:1], x, x[-1:], x[-1:]])
    off = np.empty(len(x))
    for first in range(0, len(x), BLOCK):
        rows = slice(first, min(first + BLOCK, len(x)))
        n = rows.stop - first
        np.subtract(x[rows], _median_of_five(*(padded[first + k : first + k + n] for k in range(5))), out=off[rows])
    return off


def _median_of_five(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, e: np.ndarray) -> np.ndarray:
    """By pairs: the least and the largest of four are out, the median is that of the other three."""
    low, high = np.maximum(np.minimum(a, b), np.minimum(c, d)), np.minimum(np.maximum(a, b), np.maximum(c, d))
    low, high = np.minimum(low, high), np.maximum(low, high)
    return np.maximum(low, np.minimum(high, e))
