"""Noise of the recorded motion biases least squares: told, a doubt, and taken off by total least squares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.estimate import excitation
from poinsot.estimate.methods.base import LinearRows
from poinsot.estimate.methods.weighted import Weighted
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


def test_what_rounding_of_a_coarse_encoder_biases_is_told():
    t, rng = np.arange(0, 10, 0.01), np.random.default_rng(0)
    run = poinsot.inverse_dynamics(BAR, {"theta1": CRANK}, t)
    coarse = np.radians(3.0) * np.round(run.kinematics.coordinates["theta1"] / np.radians(3.0))
    torque = run.forces["A"] + 0.02 * rng.standard_normal(len(t))
    rec = poinsot.Recording.of(t, {"theta1": coarse, "A": torque}, noise={"theta1": 1e-4, "A": 0.02})
    est = poinsot.identify(BAR, rec, UNKNOWNS)
    assert np.max(np.abs(est.value - TRUTH) / est.deviation) > 2  # or this test sees nothing
    assert any("Noise of the motion biases" in doubt for doubt in est.doubts), est.verdict


def signed(remark: str) -> float:
    """The bias that a remark tells."""
    if "makes it" not in remark:
        return 0.0
    size, _, word = remark.partition("makes it ")[2].partition(" too ")
    return float(size) * (1 if word.startswith("large") else -1)


@pytest.mark.parametrize(("carrying", "draws"), ((5, 16), (1000, 1)), ids=("in five rows", "in all rows"))
def test_as_many_draws_of_noise_are_averaged_as_their_scatter_asks_for(carrying, draws):
    """z = X d with noise on some rows of X: the bias is −(XᵀX + E NᵀN)⁻¹ E NᵀN d."""
    rng, truth = np.random.default_rng(4), np.array([3.0, -2.0])
    X = rng.standard_normal((1000, 2))
    energy = 36.0  # of each column
    size = np.where(np.arange(1000) < carrying, np.sqrt(energy / carrying), 0.0)[:, None]
    expected = -np.linalg.solve(X.T @ X + energy * np.eye(2), energy * truth)
    seeds = []

    def rows(seed: int, N: np.ndarray) -> LinearRows:
        noise = np.c_[np.random.default_rng(seed).standard_normal((1000, 2)) * size, np.zeros(1000)]
        z = X @ truth + 0.01 * rng.standard_normal(1000)
        nothing, good = (np.zeros((0, 2)), np.zeros(0)), np.ones((1000, 1), bool)
        return LinearRows(((X + N)[:, None, :],), (z[:, None],), (good,), nothing, np.ones(1), (noise[:, None, :],))

    def redrawn(k: int) -> LinearRows:
        seeds.append(k)
        return replace(here, noise=rows(100 + k, 0 * X).noise)

    here = rows(0, rng.standard_normal((1000, 2)) * size)
    found = excitation.bias_by_noise(Weighted(), here, Weighted().solve(here), redrawn)
    assert seeds == [*range(1, draws)]
    assert np.linalg.norm(found - expected) < 0.25 * np.linalg.norm(expected), (found, expected)


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
