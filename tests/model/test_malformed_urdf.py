"""Malformed URDF and MJCF: each gives one sentence that names the file and the element."""

from __future__ import annotations

import pytest

from poinsot.errors import PoinsotError
from poinsot.model.interchange.mjcf.files import inspect_mjcf
from poinsot.model.interchange.urdf.read import read_urdf
from tests.model.interchange_cases import quietly

LINK = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
JOINT = '<joint name="{0}" type="{3}"><parent link="{1}"/><child link="{2}"/>{4}</joint>'
LAUGHS = '<!DOCTYPE robot [<!ENTITY a "ha">{}]><robot name="r"><link name="&j;"/></robot>'.format(
    "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
)
OUTSIDE = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="r"><link name="&x;"/></robot>'


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


def chain(*more: str, kind: str = "revolute", child: str = "b") -> str:
    return robot(LINK.format("a"), LINK.format("b"), JOINT.format("j", "a", child, kind, "".join(more)))


def inertial(inside: str) -> str:
    return robot(
        LINK.format("a"),
        f'<link name="b"><inertial>{inside}</inertial></link>',
        JOINT.format("j", "a", "b", "fixed", ""),
    )


URDF = {
    "empty": ("", "not well-formed"),
    "cut off": ('<robot name="r"><link name="a">', "not well-formed"),
    "two roots": ("<robot/><robot/>", "not well-formed"),
    "another root": ("<sdf/>", "expected <robot>"),
    "no links": (robot(), "no links"),
    "a link without name": (robot("<link/>"), "needs the attribute 'name'"),
    "a link twice": (robot(LINK.format("a"), LINK.format("a")), "link 'a': the name is used twice"),
    "a joint twice": (
        robot(
            *map(LINK.format, "abc"),
            JOINT.format("j", "a", "b", "fixed", ""),
            JOINT.format("j", "b", "c", "fixed", ""),
        ),
        "joint 'j': the name is used twice",
    ),
    "an unknown parent": (
        robot(LINK.format("arm"), LINK.format("b"), JOINT.format("j", "arn", "b", "fixed", "")),
        "did you mean",
    ),
    "an unknown child": (chain(child="c"), "no link 'c'"),
    "no parent": (
        robot(LINK.format("a"), '<joint name="j" type="fixed"><child link="a"/></joint>'),
        "<parent> is missing",
    ),
    "its own parent": (robot(LINK.format("a"), JOINT.format("j", "a", "a", "fixed", "")), "parent and child"),
    "an unknown type": (chain(kind="screw"), "no joint type 'screw'; there are: revolute"),
    "no type": (robot(LINK.format("a"), '<joint name="j"/>'), "needs the attribute 'type'"),
    "several roots": (robot(LINK.format("a"), LINK.format("b")), "a, b have no parent"),
    "two carriers": (
        robot(*map(LINK.format, "abc"), *(JOINT.format(f"j{p}", p, "c", "fixed", "") for p in "ab")),
        "two joints carry it, 'ja' and 'jb'",
    ),
    "a cycle": (
        robot(*map(LINK.format, "rabc"), *(JOINT.format(p + c, p, c, "fixed", "") for p, c in ("ab", "bc", "ca"))),
        "cycle through a, b, c",
    ),
    "all in a cycle": (
        robot(
            *map(LINK.format, "ab"),
            JOINT.format("1", "a", "b", "fixed", ""),
            JOINT.format("2", "b", "a", "fixed", ""),
        ),
        "cycle",
    ),
    "a word for a number": (chain('<origin xyz="0 zero 0"/>'), "is not a number"),
    "two numbers": (chain('<origin xyz="0 0"/>'), "has 2 numbers, expected 3"),
    "not a number": (chain('<origin rpy="0 nan 0"/>'), "is not finite"),
    "infinite": (chain('<dynamics damping="inf"/>'), "is not finite"),
    "no axis": (chain('<axis xyz="0 0 0"/>'), "has no direction"),
    "limits the wrong way": (chain('<limit lower="1" upper="-1" effort="1" velocity="1"/>'), "above the upper"),
    "negative friction": (chain('<dynamics friction="-1"/>'), "at least 0"),
    "negative mass": (inertial('<mass value="-1"/>'), "link 'b': the mass -1 kg is negative"),
    "mass of nothing": (inertial('<mass value="nan"/>'), "is not finite"),
    "no mass": (inertial('<inertia ixx="1"/>'), "needs a <mass>"),
    "an empty mass": (inertial("<mass/>"), "needs the attribute 'value'"),
    "an impossible inertia": (
        inertial('<mass value="1"/><inertia ixx="1" iyy="1" izz="3"/>'),
        "no body has such; correct its <inertia>",
    ),
    "a file for xacro": (inertial('<mass value="${m}"/>'), "is not a number; the file seems to be for xacro"),
    "an unknown mimic": (chain('<mimic joint="k"/>'), "mimic: there is no joint 'k'"),
    "laughs": (LAUGHS, "document type or entities"),
    "an external entity": (OUTSIDE, "document type or entities"),
    "ten megabytes of nesting": ("<robot>" + "<a>" * 3_400_000, "too large"),
    "deep nesting": ("<robot>" + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>", "deep"),
    "another encoding": ('<robot name="é"/>'.encode("latin-1"), "not a text file in UTF-8"),
    "an encoding that does not exist": ('<?xml version="1.0" encoding="klingon"?><robot/>', "klingon"),
    "zeros": ("<robot>\x00</robot>", "not well-formed"),
}
MJCF = {
    "a robot": ("<robot/>", "expected <mujoco>"),
    "cut off": ("<mujoco><worldbody>", "not well-formed"),
    "laughs": (LAUGHS.replace("robot", "mujoco"), "document type or entities"),
    "an external entity": (OUTSIDE.replace("robot", "mujoco"), "document type or entities"),
    "deep nesting": ("<mujoco>" + "<body>" * 5000 + "</body>" * 5000 + "</mujoco>", "nested more than"),
    "a plugin": ('<mujoco><extension><plugin plugin="x"/></extension></mujoco>', "foreign code"),
    "a file outside": ('<mujoco><asset><mesh file="../../secret.stl"/></asset></mujoco>', "outside the folder"),
    "an absolute file": ('<mujoco><asset><mesh file="/etc/passwd"/></asset></mujoco>', "outside the folder"),
    "a folder outside": ('<mujoco><compiler meshdir="C:\\\\meshes"/></mujoco>', "outside the folder"),
    "an include that is not there": ('<mujoco><include file="other.xml"/></mujoco>', "which is not there"),
    "an include of itself": ('<mujoco><include file="model.xml"/></mujoco>', "include each other"),
}


def message_of(read, path) -> str:
    with pytest.raises(PoinsotError) as caught:
        quietly(read, path)
    return str(caught.value)


def content(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


@pytest.mark.parametrize("case", URDF)
def test_a_malformed_urdf_gives_one_sentence(case, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_bytes(content(URDF[case][0]))
    message = message_of(read_urdf, path)
    assert "\n" not in message and "robot.urdf: " in message and URDF[case][1] in message, message
    assert len(message) < 500


@pytest.mark.parametrize("case", MJCF)
def test_a_malformed_mjcf_is_refused_before_mujoco_sees_it(case, tmp_path):
    path = tmp_path / "model.xml"
    path.write_bytes(content(MJCF[case][0]))
    message = message_of(inspect_mjcf, path)
    assert "\n" not in message and "model.xml: " in message and MJCF[case][1] in message, message


def test_a_file_that_is_not_there_and_a_folder_are_said(tmp_path):
    assert "no such file" in message_of(read_urdf, tmp_path / "none.urdf")
    (tmp_path / "folder.urdf").mkdir()
    assert "folder" in message_of(read_urdf, tmp_path / "folder.urdf")
