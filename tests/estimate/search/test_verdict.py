"""What a search says of its values: error bars, what is undetermined, what does not fit, intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import chi2

import poinsot
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.results.searched import searched
from poinsot.estimate.results.validation import fit_of
from poinsot.estimate.search.problem import SearchProblem, Space
from poinsot.estimate.search.registry import SEARCHES
from poinsot.estimate.study import Run, Study
from tests.estimate.runs import four_bar_run
from tests.generated.share import limits, repetitions, share

T = np.linspace(0, 3, 40)
BAR = poinsot.load("four_bar")
STUDY = Study(BAR, (Run("run", four_bar_run(seconds=1.0)),))


@dataclass(frozen=True, eq=False)
class Decays(SearchProblem):
    """Samples of a e^(−b t) + c d, of which c and d have only a product, and e has no effect."""

    y: np.ndarray
    sigma: float = 0.02

    def model(self, p: np.ndarray) -> np.ndarray:
        return p[0] * np.exp(-p[1] * T) + p[2] * p[3]

    def residuals(self, p: np.ndarray) -> np.ndarray:
        return (self.y - self.model(p)) / self.sigma

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        decay, one, none = np.exp(-p[1] * T), np.ones_like(T), np.zeros_like(T)
        return -np.stack([decay, -p[0] * T * decay, p[3] * one, p[2] * one, none], axis=1) / self.sigma


class Sampled(Measurement):
    """Samples as a measurement."""

    def fit(self, p):
        return fit_of(["run"], [("y", "-")], [T], [self.problem.y[:, None]], [self.problem.model(p)[:, None]])

    def mechanism_at(self, p):
        return BAR


TRUTH = np.array([2.0, 0.7, 0.5, 3.0, 1.0])


def problem(seed: int, sigma: float = 0.02, lower: float = -np.inf, start=TRUTH) -> Decays:
    nothing = np.full(5, np.nan)
    space = Space(
        tuple("abcde"), ("-",) * 5, np.array(start), np.full(5, lower), np.full(5, np.inf), nothing, nothing, TRUTH
    )
    return Decays(space, Decays.model(None, TRUTH) + sigma * np.random.default_rng(seed).standard_normal(len(T)))


def estimate(of: Decays, known: bool = True, method: str = "levenberg-marquardt"):
    return searched(STUDY, Sampled(of, known), None, SEARCHES[method]())


def test_what_has_no_effect_or_only_a_product_has_no_value():
    est = estimate(problem(1))
    assert est.undetermined == ("c", "d", "e")
    assert est["e"].remark == "no effect on what was measured"
    assert est["c"].remark == est["d"].remark == "determined together with others"
    assert np.all(np.abs(est.value[:2] - TRUTH[:2]) < 4 * est.deviation[:2])
    together = [c for c in est.combinations if "c" in c.text or "d" in c.text]
    assert len(together) == 1 and together[0].deviation > 0


def free(of: Decays) -> Decays:
    """With d and e held by tight priors, so that three unknowns are left."""
    space = of.space
    prior, deviation = np.full(5, np.nan), np.full(5, np.nan)
    prior[3:], deviation[3:] = TRUTH[3:], 1e-9
    return Decays(
        Space(space.names, space.units, space.start, space.lower, space.upper, prior, deviation, TRUTH), of.y
    )


def coverage(times: int, method: str, known: bool) -> float:
    inside = [
        np.abs(est.value[:3] - TRUTH[:3]) < 1.96 * est.deviation[:3]
        for est in (estimate(free(problem(seed)), known, method) for seed in range(times))
    ]
    return float(np.mean(inside))


@pytest.mark.parametrize("known", [True, False])
def test_error_bars_cover_the_truth(known):
    assert 0.88 < coverage(100, "levenberg-marquardt", known) < 0.99


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "known"), share([(m, k) for m in ("levenberg-marquardt", "trust-region") for k in (True, False)])
)
def test_error_bars_cover_the_truth_as_often_as_they_say(method, known):
    lower, upper = limits(500)
    assert lower <= coverage(repetitions(500), method, known) <= upper


def test_residuals_that_are_too_large_are_a_misfit():
    sound, wrong = estimate(free(problem(1))), estimate(free(problem(1, sigma=0.06)))
    assert sound.numerics == ()
    assert "The model does not fit" in wrong.numerics[0] and "numerics in doubt" in wrong.verdict
    assert wrong.deviation[0] > 2 * sound.deviation[0]  # wider, as the residuals are


def with_prior(of: Decays, known: dict[str, tuple[float, float]]) -> Decays:
    """With priors by name, besides tight ones of d and e."""
    space = free(of).space
    prior, deviation = space.prior.copy(), space.deviation.copy()
    for name, (value, spread) in known.items():
        prior["abcde".index(name)], deviation["abcde".index(name)] = value, spread
    return Decays(replace(space, prior=prior, deviation=deviation), of.y)


def test_a_misfit_of_the_measurements_does_not_widen_a_prior():
    """What the residuals are too large by is theirs: of e, which has no effect, and of a, which both tell."""
    of = with_prior(problem(1, sigma=0.08), {"e": (1.0, 0.3), "a": (2.0, 0.03)})
    est = estimate(of)
    assert "The model does not fit" in est.numerics[0] and not any("prior" in text for text in est.numerics)
    assert est["e"].deviation == pytest.approx(0.3, rel=1e-9)
    D, P = of.jacobian(est.value)[:, :3], np.array([[1 / 0.03, 0.0, 0.0]])  # d is held
    e = of.residuals(est.value)
    inverse = np.linalg.inv(D.T @ D + P.T @ P)
    s2 = e @ e / (len(e) - np.trace(inverse @ D.T @ D))
    expected = inverse @ (s2 * D.T @ D + P.T @ P) @ inverse
    np.testing.assert_allclose(est.covariance[:3, :3], expected, rtol=1e-4)
    assert est["a"].deviation < 0.95 * np.sqrt(s2 * inverse[0, 0])  # as it was before


@pytest.mark.parametrize("known", [True, False])
def test_error_bars_with_a_prior_cover_the_truth_where_the_noise_is_larger_than_was_said(known):
    off, draw = [], np.random.default_rng(5).standard_normal
    for seed in range(150):
        of = with_prior(problem(seed, sigma=0.06), {"a": (TRUTH[0] + 0.02 * draw(), 0.02)})
        est = estimate(of, known)
        off.append((est.value[:3] - TRUTH[:3]) / est.deviation[:3])
    np.testing.assert_allclose(np.std(off, axis=0), 1.0, atol=0.17)


def test_a_prior_that_the_measurements_contradict_is_a_doubt_and_no_misfit():
    est = estimate(with_prior(problem(1), {"a": (2.4, 0.05), "e": (1.0, 0.3)}))
    alone = estimate(free(problem(1)))
    (said,) = est.numerics
    away = (2.4 - alone["a"].value) / np.hypot(0.05, alone["a"].deviation)
    assert f"The prior of a, 2.4 ± 0.05 -, is {away:.0f} standard errors" in said
    assert f"{alone['a'].value:.3g}" in said
    assert estimate(with_prior(problem(1), {"a": (2.1, 0.05)})).numerics == ()


def test_values_on_a_bound_have_no_error_bar():
    of = free(problem(1, start=[2.0, 0.9, 0.5, 3.0, 1.0]))
    space = of.space
    lower = np.array([-np.inf, 0.8, -np.inf, -np.inf, -np.inf])
    held = Decays(
        Space(space.names, space.units, space.start, lower, space.upper, space.prior, space.deviation, TRUTH), of.y
    )
    est = estimate(held, method="trust-region")
    assert "b" in est.undetermined and est["b"].remark == "the best value lies on its bound, 0.8 -"
    assert any(text == "On a bound: b." for text in est.numerics)


def test_profiles_agree_with_error_bars_where_the_model_is_nearly_linear():
    est = estimate(free(problem(2)))
    for name in "abc":
        found = est.profile(name)
        half = np.sqrt(chi2.ppf(0.95, 1)) * est[name].deviation
        np.testing.assert_allclose(
            [found.lower, found.upper], est[name].value + np.array([-half, half]), atol=0.1 * half
        )
        assert np.all(np.diff(found.values) > 0) and found.cost.min() >= -1e-6


def test_profiles_tell_which_side_is_open():
    """Of a e^(−b t) with hardly any decay, b has a limit above and, with a bound, none below."""
    of = free(problem(1))
    est = estimate(of)
    wide = est.profile("b", 0.999999)
    assert wide.lower < est.profile("b", 0.5).lower < est["b"].value < est.profile("b", 0.5).upper < wide.upper
    with pytest.raises(poinsot.PoinsotError, match="between 0 and 1"):
        est.profile("b", 95)
    with pytest.raises(poinsot.PoinsotError, match="there is no unknown of this study 'z'"):
        est.profile("z")


def test_cost_surfaces_are_least_at_the_values():
    est = estimate(free(problem(3)))
    found = est.cost_surface("a", "b", 21, within={"a": [1.5, 2.5], "b": [0.4, 1.0]})
    i, j = np.unravel_index(np.argmin(found.cost), found.cost.shape)
    assert abs(found.first[i] - est["a"].value) < 0.06 and abs(found.second[j] - est["b"].value) < 0.04
    other = est.cost_surface("a", "b", 5, at={"c": 1.0})
    assert other.cost.min() > found.cost.min()
    assert set(est.cost_surface("a", "b", 3).to_dict()) >= {"names", "first", "second", "cost"}
