"""The sidecar of a URDF: what its words mean, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import assemble
from poinsot.model.check import check
from poinsot.model.interchange import read_urdf
from poinsot.model.interchange.urdf.sidecar import MAX_BYTES, Sidecar, read_sidecar, sidecar_text
from tests.model.interchange_cases import quietly

FOUR_BAR = """<robot name="four_bar">
  <link name="base"/><link name="crank">{m}</link><link name="rod">{m}</link><link name="rocker">{m}</link>
  <link name="rod_end"/><link name="rocker_end"/>
  <joint name="A" type="continuous"><parent link="base"/><child link="crank"/><axis xyz="0 0 1"/></joint>
  <joint name="B" type="continuous"><parent link="crank"/><child link="rod"/><origin xyz="0.2 0 0"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="D" type="continuous"><parent link="base"/><child link="rocker"/><origin xyz="0.5 0 0" rpy="0 0 1"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="e1" type="fixed"><parent link="rod"/><child link="rod_end"/><origin xyz="0.4 0 0"/></joint>
  <joint name="e2" type="fixed"><parent link="rocker"/><child link="rocker_end"/><origin xyz="0.3 0 0"/></joint>
</robot>""".format(m='<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>')
LOOP = "closed_loop: [[rod_end, rocker_end]]\ntype: ['3d']\nname_mot: [A]\n"


def read(tmp_path, sidecar: str):
    (tmp_path / "bar.urdf").write_text(FOUR_BAR)
    (tmp_path / "bar.yaml").write_text(sidecar)
    return quietly(read_urdf, tmp_path / "bar.urdf")


def test_a_point_closes_with_a_ball_and_a_motor_drives_its_joint(tmp_path):
    mechanism = read(tmp_path, LOOP)
    assert mechanism.joints["loop1"].kind == "spherical"
    assert "loop1" in mechanism.template.closing
    assert set(mechanism.actuators) == {"A"}
    assert check(mechanism).mobility == 1
    poses = assemble(mechanism).require().poses
    np.testing.assert_allclose(poses["rod"].point([0.4, 0, 0]), poses["rocker"].point([0.3, 0, 0]), atol=1e-12)


def test_a_frame_closes_with_a_weld_and_is_the_default(tmp_path):
    mechanism = read(tmp_path, "closed_loop: [[rod_end, rocker_end]]\n")
    assert mechanism.joints["loop1"].kind == "fixed"


def test_the_name_of_a_joint_stands_for_the_link_that_it_carries(tmp_path):
    assert read(tmp_path, LOOP.replace("rod_end,", "e1,")).joints["loop1"].a.label == "rod.rod_end"


def test_joints_may_be_read_as_balls_crosses_or_welds(tmp_path):
    more = "joint_name: [A, B, D]\njoint_type: [SPHERICAL, CARDAN, FIXED]\n"
    kinds = {name: joint.kind for name, joint in read(tmp_path, "name_mot: []\n" + more).joints.items()}
    assert kinds == {"A": "spherical", "B": "universal", "D": "fixed"}


def test_a_pose_in_the_sidecar_is_where_the_assembly_starts(tmp_path):
    mechanism = read(tmp_path, LOOP + "pose: {A: 2.0, B: -2.0, D: 0.3}\ngravity: [0, 0, 0]\n")
    assert mechanism.gravity == (0, 0, 0)
    other = read(tmp_path, LOOP + "pose: {A: -2.0, B: 2.0, D: -2.3}\n")
    heights = [assemble(m).require().poses["rod"].p[1] for m in (mechanism, other)]
    assert heights[0] > 0.05 and heights[1] < -0.05


def test_a_sidecar_reads_back_what_was_written(tmp_path):
    given = Sidecar(
        loops=(("a", "b", "3d"), ("c d", "é", "6d")), motors=("m",), pose={"q": 0.1 + 0.2}, gravity=(0.0, 1e-17, -9.8)
    )
    (tmp_path / "s.yaml").write_text(sidecar_text(given))
    found = read_sidecar(tmp_path / "s.yaml")
    assert (found.loops, found.motors, found.pose, found.gravity) == (
        given.loops,
        given.motors,
        given.pose,
        given.gravity,
    )


def test_a_key_that_is_not_read_is_noted(tmp_path):
    assert "rotor_inertia" in read(tmp_path, LOOP + "rotor_inertia: [1]\n").description


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
)
MALFORMED = {
    "a list": ("[1, 2]", "expected a table"),
    "nothing": ("", "expected a table"),
    "not yaml": ("closed_loop: [[a", "not a YAML file"),
    "a tab": ("closed_loop:\n\t- a", "not a YAML file"),
    "pairs of three": ("closed_loop: [[a, b, c]]", "expected a list of pairs"),
    "numbers": ("closed_loop: [[1, 2]]", "expected a list of pairs"),
    "a type too few": ("closed_loop: [[rod_end, rocker_end]]\ntype: []\nname_mot: [A]\npose: {Z: 1}", "no joint 'Z'"),
    "a type too many": (LOOP.replace("'3d'", "'3d', '6d'"), "expected 1 entries"),
    "an unknown type": (LOOP.replace("3d", "4d"), "expected '3d' or '6d'"),
    "an unknown frame": (LOOP.replace("rod_end", "rode_nd", 1), "did you mean 'rod_end'"),
    "the same body": (LOOP.replace("rocker_end", "rod"), "both on 'rod'"),
    "an unknown motor": (LOOP.replace("[A]", "[Q]"), "no joint 'Q'"),
    "motors as text": (LOOP.replace("[A]", "A"), "name_mot: expected a list of names"),
    "an unknown joint type": (LOOP + "joint_name: [A]\njoint_type: [SCREW]", "there is no 'SCREW'"),
    "joint types missing": (LOOP + "joint_name: [A]\n", "expected 1 entries"),
    "an unknown retyped joint": (LOOP + "joint_name: [Q]\njoint_type: [FIXED]", "no joint 'Q'"),
    "a pose that is not finite": (LOOP + "pose: {A: .nan}", "finite numbers"),
    "gravity of two": (LOOP + "gravity: [0, 1]", "3 finite numbers"),
    "a yaml bomb": (BOMB, "anchors and aliases"),
    "deep nesting": ("closed_loop: " + "[" * 50_000, "nested too deeply"),
    "a python object": ("closed_loop: !!python/object/apply:os.system [ls]", "not a YAML file"),
    "too large": ("#" * (MAX_BYTES + 1), "too large"),
    "not text": (b"\xff\xfe\x00closed_loop", "not a text file"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_sidecar_gives_one_sentence(case, tmp_path):
    content, words = MALFORMED[case]
    (tmp_path / "bar.urdf").write_text(FOUR_BAR)
    (tmp_path / "bar.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PoinsotError) as caught:
        quietly(read_urdf, tmp_path / "bar.urdf")
    message = str(caught.value)
    assert "\n" not in message and "bar.yaml: " in message and words in message, message
