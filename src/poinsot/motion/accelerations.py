"""Forward dynamics at one state: accelerations of all bodies under given forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, counted, listing, unknown
from poinsot.model.assembly.constraints import IN_PLANE
from poinsot.model.assembly.degrees import ask_about_degrees
from poinsot.model.mechanism import Mechanism, require_inertia, require_mechanism
from poinsot.model.state import State
from poinsot.motion.initial_pose import initial
from poinsot.motion.reactions import JointReactions
from poinsot.motion.undetermined import undetermined
from poinsot.results.words import aligned
from poinsot.system.functions import Observed, forward, observe
from poinsot.system.given_state import coordinates_of
from poinsot.system.initial_state import speeds
from poinsot.system.system import System, system
from poinsot.system.variants import UNSURE, careful, embedded_in, solved_with_care

ROUND_OFF = 1e-13  # of the largest number of the same unit, below which one is printed as 0


@dataclass(frozen=True, eq=False)
class Accelerations(JointReactions, Mapping[str, np.ndarray]):
    """Accelerations by body: of the origin and angular, in the world, (6,)  [m/s², rad/s²].

    Of a batch of N states all arrays have a leading axis N.
    """

    bodies: dict[str, np.ndarray]
    reactions: dict[str, np.ndarray]  # by joint, wrench on its second body in its frame there (6,)  [N, N·m]
    multipliers: np.ndarray  # (m,)
    check: float | np.ndarray  # 1 is perfect, 0 where the equations are singular
    position: dict[str, np.ndarray]  # by body, origin in the world (3,)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (3, 3)
    mechanism: Mechanism = field(repr=False)

    _columns = {"bodies": ("ax ay az alphax alphay alphaz", "m/s² m/s² m/s² rad/s² rad/s² rad/s²")}
    _plot = {"bodies": "accelerations"}

    def _rows(self) -> dict[str, np.ndarray]:
        return {"batch": np.arange(np.size(self.check))} if np.ndim(self.check) else {}

    def __str__(self) -> str:
        name, count = self.mechanism.name, np.size(self.check)
        if np.ndim(self.check):
            least = f"least check value {np.min(self.check, initial=1.0):.2g} (1 is perfect)"
            return f"{name}: accelerations of {listing(self.bodies)} in {counted(count, 'state')}, {least}"
        shown = IN_PLANE if self.mechanism.planar else range(6)
        heads = [f"{label} [{unit}]" for label, unit in zip(*(text.split() for text in self._columns["bodies"]))]
        sizes = np.max([np.abs(a.reshape(2, 3)).max(axis=1) for a in self.bodies.values()], axis=0, initial=0.0)
        noise = ROUND_OFF * np.repeat(sizes, 3)  # of lengths and of angles
        told = {body: np.where(np.abs(a) <= noise, 0.0, a) for body, a in self.bodies.items()}
        rows = [(body, *(f"{a[k]:.6g}" for k in shown)) for body, a in told.items()]
        return "\n".join([f"{name}: accelerations", *aligned([("", *(heads[k] for k in shown)), *rows])])

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
    """Accelerations of every body and reactions of every joint at one state, or at many given by coordinates.

    `mechanism` is at `state`: a pose, velocities and forces by name, or coordinates q (nq,) or (N, nq) with
    speeds v, of a `formulation`; by default at rest in the pose of its file.

    `independent` are coordinates in which to write the formulation "embedded"; others are chosen by pivoting.

    >>> import poinsot
    >>> a = poinsot.accelerations(poinsot.load("pendulum"), poinsot.State(pose={"phi": 0.3}))
    >>> float(a["bob"][5].round(6))
    -8.78501
    """
    given = State() if state is None else state
    if not isinstance(given, State):
        raise PoinsotError(f"a state is a poinsot.State(pose, velocity, forces), not {type(given).__name__}")
    require_inertia(require_mechanism(mechanism))
    if given.q is not None or given.v is not None:
        if independent:
            raise PoinsotError("independent coordinates are for a pose by name: q and v are those of a formulation")
        return _at_coordinates(mechanism, given, formulation)
    ask_about_degrees(mechanism, given.pose)
    begin = initial(mechanism, given, formulation)
    q, p = begin.q, begin.p
    v = speeds(begin.system, q, p, given.velocity)
    compiled = embedded_in(begin.system, q, p, independent)
    u = compiled.forces(given.forces)
    vdot, lam, check = forward(compiled)(q, v, u, p) if begin.again else _solved(compiled, q, v, u, p)
    if not (check.item() > UNSURE and np.isfinite(vdot).all()):
        compiled = careful(compiled)
        vdot, lam, check = _solved(compiled, q, v, u, p)
    seen = observe(compiled, q, v, vdot, lam, u, p, native=begin.again)
    return _result(mechanism, compiled, seen, lam, check.item() if np.isfinite(vdot).all() else 0.0)


def _result(mechanism: Mechanism, compiled: System, seen: Observed, lam: np.ndarray, check: Any) -> Accelerations:
    """What is seen at one state or at many, with NaN where reactions are not determined."""
    for name, parts in undetermined(compiled).items():
        seen.reactions[name][..., parts] = np.nan
    return Accelerations(
        bodies=seen.rates,
        reactions=seen.reactions,
        multipliers=lam,
        check=check,
        position=seen.position,
        rotation=seen.rotation,
        mechanism=mechanism,
    )


def _at_coordinates(mechanism: Mechanism, given: State, formulation: str) -> Accelerations:
    """Accelerations at states in the coordinates of a formulation, in one native batch."""
    compiled = system(mechanism, formulation)
    q, v, p = coordinates_of(compiled, mechanism, given)
    u = compiled.forces(given.forces)
    vdot, lam, check = solved_with_care(compiled, forward, q, v, u, p)
    check[~np.isfinite(vdot).all(axis=1)] = 0.0
    if given.q is None or np.ndim(given.q) < 2:
        q, v, vdot, lam, p = q[0], v[0], vdot[0], lam[0], p if p.ndim == 1 else p[0]
    seen = observe(compiled, q, v, vdot, lam, u, p)
    return _result(mechanism, compiled, seen, lam, check.ravel() if q.ndim == 2 else check.item())


def _solved(compiled: System, *state: np.ndarray) -> tuple[np.ndarray, ...]:
    """v̇, λ and the check value at one state (q, v, u, p)."""
    return tuple(np.asarray(x).ravel() for x in forward.formula(compiled).function(*state))
