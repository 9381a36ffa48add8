"""What a mechanism could not have done: columns swapped or flipped, wrong units, delays.

The forces that were recorded are explained by the linear parameters of the model, friction included, along the motion
that was recorded. A hypothesis (two columns are swapped, one has the other sign, an angle is in degrees) is believed
if it explains much more than the recording as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.identifiability.regressor import regressor
from poinsot.model.mechanism import Mechanism
from poinsot.motion.signals import Measured
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.motion import RecordedMotion, position_channels, recorded_motion
from poinsot.recording.recording import Clock, Recording

__all__ = ["model_findings"]

SAMPLES = 400  # along the recording at which hypotheses are tried
BETTER = 0.5  # of the unexplained part that a hypothesis must explain
POOR = 0.05  # unexplained part of the forces below which nothing is asked
LONGEST_DELAY, DELAYS = 0.06, 15  # [s], steps to either side
LESS = 0.8  # of what is unexplained without a delay
TURNS = 4 * np.pi  # an angle that moves by more is asked about  [rad]


def model_findings(recording: Recording, mechanism: Mechanism) -> list[Finding]:
    """Faults that show only when the mechanism is known."""
    found = [*_limits(recording, mechanism), *_angles(recording, mechanism)]
    if recording.clock is Clock.COUNTED or len(recording) < 100:
        return found
    try:
        trial = _trial(recording, mechanism)
    except PoinsotError as error:
        if position_channels(recording, mechanism):
            message = f"the recorded positions are no motion of {mechanism.name}: {error}"
            advice = "see whether positions are swapped, in other units or have offsets"
            found.append(Finding("impossible", "", "", 0.0, message, advice, Severity.ERROR))
        return found
    return found + ([] if trial is None else [*_power(trial), *_hypotheses(trial), *_delay(trial)])


def _limits(recording: Recording, mechanism: Mechanism) -> Iterator[Finding]:
    """Actuator forces beyond their limits."""
    for name, channel in recording.channels.items():
        actuator = mechanism.actuators.get(channel.place) if channel.kind == "force" else None
        limits = getattr(actuator, "limits", None)
        if actuator is None or limits is None:
            continue
        beyond = np.nanmax(np.abs(recording[name])) / max(abs(float(x)) for x in limits)
        if beyond > 1.05:
            message = f"it reaches {beyond:.3g} times the limit of actuator '{channel.place}'"
            yield Finding("beyond limits", name, "", beyond, message, "see its unit and gain", Severity.ERROR)


def _angles(recording: Recording, mechanism: Mechanism) -> Iterator[Finding]:
    """Angles that move by several turns: degrees, unless the shaft does turn."""
    for name, place in position_channels(recording, mechanism).items():
        if (
            recording.units[name] == "rad"
            and (extent := float(np.ptp(recording[name][recording.mask(name)]))) > TURNS
        ):
            message = f"'{place}' moves by {extent:.4g} rad, {extent / 2 / np.pi:.1f} turns: degrees read as radians?"
            yield Finding("degrees", name, "", extent, message, "give its unit in columns=", Severity.WARNING)


@dataclass(frozen=True, eq=False)
class _Trial:
    """A recording as far as hypotheses are tried on it."""

    recorded: RecordedMotion
    t: np.ndarray  # (m,)  [s]
    states: np.ndarray  # (m, c, 3) positions, rates, accelerations
    positions: tuple[str, ...]  # c coordinates
    channels: tuple[str, ...]  # of the positions, c
    forces: np.ndarray  # (m, k)
    names: tuple[str, ...]  # of the forces' channels, k
    actuators: tuple[str, ...]  # k


def _trial(recording: Recording, mechanism: Mechanism) -> _Trial | None:
    """The motion and the forces at some hundred samples; None if no forces were recorded, or too few positions."""
    names = [
        name
        for name, channel in recording.channels.items()
        if channel.kind == "force" and _actuator(mechanism, channel.place)
    ]
    if not names or not position_channels(recording, mechanism):
        return None
    recorded = recorded_motion(recording, mechanism)
    smooth = recorded.recording
    good = np.asarray(np.isfinite(smooth.table(names)).all(axis=1))
    edge = len(smooth) // 20
    good[:edge] = good[len(good) - edge :] = False
    rows = np.flatnonzero(good)
    rows = rows[np.linspace(0, len(rows) - 1, min(SAMPLES, len(rows))).astype(int)]
    states = np.stack([np.stack(signal.at(recorded.t[rows]), axis=1) for signal in recorded.motion.values()], axis=1)
    back = {place: name for name, place in position_channels(recording, mechanism).items()}
    actuators = tuple(_actuator(mechanism, recording.channels[name].place) for name in names)
    return _Trial(
        recorded,
        recorded.t[rows],
        states,
        tuple(recorded.motion),
        tuple(back[place] for place in recorded.motion),
        smooth.table(names)[rows],
        tuple(names),
        actuators,
    )


def _actuator(mechanism: Mechanism, place: str) -> str:
    """The actuator whose force is read at a place; "" if none is."""
    if place in mechanism.actuators:
        return place
    return mechanism.sensors[place].actuator if place in mechanism.sensors else ""


def _columns(trial: _Trial, states: np.ndarray) -> np.ndarray | None:
    """Columns (m, k, p) that explain the forces: of parameters, friction and offsets; None: it is no motion."""
    motion = {
        name: Measured(trial.t, *(np.ascontiguousarray(states[:, k, j]) for j in range(3)))
        for k, name in enumerate(trial.positions)
    }
    try:
        W = regressor(trial.recorded.mechanism, motion, trial.t, list(trial.actuators))
    except PoinsotError:
        return None
    m, k = len(states), len(trial.actuators)
    order = [W.channels.index(name) for name in trial.actuators]
    rates, friction = _rates(trial, states), np.zeros((m, k, 3 * k))
    for j in range(k):
        v = rates[:, j] / (np.std(rates[:, j]) + 1e-300)
        friction[:, j, 3 * j : 3 * j + 3] = np.stack([np.ones(m), v, np.tanh(20 * v)], axis=1)
    return np.concatenate([W.matrix.reshape(m, len(W.channels), -1)[:, order], friction], axis=2)


def _unexplained(columns: np.ndarray | None, forces: np.ndarray) -> float:
    """Part of the forces' variance that no values of the parameters explain; 1 where there is no motion."""
    if columns is None:
        return 1.0
    scale = forces.std(axis=0) + 1e-300
    A = (columns / scale[None, :, None]).reshape(forces.size, -1)
    norms = np.linalg.norm(A, axis=0)
    A = A[:, norms > 0] / norms[norms > 0]
    y = ((forces - forces.mean(axis=0)) / scale).ravel()
    c, *_ = np.linalg.lstsq(A, y, rcond=1e-8)
    return float(np.sum((y - A @ c) ** 2) / (y @ y)) if y.any() else 0.0


