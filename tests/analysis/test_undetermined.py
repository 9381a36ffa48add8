"""Reactions that cannot be known are not given as if they were."""

from __future__ import annotations

import numpy as np

import poinsot


def test_a_planar_loop_in_space_leaves_its_forces_out_of_the_plane_undetermined():
    four_bar = poinsot.load("four_bar")
    motion = {"theta1": lambda t: 1 + 2 * t}
    flat = poinsot.inverse_dynamics(four_bar, motion, [0.0, 0.1])
    space = poinsot.inverse_dynamics(four_bar.in_space(), motion, [0.0, 0.1])
    for joint in four_bar.joints:
        known = np.isfinite(space.reactions[joint])
        assert known[:, :2].all()  # in the plane
        assert not known[:, 2:5].any()  # force along z, moments about x and y
        np.testing.assert_allclose(space.reactions[joint][:, :2], flat.reactions[joint][:, :2], atol=1e-9)
    np.testing.assert_allclose(space.forces["A"], flat.forces["A"], atol=1e-9)
    found = poinsot.accelerations(four_bar.in_space())
    assert np.isnan(found.reactions["B"][2]) and np.isfinite(found.reactions["B"][:2]).all()


def test_without_redundant_constraints_every_reaction_is_given():
    d = poinsot.inverse_dynamics(poinsot.load("five_bar"), {"q1": 2.2, "q2": 0.9}, [0.0])
    assert all(np.isfinite(w).all() for w in d.reactions.values())
