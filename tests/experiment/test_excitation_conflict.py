"""Limits that leave no motion: the one that has to give is named, with what it needs."""

from __future__ import annotations

import re

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError

RANGE = {"theta1": ["30 deg", "80 deg"]}


def refused(limits, **options):
    task = {"task": "excitation", "duration": 4.0, "harmonics": 3, "rate": 25.0, "starts": 5, "polish": 1}
    with pytest.raises(PoinsotError) as raised:
        poinsot.design(
            poinsot.load("four_bar"), {**task, "iterations": 40, **options}, limits=RANGE | limits, noise=0.02
        )
    return str(raised.value)


def test_a_drive_too_weak_against_gravity_is_named_with_the_force_that_it_needs():
    said = refused({"A.force": "1 N·m"})
    found = re.search(r"drive 'A' needs at least ([\d.]+) N·m; its limit is 1 N·m", said)
    assert found, said
    theta, t = np.radians(np.linspace(30, 80, 101)), np.linspace(0, 1e4, 101)  # so slow that only gravity counts
    torque = poinsot.inverse_dynamics(poinsot.load("four_bar"), {"theta1": (t, theta)}, t).forces["A"]
    assert float(found[1]) == pytest.approx(np.min(np.abs(torque)), rel=2e-3)


@pytest.mark.parametrize(
    "limits, options, text",
    [
        ({"theta3": ["10 deg", "20 deg"]}, {}, "'theta3' must go to 0.69.* its limit is 0.349"),
        ({"theta1.rate": "0.01 rad/s"}, {"speed": {"theta1": 0.5}}, "'theta1.rate' must go to .* is 0.01 rad/s"),
        ({}, {"condition": 1.5}, "the condition number is at least 4.69, and 1.5 is allowed"),
    ],
)
def test_the_limit_that_has_to_give_is_named(limits, options, text):
    assert re.search(text, refused({"A.force": "100 N·m"} | limits, **options))


def test_a_force_is_blamed_before_a_coordinate_where_either_could_give():
    said = refused({"theta3": ["45 deg", "50 deg"], "A.force": ["0 N·m", "5 N·m"]})  # 5 N·m hold 75 deg and more
    assert re.search(r"drive 'A' needs at least 6\.98\d* N·m; its limit is 5 N·m", said), said


def test_standing_still_is_asked_too_where_the_nearest_motion_leads_nowhere():
    """Of poses that the drive holds, theta3 is least in one; the nearest motion is where it does not hold."""
    crank, torque = [-2.425, -1.212], 3.56
    said = refused({"theta1": crank, "A.force": torque, "theta3": [-0.42, -0.085]}, duration=2.0, harmonics=4)
    found = re.search(r"while the others are kept, 'theta3' must go to ([\d.]+) rad", said)
    assert found, said
    t = np.linspace(0, 1e4, 401)
    run = poinsot.inverse_dynamics(poinsot.load("four_bar"), {"theta1": (t, np.linspace(*crank, 401))}, t)
    held = np.abs(run.forces["A"]) < torque
    assert float(found[1]) == pytest.approx(np.min(run.kinematics.coordinates["theta3"][held]), rel=2e-3)
