"""Bootstraps: intervals that cover the truth, agree with standard errors where both are right, and are shown."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.errors import PoinsotError
from poinsot.estimate.bootstrap.draws import LEVEL, percentile, with_bootstrap
from poinsot.estimate.bootstrap.forces import ForceReplicas
from poinsot.estimate.bootstrap.noise import block_length, series_noise
from poinsot.estimate.bootstrap.searches import SearchReplicas
from poinsot.estimate.methods.weighted import Weighted
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.search.problem import SearchProblem, Space
from poinsot.estimate.search.trust_region import TrustRegion
from poinsot.estimate.solution import ForceSolution, solved
from poinsot.parallel.remade import Remade
from tests.estimate.runs import four_bar_run, noise, problem_of, with_forces
from tests.generated.share import share

BAR, MASSES = poinsot.load("four_bar"), ["link2.mass", "link3.mass"]
TRUE = np.array([BAR.parameters[name].value for name in MASSES])
DRAWS = 100


@pytest.fixture(scope="module")
def exact():
    """Rows of the crank's torque without noise."""
    return problem_of(BAR, four_bar_run(sigma=0.0), MASSES)


def solution(problem, added: np.ndarray) -> ForceSolution:
    """Its masses by weighted least squares with so much more on the torque (n, 1)."""
    noisy, known = with_forces(problem, added), np.zeros(1, bool)
    there, found, *_ = solved(Weighted(), noisy, known)
    nothing: Any = None
    return ForceSolution(nothing, Weighted(), there, nothing, found, None, (), (), None, known)


def drawn(replicas, count: int, seed: int) -> np.ndarray:
    """Values (count, b) of a bootstrap."""
    return np.array([replicas.values(np.random.default_rng([seed, k])) for k in range(count)])


