"""MJCF out, as text: no MuJoCo is needed to write it, and what it cannot say is said."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.model.interchange import read_mjcf, write_mjcf
from poinsot.model.interchange.mjcf import files as mjcf_files
from poinsot.model.load import load
from poinsot.model.mechanism import build
from tests.model.interchange_cases import CASES, coordinates, every_case, laden, pose_of


def written(mechanism, tmp_path):
    conversion = write_mjcf(mechanism, tmp_path / "model.xml")
    return ElementTree.parse(conversion.files[0]).getroot(), conversion.notes


@pytest.mark.parametrize("case", every_case())
def test_every_body_and_coordinate_is_written_with_its_numbers(case, tmp_path):
    mechanism = CASES[case]()
    root, notes = written(mechanism, tmp_path)
    masses = {body.get("name"): float(body.find("inertial").get("mass")) for body in root.iter("body")}
    for name, body in mechanism.bodies.items():
        assert masses[name] == pytest.approx(body.mass, rel=1e-15)
    refs = {joint.get("name"): float(joint.get("ref")) for joint in root.iter("joint") if joint.get("ref")}
    values = coordinates(mechanism, pose_of(case))
    for name, joint in mechanism.joints.items():
        for coordinate, value in zip(joint.coordinates, values.get(name, ())):
            label = next((key for key in (f"{name}.{coordinate.name}", name) if key in refs), None)
            if label is not None:  # the others close loops
                assert refs[label] == pytest.approx(value, abs=1e-12), label
    assert all("\n" not in note and note.endswith(".") for note in notes)


def test_forces_drives_and_sensors_have_their_counterparts(tmp_path):
    root, notes = written(laden(), tmp_path)
    hinge = next(joint for joint in root.iter("joint") if joint.get("name") == "hinge")
    expected = {"stiffness": 3.0, "springref": 0.2, "damping": 0.5, "frictionloss": 0.2, "armature": 0.01}
    assert {key: float(hinge.get(key)) for key in expected} == pytest.approx(expected)
    assert hinge.get("range") == "-1.0 2.0"
    spatial = root.find("tendon/spatial")
    assert (float(spatial.get("stiffness")), float(spatial.get("springlength"))) == (40.0, 0.3)
    motors = {motor.get("name"): motor for motor in root.find("actuator")}
    assert motors["cable"].get("tendon") == spatial.get("name")
    assert motors["cable"].get("ctrlrange") == "-5.0 7.0"
    assert motors["pipe"].get("joint") == "pipe.displacement"
    assert sorted(sensor.tag for sensor in root.find("sensor")) == sorted(
        ["jointpos", "tendonpos", "accelerometer", "gyro", "gyro", "actuatorfrc"]
    )
    assert root.find("option").get("gravity") == "0.0 0.0 -9.81"
    for word in ("offset 0.05", "load 'push'", "reaction sensor 'bearing'", "Noise"):
        assert word in " ".join(notes), word


def test_a_hinge_that_closes_a_loop_is_two_points_on_its_axis(tmp_path):
    root, _ = written(load("five_bar"), tmp_path)
    anchors = [np.array(connect.get("anchor").split(), float) for connect in root.findall("equality/connect")]
    assert len(anchors) == 2
    assert abs((anchors[1] - anchors[0])[2]) == pytest.approx(np.linalg.norm(anchors[1] - anchors[0]))


def test_the_ex800_is_cut_at_its_balls(tmp_path):
    root, notes = written(load("ex800"), tmp_path)
    assert len(root.findall("equality/connect")) == 5
    assert root.find("equality/weld") is None
    assert "uxiliary" not in " ".join(notes)


def test_what_mujoco_forces_upon_us_is_said_with_figures(tmp_path):
    notes = " ".join(written(load("hexapod"), tmp_path)[1])
    for word in ("leg2.head.cut", "1e-09 kg", "7.1e-12 kg·m²", "softly"):
        assert word in notes, word
    assert "plane z = 0" in " ".join(write_mjcf(load("five_bar"), tmp_path / "five.xml").notes)
    assert "zero of their angle: tool" in " ".join(write_mjcf(load("five_bar"), tmp_path / "bar.xml").notes)


def test_a_force_that_has_no_place_is_named(tmp_path):
    """A spring about the angle between two bodies that no joint connects."""
    document = dict(load("double_pendulum").document)
    on = {"angle": "lower"}
    document["forces"] = {"vane": {"type": "spring", "on": on, "stiffness": 2.0, "rest": 0.0}}
    notes = " ".join(write_mjcf(build(document), tmp_path / "vane.xml").notes)
    assert "MJCF has no place for the spring 'vane' along a coordinate of kind 'angle'." in notes


def test_an_existing_file_is_kept(tmp_path):
    write_mjcf(load("pendulum"), tmp_path / "p.xml")
    with pytest.raises(PoinsotError, match="exists already"):
        write_mjcf(load("pendulum"), tmp_path / "p.xml")


def test_writing_imports_no_mujoco(tmp_path):
    code = (
        "import sys, poinsot.model.interchange as i; from poinsot.model.load import load; "
        f"i.write_mjcf(load('pendulum'), {str(tmp_path / 'q.xml')!r}); print('mujoco' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_reading_without_mujoco_says_what_to_install(tmp_path, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(mjcf_files, "import_module", absent)
    (tmp_path / "m.xml").write_text("<mujoco/>")
    with pytest.raises(MissingExtraError, match=r"poinsot\[mujoco\]"):
        read_mjcf(tmp_path / "m.xml")
