"""Coordinates of joints are usable by the joints' names, whatever the joint and wherever the mechanism comes from."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.elements.frame import Frame
from poinsot.elements.joints import JOINTS
from poinsot.errors import PoinsotError
from poinsot.model.mechanism import build
from poinsot.model.parts import joint_parts
from poinsot.model.record import from_record, to_record

OPTIONS = {"helical": {"lead": 0.01}, "distance": {"length": 1.0}}


def held_by(kind: str, **more) -> poinsot.Mechanism:
    """One body on one joint."""
    joint = {"type": kind, "between": ["ground", "bob"], **OPTIONS.get(kind, {}), **more}
    return build({"format": 1, "bodies": {"bob": {"mass": 1.0, "inertia": [0.1, 0.2, 0.3]}}, "joints": {"A": joint}})


@pytest.mark.parametrize("kind", [kind for kind in JOINTS if kind not in ("fixed", "distance")])
def test_every_freedom_of_a_joint_has_a_name_by_which_the_body_can_be_moved(kind):
    mechanism = held_by(kind)
    names = mechanism.coordinates.known
    assert len(names) == JOINTS[kind].__new__(JOINTS[kind]).freedom
    wanted = {name: 0.1 + 0.05 * k for k, name in enumerate(names)}
    found = poinsot.kinematics(mechanism, {name: (lambda t, s=s: s * t) for name, s in wanted.items()}, [1.0, 2.0])
    for name, s in wanted.items():
        assert_allclose(found.coordinates[name], [s, 2 * s], atol=1e-12)
        assert_allclose(found.rates[name], [s, s], atol=1e-12)


def test_angles_of_a_ball_are_turns_about_x_then_y_then_z():
    def turn(axis: int, angle: float) -> np.ndarray:
        i, j = (axis + 1) % 3, (axis + 2) % 3
        R = np.eye(3)
        R[i, i] = R[j, j] = np.cos(angle)
        R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
        return R

    assembled = poinsot.assemble(held_by("spherical"), {"A.rx": 0.3, "A.ry": -0.4, "A.rz": 0.5})
    assert_allclose(assembled.poses["bob"].R, turn(0, 0.3) @ turn(1, -0.4) @ turn(2, 0.5), atol=1e-12)


def test_a_declared_coordinate_of_the_same_name_wins():
    document = dict(held_by("cylindrical").document) | {"coordinates": {"A": {"joint": "A", "coordinate": "angle"}}}
    mechanism = build(document)
    assert mechanism.coordinates["A"].unit == "rad" and "A" not in mechanism.coordinates.of_joints
    turned = build(document | {"coordinates": {"A": {"angle": "bob", "sequence": "XYZ", "index": 3}}})
    assert turned.coordinates["A"].kind == "angle"


def test_names_of_joints_are_not_listed_until_they_are_used():
    four_bar = poinsot.load("four_bar")
    assert list(four_bar.coordinates) == ["theta1", "theta2", "theta3"]
    assert "A" in four_bar.coordinates and "A.angle" in four_bar.coordinates
    assert list(four_bar.naming("A").coordinates) == ["theta1", "theta2", "theta3", "A"]
    assert four_bar.naming("A") is four_bar.naming("A") and four_bar.naming("theta1") is four_bar


def test_results_of_every_question_tell_the_joints_that_were_named():
    bar = poinsot.load("four_bar")
    run = poinsot.simulate(bar, 0.1, pose={"A": 1.0}, velocity={"A": 0.5}, events={"there": ("A", 1.0005)})
    assert_allclose([run.coordinates["A"][0], run.rates["A"][0]], [1.0, 0.5], atol=1e-9)
    assert 0 < run.events["there"] < 0.1
    by_name = poinsot.inverse_dynamics(bar, {"A": lambda t: 1 + t**2}, [0.0, 0.3])
    assert_allclose(
        by_name.forces["A"], poinsot.inverse_dynamics(bar, {"theta1": lambda t: 1 + t**2}, [0.0, 0.3]).forces["A"]
    )
    pendulum = poinsot.load("pendulum")
    (joint,) = pendulum.joints
    assert abs(poinsot.equilibrium(pendulum, pose={joint: 0.4}).coordinates[joint]) < 1e-9


def test_a_pose_of_a_model_file_may_name_joints():
    document = dict(held_by("revolute", axis=[1, 0, 0]).document) | {"pose": {"A": "30 deg"}}
    mechanism = build(document)
    assert_allclose(poinsot.assemble(mechanism).poses["bob"].R[1, 1], np.cos(np.pi / 6))
    again = from_record(to_record(mechanism))
    assert "A" in again.coordinates


def test_a_name_that_is_none_lists_those_of_joints_and_a_joint_with_several_says_which():
    with pytest.raises(PoinsotError, match=r"no coordinate 'B'.*there are: A"):
        poinsot.assemble(held_by("revolute"), {"B": 0.1})
    with pytest.raises(PoinsotError, match=r"has the coordinates A\.angle1, A\.angle2: say which"):
        poinsot.assemble(held_by("universal"), {"A": 0.1})


def test_a_spherical_joint_in_the_plane_is_one_angle():
    plane = {"format": 1, "planar": True, "bodies": {"bob": {"mass": 1.0, "inertia": 0.1}}}
    ball = {"A": {"type": "spherical", "between": ["ground", "bob"]}}
    mechanism = build(plane | {"joints": ball})
    assert list(joint_parts(mechanism.joints["A"], planar=True)) == ["rz"]
    found = poinsot.kinematics(mechanism, {"A": lambda t: 2 * t}, [0.0, 0.1])
    assert_allclose(found.angular_velocity["bob"][:, 2], 2.0)


def test_recordings_with_columns_of_joints_are_positions_by_their_unit():
    bar = poinsot.load("four_bar")
    recording = poinsot.Recording.of([0.0, 0.1], {"A": [1.0, 1.1], "B": [0.1, 0.2]}, units={"A": "rad"})
    from poinsot.recording.place import placed

    channels = placed(recording, bar).channels
    assert (channels["A"].kind, channels["B"].kind) == ("position", "position")
    torque = poinsot.Recording.of([0.0, 0.1], {"A": [1.0, 1.1]}, units={"A": "N·m"})
    assert placed(torque, bar).channels["A"].kind == "force"


def test_the_table_of_the_coordinates_of_joints_is_that_of_the_laws():
    page = (Path(__file__).parents[2] / "docs/coordinates-and-drives.md").read_text()
    for kinds, names in re.findall(r"^\| ([a-z, -]+) \| (.*?) \|", page, re.M)[1:]:
        for kind in kinds.split(", "):
            law = JOINTS[kind]
            joint = law("A", Frame("a", ""), Frame("b", ""), *([0.1] if law.options else []))
            parts = joint_parts(joint, planar=False)
            assert set(re.findall(r"`A\.(\w+)`", names)) == set(parts), kind
            assert ("`A`" in names) == (len(parts) == 1)
    assert set(JOINTS) <= set(re.findall(r"[a-z-]+", page))
