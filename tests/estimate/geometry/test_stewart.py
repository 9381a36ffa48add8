"""Calibration of a Stewart platform: points of all legs and their offsets from measured poses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

import poinsot
from poinsot.estimate.problems.geometry.calibration import calibration
from poinsot.estimate.study import Unknown, study_of
from tests.estimate.geometry.machines import (
    FRAMES,
    NOISE,
    OFFSETS,
    POINTS,
    legs,
    off_nominal,
    platform_poses,
    require_exact,
    stewart,
)

NAMES = POINTS + OFFSETS
FEET = [f"leg{k}.foot.{axis}" for k in (1, 2, 3) for axis in "xyz"]


@pytest.fixture(scope="module")
def model():
    return stewart()


@pytest.fixture(scope="module")
def built(model):
    return off_nominal(model, dict.fromkeys(NAMES, 2e-3), np.random.default_rng(1))


@pytest.fixture(scope="module")
def poses(built):
    return platform_poses(built, 60, np.random.default_rng(2))


@pytest.fixture(scope="module")
def estimate(model, built, poses):
    held_out = platform_poses(built, 40, np.random.default_rng(3))
    return poinsot.identify(model, poses, NAMES, validate=held_out, noise=NOISE, problem="geometry")


def truth(mechanism, names=NAMES):
    return np.array([mechanism.parameters[name].value for name in names])


def test_42_parameters_of_60_poses_are_within_their_error_bars(estimate, built):
    assert len(NAMES) == 42
    assert estimate.undetermined == ()
    error = estimate.value - truth(built)
    assert np.all(np.abs(error) < 4 * estimate.deviation)
    squares = error @ np.linalg.solve(estimate.covariance, error)  # χ² of 42
    assert abs(squares - 42) < 4 * np.sqrt(2 * 42)
    assert "numerics sound; predicts held-out runs" in estimate.verdict
    np.testing.assert_array_equal(truth(estimate.mechanism), estimate.value)


@pytest.mark.slow
def test_points_and_offsets_agree_with_a_search_over_all_poses_in_closed_form(estimate, poses):
    """All 42 + 6 · 60 numbers at once, legs in closed form, by SciPy."""
    n, sigma = len(poses), np.repeat([1e-5, 2e-5, 5e-5], [6, 3, 3])
    y = poses.table()

    def residuals(x):
        X = x[42:].reshape(n, 6)
        h = np.column_stack([legs(x[:36].reshape(6, 2, 3), x[36:42], X[:, :3], X[:, 3:]), X])
        return ((y - h) / sigma).ravel()

    start = np.concatenate([truth(estimate.study.mechanism), y[:, 6:].ravel()])
    found = least_squares(residuals, start, x_scale="jac", jac="3-point", xtol=1e-12, ftol=1e-12)
    covariance = np.linalg.inv(found.jac.T @ found.jac)[:42, :42]
    deviation = np.sqrt(np.diagonal(covariance))
    np.testing.assert_allclose(estimate.value, found.x[:42], rtol=0, atol=1e-3 * deviation.min())
    np.testing.assert_allclose(estimate.deviation, deviation, rtol=1e-3)


def test_frames_that_cannot_be_seen_are_named(model, built, poses, estimate):
    both = poinsot.identify(model, poses, [*NAMES, *FRAMES[0], *FRAMES[1]], noise=NOISE, problem="geometry")
    assert sorted(both.open) == sorted([*FRAMES[0], *FRAMES[1]])
    assert len(both.combinations) == 42
    assert "12 of 54 unknowns cannot be told from the others: ground.tracker" in str(both)
    assert set(both.undetermined) == {*POINTS, *FRAMES[0], *FRAMES[1]}
    for name in OFFSETS:  # lengths do not know of frames
        assert both[name].value == pytest.approx(estimate[name].value, abs=1e-4 * estimate[name].deviation)
    moved = both.mechanism  # with the frames where the model has them
    np.testing.assert_allclose(truth(moved), estimate.value, rtol=0, atol=1e-3 * estimate.deviation.min())


def test_the_base_is_seen_where_three_of_its_points_are_known(model, built, poses):
    known = {name: Unknown(name, prior=built.parameters[name].value, deviation=1e-7) for name in FEET}
    names = [known.get(name, Unknown(name)) for name in (*NAMES, *FRAMES[0], *FRAMES[1])]
    found = poinsot.identify(model, poses, names, noise=NOISE, problem="geometry")
    assert sorted(found.open) == sorted(FRAMES[1])
    for name in FRAMES[0]:  # the tracker is where the data was made
        assert abs(found[name].value) < 4 * found[name].deviation


def test_derivatives_are_those_of_the_residuals(model, poses):
    measured, _ = calibration(study_of(model, poses, NAMES, None, noise=NOISE, problem="geometry"))
    require_exact(measured.problem, range(0, 42, 5))


def test_costs_of_many_candidates_are_those_of_one(model, poses):
    measured, _ = calibration(study_of(model, poses, NAMES, None, noise=NOISE, problem="geometry"))
    P = measured.problem.space.start + 1e-3 * np.random.default_rng(0).standard_normal((5, 42))
    expected = [np.sum(measured.problem.residuals(p) ** 2) for p in P]
    np.testing.assert_allclose(measured.problem.costs(P), expected, rtol=1e-9)


def test_an_outlier_is_named(model, poses):
    values = dict(poses.values)
    values["leg3.encoder"] = values["leg3.encoder"] + np.where(np.arange(60) == 17, 3e-4, 0.0)
    wrong = type(poses).of(poses.t, values)
    found = poinsot.identify(model, wrong, NAMES, noise=NOISE, problem="geometry")
    assert "Outliers: 'leg3.encoder' in sample 18 of run 'run1'" in found.verdict
    assert "The model does not fit" in found.verdict


def test_poses_that_do_not_fit_are_left_out_when_asked(model, built, poses):
    values, wrong = {name: np.array(x) for name, x in poses.values.items()}, (17, 30, 44)
    for (channel, size), i in zip({"leg3.encoder": 3e-4, "z": -2e-3, "a": 1e-2}.items(), wrong):
        values[channel][i] += size
    rec = type(poses).of(poses.t, values)
    found = poinsot.identify(model, rec, NAMES, noise=NOISE, problem="geometry", processing={"robust": True})
    assert len(found.numerics) == 1 and found.numerics[0].startswith("Left out because they do not fit: ")
    assert all(f"sample {i + 1} of run 'run1'" in found.numerics[0] for i in wrong)
    assert found.numerics[0].count("sample") == 3
    good = {name: np.delete(x, wrong) for name, x in poses.values.items()}
    without = poinsot.identify(
        model, type(poses).of(np.delete(poses.t, wrong), good), NAMES, noise=NOISE, problem="geometry"
    )
    np.testing.assert_allclose(found.value, without.value, rtol=0, atol=1e-3 * without.deviation.min())
    np.testing.assert_allclose(found.deviation, without.deviation, rtol=1e-4)


def test_a_run_of_legs_alone_says_nothing_of_a_machine_with_six_freedoms(model, poses, built, estimate):
    more = platform_poses(built, 20, np.random.default_rng(4)).only([f"leg{k}.encoder" for k in range(1, 7)])
    both = poinsot.identify(model, {"a": poses, "b": more}, NAMES, noise=NOISE, problem="geometry")
    np.testing.assert_allclose(both.value, estimate.value, rtol=0, atol=1e-3 * estimate.deviation.min())
    np.testing.assert_allclose(both.deviation, estimate.deviation, rtol=1e-6)


@pytest.mark.slow
def test_error_bars_hold_what_they_promise(model, built):
    rng, z, squares = np.random.default_rng(5), [], []
    for _ in range(40):
        found = poinsot.identify(model, platform_poses(built, 60, rng), NAMES, noise=NOISE, problem="geometry")
        error = found.value - truth(built)
        z.append(np.abs(error) / found.deviation)
        squares.append(error @ np.linalg.solve(found.covariance, error))
    shares = [np.mean(np.array(z) < k) for k in (1, 1.96)]
    np.testing.assert_allclose(shares, [0.683, 0.95], atol=0.04)
    assert abs(np.mean(squares) - 42) < 4 * np.sqrt(2 * 42 / 40)
