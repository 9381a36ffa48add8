"""The best k of N candidates: against all choices, the equivalence theorem, and its own bound."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poinsot.errors import PoinsotError
from poinsot.experiment.criteria import CRITERIA
from poinsot.experiment.exchange import best_set, rows_of
from poinsot.experiment.relaxation import information, quadratic, relax, spectrum


def candidates(seed, count, rank, unknowns):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((count, rank, unknowns)) * 10 ** rng.uniform(-0.7, 0.7, (count, 1, 1))


def matrices(rows):
    return rows.transpose(0, 2, 1) @ rows


def best_of_all(rows, choices, criterion, prior=0.0):
    F = matrices(rows)
    return min(float(CRITERIA[criterion](F[list(choice)].sum(axis=0) + prior)) for choice in choices)


@pytest.mark.parametrize("criterion", ["D", "A", "E"])
@pytest.mark.parametrize("rank, unknowns", [(1, 2), (1, 4), (2, 3), (3, 4), (4, 3)])
def test_the_choice_is_the_best_of_all_choices(criterion, rank, unknowns):
    rows = candidates(10 * rank + unknowns, 13, rank, unknowns)
    found = best_set(rows, 5, criterion)
    assert_allclose(found.value, best_of_all(rows, [*combinations(range(13), 5)], criterion), rtol=1e-9)
    assert found.bound <= found.value and 0.5 < found.efficiency <= 1
    assert_allclose(found.value, CRITERIA[criterion](matrices(rows)[found.chosen].sum(axis=0)), rtol=1e-9)


@pytest.mark.parametrize("criterion", ["D", "A", "E"])
@pytest.mark.parametrize("rank, before", [(1, 0.0), (2, 0.0), (1, 1.0)])
def test_no_exchange_of_one_candidate_improves_the_choice(criterion, rank, before):
    for seed in range(6):
        rows = np.random.default_rng(seed).standard_normal((60, rank, 6))
        found = best_set(rows, 7, criterion, before * np.eye(6), starts=1)
        new = [k for k in range(60) if k not in found.chosen]
        swaps = [np.append(np.delete(found.chosen, place), one) for place in range(7) for one in new]
        others = CRITERIA[criterion](matrices(rows)[np.array(swaps)].sum(axis=1) + before * np.eye(6))
        assert found.value <= others.min() + 1e-9 * abs(found.value)


@pytest.mark.parametrize("criterion", ["D", "A", "E"])
@pytest.mark.parametrize("cap", [1.0, 4.0])
def test_the_bound_of_the_relaxation_is_passed_by_no_choice(criterion, cap):
    for seed in range(6):
        rows, chosen = candidates(seed, 10, 2, 3), combinations if cap == 1 else combinations_with_replacement
        best = best_of_all(rows, [*chosen(range(10), 4)], criterion)
        reached = -best if criterion == "D" else -2 * np.log(best)  # ln φ
        relaxed = relax(rows, 4, criterion, np.zeros((3, 3)), cap)
        assert reached - 1e-9 <= relaxed.bound < reached + 0.5
        assert_allclose(relaxed.weights.sum(), 4)
        assert np.all((relaxed.weights >= 0) & (relaxed.weights <= cap))


@pytest.mark.parametrize("criterion", ["D", "A"])
def test_a_candidate_can_be_chosen_several_times(criterion):
    rows = candidates(3, 8, 1, 2)
    found = best_set(rows, 6, criterion, repeats=True)
    choices = [*combinations_with_replacement(range(8), 6)]
    assert_allclose(found.value, best_of_all(rows, choices, criterion), rtol=1e-9)
    assert len(set(found.chosen)) < 6


def test_prior_information_counts():
    rows, prior = candidates(5, 12, 1, 3), np.diag([1e4, 0.0, 0.0])  # the first unknown is known already
    rows[:4, 0, 1:], rows[4:, 0, 0] = 0, 0  # and four candidates tell nothing else
    found = best_set(rows, 3, "D", prior)
    assert_allclose(found.value, best_of_all(rows, [*combinations(range(12), 3)], "D", prior), rtol=1e-9)
    assert_allclose(found.information, prior + matrices(rows)[found.chosen].sum(axis=0))
    assert found.chosen.min() >= 4 > best_set(rows, 3, "D").chosen.min()


@pytest.mark.parametrize("criterion", ["D", "A"])
def test_relaxed_weights_fulfil_the_equivalence_theorem(criterion):
    """Kiefer and Wolfowitz: k⟨G, Fᵢ⟩ ≤ 1 for all candidates, with equality on those that have weight."""
    rows, k = candidates(7, 300, 2, 4), 10
    weights = relax(rows, k, criterion, np.zeros((4, 4)), float(k)).weights

    def excess(w):
        values, vectors = spectrum(information(rows, w, np.zeros((4, 4))))
        power = {"D": 1.0, "A": 2.0}[criterion]
        G = (vectors * values**-power) @ vectors.T / np.sum(values ** (1 - power))
        return k * quadratic(rows, G) - 1

    assert excess(weights).max() < 1e-4
    assert_allclose(excess(weights)[weights > 0.05 * k], 0, atol=1e-4)
    worse = np.roll(weights, 1)
    assert excess(worse).max() > 0.01


@pytest.mark.parametrize("criterion", ["D", "A", "E"])
def test_no_random_choice_passes_the_bound(criterion):
    rows = candidates(11, 200, 2, 5)
    found, rng = best_set(rows, 8, criterion), np.random.default_rng(0)
    draws = rng.permuted(np.tile(np.arange(200), (3000, 1)), axis=1)[:, :8]
    others = CRITERIA[criterion](matrices(rows)[draws].sum(axis=1))
    assert found.bound <= found.value < others.min()
    assert found.considered < 200 or criterion == "E"  # whose gap is too wide to rule candidates out


def test_d_does_not_depend_on_units():
    rows, units = candidates(13, 60, 2, 4), np.array([1.0, 1e3, 1e-6, 50.0])
    assert_allclose(best_set(rows * units, 6).chosen, best_set(rows, 6).chosen)


def test_rows_of_information_matrices_give_them_back():
    rows = candidates(17, 40, 3, 6)
    found = rows_of(matrices(rows))
    assert found.shape[1] == 3
    assert_allclose(matrices(found), matrices(rows), atol=1e-12 * np.abs(matrices(rows)).max())


def test_a_choice_too_small_to_determine_all_is_still_made():
    rows = candidates(19, 30, 1, 5)
    found = best_set(rows, 3)
    assert len(set(found.chosen)) == 3 and np.linalg.matrix_rank(found.information) == 3
    assert np.isinf(found.value) and np.isnan(found.efficiency)


@pytest.mark.parametrize("criterion", ["D", "A", "E"])
@pytest.mark.parametrize("factor", [1e-120, 1e-3, 1e120])
def test_information_of_any_size_is_the_same_to_the_choice(criterion, factor):
    rows = candidates(29, 40, 2, 3)
    found, plain = best_set(factor * rows, 4, criterion), best_set(rows, 4, criterion)
    assert_allclose(found.chosen, plain.chosen)
    assert_allclose(found.efficiency, plain.efficiency, rtol=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("criterion", ["D", "A", "E"])
def test_unknowns_that_no_candidate_tells_leave_a_choice_without_value(criterion):
    blind = candidates(31, 20, 2, 3) * [1, 1, 0]
    assert np.isinf(best_set(blind, 4, criterion).value)
    assert np.isinf(best_set(blind[:1], 1, criterion).value)
    with pytest.raises(PoinsotError, match="no candidate tells anything"):
        best_set(0 * blind, 4, criterion)


def test_all_candidates_can_be_taken():
    assert_allclose(best_set(candidates(23, 6, 2, 3), 6).chosen, range(6))


@pytest.mark.parametrize(
    "rows, k, criterion, text",
    [
        (np.ones((3, 1, 2)), 4, "D", "4 of 3 candidates cannot be chosen without repeats"),
        (np.ones((3, 1, 2)), 2, "X", "there is no criterion of a best set 'X'"),
        (np.ones((3, 2)), 2, "D", "shape"),
        (np.full((3, 1, 2), np.nan), 2, "D", "must be finite"),
        (np.ones((3, 1, 2)), 0, "D", "whole number"),
    ],
)
def test_bad_input_is_one_sentence(rows, k, criterion, text):
    with pytest.raises(PoinsotError, match=text):
        best_set(rows, k, criterion)
