"""Expressions with dimensions: what contradicts itself is refused, what may be meant is not."""

from __future__ import annotations

import pytest

from poinsot.errors import PoinsotError
from poinsot.model.mechanism import build
from poinsot.model.quantities.dimensions import dimension_of, fits
from poinsot.model.quantities.expressions import parse
from poinsot.model.quantities.units import dimension_text, parse_unit

PARAMETERS = {"a": "0.5 m", "b": "2 m", "m0": "2 kg", "phi": "10 deg", "k": "3 N/m", "bare": 3, "span": "a + b"}


def model(**body):
    """A pendulum with named parameters; `a` is a length, `m0` a mass, `phi` an angle, `bare` has no unit."""
    bob = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], **body}
    joints = {"hinge": {"type": "revolute", "between": ["ground", "bob"], "stiffness": body.pop("stiffness", 1.0)}}
    return build({"format": 1, "parameters": PARAMETERS, "bodies": {"bob": bob}, "joints": joints})


WRONG = [
    ({"mass": "a"}, r"bodies\.bob\.mass: expected a quantity in kg, got 'a' in m"),
    ({"mass": "a/2"}, r"in kg, got 'a / 2\.0' in m"),
    ({"mass": "span"}, r"in kg, got 'span' in m"),
    ({"com": ["a + m0", 0, 0]}, r"bodies\.bob\.com\[1\]: 'a \+ m0' adds quantities in m and kg"),
    ({"com": [0, "a - phi", 0]}, r"com\[2\]: 'a - phi' subtracts quantities in m and rad"),
    ({"com": ["bob.mass", 0, 0]}, "expected a quantity in m, got 'bob.mass' in kg"),
    ({"com": ["sin(a)", 0, 0]}, r"'sin\(a\)' needs a number or an angle, got a quantity in m"),
    ({"com": ["exp(m0)*a", 0, 0]}, r"'exp\(m0\)' needs a number or an angle"),
    ({"com": ["cos(a)*b", 0, 0]}, r"'cos\(a\)' needs a number or an angle"),
    ({"com": ["sqrt(a)", 0, 0]}, r"expected a quantity in m, got 'sqrt\(a\)' in m\^0.5"),
    ({"com": ["sqrt(a^2 + b)", 0, 0]}, "adds quantities in m² and m"),
    ({"com": ["atan2(a, m0)", 0, 0]}, "compares quantities in m and kg"),
    ({"com": ["a^(2 m)", 0, 0]}, "the exponent of .* is in m, not a number"),
    ({"com": ["3 kg + a", 0, 0]}, "adds quantities in kg and m"),
    ({"com": ["a + 0.1", 0, 0]}, r"adds a quantity in m and the plain number 0\.1: write its unit, as in '0\.1 m'"),
    ({"com": ["2*(-3 - a)", 0, 0]}, "subtracts a quantity in m and the plain number 3"),
    (
        {"com": ["bare", 0, 0], "inertia": ["bare + 3", 0.1, 0.1]},
        "adds a quantity in m and the plain number 3",
    ),
    ({"com": ["bare", 0, 0], "mass": "bare + m0"}, "adds quantities in m and kg"),
    ({"com": ["b*k", 0, 0]}, r"expected a quantity in m, got 'b \* k' in N"),
    ({"inertia": ["m0*a/12", 0.1, 0.1]}, r"expected a quantity in kg·m², got '\(m0 \* a\) / 12\.0' in kg·m"),
]


@pytest.mark.parametrize(("body", "words"), WRONG, ids=lambda v: str(v)[:30])
def test_a_contradiction_is_one_sentence_with_its_place(body, words):
    with pytest.raises(PoinsotError, match=words) as error:
        model(**body)
    assert "\n" not in str(error.value)


RIGHT = [
    {"com": ["a + 0.1 m", "2*a", "-a/2 + 0"]},
    {"com": ["sqrt(a^2 + b^2)", "a*cos(phi) - b*sin(30 deg)", "sqrt(1.9^2 + 1.4^2)"]},
    {"com": ["a*phi", "a*b/span", "a^2/b"]},  # an arc is a length
    {"com": ["bare", "a + bare", "bare*m0"]},
    {"com": ["0.1*sin(phi) + a", "a*(b/a)^2", "abs(a - b)"]},
    {"inertia": ["m0*a^2/12", "400*a^2/12", "0.1*m0*(a^2 + b^2)"]},
    {"mass": "m0*(1 + a/b)"},
    {"mass": "k*a/9.81"},
    {"mass": "m0 + 1 kg + 500 g"},
    {"com": ["a*atan2(a, b)", "a*asin(a/b)", "a*pi"]},
]


@pytest.mark.parametrize("body", RIGHT, ids=str)
def test_what_may_be_meant_is_read(body):
    assert model(**body).bodies["bob"].mass > 0


def test_parameters_that_derive_from_others_are_checked_and_may_state_their_unit():
    document = {"format": 1, "bodies": {"bob": {"mass": 1.0}}}
    with pytest.raises(PoinsotError, match=r"parameters\.s: 'a \+ m0' adds quantities in m and kg"):
        build({**document, "parameters": {"a": "1 m", "m0": "1 kg", "s": "a + m0"}})
    with pytest.raises(PoinsotError, match=r"parameters\.s.*: expected a quantity in kg, got 'a' in m"):
        build({**document, "parameters": {"a": "1 m", "s": {"value": "a", "unit": "kg"}}})


def test_poses_and_copies_of_components_are_checked_too():
    hinge = {"type": "revolute", "between": ["ground", "bob"]}
    document = {"format": 1, "parameters": {"a": "1 m"}, "bodies": {"bob": {"mass": 1.0}}, "joints": {"hinge": hinge}}
    with pytest.raises(PoinsotError, match=r"pose\.q: expected a quantity in rad, got 'a' in m"):
        build({**document, "coordinates": {"q": {"joint": "hinge"}}, "pose": {"q": "a"}})
    part = {"arguments": ["m"], "bodies": {"ball": {"mass": "{m} + a"}}}
    instances = {"p": {"component": "part", "number": 2, "m": ["1 kg", "2 kg"]}}
    with pytest.raises(PoinsotError, match="adds quantities in kg and m"):
        build({**document, "components": {"part": part}, "instances": instances})


def test_units_of_dimensions_are_written_as_people_do():
    for unit in ("kg", "m", "N·m/rad", "kg·m²", "m/s²", "Pa"):
        assert dimension_text(parse_unit(unit).dimension) == unit
    assert dimension_text((2, 0, -1, 0)) == "kg^2·s^-1"


@pytest.mark.parametrize(
    ("source", "unit"),
    [
        ("a*b", "m²"),
        ("1/a^-2", None),
        ("a^-1*b^3", "m²"),
        ("m0*a/b", "kg"),
        ("(a*b)^0.5", "m"),
        ("atan2(a, b)", "rad"),
    ],
)
def test_products_and_powers_of_dimensions(source, unit):
    known = {name: parse_unit(text).dimension for name, text in (("a", "m"), ("b", "m"), ("m0", "kg"))}
    assert dimension_of(parse(source), known) == (unit and parse_unit(unit).dimension)


def test_radians_may_be_left_out_but_an_angle_is_no_length():
    torque, per_radian, angle, length = (parse_unit(u).dimension for u in ("N·m", "N·m/rad", "rad", "m"))
    assert fits(torque, per_radian) and not fits(angle, length) and fits(None, length)
