"""A recording as far as hypotheses are tried on it: the motion and the forces at some hundred samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.model.mechanism import Mechanism
from poinsot.motion.signals import Measured, Signal
from poinsot.recording.motion import RecordedMotion, position_channels, recorded_motion
from poinsot.recording.recording import RecordedChannel, Recording

__all__ = ["Trial", "force_of", "trial_of"]

SAMPLES = 400  # along the recording
FORCES = ("force", "moment", "torque")  # kinds of channels that hold the force of a drive


@dataclass(frozen=True, eq=False)
class Trial:
    """m samples of c coordinates and k drive forces."""

    recorded: RecordedMotion
    t: np.ndarray  # (m,)  [s]
    states: np.ndarray  # (m, c, 3) positions, rates, accelerations
    positions: tuple[str, ...]  # c coordinates
    channels: tuple[str, ...]  # of the positions, c
    forces: np.ndarray  # (m, k)
    names: tuple[str, ...]  # of the forces' channels, k
    actuators: tuple[str, ...]  # k

    @property
    def mechanism(self) -> Mechanism:
        """With names for all coordinates that were recorded."""
        return self.recorded.mechanism

    def motion(self, states: np.ndarray) -> dict[str, Signal]:
        """A motion through other states (m, c, 3) at the same times."""
        return {
            name: Measured(self.t, *(np.ascontiguousarray(states[:, k, j]) for j in range(3)))
            for k, name in enumerate(self.positions)
        }

    def along_drives(self, states: np.ndarray) -> np.ndarray:
        """Rates and accelerations (m, k, 2) of the drives whose own coordinates were recorded; else zero."""
        found = np.zeros((len(states), len(self.actuators), 2))
        for j, name in enumerate(self.actuators):
            on = self.mechanism.actuators[name].on
            same = [k for k, c in enumerate(self.positions) if self.mechanism.coordinates[c] == on]
            if same:
                found[:, j] = states[:, same[0], 1:]
        return found


def trial_of(recording: Recording, mechanism: Mechanism) -> Trial | None:
    """The motion and the forces of a recording; None if no forces or no positions were recorded."""
    read = position_channels(recording, mechanism)
    names = [name for name, channel in recording.channels.items() if force_of(mechanism, channel)]
    if not names or not read:
        return None
    recorded = recorded_motion(recording, mechanism)
    smooth = recorded.recording
    good = np.asarray(np.isfinite(smooth.table([*names, *read])).all(axis=1))
    edge = len(smooth) // 20
    good[:edge] = good[len(good) - edge :] = False
    rows = np.flatnonzero(good)
    rows = rows[np.linspace(0, len(rows) - 1, min(SAMPLES, len(rows))).astype(int)]
    states = np.stack([np.stack(signal.at(recorded.t[rows]), axis=1) for signal in recorded.motion.values()], axis=1)
    back = {place: name for name, place in read.items()}
    return Trial(
        recorded,
        recorded.t[rows],
        states,
        tuple(recorded.motion),
        tuple(back[place] for place in recorded.motion),
        smooth.table(names)[rows],
        tuple(names),
        tuple(force_of(mechanism, recording.channels[name]) for name in names),
    )


def force_of(mechanism: Mechanism, channel: RecordedChannel) -> str:
    """The actuator whose force or torque a channel holds; "" if it holds none."""
    if channel.kind not in FORCES:
        return ""
    if channel.place in mechanism.actuators:
        return channel.place
    return mechanism.sensors[channel.place].actuator if channel.place in mechanism.sensors else ""
