"""What is known of a body or payload and contradicts what is found of it is a doubt, where forces tell it."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.estimate.study import Role, Run, Study, Unknown
from tests.estimate.machines import ARM

MECHANISM = poinsot.loads(ARM, "arm")
M, C, J = 1.5, 0.3, 0.02  # of the payload: its mass, its distance from the elbow, and its inertia about its centre
T = np.arange(0, 10, 0.01)


def recorded(mechanism: poinsot.Mechanism, period: float, seed: int) -> poinsot.Recording:
    """Forces with noise along a motion of some period [s]."""
    w, rng = 2 * np.pi / period, np.random.default_rng(seed)
    motion = {
        "q1": poinsot.Fourier(w, (0.5, -0.3, 0.1), (0.6, 0.2), 0.3),
        "q2": poinsot.Fourier(w, (0.6, 0.3), (-0.5,), 0.7),
    }
    run = poinsot.inverse_dynamics(mechanism, motion, T)
    forces = {name: force + 0.05 * rng.standard_normal(len(T)) for name, force in run.forces.items()}
    return poinsot.Recording.of(T, {**run.kinematics.coordinates, **forces})


def loaded() -> poinsot.Mechanism:
    """The arm with the payload on its lower part."""
    m, h, I = (float(MECHANISM.bodies["lower"].inertial_parameters()[k]) for k in (0, 1, 9))
    mass, first, second = m + M, h + M * C, I + J + M * C**2
    about_centre = second - first**2 / mass
    return MECHANISM.with_parameters({"lower.mass": mass, "lower.com.x": first / mass, "lower.inertia": about_centre})


def payload(period: float, *asked: str) -> poinsot.Estimate:
    """What a payload adds, of what is asked, against the arm without it."""
    runs = (
        Run("bare", recorded(MECHANISM, period, 1)),
        Run("loaded", recorded(loaded(), period, 2), Role.PAYLOAD, against="bare"),
    )
    return poinsot.identify(Study(MECHANISM, runs, tuple(Unknown(name, payload=True) for name in asked)))


def test_a_payload_with_first_moments_and_no_inertia_is_a_doubt_that_says_what_to_add():
    est = payload(2.5, "lower.m", "lower.m[xy]")
    assert abs(est["lower.mx"].value - M * C) > 4 * est["lower.mx"].deviation
    assert "'payload lower' has values that no body has" in est.verdict
    assert "add 'lower.J' to the unknowns with payload = true" in est.verdict


@pytest.mark.parametrize(
    ("period", "asked"), [(2.5, ["lower.m", "lower.m[xy]", "lower.J"]), (60.0, ["lower.m", "lower.m[xy]"])]
)
def test_a_payload_whose_inertia_is_asked_for_or_tells_nothing_is_none(period, asked):
    est = payload(period, *asked)
    assert est["lower.mx"].value == pytest.approx(M * C, rel=0.02) and est.verdict.startswith("numerics sound")
