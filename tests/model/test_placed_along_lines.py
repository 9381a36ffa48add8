"""Bodies that a file places along a line: the turn about it is found where a hinge needs one."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.spatial.pose import Pose
from tests.model.placed_along_lines import FAMILIES, drawn, misplaced

LEG = """
[components.leg]
arguments = ["turn"]
[components.leg.frames.foot]
body = "ground"
position = ["0.4 * cos({turn})", "0.4 * sin({turn})", 0]
rotation = { sequence = "ZXZ", angles = ["{turn} + 90 deg", 0, 0] }
[components.leg.frames.head]
body = "platform"
position = ["0.2 * cos({turn})", "0.2 * sin({turn})", 0]
[components.leg.bodies.cylinder]
mass = "0.36 kg"
inertia = [21e-3, 21e-3, 0.056e-3]
placement = { at = "foot", along = ["foot", "head"] }
[components.leg.bodies.rod]
mass = "0.12 kg"
inertia = [1.3e-3, 1.3e-3, 0.0066e-3]
placement = { at = "head", along = ["foot", "head"] }
[components.leg.joints]
hinge = { type = "revolute", between = ["foot", "cylinder"], axis = [1, 0, 0] }
slide = { type = "prismatic", between = ["cylinder", "rod"] }
ball = { type = "spherical", between = ["rod", "head"] }
"""


def three_rps(tmp_path, azimuth: float) -> poinsot.Mechanism:
    turns = [f"{azimuth + 120 * i} deg" for i in range(3)]
    text = f"""
format = 1
name = "rps"
[bodies.platform]
mass = "6.8 kg"
inertia = [0.042, 0.042, 0.083]
placement = {{ position = [0, 0, "0.6 m"] }}
{LEG}
[instances.leg]
component = "leg"
number = 3
turn = {turns}
"""
    (tmp_path / "rps.toml").write_text(text)
    return poinsot.load(tmp_path / "rps.toml")


@pytest.mark.parametrize("azimuth", [0, 10, 75, 100, 145, 200, 310])
def test_hinged_legs_stand_on_their_hinges_at_every_azimuth(tmp_path, azimuth):
    poses = poinsot.assemble(three_rps(tmp_path, azimuth)).poses
    for i in range(3):
        turn = np.radians(azimuth + 120 * i)
        tangent = [-np.sin(turn), np.cos(turn), 0]  # the axis of the hinge, x of its foot
        np.testing.assert_allclose(poses[f"leg{i + 1}.cylinder"].R @ [1, 0, 0], tangent, atol=1e-12)
        lean = np.arctan2(0.2, 0.6)  # towards the platform, whose points lie 0.2 m further in
        up = [-np.sin(lean) * np.cos(turn), -np.sin(lean) * np.sin(turn), np.cos(lean)]
        np.testing.assert_allclose(poses[f"leg{i + 1}.cylinder"].R @ [0, 0, 1], up, atol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_bodies_along_lines_are_where_they_are_meant_to_be_whatever_comes_first_in_the_file(family):
    for seed in (1, 2):  # turned at random and placed exactly; tidy and placed roughly
        d = drawn(family, seed)
        poses = poinsot.assemble(poinsot.build(d.document(shuffled=True), "drawn")).poses
        exact = not d.rough and "not placed" not in family
        assert misplaced(d, poses, *([(1e-6, 1e-6)] if exact else [])) == []


def test_the_instrument_sees_a_leg_turned_about_its_line():
    d = drawn("3-UPU", 0)
    there = {name: Pose(R, p) for name, (R, p) in d.poses.items()}
    assert misplaced(d, there) == []
    R, p = d.poses["rod1"]
    there["rod1"] = Pose(R @ np.diag([-1.0, -1.0, 1.0]), p)
    assert misplaced(d, there) == ["rod1"]


def swinging(pose: dict, hinge: tuple[str, ...] = ("-90 deg", "0 deg")) -> poinsot.Mechanism:
    """A crank placed along its own hinge, with a rod on balls to a rocker that is hinged likewise."""
    turned = {"sequence": "ZXZ", "angles": [*hinge, "0 deg"]}
    document = {
        "format": 1,
        "bodies": {
            "crank": {"mass": 1.0, "frames": {"pin": [0.1, 0, 0]}, "placement": {"at": "A", "along": ["A", "A2"]}},
            "rocker": {"mass": 1.0, "frames": {"pin": [0.2, 0, 0]}, "placement": {"at": "D", "along": ["D", "D2"]}},
            "rod": {"mass": 1.0, "placement": {"at": "crank.pin", "along": ["crank.pin", "rocker.pin"]}},
        },
        "frames": {
            "A": {"body": "ground", "position": [0, 0, 0], "rotation": turned},
            "A2": {"body": "ground", "position": [0, 0, 0.1]},
            "D": {"body": "ground", "position": [0.3, 0, 0.4], "rotation": turned},
            "D2": {"body": "ground", "position": [0.3, 0, 0.5]},
        },
        "joints": {
            "A": {"type": "revolute", "between": ["A", "crank"], "axis": [0, 0, 1]},
            "D": {"type": "revolute", "between": ["D", "rocker"], "axis": [0, 0, 1]},
            "C": {"type": "spherical", "between": ["crank.pin", "rod"]},
        },
        "coordinates": {"q": {"joint": "A"}},
        "pose": pose,
    }
    return poinsot.build(document, "swinging")


@pytest.mark.parametrize(("pose", "angle"), [({}, 0.0), ({"q": 1.2}, 1.2)])
def test_a_body_along_its_own_hinge_starts_where_the_hinge_is_at_zero_or_as_the_pose_says(pose, angle):
    home = poinsot.assemble(swinging(pose))
    turn = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]) @ [np.cos(angle), np.sin(angle), 0]
    np.testing.assert_allclose(home.poses["crank"].R[:, 0], turn, atol=1e-9)


def test_a_hinge_exactly_across_the_line_of_its_body_and_held_by_the_pose_is_closed_or_refused():
    angle = swinging({"q": 1.2}, hinge=("0 deg", "90 deg"))
    assert "off the line" in str(poinsot.check(angle))


def test_check_tells_a_body_that_is_not_along_its_line_once_assembled():
    d = drawn("RSSR", 0)
    document = d.document()
    assert "off the line" not in str(poinsot.check(poinsot.build(document, "drawn")))
    document["bodies"]["link2"]["placement"]["along"].reverse()
    report = str(poinsot.check(poinsot.build(document, "drawn")))
    assert "off the line that it is placed along" in report
