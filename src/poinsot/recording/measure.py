"""Simulated sensors: what a mechanism's sensors would have recorded, with all that is wrong with real ones.

y_k = round(limit(y(t_k − τ) + b_k + n_k)),   b_{k+1} = b_k + w √Δt ξ_k,   n_k = σ η_k     (theory/sensors, eq. 8)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from poinsot.elements.sensors import Sensor
from poinsot.errors import PoinsotError, one_line, one_or_more_names, unknown
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.motion.inverse_dynamics import InverseDynamics
from poinsot.motion.kinematics import Kinematics
from poinsot.motion.signals import GivenMotion, as_motion, as_times, own_times
from poinsot.recording.readings import Readings, readings
from poinsot.recording.recording import RecordedChannel, Recording
from poinsot.simulation.record import Simulation
from poinsot.spatial.algebra import Numbers

__all__ = ["measure", "sensors_to_read"]


def measure(
    mechanism: Mechanism,
    motion: GivenMotion | Kinematics | InverseDynamics | Simulation,
    t: Numbers | None = None,
    *,
    seed: int | None = 0,
    sensors: Sequence[str] | str | None = None,
    perfect: bool = False,
) -> Recording:
    """A recording of a mechanism's sensors along a motion, as if it had been measured.

    `mechanism` has the sensors, with noise, drift, resolution, limit, delay, rate and dropout in its model file;
    `motion` is one by coordinate or a table, as for `kinematics`, a result of kinematics, inverse dynamics or a
    simulation, at times `t` (n,) [s] (default: its own). `seed` of the noise, None for another one each time;
    `sensors` are names (default: all); `perfect` leaves out all imperfections but the rate.

    >>> import poinsot
    >>> arm = poinsot.load("ex800")
    >>> pose = {"x": 0.0, "y": 0.0, "z": 0.275, "rz": 1.0472, "rx": 0.0, "ry": 0.0}
    >>> rec = poinsot.measure(arm, pose | {"x": lambda t: 0.01 * t}, [0.0, 0.01, 0.02], sensors="imu")
    >>> rec["imu.az"].round(2).tolist()
    [9.81, 9.81, 9.81]
    """
    names = sensors_to_read(require_mechanism(mechanism), sensors)
    if not (seed is None or (isinstance(seed, Integral) and seed >= 0)):
        raise PoinsotError(
            f"seed must be a whole number that is not negative, or None, not {one_line(repr(seed), 40)}"
        )
    perfect = perfect is True
    if not isinstance(motion, Kinematics | InverseDynamics | Simulation):
        motion = as_motion(motion, mechanism, t)
    times = _times(motion, t)
    read = _at(readings(mechanism, motion, times, names), times, getattr(motion, "status", ""))
    children = np.random.SeedSequence(None if seed is None else int(seed)).spawn(len(mechanism.sensors))
    generators = dict(zip(mechanism.sensors, map(np.random.default_rng, children)))  # a sensor's noise is its own
    values: dict[str, np.ndarray] = {}
    channels: dict[str, RecordedChannel] = {}
    for name in names:
        sensor = mechanism.sensors[name]
        y = read.by_sensor[name] if perfect else _imperfect(sensor, read, generators[name])
        y = np.where(_sampled(sensor, times)[:, None], y, np.nan)
        for k, (channel, kind) in enumerate(zip(sensor.channels, sensor.quantities())):
            values[channel.name] = y[:, k]
            noise = 0.0 if perfect else float(sensor.spread("noise")[k])
            channels[channel.name] = RecordedChannel(
                channel.name, channel.unit, kind, name, f"simulated {sensor.kind}", noise
            )
    said = "without imperfections" if perfect else f"with seed {seed}"
    steps = (f"simulated by the sensors of {mechanism.name} {said}", *read.notes)
    return Recording(times, values, channels, steps=steps)


def sensors_to_read(mechanism: Mechanism, sensors: Sequence[str] | str | None) -> tuple[str, ...]:
    """Names of the sensors that are asked for, of all by default, where there are any."""
    names = tuple(mechanism.sensors) if sensors is None else one_or_more_names(sensors, "sensors")
    for name in names:
        if name not in mechanism.sensors:
            raise PoinsotError(unknown("sensor", name, mechanism.sensors))
    if not names:
        raise PoinsotError(f"{mechanism.name} has no sensors: name some in its model file under [sensors]")
    return names


def _times(motion: Any, t: Numbers | None) -> np.ndarray:
    """The times that are asked for, or those that the motion brings along."""
    if t is not None:
        return as_times(t)
    return own_times(motion) if isinstance(motion, Mapping) else as_times(motion.t)


def _at(read: Readings, t: np.ndarray, status: str) -> Readings:
    """Readings at other times, by splines of degree five; `status` says why a simulation ended early."""
    if len(read.t) == len(t) and np.allclose(read.t, t, rtol=0, atol=1e-12):
        return read
    if t[0] < read.t[0] - 1e-12 or t[-1] > read.t[-1] + 1e-12:
        why = f": the simulation {status}" if status else ""
        raise PoinsotError(f"the motion is known from {read.t[0]:g} to {read.t[-1]:g} s, not to {t[-1]:g} s{why}")
    by_sensor = {name: _interpolated(read.t, y, t) for name, y in read.by_sensor.items()}
    return Readings(t, by_sensor, read.notes)


def _interpolated(t: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """y (n, k) at other times; NaN before the first."""
    from scipy.interpolate import make_interp_spline

    known = np.isfinite(y).all(axis=0)
    found = np.full((len(at), y.shape[1]), np.nan)
    found[:, known] = make_interp_spline(t, y[:, known], k=min(5, len(t) - 1))(at)
    found[at < t[0] - 1e-12] = np.nan
    return found


def _imperfect(sensor: Sensor, read: Readings, random: np.random.Generator) -> np.ndarray:
    """Readings (n, k) as a real sensor writes them."""
    t, y, shape = read.t, read.by_sensor[sensor.name], read.by_sensor[sensor.name].shape
    walk, noise = random.standard_normal(shape), random.standard_normal(shape)
    lost = random.random(len(t)) < sensor.dropout
    if float(sensor.delay):
        y = _interpolated(t, y, t - float(sensor.delay))
    w, sigma, step = (np.array(sensor.spread(field), float) for field in ("drift", "noise", "resolution"))
    elapsed = np.sqrt(np.diff(t, prepend=t[0]))[:, None]
    y = y + np.cumsum(w * elapsed * walk, axis=0) + sigma * noise
    limits = np.array([np.inf if x is None else float(x) for x in sensor.spread("limit")])
    y = np.clip(y, -limits, limits)
    rounded = np.round(y / np.where(step > 0, step, 1.0)) * step
    return np.where(lost[:, None], np.nan, np.where(step > 0, rounded, y))


def _sampled(sensor: Sensor, t: np.ndarray) -> np.ndarray:
    """At which times (n,) a sensor takes its samples: the first at or after every tick of its own rate."""
    if sensor.rate is None:
        return np.ones(len(t), bool)
    ticks = np.floor((t - t[0]) * sensor.rate + 1e-6)
    return np.diff(ticks, prepend=-1.0) > 0
