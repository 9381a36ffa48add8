"""Regular poses in which the quick order of elimination fails: the machine is held, and questions are answered."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

BAR, T = poinsot.load("four_bar"), np.linspace(0, 1, 11)


@pytest.mark.parametrize("first", [0.0, 1e-9, 3e-6, 2 * np.pi, -0.5], ids="{:g}".format)
def test_the_regressor_of_a_four_bar_whose_crank_lies_flat(first):
    motion = {"theta1": lambda t: first + t}
    W = poinsot.regressor(BAR, motion, T)
    forces = poinsot.inverse_dynamics(BAR, motion, T, formulation="euler").forces["A"]
    np.testing.assert_allclose(W.matrix @ W.parameters + W.rhs, forces, rtol=1e-11)


def test_what_rests_on_regressors_is_answered_there_too():
    t = np.arange(0, 5, 0.02)
    motion = {"theta1": lambda t: 0.5 * np.sin(2 * t)}
    torque = poinsot.inverse_dynamics(BAR, motion, t).forces["A"]
    torque = torque + 0.05 * np.random.default_rng(0).standard_normal(len(t))
    data = poinsot.Recording.of(t, {"theta1": 0.5 * np.sin(2 * t), "A": torque})
    found = poinsot.identify(BAR, data, ["link3.mass"])["link3.mass"]
    assert abs(found.value - BAR.parameters["link3.mass"].value) < 4 * found.deviation
    assert "determine 8 of 12" in str(poinsot.determinable(BAR, motion, t, noise=0.05))
