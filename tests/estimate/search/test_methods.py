"""Every method of search on problems whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from poinsot.engine.build.settings import default_threads
from poinsot.errors import PoinsotError
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.interior_point import InteriorPoint
from poinsot.estimate.search.multi_start import MultiStart
from poinsot.estimate.search.problem import SearchProblem, Space, with_priors
from poinsot.estimate.search.registry import SEARCHES

NONE = np.full(2, np.nan)


def space(start, lower, upper, prior=NONE, deviation=NONE) -> Space:
    return Space(
        ("a", "b"), ("-", "-"), *(np.array(x, float) for x in (start, lower, upper, prior, deviation, start))
    )


@dataclass(frozen=True, eq=False)
class Valley(SearchProblem):
    """Rosenbrock's valley, least at (1, 1), and no answer far away."""

    def residuals(self, p):
        return np.array([10 * (p[1] - p[0] ** 2), 1 - p[0]]) if abs(p[0]) < 4 else np.full(2, np.nan)

    def jacobian(self, p):
        return np.array([[-20 * p[0], 10], [-1, 0]])


@dataclass(frozen=True, eq=False)
class Decay(SearchProblem):
    """Samples of a e^(−b t), with noise that is known."""

    y: np.ndarray
    t = np.linspace(0, 3, 30)

    def residuals(self, p):
        return (self.y - p[0] * np.exp(-p[1] * self.t)) / 0.01

    def jacobian(self, p):
        decay = np.exp(-p[1] * self.t)
        return -np.stack([decay, -p[0] * self.t * decay], axis=1) / 0.01


VALLEY = Valley(space([-1.2, 1.0], [-3, -3], [3, 3]))
NOISY = 2 * np.exp(-0.7 * Decay.t) + 0.01 * np.random.default_rng(0).standard_normal(30)
DECAY = Decay(space([1.0, 0.1], [0, 0], [5, 3]), NOISY)


@pytest.mark.parametrize("name", SEARCHES)
def test_every_method_goes_down_the_valley(name):
    found = SEARCHES[name]().solve(VALLEY)
    assert found.message == ""
    np.testing.assert_allclose(found.p, [1, 1], atol=1e-5)
    cost = found.convergence.cost
    assert np.all(np.diff(cost) <= 0) and cost[-1] == found.cost
    assert np.all(np.diff(found.convergence.evaluations) >= 0)


def test_all_methods_find_the_same_least_squares():
    ends = np.array([method().solve(DECAY).p for method in SEARCHES.values()])
    np.testing.assert_allclose(ends, np.tile(ends[0], (len(ends), 1)), rtol=1e-6)
    assert abs(ends[0] - [2, 0.7]).max() < 0.03


@pytest.mark.parametrize("name", SEARCHES)
def test_every_method_keeps_bounds(name):
    tight = Decay(space([1.0, 0.1], [0, 0], [1.5, 3]), NOISY)
    found = SEARCHES[name]().solve(tight)
    np.testing.assert_allclose(found.p[0], 1.5, rtol=1e-6)
    e, J = tight.residuals(found.p), tight.jacobian(found.p)
    assert abs(J[:, 1] @ e) < 1e-3 * np.linalg.norm(J[:, 1]) * np.linalg.norm(e)  # free, and at the least


@pytest.mark.parametrize("name", SEARCHES)
def test_priors_count_as_residuals(name):
    known = with_priors(Decay(space([1.0, 0.1], [0, 0], [5, 3], [2.5, np.nan], [0.001, np.nan]), NOISY))
    found = SEARCHES[name]().solve(known)
    assert 2.4 < found.p[0] < 2.5
    np.testing.assert_allclose(found.cost, np.sum(known.residuals(found.p) ** 2), rtol=1e-9)
    np.testing.assert_allclose(known.costs(found.p[None]), found.cost, rtol=1e-9)


def test_equalities_and_inequalities_hold():
    found = InteriorPoint(constraints=("a = 3 * b",)).solve(DECAY)
    np.testing.assert_allclose(found.p[0], 3 * found.p[1], rtol=1e-6)
    along = Decay.residuals(DECAY, found.p) @ DECAY.jacobian(found.p) @ [3, 1]
    assert abs(along) < 1e-2 * np.linalg.norm(DECAY.jacobian(found.p) @ [3, 1])
    slack = InteriorPoint(constraints=("a >= b", "a + b <= 100")).solve(DECAY)
    np.testing.assert_allclose(slack.p, SEARCHES["trust-region"]().solve(DECAY).p, rtol=1e-5)


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (("a >= 4", "a <= 1"), "No values satisfy all constraints"),
        (("a + b",), "a constraint is written"),
        (("a = c",), "there is no parameter 'c'"),
    ],
)
def test_bad_constraints_are_told(constraints, message):
    method = InteriorPoint(constraints=constraints)
    try:
        said = method.solve(DECAY).message
    except PoinsotError as error:
        said = str(error)
    assert message in said


def test_searches_in_a_box_need_one():
    open_ended = Decay(space([1.0, 0.1], [0, 0], [np.inf, 3]), NOISY)
    for name in ("swarm", "evolution", "multi-start"):
        with pytest.raises(PoinsotError, match="searches within bounds: give them to a"):
            SEARCHES[name]().solve(open_ended)


def test_a_start_outside_the_bounds_is_refused():
    with pytest.raises(PoinsotError, match="the start of b lies outside the bounds"):
        space([1.0, 7.0], [0, 0], [5, 3])


