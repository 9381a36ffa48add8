"""What is asked of `determinable` by names and patterns: columns that exist, and paths in place of mechanisms."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.identifiability.model_parameters import possible_columns

MOTION = {"theta1": poinsot.Fourier(3.0, (0.4, 0.3), (0.1, 0.2), 1.2)}
T = np.linspace(0, 2, 41)


@pytest.fixture
def bar() -> poinsot.Mechanism:
    return poinsot.load("four_bar")


def test_columns_that_can_be_asked_for_are_listed_and_no_others(bar):
    of_bodies = {f"link{k}.{what}" for k in (1, 2, 3) for what in ("mass", "com.x", "com.y", "inertia")}
    assert {*possible_columns(bar)} == of_bodies
    with pytest.raises(PoinsotError, match=r"there is no column 'foo'; there are: link1\.mass") as error:
        poinsot.determinable(bar, MOTION, T, parameters=["foo"])
    assert "gravity" not in str(error.value) and "length" not in str(error.value) and "noise" not in str(error.value)


def test_every_column_that_is_listed_can_be_asked_for(bar):
    asked = possible_columns(bar)
    assert tuple(f.name for f in poinsot.determinable(bar, MOTION, T, parameters=asked).findings) == asked


def test_patterns_of_the_model_file_are_those_of_its_parameters(bar):
    found = poinsot.determinable(bar, MOTION, T, parameters="link*.mass")
    assert [f.name for f in found.findings] == ["link1.mass", "link2.mass", "link3.mass"]
    with pytest.raises(PoinsotError, match=r"'link2.J' is a linear parameter and 'link2.mass' is none: ask for"):
        poinsot.determinable(bar, MOTION, T, parameters=["link2.mass", "link2.J"])


def test_what_the_model_file_does_not_have_is_said_where_a_pattern_asks_for_it():
    document = dict(poinsot.load("four_bar").document)
    joints = {**document["joints"], "A": {**document["joints"]["A"], "friction": {"viscous": 0.1}}}
    bar = poinsot.build(document | {"joints": joints}, "bar")
    found = poinsot.determinable(bar, MOTION, T, parameters="A.*")
    assert {f.name: f.declared for f in found.findings} == {
        "A.viscous": True,
        "A.coulomb": False,
        "A.offset": False,
    }
    lines = {line.split()[0]: line for line in str(found).splitlines()[2:]}
    assert [name for name, line in lines.items() if "the model file has none" in line] == ["A.coulomb", "A.offset"]


def test_paths_and_names_are_taken_in_place_of_a_mechanism(bar, tmp_path):
    file = poinsot.save(bar, tmp_path / "bar.toml")
    wanted = poinsot.determinable(bar, MOTION, T).to_dict()
    for given in ("four_bar", str(file), file):
        assert poinsot.determinable(given, MOTION, T).to_dict() == wanted
    with pytest.raises(PoinsotError, match=r"no.toml: there is no such file"):
        poinsot.determinable(tmp_path / "no.toml", MOTION, T)
