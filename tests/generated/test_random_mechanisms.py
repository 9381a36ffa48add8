"""Random mechanisms: every formulation against the plain route, at states, along driven and along free motions.

`random_machine(seed, small=True).toml` (without `small` in the slow tests) is the model file of a seed that fails.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import poinsot
from tests.compared import compared, compared_by
from tests.generated.agreement import EPS, FORMULATIONS, difference, question
from tests.generated.closure import freedoms
from tests.generated.free_motion import free_motion
from tests.generated.machine import Machine
from tests.generated.mechanisms import random_machine, varied
from tests.generated.motion import drive, followed, random_rates
from tests.generated.regressor import shown
from tests.generated.share import share

HUNDRED = range(100)
STRUCTURES = range(50)  # each with two sets of masses, directions of gravity and states: a hundred mechanisms
MANY = range(100, 220)


@lru_cache(maxsize=4)
def machine_of(seed: int, small: bool) -> Machine:
    return random_machine(seed, small=small)


def states_agree(machine: Machine, seed: int) -> None:
    """Accelerations, reactions and the balance of every body in four formulations; what differs is listed."""
    asked, wrong = question(machine, seed), []
    report = poinsot.check(machine.mechanism)
    shaky = report.mobility_given > report.mobility  # nobody knows the accelerations there, and `check` says so
    for formulation in FORMULATIONS:
        try:
            result = poinsot.accelerations(machine.mechanism, asked.state, formulation=formulation)
        except Exception as error:
            if not (shaky and isinstance(error, poinsot.PoinsotError)):
                wrong.append(f"{formulation}: {type(error).__name__}: {error}")
            continue
        if shaky:
            wrong += [f"{formulation}: check {result.check:.0e} at a singular pose"] if result.check > 1e-6 else []
            continue
        found = difference(asked, result)
        if not found.within(asked.tolerance):
            wrong.append(f"{formulation}: {found}, tolerance {asked.tolerance:.0e}, check {result.check:.0e}")
        peer = f"plain route in maximal coordinates, random mechanisms ({formulation})"
        compared_by("accelerations of all bodies", peer, found.accelerations)
        compared_by("reactions of all joints", peer, found.reactions)
        compared_by("balance of every body", peer, found.imbalance)
    assert not wrong, "\n".join([f"seed {seed}", *wrong])


def motions_agree(machine: Machine, seed: int, formulation: str) -> None:
    """A driven motion: all joints closed, on the branch of the plain route, rates as they should be."""
    way = drive(machine, random_rates(machine, seed))
    found = followed(way, poinsot.kinematics(machine.mechanism, way.motion, way.t, formulation=formulation))
    tolerance = max(1e-9, 1e4 * EPS * way.condition)
    assert found.opening < 1e-9, found
    assert max(found.poses, found.velocities, found.accelerations) < tolerance, found
    peer = f"plain route in maximal coordinates, random mechanisms ({formulation})"
    error = max(found.poses, found.velocities, found.accelerations)
    compared_by("driven motion: poses, velocities, accelerations", peer, error)


def mobility_agrees(machine: Machine) -> None:
    """The mobility that `check` finds at home is that of our own Jacobian; elsewhere it is never more."""
    report = poinsot.check(machine.mechanism)
    assert report.mobility_given == freedoms(machine, machine.home).mobility, str(report)
    assert report.mobility <= report.mobility_given


OTHERS = share(seed for seed in STRUCTURES if seed % 5)
QUICKLY = [*STRUCTURES[::5], *(pytest.param(seed, marks=pytest.mark.slow) for seed in OTHERS)]


@pytest.mark.parametrize("seed", QUICKLY)
def test_formulations_agree_with_the_plain_route_and_balance_every_body(seed):
    machine = machine_of(seed, True)
    states_agree(machine, seed)
    states_agree(varied(machine, seed), 1000 + seed)


@pytest.mark.parametrize("seed", HUNDRED)
def test_mobility_is_the_rank_of_an_independent_jacobian(seed):
    mobility_agrees(machine_of(seed, True))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(6))
def test_a_driven_machine_keeps_all_joints_closed(seed, formulation):
    motions_agree(machine_of(seed, True), seed, formulation)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(30, 33))
def test_a_free_machine_keeps_its_joints_closed_and_its_reactions_right(seed, formulation):
    moves_freely(machine_of(seed, True), seed, formulation)


def moves_freely(machine: Machine, seed: int, formulation: str) -> None:
    found = free_motion(machine, seed, formulation)
    assert found.status == ""
    assert found.opening < 1e-9, found
    assert found.energy < 1e-8, found
    assert found.at_start < max(1e-9, 1e3 * EPS * found.condition), found
    assert found.later < 1e-5, found


def shows_as_much(seed: int, **wanted) -> None:
    machine = random_machine(seed, plain=True, spread=0.0, **wanted)
    machine = replace(machine, actuators={f"{name}_motor": c for name, c in machine.coordinates.items()})
    rank, gap = shown(machine, seed)
    if gap > 1e3:  # else the motions that we drew do not decide it
        found = len(poinsot.base_parameters(machine.mechanism).independent)
        assert found == rank, f"seed {seed}, gap {gap:.0e}"
        compared("number of base parameters", "rank in maximal coordinates, random mechanisms", found, rank)


@pytest.mark.parametrize("seed", range(4))
def test_base_parameters_are_as_many_as_an_independent_rank(seed):
    shows_as_much(seed, small=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", share(range(500, 540)))
def test_base_parameters_of_larger_machines_are_as_many_as_an_independent_rank(seed):
    shows_as_much(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", share(MANY))
def test_larger_machines_agree_in_many_states(seed):
    machine = machine_of(seed, False)
    states_agree(machine, seed)
    for k in range(5):
        states_agree(varied(machine, 1000 * seed + k), 1000 * seed + k)


@pytest.mark.slow
@pytest.mark.parametrize("first", share(range(1000, 3000, 50)))
def test_mobility_of_thousands(first):
    wrong = []
    for seed in range(first, first + 50):
        try:
            mobility_agrees(random_machine(seed))
        except (AssertionError, poinsot.PoinsotError) as error:
            wrong.append(f"seed {seed}: {error}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", share(range(300, 330)))
def test_larger_driven_machines_keep_all_joints_closed(seed, formulation):
    motions_agree(machine_of(seed, False), seed, formulation)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", share(range(400, 420)))
def test_larger_free_machines_keep_their_joints_closed_and_their_reactions_right(seed, formulation):
    moves_freely(machine_of(seed, False), seed, formulation)


def test_masses_and_sizes_of_the_hundred_go_to_the_extremes():
    machines = [random_machine(seed, small=True) for seed in HUNDRED]
    ratios = [max(b.mass for b in m.bodies) / min(b.mass for b in m.bodies) for m in machines]
    assert max(ratios) > 1e6
    assert min(m.size for m in machines) < 1e-3 and max(m.size for m in machines) > 1e3
    assert len({joint.kind for m in machines for joint in m.joints}) == 11
    assert np.mean([len(m.bodies) for m in machines]) < 3.5
