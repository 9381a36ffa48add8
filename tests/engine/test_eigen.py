"""Symmetric eigenproblems in batch, against LAPACK and against their own equations."""

import numpy as np
import pytest
import scipy.linalg

from poinsot.blas import _blas_controls, one_blas_thread
from poinsot.engine import eigh
from poinsot.errors import PoinsotError

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 20]


@pytest.fixture(autouse=True)
def optimised(monkeypatch):
    monkeypatch.setenv("POINSOT_ENGINE_WAIT", "1")


def symmetric(n, count, rng):
    """Random, clustered, graded, repeated, diagonal and zero matrices; some huge, some tiny."""
    Q = np.linalg.qr(rng.normal(size=(count, n, n)))[0]
    values = 1 + rng.choice([0, 1e-14, 1e-9, 1e-5, 1e-3, 1], size=(count, n))
    values[::3] = rng.normal(size=values[::3].shape)
    values[1::3] = 10 ** rng.uniform(-12, 0, values[1::3].shape) * rng.choice([-1, 1], values[1::3].shape)
    K = (Q * values[:, None]) @ Q.transpose(0, 2, 1)
    K[0], K[1], K[2] = 0, np.eye(n), np.diag(np.arange(n, 0.0, -1))
    K[3] *= 1e-200
    K[4] *= 1e200
    return (K + K.transpose(0, 2, 1)) / 2


def positive(n, count, rng):
    root = rng.normal(size=(count, n, n))
    return root @ root.transpose(0, 2, 1) + np.eye(n)


@pytest.mark.parametrize("n", SIZES)
def test_standard_problems_agree_with_lapack(n):
    K = symmetric(n, 301, np.random.default_rng(n))
    values, X = eigh(K)
    size = np.abs(K).max(axis=(1, 2), keepdims=True) + (np.abs(K).max(axis=(1, 2), keepdims=True) == 0)
    np.testing.assert_allclose(values / size[:, 0], np.linalg.eigvalsh(K) / size[:, 0], rtol=0, atol=1e-13)
    np.testing.assert_allclose((K @ X - X * values[:, None]) / size, 0, atol=1e-13)
    np.testing.assert_allclose(X.transpose(0, 2, 1) @ X, np.tile(np.eye(n), (301, 1, 1)), atol=1e-13)
    assert (np.diff(values, axis=1) >= 0).all()
    np.testing.assert_allclose(eigh(K, vectors=False) / size[:, 0], values / size[:, 0], atol=1e-14)


@pytest.mark.parametrize("n", SIZES)
def test_generalised_problems_agree_with_lapack(n):
    rng = np.random.default_rng(10 + n)
    K, M = symmetric(n, 101, rng), positive(n, 101, rng)
    K[3], K[4] = K[5], K[6]
    values, X = eigh(K, M)
    for k in range(101):
        expected = scipy.linalg.eigvalsh(K[k], M[k])
        np.testing.assert_allclose(values[k], expected, atol=1e-13 * max(1e-9, np.abs(expected).max()) * n)
    np.testing.assert_allclose(K @ X, (M @ X) * values[:, None], atol=3e-13 * np.abs(K).max() * n)
    np.testing.assert_allclose(X.transpose(0, 2, 1) @ M @ X, np.tile(np.eye(n), (101, 1, 1)), atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 6, 12])
def test_one_problem_shared_matrices_and_threads(n):
    rng = np.random.default_rng(n)
    K, M = symmetric(n, 23, rng)[6:], positive(n, 1, rng)[0]
    values, X = eigh(K, M)
    one, vectors = eigh(K[5], M)
    np.testing.assert_array_equal(one, values[5])
    np.testing.assert_array_equal(vectors, X[5])
    np.testing.assert_array_equal(eigh(K, M, threads=2, vectors=False).shape, (17, n))
    for a, b in zip(eigh(K, M, threads=2), (values, X)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10])
def test_a_mass_matrix_that_is_not_positive_definite_is_named(n):
    M = np.tile(np.eye(n), (7, 1, 1))
    M[4, -1, -1] = -1e-9
    with pytest.raises(PoinsotError, match="M is not positive definite in sample 4"):
        eigh(np.tile(np.eye(n), (7, 1, 1)), M)
    with pytest.raises(PoinsotError, match="M is not positive definite:"):
        eigh(np.eye(n), M[4])


def test_wrong_shapes_are_refused():
    with pytest.raises(PoinsotError, match=r"K must have shape \(n, n\) or \(N, n, n\), not \(2, 3\)"):
        eigh(np.zeros((2, 3)))
    with pytest.raises(PoinsotError, match="K is 2 × 2, M is 3 × 3"):
        eigh(np.eye(2), np.eye(3))
    with pytest.raises(PoinsotError, match="K has 2 samples, M has 3"):
        eigh(np.zeros((2, 2, 2)), np.zeros((3, 2, 2)))
    with pytest.raises(PoinsotError, match="real numbers, not complex"):
        eigh(np.eye(2) * 1j)


def test_nan_stays_in_its_own_sample():
    K = np.tile(np.diag([1.0, 2.0, 3.0]), (9, 1, 1))
    K[4, 1, 1] = np.nan
    values = eigh(K, vectors=False)
    assert np.isnan(values[4]).any()
    np.testing.assert_array_equal(np.delete(values, 4, 0), np.tile([1.0, 2.0, 3.0], (8, 1)))


def test_blas_runs_with_one_thread_inside_and_as_before_after():
    before = [get() for get, _ in _blas_controls()]
    with one_blas_thread():
        assert all(get() == 1 for get, _ in _blas_controls())
        with one_blas_thread():
            pass
        assert all(get() == 1 for get, _ in _blas_controls())
    assert [get() for get, _ in _blas_controls()] == before
