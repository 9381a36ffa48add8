"""Where a simulation may start and a mechanism may rest: between rigid end stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import substitute
from poinsot.model.quantities.expressions import evaluate
from poinsot.system.functions import poses_at
from poinsot.system.system import System

CLOSE = 1e-9  # of a radian or of the machine's size: how far beyond a stop is on it


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

    Elastic ones push back what is beyond them. `known` are angles [rad] with their turns; `what` is the pose
    in words.
    """
    elements = mechanism.elements
    stops = [name for name, law in elements.forces.items() if law.clearance(0.0) is not None]
    if not stops:
        return
    poses = poses_at(compiled, q, p)
    own = compiled.reading.angles

    def value(part: Coordinate) -> float:
        if part in own:
            return float(q[own[part]])
        return known[part] if part in known else float(part.value(poses, elements.joints))

    batch = mechanism.parameters.environment({name: np.asarray(x, float) for name, x in (parameters or {}).items()})
    for name in stops:
        law = substitute(mechanism.template.forces[name], lambda expression: evaluate(expression, batch))
        on = elements.forces[name].on
        s = float(on.combined(tuple(map(value, on.parts))))
        lower, upper = float(np.max(law.lower)), float(np.min(law.upper))
        reach = CLOSE * (compiled.home.size if on.unit == "m" else 1.0)
        if not lower - reach <= s <= upper + reach:
            raise PoinsotError(
                f"{what} is beyond the end stop '{name}': {elements.coordinates.name_of(on)} = {s:.6g} {on.unit} "
                f"is not from {lower:.6g} to {upper:.6g} {on.unit}"
            )
