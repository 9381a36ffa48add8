"""What every question asks of a system: accelerations, poses, what is seen at a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot import formulations
from poinsot.elements import GROUND
from poinsot.lazy import casadi
from poinsot.spatial.pose import Pose
from poinsot.system.stored import stored, stored_parts

if TYPE_CHECKING:
    from poinsot.system.system import System


@dataclass(frozen=True)
class Observed:
    """What is seen of a mechanism at a state; at N states all arrays have a leading axis N."""

    rates: dict[str, np.ndarray]  # by body, acceleration of its origin and angular, in the world (6,)  [m/s², rad/s²]
    reactions: dict[str, np.ndarray]  # by joint, wrench on its second body in its frame there (6,)  [N, N·m]
    position: dict[str, np.ndarray]  # by body, origin in the world (3,)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (3, 3)


@stored
def forward(compiled: System) -> casadi.Function:
    """(q, v, u, p) -> v̇, λ and a check value that tells near-singularity."""
    return compiled.dynamics.forward


@stored
def all_rows(compiled: System) -> casadi.Function:
    """(q, v, u, p) -> residuals of all constraint rows, redundant ones included."""
    return compiled.dynamics.function("all_rows", [compiled.equations.kinematics.all_phi])


@stored
def _poses(compiled: System) -> casadi.Function:
    return compiled.dynamics.function("poses", [places(compiled)])


@stored
def _displaced(compiled: System) -> casadi.Function:
    e = compiled.equations
    return casadi.Function("displaced", [e.q, e.v, e.p], [formulations.unit_quaternions(e, e.q + e.kinematics.q_dot)])


@stored
def _observed(compiled: System) -> casadi.Function:
    """(q, v, v̇, λ, u, p) -> places of all bodies, their accelerations, reactions of all joints in one column."""
    e = compiled.equations
    _, nv, m, _ = e.sizes
    rate, multipliers = casadi.SX.sym("a", nv), casadi.SX.sym("lam", m)
    wrenches = formulations.joint_reactions(e, rate, multipliers)
    columns = [
        places(compiled),
        *(e.rate(casadi.vertcat(*e.world_twist(name)), rate) for name in compiled.mechanism.template.bodies),
    ]
    for name in compiled.mechanism.template.joints:
        columns += [casadi.SX(wrenches[name].f), casadi.SX(wrenches[name].n)]
    inputs = [e.q, e.v, rate, multipliers, e.u, e.p]
    return casadi.Function("observed", inputs, [casadi.densify(casadi.vertcat(*columns))])


@stored
def rates_and_inertias(compiled: System, names: tuple[str, ...]) -> casadi.Function:
    """(q, v, u, p) -> [C; J], with the rates of named coordinates ṡ = J v, and what kinetic energy is made of: twists
    of all bodies (6 b, nv), their inertial parameters (10, b), rates of drives (k, nv), their inertias (k, 1)."""
    e = compiled.equations
    rates = casadi.vertcat(*(compiled.coordinate(name)[1] for name in names))
    bodies, V = compiled.elements.bodies, e.kinematics.twists
    twists = [casadi.SX(part) for name in bodies for part in (V[name].v, V[name].w)]
    inertias = [casadi.SX(body.inertial_parameters()) for body in bodies.values()]
    drives = formulations.drive_inertias(e)
    moving = casadi.vertcat(casadi.SX(0, 1), *(s_dot for s_dot, _ in drives))
    outputs = [
        casadi.vertcat(e.kinematics.C, casadi.jacobian(rates, e.v)),
        casadi.jacobian(casadi.vertcat(*twists), e.v),
        casadi.horzcat(*inertias),
        casadi.jacobian(moving, e.v),
        casadi.vertcat(casadi.SX(0, 1), *(inertia for _, inertia in drives)),
    ]
    return compiled.dynamics.function("rates", [casadi.densify(x) for x in outputs])


@stored_parts
def turns(compiled: System) -> tuple[dict[str, casadi.Function], list[list[bool]]]:
    """Which coordinates (nq,) and which speeds (nv,) are turns."""
    e = compiled.equations
    nq, nv, _, _ = e.sizes
    angular = casadi.vertcat(*(casadi.SX(V.w) for V in e.kinematics.twists.values()))
    speeds = set(casadi.jacobian(angular, e.v).sparsity().get_triplet()[1])
    rows, columns = e.N.sparsity().get_triplet()
    lengths = {row for row, column in zip(rows, columns) if column not in speeds}
    return {}, [[i not in lengths for i in range(nq)], [j in speeds for j in range(nv)]]


@stored
def independent_quality(compiled: System) -> casadi.Function:
    """(q, v, u, p) -> how good the independent rates are."""
    return compiled.dynamics.function("quality", [compiled.dynamics.embedding.quality])


@stored_parts
def independent_slopes(compiled: System, wanted: tuple[str, ...]) -> tuple[dict[str, casadi.Function], list[float]]:
    """(q, v, u, p) -> C, rates of the coordinates wanted per speed, and masses; sizes of those coordinates."""
    e, given = compiled.equations, formulations.slopes(compiled.equations, wanted)
    function = compiled.dynamics.function("slopes", [e.kinematics.C, given.S, casadi.diag(e.balance.M).T])
    return {"slopes": function}, given.scales.tolist()


@stored
def walk_function(compiled: System) -> casadi.Function:
    """(q, step, u, p) -> C, Φ, γ, rates of the actuators per speed, and the coordinates after the step."""
    e = compiled.equations
    moved = formulations.unit_quaternions(e, e.q + e.kinematics.q_dot)
    driven = [compiled.along(actuator.on)[1] for actuator in compiled.elements.actuators.values()]
    J = casadi.jacobian(casadi.vertcat(*driven), e.v) if driven else casadi.SX(0, e.v.size1())
    outputs = (e.kinematics.C, e.kinematics.phi, e.kinematics.gamma, J, moved)
    return compiled.dynamics.function("walk", [casadi.densify(x) for x in outputs])


def places(compiled: System) -> casadi.SX:
    """Position and rotation matrix, by rows, of every body as one column of symbols (12 b, 1)."""
    poses = [compiled.equations.kinematics.poses[name] for name in compiled.elements.bodies]
    return casadi.vertcat(*(casadi.vertcat(casadi.SX(X.p), casadi.vec(casadi.SX(X.R.T))) for X in poses))


def body_poses(compiled: System, q: np.ndarray, p: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Positions (N, 3) [m] and rotation matrices (N, 3, 3) of all bodies for coordinates q (N, nq)."""
    names = list(compiled.mechanism.template.bodies)
    _, nv, _, nu = compiled.sizes
    (flat,) = _poses(compiled)(q, np.zeros(nv), np.zeros(nu), p)
    flat = flat.reshape(len(q), len(names), 12)
    position = {n: flat[:, k, :3].copy() for k, n in enumerate(names)}
    return position, {n: flat[:, k, 3:].reshape(-1, 3, 3).copy() for k, n in enumerate(names)}


