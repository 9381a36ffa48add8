"""Priors against data: a contradiction is told with both values, chance and ignorance are not."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

BAR = poinsot.load("four_bar")
MASS = BAR.parameters["link2.mass"].value


def recording(seed: int, sigma: float = 0.05) -> poinsot.Recording:
    t = np.arange(0, 4, 0.01)
    run = poinsot.inverse_dynamics(BAR, {"theta1": poinsot.Fourier(3.0, (0.5, 0.2), (0.1,), 1.2)}, t)
    noise = sigma * np.random.default_rng(seed).standard_normal(len(t))
    return poinsot.Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": run.forces["A"] + noise})


def identified(seed: int, prior: float, deviation: float, **more) -> poinsot.Estimate:
    asked = {"link2.mass": {"prior": prior, "deviation": deviation}, "link3.mass": {}, **more}
    return poinsot.identify(BAR, recording(seed), asked)


def said(estimate: poinsot.Estimate) -> list[str]:
    return [text for text in estimate.numerics if "The prior of" in text]


def test_a_prior_far_from_the_data_is_told_with_both_values():
    alone = poinsot.identify(BAR, recording(0), ["link2.mass", "link3.mass"])["link2.mass"]
    (text,) = said(identified(0, MASS + 0.5, 0.001))
    assert text.startswith(f"The prior of link2.mass, {MASS + 0.5:.6g} ± 0.001 kg, is ")
    assert f"{alone.value:.6g} ± {alone.deviation:.2g}" in text
    assert f" {abs(MASS + 0.5 - alone.value) / np.hypot(alone.deviation, 0.001):.0f} standard errors" in text


def test_priors_that_are_wrong_by_chance_alone_are_not_told():
    rng = np.random.default_rng(7)
    for seed in range(25):
        deviation = 10.0 ** rng.uniform(-4, 0)
        assert not said(identified(seed, MASS + deviation * rng.standard_normal(), deviation))


def test_what_the_prior_alone_determines_contradicts_nothing():
    """The mass of the crank, which turns about its centre of mass, has no effect."""
    still = BAR.with_parameters({"link1.com.x": 0.0, "link1.com.y": 0.0})
    t, rng = np.arange(0, 4, 0.01), np.random.default_rng(0)
    run = poinsot.inverse_dynamics(still, {"theta1": poinsot.Fourier(3.0, (0.5, 0.2), (0.1,), 1.2)}, t)
    torque = run.forces["A"] + 0.05 * rng.standard_normal(len(t))
    data = poinsot.Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": torque})
    asked = {"link1.mass": {"prior": 50.0, "deviation": 0.1}, "link2.mass": {}}
    assert not said(poinsot.identify(still, data, asked))


@pytest.mark.parametrize("method", ["ordinary", "weighted", "robust", "likelihood"])
def test_every_linear_method_tells(method):
    asked = {"link2.mass": {"prior": MASS + 0.5, "deviation": 0.01}}
    found = poinsot.identify(BAR, recording(1), asked, method)
    assert said(found) and any(doubt.startswith("numerics in doubt") for doubt in found.doubts)