def test_a_model_without_answers_is_told():
    with pytest.raises(PoinsotError, match="found no values for which the model has an answer"):
        SEARCHES["levenberg-marquardt"]().solve(Valley(space([5.0, 1.0], [-9, -9], [9, 9])))


@pytest.mark.parametrize(
    ("name", "after"),
    {
        "levenberg-marquardt": 4,
        "trust-region": 4,
        "swarm": 40,
        "evolution": 10,
        "interior-point": 4,
        "multi-start": 220,
    }.items(),
)
def test_what_was_found_is_not_lost_by_an_interrupt(name, after, capfd):
    class Interrupted(Decay):
        count = 0

        def residuals(self, p):
            Interrupted.count += 1
            if Interrupted.count > after:
                raise KeyboardInterrupt
            return super().residuals(p)

    found = SEARCHES[name]().solve(Interrupted(DECAY.space, NOISY))
    assert found.message.startswith("Interrupted")
    assert found.cost < np.sum(DECAY.residuals(DECAY.space.start) ** 2)
    assert Interrupted.count <= after + max(3, default_threads())  # starts on other threads end at their next step
    assert capfd.readouterr() == ("", "")


def test_an_interrupt_before_anything_was_found_goes_through():
    class Never(Decay):
        def residuals(self, p):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SEARCHES["trust-region"]().solve(Never(DECAY.space, NOISY))


def test_options_of_methods_are_numbers():
    assert method_of({"name": "swarm", "particles": 50.0}).particles == 50
    assert method_of({"name": "multi-start", "base": "levenberg-marquardt"}).base.name == "levenberg-marquardt"
    for wrong, message in [
        ({"name": "swarm", "particles": "many"}, "particles of 'swarm'"),
        ({"name": "swarm", "bees": 3}, "there is no option 'bees'"),
        ({"name": "multi-start", "base": "weighted"}, "the method 'weighted' is for forces"),
    ]:
        with pytest.raises(PoinsotError, match=message):
            method_of(wrong)


def test_many_starts_find_the_least_of_several_minima():
    @dataclass(frozen=True, eq=False)
    class Waves(SearchProblem):
        def residuals(self, p):
            return np.array([0.3 * (p[0] - 2), np.sin(3 * p[0]) + 1, p[1]])

        def jacobian(self, p):
            return np.array([[0.3, 0], [3 * np.cos(3 * p[0]), 0], [0, 1]])

    far = Waves(space([-6.0, 1.0], [-8, -2], [8, 2]))
    assert SEARCHES["trust-region"]().solve(far).cost > 1
    found = MultiStart().solve(far)
    assert found.cost < 0.05 and "the next one has cost" in found.said[0]


@dataclass(frozen=True, eq=False)
class TwoHollows(SearchProblem):
    """Least at (1, 0), less deep at (−1, 0), and no answer in a corner."""

    def residuals(self, p):
        return np.full(3, np.nan) if p[1] > 2.5 else np.array([3 * (p[0] ** 2 - 1), 0.5 * (p[0] - 1), p[1]])

    def jacobian(self, p):
        return np.array([[6 * p[0], 0], [0.5, 0], [0, 1]])


def test_single_starts_are_kept_with_the_minima_they_ended_in():
    problem = TwoHollows(space([-0.5, 1.0], [-2, -1], [2, 2]))
    found = MultiStart(starts=8).solve(problem)
    starts = found.starts
    assert starts is not None and len(starts.cost) == 8
    assert np.all(np.diff(starts.cost) >= 0) and set(starts.minimum) == {1, 2}
    first, second = starts.minimum == 1, starts.minimum == 2
    np.testing.assert_allclose(starts.end[first], np.tile([1.0, 0.0], (first.sum(), 1)), atol=1e-5)
    assert np.all(starts.end[second, 0] < -0.9) and np.all(starts.cost[second] > 0.9)
    np.testing.assert_array_equal(starts.end[0], found.p)
    again = [np.sum(problem.residuals(p) ** 2) for p in starts.end]
    np.testing.assert_allclose(starts.cost, again, atol=1e-12)
    assert any(np.array_equal(row, problem.space.start) for row in starts.begin)
    assert starts.said == found.said[0] and starts.said.startswith(f"{first.sum()} of 8 starts ended in the same")
    assert set(starts.ended) == {""}
    heads = starts.text().splitlines()[0]
    assert heads == "start,cost [-],minimum [-],evaluations [-],from a [-],from b [-],to a [-],to b [-],ended"


def test_a_start_that_finds_nothing_is_kept_with_the_reason():
    @dataclass(frozen=True)
    class Fails(SearchMethod):
        name = "fails"
        summary = "for tests"

        def search(self, problem, course):
            if problem.space.start[0] < 0:
                raise PoinsotError("nothing on this side")
            return SEARCHES["trust-region"]().search(problem, course)

    starts = MultiStart(Fails(), starts=8).solve(TwoHollows(space([-0.5, 1.0], [-2, -1], [2, 2]))).starts
    lost = starts.begin[:, 0] < 0
    assert 0 < lost.sum() < 8
    np.testing.assert_array_equal(starts.minimum == 0, lost)
    assert [text for text in starts.ended if text] == ["nothing on this side"] * lost.sum()
    assert np.all(np.isnan(starts.end[lost])) and starts.to_dict()["cost"][-1] is None
    assert starts.text().splitlines()[-1].endswith(",nothing on this side")
