"""How large a machine is, and how thick its parts are drawn: all sizes come from the mechanism's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poinsot.elements import GROUND
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose

Points = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Measures:
    """Measures of one picture."""

    extent: float  # diagonal of the box about all joints and mass centres  [m]
    link: float  # typical distance of two joints of one body  [m]
    low: np.ndarray  # (3,) corners of that box in the world  [m]
    high: np.ndarray  # (3,)

    @property
    def radius(self) -> float:
        """Of a link  [m]."""
        return 0.05 * self.link

    @property
    def middle(self) -> np.ndarray:
        """Middle of the box (3,)  [m]."""
        return (self.low + self.high) / 2


def joint_points(mechanism: Mechanism) -> Points:
    """Points of every body, (n, 3) in its own frame, where joints and beams end; none twice  [m]."""
    points: dict[str, list[np.ndarray]] = {name: [] for name in (GROUND, *mechanism.bodies)}
    for joint in mechanism.joints.values():
        for body, frame in ((joint.a.body, joint.frame_on_a()), (joint.b.body, joint.frame_on_b())):
            points[body].append(np.asarray(frame.p, float))
    for beam in mechanism.beams.values():
        points[beam.body] += [np.asarray(end.position, float) for end in (beam.a, beam.b)]
    return {name: distinct(np.array(own).reshape(-1, 3)) for name, own in points.items()}


def distinct(points: np.ndarray, near: float = 1e-6) -> np.ndarray:
    """Points without those that lie on another one, within a part of their spread."""
    reach = near * float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0
    kept: list[np.ndarray] = []
    for point in points:
        if all(np.linalg.norm(point - other) > reach for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 3)


def sizes_of(mechanism: Mechanism, points: Points, poses: Mapping[str, Pose]) -> Measures:
    """Measures of a mechanism in one pose."""
    world = [np.asarray(poses[name].point(p), float) for name, own in points.items() for p in own]
    world += [np.asarray(poses[name].point(np.asarray(b.com, float)), float) for name, b in mechanism.bodies.items()]
    cloud = np.array(world or [np.zeros(3)])
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    extent = float(np.linalg.norm(high - low))
    spans = [
        float(np.linalg.norm(np.ptp(own, axis=0))) for name, own in points.items() if len(own) > 1 and name != GROUND
    ]
    extent = extent or max(_gyration(mechanism), default=0.0) * 2 or 1.0
    link = float(np.clip(np.quantile(spans, 0.25) if spans else 0.5 * extent, 0.12 * extent, 0.35 * extent))
    return Measures(extent, link, low, high)


def _gyration(mechanism: Mechanism) -> list[float]:
    """Radii of gyration of bodies that have mass and inertia  [m]."""
    pairs = [(float(sum(b.inertia[k] for k in (0, 3, 5))), float(b.mass)) for b in mechanism.bodies.values()]
    return [float(np.sqrt(trace / (2 * mass))) for trace, mass in pairs if mass > 0 and trace > 0]
