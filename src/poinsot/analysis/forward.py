"""Forward dynamics at one state: accelerations of all bodies under given forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from poinsot.analysis.continued import embedded_in
from poinsot.analysis.reaction import Bearing
from poinsot.analysis.state import state as state_of
from poinsot.analysis.system import System, start, system
from poinsot.analysis.undetermined import undetermined
from poinsot.analysis.variants import UNSURE, careful
from poinsot.errors import PoinsotError, by_name, unknown
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.possible import require_inertia

__all__ = ["Accelerations", "State", "accelerations"]


@dataclass(frozen=True)
class State:
    """Where a mechanism is, how it moves, and what its actuators give."""

    pose: Mapping[str, float] = field(default_factory=dict)  # named coordinates  [m or rad]
    velocity: Mapping[str, float] = field(default_factory=dict)  # their rates  [m/s or rad/s]
    forces: Mapping[str, float] = field(default_factory=dict)  # by actuator  [N or N·m]


@dataclass(frozen=True, eq=False)
class Accelerations(Bearing, Mapping[str, np.ndarray]):
    """Accelerations by body: of the origin and angular, in the world, (6,)  [m/s², rad/s²]."""

    bodies: dict[str, np.ndarray]
    reactions: dict[str, np.ndarray]  # by joint, wrench on its second body in its frame there (6,)  [N, N·m]
    multipliers: np.ndarray  # (m,)
    check: float  # 1 is perfect, 0 where the equations are singular
    position: dict[str, np.ndarray]  # by body, origin in the world (3,)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (3, 3)
    model: Mechanism = field(repr=False)

    def __getitem__(self, body: str) -> np.ndarray:
        if body not in self.bodies:
            raise PoinsotError(unknown("body", body, self.bodies))
        return self.bodies[body]

    def __iter__(self):
        return iter(self.bodies)

    def __len__(self) -> int:
        return len(self.bodies)


def accelerations(
    mechanism: Mechanism,
    state: State | None = None,
    *,
    formulation: str = "joint",
    independent: Sequence[str] | None = None,
) -> Accelerations:
    """Accelerations of every body and reactions of every joint at one state.

    `independent` are coordinates in which to write the formulation "embedded"; others are chosen by pivoting.

    >>> import poinsot
    >>> a = poinsot.accelerations(poinsot.load("pendulum"), poinsot.State(pose={"phi": 0.3}))
    >>> float(a["bob"][5].round(6))
    -8.78501
    """
    given = State() if state is None else state
    if not isinstance(given, State):
        raise PoinsotError(f"a state is a poinsot.State(pose, velocity, forces), not {type(given).__name__}")
    pose, velocity, given_forces = (
        by_name(x, "what a state holds is", "{'x': 0.1}") for x in (given.pose, given.velocity, given.forces)
    )
    begin = start(require_inertia(require_mechanism(mechanism)), pose or None)
    compiled = system(mechanism, formulation, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    q, v = state_of(compiled, begin, p, velocity)
    compiled = embedded_in(compiled, q, p, independent)
    forces = {name: compiled.command(name, value) for name, value in given_forces.items()}
    u = np.array([forces.get(name, 0.0) for name in compiled.commands])
    vdot, lam, check = _solved(compiled, q, v, u, p)
    if not (check.item() > UNSURE and np.isfinite(vdot).all()):
        compiled = careful(compiled)
        vdot, lam, check = _solved(compiled, q, v, u, p)
    moving, wrenches = compiled.observed(q, v, vdot.ravel(), lam.ravel(), u, p)
    for name, parts in undetermined(compiled).items():
        wrenches[name] = np.where(parts, np.nan, wrenches[name])
    places = {name: begin.poses[name] for name in mechanism.bodies}
    return Accelerations(
        bodies=moving,
        reactions=wrenches,
        multipliers=lam.ravel(),
        check=float(check.item()),
        position={name: np.asarray(X.p, float) for name, X in places.items()},
        rotation={name: np.asarray(X.R, float) for name, X in places.items()},
        model=mechanism,
    )


def _solved(compiled: System, *state: np.ndarray) -> tuple[np.ndarray, ...]:
    """v̇, λ and the check value at one state (q, v, u, p)."""
    solve = compiled.formula("one state", lambda: compiled.dynamics.forward).function
    return tuple(np.asarray(x) for x in solve(*state))
