"""Wrong answers that were given without a word: each has its smallest case here."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.folder import signals
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.study import Role
from tests.estimate.machines import ARM
from tests.estimate.runs import problem_of, with_forces
from tests.estimate.runs import noise as coloured

PENDULUM = """
format = 1
name = "pendulum"
planar = true
gravity = [0, "-9.81 m/s²"]
[bodies.bob]
mass = "{mass} kg"
com = ["{com} m", 0]
inertia = "{inertia} kg·m²"
[joints.hinge]
type = "revolute"
between = ["ground", "bob"]
actuated = true
friction = {{ viscous = "0.1 N·m·s/rad" }}
[coordinates]
phi = {{ joint = "hinge" }}
[pose]
phi = 0
"""
SWING = poinsot.Fourier(2 * np.pi / 2.5, (0.4, 0.3, 0.2), (0.3, 0.2, -0.1), 0.3)
LINEAR, TRUTH = ["bob.mx", "bob.my", "bob.J", "hinge.viscous"], np.array([0.25, 0.0, 0.0825, 0.1])


def pendulum(mass: float = 1.0, com: float = 0.25, inertia: float = 0.02, more: str = "") -> poinsot.Mechanism:
    return poinsot.loads(PENDULUM.format(mass=mass, com=com, inertia=inertia) + more, "pendulum")


def swing(mechanism: poinsot.Mechanism, seconds: float = 10.0, sigma: float = 0.01, seed: int = 0, late: float = 0.0):
    """A recording of the hinge's angle and torque, which may be late."""
    t, rng = np.arange(0, seconds, 0.01), np.random.default_rng(seed)
    angle = poinsot.kinematics(mechanism, {"phi": SWING}, t).coordinates["phi"]
    torque = poinsot.inverse_dynamics(mechanism, {"phi": SWING}, t + 2.5 - late).forces["hinge"]  # a period is 2.5 s
    return poinsot.Recording.of(t, {"phi": angle, "hinge": torque + sigma * rng.standard_normal(len(t))})


def off(est: poinsot.Estimate, truth) -> float:
    """The largest error in standard errors."""
    return float(np.nanmax(np.abs(est.value - truth) / est.deviation))


def test_combinations_of_products_are_found_where_a_factor_is_eliminated():
    est = poinsot.identify(pendulum(), swing(pendulum(mass=1.1)), ["bob.mass", "bob.com.x", "bob.inertia"])
    assert not est.numerics
    assert est.combinations[0].text == "bob.com.x + 0.25 bob.mass"
    assert est.combinations[0].value == pytest.approx(0.525, abs=4 * est.combinations[0].deviation)


def test_a_gain_beside_unknown_parameters_settles():
    run = swing(pendulum())
    est = poinsot.identify(
        pendulum(), run.with_channels({"hinge": 1.2 * run["hinge"]}, run.channels), [*LINEAR, "gain hinge"]
    )
    assert not est.numerics
    found = next(c for c in est.combinations if c.text.startswith("gain"))
    assert found.value == pytest.approx(1.2, abs=4 * found.deviation)


@pytest.mark.parametrize("name", ["weighted", "likelihood"])
def test_error_bars_do_not_shrink_by_samples_that_are_masked(name):
    perfect = problem_of(pendulum(), swing(pendulum(), sigma=0.0), LINEAR)
    shape, rng, inside = perfect.runs[0].y.shape, np.random.default_rng(5), []
    hidden = np.zeros(shape, bool)
    hidden[shape[0] // 4 :] = True
    for _ in range(30):
        found = method_of(name).solve(
            with_forces(perfect, np.where(hidden, np.nan, 0.1 * rng.standard_normal(shape))).rows
        )
        inside.append(np.abs(found.d) < 1.96 * np.sqrt(np.diagonal(found.covariance)))
    assert np.mean(inside) > 0.86  # 0.6 before


def test_a_short_run_does_not_hide_the_colour_of_a_long_one():
    from poinsot.estimate.residuals import colour_of

    rng = np.random.default_rng(1)
    parts = [coloured(rng, (1000, 1), 0.95), coloured(rng, (3, 1), 0.95)]
    assert colour_of(parts).effective(1000)[0] < 100
