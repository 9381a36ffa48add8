"""Coordinates that prescribe a motion: with the motions N that the joints leave and the rates J of coordinates, those
whose rows of J N are independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.constraints import Constraints, row_scales, twist_scales
from poinsot.model.mechanism import Mechanism
from poinsot.system.home import start
from poinsot.system.scaled_rank import free_motions

__all__ = ["freedoms", "independent", "prescribing"]

SEEN = 1e-6  # of a coordinate's rate, from which on a motion is seen in it


def freedoms(mechanism: Mechanism, home: Assembly) -> np.ndarray:
    """Motions (twists of all bodies, k) that the joints leave at natural sizes."""
    constraints = Constraints(mechanism.elements)
    scale = twist_scales(constraints, home.size)
    C = constraints.evaluate(home.poses)[1] * scale / row_scales(constraints, home.size)[:, None]
    return free_motions(C) if len(C) else np.eye(len(scale))


def independent(mechanism: Mechanism, home: Assembly, coordinates: Sequence[Coordinate], first: int = 0) -> list[int]:
    """Numbers of coordinates that tell all motions: the `first` ones, then those that tell most of what is left."""
    if not coordinates:
        return []
    held = Constraints(mechanism.elements, tuple(coordinates))
    J = held.evaluate(home.poses)[1][-len(coordinates) :] * twist_scales(held, home.size)
    sizes = np.array([home.size if c.unit == "m" else 1.0 for c in coordinates])
    left, chosen = J / sizes[:, None] @ freedoms(mechanism, home), []
    for step in range(len(left)):
        lengths = np.linalg.norm(left, axis=1)
        k = step if step < first else int(np.argmax(lengths))
        if lengths[k] > SEEN:
            chosen.append(k)
            direction = left[k] / lengths[k]
            left = left - np.outer(left @ direction, direction)
    return chosen


def prescribing(mechanism: Mechanism, read: Mapping[str, Coordinate]) -> list[str]:
    """Columns, of those that read coordinates, that prescribe a motion: all, or independent ones where there are more
    than freedoms; those that actuators drive come first.
    """
    if len(read) < 2:
        return list(read)
    home = start(mechanism, None)
    if len(read) <= freedoms(mechanism, home).shape[1]:
        return list(read)
    driven = [actuator.on for actuator in mechanism.actuators.values()]
    ordered = sorted(read, key=lambda column: read[column] not in driven)
    first = sum(read[column] in driven for column in ordered)
    chosen = {ordered[k] for k in independent(mechanism, home, [read[column] for column in ordered], first)}
    return [column for column in read if column in chosen]
