"""A short free motion of a machine: closure and energy along it, reactions at its start and later on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import poinsot
from tests.generated import balance, reference
from tests.generated.agreement import Question, question
from tests.generated.closure import openings, poses_of
from tests.generated.machine import Machine, Poses

CENTRAL = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])  # first derivative


@dataclass(frozen=True)
class FreeMotion:
    """What was found along a motion."""

    status: str
    opening: float  # largest of any joint, in natural scales
    joint: str
    energy: float  # largest imbalance of energy and work, relative to the largest energy
    at_start: float  # reactions against the plain route, relative to the largest force
    later: float  # the same at a later time, with velocities from differences of the outputs
    condition: float


def free_motion(machine: Machine, seed: int, formulation: str, duration: float = 0.3) -> FreeMotion:
    """Let a machine go from a random state; `duration` is in units of √(size/g), or of what its bodies do faster."""
    asked = question(machine, seed)
    T = duration / np.sqrt(asked.answer.scale)
    h = 0.02 * T
    t = np.concatenate([np.linspace(0, 0.8, 9) * T, (0.9 + 0.02 * np.arange(-4, 5)) * T])
    state = asked.state
    result = poinsot.simulate(
        machine.mechanism, float(t[-1]), t=t, velocity=state.velocity, forces=state.forces, formulation=formulation
    )
    opened, joint = openings(machine, result)
    size = max(np.max(np.abs(result.energy)), asked.answer.force * machine.size)
    energy = np.max(np.abs(result.energy - result.work - result.energy[0])) / size
    if not result.finished:
        return FreeMotion(result.status, opened, joint, float(energy), np.inf, np.inf, asked.answer.condition)
    rates = {name: float(CENTRAL @ result.coordinates[name][-9:]) / h for name in machine.coordinates}
    later = answer(machine, poses_of(machine, result, len(t) - 5), rates, asked)
    reactions = ({name: w[k] for name, w in result.reactions.items()} for k in (0, len(t) - 5))
    apart = [unlike(machine, ref, given) for ref, given in zip((asked.answer, later), reactions)]
    return FreeMotion("", opened, joint, float(energy), *apart, asked.answer.condition)


def answer(machine: Machine, poses: Poses, rates: dict[str, float], asked: Question) -> reference.Reference:
    """Reactions by the plain route at a pose and rates of the named coordinates."""
    return reference.solve(machine, poses, balance.twists(machine, poses, rates), asked.state.forces)


def unlike(machine: Machine, right: reference.Reference, given: dict[str, np.ndarray]) -> float:
    """Largest difference of reactions, relative to the largest force; infinite where other components are open."""
    worst = 0.0
    for name, wrench in right.reactions.items():
        if not np.array_equal(np.isnan(wrench), np.isnan(given[name])):
            return np.inf
        apart = np.abs(given[name] - wrench) / np.repeat([1.0, machine.size], 3) / right.force
        worst = max(worst, float(np.max(apart, initial=0.0, where=~np.isnan(apart))))
    return worst
