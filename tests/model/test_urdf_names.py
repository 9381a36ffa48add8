"""Names of drives and coordinates survive a URDF."""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError

KEPT = {"pendulum": ["phi"], "ex800": ["leg1.length", "leg6.length"], "tilting_table": ["tilt", "screw"]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KEPT)
def test_drives_and_coordinates_of_joints_keep_their_names(name, tmp_path):
    machine, again = poinsot.load(name), tmp_path / "again.urdf"
    notes = poinsot.write_urdf(machine, again).notes
    read = poinsot.load(again)
    assert list(read.actuators) == list(machine.actuators) and set(read.joints) == set(machine.joints)
    assert {n: read.coordinates[n] for n in KEPT[name]} == {n: machine.coordinates[n] for n in KEPT[name]}
    assert not any(kept in note for kept in KEPT[name] for note in notes if "left out" in note)
    poinsot.write_urdf(read, tmp_path / "twice.urdf")
    assert poinsot.load(tmp_path / "twice.urdf").document["coordinates"] == read.document["coordinates"]


@pytest.mark.parametrize("key", ["drives", "coordinates"])
def test_a_name_for_a_joint_that_does_not_exist_is_refused(key, tmp_path):
    poinsot.write_urdf(poinsot.load("pendulum"), tmp_path / "one.urdf")
    sidecar = tmp_path / "one.yaml"
    text = sidecar.read_text().split("coordinates:")[0]
    for entry, said in (("{a: hing}", f"{key}: there is no joint 'hing'"), ("[a]", f"{key}: expected a table")):
        sidecar.write_text(f"{text}{key}: {entry}\n")
        with pytest.raises(PoinsotError, match=said):
            poinsot.load(tmp_path / "one.urdf")


TWICE = """
format = 1
name = "twice"
[bodies.a]
mass = 1
inertia = [0.1, 0.1, 0.1]
frames.t = [0.3, 0, 0]
[bodies.b]
mass = 1
inertia = [0.1, 0.1, 0.1]
[joints.j1]
type = "revolute"
between = ["ground", "a"]
axis = [0, 1, 0]
[joints.j2]
type = "prismatic"
between = ["a.t", "b"]
axis = [1, 0, 0]
[actuators.{first}]
on = {{ joint = "j1" }}
limits = [-5, 5]
[actuators.{second}]
on = {{ joint = "j1" }}
limits = [-5, {limit}]
[coordinates]
{coordinate} = {{ joint = "j1" }}
q = {{ joint = "j1" }}
s = {{ joint = "j2" }}
"""


@pytest.mark.parametrize("first", ["A", "j1"])
@pytest.mark.parametrize("coordinate", ["p", "j1"])
def test_second_names_and_second_drives_of_a_joint_survive(first, coordinate, tmp_path):
    text = TWICE.format(first=first, second="B", limit=5, coordinate=coordinate)
    twice = poinsot.loads(text)
    notes = poinsot.write_urdf(twice, tmp_path / "twice.urdf").notes
    again = poinsot.load(tmp_path / "twice.urdf")
    assert not [note for note in notes if "drive" in note or "coordinate" in note]
    assert set(again.actuators) == {first, "B"}
    assert set(again.coordinates) == {coordinate, "q", "s"}
    motion = {coordinate: lambda t: 0.3 * t**2, "s": lambda t: 0.1 * t}
    run, same = (poinsot.kinematics(m, motion, [0.0, 1.0]) for m in (twice, again))
    assert_allclose(same.coordinates["q"], run.coordinates["q"])


def test_limits_of_a_further_drive_that_are_others_are_told(tmp_path):
    twice = poinsot.loads(TWICE.format(first="A", second="B", limit=9, coordinate="p"))
    notes = poinsot.write_urdf(twice, tmp_path / "twice.urdf").notes
    assert "Limits of the further drive 'B' of 'j1' become those of 'A'." in notes
