"""A page that shows a mechanism move: one HTML file that needs nothing else."""

from __future__ import annotations

import json
from importlib import resources
from typing import Protocol

import numpy as np

from poinsot.elements import GROUND
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose


class Moving(Protocol):
    """What can be shown: a simulation, or the kinematics of a driven motion, at n times."""

    t: np.ndarray  # (n,)  [s]
    position: dict[str, np.ndarray]  # by body (n, 3)  [m]
    rotation: dict[str, np.ndarray]  # by body (n, 3, 3)


def body_outlines(mechanism: Mechanism) -> dict[str, np.ndarray]:
    """Points of every body between which to draw it, (n, 3) in its own frame: where its joints sit  [m]."""
    points: dict[str, list[np.ndarray]] = {name: [] for name in (GROUND, *mechanism.bodies)}
    for joint in mechanism.joints.values():
        for body, frame in ((joint.a.body, joint.frame_on_a()), (joint.b.body, joint.frame_on_b())):
            points[body].append(np.asarray(frame.p, float))
    distinct = {name: np.unique(np.round(p, 9), axis=0) for name, p in points.items() if p}
    for name, body in mechanism.bodies.items():
        if len(distinct.get(name, ())) == 1:  # all its joints in one point: draw it through its centre of mass
            distinct[name] = np.vstack([distinct[name], 2 * np.asarray(body.com, float) - distinct[name][0]])
    return {name: _around(p) for name, p in distinct.items()}


def _around(points: np.ndarray) -> np.ndarray:
    """Order points of a plate around its middle, so that the outline does not cross itself."""
    if len(points) < 3:
        return points
    middle = points - points.mean(axis=0)
    x, y = np.linalg.svd(middle)[2][:2]
    return points[np.argsort(np.arctan2(middle @ y, middle @ x))]


def motion_page(mechanism: Mechanism, motion: Moving, title: str) -> str:
    """HTML text of a page that plays a motion: times, positions and rotations of all bodies."""
    outlines = body_outlines(mechanism)
    frames = []
    for k in range(len(motion.t)):
        placed = {name: Pose(motion.rotation[name][k], motion.position[name][k]) for name in mechanism.bodies}
        placed[GROUND] = Pose.identity()
        frames.append([np.round(placed[name].point(points), 5).tolist() for name, points in outlines.items()])
    data = {"names": list(outlines), "t": motion.t.tolist(), "frames": frames, "planar": mechanism.planar}
    page = (resources.files("poinsot.app") / "motion_page.html").read_text(encoding="utf-8")
    safe = json.dumps(data).replace("</", "<\\/")
    escaped = title.replace("&", "&amp;").replace("<", "&lt;")
    return page.replace("{{title}}", escaped).replace("{{data}}", safe)
