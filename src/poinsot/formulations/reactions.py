"""Reaction wrenches: what every joint transmits from body A to body B, at frame M and in its axes.

A joint with equations of its own gives −Gᵀλ (theory/dynamics, eq. 14), one that carries a branch of the tree
what the bodies beyond it need, less the part along its free motions, which drives and springs supply.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import Coordinate
from poinsot.formulations.equations import Equations
from poinsot.formulations.generalised_forces import coordinate_force
from poinsot.formulations.loops import constraint_map
from poinsot.formulations.tree import Node
from poinsot.lazy import casadi
from poinsot.spatial.algebra import apply, skew, transpose, vector
from poinsot.spatial.motion import Twist, Wrench, carry_wrench
from poinsot.spatial.pose import Pose


def joint_reactions(e: Equations, a: Any, lam: Any) -> dict[str, Wrench]:
    """Wrenches (f, n) on body B of every joint, about the origin of M and in its axes, as symbols."""
    elements, found = e.symbols.elements, {}
    owned: dict[str, list[int]] = {}
    motion = e.kinematics
    lam, rows = lam if motion.combined is None else motion.combined.T.T @ lam, motion.all_rows
    for k, row in enumerate(rows):
        owned.setdefault(row.joint, []).append(k)
    for name, joint in elements.joints.items():
        if name in owned:
            kept = tuple(joint.rows.index(rows[k].label) for k in owned[name])
            X_FM = joint.relative(motion.poses[joint.a.body], motion.poses[joint.b.body])
            G = constraint_map(joint, X_FM, kept, name in motion.turned)
            wrench = -(G.T @ lam[owned[name]])
            found[name] = Wrench(wrench[:3], wrench[3:])
    rowless = {name: Wrench(np.zeros(3), np.zeros(3)) for name in elements.joints}  # such as a free joint
    kept = {c.owner: -lam[owned[c.owner]] for c in elements.couplings.values()}
    return rowless | found | (_tree_reactions(e, a, found, kept) if e.graph.branches else {})


def coupling_forces(e: Equations, lam: Any) -> list[Any]:
    """Forces −λ of all couplings along their coordinates, as symbols."""
    motion = e.kinematics
    lam = lam if motion.combined is None else motion.combined.T.T @ lam
    place = {row.joint: k for k, row in enumerate(motion.all_rows)}
    return [-lam[place[coupling.owner]] for coupling in e.symbols.elements.couplings.values()]


def _tree_reactions(e: Equations, a: Any, closing: dict[str, Wrench], coupled: dict[str, Any]) -> dict[str, Wrench]:
    """Newton and Euler from the leaves inwards; `coupled` are the forces of couplings along their coordinates."""
    elements, poses = e.symbols.elements, e.kinematics.poses
    F = {node.body: needed(e, node.body, _rate(e, node.body, a)) for node in e.graph.branches}
    F[GROUND] = Wrench(np.zeros(3), np.zeros(3))
    for body, wrench in (*_external(e, a, closing), *_of_couplings(e, coupled)):
        F[body] = F[body] + Wrench(-wrench.f, -wrench.n)
    found = {}
    for node in reversed(e.graph.branches):
        X = (poses[node.parent].inverse() @ poses[node.body]) if node.parent != GROUND else poses[node.body]
        if node.joint.name in elements.joints:
            found[node.joint.name] = _without_drive(_at_joint(node, F[node.body], poses), node, poses)
        F[node.parent] = F[node.parent] + carry_wrench(X, F[node.body])
    return found


def _rate(e: Equations, name: str, a: Any) -> Twist:
    """Rate of a body's twist for accelerations a."""
    V = e.kinematics.twists[name]
    return Twist(e.rate(casadi.SX(V.v), a), e.rate(casadi.SX(V.w), a))


def needed(e: Equations, name: str, A: Twist) -> Wrench:
    """Wrench about its origin that a body needs whose twist changes at the rate A, gravity included."""
    gravity = apply(transpose(e.kinematics.poses[name].R), vector(*e.symbols.elements.gravity))
    inertia = e.symbols.elements.bodies[name].spatial_inertia()
    return inertia.needed(e.kinematics.twists[name], Twist(A.v - gravity, A.w))


