"""Rows of a run along its motion with some of the recorded coordinates shifted.

W(s* − c) ≈ H W(s*) + W(s* − c) − W(s*)        at some of the rows: what a constant changes is as slow as the motion
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poinsot.estimate.rows.motion import RunMotion, uses_inertial_unit, with_cutoffs
from poinsot.estimate.rows.runs import RunRows, regressor_along
from poinsot.estimate.study import Processing
from poinsot.estimate.unknowns import Unknowns
from poinsot.identifiability.regressor import Regressor
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism
from poinsot.motion.equations import drive_motions
from poinsot.motion.kinematics import followed_path
from poinsot.motion.signals import Measured
from poinsot.recording.motion import recorded_motion

SHARP = 20.0  # of tanh(SHARP ṡ / rms ṡ), dry friction


@dataclass(frozen=True, eq=False)
class ShiftableRun:
    """n rows of a run, and the motion that they are along."""

    rows: RunRows
    mechanism: Mechanism  # with names for all coordinates that were recorded
    motion: Mapping[str, Measured]  # at the times of the rows, by coordinate
    states: States  # as recorded
    plain: Regressor  # there, before the filter
    unknowns: Unknowns

    @property
    def units(self) -> dict[str, str]:
        """Of the coordinates that may be shifted, by name."""
        return {name: self.mechanism.coordinates[name].unit for name in self.motion}

    def shifted(self, shifts: Mapping[str, float]) -> RunRows:
        """The rows if encoders read so much too much, by coordinate [rad or m]."""
        if not any(shifts.values()):
            return self.rows
        moved = {name: replace(one, s=np.asarray(one.s) - shifts.get(name, 0.0)) for name, one in self.motion.items()}
        path = followed_path(self.mechanism, moved, self.rows.t)
        there = States(path.system, path.t, path.q, path.v, path.a, path.p, self.states.size)
        W = _regressor(self.mechanism, there, self.unknowns, self.rows)
        n, c = self.rows.y.shape
        columns = self.rows.W + (W.matrix - self.plain.matrix).reshape(n, c, -1)
        return replace(self.rows, W=columns, known=self.rows.known + (W.rhs - self.plain.rhs).reshape(n, c))

    @property
    def besides(self) -> np.ndarray:
        """Columns (n, c, m) of what else a force may lack: an offset, a spring, friction, drive inertia, a delay."""
        from scipy.integrate import cumulative_trapezoid

        y, found = self.rows.y, []
        compiled = self.states.system
        (flat,) = drive_motions(compiled)(self.states.q, self.states.v, self.states.a, self.states.p)
        drives = dict(zip(compiled.mechanism.actuators, flat.reshape(len(y), 2, -1).transpose(2, 1, 0)))
        for k, name in enumerate(self.plain.channels):
            own = [np.ones(len(y)), np.gradient(np.nan_to_num(y[:, k]), self.rows.t)]
            if name in drives:
                rate, acceleration = drives[name] / (np.std(drives[name], axis=1, keepdims=True) + 1e-300)
                position = cumulative_trapezoid(rate, self.rows.t, initial=0.0)
                own += [position, rate, np.tanh(SHARP * rate), acceleration]
            block = np.zeros((*y.shape, len(own)))
            block[:, k] = np.stack(own, axis=1)
            found.append(block)
        return np.concatenate(found, axis=2)


def shiftable(rows: RunRows, unknowns: Unknowns, processing: Processing, some: slice) -> ShiftableRun | None:
    """A run at some of its rows; None where its motion is not that of encoders alone."""
    recording = rows.recording
    if uses_inertial_unit(recording, processing) or rows.motion.begin is None:
        return None
    chosen = with_cutoffs(processing, recording, unknowns.mechanism)
    smoothing = {"method": chosen.method, "cutoff": chosen.cutoff, "period": chosen.period}
    recorded = recorded_motion(recording, unknowns.mechanism, harmonics=chosen.harmonics, **smoothing)
    t = rows.t[some]
    at = np.searchsorted(recorded.t, t)
    motion = {
        name: Measured(t, *(np.asarray(x)[at] for x in (one.s, one.rate, one.acceleration)))
        for name, one in recorded.motion.items()
    }
    whole, at = rows.motion.states, np.searchsorted(rows.motion.states.t, t)
    p = whole.p if whole.p.ndim == 1 else whole.p[at]
    states = States(whole.system, t, whole.q[at], whole.v[at], whole.a[at], p, whole.size)
    parts = {name: getattr(rows, name)[some] for name in ("t", "y", "W", "known")}
    direction = None if rows.direction is None else rows.direction[some]
    fewer = replace(rows, **parts, direction=direction, noise=None)
    plain = _regressor(recorded.mechanism, states, unknowns, rows)
    return ShiftableRun(fewer, recorded.mechanism, motion, states, plain, unknowns)


def _regressor(mechanism: Mechanism, states: States, unknowns: Unknowns, rows: RunRows) -> Regressor:
    motion = RunMotion(mechanism, states, 0.0, ())
    return regressor_along(motion, unknowns, list(rows.regressor.channels), rows.role)
