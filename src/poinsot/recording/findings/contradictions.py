"""Encoders beyond the freedoms, compared with the motion that the others prescribe.

r = x − s(s*)          with σ_r² = σ_x² + Σ_k J_k² σ_k²          errors of smoothed values; J by the prescribing ones
"""

from __future__ import annotations

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.model.mechanism import Mechanism
from poinsot.motion.kinematics import solve_path
from poinsot.recording.filtering.differentiate import differentiate
from poinsot.recording.filtering.motion_cutoff import motion_cutoff
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.independent import values_and_slopes
from poinsot.recording.motion import RecordedMotion, position_channels, recorded_motion, with_recorded
from poinsot.recording.recording import Recording

__all__ = ["contradictions"]

SAMPLES, FEWEST = 400, 20  # along the recording that are compared
ENDS = 2.0  # periods of the filters' cut-off that are left out at either end
SURE = 4.0  # times what noise explains
PART = 0.01  # of a coordinate's extent, up to a radian or the machine's size, that is of no account
MOSTLY = 0.8  # of what an encoder is off, that is constant, or that the other sign takes away
WHY = "an offset, the sign or the place of one of these encoders is wrong, or a length of the model"


def contradictions(recording: Recording, mechanism: Mechanism, severity: Severity = Severity.ERROR) -> list[Finding]:
    """Encoders of a placed recording that do not follow from those that prescribe its motion, beyond their noise."""
    try:
        read = position_channels(recording, mechanism)
        cutoff = {name: motion_cutoff(recording, name) for name in read} if len(read) > 1 else {}
        recorded = recorded_motion(recording, mechanism, cutoff=cutoff) if cutoff else None
        rest = {} if recorded is None else {n: place for n, place in read.items() if place not in recorded.motion}
        if recorded is None or not rest:
            return []
        smooth = differentiate(recorded.recording, list(rest), cutoff=cutoff)
        return _compared(
            recording, smooth, recorded, {n: p for n, p in read.items() if n not in rest}, rest, severity
        )
    except PoinsotError:  # no motion, or none that can be followed: told by whoever needs it
        return []


def _compared(
    raw: Recording,
    smooth: Recording,
    recorded: RecordedMotion,
    used: dict[str, str],
    rest: dict[str, str],
    severity: Severity,
) -> list[Finding]:
    """The same for channels of `rest`, whose smoothed values are compared with the motion of the `used` ones."""
    whole, t = with_recorded(recorded.mechanism, rest.values()), smooth.t
    edge = ENDS * max(recorded.edge, float(smooth.constants.get("edge", 0.0)))
    good = np.isfinite(raw.table([*used, *rest])).all(axis=1) & np.isfinite(smooth.table([*used, *rest])).all(axis=1)
    rows = np.flatnonzero(good & (t >= t[0] + edge) & (t <= t[-1] - edge))
    if len(rows) < FEWEST:
        return []
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(SAMPLES, len(rows))).astype(int))]
    path = solve_path(whole, recorded.motion, t[rows])
    s, J = values_and_slopes(path, list(rest.values()), list(recorded.motion))
    noise = np.array([_noise(raw, smooth, name) for place in recorded.motion for name in used if used[name] == place])
    found = []
    for k, (name, place) in enumerate(rest.items()):
        coordinate, sensor = whole.coordinates[place], whole.sensors.get(place)
        x = smooth[name][rows] - float(getattr(sensor, "offset", 0.0))
        turns = coordinate.unit == "rad"
        error = np.hypot(_noise(raw, smooth, name), np.linalg.norm(J[:, k] * noise, axis=1))
        extent = min(float(np.ptp(np.unwrap(s[:, k]) if turns else s[:, k])), 1.0 if turns else path.system.home.size)
        r = _gap(x, s[:, k], turns)
        if _rms(r / np.maximum(error, 1e-300)) > SURE and _rms(r) > PART * extent:
            said = f"it is {_rms(r):.3g} {coordinate.unit} (rms) off what follows from {listing(used)}"
            message = f"{said}{_how(r, _gap(-x, s[:, k], turns), coordinate.unit)}{'' if found else f': {WHY}'}"
            advice = "compare the encoders in a known pose, or leave out the wrong one"
            found.append(Finding("contradicts", name, "", _rms(r), message, advice, severity))
    return found


def _how(r: np.ndarray, flipped: np.ndarray, unit: str) -> str:
    """In which way an encoder is off: r (n,), and the same with the other sign of it."""
    if _rms(flipped - np.mean(flipped)) < (1 - MOSTLY) * _rms(r - np.mean(r)):
        return ", as if it had the other sign"
    mean = float(np.mean(r))
    return f", {mean:+.3g} {unit} of it all along" if abs(mean) > MOSTLY * _rms(r) else ""


def _gap(x: np.ndarray, s: np.ndarray, turns: bool) -> np.ndarray:
    """x − s (n,), without whole turns of angles."""
    r = x - s
    return r - 2 * np.pi * np.rint(r / (2 * np.pi)) if turns else r


def _noise(raw: Recording, smooth: Recording, name: str) -> float:
    """Error of a smoothed channel, with that of its resolution, which no filter takes away."""
    steps = np.abs(np.diff(raw[name][raw.mask(name)]))
    resolution = float(np.min(steps[steps > 0], initial=np.inf))
    return float(np.hypot(smooth.channels[name].noise, resolution / np.sqrt(12) if np.isfinite(resolution) else 0.0))


def _rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))
