"""Angles that were recorded within one turn: the turns are counted again.

A wrapped angle jumps by 2π less one ordinary step. Where ordinary steps are below a quarter turn nothing else does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poinsot.recording.finding import Finding, Severity
from poinsot.recording.recording import Axis, Recording

__all__ = ["unwrapped"]

TURN = 2 * np.pi
QUARTER = TURN / 4  # largest step of a motion whose turns can be counted  [rad]
WITHIN = 1.001  # turns that a wrapped angle stays within
SLACK = 1e-3  # of a turn, that a jump may be off besides two ordinary steps


def unwrapped(recording: Recording) -> Recording:
    """The recording with its positions in rad as continuous angles; what was mended is told by findings and steps."""
    values, findings, steps = dict(recording.values), [], []
    for name, channel in recording.channels.items():
        if channel.kind != "position" or channel.unit != "rad" or recording.axis is not Axis.TIME:
            continue
        good = recording.mask(name)
        jumps = _jumps(recording[name][good])
        if not len(jumps):
            continue
        values[name] = np.array(recording[name])
        values[name][good] = np.unwrap(recording[name][good])
        said = f"it jumps by a whole turn {len(jumps)} times, as angles do that are kept within one"
        first = float(recording.abscissa[good][jumps[0] + 1])
        findings.append(
            Finding(
                "wrapped", name, f"{first:.4g} s", float(len(jumps)), said, "its turns are counted", Severity.NOTE
            )
        )
        steps.append(f"'{name}': turns were counted, {len(jumps)} jumps")
    if not findings:
        return recording
    return replace(recording, values=values, steps=(*recording.steps, *steps)).with_findings(findings)


def _jumps(x: np.ndarray) -> np.ndarray:
    """Numbers of the steps of an angle (n,) [rad] at which a whole turn is missing; none where that is not sure."""
    step = np.diff(x)
    jumps = np.flatnonzero(np.abs(step) > TURN / 2)
    if not len(jumps) or np.ptp(x) > WITHIN * TURN:
        return jumps[:0]
    usual = float(np.max(np.abs(np.delete(step, jumps)), initial=0.0))
    off = np.max(np.abs(np.abs(step[jumps]) - TURN))
    return jumps if usual < QUARTER and off <= 2 * usual + SLACK * TURN else jumps[:0]
