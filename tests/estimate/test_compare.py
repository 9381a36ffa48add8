"""Results side by side: what they determine, by how many joint standard errors they differ, what is assumed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.errors import PoinsotError
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.results.comparison import INDEPENDENT, SAME, SHARED, correlations
from tests.estimate.runs import four_bar_run, noise, problem_of, with_forces
from tests.generated.share import repetitions

UNKNOWNS = ["link2.mass", "link3.mass"]
REPETITIONS = 150  # of which a standard deviation is known to 6 %


def study(seed: int = 0, **more) -> poinsot.Study:
    runs = (poinsot.Run("run", four_bar_run(seed)),)
    return poinsot.Study(poinsot.load("four_bar"), runs, tuple(map(poinsot.Unknown, UNKNOWNS)), **more)


@pytest.fixture(scope="module")
def weighted() -> poinsot.Estimate:
    return poinsot.identify(study())


def test_methods_on_one_study_are_one_table(weighted):
    found = poinsot.compare(study(), ["weighted", "robust", "likelihood", "didim"])
    assert found.results == ("weighted", "robust", "likelihood")
    assert "give the study its controllers" in found.refused["didim"]
    np.testing.assert_array_equal(found.value[:, 0], weighted.value)
    robust = poinsot.identify(study(method="robust"))
    np.testing.assert_array_equal(found.value[:, 1], robust.value)
    np.testing.assert_array_equal(found.residual[:, 1], robust.fit.relative)
    assert found.verdicts[1] == robust.verdict and found.assumed[1] == SAME
    assert np.all(found.correlation[:, 1] > 0.8) and np.all(np.abs(found.difference[:, 1:]) < 4)
    text = str(found)
    assert "link2.mass" in text and "Δ robust" in text and "didim: not used" in text and robust.verdict in text


def test_a_result_does_not_differ_from_itself(weighted):
    found = poinsot.compare({"one": weighted, "two": weighted})
    assert found.results == ("one", "two")
    np.testing.assert_array_equal(found.difference, 0.0)
    np.testing.assert_allclose(found.correlation, 1.0)


def test_results_of_other_samples_are_independent(weighted):
    other = poinsot.identify(study(seed=1))
    found = poinsot.compare([weighted, other])
    assert found.results == ("weighted", "weighted (2)") and found.assumed[1] == INDEPENDENT
    joint = np.hypot(weighted.deviation, other.deviation)
    np.testing.assert_allclose(found.difference[:, 1], (other.value - weighted.value) / joint)


def test_folders_are_read_back(weighted, tmp_path):
    robust = poinsot.identify(study(method="robust"))
    a, b = weighted.save(tmp_path / "first"), robust.save(tmp_path / "second")
    found, at_hand = poinsot.compare([a, b]), poinsot.compare([weighted, robust])
    np.testing.assert_array_equal(found.value, at_hand.value)
    assert found.results == ("first", "second") and found.methods == ("weighted", "robust")
    assert found.verdicts == at_hand.verdicts and found.assumed[1] == SHARED
    assert np.all(np.abs(found.difference) <= np.abs(at_hand.difference))  # a lower bound
    other = poinsot.identify(study(seed=1)).save(tmp_path / "third")
    assert poinsot.compare([a, other]).assumed[1] == INDEPENDENT


def test_the_command_compares_folders(weighted, tmp_path):
    folders = [str(weighted.save(tmp_path / "a")), str(poinsot.identify(study(seed=1)).save(tmp_path / "b"))]
    end = CliRunner().invoke(app, ["compare", *folders, "--json", str(tmp_path / "c.json")])
    assert end.exit_code == 0 and "Δ b" in end.output
    data = json.loads((tmp_path / "c.json").read_text())
    assert data["results"] == ["a", "b"] and np.shape(data["difference"]) == (2, 2)


def test_what_cannot_be_compared_is_refused(weighted, tmp_path):
    with pytest.raises(PoinsotError, match="two results or more"):
        poinsot.compare(weighted)
    with pytest.raises(PoinsotError, match=r"a folder without estimate\.json, not that of an estimate"):
        poinsot.compare([weighted, tmp_path])
    (tmp_path / "estimate.json").write_text("{}")
    with pytest.raises(PoinsotError, match="not the result of an identification"):
        poinsot.compare([weighted, tmp_path])
    other = poinsot.identify(poinsot.load("four_bar"), four_bar_run(2), ["link3.inertia"])
    with pytest.raises(PoinsotError, match="nothing in common"):
        poinsot.compare([weighted, other])


@pytest.mark.slow
@pytest.mark.parametrize("names", [("weighted", "robust"), ("weighted", "likelihood")])
def test_differences_of_methods_are_as_large_as_their_joint_errors_say(names):
    bar = poinsot.load("four_bar")
    clean = problem_of(bar, four_bar_run(sigma=0.0), ["link2.m", "link3.J"])
    one, other = map(method_of, names)
    rng, times, found, apart = np.random.default_rng(0), repetitions(REPETITIONS), [], []
    n = len(clean.runs[0].y)
    for _ in range(times):
        rows = with_forces(clean, 0.1 * noise(rng, (n, 1), 0.7)).rows
        a, b = one.solve(rows), other.solve(rows)
        s = [np.sqrt(np.diagonal(x.covariance)) for x in (a, b)]
        rho = correlations(a.influence, b.influence, *s)
        joint = np.sqrt(s[0] ** 2 + s[1] ** 2 - 2 * rho * s[0] * s[1])
        found.append((b.d - a.d) / joint)
        apart.append((b.d - a.d) / np.hypot(*s))
    chance = 0.25 * np.sqrt(REPETITIONS / times)
    assert np.all(np.abs(np.std(found, axis=0) - 1) < chance), np.std(found, axis=0)
    assert np.all(np.std(apart, axis=0) < 0.75)  # as if they were independent: far too small
