"""What every sensor of a mechanism would read if it were perfect, along a prescribed or a simulated motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.elements.sensors import Sensor
from poinsot.errors import PoinsotError, listing
from poinsot.lazy import casadi
from poinsot.model.mechanism import Mechanism
from poinsot.motion.counted_turns import unwound
from poinsot.motion.inverse_dynamics import InverseDynamics, inverse_dynamics
from poinsot.motion.kinematics import Kinematics, kinematics
from poinsot.recording.sense import sense_of
from poinsot.simulation.record import Simulation
from poinsot.system.stored import stored
from poinsot.system.system import System

__all__ = ["Readings", "readings"]


@dataclass(frozen=True, eq=False)
class Readings:
    """Perfect readings of the sensors of a mechanism at n times."""

    t: np.ndarray  # (n,)  [s]
    by_sensor: dict[str, np.ndarray]  # (n, channels)
    notes: tuple[str, ...] = ()  # what is assumed of the motion


def readings(mechanism: Mechanism, moving: Any, t: Any, wanted: tuple[str, ...]) -> Readings:
    """Readings of sensors along a motion by coordinate at times t, a result of kinematics or inverse dynamics, or a
    simulation.

    Sensors that read forces need the inverse dynamics of a motion, or a simulation.
    """
    forces = any(mechanism.sensors[name].measures_force for name in wanted)
    if isinstance(moving, Mapping):
        moving = (inverse_dynamics if forces else kinematics)(mechanism, moving, t)
    if isinstance(moving, InverseDynamics):
        return _along(moving.kinematics, wanted, moving.forces, moving.reactions)
    if isinstance(moving, Kinematics):
        if forces:
            loads = [name for name in wanted if mechanism.sensors[name].measures_force]
            raise PoinsotError(f"{listing(loads)} read forces: give a motion or its inverse dynamics, not kinematics")
        return _along(moving, wanted, {}, {})
    if isinstance(moving, Simulation):
        return _simulated(moving, wanted)
    raise PoinsotError(f"a motion, its inverse dynamics or a simulation is measured, not {type(moving).__name__}")


def _along(
    moving: Kinematics, wanted: tuple[str, ...], forces: Mapping[str, np.ndarray], reactions: Mapping[str, np.ndarray]
) -> Readings:
    path = moving.path
    read = _evaluated(path.system, path.t, (path.q, path.v, path.a), path.p, wanted, forces, reactions)
    return replace(read, notes=moving.notes)


def _simulated(motion: Simulation, wanted: tuple[str, ...]) -> Readings:
    if np.ndim(motion.q) != 2:
        raise PoinsotError("a batch of simulations is measured one by one")
    states = motion.states()
    needed = any(states.system.mechanism.sensors[name].measures_force for name in wanted)
    reactions = motion.reactions if needed else {}
    return _evaluated(
        states.system, motion.t, (motion.q, motion.v, states.acceleration), states.p, wanted, states.forces, reactions
    )


def _evaluated(
    compiled: System,
    t: np.ndarray,
    state: tuple[np.ndarray, np.ndarray, np.ndarray],
    p: np.ndarray,
    wanted: tuple[str, ...],
    forces: Mapping[str, np.ndarray],
    reactions: Mapping[str, np.ndarray],
) -> Readings:
    """All readings in one native batch; angles are counted beyond a turn."""
    n, elements = len(t), compiled.mechanism.template
    u = np.column_stack([np.zeros((n, 0)), *(forces.get(name, np.zeros(n)) for name in compiled.commands)])
    F = np.column_stack([np.zeros((n, 0)), *(reactions.get(name, np.zeros((n, 6))) for name in elements.joints)])
    flat, rates = _reading_function(compiled, wanted)(*state, np.ascontiguousarray(u), np.ascontiguousarray(F), p)
    by_sensor, first = {}, 0
    for name in wanted:
        sensor = compiled.mechanism.sensors[name]
        part = flat[:, first : first + len(sensor.channels)].copy()
        if sensor.on is not None and sensor.on.unit == "rad":
            part[:, 0] = unwound(t, part[:, 0], rates[:, wanted.index(name)])
        by_sensor[name] = part
        first += len(sensor.channels)
    return Readings(t, by_sensor)


@stored
def _reading_function(compiled: System, wanted: tuple[str, ...]) -> casadi.Function:
    """(q, v, v̇, u, reactions, p) -> readings of the sensors, and the rates of the coordinates that they read."""
    e = compiled.equations
    a, F = casadi.SX.sym("a", e.v.size1()), casadi.SX.sym("F", 6 * len(compiled.elements.joints))
    sense = sense_of(compiled, a, F)
    sensors: list[Sensor] = [compiled.elements.sensors[name] for name in wanted]
    flat = casadi.vertcat(*(casadi.SX(sensor.readings(sense)) for sensor in sensors))
    rates = [casadi.SX(0) if s.on is None else casadi.SX(compiled.along(s.on)[1]) for s in sensors]
    outputs = [casadi.densify(flat), casadi.densify(casadi.vertcat(*rates))]
    return casadi.Function("readings", [e.q, e.v, a, e.u, F, e.p], outputs)
