"""Angles that were recorded within one turn: the turns are counted again.

A wrapped angle jumps by 2π less one ordinary step. Where ordinary steps are below a quarter turn nothing else does,
but two recordings that were joined: between rigid end stops that leave no room for the turn, angles stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from poinsot.recording.finding import Finding, Severity
from poinsot.recording.recording import Axis, Recording

__all__ = ["TURN", "unwrapped", "within_a_turn", "without_jumps"]

TURN = 2 * np.pi
QUARTER = TURN / 4  # largest step of a motion whose turns can be counted  [rad]
WITHIN = 1.001  # turns that a wrapped angle stays within
NOISE = 0.02  # of a turn, by which readings within one may be beyond it
SLACK = 1e-3  # of a turn, that a jump may be off besides two ordinary steps
ROOM = 0.05  # of the range between end stops, that an angle may be beyond them for its offset
Limits = Mapping[str, tuple[float, float]]  # of rigid end stops, by channel  [rad]


def unwrapped(recording: Recording, limits: Limits | None = None) -> Recording:
    """The recording with its positions in rad as continuous angles; what was mended is told by findings and steps."""
    values, findings, steps = dict(recording.values), [], []
    for name, channel in recording.channels.items():
        if channel.kind != "position" or channel.unit != "rad" or recording.axis is not Axis.TIME:
            continue
        good = recording.mask(name)
        x = recording[name][good]
        jumps = _jumps(x)
        if not len(jumps):
            continue
        continuous = _between(x, np.unwrap(x), *(limits or {}).get(name, (-np.inf, np.inf)))
        times = "once" if len(jumps) == 1 else f"{len(jumps)} times"
        where, amount = f"{float(recording.abscissa[good][jumps[0] + 1]):.4g} s", float(len(jumps))
        if continuous is None:
            said = f"it jumps by a whole turn {times}, for which its end stops leave no room: it stays as it is"
            advice = "read recordings that were joined one by one"
            forbidden = Finding("jumps", name, where, amount, said, advice, Severity.WARNING)
            findings += [] if forbidden in recording.findings else [forbidden]
            continue
        values[name] = np.array(recording[name])
        values[name][good] = continuous
        said, advice = f"it jumps by a whole turn {times}, as angles do that are kept within one", "turns are counted"
        findings.append(Finding("wrapped", name, where, amount, said, advice, Severity.NOTE, mended=True))
        steps.append(f"'{name}' was kept within one turn and is made continuous: it jumped {times}")
    if not findings:
        return recording
    return replace(recording, values=values, steps=(*recording.steps, *steps)).with_findings(findings)


def without_jumps(x: np.ndarray) -> tuple[np.ndarray, int]:
    """An angle (n,) [rad] made continuous, and how often it jumped by a whole turn; NaN stays."""
    good = np.isfinite(x)
    count = len(_jumps(x[good]))
    if not count:
        return x, 0
    found = np.array(x)
    found[good] = np.unwrap(x[good])
    return found, count


def within_a_turn(x: np.ndarray) -> bool:
    """Whether samples (n,) [rad] are between −180° and 180°, or between 0 and 360°."""
    slack = NOISE * TURN
    return bool(len(x)) and any(x.min() >= low - slack and x.max() <= low + TURN + slack for low in (-TURN / 2, 0.0))


def _jumps(x: np.ndarray) -> np.ndarray:
    """Numbers of the steps of an angle (n,) [rad] at which a whole turn is missing; none where that is not sure."""
    step = np.diff(x)
    jumps = np.flatnonzero(np.abs(step) > TURN / 2)
    if not len(jumps) or np.ptp(x) > WITHIN * TURN:
        return jumps[:0]
    usual = float(np.max(np.abs(np.delete(step, jumps)), initial=0.0))
    off = np.max(np.abs(np.abs(step[jumps]) - TURN))
    return jumps if usual < QUARTER and off <= 2 * usual + SLACK * TURN else jumps[:0]


def _between(x: np.ndarray, continuous: np.ndarray, lower: float, upper: float) -> np.ndarray | None:
    """A continuous angle (n,), with the turns that are between end stops; None where these leave no room for it.

    Where x (n,), as it was recorded, is not between them either, their zero is another, and its range alone counts.
    """
    if not np.isfinite(upper - lower):
        return continuous
    room, middle = ROOM * (upper - lower), (lower + upper - continuous.min() - continuous.max()) / 2
    moved = continuous + TURN * np.rint(middle / TURN)
    for y in (continuous, moved):
        if y.min() > lower - room and y.max() < upper + room:
            return y
    inside = x.min() > lower - room and x.max() < upper + room
    return None if inside or np.ptp(continuous) > upper - lower + room else continuous
