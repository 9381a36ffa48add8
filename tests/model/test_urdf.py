"""URDF in and out: what is written reads back as the same mechanism, and what is lost is said."""

from __future__ import annotations

import tomllib
import warnings
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from poinsot.errors import ConversionWarning, PoinsotError
from poinsot.model.assembly.assembly import assemble
from poinsot.model.check import check
from poinsot.model.interchange import read_urdf, write_urdf
from poinsot.model.load import load
from poinsot.model.mechanism import build
from poinsot.model.toml import dumps
from poinsot.simulation.simulate import simulate
from tests.model.interchange_cases import (
    CASES,
    ROBOTS,
    assert_same_bodies,
    assert_same_mechanism,
    every_case,
    laden,
    quietly,
    robot_file,
)

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper arm"><visual/>
    <inertial><origin xyz="0 0 0.1" rpy="0.3 -0.2 0.5"/><mass value="2"/>
      <inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><mass value="1e-9"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper arm"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="5" velocity="3"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="wrist" type="fixed"><parent link="upper arm"/><child link="tip"/>
    <origin xyz="0 0 0.4" rpy="0.7 -0.8 0.9"/></joint>
  <transmission name="drive"/>
</robot>"""


def warned(path):
    """The mechanism of a file, and the warnings that its reading gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mechanism = read_urdf(path)
    return mechanism, [note for w in caught if w.category is ConversionWarning for note in w.message.notes]


def test_one_warning_stands_for_all_names_that_change_and_the_description_has_each(tmp_path):
    links = "".join(
        f'<link name="arm {i}"/><joint name="hinge {i}" type="continuous">'
        f'<parent link="base"/><child link="arm {i}"/></joint>'
        for i in range(7)
    )
    path = tmp_path / "many.urdf"
    path.write_text(f'<robot name="many"><link name="base"/>{links}</robot>')
    mechanism, said = warned(path)
    (renamed,) = [words for words in said if "hinge" in words]
    assert renamed == (
        "The joint 'hinge 0' is called 'hinge_0' here, and likewise 6 more: hinge 1, hinge 2, hinge 3, hinge 4, …."
    )
    assert all(f"The joint 'hinge {i}' is called 'hinge_{i}' here." in mechanism.description for i in range(7))
    assert len(said) == len({words.split("'")[0] for words in said})


def turn(axis, angle):
    """Rotation about a coordinate axis, written out."""
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    (tmp_path / "arm.yaml").write_text("name_mot: [shoulder]\n")
    return warned(path)


def test_origins_turn_about_fixed_axes_roll_first(arm):
    X = assemble(arm[0]).require().poses["upper_arm"]
    np.testing.assert_allclose(X.R, turn("z", 0.6) @ turn("y", 0.5) @ turn("x", 0.4), atol=1e-15)
    np.testing.assert_allclose(X.p, [0.1, 0.2, 0.3])


def test_inertia_is_turned_from_the_axes_of_its_own_origin_to_those_of_the_link(arm):
    R = turn("z", 0.5) @ turn("y", -0.2) @ turn("x", 0.3)
    J = arm[0].bodies["upper_arm"].inertia_about_centre()
    np.testing.assert_allclose(J, R @ np.diag([1, 2, 2.5]) @ R.T, atol=1e-15)
    np.testing.assert_allclose(arm[0].bodies["upper_arm"].com, [0, 0, 0.1])


def test_limits_damping_friction_and_effort_are_carried_over(arm):
    forces = arm[0].forces
    assert forces["shoulder.damper"].damping == 0.1
    assert forces["shoulder.friction"].coulomb == 0.2
    assert (forces["shoulder.end-stop"].lower, forces["shoulder.end-stop"].upper) == (-1, 2)
    assert (arm[0].actuators["shoulder"].lower, arm[0].actuators["shoulder"].upper) == (-5, 5)


