"""MJCF against MuJoCo itself: it sees the same bodies in the same places, closed loops, the same freedom."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from poinsot.errors import ConversionWarning, PoinsotError
from poinsot.model.assembly.assembly import assemble
from poinsot.model.check import check
from poinsot.model.interchange import read_mjcf, write_mjcf
from poinsot.model.load import load
from tests.compared import compared
from tests.model.interchange_cases import CASES, assert_same_mechanism, laden, mobility, pose_of, quietly

pytestmark = pytest.mark.peers
mujoco = pytest.importorskip("mujoco")

HELPED = 1e-8  # inertia that MuJoCo demands where there is none  [kg·m²]


def compiled(case, tmp_path):
    """The written model as MuJoCo has it, in the pose of qpos0."""
    write_mjcf(CASES[case](), tmp_path / "model.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def constraint_rows(model, data):
    """Residuals and Jacobian of the equality constraints."""
    dense = np.zeros((data.nefc, model.nv))
    if mujoco.mj_isSparse(model):
        mujoco.mju_sparse2dense(dense, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        dense = data.efc_J.reshape(data.nefc, model.nv)
    rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY.value
    return data.efc_pos[rows], dense[rows]


@pytest.mark.parametrize("case", CASES)
def test_mujoco_sees_the_same_bodies_in_the_same_places(case, tmp_path):
    model, data = compiled(case, tmp_path)
    for name, body in CASES[case]().bodies.items():
        i = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        X = pose_of(case)[name]
        np.testing.assert_allclose(data.xpos[i], X.p, atol=1e-10)
        np.testing.assert_allclose(data.xmat[i].reshape(3, 3), X.R, atol=1e-10)
        compared("attitudes of bodies of an exported MJCF", "MuJoCo", X.R, data.xmat[i].reshape(3, 3))
        np.testing.assert_allclose(model.body_mass[i], body.mass, rtol=1e-12)
        np.testing.assert_allclose(data.xipos[i], X.point(np.array(body.com)), atol=1e-10)
        R = data.ximat[i].reshape(3, 3)
        J = X.R @ body.inertia_about_centre() @ X.R.T
        np.testing.assert_allclose(R @ np.diag(model.body_inertia[i]) @ R.T, J, atol=1e-10 + 2e-9 * np.max(J))
    total = sum(body.mass for body in CASES[case]().bodies.values())
    assert abs(model.body_mass.sum() - total) < 1e-9 * model.nbody


@pytest.mark.parametrize("case", CASES)
def test_loops_are_closed_and_leave_the_same_freedom(case, tmp_path):
    model, data = compiled(case, tmp_path)
    residual, J = constraint_rows(model, data)
    assert np.max(np.abs(residual), initial=0.0) < 1e-10
    s = np.linalg.svd(J, compute_uv=False) if len(J) else np.zeros(0)
    rank = int(np.sum(s > 1e-8 * s[0])) if len(s) else 0
    assert model.nv - rank == mobility(case)


@pytest.mark.parametrize("case", CASES)
def test_what_mujoco_compiled_reads_back_as_the_same_mechanism(case, tmp_path):
    write_mjcf(CASES[case](), tmp_path / "model.xml")
    found = quietly(load, tmp_path / "model.xml")
    assert_same_mechanism(case, found, HELPED, hinge_zeros=False)


@pytest.mark.parametrize("case", CASES)
def test_bodies_move_alike_with_the_coordinates(case, tmp_path):
    """Every hinge and slide of a tree, moved by hand, moves the bodies as Poinsot's joint does."""
    mechanism = CASES[case]()
    if mechanism.template.closing or case.split("-")[0] in ("library", "closed", "plane"):
        pytest.skip("a tree is needed: one coordinate moves nothing but what it carries")
    model, data = compiled(case, tmp_path)
    for name, joint in mechanism.joints.items():
        if joint.kind in ("spherical", "free", "point-on-line", "fixed"):
            continue
        for index, coordinate in enumerate(joint.coordinates):
            label = f"{name}.{coordinate.name}" if len(joint.coordinates) > 1 or joint.kind == "helical" else name
            where = model.jnt_qposadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, label)]
            if joint.kind == "helical":
                continue
            data.qpos[:] = model.qpos0
            data.qpos[where] += 0.3
            mujoco.mj_kinematics(model, data)
            poses = {"ground": pose_of(case)["ground"]} | {b: _pose(model, data, b) for b in mechanism.bodies}
            moved = joint.measure(joint.relative(poses[joint.a.body], poses[joint.b.body]))
            rest = joint.measure(joint.relative(pose_of(case)[joint.a.body], pose_of(case)[joint.b.body]))
            expected = np.array(rest) + 0.3 * np.eye(len(rest))[index]
            np.testing.assert_allclose(np.exp(1j * np.array(moved)), np.exp(1j * expected), atol=1e-10)
            np.testing.assert_allclose(
                joint.residual(joint.relative(poses[joint.a.body], poses[joint.b.body])), 0, atol=1e-10
            )


