"""The linear model of a mechanism about a pose, of rigid or of flexible links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from poinsot.errors import PoinsotError, by_name
from poinsot.model.mechanism import Mechanism, require_inertia, require_mechanism
from poinsot.vibration.linear_model.elastic import elastic_model_about
from poinsot.vibration.linear_model.record import LinearModel
from poinsot.vibration.linear_model.rigid import rigid_model_about


def linear_model(
    mechanism: Mechanism,
    pose: Mapping[str, float] | None,
    *,
    formulation: str | None = None,
    actuators: str | Sequence[str] | None = None,
    forces: Mapping[str, float] | None = None,
) -> LinearModel:
    """The small motions about a pose; without one, about the model's own or the equilibrium near it.

    `actuators`: "locked" (the coordinate does not move), "free" (the force does not change), or the names of those
    that are locked. None locks all but those along whose coordinate a spring acts, which stands for the drive's
    stiffness; where nothing could move then, all are free. Free actuators give what balance needs, or `forces`.
    """
    beams = require_inertia(require_mechanism(mechanism)).elements.beams
    pose = None if pose is None else by_name(pose, "a pose is", "{'x': 0.1}")
    forces = by_name(forces, "forces are", "{'A': 2.0}")
    chosen = str(formulation) if formulation is not None else "elastic" if beams else "joint"
    if chosen == "elastic":
        if not beams:
            raise PoinsotError(f"{mechanism.name} has no beams: the elastic formulation has nothing to bend")
        return elastic_model_about(mechanism, pose, actuators=actuators, forces=forces)
    return rigid_model_about(mechanism, pose, formulation=chosen, actuators=actuators, forces=forces)
