"""Natural sizes of a regressor's columns, those of the theory's table."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.identifiability.column_scales import natural_efforts, natural_lengths
from poinsot.identifiability.linear import linear_parameters

LAWS = {"stiffness": 2.0, "damping": 0.1, "friction": {"coulomb": 0.2, "viscous": 0.1}, "drive_inertia": 0.3}
MECHANISM = {
    "format": 1,
    "bodies": {
        "cart": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]},
        "arm": {"mass": 1.0, "com": [0.2, 0.1, 0.0], "inertia": [0.1, 0.1, 0.1]},
    },
    "joints": {
        "slide": {"type": "prismatic", "between": ["ground", "cart"], **LAWS},
        "hinge": {"type": "revolute", "between": ["cart", "arm"], **LAWS},
    },
    "forces": {"push": {"type": "load", "at": "arm", "force": [1.0, 0, 0], "moment": [0, 0, 1.0]}},
}
L, RATE, ACCELERATION = 0.2, np.array([3.0, 0.5]), np.array([70.0, 9.81])
ONE = np.ones(2)
SIZES = {
    "arm.m": ACCELERATION,
    "arm.my": ACCELERATION / L,
    "arm.Ixy": ACCELERATION / L**2,
    "slide.stiffness": L * ONE,
    "slide.damping": L * RATE,
    "slide.viscous": L * RATE,
    "slide.coulomb": ONE,
    "slide.drive_inertia": ACCELERATION,
    "hinge.stiffness": ONE / L,
    "hinge.damping": RATE / L,
    "hinge.viscous": RATE / L,
    "hinge.coulomb": ONE / L,
    "hinge.drive_inertia": ACCELERATION / L**2,
    "push.force.x": ONE,
    "push.moment.z": ONE / L,
}


@pytest.mark.parametrize("name", SIZES)
def test_efforts_have_the_sizes_of_the_theory(name):
    mechanism = poinsot.build(MECHANISM)
    parameters = [p for p in linear_parameters(mechanism) if p.name == name]
    found = natural_efforts(mechanism.elements, parameters, np.stack([RATE, ACCELERATION], axis=1), L)
    np.testing.assert_allclose(found, SIZES[name][:, None])


def test_no_parameters_have_no_sizes():
    assert natural_efforts(poinsot.build(MECHANISM).elements, [], np.ones((4, 2)), L).shape == (4, 0)


def test_lengths_of_columns_are_those_of_weighted_rows():
    rng = np.random.default_rng(0)
    efforts, reach, weights = rng.random((5, 3)), rng.random((5, 2)), rng.random(10)
    columns = (reach[:, :, None] * efforts[:, None, :]).reshape(10, 3) * weights[:, None]
    np.testing.assert_allclose(natural_lengths(efforts, reach, weights), np.linalg.norm(columns, axis=0))
