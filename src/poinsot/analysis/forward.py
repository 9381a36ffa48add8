"""Forward dynamics at one state: accelerations of all bodies under given forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from poinsot.analysis.state import state as state_of
from poinsot.analysis.system import start, system
from poinsot.analysis.undetermined import undetermined
from poinsot.errors import PoinsotError, unknown
from poinsot.model.mechanism import Mechanism

__all__ = ["Accelerations", "State", "accelerations"]


@dataclass(frozen=True)
class State:
    """Where a mechanism is, how it moves, and what its actuators give."""

    pose: Mapping[str, float] = field(default_factory=dict)  # named coordinates  [m or rad]
    velocity: Mapping[str, float] = field(default_factory=dict)  # their rates  [m/s or rad/s]
    forces: Mapping[str, float] = field(default_factory=dict)  # by actuator  [N or N·m]


@dataclass(frozen=True, eq=False)
class Accelerations(Mapping[str, np.ndarray]):
    """Accelerations by body: of the origin and angular, in the world, (6,)  [m/s², rad/s²]."""

    bodies: dict[str, np.ndarray]
    reactions: dict[str, np.ndarray]  # by joint, wrench on its second body in its frame there (6,)  [N, N·m]
    multipliers: np.ndarray  # (m,)
    check: float  # 1 is perfect, 0 where the equations are singular

    def __getitem__(self, body: str) -> np.ndarray:
        if body not in self.bodies:
            raise PoinsotError(unknown("body", body, self.bodies))
        return self.bodies[body]

    def __iter__(self):
        return iter(self.bodies)

    def __len__(self) -> int:
        return len(self.bodies)


def accelerations(mechanism: Mechanism, state: State | None = None, *, formulation: str = "joint") -> Accelerations:
    """Accelerations of every body and reactions of every joint at one state.

    >>> import poinsot
    >>> a = poinsot.accelerations(poinsot.load("pendulum"), poinsot.State(pose={"phi": 0.3}))
    >>> float(a["bob"][5].round(6))
    -8.78501
    """
    given = state or State()
    begin = start(mechanism, given.pose or None)
    compiled = system(mechanism, formulation, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    q, v = state_of(compiled, begin, p, given.velocity)
    forces = {name: compiled.command(name, value) for name, value in given.forces.items()}
    u = np.array([forces.get(name, 0.0) for name in compiled.commands])
    solve = compiled.formula("one state", lambda: compiled.dynamics.forward).function
    vdot, lam, check = (np.asarray(x) for x in solve(q, v, u, p))
    moving, wrenches = compiled.observed(q, v, vdot.ravel(), lam.ravel(), u, p)
    for name, parts in undetermined(compiled).items():
        wrenches[name] = np.where(parts, np.nan, wrenches[name])
    return Accelerations(moving, wrenches, lam.ravel(), float(check.item()))
