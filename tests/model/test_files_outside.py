"""What a file may name and how large it may become: nothing outside its folder, no pipes, no millions of copies."""

from __future__ import annotations

import os

import pytest

from poinsot import PoinsotError, load, read_urdf
from poinsot.app.tables import read_motion
from poinsot.model.build.scope import MAX_BODIES
from poinsot.model.interchange.mjcf import files as mjcf_files
from poinsot.model.interchange.mjcf.files import inspect_mjcf
from poinsot.model.mechanism import build

BODY = '<body><joint/><geom size=".1" mass="1"/></body>'
INCLUDE = "<mujocoinclude>{}</mujocoinclude>"


def message_of(read, *given) -> str:
    with pytest.raises(PoinsotError) as caught:
        read(*given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path):
    """A model's folder, with a secret beside it."""
    (tmp_path / "secret.stl").write_text("solid secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "inner.xml").write_text(INCLUDE.format(BODY))
    inside = tmp_path / "model"
    (inside / "sub").mkdir(parents=True)
    return inside


def mjcf(folder, text: str):
    path = folder / "model.xml"
    path.write_text(f"<mujoco>{text}</mujoco>")
    return path


SIDES = ["file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    "named", ["/etc/hostname", "../secret.png", "C:\\secret.png", "C:secret.png", "a\\..\\..\\b.png"]
)
def test_every_attribute_that_names_a_file_stays_inside(folder, side, named):
    path = mjcf(folder, f'<asset><texture type="skybox" {side}="{named}"/></asset>')
    assert "outside the folder of the model" in message_of(inspect_mjcf, path)


def test_a_nested_include_is_looked_at_where_mujoco_looks_for_it(folder):
    """In the folder of the model first, then in that of the file that includes it."""
    path = mjcf(folder, '<worldbody><include file="sub/a.xml"/></worldbody>')
    (folder / "sub" / "a.xml").write_text(INCLUDE.format('<include file="b.xml"/>'))
    (folder / "sub" / "b.xml").write_text(INCLUDE.format(BODY))
    inspect_mjcf(path)
    (folder / "b.xml").write_text(INCLUDE.format('<body><geom type="mesh"/></body><x file="/etc/hostname"/>'))
    assert "b.xml: <x> names '/etc/hostname', outside" in message_of(inspect_mjcf, path)
    (folder / "b.xml").unlink()
    (folder / "sub" / "b.xml").write_text(INCLUDE.format('<x file="../../secret.stl"/>'))
    assert "outside" in message_of(inspect_mjcf, path)


LINKS = {
    "an include": ("inner.xml", "elsewhere/inner.xml", '<worldbody><include file="inner.xml"/></worldbody>'),
    "a mesh": ("mesh.stl", "secret.stl", '<asset><mesh file="mesh.stl"/></asset>'),
    "a folder of meshes": ("m", "elsewhere", '<compiler meshdir="m"/><asset><mesh file="inner.xml"/></asset>'),
    "a mesh without its path": (
        "inner.xml",
        "elsewhere/inner.xml",
        '<compiler strippath="true"/><asset><mesh file="x/inner.xml"/></asset>',
    ),
    "a sky": ("sky.png", "secret.stl", '<asset><texture type="skybox" fileback="sky.png"/></asset>'),
    "a chain of links": ("one.stl", "model/two.stl", '<asset><mesh file="one.stl"/></asset>'),
}


@pytest.mark.parametrize("case", LINKS)
def test_symbolic_links_do_not_lead_outside(folder, case):
    name, target, text = LINKS[case]
    (folder / "two.stl").symlink_to(folder.parent / "secret.stl")
    (folder / name).symlink_to(folder.parent / target)
    assert "outside the folder of the model" in message_of(inspect_mjcf, mjcf(folder, text))


def test_symbolic_links_inside_the_folder_are_followed(folder):
    (folder / "sub" / "b.xml").write_text(INCLUDE.format(BODY))
    (folder / "b.xml").symlink_to(folder / "sub" / "b.xml")
    inspect_mjcf(mjcf(folder, '<worldbody><include file="b.xml"/></worldbody>'))


def test_pipes_and_devices_are_not_waited_for(folder):
    for name in ("pipe.toml", "pipe.xml", "pipe.urdf", "pipe.csv", "pipe.stl", "arm.yaml"):
        os.mkfifo(folder / name)
    for name in ("pipe.toml", "pipe.xml", "pipe.urdf"):
        assert "this is a pipe, not a model file" in message_of(load, folder / name)
    assert "a pipe" in message_of(read_motion, folder / "pipe.csv")
    (folder / "arm.urdf").write_text('<robot name="arm"><link name="a"/></robot>')
    assert "this is a pipe, not a sidecar" in message_of(read_urdf, folder / "arm.urdf")
    assert "this is a pipe" in message_of(read_urdf, folder / "arm.urdf", folder / "pipe.csv")
    for text in ('<asset><mesh file="pipe.stl"/></asset>', '<asset><hfield file="pipe.stl"/></asset>'):
        assert "'pipe.stl': this is a pipe" in message_of(inspect_mjcf, mjcf(folder, text))
    (folder / "device.toml").symlink_to("/dev/zero")
    assert "this is a device, not a model file" in message_of(load, folder / "device.toml")
    (folder / "folder.toml").mkdir()
    assert "this is a folder, not a model file" in message_of(load, folder / "folder.toml")


COPIES = {
    "many": f'<worldbody><replicate count="1000000">{BODY}</replicate></worldbody>',
    "more than a number": f'<worldbody><replicate count="1e300">{BODY}</replicate></worldbody>',
    "nested": '<worldbody><replicate count="100"><frame><body><replicate count="100">'
    f"{BODY}</replicate></body></frame></replicate></worldbody>",
    "in an include": '<worldbody><replicate count="3000"><include file="sub/two.xml"/></replicate></worldbody>',
    "a cloth": '<worldbody><flexcomp name="f" type="grid" count="300 300 1" dim="2"/></worldbody>',
    "a rope": '<worldbody><composite type="cable" count="90000 1 1"/></worldbody>',
    "models of models": '<asset><model name="m" file="sub/m.xml"/></asset>'
    '<worldbody><replicate count="3000"><attach model="m" body="b" prefix="p"/></replicate></worldbody>',
    "sites": '<worldbody><replicate count="100000"><site/></replicate></worldbody>',
    "a texture": '<asset><texture builtin="flat" width="100000" height="100000" type="2d"/></asset>',
    "a height field": '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>',
    "values of the user": '<size nuser_body="100000000"/>',
}


@pytest.mark.parametrize("case", COPIES)
def test_copies_are_counted_before_they_are_made(folder, case):
    (folder / "sub" / "two.xml").write_text(INCLUDE.format(BODY * 2))
    (folder / "sub" / "m.xml").write_text(f"<mujoco><worldbody>{BODY * 2}</worldbody></mujoco>")
    assert "at most" in (said := message_of(inspect_mjcf, mjcf(folder, COPIES[case]))) or "too many" in said


def test_files_that_include_many_others_many_times_are_read_once(folder, monkeypatch):
    for k in range(7):
        inner = f'<include file="l{k + 1}.xml"/>' * 12 if k < 6 else BODY
        (folder / f"l{k}.xml").write_text(INCLUDE.format(inner))
    path = mjcf(folder, '<worldbody><include file="l0.xml"/></worldbody>')
    read, parse = [], mjcf_files.parse_xml
    monkeypatch.setattr(mjcf_files, "parse_xml", lambda path, *roots: (read.append(path), parse(path, *roots))[1])
    assert "with all copies" in message_of(inspect_mjcf, path)
    assert len(read) == 8


def component(bodies: int, **instances) -> dict:
    table = {f"b{k}": {"mass": 1.0} for k in range(bodies)}
    joints = {f"j{k}": {"type": "revolute", "between": ["ground", f"b{k}"]} for k in range(bodies)}
    return {"bodies": table, "joints": joints, "instances": instances}


def test_instances_are_counted_before_anything_is_built():
    twice = {name: {"component": "leg", "number": 1000} for name in ("left", "right")}
    document = {"format": 1, "components": {"leg": component(1)}, "instances": twice}
    assert f"more than {MAX_BODIES} bodies" in message_of(build, document)
    inner = {"component": "leg", "number": 100}
    nested = {"leg": component(1), "hundred": component(0, legs=inner)}
    document = {"format": 1, "components": nested, "instances": {"all": {"component": "hundred", "number": 100}}}
    assert f"more than {MAX_BODIES} bodies" in message_of(build, document)
    plain = {"format": 1, **component(MAX_BODIES + 2)}
    assert f"more than {MAX_BODIES} bodies" in message_of(build, plain)
    frames = {"frames": {f"f{k}": [0, 0, 0] for k in range(100)}}
    document = {"format": 1, "components": {"leg": {"bodies": {"b": frames}}}, "instances": twice}
    document["instances"] = {"many": {"component": "leg", "number": 900}}
    assert "elements, copies of components included" in message_of(build, document)


def test_a_few_hundred_bodies_are_no_trouble():
    instances = {"leg": {"component": "leg", "number": 100}}
    mechanism = build({"format": 1, "components": {"leg": component(3)}, "instances": instances})
    assert len(mechanism.bodies) == 300
