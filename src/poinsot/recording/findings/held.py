"""Values that stay: samples that are clipped at an end of the range, and sensors that stand still."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from poinsot.recording.finding import Finding, Severity, spans
from poinsot.recording.recording import Recording

__all__ = ["clipped_findings", "frozen_findings", "held_findings"]

MEDIAN = 0.6745  # of noise: half of it is smaller
STUCK, JUMP = 20, 3.0  # samples of one value at least; times the usual step
SHARP = 3.0  # times as far away as a motion that turns would be
KINK = 0.12  # of the way in the last quarter of the time: a parabola that ends has a sixteenth
FINE, FINEST = 16, 4  # samples, up to which single ones count, and within which a motion may come to rest unseen
AROUND = 200  # samples before and behind that tell noise
ALTERNATING, GRAINS = 0.6, 3.0  # changes of sign of third differences: 0.77 of noise; steps of what is written
NEVER, NEAR = 6, 60  # samples of one value in a row, in noise of some steps; that tell this noise
MANY = 0.02  # of the samples: more that are clipped make results wrong


def clipped_findings(recording: Recording, names: Iterable[str]) -> Iterator[Finding]:
    """Which of some channels are clipped, of a recording that was not inspected."""
    for name in names:
        good = recording.mask(name)
        for finding in held_findings(name, recording.abscissa[good], recording[name][good]):
            if finding.code == "clipped":
                yield finding


def held_findings(name: str, t: np.ndarray, x: np.ndarray) -> Iterator[Finding]:
    """What shows in values that stay: without three samples of one value in a row there is nothing to see."""
    same = x[1:] == x[:-1]
    if (same[1:] & same[:-1]).any():
        changes = np.flatnonzero(~same)
        yield from _clipped(name, t, x, changes)
        yield from _stuck(name, t, x, changes)


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """First and last+1 of every run of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist()))


