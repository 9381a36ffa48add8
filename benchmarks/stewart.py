"""Forward dynamics of a 6-UPS platform in maximal coordinates, written out by hand.

Thirteen bodies (lower and upper part of six legs, platform), 78 accelerations, 72 constraints: 4 of each
universal joint on the ground, 5 of each prismatic joint, 3 of each spherical joint on the platform.
Body k: pose 7 k … 7 k + 6 (position [m], quaternion wxyz), twist 6 k … 6 k + 5 (v [m/s], w [rad/s], world).
"""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np

from poinsot.engine import Block, Link, elimination_order, kkt

__all__ = ["LEGS", "forward_dynamics", "solution", "states", "system"]

LEGS = 6
PLATFORM = 2 * LEGS
LOWER_LENGTH, UPPER_LENGTH = 0.25, 0.25  # joint to mass centre [m]
_ANGLES = np.deg2rad([-10, 10, 110, 130, 230, 250])
BASE = np.stack([0.8 * np.cos(_ANGLES * 0.9), 0.8 * np.sin(_ANGLES * 0.9), 0 * _ANGLES], 1)  # [m]
PLATE = np.stack([0.4 * np.cos(_ANGLES * 1.1), 0.4 * np.sin(_ANGLES * 1.1), 0 * _ANGLES], 1)  # [m]
AXIS = np.stack([-np.sin(_ANGLES), np.cos(_ANGLES), 0 * _ANGLES], 1)  # universal joint's ground axis [-]
PARAMETERS = np.array([2.0, 0.05, 0.05, 0.004, 1.0, 0.03, 0.03, 0.001, 12.0, 0.4, 0.4, 0.7])  # m, Ixx, Iyy, Izz


