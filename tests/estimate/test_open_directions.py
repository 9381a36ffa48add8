"""Where noise alone excites a direction, what is free of it is told, and the direction is named."""

from __future__ import annotations

import numpy as np

import poinsot
from tests.generated.share import repetitions

FIVE_BAR = poinsot.loads(
    """
format = 1
name = "bars"
planar = true
bodies.ground.frames = { L = ["-0.1 m", 0], R = ["0.12 m", "0.02 m"] }
bodies.a1 = { mass = 0.8, com = [0.11, 0.01], inertia = 0.004, frames.e = [0.25, 0] }
bodies.a2 = { mass = 0.9, com = [0.12, -0.015], inertia = 0.005, frames.e = [0.27, 0] }
bodies.b1 = { mass = 0.5, com = [0.14, 0.02], inertia = 0.003, frames.e = [0.3, 0] }
bodies.b2 = { mass = 0.55, com = [0.15, -0.01], inertia = 0.0035, frames.e = [0.31, 0] }
joints.m1 = { type = "revolute", between = ["ground.L", "a1"], actuated = true }
joints.m2 = { type = "revolute", between = ["ground.R", "a2"], actuated = true }
joints.k1 = { type = "revolute", between = ["a1.e", "b1"] }
joints.k2 = { type = "revolute", between = ["a2.e", "b2"] }
joints.tip = { type = "revolute", between = ["b1.e", "b2.e"], closing = true }
coordinates = { q1 = { joint = "m1" }, q2 = { joint = "m2" } }
pose = { q1 = "130 deg", q2 = "50 deg" }
""",
    "bars",
)
SMALL = {
    "q1": poinsot.Fourier(3, (0.1, 0.05), (0.02,), np.deg2rad(130)),
    "q2": poinsot.Fourier(3, (0.05, -0.05), (0.04,), np.deg2rad(50)),
}
RIG = FIVE_BAR.with_parameters({"b1.mass": 0.45, "a1.mass": 0.85})


def weakly_excited(seed: int) -> poinsot.Recording:
    """A five-bar whose cranks hardly move, with noise on encoders [rad] and torques [N·m]."""
    t, rng = np.arange(0, 8, 0.01), np.random.default_rng(seed)
    run = poinsot.inverse_dynamics(RIG, SMALL, t)
    angles = {name: run.kinematics.coordinates[name] + 1e-4 * rng.standard_normal(len(t)) for name in SMALL}
    return poinsot.Recording.of(
        t, angles | {name: u + 0.02 * rng.standard_normal(len(t)) for name, u in run.forces.items()}
    )


def test_all_combinations_that_are_free_of_open_directions_are_told_and_these_are_named():
    est = poinsot.identify(FIVE_BAR, weakly_excited(0))
    assert est.held > 0  # or this test sees nothing
    assert len(est.combinations) == est.problem.base.rank - est.held
    named = next(line for line in str(est).splitlines() if "not excited" in line)
    assert " stays at the model: " in named or " stay at the model: " in named
    assert any(name in named for name in est.problem.base.independent)


def test_their_bars_cover_the_truth_though_the_open_directions_are_not_at_it():
    inside = []
    for seed in range(repetitions(12)):
        est = poinsot.identify(FIVE_BAR, weakly_excited(seed))
        truth = est.told.rows @ est.problem.base.values(RIG)
        z = [(one.value - true) / one.deviation for one, true in zip(est.combinations, truth)]
        inside += list(np.abs(z) < 1.96)
    assert np.mean(inside) > 0.88, np.mean(inside)


def test_a_bootstrap_tells_intervals_of_the_same_combinations():
    est = poinsot.identify(FIVE_BAR, weakly_excited(0), bootstrap=40)
    assert est.bootstrap.names == tuple(one.text for one in est.combinations)
