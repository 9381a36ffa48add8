"""Bad input of searches: one clear sentence, whatever was measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from tests.estimate.runs import four_bar_run
from tests.estimate.search.test_parts import BOX, POSES, STUDIES


def refused(study, match):
    with pytest.raises(PoinsotError, match=match) as error:
        poinsot.identify(study)
    assert "\n" not in str(error.value) and len(str(error.value)) < 250


@pytest.fixture(params=STUDIES)
def study(request, tmp_path):
    return STUDIES[request.param](tmp_path, "trust-region")


def with_first(study, **changes):
    return replace(study, unknowns=(replace(study.unknowns[0], **changes), *study.unknowns[1:]))


def test_a_start_outside_the_bounds_is_refused(study):
    first = study.unknowns[0]
    beyond = with_first(study, start=2 * first.upper - first.lower)
    refused(beyond, f"the start of {first.name} lies outside the bounds")


def test_without_a_start_the_model_tells_it_or_the_nearer_bound_and_that_is_said(study):
    first, value = study.unknowns[0], study.mechanism.parameters[study.unknowns[0].name].value
    at_model = poinsot.identify(with_first(study, start=None))
    told = poinsot.identify(with_first(study, start=value))
    np.testing.assert_array_equal(at_model.convergence.values[0], told.convergence.values[0])
    width = min(first.upper - value, 1.0) / 100
    above = poinsot.identify(with_first(study, start=None, lower=value + width))
    assert any(f"the start of '{first.name}' was moved from {value:g} to" in step for step in above.steps)


def test_constraints_that_no_values_satisfy_are_said(study):
    first = study.unknowns[0]
    unit = study.mechanism.parameters[first.name].unit
    constraint = f"{first.name} >= {2 * first.upper - first.lower!r} {unit}"
    options = {"name": "interior-point", "constraints": [constraint]}
    refused(replace(study, method=options), "^No values satisfy all constraints and bounds")


def test_constraints_hold_also_where_residuals_tell_the_noise():
    unknowns = {f"link{k}.mass": {"bounds": [0.1, 10]} for k in (2, 3)}
    corner = {"name": "interior-point", "constraints": ["link2.mass >= 100 * link3.mass"]}
    found = poinsot.identify(poinsot.load("four_bar"), four_bar_run(), unknowns, corner)
    np.testing.assert_allclose(found.value, [10, 0.1], rtol=1e-4)  # the one point that satisfies it
    assert "On a bound: " in found.verdict


@pytest.mark.slow
def test_constraints_hold_from_many_starts_and_in_bootstraps():
    unknowns = {f"link{k}.mass": {"bounds": [0.1, 10]} for k in (2, 3)}
    equal = {"name": "interior-point", "constraints": ["link2.mass = link3.mass"]}
    for method in (equal, {"name": "multi-start", "starts": 2, "base": equal}):
        found = poinsot.identify(poinsot.load("four_bar"), four_bar_run(), unknowns, method, bootstrap=40)
        np.testing.assert_allclose(found.value[0], found.value[1], rtol=1e-6)
        np.testing.assert_allclose(*found.bootstrap.draws.T, rtol=1e-5)


@pytest.mark.slow
def test_constraints_hold_where_outliers_are_left_out(tmp_path):
    study = STUDIES["frequencies"](tmp_path, {"name": "interior-point", "constraints": ["A.stiffness = B.stiffness"]})
    found = poinsot.identify(replace(study, processing=poinsot.Processing(robust=True)))
    assert "Left out" in found.verdict
    np.testing.assert_allclose(found.value[0], found.value[1], rtol=1e-6)


@pytest.mark.parametrize("method", ["trust-region", "levenberg-marquardt"])
def test_a_force_whose_best_value_lies_on_a_bound_says_so(method):
    unknowns = {"link2.mass": {"bounds": [4, 10]}, "link3.mass": {"bounds": [0.1, 10]}}
    found = poinsot.identify(poinsot.load("four_bar"), four_bar_run(), unknowns, method)
    assert found["link2.mass"].value == pytest.approx(4, rel=1e-6)
    assert "On a bound: link2.mass" in found.verdict


def test_an_unstable_simulation_is_said(tmp_path):
    wild = STUDIES["output"](tmp_path)
    spring = next(k for k, one in enumerate(wild.unknowns) if one.name == "spring.stiffness")
    unknowns = list(wild.unknowns)
    unknowns[spring] = replace(unknowns[spring], start=1e12, upper=1e13)
    refused(replace(wild, unknowns=tuple(unknowns)), "is unstable with the values at the start")


def test_fewer_frequencies_than_unknowns_are_refused():
    run = poinsot.ModalRun([20.0, 80.0], POSES[0])
    with pytest.raises(PoinsotError, match=r"^2 measured values for 3 unknowns: measure more modes or poses"):
        poinsot.identify(poinsot.load("three_link"), run, BOX)
