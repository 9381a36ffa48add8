"""Joint coordinates: a spanning tree, whose joints hold by themselves, and equations that close the loops.

Velocities and accelerations go outwards, forces and inertias inwards, all in the axes of each body:

    V_B = X V_A + S v      A_B = X A_A + S v̇ + c + V_B × S v      F = I A + V ×* I V        (theory/dynamics, eq. 2)

The mass matrix is that of composite bodies (M_ij = S_iᵀ I_c S_j along the way to the root).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.joints import Joint
from poinsot.engine import Block, Link
from poinsot.formulations.articulated import Articulated, articulated
from poinsot.formulations.coordinates_of_poses import tree_reading
from poinsot.formulations.equations import Equations, ForceBalance, Graph, KinematicEquations
from poinsot.formulations.generalised_forces import applied, gravity_energy
from poinsot.formulations.loops import Closure, closure, coupled
from poinsot.formulations.symbols import Symbols
from poinsot.formulations.tree import Node, Tree, spanning_tree, speed_scales
from poinsot.lazy import casadi
from poinsot.model.assembly.constraints import Row
from poinsot.spatial.algebra import apply, cross, vector
from poinsot.spatial.motion import SpatialInertia, Twist, Wrench, carry_inertia, carry_twist, carry_wrench
from poinsot.spatial.pose import Pose

REST = Twist(np.zeros(3), np.zeros(3))
FEW = 2  # constraint rows times this, up to the number of speeds, are few enough for articulated bodies in loops
SHORT = 6  # bodies in a branch up to which composite bodies take fewer operations than articulated ones


def joint_equations(symbols: Symbols) -> Equations:
    """Write the equations of a mechanism in joint coordinates."""
    elements, tree = symbols.elements, spanning_tree(symbols.elements)
    nq, nv = tree.sizes
    q, v, u = casadi.SX.sym("q", nq), casadi.SX.sym("v", nv), casadi.SX.sym("u", len(elements.actuators))
    walk = _Outward(tree, q, v)
    gravity = vector(*elements.gravity)
    inertias = {name: body.spatial_inertia() for name, body in elements.bodies.items()}
    bias = _bias(tree, walk, inertias, gravity)
    q_dot = casadi.vertcat(*walk.rates) if walk.rates else casadi.SX(0, 1)
    direct = _direct(tree, q, v)
    forces = applied(elements, walk.X_W, walk.V, q, v, u, q_dot, direct)
    rows, links = _closing_rows(elements, tree)
    closures = _closures(elements, tree, walk, v, links, symbols.redundancy.joints)
    for coupling in elements.couplings.values():
        closures[coupling.owner] = one = coupled(coupling, elements, walk.X_W, q, v, q_dot, direct)
        links += (Link(coupling.owner, (len(rows),), _touched(tree, one.C)),)
        rows += (Row(coupling.owner, coupling.label),)
    kinematics = KinematicEquations(
        q_dot=q_dot,
        poses=walk.X_W,
        twists=walk.V,
        phi=casadi.vertcat(casadi.SX(0, 1), *(c.phi for c in closures.values())),
        C=casadi.vertcat(casadi.SX(0, nv), *(c.C for c in closures.values())),
        gamma=casadi.vertcat(casadi.SX(0, 1), *(c.gamma for c in closures.values())),
        rows=rows,
        norms=_norms(tree, q),
        reading=tree_reading(symbols.mechanism.elements),
        chart=casadi.SX(0, 1),
        direct=direct,
        turned=frozenset(name for name, c in closures.items() if c.turned),
    )
    kinetic = sum(
        (inertia.momentum(walk.V[n]).power(walk.V[n]) / 2 for n, inertia in inertias.items()), 0.0
    )  # ½ Σ V · I V
    balance = ForceBalance(
        mass=lambda: _mass(tree, walk, inertias) + forces.M,
        Q=forces.Q - bias,
        kinetic=kinetic + v.T @ forces.M @ v / 2,
        potential=forces.potential + gravity_energy(elements, walk.X_W),
        power=forces.power,
        acting=forces.parts,
        articulated=_articulated(tree, walk, inertias, gravity, forces, len(rows)),
    )
    blocks = tuple(Block(n.body, tuple(range(n.v.start, n.v.stop))) for n in tree.nodes if n.v.stop > n.v.start)
    scales = speed_scales(tree.nodes, symbols.home.size)
    graph = Graph(scales, blocks, links, _couplings(tree), branches=tree.nodes)
    return Equations("joint", symbols, q, v, u, kinematics, balance, graph)


def _direct(tree: Tree, q: Any, v: Any) -> Any:
    """A coordinate of a joint of the tree is one of q, and its rate one of v."""
    by_joint = {node.joint.name: node for node in tree.nodes}

    def find(on: Any) -> tuple[Any, Any] | None:
        node = by_joint.get(on.joint)
        return None if node is None else (q[node.q][on.index], v[node.v][on.index])

    return find


class _Outward:
    """Poses, twists and accelerations without v̇ of every body, from the ground outwards."""

    def __init__(self, tree: Tree, q: Any, v: Any):
        self.X_W: dict[str, Pose] = {GROUND: Pose.identity()}
        self.X: dict[str, Pose] = {}  # of each body in its parent
        self.V: dict[str, Twist] = {GROUND: REST}
        self.A: dict[str, Twist] = {GROUND: REST}  # without v̇ and without gravity
        self.c: dict[str, Twist] = {}  # accelerations that the joints' own rates bring
        self.S: dict[str, list[Twist]] = {}  # columns of the joint's motion, in the body's axes
        self.rates: list[Any] = []
        for node in tree.nodes:
            self.step(node, _part(q, node.q), _part(v, node.v))

    def step(self, node: Node, q: Any, v: Any) -> None:
        """One body further outwards."""
        joint, body = node.joint, node.body
        X_AF, X_BM = joint.frame_on_a(), joint.frame_on_b()
        X_FM = joint.motion(q)
        q_dot = casadi.SX(joint.rates(q, v))
        across = _across(joint, X_FM, q, v, node.reversed)
        frame = X_AF if node.reversed else X_BM
        X = (X_BM @ X_FM.inverse() @ X_AF.inverse()) if node.reversed else (X_AF @ X_FM @ X_BM.inverse())
        relative = _to_body(frame, across)
        c = Twist(casadi.jtimes(relative.v, q, q_dot), casadi.jtimes(relative.w, q, q_dot)) if v.size1() else REST
        V = carry_twist(X, self.V[node.parent]) + relative
        self.X[body], self.X_W[body], self.V[body] = X, self.X_W[node.parent] @ X, V
        self.c[body] = c + V.crossed(relative)
        self.A[body] = carry_twist(X, self.A[node.parent]) + self.c[body]
        v_columns, w_columns = casadi.jacobian(relative.v, v), casadi.jacobian(relative.w, v)
        self.S[body] = [Twist(v_columns[:, k], w_columns[:, k]) for k in range(v.size1())]
        self.rates.append(q_dot)


def _part(x: Any, where: slice) -> Any:
    """Some entries of a column; a column of one entry has no empty slice of its own."""
    return x[where] if where.stop > where.start else casadi.SX(0, 1)


def _across(joint: Joint, X_FM: Pose, q: Any, v: Any, backwards: bool) -> Twist:
    """Twist across a joint: of M seen from F in the axes of M, or of F seen from M in those of F."""
    speed, turn = (casadi.SX(x) for x in joint.twist(q, v))
    if not backwards:
        return Twist(speed, turn)
    w = apply(X_FM.R, turn)
    return Twist(cross(w, X_FM.p) - apply(X_FM.R, speed), -w)


def _to_body(X_BM: Pose, across: Twist) -> Twist:
    """The twist across a joint about the body's origin, in the body's axes."""
    w = apply(X_BM.R, across.w)
    return Twist(apply(X_BM.R, across.v) - cross(w, X_BM.p), w)


def _articulated(
    tree: Tree, walk: _Outward, inertias: dict[str, SpatialInertia], gravity: Any, forces: Any, m: int
) -> tuple[Articulated, Any] | None:
    """Articulated bodies, and the forces on them, where they pay and drives act along single speeds; else None."""
    rows, columns = forces.M.sparsity().get_triplet()
    if tree.depth <= SHORT or rows != columns or FEW * m > tree.sizes[1]:
        return None
    drives = casadi.diag(casadi.densify(forces.M))
    return articulated(tree, walk.X, walk.V, walk.S, walk.c, inertias, gravity, drives), forces.Q


def _bias(tree: Tree, walk: _Outward, inertias: dict[str, SpatialInertia], gravity: Any) -> Any:
    """Generalised forces (nv, 1) that the motion without v̇ needs, gravity included."""
    bias = casadi.SX(tree.sizes[1], 1)
    F: dict[str, Wrench] = {}
    for node in tree.nodes:
        R_BW = walk.X_W[node.body].R.T
        A = walk.A[node.body] + Twist(-apply(R_BW, gravity), np.zeros(3))
        F[node.body] = inertias[node.body].needed(walk.V[node.body], A)
    for node in reversed(tree.nodes):
        for k, S in enumerate(walk.S[node.body]):
            bias[node.v.start + k] = F[node.body].power(S)
        if node.parent != GROUND:
            F[node.parent] = F[node.parent] + carry_wrench(walk.X[node.body], F[node.body])
    return bias


def _mass(tree: Tree, walk: _Outward, inertias: dict[str, SpatialInertia]) -> Any:
    """Mass matrix (nv, nv) of composite bodies."""
    M, composite = casadi.SX(tree.sizes[1], tree.sizes[1]), dict(inertias)
    for node in reversed(tree.nodes):
        if node.parent != GROUND:
            carried = carry_inertia(walk.X[node.body], composite[node.body])
            composite[node.parent] = composite[node.parent] + carried
    by_body = {node.body: node for node in tree.nodes}
    for node in tree.nodes:
        for k, S in enumerate(walk.S[node.body]):
            force, here = composite[node.body].momentum(S), node
            while True:
                for l, S_j in enumerate(walk.S[here.body]):
                    i, j = node.v.start + k, here.v.start + l
                    if j <= i:
                        M[i, j] = M[j, i] = force.power(S_j)
                if here.parent == GROUND:
                    break
                force, here = carry_wrench(walk.X[here.body], force), by_body[here.parent]
    return casadi.sparsify(M)


def _closures(
    elements: Any, tree: Tree, walk: _Outward, v: Any, links: tuple[Link, ...], combined: frozenset[str]
) -> dict[str, Closure]:
    """Equations of the joints outside the tree; rows that are combined keep the axes of their residual."""
    moved = Counter(block for link in links for block in link.blocks)
    found = {}
    for joint, link in zip(tree.closing, links):
        alone = [n for n in tree.nodes if n.body in link.blocks and moved[n.body] == 1]
        own = [k for node in alone for k in range(node.v.start, node.v.stop)]
        if link.rows:
            kept = joint.kept(elements.planar)
            axes = joint.name in combined
            found[joint.name] = closure(joint, walk.X_W, walk.V, walk.A, v, kept, own, as_residual=axes)
    return found


def _closing_rows(elements: Any, tree: Tree) -> tuple[tuple[Row, ...], tuple[Link, ...]]:
    """Rows of the joints outside the tree, and which bodies they link."""
    rows: list[Row] = []
    links: list[Link] = []
    for joint in tree.closing:
        kept = joint.kept(elements.planar)
        blocks = dict.fromkeys([*_moving(tree, joint.a.body), *_moving(tree, joint.b.body)])
        links.append(Link(joint.name, tuple(range(len(rows), len(rows) + len(kept))), tuple(blocks)))
        rows += [Row(joint.name, joint.rows[i]) for i in kept]
    return tuple(rows), tuple(links)


def _touched(tree: Tree, C: Any) -> tuple[str, ...]:
    """Bodies whose speeds rows C (m, nv) contain."""
    columns = set(casadi.sparsify(C).sparsity().get_triplet()[1])
    return tuple(node.body for node in tree.nodes if columns & set(range(node.v.start, node.v.stop)))


def _moving(tree: Tree, body: str) -> list[str]:
    """Bodies with speeds of their own on the way from a body to the ground."""
    by_body = {node.body: node for node in tree.nodes}
    found = []
    while body != GROUND:
        node = by_body[body]
        if node.v.stop > node.v.start:
            found.append(body)
        body = node.parent
    return found


def _couplings(tree: Tree) -> tuple[tuple[str, str], ...]:
    found = []
    for node in tree.nodes:
        way = _moving(tree, node.body)
        found += [(way[0], other) for other in way[1:]] if way and way[0] == node.body else []
    return tuple(found)


def _norms(tree: Tree, q: Any) -> Any:
    """Squared lengths of the quaternions among the coordinates."""
    found = []
    for node in tree.nodes:
        index = [node.q.start + i for i, c in enumerate(node.joint.coordinates) if c.unit == "-"]
        if index:
            found.append(casadi.sumsqr(q[index]))
    return casadi.vertcat(*found) if found else casadi.SX(0, 1)
