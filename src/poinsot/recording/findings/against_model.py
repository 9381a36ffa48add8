"""What a mechanism could not have done: limits, jumps, impossible motions, power, columns, units, gains, delays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from poinsot.errors import MotionError, PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.motion.kinematics import solve_path
from poinsot.recording.finding import Finding, Severity, spans
from poinsot.recording.findings.delays import Delay, delay_findings, delay_of
from poinsot.recording.findings.explained import Needed, by_model, needed
from poinsot.recording.findings.hypotheses import believed
from poinsot.recording.findings.jumps import jump_findings
from poinsot.recording.findings.mixed_units import FITS, force_unit_findings, time_unit_findings
from poinsot.recording.findings.scales import scales_of
from poinsot.recording.findings.trial import Trial, force_of, trial_of
from poinsot.recording.motion import position_channels
from poinsot.recording.recording import Axis, Clock, Recording

__all__ = ["column_findings", "end_stops", "is_beyond", "model_findings"]

FEWEST = 50  # samples that hypotheses are tried on
TURNS = 4 * np.pi  # an angle that moves by more is asked about  [rad]
GAIN = 4.0  # a force so many times that of the model is asked about


def model_findings(recording: Recording, mechanism: Mechanism) -> list[Finding]:
    """Faults that show only when the mechanism is known."""
    found = [*_limits(recording, mechanism), *_turns(recording, mechanism), *jump_findings(recording, mechanism)]
    trial = _trial(recording, mechanism)
    if trial is None:
        return found
    motion, impossible = _needed(trial)
    delay = cache(lambda: delay_of(trial, motion))
    if said := _columns(trial, motion, delay):
        told = {one.code for one in recording.findings if one.channel == "t"}  # by the clock
        return [*found, *(one for one in said if one.code not in told)]
    late = [*delay_findings(trial, delay())]
    rest = late or [*_power(trial, motion), *_gains(trial, motion)]  # late forces have other powers
    return [*found, *impossible, *rest]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # samples may be as large as numbers go
def column_findings(recording: Recording, mechanism: Mechanism) -> list[Finding]:
    """Columns that look swapped, of the other sign or in another unit; else forces that are late."""
    trial = _trial(recording, mechanism)
    motion = None if trial is None else _needed(trial)[0]
    if trial is None:
        return []
    delay = cache(lambda: delay_of(trial, motion))
    return _columns(trial, motion, delay) or [*delay_findings(trial, delay())]


def _columns(trial: Trial, motion: Needed | None, delay: Callable[[], Delay | None]) -> list[Finding]:
    """What columns should rather be: the times first, as all else hangs on them; forces by their size last."""

    def late() -> float:
        return np.inf if (found := delay()) is None else found.unexplained

    if motion is None:
        return believed(trial, motion, late)
    scales = scales_of(trial, motion)
    said = [*time_unit_findings(scales)] or believed(trial, motion, late)
    return said or [*force_unit_findings(trial, scales)]


def _trial(recording: Recording, mechanism: Mechanism) -> Trial | None:
    """What hypotheses are tried on; None where too little was recorded."""
    if recording.axis is not Axis.TIME or recording.clock is Clock.COUNTED or len(recording) < 2 * FEWEST:
        return None
    try:
        trial = trial_of(recording, mechanism)
    except PoinsotError:  # channels that cannot be differentiated
        return None
    return trial if trial is not None and len(trial.t) >= FEWEST else None


def _limits(recording: Recording, mechanism: Mechanism) -> Iterator[Finding]:
    """Forces and positions beyond the limits of drives and end stops."""
    read = position_channels(recording, mechanism)
    for name, channel in recording.channels.items():
        drive = mechanism.actuators.get(force_of(mechanism, channel))
        if drive is not None:
            yield from _beyond(recording, name, float(drive.lower), float(drive.upper), f"actuator '{drive.name}'")
        for stop, lower, upper in end_stops(mechanism, read[name]) if name in read else ():
            yield from _beyond(recording, name, lower, upper, f"end stop '{stop}'")


def end_stops(mechanism: Mechanism, place: str) -> Iterator[tuple[str, float, float]]:
    """Name, lower and upper end [m or rad] of the end stops of a coordinate or encoder."""
    for stop in mechanism.forces.values():
        simple = stop.simple(0.0)
        if simple is not None and stop.on == _coordinate(mechanism, place):
            yield stop.name, simple.lower, simple.upper


def is_beyond(x: np.ndarray, lower: float, upper: float) -> np.ndarray:
    """Which samples (n,) are beyond limits by more than these may be off."""
    margin = 0.05 * (upper - lower) if np.isfinite(upper - lower) else 0.05 * min(abs(lower), abs(upper))
    return (x < lower - margin) | (x > upper + margin)


def _coordinate(mechanism: Mechanism, place: str) -> object:
    return mechanism.coordinates[place] if mechanism.elements.is_coordinate(place) else mechanism.sensors[place].on


def _beyond(recording: Recording, name: str, lower: float, upper: float, whose: str) -> Iterator[Finding]:
    x = recording[name]
    outside = np.flatnonzero(is_beyond(x, lower, upper))
    if len(outside):
        worst = float(np.nanmax(np.maximum(lower - x, x - upper)))
        message = f"it is up to {worst:.4g} {recording.units[name]} beyond the limits of {whose}"
        where = spans(recording.abscissa, outside)
        yield Finding("beyond limits", name, where, worst, message, "see its unit, gain and offset", Severity.ERROR)


def _turns(recording: Recording, mechanism: Mechanism) -> Iterator[Finding]:
    """Angles that move by several turns, unless the shaft does turn."""
    counted = {finding.channel for finding in recording.findings if finding.code == "wrapped"}
    coupled = {angle for coupling in mechanism.elements.couplings.values() for angle in coupling.angles}
    for name, place in position_channels(recording, mechanism).items():
        if _coordinate(mechanism, place) in coupled:
            continue
        x = recording[name][recording.mask(name)]
        if name not in counted and recording.units[name] == "rad" and len(x) and (extent := float(np.ptp(x))) > TURNS:
            turns = f"'{place}' moves by {extent:.4g} rad, {extent / 2 / np.pi:.1f} turns"
            message = f"{turns}: degrees read as radians, or the angle of a motor?"
            yield Finding("turns", name, "", extent, message, "give its unit or gain in columns=", Severity.WARNING)


def _needed(trial: Trial) -> tuple[Needed | None, list[Finding]]:
    """What the recorded motion needs; None with a finding where the mechanism cannot take the positions."""
    try:
        return needed(trial, trial.states, solve_path), []
    except MotionError as error:
        message = f"the recorded positions are no motion of {trial.mechanism.name}: {error}"
        advice = "see whether positions are swapped, in other units or have offsets"
        channel, where = trial.channels[0], f"from {error.t:g} s"
        return None, [Finding("impossible", channel, where, error.t, message, advice, Severity.ERROR)]
    except PoinsotError:
        return None, []  # too few positions to know the motion


def _power(trial: Trial, motion: Needed | None) -> Iterator[Finding]:
    """Drives that take energy out of the machine all along have the wrong sign: friction needs energy.

    One of several may well do so, with what the others put in.
    """
    if motion is None:
        return
    rates = motion.drives[:, :, 0]
    span = np.ptp(trial.states[:, :, 0], axis=0)
    closed = np.abs(trial.states[-1, :, 0] - trial.states[0, :, 0]) < 0.3 * span
    P = trial.forces * rates
    total = P.sum(axis=1)
    if not closed.all() or not np.mean(total) < -0.2 * np.mean(np.abs(total)):
        return
    for name, mean in zip(trial.names, P.mean(axis=0)):
        if mean < 0:
            message = "its mean power is negative over a motion that returns to its start"
            advice = "a drive puts energy in: see the sign of the force, or of the position"
            yield Finding("power", name, "", float(mean), message, advice, Severity.ERROR)


def _gains(trial: Trial, motion: Needed | None) -> Iterator[Finding]:
    """Forces that have the course of the model's and another size: the other side of a gear, or another unit."""
    if motion is None:
        return
    nominal, apart = by_model(motion, trial.forces), scales_of(trial, motion).gain
    told = ~(nominal.hollow | nominal.idle) & [name not in trial.silent for name in trial.names]
    for name, left, gain, own, known in zip(trial.names, nominal.left, nominal.gain, apart, told):
        if known and left < FITS and gain > 0 and not 1 / GAIN < gain < GAIN and not 1 / GAIN < own < GAIN:
            message = f"it is {gain:.3g} times the force of the model, and of the same course"
            advice = "see on which side of the gear it is measured, and its unit"
            yield Finding("gain", name, "", float(gain), message, advice, Severity.WARNING)
