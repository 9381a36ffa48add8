"""Pairs of measured and modelled modes: against all assignments there are, in batches, by shapes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from poinsot.estimate.problems.frequencies.pairing import least_costs, pairs_by_shape, pairs_in_order


def brute_force(f, sigma, F, alone) -> float:
    """The least sum over all choices of as many measured modes and modes of the model, both in order."""
    found = [float(np.sum(alone))]
    for n in range(1, min(len(f), len(F)) + 1):
        for a in combinations(range(len(f)), n):
            rest = float(np.sum(np.delete(alone, a)))
            for b in combinations(range(len(F)), n):
                found.append(rest + float(np.sum(((f[list(a)] - F[list(b)]) / sigma[list(a)]) ** 2)))
    return min(found)


def case(seed: int):
    rng = np.random.default_rng(seed)
    f, F = (np.sort(rng.uniform(10, 100, n)) for n in rng.integers(1, 6, 2))
    sigma = rng.uniform(0.5, 5, len(f))
    return f, sigma, F, (rng.uniform(0.05, 0.5) * f / sigma) ** 2


@pytest.mark.parametrize("seed", range(60))
def test_pairs_have_the_least_sum_of_all_assignments_in_order(seed):
    f, sigma, F, alone = case(seed)
    least = brute_force(f, sigma, F, alone)
    assert least_costs(f, sigma, F[None], alone)[0] == pytest.approx(least, rel=1e-12)
    index = pairs_in_order(f, sigma, F, alone)
    paired = index >= 0
    assert np.all(np.diff(index[paired]) > 0)
    total = np.sum(alone[~paired]) + np.sum(((f - F[index]) / sigma)[paired] ** 2)
    assert total == pytest.approx(least, rel=1e-12)


def test_many_models_at_once_cost_what_each_costs_alone():
    f, sigma, _, alone = case(3)
    rng = np.random.default_rng(0)
    F = np.sort(rng.uniform(5, 120, (200, 7)), axis=1)
    F[::3, 5:] = np.nan  # models with fewer modes
    singles = [least_costs(f, sigma, one[None, np.isfinite(one)], alone)[0] for one in F]
    np.testing.assert_allclose(least_costs(f, sigma, F, alone), singles, rtol=1e-12)


def test_a_mode_that_the_model_lacks_and_one_that_was_not_seen():
    f = np.array([10.0, 15.0, 20.0, 40.0])
    F = np.array([10.1, 19.8, 30.0, 41.0])
    index = pairs_in_order(f, f, F, np.full(4, 0.2**2))
    assert index.tolist() == [0, -1, 1, 3]


def test_shapes_tell_modes_that_have_crossed():
    shapes = np.array([[1.0, 1.0], [1.0, -1.0]])
    near = np.ones((2, 2), bool)
    index, mac = pairs_by_shape(shapes, shapes[:, ::-1] + 0.1, near)
    assert index.tolist() == [1, 0] and np.all(mac > 0.95)
    near[0, 1] = False  # too far away in frequency
    assert pairs_by_shape(shapes, shapes[:, ::-1] + 0.1, near)[0].tolist() == [-1, 0]
