"""Model files written and read again: nothing is lost, comments stay, a changed value stands in its place."""

import os
import tomllib

import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.model.load import library_names, load
from poinsot.model.mechanism import build
from poinsot.model.toml import dumps, read_toml, save

TEXT = """\
# A little arm.
format = 1
name = "arm"   # its name

[bodies.arm]
mass = "1500 g"   # weighed
inertia = [1, 1, 1]
frames.tip = [0, 0, 1] # the end
[bodies.arm.frames.side]
rotation = { sequence = "ZXZ", angles = [0, "30 deg", 0] }

[joints.hinge]
type = "revolute"
between = ["ground", "arm"]
stiffness = "3 N·m/rad"
"""


def written(tmp_path, mechanism):
    return read_toml(save(mechanism, tmp_path / "out.toml", overwrite=True))


def from_text(tmp_path, text: str):
    path = tmp_path / "in.toml"
    path.write_text(text, encoding="utf-8")
    return read_toml(path)


@pytest.mark.parametrize("name", library_names())
def test_a_library_mechanism_is_written_and_read_without_loss(tmp_path, name):
    mechanism = load(name)
    assert dumps(mechanism) == mechanism.text
    again = written(tmp_path, mechanism)
    assert again == mechanism and again.document == mechanism.document


@pytest.mark.parametrize("name", library_names())
def test_every_parameter_of_the_library_comes_back_changed(tmp_path, name):
    mechanism = load(name)
    changes = {n: p.value * 1.0625 + 0.03125 for n, p in mechanism.parameters.items()}
    changes = {n: v for n, v in changes.items() if mechanism.parameters[n].upper >= v}
    changed = mechanism.with_parameters(changes)
    again = written(tmp_path, changed)
    assert again.parameters.values_by_name == changed.parameters.values_by_name
    assert again.parameters == changed.parameters
    assert build(changed.document, changed.name).parameters == changed.parameters


@pytest.mark.parametrize("name", ["ex800", "four_bar", "delta"])
def test_one_changed_parameter_changes_nothing_else(tmp_path, name):
    mechanism = load(name)
    before = mechanism.parameters.values_by_name
    for parameter in list(mechanism.parameters)[::5]:
        changed = mechanism.with_parameters({parameter: mechanism.parameters[parameter].value + 0.03125})
        after = written(tmp_path, changed).parameters.values_by_name
        assert after == changed.parameters.values_by_name, parameter
        assert after[parameter] != before[parameter]


def test_comments_stay_and_a_changed_value_stands_in_its_place(tmp_path):
    text = dumps(from_text(tmp_path, TEXT).with_parameters({"arm.mass": 2.5, "arm.tip.y": 0.75}))
    assert text.replace("2.5", '"1500 g"').replace("[0, 0.75, 1]", "[0, 0, 1]") == TEXT


DEFAULTS = ["gravity.x", "gravity.z", "arm.com.y", "arm.inertia.xy", "arm.inertia.yz", "arm.side.x", "arm.side.z"]


@pytest.mark.parametrize("name", [*DEFAULTS, "arm.side.angle2", "arm.inertia.zz", "hinge.rest", "hinge.stiffness"])
def test_a_value_that_the_file_left_out_is_added_without_changing_others(tmp_path, name):
    mechanism = from_text(tmp_path, TEXT)
    changed = mechanism.with_parameters({name: 2.0})
    again = written(tmp_path, changed)
    assert again.parameters.values_by_name == changed.parameters.values_by_name
    assert again.elements == changed.elements
    assert "# weighed" in dumps(changed)


def test_planar_defaults_are_added_with_two_numbers(tmp_path):
    text = (
        'format = 1\nplanar = true\n[bodies.a]\nmass = 1\n[joints.j]\ntype = "revolute"\nbetween = ["ground", "a"]\n'
    )
    for name in ("gravity.x", "gravity.y", "a.com.x", "a.inertia"):
        changed = from_text(tmp_path, text).with_parameters({name: 2.0})
        assert written(tmp_path, changed).parameters == changed.parameters


