"""Where a simulation may start and a mechanism may rest: between rigid end stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.model.assembly.end_stops import require_between, rigid_stops
from poinsot.model.mechanism import Mechanism
from poinsot.system.functions import poses_at
from poinsot.system.system import System


def require_between_stops(
    mechanism: Mechanism,
    compiled: System,
    q: np.ndarray,
    p: np.ndarray,
    known: Mapping[Coordinate, float],
    parameters: Mapping[str, Sequence[float]] | None = None,
    what: str = "the start",
) -> None:
    """That a pose, of each of a batch with values of some parameters, lies between its rigid end stops.

    `known` are angles [rad] with their turns; `what` is the pose in words.
    """
    stops = rigid_stops(mechanism, compiled.home.size, parameters)
    if not stops:
        return
    poses = poses_at(compiled, q, p)
    own, joints = compiled.reading.angles, mechanism.elements.joints

    def value(part: Coordinate) -> float:
        if part in own:
            return float(q[own[part]])
        return known[part] if part in known else float(part.value(poses, joints))

    require_between(stops, lambda stop: float(stop.on.combined(tuple(map(value, stop.on.parts)))), what)
