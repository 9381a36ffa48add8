"""Angles go on beyond a turn, also where they are read off poses: at joints that close loops, and between bodies."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import poinsot
from poinsot.motion.counted_turns import unwound


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


def rotor(**more):
    """A wheel on a tilted shaft, with its angle as an encoder sees it and as an attitude."""
    shaft = {"type": "revolute", "between": ["ground", "wheel"], "axis": [0.6, 0.0, 0.8], **more}
    wheel = {"mass": 2.0, "com": [0.0, 0.0, 0.0], "inertia": [0.3, 0.3, 0.3]}
    return poinsot.build(
        {
            "format": 1,
            "name": "rotor",
            "gravity": [0, 0, 0],
            "bodies": {"wheel": wheel},
            "joints": {"S": shaft},
            "coordinates": {"turn": {"joint": "S"}},
        }
    )


@pytest.mark.parametrize("method", ["explicit", "implicit"])
@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix", "embedded"])
def test_turns_between_two_outputs_are_counted(formulation, method):
    """A hundred radians between the outputs, with crossings of angles on the way that are no jumps by a turn."""
    events = {"late": ("turn", 50.0), "never": ("turn", -1.0)}
    run = {"t": [0.0, 5.0], "velocity": {"turn": 20.0}, "events": events, "formulation": formulation}
    r = poinsot.simulate(rotor(), 5.0, **run, method=method)
    assert r.finished and r.coordinates["turn"][1] == pytest.approx(100.0, abs=1e-6 if method == "explicit" else 1e-4)
    assert r.events["late"] == pytest.approx(2.5, abs=1e-6) and np.isnan(r.events["never"])


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix", "embedded"])
def test_angles_in_a_loop_do_not_depend_on_the_outputs(formulation):
    """A crank that runs unevenly, its hinge closing the loop: few outputs give what many do."""
    run = {"velocity": {"theta1": -25.0}, "events": {"there": ("crank", -40.0)}, "formulation": formulation}
    many = poinsot.simulate(closing_angle(), 2.0, t=np.linspace(0.0, 2.0, 401), **run)
    few = poinsot.simulate(closing_angle(), 2.0, t=[0.0, 1.3, 2.0], **run)
    assert many.coordinates["crank"][-1] < -40.0 and np.abs(np.diff(many.coordinates["crank"])).max() < 1.0
    for name in ("theta1", "theta2", "theta3", "crank"):
        np.testing.assert_allclose(few.coordinates[name], many.coordinates[name][[0, 260, 400]], atol=1e-6)
    at = np.interp(40.0, -many.coordinates["crank"], many.t)
    assert many.events["there"] == pytest.approx(at, abs=1e-3) and few.events["there"] == pytest.approx(at, abs=1e-3)


@pytest.mark.parametrize("formulation", ["joint", "rotation-matrix"])
def test_a_driven_motion_with_few_samples_counts_the_turns_too(formulation):
    t = np.array([0.0, 0.7, 1.0])
    k = poinsot.kinematics(closing_angle(), {"theta1": lambda t: 1 + 6 * np.pi * t**3}, t, formulation=formulation)
    for name in ("theta1", "crank"):
        np.testing.assert_allclose(k.coordinates[name], 1 + 6 * np.pi * t**3, atol=1e-9)


def test_an_angle_that_is_not_defined_at_the_start_does_not_stop_a_simulation():
    """Z and Z of ZXZ are one axis at home: no rate of the first angle exists there."""
    document = copy.deepcopy(dict(rotor().document))
    document["joints"] = {"F": {"type": "free", "between": ["ground", "wheel"]}}
    document["coordinates"] = {
        "first": {"angle": "wheel", "sequence": "ZXZ", "index": 1},
        "x": {"position": "wheel", "axis": "x"},
    }
    for method, steps in (("explicit", 200), ("implicit", 1000)):
        r = poinsot.simulate(poinsot.build(document), 1.0, velocity={"x": 0.5}, method=method)
        assert r.finished and r.steps < steps and r.coordinates["x"][-1] == pytest.approx(0.5, abs=1e-9)


ALL = ["joint", "euler", "rotation-matrix", "embedded"]


@pytest.mark.parametrize("formulation", ALL)
@pytest.mark.parametrize("first", [4.0, -7.5, 12.0])
def test_angles_go_on_from_the_pose_that_was_given(formulation, first):
    """Also in a second call, which finds the pose in another way; and past the events that lie on the way."""
    for angle in (first, first + 0.1):
        run = {"t": [0.0, 0.5], "velocity": {"turn": 2.0}, "formulation": formulation}
        r = poinsot.simulate(rotor(), 0.5, pose={"turn": angle}, events={"on": ("turn", angle + 0.5)}, **run)
        np.testing.assert_allclose(r.coordinates["turn"], [angle, angle + 1], atol=1e-9)
        assert r.events["on"] == pytest.approx(0.25, abs=1e-6)
    k = poinsot.kinematics(rotor(), {"turn": lambda t: first + t}, [0.0, 1.0], formulation=formulation)
    np.testing.assert_allclose(k.coordinates["turn"], [first, first + 1], atol=1e-12)


def test_the_turns_of_the_file_s_pose_stay_and_a_given_one_is_as_given():
    wheel = poinsot.build({**rotor().document, "pose": {"turn": "200 deg"}})
    for pose, angle in ((None, 200.0), ({"turn": "-200 deg"}, -200.0), ({"turn": "180 deg"}, 180.0)):
        found = poinsot.assemble(wheel, pose)
        assert np.degrees(found.value(wheel.coordinates["turn"], wheel.joints)) == pytest.approx(angle)
        r = poinsot.simulate(wheel, 0.1, pose=pose)
        assert np.degrees(r.coordinates["turn"][0]) == pytest.approx(angle)


def test_a_spring_is_wound_by_the_turns_that_are_given_where_they_are_followed():
    wheel = poinsot.build(
        rotor().document | {"forces": {"k": {"type": "spring", "on": {"joint": "S"}, "stiffness": 3}}}
    )
    at = poinsot.State(pose={"turn": 4.0})
    for formulation in ("joint", "embedded"):
        found = poinsot.accelerations(wheel, at, formulation=formulation)["wheel"]
        np.testing.assert_allclose(np.linalg.norm(found[3:]), 3 * 4.0 / 0.3, rtol=1e-12)
    with pytest.raises(poinsot.PoinsotError, match=r"'k' is turned by half a turn.*use 'joint'"):
        poinsot.accelerations(wheel, at, formulation="euler")
