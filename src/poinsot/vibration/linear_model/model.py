"""The linear model of a mechanism about a pose, of rigid or of flexible links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from poinsot.errors import PoinsotError, by_name
from poinsot.model.mechanism import Mechanism, require_inertia, require_mechanism
from poinsot.model.state import GivenPose
from poinsot.system.given_state import given_pose
from poinsot.vibration.linear_model.elastic import elastic_model_about
from poinsot.vibration.linear_model.record import LinearModel
from poinsot.vibration.linear_model.rigid import rigid_model_about


def linear_model(
    mechanism: Mechanism,
    pose: GivenPose,
    *,
    formulation: str | None = None,
    locked: str | Sequence[str] | None = None,
    forces: Mapping[str, float] | None = None,
    free: tuple[str, ...] = (),
) -> LinearModel:
    """The small motions about a pose; without one, about the model's own or the equilibrium near it.

    `locked` actuators ("all", "none", or names) do not move their coordinate, the others do not change their force.
    None locks all but those along whose coordinate a spring acts, which stands for the drive's stiffness; where
    nothing could move then, all are free. Free actuators give what balance needs, or `forces`. Models that differ in
    parameters that are `free` share their functions.
    """
    beams = require_inertia(require_mechanism(mechanism)).elements.beams
    forces = by_name(forces, "forces are", "{'A': 2.0}")
    chosen = str(formulation) if formulation is not None else "elastic" if beams else "joint"
    if chosen == "elastic":
        if not beams:
            raise PoinsotError(f"{mechanism.name} has no beams: the elastic formulation has nothing to bend")
        return elastic_model_about(mechanism, given_pose(mechanism, pose), locked=locked, forces=forces, free=free)
    begin = given_pose(mechanism, pose, chosen)
    return rigid_model_about(mechanism, begin, formulation=chosen, locked=locked, forces=forces, free=free)
