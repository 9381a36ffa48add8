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
BLOCK = 1 << 17  # samples that are sorted at once
COARSE = 0.02  # of the standard deviation: a step that matters


def sample_findings(recording: Recording) -> Iterator[Finding]:
    """What is wrong with each channel by itself."""
    t = recording.abscissa
    for name in recording:
        x = recording[name]
        good = np.isfinite(x)
        if good.sum() < 10:
            continue
        values, times = x[good], t[good]
        if np.ptp(values) == 0:
            message = f"it is {values[0]:.6g} {recording.channels[name].unit} all the time"
            yield Finding("constant", name, "", float(values[0]), message, "see whether it is connected and mapped")
            continue
        yield from _clipped(name, times, values)
        yield from _stuck(name, times, values)
        yield from _coarse(name, values, recording.channels[name].unit)
        if len(at := spikes(values)):
            message = (
                f"{len(at)} spikes, the largest {np.max(np.abs(_from_median(values))[at]):.4g} off its neighbours"
            )
            yield Finding("spikes", name, spans(times, at), len(at), message, "mask them (repair=True) or filter")


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


def _clipped(name: str, t: np.ndarray, x: np.ndarray) -> Iterator[Finding]:
    """Plateaus at the extreme values that are entered at speed: a motion that turns slows down first.

    A parabola that stays within one step q of an encoder for L samples is 8 q away L samples before and after.
    """
    if np.mean((x == x.max()) | (x == x.min())) > 0.9:
        return  # a switched signal
    held = _held(x)
    for extreme, word in ((x.max(), "above"), (x.min(), "below")):
        near = np.diff(np.unique(x[np.abs(x - extreme) < 0.01 * np.ptp(x)]))
        quantum = float(np.min(near[near > 1e-9 * np.ptp(x)], initial=1e-3 * np.ptp(x)))
        runs = [(a, b) for a, b in _runs(x == extreme) if b - a >= max(3, held + 1)]
        sharp = [_away(x, a, b) > 8 * SHARP * quantum for a, b in runs]
        samples = np.concatenate([np.arange(a, b) for a, b in runs]) if runs else np.zeros(0, int)
        if len(samples) >= 4 and np.mean(sharp) >= 0.4:
            message = f"it stays at {extreme:.6g} for {len(samples)} samples: clipped {word}"
            advice = "measure with a wider range; mask those samples"
            yield Finding("clipped", name, spans(t, samples), float(extreme), message, advice)


def _stuck(name: str, t: np.ndarray, x: np.ndarray) -> Iterator[Finding]:
    """A value that stays for long and then jumps to where the motion has gone meanwhile."""
    changes = np.concatenate([[-1], np.flatnonzero(np.diff(x) != 0)])
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


def _held(x: np.ndarray) -> int:
    """For how many samples a value usually stays: 99 % of the times no longer."""
    changes = np.flatnonzero(np.diff(x) != 0)
    return int(np.quantile(np.diff(changes), 0.99)) if len(changes) > 1 else 1


def _coarse(name: str, x: np.ndarray, unit: str) -> Iterator[Finding]:
    levels = np.unique(x)
    if len(levels) < 3 or len(levels) > 0.3 * len(x):
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


def _from_median(x: np.ndarray) -> np.ndarray:
    """Distance of every sample from the median of five about it, in blocks."""
    from numpy.lib.stride_tricks import sliding_window_view

    windows = sliding_window_view(np.concatenate([x[:1], x[:1], x, x[-1:], x[-1:]]), 5)
    off = np.empty(len(x))
    for first in range(0, len(x), BLOCK):
        rows = slice(first, first + BLOCK)
        off[rows] = x[rows] - np.partition(windows[rows], 2, axis=1)[:, 2]
    return off


def spikes(x: np.ndarray) -> np.ndarray:
    """Indices of samples that stand alone far from their neighbours on both sides."""
    if len(x) < 10:
        return np.zeros(0, int)
    off = _from_median(x)
    scale = 1.4826 * float(np.median(np.abs(off)))
    jumps = 1.4826 * float(np.median(np.abs(np.diff(x))))
    about = np.abs(np.concatenate([x[1:2], x[2:], x[-2:-1]]) - np.concatenate([x[1:2], x[:-2], x[-2:-1]]))
    usual = 8 * float(np.quantile(np.abs(off), 1 - RARE))  # noise with long tails has its own measure
    limit = np.maximum(max(SPIKE * max(scale, 0.5 * jumps), usual), 4 * about)
    at = np.flatnonzero(np.abs(off) > np.maximum(limit, 1e-9 * np.ptp(x)))
    return at if len(at) <= RARE * len(x) else np.zeros(0, int)