def _pose(model, data, name):
    i = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    return type(pose_of("library-pendulum")["ground"])(data.xmat[i].reshape(3, 3).copy(), data.xpos[i].copy())


def test_forces_drives_and_sensors_come_back(tmp_path):
    given = laden()
    write_mjcf(given, tmp_path / "laden.xml")
    found = quietly(read_mjcf, tmp_path / "laden.xml")
    spring = found.forces["hinge.spring"]
    assert (spring.stiffness, spring.rest) == (3.0, 0.2)
    assert found.forces["hinge.damper"].damping == 0.5
    assert found.forces["hinge.friction"].coulomb == 0.2
    assert found.forces["hinge.drive-inertia"].inertia == 0.01
    assert found.forces["pipe.damper.angle"].damping == 0.3
    assert (found.forces["pipe.end-stop.displacement"].lower, found.forces["pipe.end-stop.displacement"].upper) == (
        -0.5,
        0.5,
    )
    assert set(found.actuators) == set(given.actuators)
    assert (found.actuators["cable"].lower, found.actuators["cable"].upper) == (-5, 7)
    assert set(found.sensors) == set(given.sensors) - {"bearing"}
    assert {s.kind for s in found.sensors.values()} == {"encoder", "imu", "gyroscope", "drive-force"}
    coil = next(force for force in found.forces.values() if force.kind == "spring" and force.on.kind == "length")
    poses = assemble(found).require().poses
    expected = given.forces["coil"].on.value(assemble(given).require().poses, given.joints)
    np.testing.assert_allclose(coil.on.value(poses, found.joints), expected, rtol=1e-12)


FOREIGN = """<mujoco model="walker"><compiler angle="degree"/>
  <worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 1"/>
    <body name="torso" pos="0 0 1.2"><freejoint/><geom type="sphere" size="0.1" mass="3"/>
      <body name="thigh 1" pos="0 0 -0.1">
        <joint name="x" axis="1 0 0" ref="20" range="-90 90"/><joint name="y" axis="0 1 0" pos="0 0 0.02"/>
        <joint name="z" axis="0 0 1" pos="0 0.03 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" mass="1"/>
        <body name="shin" pos="0 0 -0.4" euler="0 10 0"><joint name="knee" axis="0 1 0" damping="0.1"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04" mass="0.5"/>
          <site name="foot" pos="0 0 -0.4"/></body>
      </body></body></worldbody>
  <actuator><position name="servo" joint="knee" kp="10"/>
    <motor name="hip" joint="x" gear="5" ctrlrange="-1 1"/></actuator>
  <sensor><touch site="foot"/><framepos objtype="site" objname="foot"/></sensor>
  <keyframe><key qpos="0 0 1 1 0 0 0 0 0 0 0"/></keyframe></mujoco>"""


def test_a_model_of_others_is_read_with_its_losses_said(tmp_path):
    path = tmp_path / "walker.xml"
    path.write_text(FOREIGN)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read_mjcf(path)
    said = [note for w in caught if w.category is ConversionWarning for note in w.message.notes]
    for word in (
        "geoms",
        "lights",
        "keyframes",
        "servo",
        "gain of 5",
        "part1",
        "'thigh 1' is called 'thigh_1'",
        "sensor",
    ):
        assert any(word in note for note in said), word
        assert word in found.description
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    poses = assemble(found).require().poses
    for i, name in enumerate(("torso", "thigh_1", "shin"), 1):
        np.testing.assert_allclose(poses[name].p, data.xpos[i], atol=1e-12)
        np.testing.assert_allclose(poses[name].R, data.xmat[i].reshape(3, 3), atol=1e-12)
        np.testing.assert_allclose(found.bodies[name].mass, model.body_mass[i])
    assert (found.actuators["hip"].lower, found.actuators["hip"].upper) == (-5, 5)
    assert check(found).mobility == model.nv


def test_one_warning_stands_for_all_losses_of_a_kind(tmp_path):
    path = tmp_path / "many.xml"
    bodies = "".join(
        f'<body name="arm {i}"><joint name="hinge {i}"/><geom size="0.1" mass="1"/></body>' for i in range(20)
    )
    drives = "".join(f'<position name="servo{i}" joint="hinge {i}" kp="{i + 1}"/>' for i in range(20))
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody><actuator>{drives}</actuator></mujoco>")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read_mjcf(path)
    said = [note for w in caught if w.category is ConversionWarning for note in w.message.notes]
    assert len(said) == 4  # geoms, drives, names of bodies, names of joints
    assert sum("and likewise 19 more: " in words for words in said) == 3
    assert all(f"The actuator 'servo{i}' is taken as a plain force" in found.description for i in range(20))