def _rates(trial: _Trial, states: np.ndarray) -> np.ndarray:
    """Rates (m, k) that friction of the actuators follows: those of coordinates with the same law, else the first."""
    mechanism = trial.recorded.mechanism
    found = []
    for name in trial.actuators:
        on = mechanism.actuators[name].on
        same = [k for k, c in enumerate(trial.positions) if mechanism.coordinates[c] == on]
        found.append(states[:, same[0], 1] if same else np.zeros(len(states)))
    return np.stack(found, axis=1)


def _hypotheses(trial: _Trial) -> Iterator[Finding]:
    """Columns that explain the forces much better when they are swapped, flipped or taken as degrees."""
    columns = _columns(trial, trial.states)
    as_is = _unexplained(columns, trial.forces)
    if as_is < POOR or len(trial.t) < 50:
        return
    best = min(_tried(trial, columns), key=lambda hypothesis: hypothesis[0], default=None)
    if best is not None and best[0] < BETTER * as_is:
        left, code, channels, advice = best
        message = (
            f"{' and '.join(repr(c) for c in channels)} {_SAID[code]}: the model then leaves {100 * left:.2g} % of "
            f"the forces unexplained, {100 * as_is:.2g} % as it is"
        )
        yield Finding(code, channels[0], "", 1 - left / as_is, message, advice, Severity.ERROR)


