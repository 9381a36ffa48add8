"""Where a simulation may start and a mechanism may rest: between rigid end stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.model.assembly.end_stops import require_between, rigid_stops
from poinsot.model.assembly.turns import turned_value
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
    poses, joints = poses_at(compiled, q, p), mechanism.elements.joints
    turned = {**known, **{part: float(q[k]) for part, k in compiled.reading.angles.items()}}
    require_between(stops, lambda stop: turned_value(stop.on, turned, poses, joints), what)