def covered(draws: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether percentiles hold the truth (b,)."""
    lower, upper = (percentile(draws, side) for side in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return (lower <= truth) & (truth <= upper)


def require_coverage(hits: list[np.ndarray]) -> None:
    """As often as the level says, within what chance allows in a thousand tests."""
    count, n = np.sum(hits, axis=0), len(hits)
    print(f"coverage {np.round(count / n, 3)} of {n}")
    assert np.all(count >= binom.ppf(5e-4, n, LEVEL)), count / n
    assert np.all(count <= binom.ppf(1 - 5e-4, n, LEVEL)), count / n


def test_standard_errors_and_bootstrap_agree_where_noise_is_white(exact):
    rng = np.random.default_rng(5)
    found = solution(exact, 0.1 * noise(rng, (len(exact.runs[0].t), 1)))
    draws = drawn(ForceReplicas(found), 400, 0)
    error = np.sqrt(np.diagonal(found.solution.covariance))
    np.testing.assert_allclose(np.std(draws, axis=0), error, rtol=4 / np.sqrt(2 * 400))
    np.testing.assert_allclose(
        np.mean(draws, axis=0), found.problem.base_values(found.solution.d), atol=float(np.max(4 * error / 20))
    )
    np.testing.assert_allclose(
        np.quantile(draws, 0.975, axis=0) - np.quantile(draws, 0.025, axis=0), 3.92 * error, rtol=0.2
    )


@pytest.mark.slow
@pytest.mark.parametrize("colour", [0.0, 0.8])
def test_intervals_of_forces_cover_the_truth(exact, colour):
    hits = []
    for k in share(range(100)):
        rng = np.random.default_rng([7, k])
        found = solution(exact, 0.1 * noise(rng, (len(exact.runs[0].t), 1), colour))
        hits.append(covered(drawn(ForceReplicas(found), DRAWS, k), TRUE))
    require_coverage(hits)


@dataclass(frozen=True, eq=False)
class Decay(SearchProblem):
    """Samples of a e^(−b t), over their noise."""

    y: np.ndarray
    t: np.ndarray

    def residuals(self, p):
        return (self.y - p[0] * np.exp(-p[1] * self.t)) / 0.1

    def jacobian(self, p):
        decay = np.exp(-p[1] * self.t)
        return -np.stack([decay, -p[0] * self.t * decay], axis=1) / 0.1


@dataclass(frozen=True, eq=False)
class Decayed(Measurement):
    """The same as a measurement, in one series or sample by sample."""

    whole: bool = False

    def fit(self, p):
        raise NotImplementedError

    def mechanism_at(self, p):
        raise NotImplementedError

    def series(self, p):
        return ((len(self.problem.residuals(p)), 1),) if self.whole else ()


FELL = np.array([2.0, 0.7])


def decayed(seed: int, colour: float, known: bool, n: int) -> tuple[Decayed, np.ndarray]:
    """A measurement, and the values that fit it best."""
    t, rng = np.linspace(0, 4, n), np.random.default_rng([3, seed])
    y = FELL[0] * np.exp(-FELL[1] * t) + 0.1 * noise(rng, (n, 1), colour)[:, 0]
    free, none = np.full(2, np.inf), np.full(2, np.nan)
    space = Space(("a", "b"), ("-", "-"), FELL, -free, free, none, none, FELL)
    measured = Decayed(Decay(space, y, t), known, whole=colour > 0)
    return measured, TrustRegion().descend(measured.problem).p


@pytest.mark.slow
@pytest.mark.parametrize(("colour", "known", "n"), [(0.0, True, 30), (0.0, False, 30), (0.6, False, 300)])
def test_intervals_of_searches_cover_the_truth(colour, known, n):
    hits = []
    for k in share(range(100)):
        measured, p = decayed(k, colour, known, n)
        hits.append(covered(drawn(SearchReplicas(measured, p, TrustRegion()), DRAWS, k), FELL))
    require_coverage(hits)


def test_a_search_agrees_with_its_standard_errors():
    measured, p = decayed(0, 0.0, True, 200)
    draws = drawn(SearchReplicas(measured, p, TrustRegion()), 300, 0)
    error = np.sqrt(np.diagonal(measured.determined(p).covariance))
    np.testing.assert_allclose(np.std(draws, axis=0), error, rtol=4 / np.sqrt(600))


def test_drawn_noise_has_the_colour_of_the_residuals():
    left = [noise(np.random.default_rng(0), (4000, 2), 0.8)]
    left[0][:, 1] += left[0][:, 0]  # channels go together
    source = series_noise(left, [np.ones((4000, 2), bool)])
    drawn_again = [source.drawn(np.random.default_rng(k))[0] for k in range(20)]
    for lag in (0, 1):
        ours, theirs = (
            np.mean([x[lag:].T @ x[: len(x) - lag] / len(x) for x in parts], axis=0) for parts in (drawn_again, left)
        )
        np.testing.assert_allclose(ours, theirs, atol=0.1)  # 4 standard errors of the largest
    assert block_length(source.innovations[0][:, 0]) <= 5
    assert block_length(left[0][:, 0]) > 15


def test_masked_samples_do_not_narrow_what_is_drawn():
    x, good = noise(np.random.default_rng(2), (4000, 1)), np.random.default_rng(3).random((4000, 1)) < 0.5
    again = series_noise([np.where(good, x, 0.0)], [good]).drawn(np.random.default_rng(1))[0]
    assert np.std(again) == pytest.approx(np.std(x[good]), rel=0.05)


def test_a_study_asks_for_intervals_and_the_result_has_them(tmp_path):
    rec = four_bar_run(3)
    table = np.stack([rec.t, rec["theta1"], rec["A"]], axis=1)
    np.savetxt(tmp_path / "a.csv", table, delimiter=",", header="t [s],theta1 [rad],A [N·m]", comments="")
    text = f'model = "four_bar"\nunknowns = {json.dumps(MASSES)}\nbootstrap = 40\n[recordings.a]\nfile = "a.csv"\n'
    (tmp_path / "study.toml").write_text(text)
    found = poinsot.identify(tmp_path / "study.toml")
    assert found.bootstrap is not None and found.bootstrap.draws.shape == (40, 2) and found.bootstrap.lost == 0
    for name in MASSES:
        lower, upper = found.bootstrap[name]
        assert lower < found[name].value < upper
        assert f"[{lower:.3f}, {upper:.3f}]" in str(found) or f"[{lower:.2f}, {upper:.2f}]" in str(found)
    assert "95 % intervals from 40 estimates" in str(found)
    saved = json.loads((found.save(tmp_path / "out") / "estimate.json").read_text())["bootstrap"]
    assert saved["names"] == MASSES and saved["lower"] == found.bootstrap.lower.tolist()
    with pytest.raises(PoinsotError, match=r"no interval 'link1.mass'.*link2.mass"):
        found.bootstrap["link1.mass"]
    other = poinsot.identify(tmp_path / "study.toml", seed=1)
    assert not np.array_equal(other.bootstrap.draws, found.bootstrap.draws)
    assert poinsot.identify(tmp_path / "study.toml", bootstrap=0).bootstrap is None
    said = CliRunner().invoke(app, ["identify", str(tmp_path / "study.toml"), "--bootstrap", "48"])
    assert said.exit_code == 0 and "95 % intervals from 48 estimates" in said.output


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("likelihood", "consistent", "swarm")]


@pytest.mark.parametrize("method", ["ordinary", "robust", "trust-region", *SLOW])
def test_every_method_of_forces_has_intervals(method):
    unknowns = {name: {"bounds": [0.5, 5]} for name in MASSES} if method != "consistent" else ["link2.*"]
    found = poinsot.identify(BAR, four_bar_run(3), unknowns, method, bootstrap=40)
    wide = (found.bootstrap.upper - found.bootstrap.lower) / 3.92
    error = np.array([one.deviation for one in found.combinations])
    if method == "consistent":  # bodies that can exist bound what is drawn
        assert np.all(wide < 2 * error) and np.all(wide > 0)
    else:
        assert np.all((wide > 0.6 * error) & (wide < 1.5 * error))


def test_priors_are_drawn_too():
    tight = {"link2.mass": {"prior": 2.3, "deviation": 1e-4}, "link3.mass": {}}
    found = poinsot.identify(BAR, four_bar_run(3), tight, bootstrap=80)
    k = found.bootstrap.names.index("link2.mass")
    assert found.bootstrap.deviation[k] == pytest.approx(found["link2.mass"].deviation, rel=0.35)


@pytest.mark.parametrize("count", [-1, 7, 2.5, True, "many"])
def test_too_few_estimates_are_refused(count):
    with pytest.raises(PoinsotError, match="bootstrap is a whole number, 0 or from 40, not"):
        poinsot.identify(BAR, four_bar_run(), MASSES, bootstrap=count)


def test_without_residuals_to_spare_there_is_no_bootstrap():
    links = poinsot.load("three_link")
    run = poinsot.ModalRun(poinsot.modes(links).frequencies, {"phi1": 0.0, "phi2": 0.0, "phi3": 0.0})
    with pytest.raises(PoinsotError, match="no bootstrap: as many measured values as unknowns"):
        poinsot.identify(links, run, [f"{j}.stiffness" for j in "ABC"], bootstrap=40)


def test_estimates_that_find_nothing_are_counted():
    found = poinsot.identify(BAR, four_bar_run(3), MASSES, bootstrap=40)
    lost = SimpleNamespace(texts=found.bootstrap.names, values=lambda rng: np.full(2, np.nan), noise="none")
    with pytest.raises(PoinsotError, match="40 of 40 estimates from drawn noise found no values"):
        with_bootstrap(replace(found, bootstrap=None), Remade(here=lost))
