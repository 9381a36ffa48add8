"""Machines with known parameters, simulated by the adaptive integrator, and what their sensors would record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi
import numpy as np

import poinsot
from tests.estimate.machines import SERIAL

SPRUNG = """
format = 1
name = "sprung"
planar = true
gravity = [0, "-9.81 m/s²"]
[parameters]
upper_length = "0.4 m"
[bodies.upper]
mass = "1.2 kg"
com = [0, "-0.2 m"]
inertia = "0.016 kg·m²"
frames.elbow = [0, "-upper_length"]
[bodies.lower]
mass = "0.8 kg"
com = [0, "-0.15 m"]
inertia = "0.006 kg·m²"
[joints.shoulder]
type = "revolute"
between = ["ground", "upper"]
friction = { viscous = "0.03 N·m·s/rad" }
[joints.elbow]
type = "revolute"
between = ["upper.elbow", "lower"]
friction = { viscous = "0.01 N·m·s/rad" }
[forces.spring]
type = "spring"
on = { joint = "elbow" }
stiffness = "1.5 N·m/rad"
[coordinates]
phi1 = { joint = "shoulder" }
phi2 = { joint = "elbow" }
[pose]
phi1 = "30 deg"
phi2 = "-45 deg"
"""
SWING = ("shoulder.viscous", "elbow.viscous", "spring.stiffness")
FRICTION = tuple(f"shoulder{k}.{part}" for k in (1, 2) for part in ("viscous", "coulomb"))


def sprung(folder) -> poinsot.Mechanism:
    """A double pendulum with a spring and damping."""
    file = folder / "sprung.toml"
    file.write_text(SPRUNG)
    return poinsot.load(file)


def off(mechanism: poinsot.Mechanism, names, factor: float = 1.4) -> poinsot.Mechanism:
    """With parameters away from the truth."""
    return mechanism.with_parameters({name: factor * mechanism.parameters[name].value for name in names})


def swing(mechanism: poinsot.Mechanism, t: np.ndarray, noise: float, seed: int, **more: Any) -> poinsot.Recording:
    """A free motion from the model's pose, or another one."""
    run = poinsot.simulate(mechanism, t[-1], t=t, **more)
    return recorded(t, {name: run.coordinates[name] for name in mechanism.coordinates}, {}, noise, seed)


def recorded(
    t: np.ndarray, positions: Mapping[str, np.ndarray], forces: Mapping[str, np.ndarray], noise: float, seed: int
) -> poinsot.Recording:
    rng = np.random.default_rng(seed)
    shaken = {name: x + noise * rng.standard_normal(len(t)) for name, x in positions.items()}
    return poinsot.Recording.of(t, {**shaken, **forces})


def driven(
    mechanism: poinsot.Mechanism,
    t: np.ndarray,
    laws: dict[str, Callable],
    seen: dict[str, str],
    noise: float,
    seed: int,
) -> poinsot.Recording:
    """A motion under laws of (t, s, ṡ): positions of coordinates, by drive, and the forces that the laws gave."""
    run = poinsot.simulate(mechanism, t[-1], t=t, forces=laws)
    s, rates = run.coordinates, run.rates
    forces = {n: np.ravel(np.asarray(law(t, s[seen[n]], rates[seen[n]]))) for n, law in laws.items()}
    return recorded(t, {name: s[name] for name in seen.values()}, forces, noise, seed)


def waves(hold: float, k: float, d: float, s0: float, parts) -> Callable:
    """A force that pulls back to s0, with waves (amplitude, frequency, phase)."""

    def law(t, s, s_dot):
        return hold - k * (s - s0) - d * s_dot + sum(a * casadi.sin(w * t + phase) for a, w, phase in parts)

    return law


FIVE_BAR_LAWS = {
    "shoulder1": waves(0.0, 1.0, 0.0, 2.27, ((0.12, 5, 0), (0.15, 11, 1))),
    "shoulder2": waves(0.0, 1.0, 0.0, 0.87, ((0.12, 6, 2), (0.15, 13, 0))),
}


def five_bar(t: np.ndarray, noise: float, seed: int) -> tuple[poinsot.Mechanism, poinsot.Recording]:
    """A five-bar whose cranks have viscous and Coulomb friction."""
    machine = poinsot.load("five_bar")
    return machine, driven(machine, t, FIVE_BAR_LAWS, {"shoulder1": "q1", "shoulder2": "q2"}, noise, seed)


def pushed(name: str, t: np.ndarray) -> tuple[poinsot.Mechanism, poinsot.Recording, tuple[str, ...], float]:
    """A double pendulum or a five-bar that motors push: a clean recording, unknowns, and the size of its torques."""
    if name == "arm":
        machine, names = SERIAL.mechanism, ("shoulder.viscous", "elbow.viscous", "lower.mass")
        laws = {
            "shoulder": waves(10.0, 60.0, 0.0, 0.35, ((8, 5, 0), (6, 11, 1))),
            "elbow": waves(2.0, 20.0, 0.0, 0.7, ((4, 6, 2), (3, 13, 0))),
        }
        return machine, driven(machine, t, laws, {"shoulder": "q1", "elbow": "q2"}, 0.0, 0), names, 5.0
    machine = poinsot.load("five_bar").with_parameters({"shoulder1.coulomb": 0.0, "shoulder2.coulomb": 0.0})
    names = ("shoulder1.viscous", "shoulder2.viscous", "forearm2.mass")
    return machine, driven(machine, t, FIVE_BAR_LAWS, {"shoulder1": "q1", "shoulder2": "q2"}, 0.0, 0), names, 0.2


def noisy(clean: poinsot.Recording, positions: float, forces: float, seed: int) -> poinsot.Recording:
    """With noise of encoders and of torques."""
    rng = np.random.default_rng(seed)
    sizes = {name: positions if name.startswith("q") else forces for name in clean}
    shaken = {name: clean[name] + size * rng.standard_normal(len(clean.t)) for name, size in sizes.items()}
    return poinsot.Recording.of(clean.t, shaken)


def held_hexapod(t: np.ndarray, noise: float) -> tuple[poinsot.Mechanism, poinsot.Recording, list[str]]:
    """A hexapod that its drives hold about an unstable pose, and the inertia of its platform."""
    hexapod, rng = poinsot.load("hexapod"), np.random.default_rng(0)
    parts = [[(rng.uniform(1, 3), w, rng.uniform(0, 6)) for w in (9.0, 17.0, 26.0)] for _ in range(6)]
    laws = {f"leg{k + 1}": waves(8.5104, 300.0, 10.0, 0.532, parts[k]) for k in range(6)}
    rec = driven(hexapod, t, laws, {name: f"{name}.length" for name in laws}, noise, 1)
    return hexapod, rec, [f"platform.inertia.{axes}" for axes in ("xx", "yy", "zz")]
