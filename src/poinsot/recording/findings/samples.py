"""Faults of single channels: missing, constant, coarse, clipped samples and spikes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poinsot.recording.finding import Finding, Severity, spans
from poinsot.recording.recording import Recording

__all__ = ["missing_findings", "sample_findings", "spikes"]

SPIKE = 12.0  # robust standard deviations from the median of five
STUCK, JUMP = 20, 3.0  # samples of one value at least; times the usual step
SHARP = 3.0  # times as far away as a motion that turns would be
KINK = 0.12  # of the way in the last quarter of the time: a parabola that ends has a sixteenth
RARE = 0.01  # of the samples: more are no spikes but the signal's nature
BLOCK = 1 << 13  # samples that are compared at once
USUAL = 8.0  # times what one of a hundred exceeds
MANY = 0.02  # of the samples: more that are clipped make results wrong
LEVELS = 0.3  # of the samples: with more levels they are not coarse
COARSE = 0.02  # of the standard deviation: a step that matters


def sample_findings(recording: Recording) -> Iterator[Finding]:
    """What is wrong with each channel by itself, but for missing samples and spikes."""
    t = recording.abscissa
    for name in recording:
        x, good = recording[name], recording.mask(name)
        whole = good.all()
        if np.count_nonzero(good) < 10:
            continue
        values, times = (x, t) if whole else (x[good], t[good])
        if np.ptp(values) == 0:
            message = f"it is {values[0]:.6g} {recording.channels[name].unit} all the time"
            yield Finding("constant", name, "", float(values[0]), message, "see whether it is connected and mapped")
            continue
        yield from _held_findings(name, times, values)
        yield from _coarse(name, values, recording.channels[name].unit)


def _held_findings(name: str, t: np.ndarray, x: np.ndarray) -> Iterator[Finding]:
    """What shows in values that stay: without three samples of one value in a row there is nothing to see."""
    same = x[1:] == x[:-1]
    if (same[1:] & same[:-1]).any():
        changes = np.flatnonzero(~same)
        yield from _clipped(name, t, x, changes)
        yield from _stuck(name, t, x, changes)


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
        yield Finding("missing", name, "", 1.0, "it has no samples", "see whether it is mapped", Severity.ERROR)
        return
    step = np.diff(taken)
    if len(step) and step[0] > 1 and np.ptp(step) <= 1:
        message = f"it has a sample in one of {np.mean(step):.3g} rows: it runs on a slower clock"
        yield Finding("slower", name, "", float(np.mean(step)), message, "nothing to do", Severity.NOTE)
        return
    message = f"{len(lost)} of {len(t)} samples ({100 * share:.2g} %) are missing"
    severity = Severity.WARNING if share > 0.001 else Severity.NOTE
    yield Finding("missing", name, spans(t, lost), share, message, "they are masked and not used", severity)


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """First and last+1 of every run of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist()))


def _clipped(name: str, t: np.ndarray, x: np.ndarray, changes: np.ndarray) -> Iterator[Finding]:
    """Plateaus at the extreme values that are entered at speed: a motion that turns slows down first.

    A parabola that stays within one step q of an encoder for L samples is 8 q away L samples before and after.
    """
    ends = ((x.max(), "above"), (x.min(), "below"))
    at_ends, span = [x == extreme for extreme, _ in ends], ends[0][0] - ends[1][0]
    if sum(map(np.count_nonzero, at_ends)) > 0.9 * len(x):
        return  # a switched signal
    held = int(np.quantile(np.diff(changes), 0.99)) if len(changes) > 1 else 1  # samples that a value usually stays
    for (extreme, word), there in zip(ends, at_ends):
        runs = [(a, b) for a, b in _runs(there) if b - a >= max(3, held + 1)]
        if not runs:
            continue
        near = np.diff(np.unique(x[np.abs(x - extreme) < 0.01 * span]))
        quantum = float(np.min(near[near > 1e-9 * span], initial=1e-3 * span))
        sharp = [_away(x, a, b) > 8 * SHARP * quantum for a, b in runs]
        samples = np.concatenate([np.arange(a, b) for a, b in runs])
        if len(samples) >= 4 and np.mean(sharp) >= 0.4:
            message = f"it stays at {extreme:.6g} for {len(samples)} samples: clipped {word}"
            advice = "measure with a wider range; in a study use parts without (from, to), in Python recording.masked"
            severity = Severity.ERROR if len(samples) > MANY * len(x) else Severity.WARNING
            yield Finding("clipped", name, spans(t, samples), float(extreme), message, advice, severity)


def _stuck(name: str, t: np.ndarray, x: np.ndarray, changes: np.ndarray) -> Iterator[Finding]:
    """A value that stays for long and then jumps to where the motion has gone meanwhile."""
    changes = np.concatenate([[-1], changes])
    lengths, sizes = np.diff(changes), np.abs(x[changes[1:] + 1] - x[changes[1:]])
    if len(sizes) < 20:
        return  # a switched signal
    long, usual = np.maximum(STUCK, 10 * np.quantile(lengths, 0.99)), np.quantile(sizes, 0.99)
    for k in np.flatnonzero((lengths >= long) & (sizes > JUMP * usual)):
        rows = np.arange(changes[k] + 1, changes[k + 1] + 1)
        seconds = float(t[rows[-1]] - t[rows[0]])
        message = f"it stays at {x[rows[0]]:.6g} for {seconds:.4g} s and then jumps by {sizes[k]:.4g}"
        advice = "the sensor or the bus stood still: leave that part out (recording.masked)"
        yield Finding("stuck", name, spans(t, rows), seconds, message, advice, Severity.ERROR)


def _away(x: np.ndarray, first: int, end: int) -> float:
    """How far samples are from a plateau, as long before it and after it as it lasts: the lesser of the two.

    0 where the motion comes to rest before the plateau, as by dry friction: there is no kink.
    """
    reach, distances = end - first, []
    for far, near in ((first - reach, first - 1 - reach // 4), (end - 1 + reach, end + reach // 4)):
        if 0 <= far < len(x) and 0 <= near < len(x):
            away, beside = (abs(float(x[k] - x[first])) for k in (far, near))
            distances.append(away if beside > KINK * away else 0.0)
    return min(distances, default=0.0)


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
    """Indices of samples that stand alone far from their neighbours on both sides, and how far they are off."""
    none = np.zeros(0, int), np.zeros(0)
    if len(x) < 10:
        return none
    off = np.abs(_from_median(x))
    apart = np.flatnonzero(off > 4 * _about(x))
    largest = float(np.max(off[apart], initial=0.0))
    if np.count_nonzero(off * USUAL > largest) > RARE * len(x) + 1:
        return none  # the quantile below is larger than any of them
    usual = USUAL * float(np.quantile(off, 1 - RARE))  # noise with long tails has its own measure
    scale, jumps = (1.4826 * float(np.median(y)) for y in (off, np.abs(np.diff(x))))
    limit = max(SPIKE * max(scale, 0.5 * jumps), usual, 1e-9 * float(np.ptp(x)))
    at = apart[off[apart] > limit]
    return (at, off[at]) if len(at) <= RARE * len(x) else none


def _about(x: np.ndarray) -> np.ndarray:
    """Distance of the neighbours of every sample from each other; of the first and the last none."""
    about = np.zeros(len(x))
    np.abs(x[2:] - x[:-2], out=about[1:-1])
    return about


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
