"""Motions of machines by a route of their own: Newton's method on all joints at once, from one sample to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import poinsot
from tests.generated import balance, reference
from tests.generated.closure import (
    LENGTHS,
    across,
    free_columns,
    jacobian,
    natural,
    openings,
    poses_of,
    rate_row,
    rows,
    turns,
    value,
)
from tests.generated.machine import Machine, Poses

RANK = 1e-8  # of the largest singular value: below, a direction is not moved along


@dataclass(frozen=True, eq=False)
class Drive:
    """A motion of the named coordinates, s = start + rate t for t from 0 to 1, and the poses along it."""

    machine: Machine
    start: dict[str, float]
    rate: dict[str, float]
    t: np.ndarray  # (n,)
    poses: list[Poses]  # n
    condition: float  # largest of all constraints and coordinates along the way, in natural scales

    @property
    def motion(self) -> dict:
        """The motion for the library."""

        def line(name: str):
            start, rate = self.start[name], self.rate[name]
            return lambda t: start + rate * t

        return {name: line(name) for name in self.start}


def drive(machine: Machine, rate: dict[str, float], samples: int = 36) -> Drive:
    """Drive a machine from home by given rates, as far as it goes without coming near a singular pose."""
    start = {name: value(machine, c, machine.home) for name, c in machine.coordinates.items()}
    poses, s = [machine.home], dict(start)
    _, first = _step(machine, machine.home, s)
    worst = first
    for k in range(1, samples + 1):
        s = {name: start[name] + rate[name] * k / samples for name in start}
        there, condition = _solved(machine, poses[-1], s)
        if there is None or condition > 3 * first + 20:
            poses = poses[: max(len(poses) - 2, 2)]
            break
        worst = max(worst, condition)
        poses.append(there)
    return Drive(machine, start, rate, np.arange(len(poses)) / samples, poses, worst)


def random_rates(machine: Machine, seed: int) -> dict[str, float]:
    """A full turn of a single angle; swings where there are several freedoms."""
    rng, found = np.random.default_rng([seed, 2]), {}
    for name, c in machine.coordinates.items():
        if not turns(machine, c):
            found[name] = float(rng.uniform(-0.5, 0.5) * machine.size)
        elif c.kind == "angle":
            found[name] = float(rng.uniform(-0.5, 0.5))
        else:
            found[name] = 2 * np.pi if len(machine.coordinates) == 1 else float(rng.uniform(-1.5, 1.5))
    return found


def _solved(machine: Machine, poses: Poses, s: dict[str, float]) -> tuple[Poses | None, float]:
    """Poses with all joints closed and coordinates s, from poses nearby; none where Newton's method fails."""
    for _ in range(12):
        step, condition = _step(machine, poses, s)
        if not np.isfinite(condition) or np.max(np.abs(step), initial=0.0) > 1.0:
            return None, np.inf
        units = np.where(np.arange(6 * len(machine.bodies)) % 6 < 3, machine.size, 1.0)
        full = np.zeros(6 * len(machine.bodies))
        full[free_columns(machine)] = step
        poses = balance.moved(machine, poses, full * units)
        if np.max(np.abs(step), initial=0.0) < 1e-13:
            return poses, condition
    return (poses, condition) if np.max(np.abs(step)) < 1e-11 else (None, np.inf)


def _step(machine: Machine, poses: Poses, s: dict[str, float]) -> tuple[np.ndarray, float]:
    """Newton step of least change in natural scales, and the condition number of what counts."""
    units = np.concatenate([np.where(LENGTHS[j.kind], machine.size, 1.0) for j in machine.joints])
    phi = np.concatenate([rows(joint, *across(joint, poses)) for joint in machine.joints]) / units
    columns = np.where(np.arange(6 * len(machine.bodies)) % 6 < 3, machine.size, 1.0)
    error, slopes = [], []
    for name, c in machine.coordinates.items():
        unit = 1.0 if turns(machine, c) else machine.size
        off = (value(machine, c, poses) - s[name]) / unit
        error.append((off + np.pi) % (2 * np.pi) - np.pi if turns(machine, c) else off)
        slopes.append((rate_row(machine, c, poses) * columns / unit)[free_columns(machine)])
    A = np.vstack([natural(machine, jacobian(machine, poses)), *slopes])
    U, sigma, Vh = np.linalg.svd(A, full_matrices=False)
    counts = sigma > RANK * sigma[0]
    if not counts.all():  # as many twists as the machine has must be told apart
        return np.zeros(A.shape[1]), np.inf
    return -Vh.T @ ((U.T @ np.concatenate([phi, error])) / sigma), float(sigma[0] / sigma[-1])


@dataclass(frozen=True)
class Followed:
    """How far a result of `poinsot.kinematics` is from the plain route, in natural scales."""

    opening: float  # of the joint that opens most
    joint: str
    poses: float
    velocities: float  # relative to the fastest body
    accelerations: float  # violation of the joints and coordinates, relative to the largest acceleration


def followed(way: Drive, result: poinsot.motion.kinematics.Kinematics) -> Followed:
    """Compare a driven motion with the plain route at every sample, rates at some of them."""
    machine, L = way.machine, way.machine.size
    opened, joint = openings(machine, result)
    apart, slow, off = 0.0, 0.0, 0.0
    names = [body.name for body in machine.bodies]
    units = np.tile(np.repeat([L, 1.0], 3), len(names))
    for k in range(len(way.t)):
        for name in names:
            R, p = way.poses[k][name]
            apart = max(
                apart, np.max(np.abs(result.rotation[name][k] - R)), np.max(np.abs(result.position[name][k] - p)) / L
            )
    for k in sorted({0, len(way.t) // 2, len(way.t) - 1}):
        V, A = (
            np.concatenate([np.concatenate([part[name][k] for part in parts]) for name in names]) / units
            for parts in (
                (result.velocity, result.angular_velocity),
                (result.acceleration, result.angular_acceleration),
            )
        )
        expected = balance.twists(machine, way.poses[k], way.rate) / units
        fastest = np.max(np.abs(expected)) or 1.0
        slow = max(slow, np.max(np.abs(V - expected)) / fastest)
        off = max(off, _violation(machine, poses_of(machine, result, k), V * units, A * units))
    found = (x if np.isfinite(x) else np.inf for x in (apart, slow, off))
    return Followed(opened, joint, *map(float, found))


def _violation(machine: Machine, poses: Poses, V: np.ndarray, A: np.ndarray) -> float:
    """J A − γ of the joints, in natural scales, relative to the largest acceleration."""
    row_units = np.concatenate([np.where(LENGTHS[j.kind], machine.size, 1.0) for j in machine.joints])
    units = np.where(np.arange(len(A)) % 6 < 3, machine.size, 1.0)
    gap = (jacobian(machine, poses) @ A - reference.bias(machine, poses, V)) / row_units
    largest = max(np.max(np.abs(A) / units), np.max(np.abs(V) / units) ** 2)
    return float(np.max(np.abs(gap), initial=0.0) / largest) if largest else 0.0
