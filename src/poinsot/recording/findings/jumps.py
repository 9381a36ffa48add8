"""Positions that jump from one sample to the next and go on from there: an encoder that slips, rows that are lost.

With steps s_i = x_{i+1} − x_i and their changes c_i = s_i − s_{i−1}, a jump by J in step i has

    c_i ≈ J,   c_{i+1} ≈ −J,   J > 12 σ_c,   J > 3 |c| about it and of all but a few others

A motion that starts, turns or is hit changes its speed: one c is large, or several, but no two against each other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poinsot.errors import listing
from poinsot.model.mechanism import Mechanism
from poinsot.recording.finding import Finding, Severity, spans
from poinsot.recording.motion import position_channels
from poinsot.recording.recording import Axis, Recording

__all__ = ["jump_findings"]

FAR, CLEAR = 12.0, 3.0  # robust deviations of changes; times the largest others
AROUND = 8  # changes on either side
FEW = 5  # jumps: more are the motion's nature
FEWEST = 60  # samples
LATE = 1.5  # usual steps of the clock, over which a motion may go far
COUNTS = 4.0  # least steps between values of an encoder
TURN, SLACK = 2 * np.pi, 0.05  # [rad]; of it, that a jump by whole turns may be off
MOST = 0.6  # of the positions, that jump where rows are lost


def jump_findings(recording: Recording, mechanism: Mechanism) -> Iterator[Finding]:
    """Jumps of positions; of most of them in one sample, where rows seem to be lost."""
    if recording.axis is not Axis.TIME:
        return
    read = position_channels(recording, mechanism)
    jumps = {name: _jumps(recording, name) for name in read}
    at = sorted({k for found in jumps.values() for k in found})
    lost = [k for k in at if len(read) > 1 and sum(k in found for found in jumps.values()) >= MOST * len(read)]
    if lost:
        yield _lost_rows(recording, jumps, lost)
    for name, found in jumps.items():
        if own := {k: jump for k, jump in found.items() if k not in lost}:
            yield _slip(recording, name, own)


def _lost_rows(recording: Recording, jumps: dict[str, dict[int, float]], at: list[int]) -> Finding:
    """That positions jump together in front of some rows."""
    largest = {name: max(found.values(), key=abs) for name, found in jumps.items() if found}
    sizes = listing([f"'{name}' by {_size(recording, name, jump)}" for name, jump in largest.items()])
    who = "all positions" if all(set(at) <= {*found} for found in jumps.values()) else "most positions"
    message = f"{who} jump in one sample, {sizes}: rows seem to be lost"
    advice = "take parts without (from, to), or the times of the device that samples"
    return Finding("rows lost", "", spans(recording.abscissa, at), len(at), message, advice, Severity.ERROR)


def _slip(recording: Recording, name: str, jumps: dict[int, float]) -> Finding:
    """That a position jumps by itself."""
    largest = max(jumps.values(), key=abs)
    often = "it jumps" if len(jumps) == 1 else f"it jumps {len(jumps)} times, at most"
    message = f"{often} by {_size(recording, name, largest)} from one sample to the next, and goes on from there"
    advice = "an encoder that slips, or rows that are lost: take parts without (from, to)"
    return Finding("jump", name, spans(recording.abscissa, jumps), float(largest), message, advice, Severity.ERROR)


def _size(recording: Recording, name: str, jump: float) -> str:
    """A jump with its unit."""
    return f"{jump:.3g} {recording.units[name]}".strip()


def _jumps(recording: Recording, name: str) -> dict[int, float]:
    """Jumps of a channel by the row behind them; none where there are many."""
    rows = np.flatnonzero(recording.mask(name))
    if len(rows) < FEWEST:
        return {}
    t, x = recording.abscissa[rows], recording[name][rows]
    c = np.diff(x, 2)  # (n − 2,), c[k] of the steps before and behind sample k + 1
    size = np.abs(c)
    J = (c[:-1] - c[1:]) / 2  # (n − 3,), of the step behind sample k + 1
    least = np.where(np.signbit(c[:-1]) != np.signbit(c[1:]), np.minimum(size[:-1], size[1:]), 0.0)
    rare = np.partition(size, -2 * FEW - 1)[-2 * FEW - 1]
    grain = float(np.min(np.diff(np.unique(x)), initial=np.inf))
    floor = max(FAR * 1.4826 * float(np.median(size)), CLEAR * rare, COUNTS * grain)
    step, found = np.diff(t), {}
    for k in np.flatnonzero(least > floor):
        beside = np.concatenate([size[max(k - AROUND, 0) : k], size[k + 2 : k + 2 + AROUND]])
        at_once = step[k + 1] < LATE * np.median(step)
        turns = recording.units[name] == "rad" and _whole_turns(float(J[k]))
        if len(beside) >= AROUND and least[k] > CLEAR * beside.max() and at_once and not turns:
            found[int(rows[k + 2])] = float(J[k])
    return found if len(found) <= FEW else {}


def _whole_turns(jump: float) -> bool:
    """Whether an angle jumps by turns, as those do that are kept within one."""
    turns = abs(jump) / TURN
    return turns > 1 - SLACK and abs(turns - round(turns)) < SLACK
