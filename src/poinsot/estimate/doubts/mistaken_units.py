"""Units that arrays may be in by mistake, tried on the model: angles in degrees, times in milliseconds.

    y = g τ₀ + friction + drive inertia + offset          τ₀ by the model's own values, g and friction not negative

What is left of the forces is compared, along the recording as it is and as it would be in the other unit. The fit of
an estimate does not tell: along a sine, free masses make up for what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.motion.kinematics import solve_path
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings.explained import by_model, needed
from poinsot.recording.findings.trial import trial_of
from poinsot.recording.motion import position_channels
from poinsot.recording.recording import Clock, Recording

__all__ = ["mistaken_units"]

FEWEST = 50  # samples that are tried
SLOW = 0.5  # a step that hardly any machine is recorded with  [s]
SWING = np.pi  # that an angle moves by, from which on it may be in degrees  [rad]
FITS = 0.5  # part of the forces that may be left in the right unit
DEGREES, TIMES = 0.25, 0.95  # times what is left as it is; inertia at a thousand times the speeds leaves far more


def mistaken_units(recording: Recording, mechanism: Mechanism) -> list[Finding]:
    """The unit that the angles or the times of a placed recording seem to be in, where it is another one."""
    if recording.clock is Clock.COUNTED or len(recording) < 2 * FEWEST:
        return []
    others = [*_other_units(recording, mechanism)]
    as_it_is = _left(recording, mechanism) if others else 0.0
    tried = [(_left(changed, mechanism), finding) for changed, finding in others]
    for left, finding in sorted(tried, key=lambda one: one[0]):
        if left < min(FITS, (TIMES if finding.channel == "t" else DEGREES) * as_it_is):
            percent = f"{100 * left:.2g} % of the forces unexplained, {100 * as_it_is:.3g} % as it is"
            message = f"{finding.message}: the model then leaves {percent}"
            return [replace(finding, amount=1 - left / as_it_is, message=message)]
    return []


def _other_units(recording: Recording, mechanism: Mechanism) -> Iterator[tuple[Recording, Finding]]:
    """The recording as it would be in other units, and what is to be said then."""
    read = [name for name in position_channels(recording, mechanism) if recording.units[name] == "rad"]
    if any(np.nanmax(recording[name]) - np.nanmin(recording[name]) > SWING for name in read):
        them = " and ".join(["it", *(f"'{name}'" for name in read[1:])]) + (" seem" if len(read) > 1 else " seems")
        message, advice = f"{them} to be in degrees", 'give the unit, "deg", or angles in rad'
        finding = Finding("degrees", read[0], "", 0.0, message, advice, Severity.ERROR)
        yield recording.with_channels({name: np.radians(recording[name]) for name in read}, {}), finding
    step = float(np.median(np.diff(recording.t)))
    for unit, factor in (("ms", 1e-3), ("µs", 1e-6)) if step >= SLOW else ():
        message = f"samples are {step:.4g} s apart: times look like {unit} read as s"
        finding = Finding("time unit", "t", "", 0.0, message, "give times in seconds", Severity.ERROR)
        yield replace(recording, abscissa=factor * recording.t), finding


def _left(recording: Recording, mechanism: Mechanism) -> float:
    """Part of the forces that the model's own values leave unexplained; 1 where it cannot make the motion."""
    try:
        trial = trial_of(recording, mechanism)
        if trial is None or len(trial.t) < FEWEST:
            return 1.0
        return by_model(needed(trial, trial.states, solve_path), trial.forces).unexplained
    except PoinsotError:
        return 1.0
