"""Coordinates of given poses, in numbers: no equations are needed for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from poinsot.elements.coordinates import AlongJoint, Coordinate
from poinsot.formulations.tree import spanning_tree
from poinsot.model.assembly.mobility import Redundancy, row_combinations
from poinsot.model.parts import Elements
from poinsot.spatial.pose import Pose

COMBINATIONS = "combinations"  # what is called poor where those of redundant constraints are


@dataclass(frozen=True)
class Reading:
    """How a formulation reads its coordinates off the poses X_WB of all bodies."""

    chart: Callable[[Mapping[str, Pose]], np.ndarray]  # numbers (k,) that the charts choose for a start there
    coordinates: Callable[[Mapping[str, Pose], np.ndarray], np.ndarray]  # q (nq,), with the charts' numbers
    angles: Mapping[Coordinate, int] = field(default_factory=dict)  # which of q are angles whose turns count

    def wound(self, q: np.ndarray, angles: Mapping[Coordinate, float]) -> np.ndarray:
        """Coordinates q (nq,) with the turns of angles that are known  [rad]."""
        own = {self.angles[c]: x for c, x in angles.items() if c in self.angles}
        for k, angle in own.items():
            q[k] += 2 * np.pi * np.rint((angle - q[k]) / (2 * np.pi))
        return q


def tree_reading(elements: Elements) -> Reading:
    """What encoders on the joints of the spanning tree read."""
    nodes = spanning_tree(elements).nodes
    joints = [node.joint for node in nodes]

    def coordinates(poses: Mapping[str, Pose], chart: np.ndarray) -> np.ndarray:
        found = (j.measure(j.relative(poses[j.a.body], poses[j.b.body])) for j in joints)
        return np.concatenate([np.zeros(0), *(np.asarray(q, float).ravel() for q in found)])

    angles: dict[Coordinate, int] = {
        AlongJoint(node.joint.name, k, c.unit): node.q.start + k
        for node in nodes
        for k, c in enumerate(node.joint.coordinates)
        if c.unit == "rad"
    }
    return Reading(lambda poses: np.zeros(0), coordinates, angles)


def combining_reading(inner: Reading, elements: Elements, found: Redundancy, size: float) -> Reading:
    """The same, with combinations of redundant rows among the charts' numbers: S of every group, and a limit.

    The limit, 0 at first, is the check value below which a simulation chooses them anew.
    """
    if not found.groups:
        return inner

    def choose(poses: Mapping[str, Pose]) -> np.ndarray:
        return np.concatenate([inner.chart(poses), row_combinations(elements, found, poses, size), [0.0]])

    return replace(inner, chart=choose)