def test_a_link_without_mass_on_a_fixed_joint_is_a_frame(arm):
    frame = arm[0].bodies["upper_arm"].frames[0]
    assert frame.name == "tip"
    assert frame.position == (0, 0, 0.4)
    np.testing.assert_allclose(frame.pose().R, turn("z", 0.9) @ turn("y", -0.8) @ turn("x", 0.7), atol=1e-15)


def test_nothing_is_dropped_silently(arm):
    mechanism, said = arm
    assert len(said) >= 5
    for word in ("visual", "transmission", "'base'", "tip", "Velocity", "'upper arm' is called 'upper_arm'"):
        assert any(word in note for note in said), word
        assert word in mechanism.description
    assert all("\n" not in note for note in said)


@pytest.mark.parametrize("case", every_case())
def test_a_written_mechanism_reads_back_the_same(case, tmp_path):
    given = CASES[case]()
    conversion = write_urdf(given, tmp_path / "out.urdf")
    assert [file.name for file in conversion.files] == ["out.urdf", "out.yaml"]
    assert ElementTree.parse(conversion.files[0]).getroot().tag == "robot"
    found = quietly(load, tmp_path / "out.urdf")
    assert_same_mechanism(case, found)
    assert len(found.actuators) == len(given.actuators) - (
        case == "laden"
    )  # a drive along a length is lost, and said
    assert all("\n" not in note and note.endswith(".") for note in conversion.notes)


def test_what_urdf_cannot_say_is_said(tmp_path):
    notes = " ".join(write_urdf(laden(), tmp_path / "laden.urdf").notes)
    for word in ("Springs", "Drive inertias", "Sensors", "offset 0.05", "load 'push'", "cable", "length"):
        assert word in notes, word
    for force in laden().forces.values():  # what is lost is named as a force, not only by its joint
        lost = force.kind in ("spring", "drive-inertia") or not hasattr(force.on, "joint")
        assert not lost or f"'{force.name}'" in notes, force.name


def test_an_existing_file_is_kept(tmp_path):
    write_urdf(load("pendulum"), tmp_path / "p.urdf")
    with pytest.raises(PoinsotError, match="exists already"):
        write_urdf(load("pendulum"), tmp_path / "p.urdf")
    write_urdf(load("pendulum"), tmp_path / "p.urdf", overwrite=True)


@pytest.mark.parametrize(
    "name, mobility, bodies, redundant", [("five-bar", 2, 5, 0), ("delta", 5, 14, 9), ("tx40", 6, 6, 0)]
)
def test_robots_of_others_are_read(name, mobility, bodies, redundant):
    """The delta has three idle pairs of spheres beside its two motions, and planar loops in space."""
    report = check(quietly(read_urdf, robot_file(name)))
    assert report.ok, report
    assert (report.mobility, report.bodies, len(report.redundant)) == (mobility, bodies, redundant)


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_of_others_survive_the_round_trip(name, tmp_path):
    first = quietly(read_urdf, robot_file(name))
    write_urdf(first, tmp_path / "again.urdf")
    second = quietly(read_urdf, tmp_path / "again.urdf")
    assert_same_bodies(first, assemble(first).require().poses, second, assemble(second).require().poses)
    assert check(first).mobility == check(second).mobility
    assert set(first.joints) == set(second.joints)
    assert set(first.actuators) == set(second.actuators)


def test_a_robot_that_was_read_is_written_as_a_model_file():
    mechanism = quietly(read_urdf, robot_file("delta"))
    again = build(tomllib.loads(dumps(mechanism)))
    assert_same_bodies(mechanism, assemble(mechanism).poses, again, assemble(again).poses)


