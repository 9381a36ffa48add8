"""Loop-closing equations on the level of positions, velocities and accelerations.

Of M seen from F across the closing joint, let v be the velocity of its origin and ω its angular velocity, in the axes
of F. Then

    Φ̇ = G(X_FM) (v, ω),        Φ̈ = G (v̇, ω̇) + d/dt(G) (v, ω)        (theory/dynamics, eq. 6)

G comes from the joint's own residual by automatic differentiation. Where a joint holds the origins of F and M
together, the velocities of these two points in space are compared instead, in the axes of F or of M: in those of a
leg its own columns are nearly diagonal.

    R v_M − v_F = 0        or        v_M − Rᵀ v_F = 0

That is Φ̇ wherever Φ = 0, and the rate of x_M − x_F in the axes of the world, turned like Φ, everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poinsot.elements.coupling import JointCoupling
from poinsot.elements.joints import Joint
from poinsot.formulations.generalised_forces import Direct, along
from poinsot.lazy import casadi
from poinsot.model.parts import Elements
from poinsot.spatial.algebra import Mat3, Vec3, apply, cross, skew, transpose
from poinsot.spatial.motion import Twist, carry_twist
from poinsot.spatial.pose import Pose


@dataclass(frozen=True, eq=False)
class Closure:
    """Equations of one joint."""

    phi: Any  # (m, 1)
    C: Any  # (m, nv)
    gamma: Any  # (m, 1)
    turned: bool = False  # whether the rows of position are in the axes of M


@dataclass(frozen=True, eq=False)
class _End:
    """Twist of one side of a joint in its own axes, and its rate without v̇."""

    V: Twist
    A: Twist


def closure(
    joint: Joint,
    X_W: dict[str, Pose],
    V: dict[str, Twist],
    A: dict[str, Twist],
    v: Any,
    kept: tuple[int, ...],
    own: list[int],
    as_residual: bool = False,
) -> Closure:
    """The equations that a joint adds; kept are the rows that count, own the speeds that no other one links.

    `as_residual` keeps the axes of the joint's residual, which the axes of M may replace otherwise.
    """
    a, b = joint.a.body, joint.b.body
    X_AF, X_BM = joint.frame_on_a(), joint.frame_on_b()
    F = _End(carry_twist(X_AF, V[a]), carry_twist(X_AF, A[a]))
    M = _End(carry_twist(X_BM, V[b]), carry_twist(X_BM, A[b]))
    X_FM = (X_W[a] @ X_AF).inverse() @ (X_W[b] @ X_BM)
    points = [row for row in kept if row in joint.point_rows]
    parts = [_points(X_FM, F, M, v, points, own, as_residual)] if points else []
    if len(points) < len(kept):
        parts.append(_rows(joint, X_FM, F, M, v, tuple(row for row in kept if row not in points)))
    phi, C, gamma = (casadi.vertcat(*column) for column in zip(*((p.phi, p.C, p.gamma) for p in parts)))
    return Closure(phi, casadi.sparsify(C), gamma, any(part.turned for part in parts))


def coupled(
    coupling: JointCoupling, elements: Elements, X_W: dict[str, Pose], q: Any, v: Any, q_dot: Any, direct: Direct
):
    """The equation of a coupling: Φ = s − c, Φ̇ = ṡ = J v, γ = −J̇ v."""
    s, s_dot = (casadi.SX(x) for x in along(coupling.on, elements, X_W, q, q_dot, direct))
    C = casadi.sparsify(casadi.jacobian(s_dot, v))
    return Closure(coupling.residual(s), C, -casadi.jtimes(s_dot, q, q_dot))


def _rows(joint: Joint, X_FM: Pose, F: _End, M: _End, v: Any, kept: tuple[int, ...]) -> Closure:
    """Rows of the joint's residual."""
    twist, rate = (casadi.vertcat(casadi.SX(T.v), casadi.SX(T.w)) for T in _relative(X_FM, F, M))
    phi, G, G_dot_V = _differentiated(joint, X_FM, twist, kept)
    return Closure(phi, G @ casadi.jacobian(twist, v), -(G @ rate + G_dot_V))


