"""Where a mechanism may be: between rigid end stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.model.assembly.turns import known_angles, turned_value
from poinsot.model.parts import substitute
from poinsot.model.quantities.expressions import evaluate

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.model.assembly.assembly import Assembly
    from poinsot.model.mechanism import Mechanism

CLOSE, NEAR = 1e-9, 1e-6  # of a radian or of the machine's size, and of the larger limit: less beyond a stop is on it
ROUND_OFF = 1e-11  # of a radian or of the machine's size, that poses are known to


@dataclass(frozen=True)
class RigidStop:
    """The limits of a coordinate that no machine passes."""

    name: str
    on: Coordinate
    label: str  # what the coordinate is called
    lower: float  # [m] or [rad]
    upper: float  # [m] or [rad]
    reach: float  # how far beyond a limit is still on it  [m] or [rad]

    def passed(self, s: np.ndarray | float) -> np.ndarray:
        """Whether values of the coordinate, of any shape, are beyond the limits."""
        return ~((self.lower - self.reach <= np.asarray(s)) & (np.asarray(s) <= self.upper + self.reach))

    def told(self, s: float) -> str:
        """The stop, the coordinate, its value and its limits."""
        unit, settled = self.on.unit, s if abs(s) > self.reach else 0.0
        return (
            f"the end stop '{self.name}': {self.label} = {settled:.6g} {unit} is not from {self.lower:.6g} to "
            f"{self.upper:.6g} {unit}"
        )


def rigid_stops(
    mechanism: Mechanism, size: float, parameters: Mapping[str, Sequence[float]] | None = None
) -> list[RigidStop]:
    """The rigid end stops of a mechanism of that size [m]; the narrowest of a batch with values of some parameters.

    Elastic ones push back what is beyond them.
    """
    elements, found = mechanism.elements, []
    rigid = {name: law.on for name, law in elements.forces.items() if law.clearance(0.0) is not None}
    if not rigid:
        return []
    batch = mechanism.parameters.environment({name: np.asarray(x, float) for name, x in (parameters or {}).items()})
    for name, on in rigid.items():
        limits = substitute(mechanism.template.forces[name], lambda expression: evaluate(expression, batch))
        lower, upper = float(np.max(limits.lower)), float(np.min(limits.upper))
        reach = _reach(lower, upper, size if on.unit == "m" else 1.0)
        found.append(RigidStop(name, on, elements.coordinates.name_of(on), lower, upper, reach))
    return found


def _reach(lower: float, upper: float, size: float) -> float:
    """How far beyond limits a coordinate of that natural size is still on them; all in [m] or [rad]."""
    own = max((abs(x) for x in (lower, upper) if np.isfinite(x)), default=0.0) or size
    return max(min(NEAR * own, CLOSE * size), ROUND_OFF * size)


def require_between(stops: Sequence[RigidStop], value: Callable[[RigidStop], float], what: str) -> None:
    """That a pose, `what` in words, lies between rigid end stops, for the `value` of the coordinate of each."""
    for stop in stops:
        s = value(stop)
        if stop.passed(s):
            raise PoinsotError(f"{what} is beyond {stop.told(s)}")


def require_given_between_stops(
    mechanism: Mechanism, pose: Mapping[str, float] | Assembly | None, begin: Assembly
) -> None:
    """That a given pose, put together as `begin`, or the file's own where none is given, is between rigid stops."""
    what = "the pose of the model file" if pose is None else "the given pose"
    for said in passed_stops(mechanism, begin, pose if isinstance(pose, Mapping) else {}):
        raise PoinsotError(f"{what} is beyond {said}")


def passed_stops(mechanism: Mechanism, begin: Assembly, given: Mapping[str, float]) -> Iterator[str]:
    """Rigid end stops, in words, that a pose, put together as `begin` with values given by name, is beyond."""
    stops, elements = rigid_stops(mechanism, begin.size), mechanism.elements
    known = known_angles(elements, begin.poses, given) if stops else {}
    for stop in stops:
        s = turned_value(stop.on, known, begin.poses, elements.joints)
        if stop.passed(s):
            yield stop.told(s)
