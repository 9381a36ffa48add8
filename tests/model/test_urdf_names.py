"""Names of drives and coordinates survive a URDF."""

from __future__ import annotations

import pytest

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