def _points(X_FM: Pose, F: _End, M: _End, v: Any, axes: list[int], own: list[int], as_residual: bool) -> Closure:
    """The origins of F and M together, along some axes of F or of M, whichever couple fewer of its own speeds."""
    R, p, found = X_FM.R, X_FM.p, []
    in_F, in_M = _apart(R, F, M), _apart(transpose(R), M, F)
    for place, (speed, rate), sign in ((p, in_F, 1), (apply(transpose(R), p), in_M, -1)):
        phi, psi, psi_dot = (casadi.SX(x)[axes] for x in (place, speed, rate))
        C = casadi.sparsify(casadi.jacobian(psi, v))
        found.append(Closure(phi, sign * C, -sign * psi_dot, turned=sign < 0))
    return found[0] if as_residual else min(found, key=lambda one: _coupled(one, own))


def _coupled(one: Closure, own: list[int]) -> tuple[int, int]:
    """How many pairs of its own speeds some rows couple, and how many entries they have."""
    C = one.C[:, own]
    return (C.T @ C).nnz(), one.C.nnz()


def _apart(R: Mat3, here: _End, there: _End) -> tuple[Vec3, Vec3]:
    """Velocity of the point there relative to that here, in the axes of here, and its rate without v̇.

    R v' − v,        R v̇' − v̇ + (R ω' − ω) × R v'
    """
    speed, turn = apply(R, there.V.v), apply(R, there.V.w) - here.V.w
    return speed - here.V.v, apply(R, there.A.v) - here.A.v + cross(turn, speed)


def _relative(X_FM: Pose, F: _End, M: _End) -> tuple[Twist, Twist]:
    """Velocity of M's origin and angular velocity of M seen from F, in the axes of F, and their rates without v̇.

    v = R v_M − v_F − ω_F × p,        v̇ = d/dt(R v_M) − v̇_F − ω̇_F × p − ω_F × v,        ω = R ω_M − ω_F
    """
    R, p = X_FM.R, X_FM.p
    w_M = apply(R, M.V.w)
    w, (speed, rate) = w_M - F.V.w, _apart(R, F, M)
    v = speed - cross(F.V.w, p)
    v_rate = rate - cross(F.A.w, p) - cross(F.V.w, v)
    return Twist(v, w), Twist(v_rate, apply(R, M.A.w) + cross(w, w_M) - F.A.w)


def _differentiated(joint: Joint, X_FM: Pose, twist: Any, kept: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Φ, G and d/dt(G) (v, ω) of a joint at a pose and twist across it."""
    R, p = casadi.SX.sym("R", 3, 3), casadi.SX.sym("p", 3)
    speed, turn = casadi.SX.sym("v", 3), casadi.SX.sym("w", 3)
    phi = casadi.SX(joint.residual(Pose(R, p)))[list(kept)]
    place = casadi.vertcat(casadi.vec(R), p)
    motion = casadi.vertcat(casadi.vec(casadi.SX(skew(turn)) @ R), speed)
    phi_dot = casadi.jtimes(phi, place, motion)
    G = casadi.jacobian(phi_dot, casadi.vertcat(speed, turn))
    G_dot_V = casadi.jtimes(phi_dot, place, motion)
    here = casadi.vertcat(casadi.vec(casadi.SX(X_FM.R)), casadi.SX(X_FM.p))
    phi, G, G_dot_V = casadi.substitute([phi, G, G_dot_V], [place, casadi.vertcat(speed, turn)], [here, twist])
    return phi, G, G_dot_V


def constraint_map(joint: Joint, X_FM: Pose, kept: tuple[int, ...], turned: bool = False) -> Any:
    """G (m, 6) with Φ̇ = G (v, ω), the twist of M seen from F in the axes of M; `turned` as in Closure."""
    G, R = _differentiated(joint, X_FM, casadi.SX.zeros(6), kept)[1], casadi.SX(X_FM.R)
    G = casadi.horzcat(G[:, :3] @ R, G[:, 3:] @ R)
    for i, row in enumerate(kept):
        if turned and row in joint.point_rows:
            G[i, :] = casadi.SX.eye(6)[row, :]
    return G


def constraint_map_at(joint: Joint, X_FM: Pose, kept: tuple[int, ...]) -> casadi.DM:
    """G (m, 6) in numbers, at a pose in numbers."""
    return casadi.DM(constraint_map(joint, X_FM, kept))
