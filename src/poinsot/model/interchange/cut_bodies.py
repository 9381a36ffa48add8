"""Cuts mended: a small body on a joint that is welded to another body is that body's side of the joint.

Programs without hinges as loop closures carry a small auxiliary link on the hinge and weld it to the other body.
Read back, the joint closes the loop itself and the auxiliary link goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import euler_matrix, quaternion_from_matrix, quaternion_matrix

NEGLIGIBLE = 1e-8  # mass of a link that only carries a frame  [kg]


def listed(values: Any) -> list[float]:
    """Plain numbers of an array."""
    return [float(value) + 0.0 for value in np.asarray(values, float).ravel()]


def inertia_entry(J: np.ndarray) -> list[float]:
    """An inertia (3, 3) in the order of model files: xx, yy, zz, xy, xz, yz."""
    return [float(J[k]) for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def place(body: str, X: Pose) -> dict[str, Any]:
    """A frame on a body as a model file writes it where it is used."""
    return {"body": body, **pose_entry(X)}


def pose_entry(X: Pose) -> dict[str, Any]:
    """Position and rotation of a frame as a model file writes them, without those that are zero."""
    out: dict[str, Any] = {}
    if np.any(X.p):
        out["position"] = listed(X.p)
    if not np.array_equal(X.R, np.eye(3)):
        out["rotation"] = {"quaternion": listed(quaternion_from_matrix(X.R))}
    return out


def pose_of(tables: dict[str, Any], written: str | dict[str, Any]) -> tuple[str, Pose]:
    """Body and pose in it of a place that a reader wrote."""
    if isinstance(written, str):
        if written == GROUND or written in tables["bodies"]:
            return written, Pose.identity()
        body, _, frame = written.rpartition(".")
        return body, pose_of(tables, {"body": body, **tables["bodies"][body]["frames"][frame]})[1]
    p, rotation = np.array(written.get("position", (0.0, 0.0, 0.0))), written.get("rotation")
    if rotation is None:
        return written["body"], Pose(np.eye(3), p)
    if "quaternion" in rotation:
        return written["body"], Pose(quaternion_matrix(np.array(rotation["quaternion"])), p)
    return written["body"], Pose(euler_matrix(rotation["sequence"], np.array(rotation["angles"])), p)


def only_carries(body: Mapping[str, Any]) -> bool:
    """Whether a body is there for its frames alone: its mass is negligible, and it is no inertia without mass."""
    mass = body.get("mass", 0.0)
    return mass <= NEGLIGIBLE and bool(mass > 0 or not np.any(body.get("inertia", 0.0)))


def mend_cuts(tables: dict[str, Any]) -> list[str]:
    """Let joints close loops themselves where an auxiliary body was welded; changes the tables, returns notes."""
    notes = []
    for name in [n for n, body in tables["bodies"].items() if n != GROUND and only_carries(body)]:
        touching = {key: joint for key, joint in tables["joints"].items() if name in bodies_of(tables, joint)}
        welds = [key for key, joint in touching.items() if joint["type"] == "fixed" and joint.get("closing")]
        carriers = [key for key in touching if key not in welds]
        if len(welds) != 1 or len(carriers) != 1 or name in _used(tables):
            continue
        joint, weld = touching[carriers[0]], touching[welds[0]]
        frames = tables["bodies"][name].get("frames", ())
        if not all(f"{name}.{frame}" in weld["between"] for frame in frames):  # they are not there for the weld alone
            continue
        (a, X_A), (b, X_B) = (pose_of(tables, side) for side in weld["between"])
        other, X_OL = (b, X_B @ X_A.inverse()) if a == name else (a, X_A @ X_B.inverse())
        sides = [pose_of(tables, side) for side in joint["between"]]
        if other in (body for body, _ in sides):
            continue
        joint["between"] = [
            place(other, X_OL @ X) if body == name else written for written, (body, X) in zip(joint["between"], sides)
        ]
        joint["closing"] = True
        del tables["bodies"][name], tables["joints"][welds[0]]
        notes.append(
            f"The auxiliary body '{name}' was welded to '{other}': the joint '{carriers[0]}' closes that loop itself."
        )
    return notes


def bodies_of(tables: dict[str, Any], joint: dict[str, Any]) -> list[str]:
    """The two bodies that a joint connects."""
    return [pose_of(tables, side)[0] for side in joint["between"]]


def _used(tables: dict[str, Any]) -> set[str]:
    """Bodies on which a force or sensor sits."""
    found = set()
    for table in ("forces", "actuators", "sensors"):
        for spec in tables.get(table, {}).values():
            places = [spec.get("at"), *spec.get("on", {}).get("length", ())]
            found |= {pose_of(tables, written)[0] for written in places if written}
    return found
