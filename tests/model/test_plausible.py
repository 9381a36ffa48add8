"""Sizes that no body of a machine has: grams that were read as kilograms; and machines that are as they should be."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest

import poinsot
from tests.generated.mechanisms import random_mechanism
from tests.model.mechanisms import bennett, chain, four_bar_in_plane, four_bar_in_space, sarrus

LIBRARY = tuple(poinsot.library_names())


def said(mechanism) -> str:
    return " | ".join(
        f.text for f in poinsot.check(mechanism).findings if "gyration" in f.text or "were mm" in f.text
    )


def bar(**crank) -> poinsot.Mechanism:
    document = copy.deepcopy(dict(poinsot.load("four_bar").document))
    document["bodies"]["link1"] |= crank
    return poinsot.build(document)


@pytest.mark.parametrize(
    ("crank", "words"),
    [
        ({"inertia": 11000}, "radius of gyration of 111 m, and the machine a size of 1.7 m.*were kg·mm² meant"),
        ({"inertia": 1.1e7}, "were g·mm² meant"),
        ({"inertia": 110}, "^$"),
        ({"inertia": 1.1e7, "mass": 900}, "were g and g·mm² meant|were kg·mm² meant"),
        ({"mass": 9000}, "body 'link1' of 9000 kg .* times the mass of every other body.*were 9000 g meant"),
        ({"mass": 900, "inertia": 11}, "^$"),
        ({"mass": 900, "inertia": 0}, "^$"),
    ],
)
def test_grams_without_a_unit_are_asked_about(crank, words):
    assert re.search(words, said(bar(**crank))), said(bar(**crank))


@pytest.mark.parametrize("name", LIBRARY)
def test_nothing_is_said_of_the_machines_of_the_library(name):
    assert said(poinsot.load(name)) == ""


@pytest.mark.parametrize("size", [1e-9, 1e-4, 1.0, 1e6])
@pytest.mark.parametrize("machine", [four_bar_in_plane, four_bar_in_space, bennett, sarrus])
def test_nothing_is_said_in_any_size(machine, size):
    assert said(machine(size)) == "" and said(chain(3, size)) == ""


@pytest.mark.parametrize("length", [1e-30, 1e-6, 1e3, 1e30])
@pytest.mark.parametrize("weight", [1e-30, 1e-3, 1e3, 1e30])
def test_the_judgement_is_that_of_any_consistent_units(length, weight):
    def arms(second: float) -> poinsot.Mechanism:
        bodies = {
            name: {"mass": m * weight, "inertia": 0.01 * weight * length**2, "frames": {"tip": [length, 0]}}
            for name, m in (("a", 1.0), ("b", second), ("c", 1.0))
        }
        ends = [["ground", "a"], ["a.tip", "b"], ["b.tip", "c"]]
        joints = {f"J{k}": {"type": "revolute", "between": pair} for k, pair in enumerate(ends)}
        return poinsot.build({"format": 1, "planar": True, "bodies": bodies, "joints": joints})

    assert said(arms(2.0)) == ""
    assert "body 'b'" in said(arms(2e4))


@pytest.mark.parametrize("seed", [1, 5, 99])
def test_masses_over_many_decades_are_no_grams(seed):
    assert said(random_mechanism(seed)) == ""


def test_a_wheel_whose_joint_is_in_its_centre_tells_no_size():
    wheel = {"mass": 3.0, "inertia": 4.0, "com": [1e-5, 0]}
    joints = {"A": {"type": "revolute", "between": ["ground", "wheel"]}}
    assert said(poinsot.build({"format": 1, "planar": True, "bodies": {"wheel": wheel}, "joints": joints})) == ""


@pytest.mark.parametrize("seed", range(20))
def test_lumps_and_point_masses_are_bodies_as_others(seed):
    rng = np.random.default_rng(seed)
    lump = {"mass": float(10 ** rng.uniform(-3, 3)), "inertia": float(10 ** rng.uniform(-9, 0) * 0.01)}
    arm = {"mass": 1.0, "inertia": 0.02, "com": [0.2, 0], "frames": {"tip": [0.4, 0]}}
    joints = {
        "A": {"type": "revolute", "between": ["ground", "arm"]},
        "B": {"type": "revolute", "between": ["arm.tip", "lump"]},
    }
    assert (
        said(poinsot.build({"format": 1, "planar": True, "bodies": {"arm": arm, "lump": lump}, "joints": joints}))
        == ""
    )


@pytest.mark.parametrize(
    ("place", "asked"), (([130.0, 20.0], True), (["13 cm", "2 cm"], False), ([30.0, 0.0], False))
)
def test_a_centre_of_mass_far_beyond_all_joints_is_asked_about(place, asked):
    document = dict(poinsot.load("four_bar").document)
    document["bodies"] = {**document["bodies"], "link1": {**document["bodies"]["link1"], "com": place}}
    said = [str(one) for one in poinsot.check(poinsot.build(document)).findings if "were mm meant" in str(one)]
    assert len(said) == asked and all("'link1' is 131.5 m from its origin" in one for one in said)
