"""Classical linkages: full turns and free motions in every formulation, all joints closed by our own account."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import poinsot
from tests.generated.agreement import FORMULATIONS
from tests.generated.balance import twists
from tests.generated.closure import freedoms, opening, openings
from tests.generated.linkages import LINKAGES, SWINGING, TURNING, bricard, n_four_bar
from tests.generated.machine import Machine
from tests.generated.motion import Drive, drive, followed
from tests.generated.reference import mass_matrix
from tests.generated.share import share

SWINGS = {  # as far as they go without coming near a singular pose [rad]
    "sarrus": (-0.6,),
    "line-symmetric 6R": (2.4,),
    "delta": (0.5, -0.5, 0.4),
    "agile eye": (0.5, -0.5, 0.4),
    "bricard": (-2.8,),
}
TURNS = [name for name in TURNING if not name.startswith("n-four-bar")]
QUICK_TURNS = [
    "bennett",
    "three-crank, straight",
    "locomotive in the plane",
    "double cardan, straight",
]
QUICK = [("cardan, straight", f) for f in FORMULATIONS] + [("n-four-bar", f) for f in ("joint", "embedded")]
LONG = [(name, f) for name in LINKAGES if name != "delta" for f in FORMULATIONS if (name, f) not in QUICK]


def base(name: str) -> str:
    return name.removesuffix(", straight")


FREE = {name: 0.6 for name in SWINGS}  # time of a free motion in √(size/g); the others make a turn and more


@lru_cache(maxsize=32)
def linkage(name: str) -> Machine:
    return LINKAGES[name]()


@lru_cache(maxsize=32)
def way(name: str) -> Drive:
    machine = linkage(name)
    rates = SWINGS.get(base(name), (2 * np.pi,))
    return drive(machine, dict(zip(machine.coordinates, rates)), 48)


@lru_cache(maxsize=80)
def released(name: str, formulation: str):
    """A linkage let go under gravity, those that turn with enough speed for a turn and a quarter."""
    machine = linkage(name)
    natural = np.sqrt(9.81 / machine.size)
    if base(name) in FREE:
        t_end, velocity = FREE[base(name)] / natural, {}
    else:
        velocity = {q: float(6 * natural) for q in machine.coordinates}
        t_end = 1.25 * 2 * np.pi / (6 * natural)
    t = np.linspace(0, t_end, 51)
    return poinsot.simulate(machine.mechanism, float(t_end), t=t, velocity=velocity, formulation=formulation)


def energy(machine: Machine, velocity: dict[str, float]) -> float:
    """Kinetic and potential energy at home [J]."""
    V = twists(machine, machine.home, velocity)
    heights = sum(b.mass * (machine.gravity @ (b.p + b.R @ b.com)) for b in machine.bodies)
    return float(V @ mass_matrix(machine, machine.home) @ V / 2 - heights)


@pytest.mark.parametrize("name", LINKAGES)
def test_builders_close_all_joints_and_the_library_counts_the_same_freedoms(name):
    machine = linkage(name)
    assert opening(machine, machine.home) < 1e-14
    assert (
        poinsot.check(machine.mechanism).mobility
        == freedoms(machine, machine.home).mobility
        == len(machine.coordinates)
    )


def goes_round(name: str, formulation: str) -> None:
    by = way(name)
    assert len(by.t) == 49, "the plain route does not get round"
    found = followed(by, poinsot.kinematics(by.machine.mechanism, by.motion, by.t, formulation=formulation))
    assert found.opening < 1e-9, found
    assert max(found.poses, found.velocities, found.accelerations) < 1e-9, found


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", QUICK_TURNS)
def test_a_full_turn_of_the_input_keeps_all_joints_closed(name, formulation):
    goes_round(name, formulation)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", share(name for name in TURNS if name not in QUICK_TURNS))
def test_full_turns_of_all_keep_all_joints_closed(name, formulation):
    goes_round(name, formulation)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", share(name for name in SWINGING if name != "delta"))
def test_a_swing_of_the_inputs_keeps_all_joints_closed(name, formulation):
    goes_round(name, formulation)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", share(FORMULATIONS, at_least=2))
def test_a_delta_with_turned_axes_swings_and_falls(formulation):
    goes_round("delta", formulation)
    moves_freely("delta", formulation)


def stays_parallel(machine: Machine, result) -> None:
    beams = [body for body in machine.bodies if body.name.startswith("beam")]
    assert max(np.max(np.abs(result.rotation[beam.name] - beam.R)) for beam in beams) < 1e-7


def moves_freely(name: str, formulation: str) -> None:
    machine, result = linkage(name), released(name, formulation)
    assert result.finished, result.status
    opened, joint = openings(machine, result)
    assert opened < 1e-9, f"{joint} opens by {opened:.1e}"
    kinetic = np.ptp(result.energy) + np.max(np.abs(result.energy))
    assert np.max(np.abs(result.energy - result.work - result.energy[0])) < 1e-8 * kinetic
    velocity = {q: 0.0 if base(name) in FREE else 6 * np.sqrt(9.81 / machine.size) for q in machine.coordinates}
    assert abs(result.energy[0] - energy(machine, velocity)) < 1e-9 * kinetic
    first = released(name, "joint")
    k = len(first.t) - 1  # as far as the first formulation got
    for body in machine.bodies:
        assert np.max(np.abs(result.position[body.name][k] - first.position[body.name][k])) < 1e-6 * machine.size


@pytest.mark.parametrize(("name", "formulation"), QUICK)
def test_a_free_motion_keeps_joints_closed_and_energy(name, formulation):
    moves_freely(name, formulation)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "formulation"), share(LONG))
def test_free_motions_of_all_keep_joints_closed_and_energy(name, formulation):
    moves_freely(name, formulation)


@pytest.mark.parametrize("method", ["explicit", "implicit"])
def test_momentum_carries_a_parallelogram_through_flat_poses(method):
    machine = n_four_bar(3)
    t = np.linspace(0, 1.0, 101)
    result = poinsot.simulate(machine.mechanism, 1.0, t=t, velocity={"q": -30.0}, method=method)
    assert result.finished, result.status
    assert openings(machine, result)[0] < (1e-9 if method == "explicit" else 1e-7)
    stays_parallel(machine, result)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", share(FORMULATIONS, at_least=2))
def test_bricards_mechanism_falls_for_ten_seconds(formulation):
    machine = bricard()
    result = poinsot.simulate(machine.mechanism, 10.0, formulation=formulation)
    assert result.finished, result.status
    assert openings(machine, result)[0] < 1e-9
    assert np.max(np.abs(result.energy - result.energy[0])) < 1e-8 * 5 * 9.81 * machine.size
