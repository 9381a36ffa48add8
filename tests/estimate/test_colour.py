"""Autoregressive models of residuals against covariance matrices written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import toeplitz
from scipy.signal import lfilter

from poinsot.estimate.error_bars import freedoms, sandwich, widened
from poinsot.estimate.residuals import Colour, colour_of
from poinsot.estimate.vector_autoregression import autocovariances, of_innovations, vector_autoregression


@pytest.mark.parametrize("a", [(1.0,), (1.0, -0.9), (1.0, -1.2, 0.5), (1.0, -0.5, 0.3, -0.2)])
def test_whitening_is_exact_from_the_first_sample_on(a):
    """A Ω Aᵀ = 1, with Ω from the response to an impulse; the beginning counts as any other sample."""
    response = lfilter([1.0], a, np.eye(1, 4000)[0])
    omega = toeplitz([response[k:] @ response[: 4000 - k] for k in range(30)])
    colour, one = Colour((np.array(a),), np.eye(1)), np.eye(30)[:, None, :]
    A = colour.whitened(one)[:, 0]
    assert_allclose(A @ omega @ A.T, np.eye(30), atol=1e-12)
    assert_allclose(sandwich([one], np.eye(30), colour), omega, atol=1e-12 * omega[0, 0])


def test_gaps_begin_anew_and_the_transpose_is_one():
    colour = Colour((np.array([1.0, -1.2, 0.5]), np.array([1.0, -0.9])), np.array([[1.0, 0.3], [0.3, 2.0]]))
    good = np.random.default_rng(1).random((30, 2)) < 0.8
    one = np.eye(60).reshape(30, 2, 60) * good[:, :, None]
    A = colour.innovations(one, good).reshape(60, 60)
    back = colour.innovations_back(np.eye(60).reshape(30, 2, 60), good).reshape(60, 60)
    assert_allclose(back, A.T, atol=1e-14)
    parts = [colour.whitened(one[:9], good[:9]), colour.whitened(one[9:], good[9:])]
    good[9] = False  # nothing is known of what came before a gap
    whole = colour.whitened(one * good[:, :, None], good)
    assert_allclose(whole[:9], parts[0][:9], atol=1e-14)


def two_channels(rng: np.random.Generator, n: int) -> np.ndarray:
    """Slow noise of each channel for itself, and fast noise that both have in common (n, 2)."""
    slow = lfilter([0.6], [1, -0.8], rng.standard_normal((n + 200, 2)), axis=0)
    fast = lfilter([1, -2, 1], [1.0], rng.standard_normal(n + 200))
    return (slow + np.outer(fast, [0.8, 0.6]))[200:]


def responses() -> tuple[np.ndarray, np.ndarray]:
    """Of both kinds of noise to an impulse, 2000 samples."""
    return 0.6 * 0.8 ** np.arange(2000), np.append([1.0, -2.0, 1.0], np.zeros(1997))


def slow_columns(n: int) -> np.ndarray:
    """Columns (n, 2, 2) of a slow motion: the sum of both channels, and their difference."""
    wave = np.sin(2 * np.pi * np.arange(n) / 100)
    return np.stack([np.stack([wave, wave], axis=1), np.stack([wave, -wave], axis=1)], axis=2)


def test_channels_that_go_together_at_high_frequencies_alone_do_not_at_low_ones():
    """Both variances are those of the slow noise; innovations that are correlated at once would part them."""
    X = slow_columns(1000)
    slow, fast = (toeplitz(np.convolve(h, h[::-1])[len(h) - 1 :][:1000]) for h in responses())
    wave = X[:, 0, 0]
    truth = 2 * wave @ slow @ wave + np.array([1.4, 0.2]) ** 2 * (wave @ fast @ wave)
    colour = colour_of([two_channels(np.random.default_rng(3), 20000)])
    assert len(colour.lags)
    assert_allclose(np.diagonal(sandwich([X], np.eye(2), colour)), truth, rtol=0.15)
    at_once = np.diagonal(sandwich([X], np.eye(2), Colour(colour.a, colour.sigma)))
    assert at_once[0] > 1.4 * truth[0] and at_once[1] < 0.7 * truth[1]


def test_vector_models_solve_the_equations_of_yule_and_walker():
    e = two_channels(np.random.default_rng(4), 3000)
    gamma = autocovariances([e], 8, [np.ones(e.shape, bool)])
    for k in (0, 3):
        assert_allclose(gamma[k], e[k:].T @ e[: len(e) - k] / len(e), atol=1e-12)
    L, eta = vector_autoregression(gamma, 1e9, 3)  # so many samples that the highest order is the best
    for k in range(1, 4):
        before = (gamma[k - i] if k >= i else gamma[i - k].T for i in range(1, 4))
        assert_allclose(sum(a @ g for a, g in zip(L, before)), gamma[k], atol=1e-12)
    assert_allclose(gamma[0] - sum(a @ g.T for a, g in zip(L, gamma[1:])), eta, atol=1e-12)


@pytest.mark.parametrize("other", ["zero", "same"])
def test_channels_that_say_nothing_new_leave_no_lags(other):
    x = two_channels(np.random.default_rng(7), 300)[:, :1]
    colour = colour_of([np.concatenate([x, 0 * x if other == "zero" else x], axis=1)])
    assert len(colour.lags) == 0
    assert np.isfinite(sandwich([slow_columns(300)], np.eye(2), colour)).all()


def test_units_of_channels_do_not_matter():
    e, X, size = two_channels(np.random.default_rng(8), 2000), slow_columns(2000), np.array([1e-3, 1e3])
    plain, scaled = colour_of([e]), colour_of([e * size])
    assert len(plain.lags) == len(scaled.lags) > 0
    found = sandwich([X / size[:, None]], np.eye(2), scaled)
    assert_allclose(found, sandwich([X], np.eye(2), plain), rtol=1e-6, atol=1e-6 * found[0, 0])


def test_autocovariances_of_innovations_are_those_of_the_filtered_channels():
    e, a = two_channels(np.random.default_rng(5), 400), (np.array([1.0, -0.7, 0.2]), np.array([1.0, 0.4]))
    e[:5] = e[-5:] = 0.0  # nothing is lost at the ends
    one = np.ones(e.shape, bool)
    filtered = np.stack([lfilter(a[c], [1.0], e[:, c]) for c in range(2)], axis=1)
    found = of_innovations(autocovariances([e], 9, [one]), a, 4)
    assert_allclose(found, autocovariances([filtered], 4, [one]), atol=1e-12)


@pytest.mark.parametrize("a", [0.0, 0.5, -0.4])
def test_degrees_of_freedom_of_a_mean_are_those_of_its_variance(a):
    """s² = σ²/(1 − a)² of a mean, var s²/s⁴ = 2/n + 4 (1 + a)/(1 − a)/n by the variances of σ² and a."""
    n = 20000
    colour = Colour((np.array([1.0, -a]) if a else np.ones(1),), np.eye(1))
    B, good = [np.full((n, 1, 1), 1 / n)], [np.ones((500, 1), bool)]
    share = 2 / 500 + (4 * (1 + a) / (1 - a) / 500 if a else 0.0)
    assert_allclose(freedoms(B, colour, good), 2 / share, rtol=1e-3)
    wide = widened(np.eye(1), B, colour, good)[0, 0]
    assert 1 < wide < 1 + 4 * share


def test_degrees_of_freedom_are_those_that_repetitions_show():
    """Variances from the colour of 500 samples scatter as they say, channels together or not."""
    X, rng, found, said = slow_columns(500), np.random.default_rng(6), [], []
    for _ in range(100):
        colour = colour_of([two_channels(rng, 500)])
        found.append(np.diagonal(sandwich([X], np.eye(2), colour)))
        said.append(freedoms([X], colour, [np.ones((500, 2), bool)]))
    seen = 2 / np.var(np.log(found), axis=0)
    assert_allclose(np.median(said, axis=0), seen, rtol=0.5)
