"""At zero coordinates the user's two frames coincide: every joint, whatever its axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.elements.joints import JOINTS, AxisJoint, Universal
from poinsot.model.assembly.assembly import assemble
from poinsot.model.check import Level, check
from poinsot.model.mechanism import Mechanism, build
from poinsot.spatial.pose import Pose

OBLIQUE = Rotation.from_euler("ZXZ", [0.4, 1.1, -2.0]).as_matrix()
ARMS = [(i, j) for i in range(3) for j in range(3) if i != j]
NEEDED = {"helical": {"lead": "5 mm/rev"}}
BODY = {"mass": 1.0, "com": [0.1, 0.2, -0.3], "inertia": [0.1, 0.1, 0.1]}
TURNED = {"sequence": "ZXZ", "angles": [0.3, -1.2, 0.7]}
PLACES = [
    ["ground", "load"],
    [
        {"body": "ground", "position": [0.1, 0.2, 0.3], "rotation": TURNED},
        {"body": "load", "position": [0.3, 0, -0.1], "rotation": {"z": [0.2, 0.5, 0.1]}},
    ],
]


def options() -> list[tuple[str, dict[str, Any]]]:
    """Every joint that can be at zero, with all choices of axes."""
    found: list[tuple[str, dict[str, Any]]] = []
    directions = [*np.eye(3), *-np.eye(3), *(3 * OBLIQUE.T)]
    for kind, law in JOINTS.items():
        more = NEEDED.get(kind, {})
        if law is Universal:
            for x, y in [
                (axes[i], sign * axes[j]) for axes in (np.eye(3), OBLIQUE) for i, j in ARMS for sign in (1, -1)
            ]:
                found.append((kind, {"axis": x.tolist(), "axis2": (2 * y).tolist()}))
            found += [(kind, {option: d.tolist()}) for d in directions for option in ("axis", "axis2")]
        elif issubclass(law, AxisJoint):
            found += [(kind, {**more, "axis": d.tolist()}) for d in directions]
        if law.carries:
            found.append((kind, dict(more)))
    return found


def hanging(kind: str, given: dict[str, Any], between: list, coordinates: bool = False) -> Mechanism:
    """A load on one joint; its coordinates named, and zero in the given pose, where asked."""
    document: dict[str, Any] = {"format": 1, "bodies": {"load": BODY}}
    document["joints"] = {"hook": {"type": kind, "between": between, **given}}
    if coordinates:
        named = [c.name for c in JOINTS[kind].coordinates]
        document["coordinates"] = {name: {"joint": "hook", "coordinate": name} for name in named}
        document["pose"] = dict.fromkeys(named, 0.0)
    return build(document)


def across(mechanism: Mechanism, X_AB: Pose) -> Pose:
    """Pose of the user's frame on B in the user's frame on A."""
    joint = mechanism.joints["hook"]
    return joint.a.pose().inverse() @ X_AB @ joint.b.pose()


def assert_identity(X: Pose, atol: float = 1e-14) -> None:
    assert_allclose(X.R, np.eye(3), atol=atol)
    assert_allclose(X.p, np.zeros(3), atol=atol)


@pytest.mark.parametrize("between", PLACES, ids=["plain", "turned"])
@pytest.mark.parametrize(("kind", "given"), options(), ids=lambda v: v if isinstance(v, str) else "")
def test_the_users_frames_coincide_at_zero(kind, given, between):
    mechanism = hanging(kind, given, between)
    joint = mechanism.joints["hook"]
    zero = np.array([1.0 if c.name in ("w", "qw") else 0.0 for c in joint.coordinates])
    X_FM = joint.motion(zero)
    assert_identity(X_FM)
    assert_identity(across(mechanism, joint.frame_on_a() @ X_FM @ joint.frame_on_b().inverse()))


@pytest.mark.parametrize(
    ("kind", "given"), [o for o in options() if all(c.unit != "-" for c in JOINTS[o[0]].coordinates)]
)
def test_a_pose_of_zeros_assembles_with_the_frames_together(kind, given):
    mechanism = hanging(kind, given, PLACES[1], coordinates=True)
    assert_identity(across(mechanism, assemble(mechanism).require().poses["load"]), 1e-12)


@pytest.mark.parametrize(("i", "j"), ARMS)
def test_a_universal_joint_turns_about_its_arms_as_they_stand_in_the_users_frames(i, j):
    for axes in (np.eye(3), OBLIQUE):
        given = {"axis": axes[i].tolist(), "axis2": axes[j].tolist()}
        joint = hanging("universal", given, PLACES[0]).joints["hook"]
        X = joint.frame_on_a() @ joint.motion(np.array([0.7, -1.9])) @ joint.frame_on_b().inverse()
        turns = Rotation.from_rotvec(0.7 * axes[i]) * Rotation.from_rotvec(-1.9 * axes[j])
        assert_allclose(X.R, turns.as_matrix(), atol=1e-14)


def test_arms_that_are_changed_together_keep_the_zero():
    mechanism = hanging("universal", {"axis": [0, 1, 0], "axis2": [1, 0, 0]}, PLACES[0])
    changes = {f"hook.{option}.{c}": v for option, row in zip(("axis", "axis2"), OBLIQUE) for c, v in zip("xyz", row)}
    joint = mechanism.with_parameters(changes).joints["hook"]
    assert_allclose(joint.frame_on_a().R, joint.frame_on_b().R, atol=1e-14)


@pytest.mark.parametrize(("second", "angle", "apart"), [([1, 0, 0], "0", "90"), ([1, 1, 0], "45", "45")])
def test_arms_whose_numbers_are_not_perpendicular_are_said_and_turned_the_shortest_way(second, angle, apart):
    mechanism = hanging("universal", {"axis": [1, 0, 0], "axis2": second}, PLACES[0])
    joint = mechanism.joints["hook"]
    R = joint.frame_on_a().R @ joint.frame_on_b().R.T
    assert_allclose(np.degrees(np.linalg.norm(Rotation.from_matrix(R).as_rotvec())), float(apart))
    assert abs((R @ np.array(second, float))[0]) < 1e-15  # the second arm is perpendicular to the first, x
    said = [f.text for f in check(mechanism).findings if f.severity == Level.NOTE]
    assert any(f"enclose {angle}°" in text and f"{apart}° apart at zero" in text for text in said)
    assert not any("apart" in f.text for f in check(hanging("universal", {}, PLACES[0])).findings)


def test_arms_that_are_left_out_are_x_and_y_or_the_next_axis():
    for given, arms in (
        ({}, "xy"),
        ({"axis": [0, 1, 0]}, "yz"),
        ({"axis": [0, 0, 1]}, "zy"),
        ({"axis2": [1, 0, 0]}, "yx"),
    ):
        joint = hanging("universal", given, PLACES[0]).joints["hook"]
        first, second = (np.eye(3)["xyz".index(letter)] for letter in arms)
        assert_allclose(joint.frame_on_a().R[:, 0], first, atol=0)
        assert_allclose(joint.frame_on_b().R[:, 1], second, atol=0)


def test_arms_that_were_parallel_may_be_changed_a_little():
    mechanism = hanging("universal", {"axis": [1, 0, 0], "axis2": [1, 0, 0]}, PLACES[0])
    joint = mechanism.with_parameters({"hook.axis.z": 0.2, "hook.axis2.z": -0.3}).joints["hook"]
    for R, column, arm in ((joint.frame_on_a().R, 0, [1, 0, 0.2]), (joint.frame_on_b().R, 1, [1, 0, -0.3])):
        assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
        assert_allclose(R[:, column], np.array(arm) / np.linalg.norm(arm), atol=1e-15)


def test_arms_that_are_half_a_degree_off_are_said():
    off = np.radians(0.5)
    mechanism = hanging("universal", {"axis": [1, 0, 0], "axis2": [np.sin(off), np.cos(off), 0]}, PLACES[0])
    assert any("0.5° apart at zero" in finding.text for finding in check(mechanism).findings)