_SAID = {"swapped": "look swapped", "sign": "seems to have the other sign", "degrees": "seems to be in degrees"}


def _tried(trial: _Trial, columns: np.ndarray | None) -> Iterator[tuple[float, str, tuple[str, ...], str]]:
    """What every hypothesis leaves unexplained."""
    for i, j in combinations(range(len(trial.names)), 2):
        left = _unexplained(columns, _exchanged(trial.forces, i, j))
        yield left, "swapped", (trial.names[i], trial.names[j]), "exchange the columns"
    for states, code, channels, advice in _other_motions(trial):
        yield _unexplained(_columns(trial, states), trial.forces), code, channels, advice


def _other_motions(trial: _Trial) -> Iterator[tuple[np.ndarray, str, tuple[str, ...], str]]:
    """States with two coordinates exchanged, one flipped, one or all angles in degrees."""
    S = trial.states
    for i, j in combinations(range(S.shape[1]), 2):
        yield _exchanged(S, i, j), "swapped", (trial.channels[i], trial.channels[j]), "exchange the columns"
    turned = np.array([trial.recorded.mechanism.coordinates[name].unit == "rad" for name in trial.positions])
    for k, channel in enumerate(trial.channels):
        one = np.arange(S.shape[1]) == k
        yield np.where(one[None, :, None], -S, S), "sign", (channel,), "give it the gain −1"
        if turned[k]:
            degrees = np.where(one[None, :, None], np.radians(S), S)
            yield degrees, "degrees", (channel,), 'give its unit, "deg"'
    if turned.sum() > 1:
        all_degrees = np.where(turned[None, :, None], np.radians(S), S)
        yield all_degrees, "degrees", tuple(np.array(trial.channels)[turned]), 'give their unit, "deg"'


def _exchanged(x: np.ndarray, i: int, j: int) -> np.ndarray:
    """The array with columns i and j exchanged."""
    order = np.arange(x.shape[1])
    order[[i, j]] = j, i
    return x[:, order]


def _power(trial: _Trial) -> Iterator[Finding]:
    """A drive that takes energy out of the machine all along has the wrong sign: friction needs energy."""
    rates = _rates(trial, trial.states)
    span = np.ptp(trial.states[:, :, 0], axis=0)
    closed = np.abs(trial.states[-1, :, 0] - trial.states[0, :, 0]) < 0.3 * span
    for k, name in enumerate(trial.names):
        P = trial.forces[:, k] * rates[:, k]
        if closed.all() and np.mean(np.abs(P)) > 0 and np.mean(P) < -0.2 * np.mean(np.abs(P)):
            message = "its mean power is negative over a motion that returns to its start"
            advice = "a drive puts energy in: see the sign of the force, or of the position"
            yield Finding("power", name, "", float(np.mean(P)), message, advice, Severity.ERROR)


def _delay(trial: _Trial) -> Iterator[Finding]:
    """Forces that come later or earlier than the motion that needs them."""
    columns, smooth = _columns(trial, trial.states), trial.recorded.recording
    step = 1 / smooth.rate
    lags = np.linspace(-LONGEST_DELAY, LONGEST_DELAY, 2 * DELAYS + 1)
    signals = [(smooth.t[good], smooth[name][good]) for name in trial.names if (good := smooth.mask(name)).any()]
    left = []
    for lag in lags:
        forces = np.stack([np.interp(trial.t + lag, t, x) for t, x in signals], axis=1)
        left.append(_unexplained(columns, forces))
    k = int(np.argmin(left))
    if 0 < k < len(lags) - 1 and left[k] < LESS * left[DELAYS]:
        y0, y1, y2 = left[k - 1 : k + 2]
        delay = lags[k] + 0.5 * (y0 - y2) / (y0 - 2 * y1 + y2) * (lags[1] - lags[0])
        if abs(delay) > step:
            word = "behind" if delay > 0 else "ahead of"
            message = f"the forces are {1e3 * abs(delay):.3g} ms {word} the motion that needs them"
            advice = "shift one of them, or make the delay an unknown"
            yield Finding("delay", trial.names[0], "", float(delay), message, advice, Severity.ERROR)