def rotation(e):
    """Rotation matrix of a quaternion wxyz."""
    w, x, y, z = (e[i] for i in range(4))
    return ca.blockcat(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _quaternion_rate(e, w):
    return 0.5 * ca.vertcat(-ca.dot(e[1:], w), e[0] * w + ca.cross(w, e[1:]))


def _point_velocity(V, body, r):
    """Velocity of the point r (world, from the mass centre) of a body."""
    v, w = V[6 * body : 6 * body + 3], V[6 * body + 3 : 6 * body + 6]
    return v + ca.cross(w, r)


def _leg_constraints(leg, p, R, V):
    """Velocities that vanish: universal joint, prismatic joint, spherical joint."""
    lower, upper = 2 * leg, 2 * leg + 1
    w_l, w_u = (V[6 * b + 3 : 6 * b + 6] for b in (lower, upper))
    x, y, s = R[lower][:, 0], R[lower][:, 1], R[lower][:, 2]
    foot = _point_velocity(V, lower, -LOWER_LENGTH * s)
    twist_free = ca.dot(AXIS[leg], ca.cross(w_l, x))
    between = p[upper] - p[lower]
    slide = V[6 * upper : 6 * upper + 3] - V[6 * lower : 6 * lower + 3] - ca.cross(w_l, between)
    head = _point_velocity(V, upper, UPPER_LENGTH * R[upper][:, 2])
    plate = _point_velocity(V, PLATFORM, R[PLATFORM] @ PLATE[leg])
    return [
        ca.vertcat(foot, twist_free),
        ca.vertcat(ca.dot(x, slide), ca.dot(y, slide), w_u - w_l),
        head - plate,
    ]


def _blocks_and_links():
    blocks = [Block(f"body {k}", tuple(range(6 * k, 6 * k + 6))) for k in range(13)]
    links = []
    for leg in range(LEGS):
        lower, upper, row = f"body {2 * leg}", f"body {2 * leg + 1}", 12 * leg
        links += [
            Link(f"universal {leg}", tuple(range(row, row + 4)), (lower,)),
            Link(f"prismatic {leg}", tuple(range(row + 4, row + 9)), (lower, upper)),
            Link(f"spherical {leg}", tuple(range(row + 9, row + 12)), (upper, f"body {PLATFORM}")),
        ]
    return blocks, links


def _equations():
    """Symbols (q, V, u, parameters) and M, C, Q, γ of the platform."""
    q, V, u, par = ca.SX.sym("q", 91), ca.SX.sym("V", 78), ca.SX.sym("u", LEGS), ca.SX.sym("p", 12)
    p = [q[7 * k : 7 * k + 3] for k in range(13)]
    e = [q[7 * k + 3 : 7 * k + 7] for k in range(13)]
    R = [rotation(ek) for ek in e]
    w = [V[6 * k + 3 : 6 * k + 6] for k in range(13)]
    q_dot = ca.vertcat(*[ca.vertcat(V[6 * k : 6 * k + 3], _quaternion_rate(e[k], w[k])) for k in range(13)])
    C_V = ca.vertcat(*[c for leg in range(LEGS) for c in _leg_constraints(leg, p, R, V)])
    gamma = -ca.jtimes(C_V, q, q_dot)
    kinds = [par[0:4], par[4:8]] * LEGS + [par[8:12]]
    masses, forces = [], []
    for k, kind in enumerate(kinds):
        inertia = R[k] @ ca.diag(kind[1:]) @ R[k].T
        masses += [kind[0] * ca.SX.eye(3), inertia]
        push = u[k // 2] * R[k][:, 2] * (1 if k % 2 else -1) if k < PLATFORM else ca.SX.zeros(3)
        forces.append(ca.vertcat(push + ca.vertcat(0, 0, -9.81 * kind[0]), -ca.cross(w[k], inertia @ w[k])))
    return (q, V, u, par), (ca.diagcat(*masses), ca.jacobian(C_V, V), ca.vertcat(*forces), gamma)


@cache
def system() -> ca.Function:
    """Build (q, V, u, parameters) -> (M, C, Q, γ), for a dense solution to compare with."""
    return ca.Function("system", *map(list, _equations()))


@cache
def solution(early: bool = True):
    """Solve the platform's KKT system in SX; gives the symbols and the solution."""
    symbols, (M, C, Q, gamma) = _equations()
    sample = None
    if early:
        q0, V0, u0, p0 = states(1, np.random.default_rng(0))
        sample = np.array(system()(q0[0], V0[0], u0[0], p0)[1])
    return symbols, kkt(M, C, Q, gamma, elimination_order(*_blocks_and_links(), jacobian=sample))


@cache
def forward_dynamics(early: bool = True) -> ca.Function:
    """Build (q, V, u, parameters) -> (accelerations, multipliers, check of the factorisation)."""
    symbols, s = solution(early)
    return ca.Function("stewart", list(symbols), [s.acceleration, s.multipliers, s.factor.check])


def states(n: int, rng: np.random.Generator):
    """Draw platform poses and place the legs; returns q (n, 91), V (n, 78), u (n, 6), parameters (12,)."""
    q = np.empty((n, 13, 7))
    position = np.array([0, 0, 0.9]) + 0.1 * rng.uniform(-1, 1, (n, 3))
    turn = np.concatenate([np.ones((n, 1)), 0.1 * rng.uniform(-1, 1, (n, 3))], 1)
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    q[:, PLATFORM] = np.concatenate([position, turn], 1)
    w, v = turn[:, :1], turn[:, 1:]
    for leg in range(LEGS):
        b = PLATE[leg]
        head = position + b + 2 * np.cross(v, np.cross(v, b) + w * b)
        s = head - BASE[leg]
        s /= np.linalg.norm(s, axis=1, keepdims=True)
        x = np.cross(AXIS[leg], s)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        frame = _quaternion(np.stack([x, np.cross(s, x), s], 2))
        q[:, 2 * leg] = np.concatenate([BASE[leg] + LOWER_LENGTH * s, frame], 1)
        q[:, 2 * leg + 1] = np.concatenate([head - UPPER_LENGTH * s, frame], 1)
    return q.reshape(n, 91), rng.normal(size=(n, 78)), 100 * rng.normal(size=(n, 6)), PARAMETERS


def _quaternion(R: np.ndarray) -> np.ndarray:
    """Quaternions wxyz of rotation matrices (n, 3, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat()[:, [3, 0, 1, 2]]
