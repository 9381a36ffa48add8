"""Exact derivatives with respect to any parameter, by implicit differentiation.

A driven motion (q, v, a) solves A = [C; J] systems on three levels, so its derivatives solve the same systems:

    A δq = −∂[Φ; s]          A δv = −∂[C v; J v]          A δa = −∂[C a − γ; J a + J̇ v]

each with what the level before gives; forces and reactions then follow by the chain rule. A simulated motion has
δẏ = f_y δy + f_p, integrated together with the motion itself  (theory/dynamics, eq. 17, 18).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poinsot.engine import Integrator, integrator
from poinsot.errors import PoinsotError, list_of_names
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.state import GivenPose, named_pose
from poinsot.motion.inverse_dynamics import require_actuators
from poinsot.motion.kinematics import solve_path
from poinsot.results import Result
from poinsot.simulation.equations import (
    augmented_motion,
    coordinate_slopes,
    driven_sensitivity,
    start_slopes,
)
from poinsot.simulation.record import Simulation
from poinsot.simulation.simulate import simulate
from poinsot.spatial.algebra import Numbers
from poinsot.system.initial_state import state
from poinsot.system.stored import remembered
from poinsot.system.system import System, start, system


@dataclass(frozen=True, eq=False)
class Sensitivity(Result):
    """Derivatives of a driven motion with respect to k parameters, at n times."""

    wrt: tuple[str, ...]  # k parameters
    t: np.ndarray  # (n,)  [s]
    forces: dict[str, np.ndarray]  # by actuator (n, k)
    body_forces: dict[str, np.ndarray]  # by body, of Q_e − M q̈ (n, 6, k)
    coordinates: dict[str, np.ndarray]  # by name (n, k)
    mechanism: Mechanism = field(repr=False)

    _over, _plot = ("t", "t"), {"forces": "∂ forces", "coordinates": "∂ coordinates"}


@dataclass(frozen=True, eq=False)
class MotionSensitivity(Result):
    """Derivatives of a simulated motion with respect to k parameters, at n times."""

    wrt: tuple[str, ...]  # k parameters
    simulation: Simulation
    coordinates: dict[str, np.ndarray]  # by name (n, k)
    q: np.ndarray  # (n, nq, k)
    v: np.ndarray  # (n, nv, k)
    mechanism: Mechanism = field(repr=False)

    _over, _columns = ("t", "simulation.t"), {"q": ("q", "SI"), "v": ("v", "SI")}
    _plot = {"coordinates": "∂ coordinates"}


def sensitivity(mechanism: Mechanism, motion: Mapping[str, Any], t: Numbers, wrt: Sequence[str]) -> Sensitivity:
    """Derivatives of inverse dynamics along a prescribed motion with respect to any parameters.

    `mechanism`, `motion` and `t` (n,) [s] as for `inverse_dynamics`; `wrt` names parameters.

    >>> import poinsot
    >>> five_bar = poinsot.load("five_bar")
    >>> d = poinsot.sensitivity(five_bar, five_bar.elements.pose, [0.0], ["crank1.mass"])
    >>> d.forces["shoulder1"].shape
    (1, 1)
    """
    wrt = _known(mechanism, wrt)
    compiled = system(mechanism, "joint", wrt)
    require_actuators(compiled)
    path = solve_path(mechanism, motion, t, "joint", wrt)
    solve = driven_sensitivity(compiled, tuple(motion), wrt)
    (flat,) = solve(path.q, path.v, path.a, np.ones(len(compiled.commands)), path.p)
    flat = flat.reshape(len(path.t), len(wrt), -1).transpose(0, 2, 1)
    names, bodies = list(compiled.elements.coordinates), list(compiled.elements.bodies)
    first, second = len(compiled.commands), len(compiled.commands) + 6 * len(bodies)
    return Sensitivity(
        wrt=wrt,
        t=path.t,
        forces={name: flat[:, k] for k, name in enumerate(compiled.commands)},
        body_forces={name: flat[:, first + 6 * k : first + 6 * k + 6] for k, name in enumerate(bodies)},
        coordinates={name: flat[:, second + k] for k, name in enumerate(names)},
        mechanism=mechanism,
    )


def _known(mechanism: Mechanism, wrt: Sequence[str]) -> tuple[str, ...]:
    wrt = list_of_names(wrt, "parameters to differentiate by")
    require_mechanism(mechanism).parameters.require(wrt)
    if not wrt:
        raise PoinsotError("name at least one parameter to differentiate with respect to")
    return wrt


def motion_sensitivity(
    mechanism: Mechanism,
    t_end: float,
    wrt: Sequence[str],
    *,
    t: Numbers | None = None,
    forces: Mapping[str, float] | None = None,
    pose: GivenPose = None,
    rtol: float = 1e-11,
    atol: float = 1e-13,
) -> MotionSensitivity:
    """Derivatives of a simulated motion, from rest under constant forces, with respect to any parameters.

    `mechanism` until `t_end` [s]; `wrt` names parameters; `t` (n,) [s], `forces` [N or N·m], `pose`, `rtol` and
    `atol` as for `simulate`.

    A parameter of the geometry also moves the start: the coordinates of the pose keep their values there.
    """
    wrt, pose = _known(mechanism, wrt), named_pose(pose)
    run = simulate(mechanism, t_end, t=t, forces=forces, pose=pose, parameters=None, rtol=rtol, atol=atol)
    begin = start(mechanism, pose)
    compiled = system(mechanism, "joint", wrt, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    q, v = state(compiled, begin, p, None)
    S0 = _start_sensitivity(compiled, q, p, tuple(pose if pose is not None else mechanism.elements.pose), wrt)
    u = compiled.forces(forces or {})
    grid = run.t if run.t[0] == 0 else np.concatenate([[0.0], run.t])
    motion = _augmented(compiled, wrt)
    y0 = np.concatenate([q, v, S0.T.ravel()])
    found = motion(grid, y0, np.concatenate([u, p]), rtol=rtol, atol=atol).y[0][-len(run.t) :]
    nq, nv, _, _ = compiled.equations.sizes
    S = found[:, nq + nv :].reshape(len(run.t), len(wrt), nq + nv).transpose(0, 2, 1)
    named = _coordinates(compiled, found[:, :nq], S[:, :nq], p, wrt)
    return MotionSensitivity(wrt, run, named, S[:, :nq], S[:, nq:], mechanism)


def _start_sensitivity(
    compiled: System, q: np.ndarray, p: np.ndarray, held: tuple[str, ...], wrt: tuple[str, ...]
) -> np.ndarray:
    """∂(q, v)/∂p at the start (nq + nv, k): constraints kept, the pose's coordinates at their values."""
    A, b, N = (np.asarray(x) for x in start_slopes(compiled, held, wrt)(q, p))
    still = np.zeros((compiled.sizes[1], len(wrt)))
    change = np.linalg.lstsq(A, -b, rcond=1e-11)[0] if len(A) else still
    return np.concatenate([N @ change, still])


@remembered
def _augmented(compiled: System, wrt: tuple[str, ...]) -> Integrator:
    """The native loop for the motion and its derivatives: one factorisation, a right-hand side a parameter."""
    return integrator(**augmented_motion(compiled, wrt).functions)


def _coordinates(
    compiled: System, q: np.ndarray, S: np.ndarray, p: np.ndarray, wrt: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Derivatives of the named coordinates (n, k)."""
    found = {}
    for name in compiled.elements.coordinates:
        slopes = coordinate_slopes(compiled, name, wrt)
        rows = [tuple(np.asarray(x) for x in slopes(row, p)) for row in q]
        found[name] = np.stack([by_q.ravel() @ S[k] + by_p.ravel() for k, (by_q, by_p) in enumerate(rows)])
    return found
