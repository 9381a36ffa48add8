"""Accelerations at states that are given by coordinates: many in one call, the same as one by one."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

from .test_overconstrained import locomotive
from .vibrating import sprung_five_bar


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


def moved(mechanism, s, **options):
    """A pose of a simulation, by name and by coordinates."""
    at = {name: float(s.coordinates[name][-1]) for name in mechanism.elements.pose}
    return poinsot.State(at, **options), poinsot.State(q=s.q[-1], **options)


VERBS = {
    "modes": lambda m, pose: poinsot.modes(m, pose).frequencies,
    "linearise": lambda m, pose: poinsot.linearise(m, pose).M,
    "frf": lambda m, pose: poinsot.frf(m, "x", "y", [1.0, 3.0], pose=pose, damping=0.01).H,
    "compliance": lambda m, pose: poinsot.compliance(m, "forearm1.tool", pose).matrix,
    "stiffness": lambda m, pose: poinsot.stiffness(m, "crank1.elbow", pose).matrix[:0],
    "singularity": lambda m, pose: [poinsot.singularity(m, pose).constraints],
    "equilibrium": lambda m, pose: list(poinsot.equilibrium(m, pose=pose, locked="all").forces.values()),
    "hold": lambda m, pose: list(poinsot.hold(m, pose).values()),
}


@pytest.fixture(scope="module")
def arm():
    """A five-bar whose drives have springs, and a motion of it."""
    mechanism = sprung_five_bar()
    return mechanism, poinsot.simulate(mechanism, 0.2, t=[0.0, 0.2], velocity={"x": 0.1, "y": -0.2})


@pytest.mark.parametrize("verb", sorted(VERBS.keys() - {"stiffness"}))
def test_a_state_is_taken_wherever_a_pose_is(arm, verb):
    named, given = moved(*arm)
    expected = VERBS[verb](arm[0], named.pose)
    for state in (named, given):
        np.testing.assert_allclose(VERBS[verb](arm[0], state), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("verb", [*VERBS, "assemble"])
def test_a_pose_at_rest_is_no_state_that_moves_nor_a_batch(arm, verb):
    ask = VERBS.get(verb, poinsot.assemble)
    for state in moved(*arm, forces={"shoulder1": 1.0}):
        with pytest.raises(poinsot.PoinsotError, match="this state has forces"):
            ask(arm[0], state)
    with pytest.raises(poinsot.PoinsotError, match="this state moves"):
        ask(arm[0], poinsot.State(arm[0].elements.pose, velocity={"x": 0.1}))
    said = "name the coordinates" if verb == "assemble" else "one state is asked for, not a batch of 2"
    with pytest.raises(poinsot.PoinsotError, match=said):
        ask(arm[0], poinsot.State(q=arm[1].q))
    said = "name the coordinates" if verb == "assemble" else "this state moves"
    with pytest.raises(poinsot.PoinsotError, match=said):
        ask(arm[0], poinsot.State(q=arm[1].q[1], v=arm[1].v[1]))


def test_a_pose_is_assembled_from_a_state_by_name(arm):
    named, _ = moved(*arm)
    found, expected = (poinsot.assemble(arm[0], pose) for pose in (named, named.pose))
    np.testing.assert_array_equal(found.poses["crank1"].R, expected.poses["crank1"].R)


@pytest.mark.parametrize("formulation", ["joint", "rotation-matrix", "embedded"])
def test_a_simulation_goes_on_from_a_state_of_another(formulation):
    four_bar = poinsot.load("four_bar")
    drive = {"formulation": formulation, "forces": {"A": 3.0}}
    whole = poinsot.simulate(four_bar, 0.4, t=[0.0, 0.2, 0.4], **drive)
    rest = poinsot.simulate(four_bar, 0.2, t=[0.2], pose=poinsot.State(q=whole.q[1], v=whole.v[1]), **drive)
    np.testing.assert_allclose(rest.q[0], whole.q[2], rtol=1e-8, atol=1e-8)
    with pytest.raises(poinsot.PoinsotError, match="given twice"):
        poinsot.simulate(four_bar, 0.2, pose=poinsot.State(q=whole.q[1]), velocity={"theta1": 1.0})


def test_a_state_brings_forces_and_rates_by_name_into_a_simulation():
    four_bar = poinsot.load("four_bar")
    given = {"velocity": {"theta1": 2.0}, "forces": {"A": 3.0}}
    found = poinsot.simulate(four_bar, 0.1, pose=poinsot.State({"theta1": 1.0}, **given))
    np.testing.assert_array_equal(found.q, poinsot.simulate(four_bar, 0.1, pose={"theta1": 1.0}, **given).q)
    assert found.rates["theta1"][0] == pytest.approx(2.0)


def test_rates_by_name_are_the_slopes_of_the_coordinates():
    hexapod, h = poinsot.load("hexapod"), 1e-4
    t = [0.1 - h, 0.1, 0.1 + h]
    simulated = poinsot.simulate(hexapod, 0.2, t=t)
    motion = {name: (lambda t, s=s: s + 0.02 * t + 0.3 * t**2) for name, s in hexapod.elements.pose.items()}
    for found in (simulated, poinsot.kinematics(hexapod, motion, t)):
        assert set(found.rates) == set(hexapod.coordinates)
        for name, s in found.coordinates.items():
            assert found.rates[name][1] == pytest.approx((s[2] - s[0]) / (2 * h), rel=1e-5, abs=1e-6)
