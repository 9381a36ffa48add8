"""Autoregressive models of residuals against covariance matrices written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import toeplitz
from scipy.signal import lfilter

from poinsot.estimate.error_bars import sandwich
from poinsot.estimate.residuals import Colour


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
