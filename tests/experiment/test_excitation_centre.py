"""Motions are drawn about a pose with room inside the limits, wherever the model file's pose lies."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from tests.experiment.machines import TURNED_SLIDER

PENDULUM = """
format = 1
name = "pendulum"
planar = true

[bodies.arm]
mass = 2.0
com = [0.3, 0.02]
inertia = 0.05

[joints.h]
type = "revolute"
between = ["ground", "arm"]
actuated = true

[coordinates]
q = { joint = "h" }
"""
TASK = {"task": "excitation", "duration": 4.0, "harmonics": 3, "rate": 25.0, "starts": 20, "polish": 1}


def width(found, name):
    """What share of its range a coordinate goes through."""
    (one,) = (one for one in found.limits if one.name == name)
    return (one.greatest - one.least) / (one.upper - one.lower)


@pytest.mark.parametrize(
    "limits, force, share",
    [
        (["5 deg", "30 deg"], 50.0, 0.95),  # home is outside
        (["-30 deg", "-1 deg"], 50.0, 0.95),
        (["0 deg", "30 deg"], 50.0, 0.95),  # at the edge
        (["10 rad", "12 rad"], 50.0, 0.95),  # more than a turn away
        (["76 deg", "80 deg"], 1.0, 0.8),  # 76.6 deg and more can be held
        (["-85 deg", "85 deg"], 0.5, 0.015),  # 81.4 deg and more: home is inside, and cannot be held
    ],
)
def test_a_design_moves_where_home_is_no_pose_within_limits(limits, force, share):
    found = poinsot.design(
        poinsot.loads(PENDULUM),
        TASK,
        ["arm.mass", "arm.com.x"],
        limits={"q": limits, "h.force": force},
        noise={"*": 0.1},
    )
    assert not found.status and np.isfinite(found.deviation).all()
    assert all(one.excess == 0 for one in found.limits)
    assert width(found, "q") > share


@pytest.mark.parametrize(
    "machine, limits",
    [
        (poinsot.loads(TURNED_SLIDER), {"s": [0.0, 0.4], "phi": ["40 deg", "70 deg"]}),
        (poinsot.load("four_bar"), {"theta1": ["100 deg", "150 deg"]}),  # its home is 60 deg
    ],
    ids=["turned slider", "four-bar"],
)
def test_every_driven_coordinate_uses_its_range(machine, limits):
    found = poinsot.design(machine, TASK, limits=limits | {"*.force": 60.0}, noise=0.1)
    assert all(width(found, name) > 0.95 for name in limits)
    assert all(one.excess == 0 for one in found.limits)


def test_a_weak_drive_moves_where_it_holds_the_machine():
    """0.5 N·m hold the four-bar's crank between 105.9 and 112.6 deg; its home at 60 deg needs 6.3 N·m."""
    limits = {"theta1": ["-120 deg", "240 deg"], "A.force": "0.5 N·m"}
    found = poinsot.design(poinsot.load("four_bar"), TASK, limits=limits, noise=0.1)
    assert all(one.excess == 0 for one in found.limits)
    (crank,) = (one for one in found.limits if one.name == "theta1")
    assert np.radians(105.8) < crank.least < crank.greatest - np.radians(3) < np.radians(109.7)
