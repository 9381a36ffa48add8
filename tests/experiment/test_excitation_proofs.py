"""What excitation must show: on published machines, against random motions, and by simulated identifications."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.experiment.excitation.information import information_of
from poinsot.experiment.excitation.machine import DrivenMachine, DrivenStates
from poinsot.experiment.excitation.search import random_motions
from poinsot.experiment.excitation.task import condition_numbers, measured_regressor
from poinsot.experiment.study_file import read_design
from tests.estimate.machines import ARM
from tests.generated.share import share

OMEGA = 3.75  # of the published waves  [rad/s]
WAVES = {
    "x": poinsot.Fourier(OMEGA, (0.029,)),
    "y": poinsot.Fourier(OMEGA, (0.029,)),
    "z": poinsot.Fourier(OMEGA, (), (0.037,), 0.275),
    "rz": poinsot.Fourier(OMEGA, (0.029,), (), np.pi / 3),
    "rx": 0.0,
    "ry": poinsot.Fourier(OMEGA, (0.29,)),
}


def legs_along(motion: dict, t: np.ndarray) -> dict[str, np.ndarray]:
    """Lengths, rates and accelerations (n, 6) of the EX800's legs."""
    ex800 = poinsot.load("ex800")
    path = poinsot.kinematics(ex800, motion, t).path
    asked = tuple((name, part) for part in ("", "rate", "acceleration") for name in ex800.actuators)
    machine = DrivenMachine(ex800, tuple(motion), (), (), asked)
    states = DrivenStates(np.zeros((3, len(t), 6)), path.q, path.v, path.a, np.ones(len(t), bool))
    return dict(zip(("", "rate", "acceleration"), np.split(machine.quantities(states), 3, axis=1)))


@pytest.mark.slow
def test_the_ex800_is_excited_ten_times_better_than_by_the_published_waves():
    """At the legs' lengths, rates and accelerations of the waves, whose condition number is the published one."""
    study = read_design("ex800_excitation")
    study = replace(study, task=replace(study.task, polish=len(share(range(study.task.polish)))))
    found, waves = study.solve(), legs_along(WAVES, np.linspace(0, 5, 2001))
    information = information_of(replace(study, noise={"*": 1.0}))
    before, after = (
        condition_numbers(information, measured_regressor(information, motion, np.arange(500) / 100))["columns in SI"]
        for motion in (WAVES, found.motion)
    )
    assert before == pytest.approx(33.3, rel=2e-3)
    assert after < before / 10
    legs = legs_along(dict(found.motion), np.linspace(0, 5, 4001))
    assert waves[""].min() - 1e-4 < legs[""].min() and legs[""].max() < waves[""].max() + 1e-4
    for part in ("rate", "acceleration"):
        assert np.abs(legs[part]).max() < 1.002 * np.abs(waves[part]).max()


@pytest.mark.slow
def test_the_four_bar_is_excited_better_than_by_the_best_of_10_000_random_motions():
    study = read_design("four_bar_excitation")
    study = replace(study, task=replace(study.task, polish=len(share(range(study.task.polish)))))
    found = study.solve()
    program = study.task.program(study)
    _, violation, cost = random_motions(program, len(share(range(10_000))), np.random.default_rng(1))
    best = np.min(cost[violation <= 0])
    assert found.criteria["D"] < best - 0.5  # nats an unknown
    assert all(limit.excess <= 1e-9 for limit in found.limits)


@pytest.mark.slow
def test_predicted_standard_errors_are_those_of_200_simulated_identifications():
    arm, sigma = poinsot.loads(ARM), 0.2
    task = {"task": "excitation", "coordinates": ["q1", "q2"], "duration": "4 s", "harmonics": 3, "periods": 2}
    limits = {"q*": ["-60 deg", "100 deg"], "q*.rate": 2.0, "q*.acceleration": 8.0}
    unknowns = ["lower.mx", "lower.my", "lower.J", "elbow.viscous", "elbow.coulomb"]
    found = poinsot.design(arm, task | {"starts": 50, "polish": 1}, unknowns, limits=limits, noise=sigma)
    t = np.arange(0, found.duration, 1 / found.rate)
    d = poinsot.inverse_dynamics(arm, found.motion, t)
    positions, rng, values = (
        {name: d.kinematics.coordinates[name] for name in found.motion},
        np.random.default_rng(5),
        [],
    )
    for _ in share(range(200)):
        forces = {name: x + sigma * rng.standard_normal(len(t)) for name, x in d.forces.items()}
        recording = poinsot.Recording.of(t, {**positions, **forces})
        values.append(poinsot.identify(arm, recording, unknowns, noise=sigma).value)
    np.testing.assert_allclose(np.std(values, axis=0), found.deviation, rtol=4 / np.sqrt(2 * len(values)))  # 20 %
