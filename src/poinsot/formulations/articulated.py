"""Accelerations by articulated bodies: the cost grows with the number of bodies, not with its cube.

U = I_A S,   D = Sᵀ U,   u = τ − Sᵀ p_A                              from the leaves inwards
I_parent += Xᵀ (I_A − U D⁻¹ Uᵀ) X,   p_parent += Xᵀ (p_A + I_a c + U D⁻¹ u)
a' = X a_parent + c,   v̇ = D⁻¹ (u − Uᵀ a'),   a = a' + S v̇           from the root outwards (theory/dynamics, eq. 9)

Without velocities and gravity the same gives M⁻¹ F for any forces F. A few constraints cost as many columns more:

    Y = M⁻¹ Cᵀ,   (C Y) λ = C v̇₀ − γ,   v̇ = v̇₀ − Y λ
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poinsot.elements import GROUND
from poinsot.engine import Factor, ldl
from poinsot.formulations.tree import Tree
from poinsot.lazy import casadi
from poinsot.spatial.algebra import skew
from poinsot.spatial.motion import SpatialInertia, Twist
from poinsot.spatial.pose import Pose


@dataclass(frozen=True, eq=False)
class _Joint:
    """What a joint leaves of the inertia beyond it."""

    S: Any  # (6, f)
    U: Any  # I_A S (6, f)
    D: Any  # SᵀU with the drives' inertia (f, f)
    factor: Factor  # of D
    G: Any  # U D⁻¹ (6, f)
    left: Any  # I_A − U D⁻¹ Uᵀ (6, 6)


@dataclass(frozen=True, eq=False)
class Articulated:
    """A tree with the inertias of its articulated bodies."""

    tree: Tree
    X: dict[str, Pose]  # of each body in its parent
    joints: dict[str, _Joint]  # by body
    forces: dict[str, Any]  # (6, 1) gyroscopic forces of every body
    c: dict[str, Any]  # (6, 1) accelerations that the joints' own rates bring
    gravity: Any  # (3, 1)

    def accelerations(self, tau: Any) -> Any:
        """v̇ (nv, 1) for generalised forces τ (nv, 1), with velocities and gravity."""
        ground = casadi.vertcat(-casadi.SX(self.gravity), casadi.SX.zeros(3))
        return self._passes(tau, self.forces, self.c, ground)

    def solve(self, F: Any) -> Any:
        """M⁻¹ F (nv, k) for generalised forces F (nv, k)."""
        nothing = dict.fromkeys(self.joints, casadi.SX(6, F.size2()))
        return self._passes(F, nothing, nothing, casadi.SX(6, F.size2()))

    @property
    def pivots(self) -> Any:
        """Diagonal entries of all D (nv, 1): the mass along each speed when all joints beyond it are free."""
        parts = [casadi.diag(casadi.densify(self.joints[node.body].D)) for node in self.tree.nodes]
        return casadi.vertcat(*(part for part in parts if part.numel()))

    def _passes(self, F: Any, forces: dict[str, Any], c: dict[str, Any], ground: Any) -> Any:
        """Forces inwards, accelerations outwards."""
        p, u = dict(forces), {}
        for node in reversed(self.tree.nodes):
            j = self.joints[node.body]
            f = j.S.size2()
            u[node.body] = (F[node.v, :] if f else casadi.SX(0, F.size2())) - j.S.T @ p[node.body]
            if node.parent != GROUND:
                force = p[node.body] + j.left @ c[node.body] + j.G @ u[node.body]
                p[node.parent] = p[node.parent] + _transform(self.X[node.body]).T @ force
        a, rates = {GROUND: ground}, []
        for node in self.tree.nodes:
            j = self.joints[node.body]
            start = _transform(self.X[node.body]) @ a[node.parent] + c[node.body]
            rate = j.factor.solve(u[node.body] - j.U.T @ start)
            a[node.body] = start + j.S @ rate
            rates.append(rate)
        return casadi.vertcat(*rates)


def articulated(
    tree: Tree,
    X: dict[str, Pose],
    V: dict[str, Twist],
    S: dict[str, list[Twist]],
    c: dict[str, Twist],
    inertias: dict[str, SpatialInertia],
    gravity: Any,
    drives: Any,
) -> Articulated:
    """The articulated bodies of a tree with drive inertias (nv, 1) along its speeds."""
    I = {node.body: inertias[node.body].matrix() for node in tree.nodes}
    joints = {}
    for node in reversed(tree.nodes):
        body, columns = node.body, casadi.SX(6, 0)
        if S[body]:
            columns = casadi.horzcat(*(_stack(s.v, s.w) for s in S[body]))
        U = I[body] @ columns
        D = columns.T @ U + (casadi.diag(drives[node.v]) if S[body] else casadi.SX(0, 0))
        factor = ldl(D, range(D.size1()), signs=[1] * D.size1())
        G = factor.solve(U.T).T
        left = _without_free(I[body] - G @ U.T, columns, drives[node.v])
        joints[body] = _Joint(columns, U, D, factor, G, left)
        if node.parent != GROUND:
            I[node.parent] += _carried(X[body], left)
    forces = {b: V[b].dual_crossed(inertias[b].momentum(V[b])) for b in joints}
    forces = {b: _stack(F.f, F.n) for b, F in forces.items()}
    return Articulated(tree, X, joints, forces, {b: _stack(c[b].v, c[b].w) for b in joints}, gravity)


@dataclass(frozen=True, eq=False)
class ArticulatedSolution:
    """Accelerations and multipliers of articulated bodies with constraints, as `KKTSolution`."""

    bodies: Articulated
    C: Any  # (m, nv)
    Y: Any  # M⁻¹ Cᵀ (nv, m)
    factor: Factor | None  # of C Y; None without constraints
    acceleration: Any  # (nv, 1)
    multipliers: Any  # (m, 1)

    @property
    def check(self) -> Any:
        """Smallest pivot relative to the terms it is made of: 1 is perfect."""
        return 1.0 if self.factor is None else self.factor.check

    def solve(self, Q: Any, gamma: Any) -> tuple[Any, Any]:
        """Accelerations (nv, k) and multipliers (m, k) for other right-hand sides, (nv, k) and (m, k)."""
        return _constrained(self.bodies.solve(Q), self.C, self.Y, self.factor, gamma)


def articulated_solution(bodies: Articulated, C: Any, Q: Any, gamma: Any) -> ArticulatedSolution:
    """Solve M a + Cᵀ λ = Q, C a = γ, Q being the forces besides gyroscopic ones and gravity."""
    m = C.size1()
    Y = bodies.solve(C.T)
    factor = ldl(C @ Y, range(m), signs=[1] * m) if m else None
    a, lam = _constrained(bodies.accelerations(Q), C, Y, factor, gamma)
    return ArticulatedSolution(bodies, C, Y, factor, a, lam)


def _constrained(a: Any, C: Any, Y: Any, factor: Factor | None, gamma: Any) -> tuple[Any, Any]:
    """v̇ = v̇₀ − Y λ with (C Y) λ = C v̇₀ − γ."""
    if factor is None:
        return a, gamma
    lam = factor.solve(C @ a - gamma)
    return a - Y @ lam, lam


def _symmetric(M: Any) -> Any:
    """A symmetric matrix made of its upper triangle: the other half is not computed."""
    return casadi.triu2symm(casadi.triu(M))


def _without_free(left: Any, S: Any, drives: Any) -> Any:
    """I_a = I_A − U D⁻¹ Uᵀ, of which I_a S = 0 but for drives: rows of a motion along one axis are not computed."""
    left = _symmetric(left)
    for k in range(S.size2()):
        rows = casadi.sparsify(S[:, k]).sparsity().row()
        if len(rows) == 1 and drives[k].is_zero():  # (k,), inertia of drives
            left[rows[0], :] = left[:, rows[0]] = 0
    return casadi.sparsify(left)


def _carried(X_AB: Pose, inertia: Any) -> Any:
    """Xᵀ I X (6, 6): the blocks turned, then moved by p; with [p]× = P and I = [[A, B], [Bᵀ, C]]

    A' = R A Rᵀ,   B' = R B Rᵀ − A' P,   C' = R C Rᵀ + P B' − (R B Rᵀ)ᵀ P
    """
    R, P = casadi.SX(X_AB.R), casadi.SX(skew(X_AB.p))
    A, B, C = inertia[:3, :3], inertia[:3, 3:], inertia[3:, 3:]
    A, C, turned = _symmetric(R @ A @ R.T), R @ C @ R.T, R @ B @ R.T
    moved = turned - A @ P
    C = _symmetric(C + P @ moved - turned.T @ P)
    return casadi.sparsify(casadi.blockcat([[A, moved], [moved.T, C]]))


def _stack(v: Any, w: Any) -> Any:
    return casadi.vertcat(casadi.SX(v), casadi.SX(w))


def _transform(X_AB: Pose) -> Any:
    """Motion transform (6, 6) from A to B: v_B = Rᵀ (v + w × p), w_B = Rᵀ w."""
    R_BA = casadi.SX(X_AB.R).T
    return casadi.blockcat([[R_BA, -R_BA @ casadi.SX(skew(X_AB.p))], [casadi.SX(3, 3), R_BA]])
