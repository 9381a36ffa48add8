"""Forces that hold a mechanism at rest: inverse dynamics of a pose."""

from __future__ import annotations

from collections.abc import Mapping

from poinsot.errors import by_name
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.motion.driven import require_count
from poinsot.motion.inverse_dynamics import inverse_dynamics
from poinsot.system.system import system


def hold(mechanism: Mechanism, pose: Mapping[str, float] | None = None) -> dict[str, float]:
    """Actuator forces [N or N·m] that hold a mechanism at rest in a pose of all its freedoms.

    >>> import poinsot
    >>> round(poinsot.hold(poinsot.load("hexapod"))["leg1"], 6)
    8.510397
    """
    given = by_name(pose, "a pose is", "{'x': 0.1}")
    pose = dict(require_mechanism(mechanism).elements.pose if pose is None else given)
    require_count(system(mechanism), tuple(pose))
    found = inverse_dynamics(mechanism, pose, [0.0])
    return {name: float(force[0]) for name, force in found.forces.items()}
