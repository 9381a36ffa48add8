"""Values that hang on the cut-off of the motion are a doubt; those of right runs do not."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from tests.estimate.runs import CRANK, five_bar_run, four_bar_run

BAR = poinsot.load("four_bar")
UNKNOWNS = ["link2.m", "link3.m", "link3.mx"]


def shaking(size: float) -> poinsot.Recording:
    """A crank whose encoder sees an oscillation [rad] of 20 Hz where it reverses, and its torque does not."""
    t, rng = np.arange(0, 10, 0.005), np.random.default_rng(0)
    run = poinsot.inverse_dynamics(BAR, {"theta1": CRANK}, t)
    angle, rate = run.kinematics.coordinates["theta1"], run.kinematics.rates["theta1"]
    slow = np.exp(-((rate / (0.2 * np.std(rate))) ** 2))
    shaken = angle + size * slow * np.sin(2 * np.pi * 20 * t) + 1e-6 * rng.standard_normal(len(t))
    return poinsot.Recording.of(t, {"theta1": shaken, "A": run.forces["A"] + 0.05 * rng.standard_normal(len(t))})


def said(est: poinsot.Estimate) -> list[str]:
    return [doubt for doubt in est.doubts if "hang on the cut-off" in doubt]


def test_a_motion_that_its_forces_know_nothing_of_is_a_doubt_with_the_cutoff_that_helps():
    est = poinsot.identify(BAR, shaking(2e-3), UNKNOWNS)
    (doubt,) = said(est)
    assert "link3.m" in doubt
    assert "numerics sound" not in est.verdict
    cutoff = float(doubt.partition('cutoff = "')[2].split(" Hz")[0])
    lower = poinsot.identify(BAR, shaking(2e-3), UNKNOWNS, processing={"cutoff": cutoff})
    assert not said(lower)
    truth = BAR.bodies["link3"].mass
    assert abs(lower["link3.m"].value - truth) < abs(est["link3.m"].value - truth) / 10


@pytest.mark.parametrize("encoder", (0.0, 1e-4, 1e-3))
@pytest.mark.parametrize("sigma", (0.02, 1.0))
def test_values_of_right_runs_do_not_hang_on_it(encoder, sigma):
    assert not said(poinsot.identify(BAR, four_bar_run(3, sigma, encoder, colour=0.8), UNKNOWNS))


def test_a_perfect_run_is_no_doubt():
    assert not said(poinsot.identify(poinsot.load("five_bar"), five_bar_run()))
    assert not said(poinsot.identify(BAR, shaking(0.0), UNKNOWNS))
