"""Poses by some coordinates: the others stay where they are, as far as they are free to."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot


def read(mechanism, pose):
    poses = poinsot.assemble(mechanism, pose).poses
    return {name: float(c.value(poses, mechanism.joints)) for name, c in mechanism.coordinates.items()}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("double_pendulum", {"phi1": 0.5}),
        ("three_link", {"phi1": 0.3}),
        ("three_link", {"phi2": 0.4}),
        ("five_bar", {"q1": 2.0}),
        ("three_rrr", {"x": 0.05}),
        ("delta", {"x": 0.1}),
        ("stewart", {"z": 0.3}),
    ],
)
def test_coordinates_of_the_files_pose_that_are_not_given_stay(name, given):
    mechanism = poinsot.load(name)
    home, there = read(mechanism, None), read(mechanism, given)
    for coordinate in mechanism.elements.pose:
        assert there[coordinate] == pytest.approx(given.get(coordinate, home[coordinate]), abs=1e-10), coordinate


def arm(turned):
    """An arm of four links in space, nothing named in its file, on a base that is turned."""
    axes = ([0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0])
    body = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "frames": {"end": [0.3, 0.1, 0.0]}}
    ends = ["ground.base", "l0.end", "l1.end", "l2.end"]
    joints = {
        f"j{k}": {"type": "revolute", "axis": axis, "between": [end, f"l{k}"]}
        for k, (axis, end) in enumerate(zip(axes, ends))
    }
    base = {"position": [0, 0, 1.0], "rotation": {"sequence": "XYZ", "angles": turned}}
    bodies = {f"l{k}": body for k in range(4)} | {"ground": {"frames": {"base": base}}}
    return poinsot.build({"format": 1, "name": "arm", "bodies": bodies, "joints": joints})


@pytest.mark.parametrize("turned", [[0, 0, 0], [0.7, -0.4, 1.1]])
@pytest.mark.parametrize("joint", ["j0", "j1", "j2", "j3"])
def test_joints_of_an_arm_that_nobody_names_stay(turned, joint):
    moved = poinsot.assemble(arm(turned), {joint: 1.2}).poses
    machine = arm(turned)
    for name in machine.joints:
        assert float(machine.elements.coordinate(name).value(moved, machine.joints)) == pytest.approx(
            1.2 if name == joint else 0.0, abs=1e-10
        )


def test_a_coordinate_that_cannot_stay_moves():
    """A five-bar whose rods (3.8 m in all) do not reach from one crank turned away to the other upright (4.12 m)."""
    bar = {"mass": 1.0, "inertia": 0.1}
    ends = {"ground": {"frames": {"left": [-1.5, 0], "right": [1.5, 0]}}}
    bodies = {name: bar | {"frames": {"end": [1.0, 0]}} for name in ("crank1", "crank2")}
    bodies |= {name: bar | {"frames": {"end": [1.9, 0]}} for name in ("rod1", "rod2")}
    for name, x, turn in (("rod1", -1.5, 0.66), ("rod2", 1.5, np.pi - 0.66)):
        bodies[name]["placement"] = {
            "position": [x, 1.0],
            "rotation": {"sequence": "XYZ", "angles": [0, 0, turn]},
        }
    pairs = {"A": ["ground.left", "crank1"], "B": ["ground.right", "crank2"], "C": ["crank1.end", "rod1"]}
    pairs |= {"D": ["crank2.end", "rod2"], "E": ["rod1.end", "rod2.end"]}
    joints = {name: {"type": "revolute", "between": pair} for name, pair in pairs.items()}
    document = {"format": 1, "planar": True, "bodies": bodies | ends, "joints": joints}
    document["coordinates"] = {"q1": {"joint": "A"}, "q2": {"joint": "B"}}
    five = poinsot.build(document | {"pose": {"q1": np.pi / 2, "q2": np.pi / 2}})
    assert read(five, {"q1": 2.0})["q2"] == pytest.approx(np.pi / 2, abs=1e-10)
    away = read(five, {"q1": np.pi - 1e-3})
    assert away["q1"] == pytest.approx(np.pi - 1e-3) and away["q2"] > np.pi / 2 + 0.1
