"""Accelerations of a tree by articulated bodies: the cost grows with the number of bodies, not with its cube.

U = I_A S,   D = Sᵀ U,   u = τ − Sᵀ p_A                              from the leaves inwards
I_parent += Xᵀ (I_A − U D⁻¹ Uᵀ) X,   p_parent += Xᵀ (p_A + I_a c + U D⁻¹ u)
a' = X a_parent + c,   v̇ = D⁻¹ (u − Uᵀ a'),   a = a' + S v̇           from the root outwards
"""

from __future__ import annotations

from typing import Any

from poinsot.elements.frame import GROUND
from poinsot.engine import ldl
from poinsot.formulations.tree import Tree
from poinsot.spatial.algebra import skew
from poinsot.spatial.motion import SpatialInertia, Twist, Wrench
from poinsot.spatial.pose import Pose

__all__ = ["articulated_accelerations"]


def articulated_accelerations(
    tree: Tree,
    X: dict[str, Pose],
    V: dict[str, Twist],
    S: dict[str, list[Twist]],
    c: dict[str, Twist],
    inertias: dict[str, SpatialInertia],
    gravity: Any,
    tau: Any,
    drives: Any,
) -> Any:
    """v̇ (nv, 1) of a tree for generalised forces τ (nv, 1) and drive inertias (nv, 1) along its speeds."""
    import casadi

    I = {node.body: _matrix(inertias[node.body]) for node in tree.nodes}
    p = {
        node.body: _column(V[node.body].dual_crossed(inertias[node.body].momentum(V[node.body])))
        for node in tree.nodes
    }
    kept = {}
    for node in reversed(tree.nodes):
        body, columns = node.body, casadi.SX(6, 0)
        if S[body]:
            columns = casadi.horzcat(*(_stack(s.v, s.w) for s in S[body]))
        U = I[body] @ columns
        D = columns.T @ U + casadi.diag(drives[node.v])
        u = tau[node.v] - columns.T @ p[body]
        solve = ldl(D, range(D.size1()), signs=[1] * D.size1()).solve
        G = solve(U.T).T  # U D⁻¹
        kept[body] = columns, U, solve, u
        if node.parent == GROUND:
            continue
        bias = _stack(c[body].v, c[body].w)
        left = _without_free(I[body] - G @ U.T, columns)
        force = p[body] + left @ bias + G @ u
        I[node.parent] += _carried(X[body], left)
        p[node.parent] += _transform(X[body]).T @ force
    return _outward(tree, X, c, kept, gravity)


def _outward(tree: Tree, X: dict[str, Pose], c: dict[str, Twist], kept: dict[str, tuple], gravity: Any) -> Any:
    import casadi

    a = {GROUND: casadi.vertcat(-casadi.SX(gravity), casadi.SX.zeros(3))}
    rates = []
    for node in tree.nodes:
        columns, U, solve, u = kept[node.body]
        start = _transform(X[node.body]) @ a[node.parent] + _stack(c[node.body].v, c[node.body].w)
        rate = solve(u - U.T @ start)
        a[node.body] = start + columns @ rate
        rates.append(rate)
    return casadi.vertcat(*rates)


def _symmetric(M: Any) -> Any:
    """A symmetric matrix made of its upper triangle: the other half is not computed."""
    import casadi

    return casadi.triu2symm(casadi.triu(M))


def _without_free(left: Any, S: Any) -> Any:
    """I_a = I_A − U D⁻¹ Uᵀ, of which I_a S = 0: rows of a motion along one axis are zero, and not computed."""
    import casadi

    left = _symmetric(left)
    for k in range(S.size2()):
        rows = casadi.sparsify(S[:, k]).sparsity().row()
        if len(rows) == 1:
            left[rows[0], :] = left[:, rows[0]] = 0
    return casadi.sparsify(left)


def _carried(X_AB: Pose, inertia: Any) -> Any:
    """Xᵀ I X (6, 6): the blocks turned, then moved by p; with [p]× = P and I = [[A, B], [Bᵀ, C]]

    A' = R A Rᵀ,   B' = R B Rᵀ − A' P,   C' = R C Rᵀ + P B' − (R B Rᵀ)ᵀ P
    """
    import casadi

    R, P = casadi.SX(X_AB.R), casadi.SX(skew(X_AB.p))
    A, B, C = inertia[:3, :3], inertia[:3, 3:], inertia[3:, 3:]
    A, C, turned = _symmetric(R @ A @ R.T), R @ C @ R.T, R @ B @ R.T
    moved = turned - A @ P
    C = _symmetric(C + P @ moved - turned.T @ P)
    return casadi.sparsify(casadi.blockcat([[A, moved], [moved.T, C]]))


def _stack(v: Any, w: Any) -> Any:
    import casadi

    return casadi.vertcat(casadi.SX(v), casadi.SX(w))


def _column(F: Wrench) -> Any:
    return _stack(F.f, F.n)


def _matrix(inertia: SpatialInertia) -> Any:
    """Inertia (6, 6) with momentum (m v + w × h, I w + h × v)."""
    import casadi

    H = casadi.SX(skew(inertia.h))
    return casadi.blockcat([[inertia.m * casadi.SX.eye(3), -H], [H, casadi.SX(inertia.I)]])


def _transform(X_AB: Pose) -> Any:
    """Motion transform (6, 6) from A to B: v_B = Rᵀ (v + w × p), w_B = Rᵀ w."""
    import casadi

    R_BA = casadi.SX(X_AB.R).T
    return casadi.blockcat([[R_BA, -R_BA @ casadi.SX(skew(X_AB.p))], [casadi.SX(3, 3), R_BA]])
