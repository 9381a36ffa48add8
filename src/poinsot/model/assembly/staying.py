"""Coordinates that nobody gave in a pose: those that are free to stay where they are do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.model.parts import Elements

Slopes = Callable[[tuple["Coordinate", ...]], np.ndarray]  # of constraints, then of coordinates, at natural sizes
DEPENDENT = 1e-9  # of the largest singular value: what counts as zero
FREE = 1e-3  # of a coordinate's slope that others must leave free, or it does not stay


def staying(elements: Elements, given: tuple[Coordinate, ...], slopes: Slopes) -> tuple[Coordinate, ...]:
    """Coordinates that keep their values while given ones change: independent of these and of each other.

    First those of the file's pose, then of drives, then others by name, then joints with one freedom. With all k
    freedoms given there are none.
    """
    J = slopes(given)
    _, s, Vt = np.linalg.svd(J) if J.size else (None, np.zeros(0), np.eye(J.shape[1]))
    free = Vt[int(np.sum(s > DEPENDENT * np.max(s, initial=0.0))) :].T  # motions (n, k) that are left
    others = tuple(c for c in _candidates(elements) if c not in given) if free.size else ()
    return _independent(others, slopes((*given, *others))[len(J) :], free) if others else ()


def _candidates(elements: Elements) -> tuple[Coordinate, ...]:
    single = (name for name, joint in elements.joints.items() if joint.freedom == 1)
    found = [
        *(elements.coordinates[name] for name in elements.pose),
        *(actuator.on for actuator in elements.actuators.values()),
        *elements.coordinates.values(),
        *(elements.coordinate(name) for name in single),
    ]
    return tuple(c for k, c in enumerate(found) if c not in found[:k])


def _independent(others: Sequence[Coordinate], rows: np.ndarray, free: np.ndarray) -> tuple[Coordinate, ...]:
    """The first coordinates whose slopes `rows` (c, n) are independent on free motions (n, k)."""
    found, basis = [], np.zeros((0, free.shape[1]))
    for coordinate, row in zip(others, rows):
        own = row @ free
        own = own - basis.T @ (basis @ own)
        if np.linalg.norm(own) > FREE * np.linalg.norm(row):
            found.append(coordinate)
            basis = np.vstack([basis, own / np.linalg.norm(own)])
    return tuple(found)
