"""Angles go on beyond a turn, also where they are read off poses: at joints that close loops, and between bodies."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import poinsot
from poinsot.analysis.angles import unwound


def closing_angle():
    """A four-bar whose crank closes the loop: its angle is read off the pose."""
    document = copy.deepcopy(dict(poinsot.load("four_bar").document))
    del document["joints"]["D"]["closing"]
    document["joints"]["A"]["closing"] = True
    document["coordinates"]["crank"] = {"joint": "A"}
    return poinsot.build(document)


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix", "embedded"])
@pytest.mark.parametrize("samples", [15, 200])
def test_angles_of_a_driven_motion_grow_with_the_turns(formulation, samples):
    """Three turns, also with only five samples a turn: theta1 and the closing angle are those of the drive."""
    t = np.linspace(0.0, 1.0, samples)
    k = poinsot.kinematics(closing_angle(), {"theta1": lambda t: 1 + 6 * np.pi * t}, t, formulation=formulation)
    for name in ("theta1", "crank"):
        np.testing.assert_allclose(k.coordinates[name], 1 + 6 * np.pi * t, atol=1e-9)


def test_angles_of_a_simulation_grow_with_the_turns_from_the_assembled_branch_on():
    run = {"t_end": 1.0, "velocity": {"theta1": 12.0}}
    tree, closing = (poinsot.simulate(m, **run) for m in (poinsot.load("four_bar"), closing_angle()))
    for name in ("theta1", "theta2"):
        np.testing.assert_allclose(closing.coordinates[name], tree.coordinates[name], atol=1e-6)
    assert closing.coordinates["crank"][-1] > 4 * np.pi
    np.testing.assert_allclose(closing.coordinates["crank"], closing.coordinates["theta1"], atol=1e-9)
    late = poinsot.simulate(closing_angle(), 1.0, t=[0.9, 1.0], velocity={"theta1": 12.0})
    assert late.coordinates["crank"][1] - late.coordinates["crank"][0] == pytest.approx(
        closing.coordinates["crank"][-1] - closing.coordinates["crank"][-11], abs=1e-6
    )


def test_a_batch_of_motions_is_unwound_each_by_itself():
    batch = poinsot.simulate(closing_angle(), 1.0, velocity={"theta1": 12.0}, parameters={"link2.mass": [2.3, 1.0]})
    alone = poinsot.simulate(closing_angle(), 1.0, velocity={"theta1": 12.0})
    np.testing.assert_allclose(batch.coordinates["crank"][0], alone.coordinates["crank"], atol=1e-8)
    assert np.abs(np.diff(batch.coordinates["crank"], axis=1)).max() < 1.0


def test_rates_that_are_not_alike_do_not_make_turns():
    """Near a singular attitude an Euler angle's rate grows without bound; its value does not follow."""
    s = unwound(np.array([0.0, 1.0, 2.0]), np.array([0.1, 0.2, 0.3]), np.array([0.1, 1e9, -1e8]))
    np.testing.assert_allclose(s, [0.1, 0.2, 0.3])