def _clipped(name: str, t: np.ndarray, x: np.ndarray, changes: np.ndarray) -> Iterator[Finding]:
    """Plateaus at the extreme values that are entered at speed: a motion that turns slows down first.

    A parabola that stays within one step q of an encoder for L samples is 8 q away L samples before and after. What
    has noise of several steps does not stay at all.
    """
    ends = ((x.max(), "above"), (x.min(), "below"))
    at_ends, span = [x == extreme for extreme, _ in ends], ends[0][0] - ends[1][0]
    if sum(map(np.count_nonzero, at_ends)) > 0.9 * len(x):
        return  # a switched signal
    lengths, values = np.diff(changes), x[changes[:-1] + 1]
    lengths = lengths[(values != ends[0][0]) & (values != ends[1][0])]
    held = int(np.quantile(lengths, 0.99)) if len(lengths) else 1  # samples that another value usually stays
    rest = ~(at_ends[0] | at_ends[1])
    bends = np.abs(np.diff(x, 2))[rest[1:-1]]  # plateaus have none
    noise = float(np.median(bends)) / MEDIAN / np.sqrt(6) if len(bends) else 0.0
    grain = _quantum(x, span)
    for (extreme, word), there in zip(ends, at_ends):
        runs = [(a, b) for a, b in _runs(there) if b - a >= max(3, held + 1)]
        if not runs:
            continue
        quantum = _quantum(x[np.abs(x - extreme) < 0.01 * span], span) or max(grain, 1e-3 * span)
        free = np.diff([-len(x), *(end for run in runs for end in run), 2 * len(x)])[::2]  # samples between plateaus
        reach = [
            min(b - a, max(int(least) // 2, FINE)) for (a, b), least in zip(runs, np.minimum(free[:-1], free[1:]))
        ]
        sharp = [_is_cut(x, a, b, far, quantum, max(quantum, noise)) for (a, b), far in zip(runs, reach)]
        sharp = [cut or (extreme != 0 and _never_stays(x, a, b, rest, grain)) for cut, (a, b) in zip(sharp, runs)]
        samples = np.concatenate([np.arange(a, b) for a, b in runs])
        if len(samples) >= 4 and np.mean(sharp) >= 0.4:
            message = f"it stays at {extreme:.6g} for {len(samples)} samples: clipped {word}"
            advice = "measure with a wider range; in a study use parts without (from, to), in Python recording.masked"
            severity = Severity.ERROR if len(samples) > MANY * len(x) else Severity.WARNING
            yield Finding("clipped", name, spans(t, samples), float(extreme), message, advice, severity)


def _never_stays(x: np.ndarray, first: int, end: int, rest: np.ndarray, grain: float) -> bool:
    """Whether samples first … end − 1 of one value are in noise of some grains, by the `rest` (n,) about them."""
    sides = x[:first][rest[:first]][-NEAR:], x[end:][rest[end:]][:NEAR]
    noisy = [_is_noise(side, grain) for side in sides if len(side) > STUCK]
    return end - first >= NEVER and bool(noisy) and all(noisy)


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


def frozen_findings(recording: Recording, name: str, t: np.ndarray, x: np.ndarray) -> Iterator[Finding]:
    """A value that stays where noise never does, by whatever it jumps in the end, while the other channels go on.

    Noise of three steps of what is written is the same in one of seven neighbours: twenty in a row stood still.
    Forces that are zero, at an end of their range or at one value again and again are switched or limited.
    """
    changes = np.concatenate([[-1], np.flatnonzero(x[1:] != x[:-1]), [len(x) - 1]])
    lengths = np.diff(changes)
    k = int(np.argmax(lengths))
    first, end = int(changes[k]) + 1, int(changes[k + 1]) + 1
    value, others = x[first], np.delete(lengths, k)
    if lengths[k] < max(STUCK, 10 * int(np.max(others, initial=1))) or value in (0.0, x.min(), x.max()):
        return
    parts = x[:first], x[end:]
    noisy = all(
        _is_noise(part[-AROUND:] if part is parts[0] else part[:AROUND]) for part in parts if len(part) > STUCK
    )
    if max(map(len, parts)) <= STUCK or not noisy or not _go_on(recording, name, t[first], t[end - 1]):
        return
    seconds = float(t[end - 1] - t[first])
    message = f"it stays at {value:.6g} for {seconds:.4g} s, which its noise never does: it stood still"
    advice = "the sensor or the bus stood still: leave that part out (recording.masked)"
    yield Finding("stuck", name, spans(t, np.arange(first, end)), seconds, message, advice, Severity.ERROR)


def _is_noise(x: np.ndarray, grain: float | None = None) -> bool:
    """Whether samples differ from a smooth motion by noise of some steps of what is written, by default their own."""
    grain = _quantum(x, float(np.ptp(x))) if grain is None else grain
    third = np.diff(x, 3)
    noise = float(np.median(np.abs(third))) / MEDIAN / np.sqrt(20)
    turns = np.mean(np.signbit(third[1:]) != np.signbit(third[:-1]))
    return bool(turns > ALTERNATING and noise > GRAINS * grain and noise > 0)


def _go_on(recording: Recording, name: str, begin: float, end: float) -> bool:
    """Whether all other channels that change from sample to sample do so from begin to end, too."""
    t = recording.abscissa
    within = (t[1:] > begin) & (t[1:] <= end)
    for other in recording:
        changed = (np.diff(recording[other]) != 0) & recording.mask(other)[1:]
        usual = np.mean(changed[~within]) if not within.all() else 0.0
        if other != name and usual > 0.5 and np.mean(changed[within]) < 0.5 * usual:
            return False
    return True


def _quantum(x: np.ndarray, span: float) -> float:
    """The least step between values; 0 where there is one value."""
    steps = np.diff(np.unique(x))
    steps = steps[steps > 1e-9 * span]
    return float(steps.min()) if len(steps) else 0.0


def _is_cut(x: np.ndarray, first: int, end: int, reach: int, quantum: float, grain: float) -> bool:
    """Whether a plateau is entered and left at speed, by samples up to `reach` before and after."""
    sides = [(inner, step) for inner, step in ((first, -1), (end - 1, 1)) if 0 <= inner + step * reach < len(x)]
    return bool(sides) and all(_at_speed(x, inner, step, reach, quantum, grain) for inner, step in sides)


def _at_speed(x: np.ndarray, inner: int, step: int, reach: int, quantum: float, grain: float) -> bool:
    """The same on one side, where the last sample of the plateau is `inner`: samples are far away, and on a line.

    A motion that comes to rest slows down; on some scale it is a parabola.
    """
    scale = reach
    while scale >= min(reach, FINEST):
        away, beside = (abs(float(x[inner + step * k] - x[inner])) for k in (scale, 1 + scale // 4))
        if away <= 8 * SHARP * quantum and scale == reach:
            return False
        if away <= 8 * grain:
            break
        if beside <= _kink(scale) * away + quantum / 2:
            return False
        scale //= 2
    return True


def _kink(scale: int) -> float:
    """Share of the way in the last quarter of so many samples, between that of a parabola and that of a line."""
    near = 1 + scale // 4
    return KINK if scale > FINE else ((near / scale) ** 2 + (near - 1) / (scale - 1)) / 2