def poses_at(compiled: System, q: np.ndarray, p: np.ndarray) -> dict[str, Pose]:
    """Poses of all bodies, the ground included, for coordinates q (nq,)."""
    position, rotation = body_poses(compiled, q[None], p)
    return {GROUND: Pose.identity()} | {name: Pose(rotation[name][0], position[name][0]) for name in position}


@stored
def _q_dot(compiled: System) -> casadi.Function:
    return compiled.dynamics.function("q_dot", [compiled.equations.kinematics.q_dot])


def coordinate_rates(compiled: System, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    """q̇ (n, nq)."""
    return _q_dot(compiled)(q, v, np.zeros(compiled.sizes[3]), p)[0]


def displaced(compiled: System, q: np.ndarray, step: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Coordinates (nq,) after a step (nv,) in the directions of the speeds, quaternions at unit length."""
    return np.asarray(_displaced.formula(compiled).function(q, step, p)).ravel()


def displaced_states(compiled: System, q: np.ndarray, steps: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The same for N coordinates (N, nq) and steps (N, nv)."""
    return _displaced(compiled)(q, steps, p)[0]


def observe(compiled: System, *state: np.ndarray, native: bool = True) -> Observed:
    """Poses and accelerations of all bodies and reactions of all joints at a state (q, v, v̇, λ, u, p), or at N with
    a leading axis. Without `native` at one only: code is not worth its time where a state is asked for once.
    """
    if native:
        return _split(compiled, _observed(compiled)(*state)[0])
    return _split(compiled, np.asarray(_observed.formula(compiled).function(*state)).ravel())


def _split(compiled: System, flat: Any) -> Observed:
    """What `_observed` puts in one column, (…, 12 b + 6 b + 6 k), as views: copies cost as much as the kernel."""
    bodies, joints = list(compiled.mechanism.template.bodies), list(compiled.mechanism.template.joints)
    shape, first = flat.shape[:-1], 12 * len(bodies)
    placed, six = flat[..., :first].reshape(*shape, -1, 12), flat[..., first:].reshape(*shape, -1, 6)
    rotation = placed[..., 3:].reshape(*shape, -1, 3, 3)
    return Observed(
        {name: six[..., k, :] for k, name in enumerate(bodies)},
        {name: six[..., k, :] for k, name in enumerate(joints, len(bodies))},
        {name: placed[..., k, :3] for k, name in enumerate(bodies)},
        {name: rotation[..., k, :, :] for k, name in enumerate(bodies)},
    )
