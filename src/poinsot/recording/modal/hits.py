"""Hits of a hammer: where they are, which of them are doubled or overloaded, and the windows that suit them.

The force window keeps the pulse and drops the noise about it; the exponential window e^(−at) goes over force and
response alike, so that H is known on s = iω + a (theory/modal-tests, eq. 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.finding import Finding

__all__ = ["HitBlock", "hit_blocks", "overloads", "pulses", "suited_decay", "undecayed"]

QUIET = 8.0  # standard deviations of the noise that a pulse must exceed
SMALLEST = 0.02  # of the largest force: what is less is no pulse
DOUBLE = 0.05  # of a hit's force: a second pulse of more is a double hit
PLATEAU = 4  # samples at the extreme value, entered at speed, that make an overload
ENOUGH = 1e-3  # of the response: what may be left at the end
LEFT = 0.02  # more than this under the window is a fault


@dataclass(frozen=True, eq=False)
class HitBlock:
    """One record of a test, or one part of a recording: N samples of i forces and o responses."""

    t: np.ndarray  # (N,)  [s]
    force: np.ndarray  # (N, i)
    response: np.ndarray  # (N, o)
    kept: tuple[int, int | None] = (0, None)  # first and last+1 sample of the force that was kept

    @property
    def force_window(self) -> np.ndarray:
        """1 where the force was kept, 0 where its noise was dropped (N,)."""
        window = np.zeros(len(self.t))
        window[slice(*self.kept)] = 1.0
        return window


def pulses(force: np.ndarray) -> list[tuple[int, int]]:
    """First and last+1 sample of every pulse of a force (N,); pulses nearer than their own length are one."""
    size = np.abs(force - np.median(force))
    level = max(QUIET * 1.4826 * float(np.median(size)), SMALLEST * float(size.max(initial=0.0)))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (size > level).astype(int), [0]])))
    found: list[tuple[int, int]] = []
    for a, b in zip(edges[::2].tolist(), edges[1::2].tolist()):
        if found and a - found[-1][1] <= max(3, (found[-1][1] - found[-1][0]) // 2):
            found[-1] = (found[-1][0], b)
        else:
            found.append((a, b))
    return found


def hit_blocks(
    blocks: Sequence[HitBlock], names: Sequence[str], length: float | None, lead: float
) -> tuple[list[HitBlock], list[Finding]]:
    """One block for every good hit, and what is wrong with the others.

    A single block is cut at its hits, `length` [s] long and `lead` [s] before each; several are one hit each. A
    double or overloaded hit is left out if others remain. `names` of the force and of the responses.
    """
    parts = _cut(blocks[0], length, lead) if len(blocks) == 1 and length else list(blocks)
    findings: list[Finding] = []
    good = []
    for part in parts:
        found = [*_double(part, names[0]), *overloads(part, names, mended=True)]
        findings += found
        good += [] if found else [part]
    if not good:
        raise PoinsotError(f"none of {len(parts)} hits can be used: {findings[0].message}")
    return [_force_window(part) for part in good], findings


def _cut(block: HitBlock, length: float, lead: float) -> list[HitBlock]:
    rate = 1 / float(np.median(np.diff(block.t)))
    N, before = round(length * rate), round(lead * rate)
    found, end = [], 0
    for a, _ in pulses(block.force[:, 0]):
        begin = max(a - before, 0)
        if a < end or begin + N > len(block.t):
            continue  # another pulse of the same hit, or a hit whose response was cut off
        part = slice(begin, begin + N)
        found.append(HitBlock(block.t[part], block.force[part], block.response[part]))
        end = begin + N
    if not found:
        raise PoinsotError(f"no hit was found that is followed by {length:g} s of response")
    return found


def _double(part: HitBlock, name: str) -> list[Finding]:
    force = np.abs(part.force[:, 0])
    peaks = [float(force[a:b].max()) for a, b in pulses(part.force[:, 0])]
    at = [float(part.t[a]) for a, _ in pulses(part.force[:, 0])]
    if not peaks:
        return [
            Finding(
                "no hit", name, f"at {part.t[0]:.6g} s", 0.0, "no hit is in this record", "leave it out", mended=True
            )
        ]
    largest = int(np.argmax(peaks))
    second = max((p for k, p in enumerate(peaks) if k != largest), default=0.0)
    if second <= DOUBLE * peaks[largest]:
        return []
    k = peaks.index(second)
    message = f"double hit: a second pulse of {100 * second / peaks[largest]:.0f} % follows the first"
    where = f"at {at[largest]:.6g} and {at[k]:.6g} s"
    return [
        Finding(
            "double hit", name, where, second / peaks[largest], message, "it was left out: hit again", mended=True
        )
    ]


def overloads(part: HitBlock, names: Sequence[str], mended: bool = False) -> list[Finding]:
    """Channels that stay at their extreme value for some samples, entered at speed: the range was too small.

    `mended`: the record is left out because of it.
    """
    findings = []
    for name, x in zip(names, np.concatenate([part.force, part.response], axis=1).T):
        for extreme in (x.max(), x.min()):
            at = np.flatnonzero(x == extreme)
            steps = np.abs(np.concatenate([x[np.maximum(at - 1, 0)], x[np.minimum(at + 1, len(x) - 1)]]) - extreme)
            entered = np.median(steps[steps > 0]) > 0.01 * np.ptp(x) if (steps > 0).any() else False
            if len(at) >= PLATEAU and entered and abs(extreme) > 0.5 * np.abs(x).max():
                message = f"overload: {len(at)} samples stay at {extreme:.4g}"
                where = f"at {part.t[at[0]]:.6g} s"
                advice = "it was left out: measure with a wider range" if mended else "measure with a wider range"
                findings.append(Finding("overload", name, where, float(len(at)), message, advice, mended=mended))
                break
    return findings


def remaining(parts: Sequence[HitBlock]) -> float:
    """Which share of the response is left at the end of the records, noise included: that of the worst channel."""
    tenth = max(len(parts[0].t) // 10, 1)
    ends = np.array([[_rms(y[-tenth:]) for y in p.response.T] for p in parts])
    most = np.array([[_largest_rms(y, tenth) for y in p.response.T] for p in parts])
    return float(np.max(np.median(ends / np.maximum(most, 1e-300), axis=0)))


def suited_decay(parts: Sequence[HitBlock]) -> float:
    """Rate a [1/s] of an exponential window under which a thousandth of the response is left at the end."""
    length = float(parts[0].t[-1] - parts[0].t[0])
    return max(0.0, float(np.log(remaining(parts) / ENOUGH)) / length)


def undecayed(parts: Sequence[HitBlock], decay: float) -> list[Finding]:
    """Responses that are cut off at the end of their record, whatever the window: damping is then less certain."""
    length = float(parts[0].t[-1] - parts[0].t[0])
    share = remaining(parts)
    if share * np.exp(-decay * length) <= LEFT:
        return []
    message = f"{100 * share:.0f} % of the response is left at the end of the records"
    advice = (
        f"record for longer, or use an exponential window (decay={suited_decay(parts):.3g}): its damping is taken off"
    )
    return [Finding("not decayed", "", "", share, message, advice)]


def _rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))


def _largest_rms(x: np.ndarray, tenth: int) -> float:
    """The largest of the tenths."""
    return max(_rms(x[k : k + tenth]) for k in range(0, len(x) - tenth + 1, tenth))


def _force_window(part: HitBlock) -> HitBlock:
    """Nothing but the pulse and as much again on both sides; its edges are the noise's mean."""
    force = part.force.copy()
    found = pulses(force[:, 0])
    a, b = found[int(np.argmax([np.abs(force[a:b, 0]).max() for a, b in found]))]
    keep = (max(a - (b - a), 0), b + (b - a))
    kept = HitBlock(part.t, force - np.median(force, axis=0), part.response, keep)
    return replace(kept, force=kept.force * kept.force_window[:, None])
