"""Every linear method on every problem: it finds the truth, and its error bars cover it as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.methods.registry import METHODS, method_of
from tests.estimate.runs import five_bar_run, four_bar_run, noise, problem_of, with_forces
from tests.generated.share import least, limits, repetitions, share

SIMULATING = [
    name for name, method in METHODS.items() if method.simulates
]  # which need controllers: test_closed_loop
PLAIN = [name for name in METHODS if name not in ("total", *SIMULATING)]  # which needs noise in the motion


@pytest.fixture(scope="module")
def perfect():
    """A four-bar whose channels hold no noise."""
    return problem_of(poinsot.load("four_bar"), four_bar_run(sigma=0.0))


@pytest.mark.parametrize("name", PLAIN)
def test_every_method_finds_the_truth_without_noise(name, perfect):
    rng = np.random.default_rng(1)
    tiny = with_forces(perfect, 1e-9 * rng.standard_normal(perfect.runs[0].y.shape))
    found = method_of(name).solve(tiny.rows)
    np.testing.assert_allclose(
        perfect.base_values(found.d), perfect.nominal, rtol=5e-3
    )  # splines through 50 samples a second


@pytest.fixture(scope="module")
def five_bar():
    """A five-bar with two drives whose channels hold no noise."""
    unknowns = ["crank1.J", "crank2.J", "forearm2.m", "*.viscous", "*.coulomb"]
    return problem_of(poinsot.load("five_bar"), five_bar_run(), unknowns)


def coverage(name: str, problem, colour: float, times: int, size: float = 0.1) -> np.ndarray:
    """Share of repetitions (b,) in which the truth lies within 1.96 standard errors."""
    rng, inside = np.random.default_rng(5), 0.0
    for _ in range(times):
        run = with_forces(problem, size * noise(rng, problem.runs[0].y.shape, colour))
        found = method_of(name).solve(run.rows)
        inside = inside + (np.abs(found.d) < 1.96 * np.sqrt(np.diagonal(found.covariance)))
    return np.asarray(inside) / times


@pytest.mark.parametrize("colour", [0.0, 0.9])
@pytest.mark.parametrize("name", PLAIN)
def test_error_bars_cover_the_truth_in_a_few_repetitions(name, colour, perfect):
    assert 0.86 < coverage(name, perfect, colour, 60).mean() <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "colour"), share([(name, colour) for name in PLAIN for colour in (0.0, 0.9)]))
def test_error_bars_cover_the_truth_as_often_as_they_say(name, colour, perfect):
    check_coverage(coverage(name, perfect, colour, repetitions(500)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "colour"), share([(name, colour) for name in PLAIN for colour in (0.0, 0.9)]))
def test_error_bars_of_a_five_bar_cover_the_truth_as_often_as_they_say(name, colour, five_bar):
    check_coverage(coverage(name, five_bar, colour, repetitions(500), 0.01))


def check_coverage(inside: np.ndarray) -> None:
    """Of all parameters together, and of each."""
    lower, upper = limits(500)
    assert lower <= inside.mean() <= upper, inside
    assert inside.min() >= least(500, len(inside)), inside


def test_white_error_bars_would_not_cover_coloured_noise(perfect):
    """The instrument can fail: standard errors for white noise are far too small here."""
    rng, inside = np.random.default_rng(5), []
    for _ in range(60):
        rows = with_forces(perfect, 0.1 * noise(rng, perfect.runs[0].y.shape, 0.9)).rows
        found = method_of("ordinary").solve(rows)
        X = rows.X[0].reshape(-1, rows.X[0].shape[2])
        white = found.sigma[0] * np.sqrt(np.diagonal(np.linalg.inv(X.T @ X)))
        inside.append(np.abs(found.d) < 1.96 * white)
    assert np.mean(inside) < 0.8


def test_outliers_move_the_robust_method_less_than_the_others(perfect):
    rng = np.random.default_rng(2)
    shape = perfect.runs[0].y.shape
    added = 0.1 * rng.standard_normal(shape) + 20 * (rng.random(shape) < 0.05)
    found = {name: method_of(name).solve(with_forces(perfect, added).rows) for name in ("weighted", "robust")}
    X = perfect.rows.X[0].reshape(-1, perfect.rows.X[0].shape[2])
    off = {name: np.linalg.norm(X @ s.d) for name, s in found.items()}
    assert off["robust"] < 0.3 * off["weighted"]


def test_a_prior_counts_by_its_deviation():
    bar, rec = poinsot.load("four_bar"), four_bar_run()
    wide = poinsot.identify(bar, rec, {"link3.mass": {"prior": 5.0, "deviation": 1e6}, "link2.mass": {}})
    tight = poinsot.identify(bar, rec, {"link3.mass": {"prior": 5.0, "deviation": "0.001 g"}, "link2.mass": {}})
    assert wide["link3.mass"].value == pytest.approx(2.1, abs=4 * wide["link3.mass"].deviation)
    assert tight["link3.mass"].value == pytest.approx(5.0, abs=1e-5)
    assert tight["link3.mass"].deviation == pytest.approx(1e-6, rel=0.1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("wheighted", "did you mean 'weighted'"),
        ({"name": "robust", "treshold": 2}, "did you mean 'threshold'"),
        (3, "there is no method '3'"),
    ],
)
def test_methods_that_do_not_exist_are_refused_by_name(given, said):
    with pytest.raises(PoinsotError, match=said):
        method_of(given)
