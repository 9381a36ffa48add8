"""Values that cannot be: at loading, in with_parameters and in batches, as numbers and as expressions."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.model.mechanism import build

HINGE = {"type": "revolute", "between": ["ground", "bob"], "axis": [0, 1, 0]}


def document(parameters: dict | None = None, joint: dict | None = None, **body) -> dict:
    bob = {"mass": 1.0, "com": [0.3, 0, -0.2], "inertia": [0.1, 0.2, 0.15], **body}
    return {
        "format": 1,
        "parameters": {"m0": "2 kg", "c": "0.5 N·m·s/rad", "J0": "0.1 kg·m²", **(parameters or {})},
        "bodies": {"bob": bob},
        "joints": {"hinge": {**HINGE, **(joint or {})}},
        "coordinates": {"q": {"joint": "hinge"}},
    }


NEGATIVE = [
    ({"mass": "m0 - 3 kg"}, {}, r"bodies\.bob\.mass: bob\.mass = m0 - 3\.0 = -1 kg is outside its bounds \[0, inf\]"),
    (
        {},
        {"damping": "c - 1 N·m·s/rad"},
        r"joints\.hinge\.damping: hinge\.damping = c - 1\.0 = -0\.5 N·m·s/rad is outside",
    ),
    ({}, {"stiffness": "-c"}, r"expected a quantity in N·m/rad"),
    ({}, {"stiffness": "c*0 - 4"}, r"hinge\.stiffness = .* = -4 N·m/rad is outside its bounds \[0, inf\]"),
    ({}, {"stiffness": -4}, r"joints\.hinge\.stiffness: .*at least 0 N·m/rad, got -4; bounds .* may allow it"),
    ({}, {"friction": {"coulomb": "-m0*9.81*0.1"}}, r"hinge\.coulomb = .* = -1\.962 N·m is outside"),
    ({}, {"drive_inertia": "J0 - 1 kg·m²"}, r"hinge\.drive_inertia = J0 - 1\.0 = -0\.9 kg·m² is outside"),
]


@pytest.mark.parametrize(("body", "joint", "words"), NEGATIVE, ids=lambda v: str(v)[:24])
def test_what_cannot_be_negative_is_refused_with_name_value_and_rule(body, joint, words):
    with pytest.raises(PoinsotError, match=words):
        build(document(joint=joint, **body))


@pytest.mark.parametrize("inertia", [[-0.1, 0.2, 0.2], ["J0 - 1 kg·m²", 0.2, 0.2]])
def test_a_negative_moment_of_inertia_is_refused_when_a_file_is_read(inertia, tmp_path):
    file = tmp_path / "bad.toml"
    poinsot.save(build(document(inertia=inertia)), file)
    with pytest.raises(PoinsotError, match=r"bob\.inertia\.xx = -0\.[19] kg·m² is negative, which no body can have"):
        poinsot.load(file)


def test_values_are_judged_in_with_parameters_also_through_expressions():
    mechanism = build(document(mass="m0 - 1 kg", inertia=["J0", "J0", "J0"]))
    assert mechanism.with_parameters({"m0": 1.5}).bodies["bob"].mass == 0.5
    with pytest.raises(PoinsotError, match=r"bob\.mass = m0 - 1\.0 = -0\.5 kg is outside its bounds \[0, inf\]"):
        mechanism.with_parameters({"m0": 0.5})
    with pytest.raises(PoinsotError, match=r"bob\.inertia\.xx = -1 kg·m² is negative"):
        mechanism.with_parameters({"J0": -1})


def test_limits_that_cross_and_leads_of_zero_are_refused_later_too():
    mechanism = build(document(joint={"limits": [-1, 1]}))
    with pytest.raises(PoinsotError, match=r"hinge.*lower limit is above the upper"):
        mechanism.with_parameters({"hinge.lower": 2})
    screw = build(document(joint={"type": "helical", "lead": "5 mm/rev"}))
    with pytest.raises(PoinsotError, match=r"hinge\.lead: expected a number that is not zero"):
        screw.with_parameters({"hinge.lead": 0})


PLAIN = build(document(joint={"stiffness": 2.0, "damping": 0.1}))
DERIVED = build(document(mass="m0 - 1 kg", joint={"stiffness": 2.0}))
SETS = [
    (PLAIN, {"bob.mass": [1.0, -1.0]}, r"bob\.mass = -1 kg \(sample 2\) is outside its bounds \[0, inf\]"),
    (PLAIN, {"hinge.stiffness": [1.0, 2.0, -3.0]}, r"hinge\.stiffness = -3 N·m/rad \(sample 3\)"),
    (PLAIN, {"hinge.damping": [-0.1, 0.1]}, r"hinge\.damping = -0\.1 N·m·s/rad \(sample 1\)"),
    (PLAIN, {"bob.inertia.xy": [0.0, 5.0]}, r"'bob' in sample 2: it is not positive definite"),
    (DERIVED, {"m0": [2.0, 0.5]}, r"bob\.mass = m0 - 1\.0 = -0\.5 kg \(sample 2\)"),
]


@pytest.mark.parametrize(("mechanism", "values", "words"), SETS, ids=lambda v: str(v)[:24])
def test_values_are_judged_in_maps(mechanism, values, words):
    with pytest.raises(PoinsotError, match=words):
        poinsot.frequency_map(mechanism, parameters=values)


@pytest.mark.parametrize(("mechanism", "values", "words"), SETS[:4], ids=lambda v: str(v)[:24])
def test_values_are_judged_in_batches_of_simulations(mechanism, values, words):
    with pytest.raises(PoinsotError, match=words):
        poinsot.simulate(mechanism, 0.1, parameters=values)


def test_bounds_of_a_derived_parameter_hold():
    with pytest.raises(PoinsotError, match=r"total = m0 \+ 1\.0 = 3 kg is outside its bounds \[0, 2\]"):
        build(document({"total": {"value": "m0 + 1 kg", "unit": "kg", "bounds": [0, 2]}}))


def test_bounds_of_a_number_that_is_an_expression_hold():
    bounded = build(document({"bob.mass": {"bounds": [1, 5]}}, mass="m0 + 1 kg"))
    with pytest.raises(PoinsotError, match=r"bob\.mass = m0 \+ 1\.0 = 11 kg is outside its bounds \[1, 5\]"):
        bounded.with_parameters({"m0": 10})


@pytest.mark.parametrize("stiffness", [-4.0, "c*0 - 4"])
def test_a_negative_stiffness_is_allowed_by_bounds_in_the_file(stiffness):
    allowed = document({"hinge.stiffness": {"bounds": [-10, 10]}}, joint={"stiffness": stiffness})
    assert build(allowed).forces["hinge.spring"].stiffness == -4


def test_bounds_in_the_file_never_allow_a_negative_mass():
    mechanism = build(document({"bob.mass": {"bounds": [-5, 5]}}))
    with pytest.raises(PoinsotError, match=r"bob\.mass = -1 kg is outside its bounds \[0, 5\]"):
        mechanism.with_parameters({"bob.mass": -1})


VERBS = {
    "accelerations": poinsot.accelerations,
    "simulate": lambda mechanism: poinsot.simulate(mechanism, 0.1),
    "modes": poinsot.modes,
    "linearise": poinsot.linearise,
}


@pytest.mark.parametrize("verb", VERBS)
def test_motions_of_a_body_with_a_negative_principal_moment_are_refused(verb):
    impossible = PLAIN.with_parameters({"bob.inertia.xy": 1.0})  # each number by itself could be
    with pytest.raises(PoinsotError, match=r"no body can have the inertia of 'bob': it is not positive definite"):
        VERBS[verb](impossible)
    assert not poinsot.check(impossible).ok


def test_round_off_of_a_thin_rod_is_no_negative_moment():
    turned = np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]])
    J = turned @ np.diag([0.0, 0.1, 0.1]) @ turned.T
    rod = build(document(inertia=[J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]))
    assert np.isfinite(poinsot.accelerations(rod)["bob"]).all()
