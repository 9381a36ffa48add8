"""Forward dynamics at one state: accelerations of all bodies under given forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, by_name, unknown
from poinsot.model.assembly.assembly import row_lengths
from poinsot.model.mechanism import Mechanism, require_inertia, require_mechanism
from poinsot.motion.initial_pose import initial
from poinsot.motion.reactions import JointReactions
from poinsot.motion.undetermined import undetermined
from poinsot.system.conditioning import rechart
from poinsot.system.functions import Observed, all_rows, forward, observe
from poinsot.system.initial_state import speeds
from poinsot.system.system import System, system
from poinsot.system.variants import UNSURE, careful, embedded_in, solved_with_care

OPEN = 1e-6  # of the machine's size, or in radians: what given coordinates may leave open


@dataclass(frozen=True)
class State:
    """Where a mechanism is, how it moves, and what its actuators give."""

    pose: Mapping[str, float] = field(default_factory=dict)  # named coordinates  [m or rad]
    velocity: Mapping[str, float] = field(default_factory=dict)  # their rates  [m/s or rad/s]
    forces: Mapping[str, float] = field(default_factory=dict)  # by actuator  [N or N·m]
    q: np.ndarray | None = None  # instead of a pose: coordinates as those of a simulation, (nq,) or N states (N, nq)
    v: np.ndarray | None = None  # with q: speeds (nv,) or (N, nv); at rest if there are none


@dataclass(frozen=True, eq=False)
class Accelerations(JointReactions, Mapping[str, np.ndarray]):
    """Accelerations by body: of the origin and angular, in the world, (6,)  [m/s², rad/s²].

    Of N states all arrays have a leading axis N.
    """

    bodies: dict[str, np.ndarray]
    reactions: dict[str, np.ndarray]  # by joint, wrench on its second body in its frame there (6,)  [N, N·m]
    multipliers: np.ndarray  # (m,)
    check: float | np.ndarray  # 1 is perfect, 0 where the equations are singular
    position: dict[str, np.ndarray]  # by body, origin in the world (3,)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (3, 3)
    mechanism: Mechanism = field(repr=False)

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
    pose, velocity, given_forces = (
        by_name(x, "what a state holds is", "{'x': 0.1}") for x in (given.pose, given.velocity, given.forces)
    )
    if given.q is not None or given.v is not None:
        if pose or velocity or independent:
            raise PoinsotError("a state is given by coordinates q and v, or by a pose and a velocity, not by both")
        return _at_coordinates(require_inertia(require_mechanism(mechanism)), given, given_forces, formulation)
    begin = initial(require_inertia(require_mechanism(mechanism)), pose or None, formulation)
    q, p = begin.q, begin.p
    v = speeds(begin.system, q, p, velocity)
    compiled = embedded_in(begin.system, q, p, independent)
    u = compiled.forces(given_forces)
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


def _at_coordinates(
    mechanism: Mechanism, given: State, forces: Mapping[str, float], formulation: str
) -> Accelerations:
    """Accelerations at states in the coordinates of a formulation, in one native batch."""
    compiled = system(mechanism, formulation)
    q, v = _arrays(compiled, given)
    u = compiled.forces(forces)
    p = _charts(compiled, mechanism, q)
    _require_closed(compiled, q, p)
    vdot, lam, check = solved_with_care(compiled, forward, q, v, u, p)
    check[~np.isfinite(vdot).all(axis=1)] = 0.0
    if given.q is None or np.ndim(given.q) < 2:
        q, v, vdot, lam, p = q[0], v[0], vdot[0], lam[0], p if p.ndim == 1 else p[0]
    seen = observe(compiled, q, v, vdot, lam, u, p)
    return _result(mechanism, compiled, seen, lam, check.ravel() if q.ndim == 2 else check.item())


def _arrays(compiled: System, given: State) -> tuple[np.ndarray, np.ndarray]:
    """q (N, nq) and v (N, nv) from what a user gives."""
    nq, nv, _, _ = compiled.sizes
    try:
        q = np.atleast_2d(np.asarray(given.q, float))
        v = np.zeros((len(q), nv)) if given.v is None else np.atleast_2d(np.asarray(given.v, float))
    except (TypeError, ValueError):
        q = v = np.zeros((0, 0))
    if q.shape != (len(q), nq) or v.shape != (len(q), nv) or not len(q):
        raise PoinsotError(
            f"{compiled.mechanism.name} has {nq} coordinates and {nv} speeds in '{compiled.formulation}': give q as "
            f"(N, {nq}) and v as (N, {nv}), or one of each"
        )
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        raise PoinsotError("coordinates and speeds must be finite numbers")
    return np.ascontiguousarray(q), np.ascontiguousarray(v)


def _charts(compiled: System, mechanism: Mechanism, q: np.ndarray) -> np.ndarray:
    """Parameters (m,), or (N, m) with combinations of redundant constraints for every state."""
    p, redundant = compiled.parameters(mechanism), compiled.outline.redundancy.chart_numbers
    if len(p) - len(compiled.free) > redundant:
        raise PoinsotError(
            f"coordinates in '{compiled.formulation}' have a meaning only with the attitudes they are centred at: "
            "give q in 'joint' or 'rotation-matrix', or a pose"
        )
    return p if not redundant else np.stack([rechart(compiled, state, p)[1] for state in q])


def _require_closed(compiled: System, q: np.ndarray, p: np.ndarray) -> None:
    """States must be poses of the mechanism."""
    rows, size = compiled.outline.all_rows, compiled.home.size
    if not rows:
        return
    _, nv, _, nu = compiled.sizes
    (phi,) = all_rows(compiled)(q, np.zeros(nv), np.zeros(nu), p)
    gaps = np.abs(phi) / row_lengths(rows, size)
    if not np.max(gaps) < OPEN:
        n, k = np.unravel_index(int(np.argmax(np.nan_to_num(gaps, nan=np.inf))), gaps.shape)
        raise PoinsotError(
            f"state {n} is no pose of {compiled.mechanism.name}: {rows[k]} is open by {gaps[n, k]:.1e}"
        )


def _solved(compiled: System, *state: np.ndarray) -> tuple[np.ndarray, ...]:
    """v̇, λ and the check value at one state (q, v, u, p)."""
    return tuple(np.asarray(x).ravel() for x in forward.formula(compiled).function(*state))
