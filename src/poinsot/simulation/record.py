"""Simulation: the record of a simulated motion; accelerations, forces and reactions along it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.errors import counted
from poinsot.model.mechanism import Mechanism
from poinsot.motion.reactions import JointReactions, by_coupling, by_joint
from poinsot.motion.undetermined import undetermined, undetermined_couplings
from poinsot.simulation.equations import Laws, acceleration_function, reaction_function
from poinsot.spatial.pose import Pose
from poinsot.system.system import System
from poinsot.system.variants import solved_with_care

STUCK = 5  # outputs in which what sticks creeps one way,
STICKS = 3.0  # and slower than this many times the speed by which friction is smoothed
AGO = range(STUCK, 0, -1)


@dataclass(frozen=True, eq=False)
class SimulatedStates:
    """What moves a simulated mechanism at n times."""

    system: System  # in whose coordinates the motion is given
    acceleration: np.ndarray  # v̇ (n, nv)
    forces: dict[str, np.ndarray]  # by actuator (n,)  [N or N·m]
    p: np.ndarray  # constants of the equations (m,) or (n, m)


@dataclass(frozen=True, eq=False)
class Simulation(JointReactions):
    """A simulated motion at n times. In a batch of N all arrays but t have a leading axis N."""

    formulation: str
    t: np.ndarray  # (n,)  [s]
    position: dict[str, np.ndarray]  # by body, origin in the world (n, 3)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (n, 3, 3)
    coordinates: dict[str, np.ndarray]  # coordinates that the model file names (n,)  [m or rad]
    rates: dict[str, np.ndarray]  # of these coordinates (n,)  [m/s or rad/s]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    energy: np.ndarray  # kinetic and potential (n,)  [J]
    work: np.ndarray  # of drives, dampers, friction and loads since the start (n,)  [J]
    drift: float  # largest violation of a constraint  [m or rad]
    energy_error: float  # largest |energy − work − energy at the start|  [J]
    events: dict[str, Any]  # time of the first crossing of every event and end stop, NaN if none  [s]
    steps: int
    status: str  # what to do next; empty means success
    changes: tuple[str, ...]  # where other coordinates, or an implicit method, were chosen, one sentence each
    mechanism: Mechanism = field(repr=False)
    find_reactions: Callable[[], tuple[dict[str, np.ndarray], ...]] = field(repr=False)  # and forces of couplings
    find_states: Callable[[], SimulatedStates] = field(repr=False)  # gives accelerations and forces

    _columns = {"q": ("q", "SI"), "v": ("v", "SI"), "balance": ("energy error", "J")}
    _plot = {"coordinates": "coordinates", "balance": "energy error"}

    def _rows(self) -> dict[str, np.ndarray]:
        if self.q.ndim == 2:
            return {"t": self.t}
        return dict(zip(("batch", "t"), np.meshgrid(np.arange(len(self.q)), self.t, indexing="ij")))

    @property
    def balance(self) -> np.ndarray:
        """Energy less work less the energy at the start (n,): 0 but for errors of the integration  [J]."""
        return self.energy - self.work - self.energy[..., :1]

    def states(self) -> SimulatedStates:
        """Accelerations and actuator forces of a motion that is no batch, computed when asked for."""
        return self.find_states()

    @cached_property
    def reactions(self) -> dict[str, np.ndarray]:
        """By joint, wrench on its second body in its frame there (n, 6), computed when first asked for  [N, N·m]."""
        return self._transmitted[0]

    @property
    def coupling_forces(self) -> dict[str, np.ndarray]:
        """On each coordinate of a coupling, "gear.out" (n,), computed when first asked for  [N or N·m]."""
        return self._transmitted[1]

    @cached_property
    def _transmitted(self) -> tuple[dict[str, np.ndarray], ...]:
        return self.find_reactions()

    @property
    def finished(self) -> bool:
        """Whether the motion reached the last time."""
        return not self.status

    @property
    def creeping(self) -> dict[str, float]:
        """Laws of dry friction that hold in the end, and the speed at which what they hold creeps, as they are
        smoothed  [m/s or rad/s]; none of a batch."""
        if self.q.ndim != 2 or len(self.t) < STUCK:
            return {}
        elements, found = self.mechanism.elements, {}
        forces: dict[str, Any] = self.mechanism.forces
        last = [{GROUND: Pose.identity()} | {name: self._pose(name, -k) for name in self.position} for k in AGO]
        for name, law in forces.items():
            if law.dry_slope() != 0:
                s = [float(law.on.value(poses, elements.joints)) for poses in last]
                rates = np.diff(s) / np.diff(self.t[-STUCK:])
                if (np.sign(rates) == np.sign(rates[0])).all() and (np.abs(rates) < STICKS * law.smooth).all():
                    found[name] = float(rates[-1])
        return {name: rate for name, rate in found.items() if abs(rate) > 1e-6 * forces[name].smooth}

    def _pose(self, body: str, k: int) -> Pose:
        return Pose(self.rotation[body][k], self.position[body][k])

    def __str__(self) -> str:
        forces: dict[str, Any] = self.mechanism.forces
        creeps = "".join(
            f"\n{name}: dry friction holds, and creeps by {rate:.3g} {unit}/s, as it is smoothed (`smooth`)"
            for name, rate in self.creeping.items()
            for unit in [forces[name].on.unit]
        )
        reached = f"{self.t[-1]:g} s" if len(self.t) else "no output time"
        return (
            f"{self.mechanism.name} ({self.formulation}): {reached} in {counted(self.steps, 'step')}, "
            f"drift {self.drift:.1e} m or rad, energy error {self.energy_error:.1e} J"
            + (f", changes on the way: {len(self.changes)}" if self.changes else "")
            + creeps
            + (f"\n{self.status}" if self.status else "")
        )


def simulated_states(compiled: System, laws: Laws, t: np.ndarray, y: np.ndarray, p: np.ndarray) -> SimulatedStates:
    """Accelerations and actuator forces at the states y (n, ·) of one motion, with constants p (m,) or (n, m)."""
    nq, nv, _, _ = compiled.sizes
    states = t[:, None], np.ascontiguousarray(y[:, :nq]), np.ascontiguousarray(y[:, nq : nq + nv]), p
    a, u, _ = solved_with_care(compiled, lambda one: acceleration_function(one, laws), *states)
    forces = {name: u[:, k] for k, (name, _) in enumerate(laws)}
    return SimulatedStates(compiled, a, forces, p[..., len(laws) :])


def simulated_reactions(
    compiled: System, laws: Laws, t: np.ndarray, y: np.ndarray, p: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Reactions (N, n, 6) by joint, and forces (N, n) of couplings on their coordinates, at states y (N, n, ·) and
    times t (n,), with constants p as for `repeated`."""
    nq, nv, _, _ = compiled.sizes
    flat = y.reshape(-1, y.shape[-1])
    states = np.tile(t, len(y))[:, None], flat[:, :nq], flat[:, nq : nq + nv], repeated(p, y)
    wrenches, _ = solved_with_care(compiled, lambda one: reaction_function(one, laws), *states)
    names = list(compiled.mechanism.template.joints)
    wrenches, mechanism = wrenches.reshape(*y.shape[:2], -1), compiled.mechanism
    forces = by_coupling(wrenches[..., 6 * len(names) :], mechanism, undetermined_couplings(compiled))
    return by_joint(wrenches, names, undetermined(compiled)), forces


def repeated(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Constants for every state of y (N, n, ·): (m,) if they are the same for all, else (N n, m)."""
    if p.ndim == 1:
        return p
    return (p if p.ndim == 3 else np.broadcast_to(p[:, None], (*y.shape[:2], p.shape[-1]))).reshape(-1, p.shape[-1])