def test_angles_in_degrees_are_asked_about_in_words_of_a_urdf(tmp_path):
    limits = ARM.replace('lower="-1" upper="2"', 'lower="-90" upper="180"')
    follower = (
        '<link name="f"/><joint name="follower" type="continuous"><parent link="base"/><child link="f"/>'
        '<mimic joint="shoulder" offset="45"/></joint></robot>'
    )
    (tmp_path / "arm.urdf").write_text(limits.replace("</robot>", follower))
    found = quietly(read_urdf, tmp_path / "arm.urdf")
    asked = [str(finding) for finding in check(found).findings if "degrees" in str(finding)]
    said = "were degrees meant? angles of a URDF are in radians: write"
    assert asked == [
        f"warning: arm.urdf: joint 'shoulder': <limit lower> = -90: -90 rad; {said} -1.5708",
        f"warning: arm.urdf: joint 'shoulder': <limit upper> = 180: 180 rad; {said} 3.14159",
        f"warning: arm.urdf: joint 'follower': <mimic offset> = 45: 45 rad; {said} 0.785398",
    ]


def test_elements_that_stand_twice_where_one_is_meant_are_said(tmp_path):
    twice = ARM.replace("</joint>", '<dynamics damping="0.3"/></joint>', 1)
    twice = twice.replace('<mass value="2"/>', '<mass value="2"/><mass value="3"/>')
    tip = '<inertial><mass value="1e-9"/><inertia ixx="0" iyy="0" izz="0"/></inertial>'
    (tmp_path / "arm.urdf").write_text(twice.replace(tip, 3 * tip))
    found, notes = warned(tmp_path / "arm.urdf")
    assert found.bodies["upper_arm"].mass == 2 and found.forces["shoulder.damper"].damping == 0.1
    for said in (
        "The joint 'shoulder' has 2 <dynamics>: the first is used.",
        "The link 'upper arm' has 2 <mass>: the first is used.",
        "The link 'tip' has 3 <inertial>: the first is used.",
    ):
        assert said in notes and said in found.description
    (tmp_path / "arm.urdf").write_text(ARM)
    assert not [note for note in warned(tmp_path / "arm.urdf")[1] if "the first is used" in note]


GEARED = """
format = 1
planar = true
gravity = [0, "-9.81 m/s²"]
[bodies.rotor]
inertia = "1e-4 kg·m²"
[bodies.arm]
mass = "4 kg"
com = ["250 mm", "10 mm"]
inertia = "0.05 kg·m²"
[bodies.disc]
inertia = "0.02 kg·m²"
[joints.motor]
type = "revolute"
between = ["ground", "rotor"]
actuated = true
[joints.shoulder]
type = "revolute"
between = ["ground", "arm"]
[joints.weld]
type = "fixed"
between = ["arm", "disc"]
[couplings.gear]
on = { combination = { motor = 1, shoulder = -50 } }
[coordinates]
q = { joint = "shoulder" }
[pose]
q = "-30 deg"
"""


def test_inertia_without_mass_survives_the_round_trip(tmp_path):
    given = build(tomllib.loads(GEARED))
    write_urdf(given, tmp_path / "arm.urdf")
    found = quietly(load, tmp_path / "arm.urdf")
    for name in ("rotor", "disc"):
        assert found.bodies[name].inertia_about_centre()[2, 2] == given.bodies[name].inertia_about_centre()[2, 2]
        assert found.bodies[name].mass == 0
    after, before = (simulate(m, 0.2, pose={"q": -0.5}).coordinates["q"][-1] for m in (found, given))
    assert after == pytest.approx(before, rel=1e-6)
    bare = simulate(given.with_parameters({"rotor.inertia": 0.0}), 0.2, pose={"q": -0.5}).coordinates["q"][-1]
    assert abs(bare - before) > 0.05 * abs(before)


def test_a_root_of_inertia_without_mass_is_told(tmp_path):
    inertia = '<inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    (tmp_path / "root.urdf").write_text(f'<robot name="r"><link name="base">{inertia}</link></robot>')
    with pytest.warns(ConversionWarning, match="The root link 'base' is the ground: its inertia is left out"):
        load(tmp_path / "root.urdf")
