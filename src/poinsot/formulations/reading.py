"""Coordinates of given poses, in numbers: no equations are needed for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.formulations.tree import spanning_tree
from poinsot.model.assembly.redundancy import Redundancy, row_combinations
from poinsot.model.mechanism import Elements
from poinsot.spatial.pose import Pose

if TYPE_CHECKING:
    from poinsot.formulations.redundant import Chart

__all__ = ["COMBINATIONS", "READINGS", "Reading", "chart_reading", "combining_reading", "reading", "tree_reading"]


COMBINATIONS = "combinations"  # what is called poor where those of redundant constraints are


@dataclass(frozen=True)
class Reading:
    """How a formulation reads its coordinates off the poses X_WB of all bodies."""

    chart: Callable[[Mapping[str, Pose]], np.ndarray]  # numbers (k,) that the charts choose for a start there
    coordinates: Callable[[Mapping[str, Pose], np.ndarray], np.ndarray]  # q (nq,), with the charts' numbers


def reading(formulation: str, elements: Elements) -> Reading:
    """The reading of a formulation for a mechanism with numbers in it."""
    if formulation not in READINGS:
        raise PoinsotError(unknown("formulation", formulation, READINGS))
    return READINGS[formulation](elements)


def tree_reading(elements: Elements) -> Reading:
    """What encoders on the joints of the spanning tree read."""
    joints = [node.joint for node in spanning_tree(elements).nodes]

    def coordinates(poses: Mapping[str, Pose], chart: np.ndarray) -> np.ndarray:
        found = (j.measure(j.relative(poses[j.a.body], poses[j.b.body])) for j in joints)
        return np.concatenate([np.zeros(0), *(np.asarray(q, float).ravel() for q in found)])

    return Reading(lambda poses: np.zeros(0), coordinates)


def chart_reading(charts: Mapping[str, Chart]) -> Reading:
    """Coordinates of every body in its own chart."""

    def choose(poses: Mapping[str, Pose]) -> np.ndarray:
        return np.concatenate([chart.choose(poses[body]) for body, chart in charts.items()])

    def coordinates(poses: Mapping[str, Pose], numbers: np.ndarray) -> np.ndarray:
        found, start = [], 0
        for body, chart in charts.items():
            found.append(chart.coordinates(poses[body], numbers[start : start + chart.numbers]))
            start += chart.numbers
        return np.concatenate(found)

    return Reading(choose, coordinates)


def combining_reading(inner: Reading, elements: Elements, found: Redundancy, size: float) -> Reading:
    """The same, with combinations of redundant rows among the charts' numbers: S of every group, and a limit.

    The limit, 0 at first, is the check value below which a simulation chooses them anew.
    """
    if not found.groups:
        return inner

    def choose(poses: Mapping[str, Pose]) -> np.ndarray:
        return np.concatenate([inner.chart(poses), row_combinations(elements, found, poses, size), [0.0]])

    return Reading(choose, inner.coordinates)


def _euler(elements: Elements) -> Reading:
    from poinsot.formulations.euler import euler_charts

    return chart_reading(euler_charts(elements))


def _rotation_matrix(elements: Elements) -> Reading:
    from poinsot.formulations.rotation_matrix import matrix_charts

    return chart_reading(matrix_charts(elements))


READINGS: dict[str, Callable[[Elements], Reading]] = {
    "joint": tree_reading,
    "euler": _euler,
    "rotation-matrix": _rotation_matrix,
    "embedded": tree_reading,
}
