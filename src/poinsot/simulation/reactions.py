"""Accelerations, actuator forces and joint reactions along a simulated motion."""

from __future__ import annotations

import numpy as np

from poinsot.motion.reactions import by_joint
from poinsot.motion.undetermined import undetermined
from poinsot.simulation.equations import Laws, acceleration_function, reaction_function
from poinsot.simulation.record import SimulatedStates
from poinsot.system.system import System
from poinsot.system.variants import solved_with_care


def simulated_states(compiled: System, laws: Laws, t: np.ndarray, y: np.ndarray, p: np.ndarray) -> SimulatedStates:
    """Accelerations and actuator forces at the states y (n, ·) of one motion, with constants p (m,) or (n, m)."""
    nq, nv, _, _ = compiled.sizes
    states = t[:, None], np.ascontiguousarray(y[:, :nq]), np.ascontiguousarray(y[:, nq : nq + nv]), p
    a, u, _ = solved_with_care(compiled, lambda one: acceleration_function(one, laws), *states)
    forces = {name: u[:, k] for k, (name, _) in enumerate(laws)}
    return SimulatedStates(compiled, a, forces, p[..., len(laws) :])


def simulated_reactions(
    compiled: System, laws: Laws, t: np.ndarray, y: np.ndarray, p: np.ndarray
) -> dict[str, np.ndarray]:
    """Reactions (N, n, 6) by joint at states y (N, n, ·) and times t (n,), with constants p as for `repeated`."""
    nq, nv, _, _ = compiled.sizes
    flat = y.reshape(-1, y.shape[-1])
    states = np.tile(t, len(y))[:, None], flat[:, :nq], flat[:, nq : nq + nv], repeated(p, y)
    wrenches, _ = solved_with_care(compiled, lambda one: reaction_function(one, laws), *states)
    names = list(compiled.mechanism.template.joints)
    return by_joint(wrenches.reshape(*y.shape[:2], -1), names, undetermined(compiled))


def repeated(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Constants for every state of y (N, n, ·): (m,) if they are the same for all, else (N n, m)."""
    if p.ndim == 1:
        return p
    return (p if p.ndim == 3 else np.broadcast_to(p[:, None], (*y.shape[:2], p.shape[-1]))).reshape(-1, p.shape[-1])
