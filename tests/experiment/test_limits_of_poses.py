"""Limits that mean nothing for poses at rest are refused, those that are not looked at are said."""

from __future__ import annotations

import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.experiment.limits import Limit, Quantity, limits_of, unchecked_forces
from poinsot.experiment.poses.space import limit_size

UNKNOWNS = ["A.stiffness", "B.stiffness", "C.stiffness"]
FEW = {"task": "poses", "poses": 30, "sets": 20, "refine": False}
LIMITS = {"phi*": "45 deg"}


def test_limits_of_rates_are_refused():
    with pytest.raises(PoinsotError, match=r"at rest: the limit of 'phi1\.rate' means nothing"):
        poinsot.design(poinsot.load("three_link"), FEW, UNKNOWNS, limits=LIMITS | {"phi1.rate": 1.0})


def test_forces_that_are_not_looked_at_and_the_noise_are_said():
    found = poinsot.design(poinsot.load("three_link"), FEW, UNKNOWNS, limits=LIMITS)
    assert found.remarks == ("frequencies are taken as measured to 0.5 %",) and found.remarks[0] in str(found)
    (said,) = unchecked_forces(limits_of({"A.force": "2 N·m", "theta1": 1.0}, poinsot.load("four_bar")))
    assert said.endswith("the limits of A.force")


def test_small_machines_have_small_tolerances():
    """In micrometres, what is far beyond a limit is not round-off."""
    assert limit_size(Limit("x", Quantity.POSITION, "m", -1e-6, 2e-6)) == 2e-6
    assert limit_size(Limit("phi", Quantity.POSITION, "rad", -0.1, 0.1)) == 1.0
