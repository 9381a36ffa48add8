"""Chains mended: helper links that this library wrote into a URDF go, and their joint comes back whole.

A joint of several coordinates is written as hinges and slides "foot.angle1", "foot.angle2" with helper links
"foot.angle1.link" between them. Only links of such names and without mass are taken out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from poinsot.model.interchange.cut_bodies import bodies_of, pose_of
from poinsot.model.interchange.recognise import BALL, HINGE, SLIDE, MjJoint, laws_into, recognise, stem
from poinsot.spatial.algebra import unit
from poinsot.spatial.pose import Pose

TURNS = ("turn_x", "turn_y", "turn_z")


def mend_chains(tables: dict[str, Any], screws: dict[str, tuple[float, float]]) -> list[str]:
    """Join chains of single motions to the joints that they were; changes the tables, returns notes.

    `screws` are slides that follow the turn beside them: offset [m] and advance per radian.
    """
    mended = []
    for first in list(tables["joints"]):
        names = _chain(tables, first)
        name = stem(names)
        if len(names) < 2 or not name or (name in tables["joints"]):
            continue
        parent, child, X0, row = _row(tables, names)
        row = [replace(joint, screw=screws.get(joint.name)) for joint in row]
        found = recognise(X0, _with_ball(row))
        if found is None:
            continue
        spec = found.spec(parent, child)
        _carry_over(tables, names, name, spec)
        tables["joints"] = {
            (name if key == first else key): (spec if key == first else joint)
            for key, joint in tables["joints"].items()
            if key == first or key not in names
        }
        for key in names[:-1]:
            del tables["bodies"][f"{key}.link"]
        mended.append(name)
    return [f"Helper links are taken out and their joints are whole again: {', '.join(mended)}."] if mended else []


def _chain(tables: dict[str, Any], first: str) -> list[str]:
    """Joints from one that carries a helper link to the one behind the last helper link."""
    joints, names = tables["joints"], [first]
    if first not in joints or _helper(tables, pose_of(tables, joints[first]["between"][0])[0]):
        return []
    while _helper(tables, body := pose_of(tables, joints[names[-1]]["between"][1])[0]) == names[-1]:
        following = [n for n, j in joints.items() if n != names[-1] and body in bodies_of(tables, j)]
        if len(following) != 1 or bodies_of(tables, joints[following[0]])[0] != body:
            return []
        names.append(following[0])
    single = all(joints[name]["type"] in ("revolute", "prismatic") for name in names)
    return names if single else []


def _helper(tables: dict[str, Any], body: str) -> str:
    """Name of the joint that a helper link was written for, or ""."""
    spec = tables["bodies"].get(body, {"mass": 1.0})
    free = spec.get("mass", 0.0) == 0.0 and not np.any(spec.get("inertia", 0.0)) and not spec.get("frames")
    return body.removesuffix(".link") if free and body.endswith(".link") else ""


def _row(tables: dict[str, Any], names: list[str]) -> tuple[str, str, Pose, list[MjJoint]]:
    """Parent, body, pose of the body at zero, and the motions with axes and points in the body at zero."""
    X, axes, points, ends = Pose.identity(), [], [], []
    for name in names:
        joint = tables["joints"][name]
        (before, X_a), (after, X_b) = (pose_of(tables, side) for side in joint["between"])
        ends += [before, after]
        axes.append((X @ X_a).R @ unit(np.array(joint["axis"])))
        points.append((X @ X_a).p)
        X = X @ X_a @ X_b.inverse()
    kinds = [HINGE if tables["joints"][name]["type"] == "revolute" else SLIDE for name in names]
    row = [
        MjJoint(i, name, kind, X.inverse().point(p), X.R.T @ u, 0.0)
        for i, (name, kind, p, u) in enumerate(zip(names, kinds, points, axes))
    ]
    return ends[0], ends[-1], X, row


def _with_ball(row: list[MjJoint]) -> list[MjJoint]:
    """Three turns x, y, z about one point, in either order, were a ball."""
    labels = tuple(joint.name.rpartition(".")[2] for joint in row)
    for order in (TURNS, TURNS[::-1]):
        for i in range(len(row) - 2):
            if labels[i : i + 3] == order:
                ball = replace(row[i + 1], name=f"{stem([j.name for j in row])}.ball", type=BALL)
                return [*row[:i], ball, *row[i + 3 :]]
    return row


def _carry_over(tables: dict[str, Any], names: list[str], name: str, spec: dict[str, Any]) -> None:
    """What acts along the single motions acts along the joint's coordinates."""
    for key in names:
        joint, coordinate = tables["joints"][key], key.rpartition(".")[2]
        laws = {law: joint[law] for law in ("damping", "limits") if law in joint}
        laws |= {"friction.coulomb": joint["friction"]["coulomb"]} if "friction" in joint else {}
        laws_into(spec, laws, coordinate)
        if joint.get("actuated"):
            spec["actuated"] = coordinate
        if joint.get("closing"):
            spec["closing"] = True
        for actuator in tables["actuators"].values():
            if actuator["on"].get("joint") == key:
                actuator["on"] = {"joint": name, "coordinate": coordinate}
