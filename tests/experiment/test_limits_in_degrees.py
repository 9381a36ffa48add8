"""Plain numbers that limit an angle beyond two turns: degrees may be meant, which is asked."""

from __future__ import annotations

import warnings

import pytest

import poinsot
from poinsot.experiment.limits import limits_of


@pytest.mark.parametrize(
    "value, said",
    [
        ([-20, 100], '-20 rad, 100 rad; were degrees meant? write "-20 deg", "100 deg"'),
        (["-60", "-1"], '-60 rad; were degrees meant? write "-60 deg"'),
        ([None, 90.0], '90.0 rad; were degrees meant? write "90.0 deg"'),
        (45, '45 rad; were degrees meant? write "45 deg"'),
    ],
)
def test_plain_limits_of_an_angle_beyond_two_turns_are_asked_about(value, said):
    with pytest.warns(UserWarning) as found:
        limits_of({"theta1": value}, poinsot.load("four_bar"))
    assert [str(one.message) for one in found] == [f"limits of 'theta1': {said}"]


@pytest.mark.parametrize(
    "limits",
    [
        {"theta1": ["-20 deg", "100 deg"]},
        {"theta1": ["-20 rad", "100 rad"]},
        {"theta1": [-1.0, 2.0]},
        {"theta1.rate": 30.0},
        {"A.force": 100},
    ],
)
def test_other_limits_are_not_asked_about(limits):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limits_of(limits, poinsot.load("four_bar"))
