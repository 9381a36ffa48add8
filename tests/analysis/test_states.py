"""Accelerations at states that are given by coordinates: many in one call, the same as one by one."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

from .test_overconstrained import locomotive


@pytest.mark.parametrize("formulation", ["joint", "rotation-matrix"])
def test_states_of_a_simulation_have_its_reactions(formulation):
    four_bar = poinsot.load("four_bar")
    r = poinsot.simulate(four_bar, 0.2, t=np.linspace(0, 0.2, 5), formulation=formulation, forces={"A": 3.0})
    found = poinsot.accelerations(four_bar, poinsot.State(q=r.q, v=r.v, forces={"A": 3.0}), formulation=formulation)
    for joint, wrench in r.reactions.items():
        np.testing.assert_allclose(found.reactions[joint], wrench, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(found.position["link2"], r.position["link2"], rtol=1e-13)
    one = poinsot.accelerations(
        four_bar, poinsot.State(q=r.q[3], v=r.v[3], forces={"A": 3.0}), formulation=formulation
    )
    np.testing.assert_allclose(one["link2"], found["link2"][3], rtol=1e-12)
    assert found.check.shape == (5,) and isinstance(one.check, float)


def test_a_state_by_coordinates_is_that_of_its_pose():
    ex800 = poinsot.load("ex800")
    named = poinsot.accelerations(ex800)
    q = poinsot.simulate(ex800, 1e-6, t=[0.0, 1e-6]).q[0]
    found = poinsot.accelerations(ex800, poinsot.State(q=q))
    np.testing.assert_allclose(found["platform"], named["platform"], rtol=1e-10, atol=1e-10)


def test_redundant_constraints_are_combined_for_every_state():
    wheels = locomotive()
    r = poinsot.simulate(wheels, 1.0, t=np.linspace(0, 1, 9), velocity={"phi": 8.0})
    found = poinsot.accelerations(wheels, poinsot.State(q=r.q, v=r.v))
    assert np.all(found.check > 1e-4)
    for name in wheels.bodies:
        assert np.isfinite(found[name]).all()
    np.testing.assert_allclose(found["front"][:, 5], found["back"][:, 5], atol=1e-9)


@pytest.mark.parametrize(
    ("given", "formulation", "said"),
    [
        ({"q": [0.0, 1.0]}, "joint", "give q as"),
        ({"v": [0.0, 0.0, 0.0]}, "joint", "give q as"),
        ({"q": [0.1, 2.0, 3.0]}, "joint", "is open by"),
        ({"q": [np.nan, 0.0, 0.0]}, "joint", "finite"),
        ({"q": [0.0, 0.0, 0.0], "pose": {"theta1": 1.0}}, "joint", "not by both"),
    ],
)
def test_coordinates_that_are_no_state_are_refused(given, formulation, said):
    with pytest.raises(poinsot.PoinsotError, match=said):
        poinsot.accelerations(poinsot.load("four_bar"), poinsot.State(**given), formulation=formulation)


def test_euler_angles_are_no_state_without_their_chart():
    hexapod = poinsot.load("hexapod")
    with pytest.raises(poinsot.PoinsotError, match="centred"):
        poinsot.accelerations(hexapod, poinsot.State(q=np.zeros(78)), formulation="euler")


def test_accelerations_beyond_all_numbers_are_not_vouched_for():
    four_bar = poinsot.load("four_bar")
    light = {name: 1e-200 * p.value for name, p in four_bar.parameters.items() if "kg" in p.unit}
    light = four_bar.with_parameters(light)
    assert poinsot.accelerations(light).check > 0.01
    q = poinsot.simulate(light, 1e-6, t=[0.0, 1e-6]).q
    for where in ({}, {"q": q}):
        assert np.all(poinsot.accelerations(light, poinsot.State(forces={"A": 1e200}, **where)).check == 0.0)
