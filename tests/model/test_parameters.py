"""Named parameters: names, units, bounds, derived ones; changed without changing the mechanism they came from."""

import re

import casadi
import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.model.load import library_names, load
from poinsot.model.mechanism import build
from poinsot.model.quantities.units import parse_unit


def model(**more) -> dict:
    base = {
        "format": 1,
        "parameters": {
            "length": {"value": "200 mm", "bounds": ["0.1 m", 2], "description": "of the arm"},
            "half": "length / 2",
            "quarter": "half / 2",
        },
        "bodies": {"arm": {"mass": "1.5 kg", "com": [0, 0, "half"], "inertia": [0.02, 0.02, 0.001]}},
        "joints": {"hinge": {"type": "revolute", "between": ["ground", "arm"], "stiffness": "3 N·m/rad"}},
    }
    return {**base, **more}


@pytest.mark.parametrize("name", library_names())
def test_every_library_parameter_has_a_path_a_unit_and_a_value_within_bounds(name):
    for key, parameter in load(name).parameters.items():
        assert key == parameter.name and re.fullmatch(r"[^\W\d]\w*(\.\w+)*", key)
        assert parse_unit(parameter.unit).factor == 1  # SI
        assert np.isfinite(parameter.value) and parameter.lower <= parameter.value <= parameter.upper


def test_numbers_of_a_file_become_parameters_in_si():
    parameters = build(model()).parameters
    assert parameters["length"].value == 0.2 and parameters["length"].unit == "m"
    assert (parameters["length"].lower, parameters["length"].upper) == (0.1, 2.0)
    assert parameters["length"].description == "of the arm"
    assert parameters["arm.mass"].unit == "kg" and parameters["arm.mass"].lower == 0
    assert parameters["hinge.stiffness"].unit == "N·m/rad"
    assert "arm.com.z" not in parameters and "arm.com.x" in parameters  # an expression is no parameter


def test_derived_parameters_follow_and_cannot_be_set():
    mechanism = build(model())
    assert mechanism.parameters.values_by_name["quarter"] == pytest.approx(0.05)
    longer = mechanism.with_parameters({"length": 1.0})
    assert longer.parameters.values_by_name["quarter"] == pytest.approx(0.25)
    assert longer.bodies["arm"].com[2] == pytest.approx(0.5)
    with pytest.raises(PoinsotError, match=r"'half' is derived: it is \(length / 2"):
        mechanism.with_parameters({"half": 1.0})


def test_with_parameters_leaves_the_mechanism_as_it_was():
    mechanism = build(model())
    before = dict(mechanism.parameters.values_by_name)
    changed = mechanism.with_parameters({"arm.mass": 9.0})
    assert changed.bodies["arm"].mass == 9.0
    assert mechanism.bodies["arm"].mass == 1.5 and mechanism.parameters.values_by_name == before
    assert changed != mechanism and mechanism == build(model())
    with pytest.raises(AttributeError):
        mechanism.name = "other"


@pytest.mark.parametrize(
    ("value", "si"), [("250 g", 0.25), ("2", 2.0), (3, 3.0), (np.float64(4.5), 4.5), ("1e3 g", 1.0)]
)
def test_values_may_carry_a_unit(value, si):
    assert build(model()).with_parameters({"arm.mass": value}).parameters["arm.mass"].value == pytest.approx(si)


WRONG = [
    ({"arm.mass": "3 m"}, r"arm.mass: expected a quantity in kg, got '3 m'"),
    ({"arm.mass": "heavy"}, r"arm.mass: expected a number or a quantity in kg, got 'heavy'"),
    ({"arm.mass": float("nan")}, r"arm.mass: expected a finite number in kg"),
    ({"arm.mass": "1e999 kg"}, r"arm.mass: expected a finite number in kg"),
    ({"arm.mass": None}, r"arm.mass: expected a number in kg, got None"),
    ({"arm.mass": [1]}, r"arm.mass: expected a number in kg"),
    ({"arm.mass": -1}, r"arm.mass = -1 kg is outside its bounds \[0, inf\]"),
    ({"length": "3 m"}, r"length = 3 m is outside its bounds \[0.1, 2\]"),
    ({"arm.mas": 1}, r"no parameter 'arm.mas' \(did you mean 'arm.mass'\?\)"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_a_wrong_value_is_refused_by_name(changes, words):
    with pytest.raises(PoinsotError, match=words):
        build(model()).with_parameters(changes)


def test_symbols_go_through_expressions_into_the_elements():
    mechanism, length = build(model()), casadi.SX.sym("L")
    com = mechanism.resolved({"length": length}).bodies["arm"].com[2]
    slope = casadi.Function("d", [length], [casadi.jacobian(com, length)])
    assert float(slope(0.3)) == 0.5


def test_the_bounds_of_a_parameter_that_another_table_makes_can_be_noted():
    document = model()
    document["parameters"] |= {"arm.mass": {"bounds": ["1 kg", "2 kg"], "description": "weighed"}}
    parameter = build(document).parameters["arm.mass"]
    assert (parameter.lower, parameter.upper, parameter.description) == (1.0, 2.0, "weighed")


def test_matching_finds_names_by_pattern():
    parameters = load("ex800").parameters
    assert parameters.matching("rods.inertia.*") == tuple(
        f"rods.inertia.{k}" for k in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    assert parameters.matching("nothing*") == ()


def test_parameters_print_as_a_table_with_units_and_expressions():
    table = str(build(model()).parameters)
    assert re.search(r"length +0\.2 +m +\[0\.1, 2\] +of the arm", table)
    assert re.search(r"half +0\.1 +.*= \(length / 2", table)


def test_a_long_chain_of_derived_parameters_is_evaluated_in_order():
    chain = {f"p{i}": f"p{i + 1} + 1" for i in range(100)}
    assert build({"format": 1, "parameters": {**chain, "p100": 0}}).parameters.values_by_name["p0"] == 100


def test_every_number_of_every_library_mechanism_answers_to_its_parameter():
    mechanism = load("four_bar")
    for name, parameter in mechanism.parameters.items():
        value = min(max(parameter.value * 1.01 + 1e-3, parameter.lower), parameter.upper)
        assert mechanism.with_parameters({name: value}).elements != mechanism.elements, name


def test_the_public_door_loads_and_checks():
    assert_allclose(poinsot.load("pendulum").with_parameters({"bob.mass": "250 g"}).bodies["bob"].mass, 0.25)
