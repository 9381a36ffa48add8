"""A state of a mechanism, which is taken wherever a pose is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.errors import PoinsotError, by_name
from poinsot.model.quantities.parameters import as_value
from poinsot.model.quantities.units import Meant

if TYPE_CHECKING:
    from poinsot.model.mechanism import Mechanism


@dataclass(frozen=True)
class State:
    """Where a mechanism is, how it moves, and what its actuators give."""

    pose: Mapping[str, float] = field(default_factory=dict)  # named coordinates  [m or rad]
    velocity: Mapping[str, float] = field(default_factory=dict)  # their rates  [m/s or rad/s]
    forces: Mapping[str, float] = field(default_factory=dict)  # by actuator  [N or N·m]
    q: np.ndarray | None = None  # instead of a pose: coordinates as those of a simulation, (nq,) or a batch (N, nq)
    v: np.ndarray | None = None  # with q: speeds (nv,) or (N, nv); at rest if there are none

    def __post_init__(self) -> None:
        for name in ("pose", "velocity", "forces"):
            object.__setattr__(self, name, by_name(getattr(self, name), "what a state holds is", "{'x': 0.1}"))
        if (self.q is not None or self.v is not None) and (self.pose or self.velocity):
            raise PoinsotError("a state is given by coordinates q and v, or by a pose and a velocity, not by both")

    def require_rest(self, v: np.ndarray | None = None) -> None:
        """A state that moves, with speeds v, or that says what actuators give is no pose at rest."""
        if self.velocity or self.forces or np.any(v):
            what = "has forces" if self.forces else "moves"
            raise PoinsotError(f"a pose at rest is asked for, and this state {what}: give its pose or q alone")


GivenPose = Mapping[str, float] | State | None  # by name, a state, or that of the file


def named_pose(pose: Any) -> Mapping[str, float] | None:
    """Coordinates by name of a pose that is given so, or as a state at rest; None is the pose of the file."""
    if not isinstance(pose, State):
        return None if pose is None else by_name(pose, "a pose is", "{'x': 0.1}")
    pose.require_rest()
    if pose.q is not None or pose.v is not None:
        raise PoinsotError("q are coordinates of one formulation: name the coordinates of this pose instead")
    return pose.pose or None


def in_si(mechanism: Mechanism, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by coordinate, texts such as "20 deg" among them as numbers  [m or rad]."""
    named = mechanism.elements.coordinates
    units = {name: named[name].unit for name, x in values.items() if isinstance(x, str) and name in named}
    return {name: Meant(as_value(x, units[name], name)) if name in units else x for name, x in values.items()}
