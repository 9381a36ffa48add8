"""Driven parallelograms pass their flat poses, in which they could fold, on the branch on which they come.

Closed form: all posts turn alike and no beam turns, so that with posts of length r and a drive θ(t)

    p = p₀ + r (cos θ, sin θ)        of every beam,        power of the drive = dE/dt
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import poinsot
from tests.analysis.test_branches import CrankRocker, away
from tests.generated.agreement import FORMULATIONS
from tests.generated.closure import openings
from tests.generated.linkages import n_four_bar

CHAINS = {
    "one": {"n": 1},
    "two": {"n": 2},
    "five": {"n": 5},
    "one, long": {"n": 1, "spans": (2.3,), "start": 0.7},
    "two, unequal": {"n": 2, "spans": (0.6, 1.7), "start": -2.0},
    "five, unequal": {"n": 5, "spans": (0.6, 1.0, 1.7, 0.9, 1.2), "start": 2.2, "size": 0.03},
    "one, tiny": {"n": 1, "spans": (1.4,), "start": 0.9, "size": 1e-4},
    "two, in space": {"n": 2, "spans": (0.8, 1.3), "start": 1.1, "planar": False, "size": 20.0},
}


@lru_cache(maxsize=16)
def chain(name):
    return n_four_bar(**CHAINS[name])


def lies_flat(name):
    """How far the posts turn from home until they lie flat first."""
    return float(-CHAINS[name].get("start", np.pi / 2) % np.pi)


def is_parallelogram(machine, result, angle, speed, acceleration):
    """Compare all posts and beams with the closed form: poses, velocities, accelerations."""
    home, size, joint = machine.home, machine.size, machine.by_name["A0"]
    axis = np.array([0, 0, 1.0]) if machine.planar else (home[joint.a][0] @ joint.R_A)[:, 2]
    x = home["beam0"][1] - home["post0"][1]
    y = np.cross(axis, x)
    fastest = np.max(np.abs(speed))
    rate = max(np.max(np.abs(acceleration)), fastest**2)
    c, s, w, e = (f[:, None] for f in (np.cos(angle), np.sin(angle), speed, acceleration))
    for body in machine.bodies:
        turns = body.name.startswith("post")
        spin, spun = result.angular_velocity[body.name], result.angular_acceleration[body.name]
        assert np.max(np.abs(spin - turns * w * axis)) < 1e-8 * fastest
        assert np.max(np.abs(spun - turns * e * axis)) < 1e-7 * rate
        if not turns:
            assert np.max(np.abs(result.rotation[body.name] - body.R)) < 1e-10
            moved, velocity = result.position[body.name] - body.p, result.velocity[body.name]
            assert np.max(np.abs(moved - (c - 1) * x - s * y)) < 1e-10 * size
            assert np.max(np.abs(velocity - w * (c * y - s * x))) < 1e-8 * fastest * size
    assert openings(machine, result)[0] < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", CHAINS)
def test_a_turn_of_the_crank_leaves_a_parallelogram_one(name, formulation):
    machine, flat = chain(name), lies_flat(name)
    for rate, t in (
        (2 * np.pi, np.arange(12) / 11),
        (-2 * np.pi, np.linspace(0, 1, 160)),
        (4 * flat, np.linspace(0, 1, 41)),  # flat at sample 10
    ):
        found = poinsot.kinematics(
            machine.mechanism, {"q": lambda t, rate=rate: rate * t}, t, formulation=formulation
        )
        is_parallelogram(machine, found, rate * t, np.full(len(t), rate), np.zeros(len(t)))
        assert np.max(np.abs(found.coordinates["q"] - rate * t)) < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_flat_poses_are_passed_at_any_speed_to_and_fro(formulation):
    machine, t = chain("two, unequal"), np.linspace(0.0, 1.0, 51)
    for omega in (1e-3, 20.0, 3e4):  # over both flat poses and back, and again
        motion = {"q": poinsot.Fourier(omega, sines=(4.0,))}
        found = poinsot.kinematics(machine.mechanism, motion, 10 * t / omega, formulation=formulation)
        c, s = np.cos(10 * t), np.sin(10 * t)
        is_parallelogram(machine, found, 4 * s, 4 * omega * c, -4 * omega**2 * s)


def test_a_measured_motion_passes_flat_poses():
    machine, t = chain("two"), np.linspace(0.0, 1.0, 201)
    angle = 2 * np.pi * t + 0.2 * np.sin(9 * t)
    found = poinsot.kinematics(machine.mechanism, {"q": (t, angle)}, t)
    for beam in ("beam0", "beam1"):
        assert np.max(np.abs(found.rotation[beam] - machine.home[beam][0])) < 1e-9
    assert openings(machine, found)[0] < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_motion_may_end_in_a_flat_pose_or_just_behind(formulation):
    """The last pose is the limit of those before it."""
    machine = chain("two")
    for beyond in (0.0, 1e-9, 1e-5, 1e-3, 0.1):
        t = np.linspace(0.0, np.pi / 2 + beyond, 21)
        found = poinsot.kinematics(machine.mechanism, {"q": lambda t: t}, t, formulation=formulation)
        is_parallelogram(machine, found, t, np.ones(len(t)), np.zeros(len(t)))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_drive_of_a_parallelogram_gives_the_power_that_its_energy_takes(formulation):
    machine, rate, t = chain("two, unequal"), 3.0, np.linspace(0.0, 2.0, 57)
    motion = {"q": lambda t: rate * t + 0.5 * t**2}
    found = poinsot.inverse_dynamics(machine.mechanism, motion, t, formulation=formulation)
    size, start = machine.size, CHAINS["two, unequal"]["start"]
    angle = start + rate * t + 0.5 * t**2
    slender = [body for body in machine.bodies if body.name.startswith("post")]
    turning = sum(body.J[2, 2] + body.mass * (size / 2) ** 2 for body in slender)  # about the feet
    carried = sum(body.mass for body in machine.bodies if body.name.startswith("beam"))
    lift = (sum(body.mass for body in slender) / 2 + carried) * size * 9.81
    torque = (turning + carried * size**2) * 1.0 + lift * np.cos(angle)
    np.testing.assert_allclose(found.forces["q_motor"], torque, atol=1e-8 * np.max(np.abs(torque)))


def test_in_a_flat_pose_itself_the_reactions_are_refused_by_name():
    machine = chain("two")
    with pytest.raises(poinsot.MotionError, match=r"at t = 0.25 s the actuators .* singular pose") as refusal:
        poinsot.inverse_dynamics(machine.mechanism, {"q": lambda t: 2 * np.pi * t}, np.linspace(0, 1, 41))
    assert len(refusal.value.partial.t) == 10


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_nearly_flat_pose_that_cannot_be_passed_is_refused(formulation):
    """Beams a little too long: the crank stops before it lies flat, and no other branch is taken."""
    linkage = CrankRocker(1.0, 2.0, 1.0, 1.999, 1.0, 1)
    limit = 1 - np.arccos(1.999 / 2)  # until coupler and rocker are in line
    for n in (8, 31, 300):
        t = np.linspace(0, 4, n)
        with pytest.raises(poinsot.MotionError, match="singular pose") as refusal:
            poinsot.kinematics(linkage.mechanism, {"theta": lambda t: 1 - t}, t, formulation=formulation)
        reached = refusal.value.partial
        assert reached.t[-1] < limit <= refusal.value.t + 1e-6
        assert away(reached.coordinates["psi0"], [linkage.rocking(1 - t) for t in reached.t]) < 1e-7


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_nearly_flat_pose_that_is_regular_is_followed(formulation):
    linkage = CrankRocker(1.0, 2.0, 1.001, 2.0005, 1.0, 1)
    t = np.linspace(0, 6, 40)
    found = poinsot.kinematics(linkage.mechanism, {"theta": lambda t: 1 + t}, t, formulation=formulation)
    assert away(found.coordinates["psi0"], [linkage.rocking(1 + t) for t in t]) < 1e-7


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_change_point_of_unequal_bars_is_passed_on_the_branch_on_which_it_is_met(formulation):
    """All four bars in line once a turn: behind it the rocker's closed form has the other sign."""
    a, b, c = 0.5, 1.2, 1.4
    linkage = CrankRocker(a, b, c, b + c - a, 1.0, 1)
    t = np.linspace(0, 4, 33)
    found = poinsot.kinematics(linkage.mechanism, {"theta": lambda t: 1 + t}, t, formulation=formulation)
    before, behind = t < np.pi - 1, t > np.pi - 1
    other = CrankRocker(a, b, c, b + c - a, 1.0, -1)
    assert away(found.coordinates["psi0"][before], [linkage.rocking(1 + t) for t in t[before]]) < 1e-7
    assert away(found.coordinates["psi0"][behind], [other.rocking(1 + t) for t in t[behind]]) < 1e-7
