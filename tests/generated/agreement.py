"""Does the library say the same as the plain route, at one state, in every formulation?

`python -m tests.generated.agreement 0 40` surveys machines by seed and prints what differs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import poinsot
from tests.generated import balance, reference
from tests.generated.closure import turns
from tests.generated.machine import Machine
from tests.generated.mechanisms import random_machine
from tests.generated.motion import drive, random_rates

FORMULATIONS = ("joint", "euler", "rotation-matrix", "embedded")
EPS = np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Question:
    """A state of a machine, and the answer by the plain route."""

    machine: Machine
    state: poinsot.State
    answer: reference.Reference
    tolerance: float


@dataclass(frozen=True)
class Difference:
    """How far a result is from the plain route, relative to the largest acceleration and force of the machine."""

    accelerations: float
    reactions: float
    imbalance: float
    undetermined: tuple[str, ...]  # joints whose open components differ

    def within(self, tolerance: float) -> bool:
        """Whether everything agrees."""
        return not self.undetermined and max(self.accelerations, self.reactions, self.imbalance) <= tolerance

    def __str__(self) -> str:
        text = f"accelerations {self.accelerations:.1e}, reactions {self.reactions:.1e}, balance {self.imbalance:.1e}"
        return text + (f", NaN elsewhere: {', '.join(self.undetermined)}" if self.undetermined else "")


def question(machine: Machine, seed: int) -> Question:
    """A random state at home: rates of the named coordinates, forces of the actuators.

    The tolerance is 1e-9, or what round-off of the data does to a machine whose constraints, in the metric of its
    masses, have a large condition number.
    """
    rng, L = np.random.default_rng([seed, 1]), machine.size
    units = {name: 1.0 if turns(machine, c) else L for name, c in machine.coordinates.items()}
    rates = {name: float(rng.uniform(-1, 1) * np.sqrt(9.81 / L) * unit) for name, unit in units.items()}
    weight = 9.81 * min(body.mass for body in machine.bodies)
    forces = {
        name: float(rng.uniform(-1, 1) * weight * (L if turns(machine, c) else 1.0))
        for name, c in machine.actuators.items()
    }
    V = balance.twists(machine, machine.home, rates)
    answer = reference.solve(machine, machine.home, V, forces)
    return Question(
        machine, poinsot.State(velocity=rates, forces=forces), answer, max(1e-9, 1e3 * EPS * answer.condition)
    )


def difference(asked: Question, result: poinsot.motion.accelerations.Accelerations) -> Difference:
    """Compare a result of `poinsot.accelerations` with the plain route, and balance every body."""
    machine, answer, L = asked.machine, asked.answer, asked.machine.size
    A = np.concatenate([result[body.name] for body in machine.bodies])
    units = np.where(np.arange(len(A)) % 6 < 3, L, 1.0)
    wrong, open_elsewhere = [0.0], []
    for name, wrench in answer.reactions.items():
        given = result.reactions[name]
        if not np.array_equal(np.isnan(given), np.isnan(wrench)) and not _open_nearby(asked, name, given):
            open_elsewhere.append(name)
        apart = np.abs(given - wrench) / np.repeat([1.0, L], 3) / answer.force
        wrong.append(np.max(apart, initial=0.0, where=~np.isnan(apart)))
    account = balance.of_state(machine, result, asked.state.velocity, asked.state.forces)
    off = np.max(np.abs(A - answer.A) / units) / answer.scale
    figures = (x if np.isfinite(x) else np.inf for x in (off, max(wrong), account.worst))
    return Difference(*map(float, figures), tuple(open_elsewhere))


def _open_nearby(asked: Question, name: str, given: np.ndarray) -> bool:
    """Whether a reaction is left open where nearby poses leave it open; in a special pose some of it may be known."""
    machine = asked.machine
    rates = {c: 0.02 * rate for c, rate in random_rates(machine, 0).items()}
    nearby = drive(machine, rates, 1).poses[-1]
    there = reference.solve(machine, nearby, np.zeros(6 * len(machine.bodies)), {}).reactions[name]
    return np.array_equal(np.isnan(given), np.isnan(asked.answer.reactions[name]) | np.isnan(there))


def survey(seeds: range, **wanted) -> Iterator[str]:
    """One line for each formulation that is wrong or refuses, with what reproduces it."""
    for seed in seeds:
        machine = random_machine(seed, **wanted)
        asked = question(machine, seed)
        kinds = " ".join(joint.kind for joint in machine.joints)
        for formulation in FORMULATIONS:
            try:
                result = poinsot.accelerations(machine.mechanism, asked.state, formulation=formulation)
            except Exception as error:
                yield f"seed {seed} {formulation}: {type(error).__name__}: {str(error)[:150]}  [{kinds}]"
                continue
            found = difference(asked, result)
            if not found.within(asked.tolerance):
                yield f"seed {seed} {formulation}: {found} (check {result.check:.0e})  [{kinds}]"


if __name__ == "__main__":
    for line in survey(range(*map(int, sys.argv[1:3]))):
        print(line, flush=True)
