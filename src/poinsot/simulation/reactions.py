"""Accelerations, actuator forces and joint reactions along a simulated motion."""

from __future__ import annotations

import numpy as np

from poinsot.motion.reactions import by_joint
from poinsot.motion.undetermined import undetermined
from poinsot.simulation.equations import Laws, acceleration_function, reaction_function
from poinsot.simulation.record import SimulatedStates
from poinsot.system.system import System
from poinsot.system.variants import UNSURE, careful


def simulated_states(compiled: System, laws: Laws, t: np.ndarray, y: np.ndarray, p: np.ndarray) -> SimulatedStates:
    """Accelerations and actuator forces at the states y (n, ·) of one motion, with constants p (m,) or (n, m)."""
    nq, nv, _, _ = compiled.sizes
    states = t[:, None], np.ascontiguousarray(y[:, :nq]), np.ascontiguousarray(y[:, nq : nq + nv]), p
    a, u, check = acceleration_function(compiled, laws)(*states)
    unsure = ~(check.ravel() > UNSURE) | ~np.isfinite(a).all(axis=1)
    if unsure.any():
        again = (x[unsure] if x.ndim == 2 else x for x in states)
        a[unsure] = acceleration_function(careful(compiled), laws)(*again)[0]
    forces = {name: u[:, k] for k, (name, _) in enumerate(laws)}
    return SimulatedStates(compiled, a, forces, p[..., len(laws) :])


def simulated_reactions(
    compiled: System, laws: Laws, t: np.ndarray, y: np.ndarray, p: np.ndarray
) -> dict[str, np.ndarray]:
    """Reactions (N, n, 6) by joint at states y (N, n, ·) and times t (n,), with constants p as for `repeated`."""
    nq, nv, _, _ = compiled.sizes
    flat = y.reshape(-1, y.shape[-1])
    states = np.tile(t, len(y))[:, None], flat[:, :nq], flat[:, nq : nq + nv], repeated(p, y)
    wrenches, check = reaction_function(compiled, laws)(*states)
    unsure = ~(check.ravel() > UNSURE) | ~np.isfinite(wrenches).all(axis=1)
    if unsure.any():  # as far as the equations are concerned; what is not determined is told apart below
        again = (x[unsure] if x.ndim == 2 else x for x in states)
        wrenches[unsure] = reaction_function(careful(compiled), laws)(*again)[0]
    names = list(compiled.mechanism.template.joints)
    return by_joint(wrenches.reshape(*y.shape[:2], -1), names, undetermined(compiled))


def repeated(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Constants for every state of y (N, n, ·): (m,) if they are the same for all, else (N n, m)."""
    if p.ndim == 1:
        return p
    return (p if p.ndim == 3 else np.broadcast_to(p[:, None], (*y.shape[:2], p.shape[-1]))).reshape(-1, p.shape[-1])
