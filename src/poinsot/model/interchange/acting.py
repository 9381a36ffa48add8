"""What acts along each coordinate of a mechanism, added up: one spring, damper, friction, inertia and stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from poinsot.elements.coordinates import Coordinate
from poinsot.elements.forces import Damper, DriveInertia, EndStop, Force, Friction, Spring
from poinsot.model.parts import Elements
from poinsot.spatial.pose import Pose

__all__ = ["Acting", "acting"]

INFINITY = float("inf")


@dataclass(frozen=True)
class Acting:
    """Laws along one coordinate, in its SI units."""

    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    coulomb: float = 0.0
    inertia: float = 0.0
    lower: float = -INFINITY
    upper: float = INFINITY

    def limited(self) -> bool:
        """Whether there is a stop on either side."""
        return self.lower > -INFINITY or self.upper < INFINITY


def acting(elements: Elements, poses: Mapping[str, Pose]) -> tuple[dict[Coordinate, Acting], list[str]]:
    """Add up the forces along every coordinate; second, notes on what has no counterpart elsewhere."""
    found: dict[Coordinate, Acting] = {}
    notes: list[str] = []
    for force in elements.forces.values():
        s = float(force.on.value(poses, elements.joints))
        found[force.on] = _with(found.get(force.on, Acting()), force, s, notes)
    for load in elements.loads.values():
        notes.append(f"The constant load '{load.name}' on '{load.at.body}' cannot be represented.")
    return found, notes


def _with(sum: Acting, force: Force, s: float, notes: list[str]) -> Acting:
    if isinstance(force, Spring):
        k, rest = float(force.stiffness), s if force.rest is None else float(force.rest)
        total = sum.stiffness + k
        mean = (sum.stiffness * sum.rest + k * rest) / total if sum.stiffness and total else rest
        return replace(sum, stiffness=total, rest=mean)
    if isinstance(force, Damper):
        return replace(sum, damping=sum.damping + float(force.damping))
    if isinstance(force, DriveInertia):
        return replace(sum, inertia=sum.inertia + float(force.inertia))
    if isinstance(force, Friction):
        if force.offset:
            notes.append(f"The offset {float(force.offset):g} of the friction '{force.name}' cannot be represented.")
        damping, coulomb = sum.damping + float(force.viscous), sum.coulomb + float(force.coulomb)
        return replace(sum, damping=damping, coulomb=coulomb)
    if isinstance(force, EndStop):
        if force.stiffness:
            notes.append(
                f"The stiffness {float(force.stiffness):g} of the end stop '{force.name}' is not carried over."
            )
        return replace(sum, lower=max(sum.lower, float(force.lower)), upper=min(sum.upper, float(force.upper)))
    notes.append(f"The {force.kind} '{force.name}' cannot be represented.")
    return sum
