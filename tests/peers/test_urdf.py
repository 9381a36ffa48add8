"""URDF against Pinocchio: the same masses, and the same places of all bodies for the same coordinates."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from poinsot.model.assembly.assembly import assemble
from poinsot.model.interchange import read_urdf, write_urdf
from poinsot.spatial.pose import Pose
from tests.compared import compared
from tests.model.interchange_cases import CASES, ROBOTS, pose_of, quietly, robot_file

pytestmark = pytest.mark.peers
pin = pytest.importorskip("pinocchio")


def placed(path, q_by_joint):
    """Pinocchio's model of a URDF, posed."""
    model = pin.buildModelFromUrdf(str(path))
    data, q = model.createData(), pin.neutral(model)
    for name, value in q_by_joint.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
    pin.framesForwardKinematics(model, data, q)
    return model, data


@pytest.mark.parametrize("case", CASES)
def test_pinocchio_places_the_bodies_alike(case, tmp_path):
    mechanism = CASES[case]()
    write_urdf(mechanism, tmp_path / "model.urdf")
    sidecar = yaml.safe_load((tmp_path / "model.yaml").read_text())
    model, data = placed(tmp_path / "model.urdf", sidecar["pose"])
    for name, X in pose_of(case).items():
        frame = data.oMf[model.getFrameId(name)]
        np.testing.assert_allclose(frame.translation, X.p, atol=1e-10, err_msg=name)
        np.testing.assert_allclose(frame.rotation, X.R, atol=1e-10, err_msg=name)
        compared("attitudes of bodies of an exported URDF", "Pinocchio", X.R, frame.rotation)
    ends = {"3d": slice(0, 0), "6d": slice(None)}
    for (a, b), kind in zip(sidecar["closed_loop"], sidecar["type"]):
        A, B = (data.oMf[model.getFrameId(name)] for name in (a, b))
        np.testing.assert_allclose(A.translation, B.translation, atol=1e-10)
        np.testing.assert_allclose(A.rotation[ends[kind]], B.rotation[ends[kind]], atol=1e-10)


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("single")])
def test_bodies_move_alike_with_the_coordinates(case, tmp_path):
    """Each coordinate of a joint, moved on in Pinocchio, is read as moved on by Poinsot's joint."""
    mechanism = CASES[case]()
    joint = mechanism.joints["j"]
    if joint.kind in ("spherical", "free", "point-on-line", "fixed", "helical"):
        pytest.skip("attitudes have no common coordinates, and Pinocchio does not couple a screw")
    write_urdf(mechanism, tmp_path / "model.urdf")
    pose = yaml.safe_load((tmp_path / "model.yaml").read_text())["pose"]
    for index, coordinate in enumerate(joint.coordinates):
        name = f"j.{coordinate.name}" if len(joint.coordinates) > 1 else "j"
        model, data = placed(tmp_path / "model.urdf", pose | {name: pose[name] + 0.3})
        frame = data.oMf[model.getFrameId("link")]
        poses = {"ground": Pose.identity(), "link": Pose(frame.rotation, frame.translation)}
        X_FM = joint.relative(poses[joint.a.body], poses[joint.b.body])
        rest = joint.measure(joint.relative(pose_of(case)[joint.a.body], pose_of(case)[joint.b.body]))
        moved = np.array(joint.measure(X_FM)) - np.array(rest) - 0.3 * np.eye(len(rest))[index]
        np.testing.assert_allclose(np.exp(1j * moved), 1.0, atol=1e-10)
        np.testing.assert_allclose(joint.residual(X_FM), 0, atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_pinocchio_has_the_same_masses_and_inertias(case, tmp_path):
    mechanism = CASES[case]()
    write_urdf(mechanism, tmp_path / "model.urdf")
    sidecar = yaml.safe_load((tmp_path / "model.yaml").read_text())
    model, _ = placed(tmp_path / "model.urdf", sidecar["pose"])
    moving = {name for name, body in mechanism.bodies.items() if body.mass}
    welded = {n for n in moving if model.frames[model.getFrameId(n)].parentJoint == 0}
    total = sum(mechanism.bodies[name].mass for name in moving - welded)
    assert pin.computeTotalMass(model) == pytest.approx(total, rel=1e-12)
    for name in moving - welded:
        frame, body = model.frames[model.getFrameId(name)], mechanism.bodies[name]
        own = pin.Inertia(float(body.mass), np.array(body.com, float), body.inertia_about_centre())
        expected, found = frame.placement.act(own), model.inertias[frame.parentJoint]
        np.testing.assert_allclose(found.mass, expected.mass)
        np.testing.assert_allclose(found.lever, expected.lever, atol=1e-12)
        np.testing.assert_allclose(found.inertia, expected.inertia, atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_of_others_are_read_as_pinocchio_reads_them(name):
    path = robot_file(name)
    found = quietly(read_urdf, path)
    model = pin.buildModelFromUrdf(str(path))
    base = sum(frame.inertia.mass for frame in model.frames if frame.parentJoint == 0)
    total = pin.computeTotalMass(model) + base - next(f.inertia.mass for f in model.frames if f.name == _root(model))
    assert sum(body.mass for body in found.bodies.values()) == pytest.approx(total, abs=1e-8)
    poses, joints = assemble(found).require().poses, found.joints
    q = {
        n: float(j.measure(j.relative(poses[j.a.body], poses[j.b.body]))[0])
        for n, j in joints.items()
        if j.kind == "revolute"
    }
    posed, data = placed(path, q)
    for body in found.bodies:
        frame = data.oMf[posed.getFrameId(body)]
        np.testing.assert_allclose(frame.translation, poses[body].p, atol=1e-9)
        np.testing.assert_allclose(frame.rotation, poses[body].R, atol=1e-9)


def _root(model):
    return next(f.name for f in model.frames if f.parentJoint == 0 and f.type == pin.FrameType.BODY)
