"""Couplings in other programs' files: joints of a URDF that mimic others, joint equalities of MJCF."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
import pytest

from poinsot.errors import ConversionWarning, PoinsotError
from poinsot.model.assembly.assembly import assemble
from poinsot.model.check import check
from poinsot.model.interchange import read_mjcf, read_urdf, write_mjcf, write_urdf
from poinsot.model.interchange.mjcf.loops import add_loops
from poinsot.model.interchange.mjcf.model import MjcfModel
from poinsot.model.mechanism import build
from poinsot.model.state import State
from poinsot.motion.accelerations import accelerations
from poinsot.motion.inverse_dynamics import inverse_dynamics
from tests.model.interchange_cases import CASES, assert_same_mechanism, quietly

FORMULATIONS = ("joint", "embedded", "euler", "rotation-matrix")
LINK = '<inertial><mass value="{}"/><inertia ixx="0.01" iyy="0.02" izz="0.03"/></inertial>'


def robot(tmp_path, *joints):
    """A URDF of links a, b, c, d, as many as there are joints, each (type, parent, child, axis, mimic)."""
    masses = {"a": 1.0, "b": 0.2, "c": 0.3, "d": 0.4}
    text = '<robot name="hand"><link name="base"/>'
    for name, (kind, parent, child, axis, follows) in zip(("one", "two", "three", "four"), joints):
        text += (
            f'<link name="{child}">{LINK.format(masses[child])}</link>'
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0.1 0.2 0.3"/><axis xyz="{axis}"/>'
            f'<limit lower="-3" upper="3" effort="20" velocity="1"/>{follows}</joint>'
        )
    path = tmp_path / "hand.urdf"
    path.write_text(text + "</robot>")
    return path


def mimic(joint, multiplier=None, offset=None):
    more = {"multiplier": multiplier, "offset": offset}
    return f'<mimic joint="{joint}" ' + " ".join(f'{k}="{v}"' for k, v in more.items() if v is not None) + "/>"


def gripper(tmp_path, ratio=-1.0, offset=0.002):
    left, right = (("prismatic", "base", link, "0 1 0") for link in "ab")
    return quietly(read_urdf, robot(tmp_path, (*left, ""), (*right, mimic("one", ratio, offset))))


def values(mechanism, **pose):
    """Coordinates of joints of one coordinate."""
    poses = assemble(mechanism, pose or None).poses
    return {n: float(mechanism.coordinates[n].value(poses, mechanism.joints)) for n in mechanism.coordinates}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("ratio", [-1.0, 1.0, 2.5])
def test_two_fingers_weigh_as_one_of_the_masses_together(tmp_path, ratio, formulation):
    hand = gripper(tmp_path, ratio)
    assert (check(hand).mobility, list(hand.actuators)) == (1, ["one"])
    found = accelerations(hand, State(forces={"one": 3.0}), formulation=formulation)
    a = 3.0 / (1.0 + ratio**2 * 0.2)
    np.testing.assert_allclose([found["a"][1], found["b"][1]], [a, ratio * a], rtol=1e-11)


def test_a_mimic_has_its_offset_and_no_actuator_in_the_pose_that_is_read(tmp_path):
    hand = gripper(tmp_path, -1.0, 0.002)
    assert values(hand) == pytest.approx({"one": 0.0, "two": 0.002}, abs=1e-14)
    assert values(hand, one=0.03) == pytest.approx({"one": 0.03, "two": -0.028}, abs=1e-14)
    assert "couplings             1" in str(check(hand))


def test_multiplier_and_offset_have_the_defaults_of_urdf(tmp_path):
    path = robot(tmp_path, ("revolute", "base", "a", "0 0 1", ""), ("revolute", "a", "b", "0 0 1", mimic("one")))
    assert values(quietly(read_urdf, path), one=0.7) == pytest.approx({"one": 0.7, "two": 0.7})


def test_a_mimic_of_a_mimic_and_of_a_joint_behind_it(tmp_path):
    path = robot(
        tmp_path,
        ("revolute", "base", "a", "0 0 1", mimic("three", 0.5, 0.1)),
        ("prismatic", "a", "b", "1 0 0", mimic("one", -0.2)),
        ("revolute", "b", "c", "0 1 0", ""),
        ("revolute", "c", "d", "1 0 0", mimic("two", 3)),
    )
    hand = quietly(read_urdf, path)
    assert list(hand.actuators) == ["three"]
    expected = {"three": 0.4, "one": 0.3, "two": -0.06, "four": -0.18}
    assert values(hand, three=0.4) == pytest.approx(expected, abs=1e-12)
    run = inverse_dynamics(hand, {"three": lambda t: 0.2 + t}, [0.0, 0.1])
    np.testing.assert_allclose(run.kinematics.coordinates["one"], [0.2, 0.25], atol=1e-12)


def test_a_mimic_of_a_fixed_joint_is_held(tmp_path):
    path = robot(tmp_path, ("fixed", "base", "a", "0 0 1", ""), ("revolute", "a", "b", "0 0 1", mimic("one", 2, 0.4)))
    hand = quietly(read_urdf, path)
    assert (check(hand).mobility, values(hand)["two"]) == (0, pytest.approx(0.4))


def test_nothing_is_said_of_mimics_that_are_kept_and_others_are_named(tmp_path):
    path = robot(
        tmp_path, ("floating", "base", "a", "0 0 1", ""), ("revolute", "a", "b", "0 0 1", mimic("one", 2, 0.4))
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hand = read_urdf(path)
    (note,) = [n for w in caught if w.category is ConversionWarning for n in w.message.notes if "mimic" in n]
    assert note == "The joint 'two' mimics 'one', which only hinges and slides can: it moves freely."
    assert not hand.couplings and "mimic" not in gripper(tmp_path).description


def test_a_joint_that_mimics_itself_is_refused(tmp_path):
    with pytest.raises(PoinsotError, match=r"joint 'one'.*mimic: it follows itself"):
        read_urdf(robot(tmp_path, ("revolute", "base", "a", "0 0 1", mimic("one"))))


def test_urdf_keeps_couplings_on_the_way_out_and_back(tmp_path):
    given = CASES["coupled"]()
    conversion = write_urdf(given, tmp_path / "model.urdf")
    assert not any("ouplings" in note for note in conversion.notes)
    text = ElementTree.parse(tmp_path / "model.urdf")
    assert len(text.findall(".//mimic")) == len(given.couplings) + 1, "and one of the screw"
    found = quietly(read_urdf, tmp_path / "model.urdf")
    assert_same_mechanism("coupled", found)
    assert len(found.couplings) == len(given.couplings)
    here, there = (accelerations(m) for m in (given, found))
    for name in given.bodies:
        np.testing.assert_allclose(there[name], here[name], rtol=1e-9, atol=1e-9)


def geared(driven, *couplings):
    """Wheels a and b and a rack c on the ground, one of them driven; couplings are weights of their joints."""
    ways = {"a": ("revolute", [0, 0, 1]), "b": ("revolute", [0, 0, 1]), "c": ("prismatic", [1, 0, 0])}
    joints = {
        n: {"type": kind, "between": ["ground", f"{n}_link"], "axis": axis, "actuated": n == driven}
        for n, (kind, axis) in ways.items()
    }
    bodies = {f"{n}_link": {"mass": 1.0 + k, "inertia": [0.1, 0.2, 0.3]} for k, n in enumerate(ways)}
    held = {f"gear{k}": {"on": {"combination": weights}} for k, weights in enumerate(couplings)}
    document = {"format": 1, "bodies": bodies, "joints": joints, "couplings": held}
    return build({**document, "coordinates": {n: {"joint": n} for n in ways}})


RACK = {"c": 1, "b": "-0.05 m/rad"}
TRAIN = {"b": 1, "a": -3}


@pytest.mark.parametrize("driven", "abc")
@pytest.mark.parametrize("couplings", [(RACK, TRAIN), (TRAIN, RACK)])
def test_the_driven_joint_of_a_train_leads_and_the_others_mimic(tmp_path, driven, couplings):
    given = geared(driven, *couplings)
    write_urdf(given, tmp_path / "train.urdf")
    joints = ElementTree.parse(tmp_path / "train.urdf").findall("joint")
    mimics = {j.get("name"): j.find("mimic").get("joint") for j in joints if j.find("mimic") is not None}
    assert mimics == {"a": {"b": "a", "c": "b"}, "b": {"a": "b", "c": "b"}, "c": {"b": "c", "a": "b"}}[driven]
    found = quietly(read_urdf, tmp_path / "train.urdf")
    assert list(found.actuators) == [driven]
    for mechanism in (given, found):
        assert values(mechanism, a=0.2) == pytest.approx({"a": 0.2, "b": 0.6, "c": 0.03}, abs=1e-12)
    here, there = (accelerations(m, State(forces={driven: 2.0})) for m in (given, found))
    for name in given.bodies:
        np.testing.assert_allclose(there[name], here[name], rtol=1e-9, atol=1e-9)


def test_mjcf_writes_couplings_as_joint_equalities(tmp_path):
    write_mjcf(gripper(tmp_path, -2.0), tmp_path / "hand.xml")
    (equality,) = ElementTree.parse(tmp_path / "hand.xml").findall("./equality/joint")
    assert (equality.attrib["joint1"], equality.attrib["joint2"]) == ("two", "one")
    np.testing.assert_allclose([float(x) for x in equality.attrib["polycoef"].split()], [0, -2, 0, 0, 0])


def test_couplings_that_no_other_format_has_are_named(tmp_path):
    document = {**CASES["coupled"]().document}
    three = {"on": {"combination": {"lower": 1, "screw": 1, "wrist": "2 rad/m"}}}
    held = {"on": {"joint": "lower"}, "value": 0.2}
    mechanism = build({**document, "couplings": {"three": three, "held": held}})
    notes = write_urdf(mechanism, tmp_path / "model.urdf").notes
    assert "Couplings other than of two hinges or slides are left out: three." in notes
    assert "The joint 'lower' is held by a coupling, which URDF cannot say." in notes
    write_mjcf(mechanism, tmp_path / "model.xml")
    equalities = ElementTree.parse(tmp_path / "model.xml").findall("./equality/joint")
    assert [e.attrib.get("joint2") for e in equalities if e.attrib["joint1"] == "lower"] == [None]


def compiled(data, ids=(1, 0)):
    """A compiled model, as far as equalities ask, of the slides one and two at 0.1 and 0.2."""
    eq = SimpleNamespace(
        neq=1, eq_type=[2], eq_active0=[1], eq_obj1id=[ids[0]], eq_obj2id=[ids[1]], eq_data=np.array([data]),
        qpos0=np.array([0.1, 0.2]), jnt_qposadr=[0, 1],
    )  # fmt: skip
    names = {"mjEQ_CONNECT": 0, "mjEQ_WELD": 1, "mjEQ_JOINT": 2, "mjEQ_TENDON": 3}
    objects = SimpleNamespace(mjOBJ_EQUALITY=0)
    stub = SimpleNamespace(
        mjtEq=SimpleNamespace(__members__=names), mjtObj=objects, mj_id2name=lambda m, kind, i: "pair"
    )
    model = MjcfModel(eq, mujoco=stub)
    slide = {"type": "prismatic", "between": ["ground", "a"]}
    model.tables["joints"] |= {"one": dict(slide), "two": dict(slide)}
    model.joints |= {0: ("one", "displacement"), 1: ("two", "displacement")}
    return model


def test_joint_equalities_are_about_the_pose_of_qpos0():
    model = compiled([0.05, -2.0, 0, 0, 0])
    add_loops(model)
    spec = model.tables["couplings"]["pair"]
    assert spec["on"] == {"combination": {"two": 1.0, "one": 2.0}}
    assert spec["value"] == pytest.approx(0.05 + 0.2 + 2.0 * 0.1)  # two − 0.2 = 0.05 − 2 (one − 0.1)


def test_joint_equalities_of_one_joint_hold_it_and_curved_ones_are_named():
    model = compiled([0.05, 1.0, 0, 0, 0], ids=(1, -1))
    add_loops(model)
    assert model.tables["couplings"]["pair"] == {"on": {"combination": {"two": 1.0}}, "value": pytest.approx(0.25)}
    model = compiled([0.0, 1.0, 0.3, 0, 0])
    add_loops(model)
    assert model.notes == ["The equality 'pair' of two joints is not linear and is left out."]


@pytest.mark.peers
def test_mujoco_reads_back_what_was_written(tmp_path):
    pytest.importorskip("mujoco")
    write_mjcf(CASES["coupled"](), tmp_path / "model.xml")
    found = quietly(read_mjcf, tmp_path / "model.xml")
    assert len(found.couplings) == len(CASES["coupled"]().couplings)
    assert check(found).mobility == check(CASES["coupled"]()).mobility
