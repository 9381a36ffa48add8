"""Forces that sampled drives hold, where they act in the mean.

u(t) = u_k   for   t_k ≤ t < t_k + T ,    slow parts of u are those of u_k at t_k + T/2    (theory/estimation, eq. 46)
"""

from __future__ import annotations

from dataclasses import replace

from poinsot.estimate.closed_loop.controllers import Control
from poinsot.estimate.rows.runs import measured_forces
from poinsot.estimate.study import Run
from poinsot.model.mechanism import Mechanism
from poinsot.recording.filtering.in_time import moved_later
from poinsot.recording.place import placed

__all__ = ["with_held_forces"]


def with_held_forces(run: Run, mechanism: Mechanism, control: Control | None) -> Run:
    """A run whose recorded forces of sampled drives are half a period of their controllers later."""
    if control is None or control.rate is None:
        return run
    half, recording = 0.5 / control.rate, run.recording
    drives = {name for name, _ in control.drives}
    whole = placed(recording, mechanism)  # without the repeats of a faster logger
    found = measured_forces(whole, mechanism, run.name)
    held = [channel for place, channel in found.items() if _drive(place, mechanism) in drives]
    t = recording.require_times()
    values = {**recording.values, **{name: moved_later(t, whole[name], half) for name in held}}
    said = f"forces of drives are held for {1e3 / control.rate:.4g} ms: they act half of that later in the mean"
    return replace(run, recording=replace(recording, values=values, steps=(*recording.steps, said)))


def _drive(place: str, mechanism: Mechanism) -> str:
    """The drive whose force a channel of `regressor` is, directly or by a sensor of it; empty: of none."""
    if place in mechanism.actuators:
        return place
    sensor = mechanism.sensors.get(place.removeprefix("sensor "))
    return sensor.actuator if sensor is not None else ""
