"""A mechanism in a pose as lines between its joints, seen from above."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import poinsot
from poinsot.results import Curve

CLOSE = 1e-9  # of the machine: two joints at one place


def skeleton(mechanism: poinsot.Mechanism, pose: Mapping[str, float], name: str) -> Curve:
    """Every body as a line through its joints; bodies with one joint as a line from their origin to their centre."""
    placed = poinsot.kinematics(mechanism, pose, [0.0])
    x, y = [], []
    for body, law in mechanism.bodies.items():
        p, R = placed.position[body][0], placed.rotation[body][0]
        points = [p + R @ q for q in _joints(mechanism, body)]
        points = points if len(points) > 1 else [*points, p + R @ np.asarray(law.com, float)]
        order = points if len(points) < 3 else [*points, points[0]]
        x += [*(float(q[0]) for q in order), np.nan]
        y += [*(float(q[1]) for q in order), np.nan]
    return Curve(name, np.array(x), np.array(y))


def _joints(mechanism: poinsot.Mechanism, body: str) -> list[np.ndarray]:
    """Places of its joints in a body, each once."""
    found: list[np.ndarray] = []
    for joint in mechanism.joints.values():
        for frame in (joint.a, joint.b):
            if frame.body == body:
                q = np.asarray(frame.pose().p, float).ravel()
                if all(np.linalg.norm(q - other) > CLOSE for other in found):
                    found.append(q)
    return found
