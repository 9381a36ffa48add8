"""Loop-closing equations on the level of positions, velocities and accelerations.

With X_FM across the closing joint and its twist (v, ω) in the axes of M,

    Φ̇ = G(X_FM) (v, ω),        Φ̈ = G (v̇, ω̇) + d/dt(G) (v, ω)

G comes from the joint's own residual by automatic differentiation.
"""

from __future__ import annotations

from typing import Any

from poinsot.elements.joints import Joint
from poinsot.spatial.algebra import skew
from poinsot.spatial.motion import Twist, carry_twist
from poinsot.spatial.pose import Pose

__all__ = ["closure", "constraint_map"]


def closure(
    joint: Joint, X_W: dict[str, Pose], V: dict[str, Twist], A: dict[str, Twist], v: Any, kept: tuple[int, ...]
) -> tuple[Any, Any, Any]:
    """Φ (m, 1), C (m, nv) and γ (m, 1) of one joint; kept are the rows that count."""
    import casadi

    a, b = joint.a.body, joint.b.body
    X_AF, X_BM = joint.frame_on_a(), joint.frame_on_b()
    X_FM = (X_W[a] @ X_AF).inverse() @ (X_W[b] @ X_BM)
    relative, bias = _relative(
        X_FM, carry_twist(X_AF, V[a]), carry_twist(X_BM, V[b]), carry_twist(X_AF, A[a]), carry_twist(X_BM, A[b])
    )
    twist = casadi.vertcat(casadi.SX(relative.v), casadi.SX(relative.w))
    phi, G, G_dot_V = _differentiated(joint, X_FM, twist, kept)
    acceleration = casadi.vertcat(casadi.SX(bias.v), casadi.SX(bias.w))
    return phi, casadi.sparsify(G @ casadi.jacobian(twist, v)), -(G @ acceleration + G_dot_V)


def _differentiated(joint: Joint, X_FM: Pose, twist: Any, kept: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Φ, G and d/dt(G) (v, ω) of a joint at a pose and twist across it."""
    import casadi

    R, p = casadi.SX.sym("R", 3, 3), casadi.SX.sym("p", 3)
    speed, turn = casadi.SX.sym("v", 3), casadi.SX.sym("w", 3)
    phi = casadi.SX(joint.residual(Pose(R, p)))[list(kept)]
    place = casadi.vertcat(casadi.vec(R), p)
    motion = casadi.vertcat(casadi.vec(R @ skew(turn)), R @ speed)
    phi_dot = casadi.jtimes(phi, place, motion)
    G = casadi.jacobian(phi_dot, casadi.vertcat(speed, turn))
    G_dot_V = casadi.jtimes(phi_dot, place, motion)
    here = casadi.vertcat(casadi.vec(casadi.SX(X_FM.R)), casadi.SX(X_FM.p))
    return tuple(casadi.substitute([phi, G, G_dot_V], [place, casadi.vertcat(speed, turn)], [here, twist]))


def constraint_map(joint: Joint, X_FM: Pose, kept: tuple[int, ...]) -> Any:
    """G (m, 6) with Φ̇ = G (v, ω), the twist of M seen from F in the axes of M."""
    import casadi

    return _differentiated(joint, X_FM, casadi.SX.zeros(6), kept)[1]


def _relative(X_FM: Pose, V_F: Twist, V_M: Twist, A_F: Twist, A_M: Twist) -> tuple[Twist, Twist]:
    """Twist of M seen from F in the axes of M, and its rate of change without v̇ (components in M).

    With V_M = X V_F + V_rel in the axes of M:  V̇_rel = V̇_M − X V̇_F + V_rel × X V_F
    """
    carried = carry_twist(X_FM, V_F)
    relative = Twist(V_M.v - carried.v, V_M.w - carried.w)
    carried_rate = carry_twist(X_FM, A_F)
    turn = relative.crossed(carried)
    return relative, Twist(A_M.v - carried_rate.v + turn.v, A_M.w - carried_rate.w + turn.w)
