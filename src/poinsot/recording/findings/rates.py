"""Velocity channels against the derivatives of their positions: gain, sign, unit and delay."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.filtering.resample import evenly
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.recording import Clock, Recording

__all__ = ["lag", "rate_findings", "velocity_pairs"]

# How names of velocities follow from those of positions.
WORDS = (("pos", "vel"), ("position", "velocity"), ("angle", "rate"), ("theta", "omega"), ("q", "qd"), ("q", "dq"))
WORDS += (("q", "qdot"), ("x", "v"), ("Position", "Velocity"), ("p", "v"))
ALIKE, SURE = 0.8, 0.95  # correlation coefficients
PARTS = 8  # of a recording whose delays are compared
GAINS = ((180 / np.pi, "the velocity is in degrees"), (np.pi / 180, "the position is in degrees"))
GAINS += (
    (1e-3, "times are in milliseconds, or the position in millimetres"),
    (1e3, "the velocity is in millimetres"),
)


def velocity_pairs(recording: Recording) -> list[tuple[str, str]]:
    """Positions and the channels that should be their derivatives, by place or by name."""
    pairs = []
    kinds = {(c.place, c.kind): name for name, c in recording.channels.items() if c.place and c.kind}
    for name, channel in recording.channels.items():
        if channel.kind == "position" and (other := kinds.get((channel.place, "velocity"))):
            pairs.append((name, other))
        elif not channel.kind:
            pairs += [(name, other) for other in _named(name, recording)][:1]
    return pairs


def _named(name: str, recording: Recording) -> Iterator[str]:
    for position, velocity in WORDS:
        pattern = rf"(?<![A-Za-z]){position}(?![a-z])"
        other = re.sub(pattern, velocity, name, count=1)
        if other != name and other in recording:
            yield other


def rate_findings(recording: Recording) -> Iterator[Finding]:
    """Velocities that are not the derivatives of their positions."""
    if recording.clock is Clock.COUNTED or len(recording) < 50:
        return
    for position, velocity in velocity_pairs(recording):
        try:
            t, x = evenly(recording.t, recording[position])
            tv, v = evenly(recording.t, recording[velocity])
        except PoinsotError:
            continue
        v = np.interp(t, tv, v)
        yield from _compared(position, velocity, t, x, v)


def _compared(position: str, velocity: str, t: np.ndarray, x: np.ndarray, v: np.ndarray) -> Iterator[Finding]:
    """Likeness, gain, sign and delay of a velocity v against the derivative of a position x, both at even times t."""
    step = (t[-1] - t[0]) / (len(t) - 1)
    width = max(3, min(int(0.02 / step), len(t) // 50)) | 1
    smooth = (np.convolve(y, np.ones(width) / width, "same")[width:-width] for y in (np.gradient(x, t), v))
    d, w = smooth
    if np.std(d) == 0 or np.std(w) == 0:
        return
    coarse, r = lag(d, w, int(min(len(d) // 4, 0.2 / step + 10)))
    if abs(r) < ALIKE:
        message = f"it is not the derivative of '{position}': their correlation is {r:.2f} at best"
        yield Finding("not the rate", velocity, "", r, message, "see which columns belong together", Severity.ERROR)
        return
    gain, delay, error = _fitted(x, v, step, round(coarse))
    if gain < 0:
        message = f"it is minus the derivative of '{position}'"
        yield Finding("sign", velocity, "", gain, message, "give one of them the gain −1", Severity.ERROR)
    for factor, what in GAINS:
        if abs(abs(gain) / factor - 1) < 0.15:
            message = f"it is {abs(gain):.4g} times the derivative of '{position}': {what}"
            yield Finding("unit", velocity, "", gain, message, "give the units in columns=", Severity.ERROR)
            break
    else:
        if abs(abs(gain) - 1) > 0.1 and abs(r) > SURE:
            message = f"it is {abs(gain):.4g} times the derivative of '{position}'"
            yield Finding("gain", velocity, "", gain, message, "see gear ratio and units of both", Severity.WARNING)
    if abs(delay) > max(0.75 * step, 4 * error) and abs(r) > SURE:
        word = "behind" if delay > 0 else "ahead of"
        message = f"it is {1e3 * abs(delay):.3g} ± {1e3 * error:.1g} ms {word} the derivative of '{position}'"
        advice = "shift one of them; a filter in the drive is a usual cause"
        severity = Severity.NOTE if abs(delay) < 1.5 * step else Severity.WARNING  # one sample: a backward difference
        yield Finding("delay", velocity, "", delay, message, advice, severity)


def _fitted(x: np.ndarray, v: np.ndarray, step: float, shift: int) -> tuple[float, float, float]:
    """Gain g, delay τ and its standard error [s] of v(t) = g ẋ(t − τ), near a delay of so many samples.

    x = (∫v + τ v)/g + c + d t        no derivative of x is needed; τ from parts of the recording: its error
    """
    for _ in range(4):  # the equation is linear in a small τ
        a, b = (x[: len(x) - shift], v[shift:]) if shift >= 0 else (x[-shift:], v[:shift])
        total = np.concatenate([[0.0], np.cumsum((b[1:] + b[:-1]) / 2)]) * step
        found = np.array([_part(a[rows], b[rows], total[rows]) for rows in np.array_split(np.arange(len(a)), PARTS)])
        delay = float(np.median(found[:, 1]))
        if abs(delay) < step or abs(shift + round(delay / step)) > len(x) // 4:
            break
        shift += round(delay / step)
    error = 1.4826 * float(np.median(np.abs(found[:, 1] - delay))) / np.sqrt(PARTS)
    return float(np.median(found[:, 0])), shift * step + delay, error


def _part(x: np.ndarray, v: np.ndarray, total: np.ndarray) -> tuple[float, float]:
    """Gain and delay from one part of a recording."""
    A = np.stack([total, v, np.ones(len(x)), np.linspace(-1, 1, len(x))], axis=1)
    c, *_ = np.linalg.lstsq(A / (np.abs(A).max(axis=0) + 1e-300), x, rcond=None)
    c = c / (np.abs(A).max(axis=0) + 1e-300)
    return (1 / c[0], c[1] / c[0]) if c[0] else (np.inf, 0.0)


def lag(a: np.ndarray, b: np.ndarray, most: int) -> tuple[float, float]:
    """By how many samples b is behind a, and their correlation coefficient there, by its largest magnitude.

    >>> x = np.sin(np.arange(400) / 20.0) + np.sin(np.arange(400) / 7.0)
    >>> round(lag(x[10:], x[:-10], 30)[0], 1)
    10.0
    """
    a, b = (y - y.mean() for y in (a, b))
    size = 1 << int(np.ceil(np.log2(2 * len(a))))
    c = np.fft.irfft(np.conj(np.fft.rfft(a, size)) * np.fft.rfft(b, size), size)
    shifts = np.arange(-most, most + 1)
    overlap = 1 - np.abs(shifts) / len(a)
    r = c[shifts] / np.sqrt((a @ a) * (b @ b)) / overlap
    k = int(np.argmax(np.abs(r)))
    if 0 < k < len(r) - 1:
        y0, y1, y2 = np.abs(r[k - 1 : k + 2])
        part = 0.5 * (y0 - y2) / (y0 - 2 * y1 + y2) if y0 - 2 * y1 + y2 else 0.0
    else:
        part = 0.0
    return float(shifts[k] + part), float(np.clip(r[k], -1, 1))
