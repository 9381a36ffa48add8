"""Equations of fusion: steps of the filters, and what a pose is measured by, as symbols."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from poinsot.engine import Kernel, kernel
from poinsot.lazy import casadi
from poinsot.spatial.rotation import quaternion_matrix, quaternion_rate
from poinsot.system.stored import stored

if TYPE_CHECKING:
    from poinsot.system.system import System

LED = 0.5  # by which gravity leads attitudes  [rad/s]


@lru_cache(16)
def filter_step(s: int, m: int, F_pattern: bytes, Q_pattern: bytes) -> Kernel:
    """(x, P, F, d, Q, z, H, r) -> x₊, P₊, x, P after the measurements, NIS."""
    x, P, d = casadi.SX.sym("x", s), casadi.SX.sym("P", s, s), casadi.SX.sym("d", s)
    F, Q = (casadi.SX.sym(n, _pattern(b, s)) for n, b in (("F", F_pattern), ("Q", Q_pattern)))
    z, H, r = casadi.SX.sym("z", m), casadi.SX.sym("H", m, s), casadi.SX.sym("r", m)
    after, C, nis = x, P, casadi.SX(0)
    for j in range(m):
        Ph = C @ H[j, :].T
        S, e = H[j, :] @ Ph + r[j], z[j] - H[j, :] @ after
        after, C = after + Ph * (e / S), C - casadi.triu2symm(casadi.triu(Ph @ Ph.T / S))
        nis += e**2 / S
    ahead = casadi.triu2symm(casadi.triu(F @ C @ F.T + Q))
    outputs = [F @ after + d, ahead, after, C, nis]
    return kernel(casadi.Function("kalman", [x, P, F, d, Q, z, H, r], [casadi.densify(y) for y in outputs]), lanes=1)


@lru_cache(16)
def smoother_step(s: int, m: int, F_pattern: bytes) -> Kernel:
    """(λ, Λ, P, F, z − H x, H, r) -> Fᵀλ₋ and FᵀΛ₋F of the time before, and λ, Λ after the measurements.

    P and x are what was predicted, and F leads from the time before.
    """
    lam, L = after = [casadi.SX.sym("lam", s), casadi.SX.sym("L", s, s)]
    P, F = casadi.SX.sym("P", s, s), casadi.SX.sym("F", _pattern(F_pattern, s))
    e, H, r = casadi.SX.sym("e", m), casadi.SX.sym("H", m, s), casadi.SX.sym("r", m)
    rows, C, x = [], P, casadi.SX(s, 1)
    for j in range(m):
        h, Ph = H[j, :].T, C @ H[j, :].T
        S = h.T @ Ph + r[j]
        rows.append((h, Ph / S, S, e[j] - h.T @ x))
        x, C = x + Ph * (rows[-1][3] / S), C - casadi.triu2symm(casadi.triu(Ph @ Ph.T / S))
    for h, K, S, left in reversed(rows):
        LK = L @ K
        lam = lam - h * (K.T @ lam + left / S)
        L = L + casadi.triu2symm(casadi.triu((K.T @ LK + 1 / S) * (h @ h.T) - LK @ h.T - h @ LK.T))
    outputs = [F.T @ lam, casadi.triu2symm(casadi.triu(F.T @ L @ F)), *after]
    return kernel(casadi.Function("smoother", [*after, P, F, e, H, r], [casadi.densify(y) for y in outputs]), lanes=1)


def _pattern(flags: bytes, s: int) -> casadi.Sparsity:
    rows, columns = np.nonzero(np.frombuffer(flags, bool).reshape(s, s))
    return casadi.Sparsity.triplet(s, s, rows.tolist(), columns.tolist())


@stored
def pose_rows(compiled: System, body: str, encoders: tuple[str, ...]) -> casadi.Function:
    """(q, p) -> X_WB by rows, J, Φ, C, h, H."""
    e = compiled.equations
    k = e.kinematics
    X, V = k.poses[body], k.twists[body]
    place = casadi.vertcat(casadi.SX(X.p), casadi.vec(casadi.SX(X.R).T))
    J = casadi.jacobian(casadi.vertcat(casadi.SX(V.v), casadi.SX(V.w)), e.v)
    read = (compiled.elements.sensors[name].on for name in encoders)
    along = [compiled.along(on) for on in read if on is not None]
    h = casadi.vertcat(casadi.SX(0, 1), *(casadi.SX(s) for s, _ in along))
    H = casadi.jacobian(casadi.vertcat(casadi.SX(0, 1), *(casadi.SX(rate) for _, rate in along)), e.v)
    C = casadi.jacobian(k.all_phi, e.q) @ e.N
    outputs = [place, J, k.all_phi, C, h, H]
    return casadi.Function("rows", [e.q, e.p], [casadi.densify(x) for x in outputs])


@lru_cache(1)
def complementary() -> Kernel:
    """(quaternion, b, y_ω, y_f, Δt, g) -> quaternion, b: the gyroscope, led by gravity."""
    q, b, w, f, dt, g = (casadi.SX.sym(name, size) for name, size in zip("qbwfdg", (4, 3, 3, 3, 1, 3)))
    off = casadi.cross(f / casadi.norm_2(f), quaternion_matrix(q).T @ (-g / casadi.norm_2(g)))
    ahead = q + dt * quaternion_rate(q, w - b + LED * off)
    outputs = [ahead / casadi.norm_2(ahead), b - LED**2 / 10 * off * dt]
    return kernel(casadi.Function("complementary", [q, b, w, f, dt, g], outputs), lanes=1)


@stored
def body_motion(compiled: System, body: str) -> casadi.Function:
    """(q, v, u, p) -> C and the twist of a body per speed; what of their rates does not come from v̇."""
    e = compiled.equations
    twist = casadi.vertcat(*e.world_twist(body))
    rate = e.rate(twist, casadi.SX(e.v.size1(), 1))
    L = casadi.vertcat(e.kinematics.C, casadi.jacobian(twist, e.v))
    return compiled.dynamics.function("body_motion", [casadi.densify(L), casadi.vertcat(-e.kinematics.gamma, rate)])
