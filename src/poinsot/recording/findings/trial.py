"""A recording as far as hypotheses are tried on it: the motion and the forces at some hundred samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.model.mechanism import Mechanism
from poinsot.motion.signals import Measured, Signal
from poinsot.recording.filtering.differentiate import differentiate
from poinsot.recording.filtering.in_time import in_time
from poinsot.recording.filtering.motion_cutoff import motion_cutoff
from poinsot.recording.filtering.one_clock import on_one_clock
from poinsot.recording.motion import RecordedMotion, position_channels, recorded_motion
from poinsot.recording.recording import RecordedChannel, Recording

__all__ = ["Trial", "force_of", "trial_of"]

SAMPLES = 400  # along the recording
STILL = 1e-9  # of its size: what moves less is constant
WHITE, FLICKER = 1.5, 3  # of 2 for white noise; values of an encoder that stands still between two lines
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
    cutoff: float  # highest of the filters of the positions  [Hz]
    dead: frozenset[str]  # channels that do not change, but for noise

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

    @cached_property
    def silent(self) -> frozenset[str]:
        """Channels that tell nothing about others: dead ones, and forces of drives whose positions are dead."""
        own = zip(self.names, self.own_positions)
        return self.dead | {name for name, k in own if k is not None and self.channels[k] in self.dead}

    @cached_property
    def own_positions(self) -> tuple[int | None, ...]:
        """Number of the recorded coordinate along which each drive acts; None if it was not recorded."""
        known = [self.mechanism.coordinates[c] for c in self.positions]
        drives = [self.mechanism.actuators[name].on for name in self.actuators]
        return tuple(known.index(on) if on in known else None for on in drives)

    def with_kinds_exchanged(self, pairs: Iterable[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
        """States and forces with the columns of positions k and forces j in each other's place."""
        states, forces, smooth = self.states.copy(), self.forces.copy(), self.recorded.recording
        rows = np.searchsorted(smooth.t, self.t)
        for k, j in pairs:
            name, read = self.names[j], smooth[self.channels[k]][rows]
            moved = differentiate(smooth.only(name), [name], cutoff=motion_cutoff(smooth, name))
            found = np.stack([moved[name + end][rows] for end in ("", ".rate", ".acceleration")], axis=1)
            found[:, 0] += self.states[0, k, 0] - read[0]  # the offset of an encoder
            states[:, k], forces[:, j] = found, read
        return states, forces


def trial_of(recording: Recording, mechanism: Mechanism) -> Trial | None:
    """The motion and the forces of a recording, known delays of sensors taken off; None if no forces or no positions
    were recorded."""
    recording = in_time(recording, mechanism)
    read = position_channels(recording, mechanism)
    names = [name for name, channel in recording.channels.items() if force_of(mechanism, channel)]
    if not names or not read:
        return None
    recording = on_one_clock(recording, [*read], names)
    cutoff = {name: motion_cutoff(recording, name) for name in read}
    recorded = recorded_motion(recording, mechanism, cutoff=cutoff)
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
        max(cutoff.values()),
        frozenset(name for name in (*names, *read) if _dead(recording[name][recording.mask(name)], name in read)),
    )


def _dead(x: np.ndarray, position: bool) -> bool:
    """Whether samples (n,) are constant or white noise, for which Σ (xᵢ₊₁ − xᵢ)² / Σ (xᵢ − x̄)² = 2.

    A position is so too if it flickers between a few values, which a force may be switched between.
    """
    if len(x) < 2 or np.ptp(x) <= STILL * np.abs(x).max():
        return True
    if position and len(np.unique(x)) <= FLICKER:
        return True
    return bool(np.sum(np.diff(x) ** 2) > WHITE * np.sum((x - x.mean()) ** 2))


def force_of(mechanism: Mechanism, channel: RecordedChannel) -> str:
    """The actuator whose force or torque a channel holds; "" if it holds none."""
    if channel.kind not in FORCES:
        return ""
    if channel.place in mechanism.actuators:
        return channel.place
    return mechanism.sensors[channel.place].actuator if channel.place in mechanism.sensors else ""
