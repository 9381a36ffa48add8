"""Coordinates of given poses, in numbers: no equations are needed for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

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


def tree_reading(elements: Elements) -> Reading:
    """What encoders on the joints of the spanning tree read."""
    joints = [node.joint for node in spanning_tree(elements).nodes]

    def coordinates(poses: Mapping[str, Pose], chart: np.ndarray) -> np.ndarray:
        found = (j.measure(j.relative(poses[j.a.body], poses[j.b.body])) for j in joints)
        return np.concatenate([np.zeros(0), *(np.asarray(q, float).ravel() for q in found)])

    return Reading(lambda poses: np.zeros(0), coordinates)


def combining_reading(inner: Reading, elements: Elements, found: Redundancy, size: float) -> Reading:
    """The same, with combinations of redundant rows among the charts' numbers: S of every group, and a limit.

    The limit, 0 at first, is the check value below which a simulation chooses them anew.
    """
    if not found.groups:
        return inner

    def choose(poses: Mapping[str, Pose]) -> np.ndarray:
        return np.concatenate([inner.chart(poses), row_combinations(elements, found, poses, size), [0.0]])

    return Reading(choose, inner.coordinates)
