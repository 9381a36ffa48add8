"""What acts along each coordinate of a mechanism, added up: one spring, damper, friction, inertia and stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from poinsot.elements.coordinates import AlongJoint, Coordinate
from poinsot.elements.forces import Simple
from poinsot.model.interchange.motions import ElementaryMotion
from poinsot.model.interchange.notes import Lost
from poinsot.model.parts import Elements
from poinsot.spatial.pose import Pose

INFINITY = float("inf")


@dataclass(frozen=True)
class SummedForces(Simple):
    """Laws along one coordinate, in its SI units."""

    def limited(self) -> bool:
        """Whether there is a stop on either side."""
        return self.lower > -INFINITY or self.upper < INFINITY

    def __add__(self, law: Simple) -> SummedForces:
        """Both together: springs in parallel rest where their forces balance, the nearer limits count."""
        k, total = self.stiffness, self.stiffness + law.stiffness
        both = (k * self.rest + law.stiffness * law.rest) / total if k and total else law.rest
        return SummedForces(
            stiffness=total,
            rest=both if law.stiffness or not k else self.rest,
            damping=self.damping + law.damping,
            coulomb=self.coulomb + law.coulomb,
            inertia=self.inertia + law.inertia,
            lower=max(self.lower, law.lower),
            upper=min(self.upper, law.upper),
        )


ForcesAlong = dict[Coordinate, SummedForces]


def acting(elements: Elements, poses: Mapping[str, Pose]) -> tuple[ForcesAlong, list[str]]:
    """Add up the forces along every coordinate; second, notes on what has no counterpart elsewhere."""
    found: ForcesAlong = {}
    notes: list[str] = []
    for force in elements.forces.values():
        law = force.simple(float(force.on.value(poses, elements.joints)))
        if remark := law.remark if law else f"The {force.kind} '{force.name}' cannot be represented.":
            notes.append(Lost(remark))
        found[force.on] = found.get(force.on, SummedForces()) + (law or Simple())
    for load in elements.loads.values():
        notes.append(Lost(f"The constant load '{load.name}' on '{load.at.body}' cannot be represented."))
    return found, notes


def force_along(laws: ForcesAlong, motion: ElementaryMotion) -> SummedForces | None:
    """What acts along an elementary motion."""
    for on, law in laws.items():
        if isinstance(on, AlongJoint) and (on.joint, on.index) == (motion.joint, motion.coordinate):
            return law
    return None