def test_shared_separate_and_single_copies_are_written(tmp_path):
    component = """
format = 1
[components.leg.bodies.rod]
mass = 1
inertia = [1, 1, 1]
SHARED
[components.leg.joints.ball]
type = "spherical"
between = ["ground", "rod"]
[instances.leg]
component = "leg"
NUMBER
"""
    for shared in ("", 'shared_as = "rods"'):
        for number in ("", "number = 2", "number = 2\nseparate = true", 'number = 2\nseparate = ["rod.mass"]'):
            mechanism = from_text(tmp_path, component.replace("SHARED", shared).replace("NUMBER", number))
            for name in (n for n in mechanism.parameters if n.endswith((".mass", ".com.x", ".inertia.xy"))):
                changed = mechanism.with_parameters({name: 3.5})
                again = written(tmp_path, changed)
                assert again.parameters == changed.parameters, (shared, number, name)
                assert build(changed.document).parameters == changed.parameters, (shared, number, name)
                twice = again.with_parameters({name: 4.5})
                assert written(tmp_path, twice).parameters == twice.parameters, (shared, number, name)


def test_a_mechanism_made_separate_or_shared_is_written(tmp_path):
    apart = load("ex800").with_separate("rods.*").with_parameters({"leg4.rod.mass": 0.2})
    assert written(tmp_path, apart).parameters == apart.parameters == build(apart.document).parameters
    one = load("three_link").with_parameters({"link1.mass": 0.5, "link2.mass": 0.5}).with_shared("m", "link[12].mass")
    assert written(tmp_path, one).parameters == one.parameters == build(one.document).parameters


def test_the_document_is_that_of_the_values_and_the_file_keeps_its_own():
    text = TEXT.replace('"1500 g"', '"2 * rho"') + '[parameters]\nrho = "750 g"\nhalf = "rho / 2"\n'
    mechanism = build(tomllib.loads(text), "arm")
    heavier = mechanism.with_parameters({"rho": "1 kg", "hinge.stiffness": 4})
    assert mechanism.document["parameters"]["rho"] == "750 g"
    assert heavier.document["parameters"] == {"rho": "1.0 kg", "half": "rho / 2"}
    assert heavier.document["bodies"] == mechanism.document["bodies"]
    assert build(heavier.document, "arm").elements == heavier.elements
    assert heavier.physics == mechanism.physics  # functions that are compiled serve for all values


def test_a_mechanism_built_from_a_table_is_written(tmp_path):
    mechanism = build(tomllib.loads(TEXT), "arm").with_parameters({"arm.mass": 2.0})
    assert written(tmp_path, mechanism).elements == mechanism.elements


def test_a_spring_with_one_rest_for_several_coordinates_is_written(tmp_path):
    spring = 'type = "cylindrical"\nrest = "pose"\nstiffness = { angle = 1, displacement = 2 }'
    text = TEXT.replace('type = "revolute"', spring).replace('stiffness = "3 N·m/rad"\n', "")
    changed = from_text(tmp_path, text).with_parameters({"hinge.stiffness.angle": 4.0})
    assert written(tmp_path, changed).parameters == changed.parameters


def test_an_existing_file_is_kept(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("precious")
    with pytest.raises(PoinsotError, match=r"mine\.toml: exists already"):
        save(load("pendulum"), path)
    assert path.read_text() == "precious"
    save(load("pendulum"), path, overwrite=True)
    assert load(path).name == "pendulum"


def test_writing_leaves_no_other_file_behind(tmp_path, monkeypatch):
    save(load("pendulum"), tmp_path / "a.toml")
    assert os.listdir(tmp_path) == ["a.toml"]

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(PoinsotError, match=r"b\.toml: cannot be written: no space left"):
        save(load("pendulum"), tmp_path / "b.toml")
    assert os.listdir(tmp_path) == ["a.toml"]


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(PoinsotError, match=r"cannot be written: there is no folder '.*nowhere'"):
        save(load("pendulum"), tmp_path / "nowhere" / "a.toml")


def test_a_byte_order_mark_and_windows_lines_are_read(tmp_path):
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert poinsot.load(path).bodies["arm"].mass == 1.5
    assert "2.5   # weighed\r\n" in dumps(poinsot.load(path).with_parameters({"arm.mass": 2.5}))
