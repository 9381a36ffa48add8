"""Dry friction that jumps at rest: a simulation that cannot go on names it, and what to set."""

from __future__ import annotations

import pytest

import poinsot
from poinsot.model.mechanism import build

BOB = {"mass": 1.0, "com": [0.3, 0.1, 0.0], "inertia": [0.1, 0.1, 0.1]}


def swinging(**friction) -> poinsot.Mechanism:
    """A pendulum on a trolley, each with friction of its own that is smooth but for what is given."""
    joints = {
        "rail": {"type": "prismatic", "between": ["ground", "trolley"], "axis": [1, 0, 0]},
        "h": {"type": "revolute", "axis": [0, 1, 0.2], "between": ["trolley", "b"], "friction": friction},
    }
    joints["rail"]["friction"] = {"viscous": 0.5, "coulomb": 0.2}
    bodies = {"trolley": {"mass": 2.0, "inertia": [0.1, 0.1, 0.1]}, "b": BOB}
    return build({"format": 1, "bodies": bodies, "joints": joints})


@pytest.mark.parametrize("method", ["explicit", "auto"])
def test_the_law_that_jumps_is_named_with_what_to_set(method):
    run = poinsot.simulate(swinging(coulomb=1.0, smooth=0), 3.0, method=method)
    assert not run.finished
    told = "dry friction jumps at rest, which no step resolves: set a small speed, such as 0.001, for h.smooth"
    assert told in run.status and "rail.smooth" not in run.status and "rtol" not in run.status


def test_what_is_set_helps():
    machine = swinging(coulomb=1.0, smooth=0).with_parameters({"h.smooth": "0.001 rad/s"})
    assert poinsot.simulate(machine, 3.0).finished


def test_friction_without_a_dry_part_is_not_blamed():
    from poinsot.simulation.stiffness import jumping_laws

    assert jumping_laws(swinging(viscous=1.0, coulomb=0.0, smooth=0)) == ""
    assert "h.smooth (now 0 rad/s)" in jumping_laws(swinging(coulomb=0.1, smooth=0))
