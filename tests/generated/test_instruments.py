"""The instruments themselves: each is held against another route, and each is seen to fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from tests.generated.agreement import difference, question
from tests.generated.balance import moved, of_motion, of_state, twists
from tests.generated.closure import across, freedoms, jacobian, opening, poses_of, rate_row, rows, turns, value
from tests.generated.mechanisms import random_machine, random_mechanism

SOME = range(12)


def test_a_seed_gives_the_same_mechanism_every_time():
    assert random_machine(5).toml == random_machine(5).toml
    assert random_mechanism(5).name == "seed5"


def test_a_hundred_seeds_have_every_joint_and_every_kind_of_machine():
    machines = [random_machine(seed) for seed in range(100)]
    kinds = {joint.kind for machine in machines for joint in machine.joints}
    assert len(kinds) == 11
    assert {law.kind for machine in machines for law in machine.laws} == {
        "spring",
        "damper",
        "friction",
        "drive-inertia",
    }
    loops = {len(machine.joints) - len(machine.bodies) for machine in machines}
    assert {0, 1, 2, 3, 4} <= loops
    assert {machine.planar for machine in machines} == {True, False}
    ratios = [max(b.mass for b in m.bodies) / min(b.mass for b in m.bodies) for m in machines]
    assert max(ratios) > 1e8
    sizes = [machine.size for machine in machines]
    assert min(sizes) < 1e-3 and max(sizes) > 1e3
    assert sum(redundant(machine) for machine in machines) > 20


def redundant(machine) -> bool:
    J = jacobian(machine, machine.home)
    live = np.linalg.norm(J, axis=1) > 1e-12 * np.abs(J).max() if machine.planar else np.ones(len(J), bool)
    return freedoms(machine, machine.home).mobility > (3 if machine.planar else 6) * len(machine.bodies) - live.sum()


@pytest.mark.parametrize("seed", SOME)
def test_joints_are_closed_in_the_pose_of_the_file_and_the_library_starts_there(seed):
    machine = random_machine(seed)
    assert opening(machine, machine.home) < 1e-13
    poses = poinsot.assemble(machine.mechanism).poses
    for body in machine.bodies:
        assert np.max(np.abs(poses[body.name].p - body.p)) < 1e-12 * machine.size
        assert np.max(np.abs(poses[body.name].R - body.R)) < 1e-12


@pytest.mark.parametrize("seed", SOME)
def test_the_jacobian_is_the_derivative_of_the_joints_equations(seed):
    machine = random_machine(seed)
    rng = np.random.default_rng(seed)
    step = rng.uniform(-1, 1, 6 * len(machine.bodies)) * np.tile(
        np.repeat([machine.size, 1.0], 3), len(machine.bodies)
    )
    h = 1e-5

    def phi(poses):
        return np.concatenate([rows(joint, *across(joint, poses)) for joint in machine.joints])

    ahead, behind = (phi(moved(machine, machine.home, sign * h * step)) for sign in (1, -1))
    slope = jacobian(machine, machine.home) @ step
    assert np.max(np.abs((ahead - behind) / (2 * h) - slope)) < 1e-6 * max(1.0, machine.size)


@pytest.mark.parametrize("seed", SOME)
def test_rates_of_coordinates_are_the_derivatives_of_their_values(seed):
    machine = random_machine(seed)
    step = freedoms(machine, machine.home).motions @ np.ones(freedoms(machine, machine.home).mobility)
    h = 1e-5
    for name, c in machine.coordinates.items():
        ahead, behind = (value(machine, c, moved(machine, machine.home, sign * h * step)) for sign in (1, -1))
        unit = 1.0 if turns(machine, c) else machine.size
        change = (ahead - behind + np.pi) % (2 * np.pi) - np.pi if turns(machine, c) else ahead - behind
        assert abs(change / (2 * h) - rate_row(machine, c, machine.home) @ step) < 1e-6 * unit, name


@pytest.fixture(scope="module")
def arm():
    """A machine without loops, its question and a result that is right."""
    machine = random_machine(2, planar=False, overconstrained=False, loops=0, spread=1.0, bodies=3)
    asked = question(machine, 2)
    return machine, asked, poinsot.accelerations(machine.mechanism, asked.state)


def test_a_right_result_passes(arm):
    _, asked, result = arm
    assert difference(asked, result).within(1e-10)


def test_the_balance_sees_a_reaction_of_the_wrong_sign_in_every_joint(arm):
    machine, asked, result = arm
    for name, wrench in result.reactions.items():
        if np.any(wrench):
            wrong = replace(result, reactions=result.reactions | {name: -wrench})
            assert of_state(machine, wrong, asked.state.velocity, asked.state.forces).worst > 1e-3


def test_the_balance_sees_an_acceleration_that_is_slightly_off(arm):
    machine, asked, result = arm
    for body in machine.bodies:
        wrong = replace(result, bodies=result.bodies | {body.name: result[body.name] * (1 + 1e-5)})
        account = of_state(machine, wrong, asked.state.velocity, asked.state.forces)
        assert account.imbalance[body.name] > 1e-8


def test_the_balance_sees_another_velocity_and_a_missing_force(arm):
    machine, asked, result = arm
    faster = {name: 1.01 * rate for name, rate in asked.state.velocity.items()}
    assert of_state(machine, result, faster, asked.state.forces).worst > 1e-6
    for law in machine.laws:
        without = replace(machine, laws=tuple(other for other in machine.laws if other is not law))
        assert of_state(without, result, asked.state.velocity, asked.state.forces).worst > 1e-6, law.name


def test_open_components_cannot_hide_a_wrong_reaction():
    machine = random_machine(20, planar=False, overconstrained=True)
    asked = question(machine, 20)
    assert any(np.isnan(w).any() for w in asked.answer.reactions.values())
    state = asked.state
    V = twists(machine, machine.home, state.velocity)
    assert np.isfinite(V).all()
    result = poinsot.accelerations(machine.mechanism, state, formulation="joint")
    assert of_state(machine, result, state.velocity, state.forces).worst < 1e-10
    known = {
        n: w for n, w in result.reactions.items() if np.nanmax(np.abs(w), initial=0.0) > 0.1 * asked.answer.force
    }
    name, wrench = next(iter(known.items()))
    wrong = replace(result, reactions=result.reactions | {name: -wrench})
    assert of_state(machine, wrong, state.velocity, state.forces).worst > 1e-3


def test_forces_of_a_prescribed_motion_balance_as_well():
    machine = next(m for m in map(random_machine, range(100)) if driven(m))
    motion = {}
    for name, c in machine.coordinates.items():
        start, reach = value(machine, c, machine.home), 0.1 if turns(machine, c) else 0.1 * machine.size
        motion[name] = lambda t, start=start, reach=reach: start + reach * t**2
    result = poinsot.inverse_dynamics(machine.mechanism, motion, [0.0, 0.1, 0.2])
    assert opening(machine, poses_of(machine, result, 2)) < 1e-11
    assert max(of_motion(machine, result, k).worst for k in range(3)) < 1e-10
    name = next(iter(result.forces))
    weaker = replace(result, forces=result.forces | {name: 0.99 * result.forces[name]})
    assert max(of_motion(machine, weaker, k).worst for k in range(3)) > 1e-6


def driven(machine) -> bool:
    on = {(c.joint, c.which) for c in machine.actuators.values()}
    joints = {(c.joint, c.which) for c in machine.coordinates.values()}
    return joints <= on and len(machine.joints) == len(machine.bodies)
