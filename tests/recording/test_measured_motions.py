"""Measured recordings as motions: noise is filtered as `identify` does; tables without noise stay as they are."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import poinsot
from poinsot.recording.filtering.measured_noise import SPLINE, measured_noise

BAR = poinsot.load("four_bar")
MOTION = poinsot.Fourier(2.0, (0.4, 0.3), (0.1,), 1.2)


def forces(t, angle, by=lambda t, x: poinsot.Recording.of(t, {"theta1": x})):
    return poinsot.inverse_dynamics(BAR, by(t, angle), t).forces["A"]


def rms(x):
    return float(np.sqrt(np.mean(x**2)))


@pytest.mark.parametrize("rate", [100, 200, 1000])
def test_torques_along_a_noisy_recording_are_those_of_the_motion(rate):
    t = np.arange(0, 6, 1 / rate)
    exact = MOTION.at(t)[0]
    noisy = exact + 1e-3 * np.random.default_rng(0).standard_normal(len(t))
    right, through = forces(t, exact), poinsot.inverse_dynamics(BAR, {"theta1": (t, noisy)}, t).forces["A"]
    told = r"filtered, as noise would be much .* 'theta1' at [\d.]+ Hz \(noise of 0.0\d+ rad would be"
    with pytest.warns(UserWarning, match=told):
        found = forces(t, noisy)
    inside = (t > 0.6) & (t < 5.4)
    assert rms((found - right)[inside]) < 0.1 * rms(right - right.mean()) < rms((through - right)[inside])


def test_determinable_is_not_misled_by_noise():
    pytest.importorskip("pandas")
    t = np.arange(0, 6, 0.005)
    exact = MOTION.at(t)[0]
    noisy = exact + 3e-4 * np.random.default_rng(0).standard_normal(len(t))
    errors = []
    for x in (exact, noisy):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = poinsot.determinable(BAR, poinsot.Recording.of(t, {"theta1": x}), noise=0.1)
        errors.append(one.to_frame()["deviation"].to_numpy(float))
    known = np.isfinite(errors[0])
    np.testing.assert_allclose(errors[1][known], errors[0][known], rtol=0.1)


@pytest.mark.parametrize("bits", [12, 14])
def test_the_steps_of_a_coarse_encoder_are_noise(bits):
    t, step = np.arange(0, 6, 0.001), 2 * np.pi / 2**bits
    coarse = step * np.rint(MOTION.at(t)[0] / step)
    assert measured_noise(t, coarse) == pytest.approx(step / np.sqrt(12), rel=0.5)
    with pytest.warns(UserWarning, match="filtered, as noise would be much"):
        found = forces(t, coarse)
    inside = (t > 0.6) & (t < 5.4)
    right = forces(t, MOTION.at(t)[0])
    assert rms((found - right)[inside]) < 0.15 * rms(right - right.mean())


def trapezoid(t, period=1.0):
    """A motion of constant accelerations, with dwells between them."""
    at = np.array([0.0, 0.2, 0.4, 0.6, 1.0]) * period
    a = np.select([t % period < x for x in at[1:]], [1.0, 0.0, -1.0, 0.0])
    step = np.diff(t, prepend=t[0])
    v = np.cumsum(a * step)
    return 1.0 + 0.2 * np.cumsum(v * step)


T = np.arange(0, 5, 0.01)
SMOOTH = {
    "fourier": (T, MOTION.at(T)[0]),
    "coarse": (T[::6], MOTION.at(T[::6])[0]),
    "fast harmonics": (T, poinsot.Fourier(6.0, (0.1, 0, 0, 0, 0, 0.05), (), 1.2).at(T)[0]),
    "rounded to a microradian": (T, np.round(MOTION.at(T)[0], 6)),
    "uneven": ((T + 0.003 * np.sin(37 * T)), MOTION.at(T + 0.003 * np.sin(37 * T))[0]),
    "trapezoids with dwells": (T, trapezoid(T)),
    "zigzag": (T, 1.0 + 0.1 * np.abs((T % 0.5) - 0.25)),
    "a jump": (T, 1.2 + 0.1 * np.sin(T) + 0.05 * (T > 2)),
    "still": (T, np.full(len(T), 1.2)),
    "few": (T[:20], MOTION.at(T[:20])[0]),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_motions_without_noise_stay_as_they_are_to_the_last_bit(name):
    t, x = SMOOTH[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = poinsot.recording.motion_file.motion_table(poinsot.Recording.of(t, {"theta1": x}), BAR)
    assert isinstance(table["theta1"], tuple)
    np.testing.assert_array_equal(table["theta1"][1], x)


def test_designs_and_kinematics_in_files_stay_as_they_are(tmp_path):
    found = poinsot.kinematics(BAR, {"theta1": MOTION}, T)
    found.to_csv(tmp_path / "run.csv")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*filtered")
        warnings.filterwarnings("ignore", message=".*left out")
        again = poinsot.kinematics(BAR, tmp_path / "run.csv")
    np.testing.assert_allclose(again.acceleration["link2"], found.acceleration["link2"], atol=1e-5)


def test_splines_through_noise_have_the_accelerations_that_are_told():
    t = np.arange(4000) * 0.01
    noise = np.random.default_rng(0).standard_normal(len(t))
    a = poinsot.motion.signals.Samples(t, noise).at(t)[2][100:-100]
    assert rms(a) == pytest.approx(SPLINE / 0.01**2, rel=0.05)
    assert measured_noise(t, noise) == pytest.approx(1.0, rel=0.05)
