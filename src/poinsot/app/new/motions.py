"""Motions that a machine can follow, and sensors with noise that fits the forces along them.

s_k(t) = s_k0 + A Σ_h a_kh sin(2π h t / T + φ_kh): amplitudes are halved until the machine follows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import tomlkit

import poinsot
from poinsot.app.new.machine import NewMachine, key, quoted
from poinsot.elements.forces import limits_along
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.constraints import Constraints
from poinsot.motion.inverse_dynamics import InverseDynamics
from poinsot.motion.singularity import drive_conditions

PERIOD, RATE = 6.0, 100.0  # [s], [Hz]
HARMONICS = (1, 2, 3, 5)
LARGEST_ANGLE, LARGEST_SHARE = 1.2, 0.12  # amplitudes: [rad], and of the machine's size
SEEDS = (1, 2)  # of the two motions
SLOWER = 0.9  # of the greatest speed that a joint may have
ATTEMPTS = 7  # each with half the amplitude of the one before
KEPT = 0.3  # of the hold that actuators have on the machine in its pose, which a motion must keep
WORSE = 3.0  # times the condition number in its pose, that drives may have on the way
EVERY = 5  # samples at which that is looked at


@dataclass(frozen=True)
class NewMotions:
    """Two motions of a machine, one to identify from and one to validate with."""

    t: np.ndarray  # (n,)  [s]
    first: dict[str, np.ndarray]  # by coordinate (n,)  [m or rad]
    second: dict[str, np.ndarray]
    force: dict[str, tuple[float, float]]  # least and greatest by actuator  [N or N·m]

    def largest(self, name: str) -> float:
        """Largest force of an actuator in either direction  [N or N·m]."""
        return max(map(abs, self.force[name]))


def motions_of(machine: NewMachine) -> NewMotions:
    """Motions about the model's pose, as large as the machine follows far from singular poses."""
    t = np.arange(0, round(PERIOD * RATE) + 1) / RATE
    middle, largest = _ranges(machine, poinsot.assemble(machine.mechanism), t)
    home = _moved(machine, {name: np.full(6, middle[name]) for name in machine.moved}, t[:6])
    hold, condition = home.check.min(), _condition(home)
    failure = ""
    for attempt in range(ATTEMPTS):
        size = 0.5**attempt
        waves = (_waves(machine, t, seed) for seed in SEEDS)
        first, second = ({n: middle[n] + size * largest[n] * wave for n, wave in w.items()} for w in waves)
        try:
            found = [_moved(machine, motion, t) for motion in (first, second)]
        except PoinsotError as error:
            failure = str(error)
            continue
        held = min(one.check.min() for one in found) > KEPT * hold
        if held and max(map(_condition, found)) < WORSE * condition:
            every = {n: np.concatenate([one.forces[n] for one in found]) for n in found[0].forces}
            return NewMotions(t, first, second, {n: (float(u.min()), float(u.max())) for n, u in every.items()})
        failure = "a singular pose is near"
    raise PoinsotError(f"{machine.mechanism.name} does not follow a small motion about its pose: {failure}")


def _waves(machine: NewMachine, t: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    return {name: _wave(t, k, seed) for k, name in enumerate(machine.moved)}


def _wave(t: np.ndarray, k: int, seed: int) -> np.ndarray:
    """A sum of sines with phases of its own for every coordinate, its largest value 1."""
    random = np.random.default_rng((seed, k))
    parts = [
        random.uniform(0.5, 1.0) * np.sin(2 * np.pi * h * t / PERIOD + random.uniform(0, 2 * np.pi))
        for h in HARMONICS
    ]
    wave = np.sum(parts, axis=0)
    return wave / np.abs(wave).max()


def _moved(machine: NewMachine, motion: dict[str, np.ndarray], t: np.ndarray) -> InverseDynamics:
    """Forces along a motion."""
    return poinsot.inverse_dynamics(machine.mechanism, {n: (t, s) for n, s in motion.items()}, t)


def _condition(moved: InverseDynamics) -> float:
    """Largest condition number of the drives along a motion."""
    return float(np.max(drive_conditions(moved.kinematics, EVERY), initial=1.0))


def _ranges(machine: NewMachine, home: Assembly, t: np.ndarray) -> tuple[dict[str, float], dict[str, float]]:
    """Middle and amplitude of every coordinate, within its end stops and its greatest speed."""
    mechanism = machine.mechanism
    coordinates = [mechanism.coordinates[name] for name in machine.moved]
    held = Constraints(mechanism.elements, tuple(coordinates))
    values = held.evaluate(home.poses)[0][-len(coordinates) :]
    middle, largest = {}, {}
    for k, (name, c, value) in enumerate(zip(machine.moved, coordinates, values)):
        size = LARGEST_ANGLE if c.unit == "rad" else LARGEST_SHARE * home.size
        low, high = limits_along(mechanism.forces.values(), c)
        steepest = max(float(np.abs(np.gradient(_wave(t, k, seed), t)).max()) for seed in SEEDS)
        fastest = SLOWER * machine.rates.get(name, np.inf) / steepest
        largest[name] = min(size, 0.4 * (high - low), fastest)
        middle[name] = float(np.clip(value, low + 1.1 * largest[name], high - 1.1 * largest[name]))
    return middle, largest


def with_drives_that_suffice(machine: NewMachine, motions: NewMotions) -> NewMachine:
    """The machine without limits of drives that give less than the motions need: many a URDF has an effort of 1."""
    limits = {n: drive.excess(motions.force[n]) for n, drive in machine.mechanism.actuators.items()}
    document = tomlkit.parse(machine.text)
    tables = {n: document.get("actuators", {}).get(n, {}) for n, beyond in limits.items() if beyond}
    weak = {n: f"{_told(motions.force[n])} {machine.mechanism.actuators[n].unit}, {limits[n]}" for n in tables}
    for table in tables.values():
        table.pop("limits", None)
    if not weak:
        return machine
    text = tomlkit.dumps(document)
    return replace(machine, text=text, mechanism=poinsot.loads(text), weak=weak)


def _told(force: tuple[float, float]) -> str:
    """That of both which is larger."""
    least, greatest = force
    return f"{greatest:.3g}" if greatest >= -least else f"{least:.3g}"


def with_sensors(machine: NewMachine, motions: NewMotions) -> NewMachine:
    """The machine with an encoder and a force sensor on every actuator that has none."""
    mechanism, lines = machine.mechanism, ["# What is recorded, with the standard deviation of one sample."]
    read = [sensor.on for sensor in mechanism.sensors.values()]
    forces = [sensor.actuator for sensor in mechanism.sensors.values()]
    for name, actuator in mechanism.actuators.items():
        turns, plain, on = actuator.on.unit == "rad", name.replace(".", "_"), actuator.on
        if on not in read and (where := machine.place_of(name)):
            lines += [f"[sensors.{key(plain + '_position')}]", 'type = "encoder"', f"on = {where}"]
            lines += [f'noise = "{"0.02 mrad" if turns else "2 um"}"', ""]
        if name not in forces:
            noise = float(f"{max(0.01 * motions.largest(name), 1e-6):.0e}")
            lines += [f"[sensors.{key(plain + '_force')}]", 'type = "drive-force"', f"actuator = {quoted(name)}"]
            lines += [f'noise = "{noise:g} {actuator.unit}"', ""]
    return machine.with_text("\n".join(lines)) if len(lines) > 1 else machine