def _external(e: Equations, a: Any, closing: dict[str, Wrench]):
    """Wrenches on bodies, about their origins, of closing joints, of forces outside the tree's joints, of loads."""
    elements, poses = e.symbols.elements, e.kinematics.poses
    carrying = {node.joint.name for node in e.graph.branches}
    for name, wrench in closing.items():
        joint = elements.joints[name]
        X_FM = joint.relative(poses[joint.a.body], poses[joint.b.body])
        yield joint.b.body, carry_wrench(joint.frame_on_b(), wrench)
        back = carry_wrench(joint.frame_on_a(), carry_wrench(X_FM, wrench))
        yield joint.a.body, Wrench(-back.f, -back.n)
    for k, (force, _, _) in enumerate(e.balance.acting):
        if getattr(force.on, "joint", None) in carrying:
            continue
        yield from _along(e, force.on, coordinate_force(e, k, a))
    for load in elements.loads.values():
        yield load.at.body, carry_wrench(load.at.pose(), load.wrench(poses[load.at.body]))


def _of_couplings(e: Equations, coupled: dict[str, Any]):
    """Wrenches on bodies, about their origins, of couplings."""
    for coupling in e.symbols.elements.couplings.values():
        yield from _along(e, coupling.on, coupled[coupling.owner])


def _along(e: Equations, on: Coordinate, f: Any):
    """Wrenches on bodies, about their origins, of a force along a coordinate."""
    for body in dict.fromkeys(on.bodies(e.symbols.elements.joints)):
        if body != GROUND:
            direction = _slope(e, on, body)
            yield body, Wrench(direction[:3] * f, direction[3:] * f)


def _slope(e: Equations, on: Coordinate, body: str) -> Any:
    """∂ṡ/∂V of one body (6, 1): how fast a coordinate changes with the body's twist."""
    xi = casadi.SX.sym("xi", 6)
    X = e.kinematics.poses[body]
    moved = Pose(X.R @ (np.eye(3) + skew(xi[3:])), X.p + apply(X.R, xi[:3]))
    s = casadi.SX(on.value({**e.kinematics.poses, body: moved}, e.symbols.elements.joints))
    return casadi.substitute(casadi.jacobian(s, xi), xi, casadi.SX.zeros(6)).T


def _at_joint(node: Node, F: Wrench, poses: dict[str, Pose]) -> Wrench:
    """The wrench on body B at frame M, from the wrench that the node's body needs about its origin."""
    joint = node.joint
    if not node.reversed:
        return carry_wrench(joint.frame_on_b().inverse(), F)
    at_F = carry_wrench(joint.frame_on_a().inverse(), F)
    X_FM = joint.relative(poses[joint.a.body], poses[joint.b.body])
    at_M = carry_wrench(X_FM.inverse(), at_F)
    return Wrench(-at_M.f, -at_M.n)


def _without_drive(W: Wrench, node: Node, poses: dict[str, Pose]) -> Wrench:
    """The wrench less what drives and springs supply along the joint's free motions: W − D (SᵀD)⁻¹ SᵀW.

    A drive pushes along a slide and turns about a hinge (D = S); on a screw it turns (D is the turning part of S).
    """
    joint, n = node.joint, node.joint.freedom
    if n == 0:
        return W
    q = casadi.SX(joint.measure(joint.relative(poses[joint.a.body], poses[joint.b.body])))
    v = casadi.SX.sym("v", n)
    S = casadi.jacobian(casadi.vertcat(*(casadi.SX(x) for x in joint.twist(q, v))), v)
    stacked = casadi.vertcat(casadi.SX(W.f), casadi.SX(W.n))
    D = casadi.SX(S)
    for k in range(n):
        if casadi.sparsify(S[3:, k]).nnz():
            D[:3, k] = 0
    left = stacked - D @ casadi.solve(S.T @ D, S.T @ stacked)
    return Wrench(left[:3], left[3:])
