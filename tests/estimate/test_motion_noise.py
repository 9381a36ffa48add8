"""Noise of the recorded motion biases least squares: told, a doubt, and taken off by total least squares."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.estimate import excitation
from tests.estimate.runs import CRANK
from tests.generated.share import repetitions

BAR = poinsot.load("four_bar")
UNKNOWNS = ["link2.m", "link3.m"]
TRUTH = np.array([BAR.bodies[name].mass for name in ("link2", "link3")], float)


def noisy(seed: int, encoder: float, sigma: float = 0.02) -> poinsot.Recording:
    """A crank whose encoder has noise [rad], beside that of its torque [N·m]."""
    t, rng = np.arange(0, 10, 0.01), np.random.default_rng(seed)
    run = poinsot.inverse_dynamics(BAR, {"theta1": CRANK}, t)
    angle = run.kinematics.coordinates["theta1"] + encoder * rng.standard_normal(len(t))
    return poinsot.Recording.of(t, {"theta1": angle, "A": run.forces["A"] + sigma * rng.standard_normal(len(t))})


def estimates(method: str, times: int) -> list[poinsot.Estimate]:
    return [poinsot.identify(BAR, noisy(seed, 0.02), UNKNOWNS, method) for seed in range(times)]


def test_a_bias_beyond_a_standard_error_is_a_doubt_that_names_parameters_and_method():
    est = poinsot.identify(BAR, noisy(0, 0.02), UNKNOWNS)
    (doubt,) = (doubt for doubt in est.doubts if "Noise of the motion biases" in doubt)
    assert "link2.m" in doubt
    assert "'total'" in doubt
    assert "numerics sound" not in est.verdict
    assert any("noise of the motion makes it" in value.remark for value in est.parameters)


@pytest.mark.parametrize("encoder", (0.0, 1e-5, 5e-4))
def test_little_noise_is_no_doubt(encoder):
    est = poinsot.identify(BAR, noisy(1, encoder), UNKNOWNS)
    assert not est.doubts
    assert not any(value.remark for value in est.parameters)


def test_the_bias_that_is_told_is_that_of_repeated_runs():
    found = estimates("weighted", repetitions(24))
    bias = np.mean([est.value for est in found], axis=0) - TRUTH
    error = np.std([est.value for est in found], axis=0) / np.sqrt(len(found))
    told = np.mean([[signed(value.remark) for value in est.parameters] for est in found], axis=0)
    worst = int(np.argmax(np.abs(bias) / error))
    assert abs(bias[worst]) > 5 * error[worst]  # or this test sees nothing
    assert abs(told[worst] / bias[worst] - 1) < 0.25, (told, bias, error)


def signed(remark: str) -> float:
    """The bias that a remark tells."""
    if "makes it" not in remark:
        return 0.0
    size, _, word = remark.partition("makes it ")[2].partition(" too ")
    return float(size) * (1 if word.startswith("large") else -1)


def test_total_least_squares_takes_off_noise_of_what_is_known_too_and_says_nothing_of_it():
    found = estimates("total", repetitions(24))
    z = np.array([(est.value - TRUTH) / est.deviation for est in found])
    assert np.mean(np.abs(z) < 1.96) > 0.85, z
    assert np.all(np.abs(z.mean(axis=0)) < 1), z.mean(axis=0)
    assert not any(value.remark or est.doubts for est in found for value in est.parameters)


def test_the_bias_is_told_by_first_order_where_the_method_has_no_answer_with_more_noise(monkeypatch):
    def fails(*_):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    monkeypatch.setattr(excitation, "_with_noise", fails)
    est = poinsot.identify(BAR, noisy(0, 0.02), UNKNOWNS)
    assert any("noise of the motion makes it" in p.remark for p in est.parameters)
