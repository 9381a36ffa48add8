"""Motions go on where coordinates become poor: independent ones are chosen anew, Euler angles are centred anew."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.system.initial_state import state
from poinsot.system.system import start, system
from poinsot.system.variants import embedded_in

FOUR_BAR, SLIDER_CRANK = poinsot.load("four_bar"), poinsot.load("slider_crank")
ROTOR = poinsot.build(
    {
        "format": 1,
        "gravity": [0, 0, 0],
        "bodies": {"rotor": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}},
        "joints": {"hinge": {"type": "revolute", "between": ["ground", "rotor"], "axis": [1, 0, 0]}},
        "coordinates": {"phi": {"joint": "hinge"}},
    }
)


@pytest.mark.parametrize("independent", [None, ["theta3"], ["C"], ["D.angle"]])
def test_a_four_bar_turns_full_circles_in_any_independent_coordinate(independent):
    """The rocker and the joints at it turn back at dead centres, where they do not tell the motion of the crank."""
    run = {"t_end": 2.0, "velocity": {"theta1": 12.0}}
    joint = poinsot.simulate(FOUR_BAR, **run)
    r = poinsot.simulate(FOUR_BAR, **run, formulation="embedded", independent=independent)
    assert r.finished and joint.coordinates["theta1"][-1] > 8 * np.pi and r.energy_error < 1e-7
    assert bool(r.changes) == (independent is not None)
    for body in FOUR_BAR.bodies:
        np.testing.assert_allclose(r.position[body], joint.position[body], atol=1e-6)
    assert all("independent coordinates became" in text for text in r.changes)


def test_a_slider_crank_passes_its_dead_centres_from_the_stroke_as_independent_coordinate():
    run = {"t_end": 0.5, "velocity": {"theta": 40.0}}
    joint = poinsot.simulate(SLIDER_CRANK, **run)
    r = poinsot.simulate(SLIDER_CRANK, **run, formulation="embedded", independent=["stroke"])
    assert r.finished and r.changes and joint.coordinates["theta"].max() > 2 * np.pi
    np.testing.assert_allclose(r.coordinates["theta"], joint.coordinates["theta"], atol=1e-6)


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "delta", "hexapod"])
def test_accelerations_do_not_depend_on_the_independent_coordinates(name):
    mechanism = poinsot.load(name)
    velocity = {n: 0.3 + 0.1 * k for k, n in enumerate(mechanism.elements.pose)}
    given = poinsot.State(velocity=velocity, forces=dict.fromkeys(mechanism.actuators, 1.5))
    joint = poinsot.accelerations(mechanism, given)
    for wanted in (None, list(mechanism.elements.pose), list(mechanism.elements.pose)[:1]):
        found = poinsot.accelerations(mechanism, given, formulation="embedded", independent=wanted)
        for body in mechanism.bodies:
            np.testing.assert_allclose(found[body], joint[body], atol=1e-10 * np.abs(joint[body]).max() + 1e-11)
        np.testing.assert_allclose(found.multipliers, joint.multipliers, rtol=1e-9, atol=1e-9)


def test_the_quality_is_how_fast_the_dependent_speeds_are_for_the_independent_ones():
    """By kinematics: the piston's speed over the largest one of the tree, lengths in units of the machine's size."""
    given = poinsot.State({"theta": 0.5})
    found = poinsot.accelerations(SLIDER_CRANK, given, formulation="embedded", independent=["stroke"])
    moved = poinsot.kinematics(SLIDER_CRANK, {"theta": lambda t: 0.5 + t}, [0.0])
    ratio = abs(moved.velocity["piston"][0, 0]) / start(SLIDER_CRANK, None).size / np.abs(moved.path.v[0]).max()
    assert found.check == pytest.approx(ratio, rel=1e-9)


def test_pivoting_finds_good_speeds_in_every_pose_of_a_full_circle():
    compiled = system(FOUR_BAR, "embedded")
    for theta in np.linspace(0, 2 * np.pi, 25):
        begin = start(FOUR_BAR, {"theta1": theta})
        p = compiled.parameters(FOUR_BAR, begin.poses)
        q, _ = state(compiled, begin, p, None)
        assert float(embedded_in(compiled, q, p, None).dynamics.forward(q, 0, 0, p)[2]) > 0.19


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("slider_crank", {"pose": {"theta": 1e-4}, "independent": ["stroke"]}, r"'stroke'.*number is \d.*e\+0.*main"),
        ("four_bar", {"independent": ["theta1", "theta2"]}, r"mobility 1: 2 coordinates \(theta1, theta2\)"),
        ("four_bar", {"independent": ["theta9"]}, "no coordinate 'theta9' .*there are: theta1.*, A, B, C, D"),
        ("four_bar", {"independent": "theta1"}, "a list of names"),
        ("four_bar", {"independent": [3]}, "a list of names"),
        ("five_bar", {"independent": ["q1", "shoulder1"]}, "'shoulder1' cannot be independent beside q1.*number"),
    ],
)
def test_coordinates_that_cannot_be_independent_are_refused_by_name(name, given, message):
    with pytest.raises(poinsot.PoinsotError, match=message) as caught:
        poinsot.simulate(poinsot.load(name), 0.1, formulation="embedded", **given)
    assert "\n" not in str(caught.value)


def test_independent_coordinates_belong_to_the_embedded_formulation():
    with pytest.raises(poinsot.PoinsotError, match="in the formulation 'embedded', not in 'joint'"):
        poinsot.simulate(FOUR_BAR, 0.1, independent=["theta1"])


@pytest.mark.parametrize("method", ["explicit", "implicit"])
def test_euler_angles_are_centred_anew_and_the_motion_goes_on(method):
    """A rotor about x: the second of its ZXZ angles would meet a singular attitude every half turn."""
    r = poinsot.simulate(ROTOR, 3.0, velocity={"phi": 10.0}, formulation="euler", method=method)
    assert r.finished and len(r.changes) == 20 and "Euler angles of 'rotor'" in r.changes[0]
    np.testing.assert_allclose(r.coordinates["phi"], 10 * r.t, atol=1e-8)
    np.testing.assert_allclose(r.rotation["rotor"][:, 2, 1], np.sin(10 * r.t), atol=1e-8)


def test_euler_angles_are_centred_anew_between_outputs_and_for_every_motion_of_a_batch():
    heavy = poinsot.simulate(
        ROTOR, 1.0, t=[0.9, 1.0], velocity={"phi": 10.0}, formulation="euler", parameters={"rotor.mass": [1.0, 2.0]}
    )
    assert heavy.finished and {text.split(":")[0] for text in heavy.changes} == {"motion 0", "motion 1"}
    np.testing.assert_allclose(heavy.rotation["rotor"][:, :, 2, 1], [np.sin([9.0, 10.0])] * 2, atol=1e-8)


def test_a_user_event_is_timed_after_a_change_of_coordinates():
    """An event on an angle read off the pose, after the first time that the Euler angles were centred anew."""
    r = poinsot.simulate(ROTOR, 1.0, velocity={"phi": 10.0}, formulation="euler", events={"there": ("phi", 2.0)})
    assert len(r.changes) > 1 and r.events == {"there": pytest.approx(0.2, abs=1e-9)}


def test_a_pose_in_which_the_fast_order_of_elimination_fails_is_solved_in_the_careful_one():
    """A five-bar with parallel cranks and parallel forearms is no singular pose, whatever the order."""
    five_bar = poinsot.load("five_bar")
    given = poinsot.State({"x": 0.0, "y": 0.0}, {"x": 0.2, "y": -0.1}, {"shoulder1": 0.3})
    joint, matrix = (poinsot.accelerations(five_bar, given, formulation=f) for f in ("joint", "rotation-matrix"))
    assert joint.check > 1e-4
    for body in five_bar.bodies:
        np.testing.assert_allclose(joint[body], matrix[body], rtol=1e-8, atol=1e-8)
