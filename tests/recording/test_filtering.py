"""Filters and derivatives against closed forms: errors cover the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.recording.filtering.differentiate import METHODS, differentiate
from poinsot.recording.filtering.motion_cutoff import motion_cutoff
from poinsot.recording.filtering.resample import decimated, resampled
from poinsot.recording.filtering.spectrum import sample_noise, spectrum
from poinsot.recording.recording import Recording

RATE, DURATION, SIGMA = 200.0, 20.0, 1e-3  # [Hz], [s], [rad]
W = 2 * np.pi * np.array([0.25, 0.75, 1.5])  # [rad/s], harmonics of 4 s
A, PHASE = np.array([1.0, -0.4, 0.2]), np.array([0.3, 1.0, 2.0])
NAMES = ("x", "x.rate", "x.acceleration")
SEEDS = {
    "filter": 15,
    "spline": 15,
    "fourier": 150,
}  # a series has few coefficients: its errors are seldom independent


def truth(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """s, ṡ, s̈ at t (n,)."""
    angle = W * t[:, None] + PHASE
    return (A * np.sin(angle)).sum(1), (A * W * np.cos(angle)).sum(1), (-A * W**2 * np.sin(angle)).sum(1)


def recorded(seed: int, clock: str = "even", sigma: float = SIGMA) -> Recording:
    """The closed form with white noise, on a clock that is even, uneven, has masked samples or masked ends."""
    random = np.random.default_rng(seed)
    t = np.arange(round(RATE * DURATION)) / RATE
    if clock == "uneven":
        t = t + 0.3 / RATE * random.uniform(-1, 1, len(t))
    x = truth(t)[0] + sigma * random.standard_normal(len(t))
    if clock == "masked":
        x[random.random(len(t)) < 0.15] = np.nan
    elif clock == "masked at its ends":
        x[:60] = x[-10:] = np.nan
    return Recording.of(t, {"x": x}, units={"x": "rad"}, kinds={"x": "position"})


CASES = {
    "filter, cut-off from the spectrum": {"method": "filter"},
    "filter, cut-off of the user": {"method": "filter", "cutoff": 6.0},
    "Fourier series": {"method": "fourier", "period": 4.0, "harmonics": 6},
    "Fourier series, harmonics from the spectrum": {"method": "fourier", "period": 4.0},
    "spline": {"method": "spline", "cutoff": 6.0},
    "spline, cut-off from the spectrum": {"method": "spline"},
}


@pytest.mark.parametrize("clock", ["even", "uneven", "masked", "masked at its ends"])
@pytest.mark.parametrize("case", CASES)
def test_errors_of_derivatives_cover_the_truth_as_often_as_they_say(case, clock):
    inside, seeds = np.zeros(3), SEEDS[CASES[case]["method"]]
    for seed in range(seeds):
        rec = recorded(seed, clock)
        smooth = differentiate(rec, **CASES[case])
        inner = (rec.t > 2) & (rec.t < DURATION - 2)
        for k, (name, true) in enumerate(zip(NAMES, truth(rec.t))):
            off = np.abs(smooth[name] - true)[inner] / smooth.channels[name].noise
            inside[k] += np.mean(off < 1.96) / seeds
    assert np.all((inside > 0.92) & (inside < 0.98)), inside


@pytest.mark.parametrize("case", CASES)
def test_without_noise_derivatives_are_exact_to_the_content_that_is_lost(case):
    rec = recorded(0, sigma=0.0)
    smooth = differentiate(rec, **CASES[case] | {"cutoff": 12.0})
    inner = slice(400, -400)
    for name, true in zip(NAMES, truth(rec.t)):
        assert_allclose(smooth[name][inner], true[inner], atol=2e-3 * np.abs(true).max())


def test_content_that_a_low_cut_off_takes_away_is_in_the_error():
    rec = recorded(0)
    smooth = differentiate(rec, method="filter", cutoff=1.2)  # below the third sine
    inner = slice(800, -800)
    for name, true in zip(NAMES, truth(rec.t)):
        rms = float(np.sqrt(np.mean((smooth[name] - true)[inner] ** 2)))
        assert smooth.channels[name].noise == pytest.approx(rms, rel=0.15)


def test_a_filter_has_no_phase():
    rec = recorded(1, sigma=0.0)
    found = differentiate(rec, method="filter", cutoff=2.0)["x"][800:-800]
    true = truth(rec.t)[0]
    shifted = [np.sum((found - true[800 + k : len(true) - 800 + k]) ** 2) for k in (-1, 0, 1)]
    assert int(np.argmin(shifted)) == 1
    assert shifted[0] == pytest.approx(shifted[2], rel=0.05)


def test_samples_that_were_masked_at_the_ends_stay_masked():
    rec = recorded(2, "masked at its ends")
    smooth = differentiate(rec, method="filter", cutoff=6.0)
    for name in NAMES:
        assert np.isnan(smooth[name][:59]).all() and np.isnan(smooth[name][-9:]).all()
        assert np.isfinite(smooth[name][60:-10]).all()


@pytest.mark.parametrize("clock", ["even", "uneven", "masked"])
def test_the_noise_of_a_sample_is_known_from_its_neighbours(clock):
    rec = recorded(3, clock)
    assert sample_noise(rec.t, rec["x"]) == pytest.approx(SIGMA, rel=0.1)


def test_the_spectrum_tells_noise_from_content():
    rec = recorded(4)
    found = spectrum(rec["x"], RATE)
    assert found.noise == pytest.approx(SIGMA, rel=0.1)
    assert 1.5 < found.cutoff < 5


def test_the_noise_of_a_periodic_motion_is_what_differs_between_periods():
    """A content that the series cannot follow, but that repeats, is no noise."""
    rec = recorded(5)
    hum = 0.05 * np.sin(2 * np.pi * 30 * rec.t)  # a harmonic of 4 s beyond the series
    x = rec["x"] + hum
    found = METHODS["fourier"](rec.t, x, None, 4.0, 6, 4)
    assert found.noise == pytest.approx(SIGMA, rel=0.1)


def test_resampling_and_decimation_keep_the_motion():
    rec = recorded(6, "uneven")
    even = resampled(rec, 100.0)
    assert_allclose(np.diff(even.t), 0.01, rtol=1e-9)
    assert_allclose(even["x"][5:-5], truth(even.t)[0][5:-5], atol=6 * SIGMA)
    fewer = decimated(recorded(6), 10)
    inner = (fewer.t > 1) & (fewer.t < DURATION - 1)
    assert_allclose(fewer["x"][inner], truth(fewer.t)[0][inner], atol=4 * SIGMA)
    assert np.std(fewer["x"][inner] - truth(fewer.t)[0][inner]) < 0.5 * SIGMA  # noise beyond the new rate is gone


def test_a_dead_channel_stays_dead_at_another_rate():
    t = np.arange(0, 2, 0.1)
    rec = poinsot.Recording.of(t, {"a": np.sin(t), "b": np.full(len(t), np.nan)})
    even = resampled(rec, 25.0)
    np.testing.assert_allclose(even["a"], np.sin(even.t), atol=1e-5)
    assert np.isnan(even["b"]).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "wavelet"}, "there is no method of differentiation 'wavelet'"),
        ({"method": "fourier"}, "needs the period="),
        ({"method": "fourier", "period": 50.0}, "does not hold a whole period"),
        ({"method": "filter", "cutoff": -1.0}, "positive frequency"),
        ({"method": "filter", "cutoff": {"x": 1e4}}, "'x', 10000 Hz, is above half the sampling rate of .* at most"),
        ({"method": "spline", "cutoff": 1e4}, "above half the sampling rate"),
        ({"channels": "y"}, "there is no channel 'y'"),
    ],
)
def test_what_cannot_be_done_is_said(given, said):
    with pytest.raises(poinsot.PoinsotError, match=said):
        differentiate(recorded(0), **given)


@pytest.mark.parametrize("bits", [9, 10, 12])
@pytest.mark.parametrize("rate", [200.0, 1000.0, 4000.0])
def test_cut_offs_of_coarse_encoders_are_those_of_the_motion(rate, bits):
    """Steps of an encoder, however seldom beside the samples, are no motion."""
    t, step = np.arange(0, 10, 1 / rate), 2 * np.pi / 2**bits
    x = 0.4 * np.sin(1.5 * t) + 0.3 * np.sin(3 * t + 0.4)
    a = -0.9 * np.sin(1.5 * t) - 2.7 * np.sin(3 * t + 0.4)
    rec = Recording.of(t, {"x": step * np.round(x / step)}, units={"x": "rad"})
    cutoff = motion_cutoff(rec, "x")
    assert 0.6 < cutoff < 12
    inner = (t > 1) & (t < 9)
    found = differentiate(rec, ["x"], cutoff=cutoff)["x.acceleration"][inner]
    assert np.sqrt(np.mean((found - a[inner]) ** 2)) < 0.2 * a.std()