SEVERAL = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="a" pos="0 0 1"><joint name="left" axis="0 1 0"/><joint name="lift 2" axis="1 0 0" pos="0.1 0 0"/>
    <geom type="box" size="0.1 0.05 0.04" mass="1"/>
    <body name="b" pos="0 0 0.3"><joint name="one" axis="0 1 0"/><joint name="two" axis="1 0 0"/>
      <geom type="box" size="0.1 0.05 0.04" pos="0.1 0 0" mass="1"/></body></body>
  <body name="c"><joint axis="1 0 0"/><joint axis="0 1 0"/><geom type="sphere" size="0.1" mass="1"/></body>
</worldbody></mujoco>"""


def test_coordinates_of_joints_that_become_one_have_the_names_of_the_file(tmp_path):
    path = tmp_path / "several.xml"
    path.write_text(SEVERAL)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read_mjcf(path)
    notes = [note for w in caught if w.category is ConversionWarning for note in w.message.notes]
    assert [note for note in notes if note.startswith("The joints 'one', 'two' are one, 'one_two'")]
    assert {"left", "lift_2", "one", "two"} <= set(found.coordinates)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    names = {"left": "left", "lift 2": "lift_2", "one": "one", "two": "two"}
    for angle, name in zip((0.3, -0.4, 0.5, 0.2), names):
        data.qpos[model.joint(name).qposadr[0]] = angle
    mujoco.mj_kinematics(model, data)
    pose = dict(zip(names.values(), (0.3, -0.4, 0.5, 0.2)))
    poses = assemble(found, pose).require().poses
    for name in ("a", "b"):
        np.testing.assert_allclose(poses[name].R, data.body(name).xmat.reshape(3, 3), atol=1e-10)
        np.testing.assert_allclose(poses[name].p, data.body(name).xpos, atol=1e-10)


ACTING = """<mujoco><option density="{density}"/><worldbody>
  <body name="a" gravcomp="{weightless}"><joint name="ja"/><geom size="0.1" mass="1"/></body>
  <body name="b"><joint name="jb"/><geom size="0.1" mass="1"/></body></worldbody>
  <equality><joint name="bent" joint1="ja" joint2="jb" polycoef="0 1 {bent} 0 0"/></equality>
  <tendon><fixed name="both"><joint joint="ja" coef="1"/><joint joint="jb" coef="2"/></fixed></tendon>
  <actuator>{drives}</actuator><keyframe><key qpos="0 0"/></keyframe></mujoco>"""
SERVO = '<position name="servo" joint="ja" kp="10"/><motor name="pull" tendon="both"/>'


def test_what_acts_no_longer_is_shown_and_other_notes_are_counted(tmp_path):
    path = tmp_path / "acting.xml"
    path.write_text(ACTING.format(density=1000, weightless=1, bent=0.3, drives=SERVO))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_mjcf(path)
    shown = [str(w.message) for w in caught if w.category is ConversionWarning]
    for word in ("gravity compensation", "'bent'", "'servo' is taken as a plain force", "'pull'", "'both'", "Fluid"):
        assert [text for text in shown if word in text], word
    assert "2 notes on how it was read" in shown[-1]  # contacts, keyframes
    assert len(shown) == 7


def test_notes_on_what_does_not_act_are_counted_only(tmp_path):
    path = tmp_path / "acting.xml"
    path.write_text(ACTING.format(density=0, weightless=0, bent=0, drives=""))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_mjcf(path)
    (shown,) = [str(w.message) for w in caught if w.category is ConversionWarning]
    assert "3 notes on how it was read" in shown  # contacts, keyframes, a tendon that does nothing


CROSS = """<mujoco><worldbody><body name="a" pos="0 0 1" euler="10 20 30">
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <joint name="j.angle1" axis="1 0 0" pos="{0} 0.2 0.3" ref="15"/>
  <joint name="j.angle2" axis="0 1 0" pos="0.1 0 0.3"/>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize("along", [0.0, 0.1, 7.0])
def test_a_cross_is_recognised_where_its_axes_meet_whichever_points_stand_in_the_file(along, tmp_path):
    (tmp_path / "cross.xml").write_text(CROSS.format(along))
    joint = quietly(read_mjcf, tmp_path / "cross.xml").joints["j"]
    assert joint.kind == "universal"
    np.testing.assert_allclose(joint.frame_on_b().p, [0.1, 0.2, 0.3], atol=1e-12)


WRONG = {
    "no mass": ("<body><joint/></body>", "mass and inertia"),
    "an unknown attribute": ('<body mess="1"/>', "mess"),
    "an unknown joint": ('<body><joint type="screw"/></body>', "screw"),
    "a name twice": ('<body name="a"/><body name="a"/>', "repeated name"),
    "a number that is none": ('<body pos="0 0 z"/>', "z"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_mujoco_refuses_is_one_sentence(case, tmp_path):
    (tmp_path / "wrong.xml").write_text(f"<mujoco><worldbody>{WRONG[case][0]}</worldbody></mujoco>")
    with pytest.raises(PoinsotError) as caught:
        read_mjcf(tmp_path / "wrong.xml")
    message = str(caught.value)
    assert "\n" not in message and "wrong.xml: MuJoCo cannot read it: " in message, message
