"""What bodies look like is kept: read from URDF, MJCF and model files, written back, without influence on results."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import poinsot
from poinsot.app.scene.build import scene_of
from poinsot.app.scene.primitives import Surface
from poinsot.errors import MissingMeshWarning, PoinsotError
from poinsot.model.interchange.mjcf.files import inspect_mjcf
from poinsot.model.meshes import found_mesh

MODEL = """
format = 1
[bodies.ground]
visual = { box = ["20 cm", 0.2, 0.1], colour = [0.2, 0.4, 0.6, 0.5] }
[bodies.arm]
mass = "1 kg"
com = [0.15, 0, 0]
inertia = [0.01, 0.02, 0.03]
[[bodies.arm.visual]]
cylinder = ["20 mm", "0.3 m"]
position = [0.15, 0.01, 0.02]
rotation = { sequence = "xyz", angles = [0.1, "80 deg", 0.3] }
colour = [1, 0, 0]
[[bodies.arm.visual]]
sphere = 0.05
[joints.A]
type = "revolute"
between = ["ground", "arm"]
axis = [0, 1, 0]
"""
PLAIN = (
    MODEL.replace("visual = { box", "frames = {} # { box").split("[[")[0]
    + "[joints.A]"
    + MODEL.split("[joints.A]")[1]
)


def same(ours, theirs) -> None:
    """The same shapes in the same places."""
    assert [v.shape for v in ours] == [v.shape for v in theirs]
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a.size, b.size)
        np.testing.assert_allclose(a.pose().p, b.pose().p, atol=1e-12)
        np.testing.assert_allclose(a.pose().R, b.pose().R, atol=1e-12)
        if a.colour:
            np.testing.assert_allclose(a.colour, b.colour[: len(a.colour)], atol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", ["toml", "urdf", "xml"])
def test_shapes_survive_other_formats(tmp_path, ending):
    if ending == "xml":
        pytest.importorskip("mujoco")
    mechanism, path = poinsot.loads(MODEL), tmp_path / f"arm.{ending}"
    {"toml": poinsot.save, "urdf": poinsot.write_urdf, "xml": poinsot.write_mjcf}[ending](mechanism, path)
    back = poinsot.load(path)
    same(mechanism.bodies["arm"].visuals, back.bodies["arm"].visuals)
    same(mechanism.elements.ground.visuals, back.elements.ground.visuals)


def test_shapes_are_no_parameters_and_no_part_of_the_equations():
    drawn, plain = poinsot.loads(MODEL), poinsot.loads(PLAIN)
    assert not plain.bodies["arm"].visuals
    assert list(drawn.parameters) == list(plain.parameters)
    strip = {key: value for key, value in plain.physics["bodies"]["arm"].items()}
    assert drawn.physics["bodies"]["arm"] == strip
    assert "visual" in drawn.document["bodies"]["arm"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("visual = { box = [1, 1] }", "3 numbers"),
        ("visual = { box = [1, 1, 1], sphere = 1 }", "expected one of box"),
        ("visual = { sphere = 1, colour = [1, 0, 7] }", "from 0 to 1"),
        ("visual = { sphere = '1 kg' }", "quantity in m"),
        ("visual = { cone = 1 }", "not known"),
    ],
)
def test_shapes_that_make_no_sense_are_named(entry, words):
    with pytest.raises(PoinsotError, match=words):
        poinsot.loads(f"format = 1\n[bodies.arm]\nmass = 1\n{entry}\n")


URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><mesh filename="{file}" scale="2 2 2"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
CORNER = """solid c
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", ["meshes/c.stl", "package://robot/meshes/c.stl"])
def test_meshes_are_found_beside_the_file_and_scaled(tmp_path, file):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "c.stl").write_text(CORNER)
    (tmp_path / "r.urdf").write_text(URDF.format(file=file))
    scene = scene_of(poinsot.load(tmp_path / "r.urdf"))
    (mesh,) = (p for p in scene.layer("bodies") if isinstance(p, Surface))
    assert mesh.vertices.max() == 2.0 and not scene.notes


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("file", "words"), [("gone.stl", "are not found"), ("bad.stl", "cannot be read|no triangles")]
)
def test_a_mesh_that_cannot_be_read_is_said_once_and_the_body_is_drawn(tmp_path, file, words):
    (tmp_path / "bad.stl").write_text("this is no mesh")
    (tmp_path / "r.urdf").write_text(URDF.format(file=file))
    scene = scene_of(poinsot.load(tmp_path / "r.urdf"))
    assert len(scene.notes) == 1
    assert re.search(words, scene.notes[0])
    assert {p.body for p in scene.layer("bodies")} == {"arm"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", ["parts/c.stl", "package://robot/parts/c.stl", "../robot/parts/c.stl"])
@pytest.mark.parametrize("name", ["b.toml", "b.urdf"])
def test_a_model_written_to_another_folder_still_finds_its_meshes(tmp_path, file, name):
    (tmp_path / "robot" / "parts").mkdir(parents=True)
    (tmp_path / "robot" / "parts" / "c.stl").write_text(CORNER)
    (tmp_path / "robot" / "a.urdf").write_text(URDF.format(file=file))
    (tmp_path / "one" / "two" / "three" / "four").mkdir(parents=True)
    model = tmp_path / "robot" / "a.urdf"
    for folder in ("one/two/three/four", "one", "robot"):
        write = poinsot.save if name == "b.toml" else poinsot.write_urdf
        write(poinsot.load(model), tmp_path / folder / name)
        model = tmp_path / folder / name
        scene = scene_of(poinsot.load(model))
        assert any(isinstance(p, Surface) for p in scene.layer("bodies")) and not scene.notes
    assert str(tmp_path) not in model.read_text()
    poinsot.save(poinsot.read_urdf(tmp_path / "robot" / "a.urdf"), tmp_path / "robot" / "c.toml")
    assert f'"{file}"' in (tmp_path / "robot" / "c.toml").read_text()


def test_meshes_of_components_are_renamed_with_the_comments_kept(tmp_path):
    text = """format = 1
[components.leg.bodies.rod]
mass = 1 # light
visual = { mesh = "c.stl", scale = [2, 2, 2] } # a corner
[instances.leg1]
component = "leg"
"""
    (tmp_path / "there").mkdir()
    (tmp_path / "c.stl").write_text(CORNER)
    (tmp_path / "a.toml").write_text(text)
    poinsot.save(poinsot.load(tmp_path / "a.toml"), tmp_path / "there" / "b.toml")
    assert (tmp_path / "there" / "b.toml").read_text() == text.replace("c.stl", "../c.stl")


def test_missing_meshes_are_named_once_with_the_places_when_a_file_is_loaded(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF.format(file="package://arm/gone.stl"))
    with pytest.warns(MissingMeshWarning) as caught:
        arm = poinsot.load(tmp_path / "r.urdf")
    (note,) = [w.message for w in caught if w.category is MissingMeshWarning]
    assert "Mesh files are not found" in str(note) and "package://arm/gone.stl" in str(note)
    assert str(tmp_path) in str(note) and str(tmp_path / "arm") in str(note)
    report = poinsot.check(arm)
    assert [str(finding) for finding in report.findings] == [f"note: {note.notes[0]}"]
    (tmp_path / "gone.stl").write_text(CORNER)
    assert not poinsot.check(arm).findings


def test_the_command_says_once_that_meshes_are_missing(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF.format(file="gone.stl"))
    command = [sys.executable, "-m", "poinsot.app.cli", "check", "r.urdf"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0
    assert (said.stdout + said.stderr).count("gone.stl") == 1


@pytest.mark.parametrize("name", ["x" * 5000 + ".stl", "a\\0b.stl"])
def test_names_that_no_file_can_have_are_missing(name):
    with pytest.raises(PoinsotError, match="is not beside the model file"):
        found_mesh(name, "")


def test_an_mjcf_whose_mesh_is_missing_is_refused_with_the_places(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(
        '<mujoco><compiler meshdir="parts"/><asset><mesh name="m" file="gone.stl"/></asset>'
        '<worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    with pytest.raises(PoinsotError, match=r"<mesh> names 'gone.stl', which is not there") as caught:
        poinsot.load(path)
    assert str(tmp_path / "parts" / "gone.stl") in str(caught.value)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "gone.stl").write_text(CORNER)
    inspect_mjcf(path)


def cube(path):
    """A cube of side 1 beside the origin, as a Wavefront file."""
    corners = np.array([[(k >> i) & 1 for i in range(3)] for k in range(8)], float)
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    lines = ["v {} {} {}".format(*corner) for corner in corners]
    lines += ["f " + " ".join(str(i + 1) for i in part) for a, b, c, d in faces for part in ((a, b, c), (a, c, d))]
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines) + "\n")


def written_with_meshes(folder):
    """A model with four meshes, one of which is missing, and its MJCF in another folder."""
    cube(folder / "model" / "parts" / "cube.obj")
    shape = """[[bodies.arm.visual]]
mesh = "{}"
position = [0.1, 0.2, 0.3]
rotation = {{ sequence = "xyz", angles = [0.1, 0.2, 0.3] }}
scale = [0.1, 0.2, 0.3]
"""
    shapes = "".join(map(shape.format, ("parts/cube.obj", "package://parts/cube.obj", "gone.stl", "parts/cube.obj")))
    source, target = folder / "model" / "arm.toml", folder / "other" / "arm.xml"
    source.write_text(MODEL.replace("[joints.A]", shapes + "[joints.A]"))
    target.parent.mkdir()
    return source, target, poinsot.write_mjcf(poinsot.load(source), target).notes


@pytest.mark.filterwarnings("ignore::poinsot.errors.MissingMeshWarning")
def test_meshes_are_written_to_mjcf_as_seen_from_the_new_file(tmp_path):
    _, target, notes = written_with_meshes(tmp_path)
    text = target.read_text()
    assert text.count('file="../model/parts/cube.obj"') == 1 and text.count('mesh="mesh1"') == 3
    assert 'scale="0.1 0.2 0.3"' in text and text.count('pos="0.1 0.2 0.3"') == 3
    assert [note for note in notes if "mesh" in note.lower()] == [
        "A mesh that is not found, or that MuJoCo does not read, is left out: gone.stl."
    ]


@pytest.mark.filterwarnings("ignore::poinsot.errors.MissingMeshWarning")
def test_meshes_of_an_mjcf_that_was_written_read_back_in_their_places(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    source, beside, _ = written_with_meshes(tmp_path)
    assert mujoco.MjModel.from_xml_path(str(beside)).ngeom >= 3
    with pytest.raises(PoinsotError, match="outside the folder of the model"):  # files read nothing from there
        poinsot.load(beside)
    poinsot.write_mjcf(poinsot.load(source), target := tmp_path / "arm.xml")
    meshes = [v for v in poinsot.load(target).bodies["arm"].visuals if v.shape == "mesh"]
    given = poinsot.load(source).bodies["arm"].visuals[-1]
    assert len(meshes) == 3
    for mesh in meshes:
        np.testing.assert_allclose(mesh.pose().p, given.pose().p, atol=1e-6)
        np.testing.assert_allclose(mesh.pose().R, given.pose().R, atol=1e-6)
        np.testing.assert_allclose([float(x) for x in mesh.size], [0.1, 0.2, 0.3])


NAMED = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><geometry><sphere radius="1"/></geometry><material name="grey"/></visual>
<visual><geometry><sphere radius="2"/></geometry><material name="blue"><color rgba="0 0 1 1"/></material></visual>
<visual><geometry><sphere radius="3"/></geometry><material name="green"/></visual>
<visual><geometry><sphere radius="4"/></geometry><material name="red"><color rgba="1 0 0 1"/></material></visual>
<visual><geometry><sphere radius="5"/></geometry><material name="unheard of"/></visual></link>
<link name="tip"><visual><geometry><sphere radius="1"/></geometry><material name="blue"/></visual>
<visual><geometry><sphere radius="2"/></geometry><material name="green"><color rgba="0 1 0 1"/></material></visual>
</link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="k" type="fixed"><parent link="arm"/><child link="tip"/></joint>
<material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
<material name="red"><color rgba="0.9 0 0 1"/></material></robot>"""


def test_materials_of_a_urdf_are_found_by_name_wherever_they_are_defined(tmp_path, recwarn):
    (tmp_path / "r.urdf").write_text(NAMED)
    shown = poinsot.read_urdf(tmp_path / "r.urdf").bodies["arm"].visuals
    colours = [None if v.colour is None else [float(x) for x in v.colour] for v in shown]
    grey, blue, green, red = [0.5, 0.5, 0.5, 1], [0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 1]
    assert colours == [grey, blue, green, red, None, blue, green]
    assert not any("material" in str(one.message) for one in recwarn)
