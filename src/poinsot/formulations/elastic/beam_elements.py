"""Beam elements in batch: force, stiffness and mass of every piece, from one small function.

Displacements ξ (12,) of a piece are the small motions of its two nodes in their own axes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from poinsot.elements.bodies.beam import Span, elastic_energy, mass_matrix, weight_energy
from poinsot.engine import kernel
from poinsot.formulations.elastic.increments import moved, pose_of
from poinsot.formulations.elastic.nodes import Mesh, Piece, Plan
from poinsot.lazy import casadi
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose

NUMBERS = 22  # of a piece: length, stiffnesses, masses, axes, gravity


def symbolic_mesh(
    mechanism: Mechanism, decided: Plan, names: tuple[str, ...]
) -> tuple[casadi.SX, Mesh, casadi.Function, casadi.Function]:
    """Symbols p of named parameters, the mesh as expressions of them, and two functions of p: all that the functions
    of the pieces read besides poses (22, pieces), and where the nodes are in their flexible bodies (3, nodes)."""
    p = casadi.SX.sym("p", len(names))
    mesh = decided.mesh(mechanism.resolved({name: p[i] for i, name in enumerate(names)}))
    columns = [_numbers(piece, mesh.elements.gravity) for piece in mesh.pieces]
    table = casadi.densify(casadi.horzcat(*columns)) if columns else casadi.SX(NUMBERS, 0)
    nodes = [mesh.arms.get(node, (node, (0.0,) * 3))[1] for node in mesh.elements.bodies]
    arms = casadi.densify(casadi.horzcat(*(casadi.vertcat(*(casadi.SX(x) for x in place)) for place in nodes)))
    return p, mesh, casadi.Function("numbers", [p], [table]), casadi.Function("arms", [p], [arms])


def slope(function: casadi.Function) -> casadi.Function:
    """(p, direction) -> change of what a function of p gives."""
    p, d = casadi.SX.sym("p", function.size_in(0)), casadi.SX.sym("d", function.size_in(0))
    value = function(p)
    along = casadi.reshape(casadi.jtimes(casadi.vec(value), p, d), value.shape)
    return casadi.Function("slope", [p, d], [casadi.densify(along)])


def _numbers(piece: Piece, gravity: Any) -> casadi.SX:
    s = piece.span
    scalars = (s.length, s.stretch, s.twist, *s.bend, *s.shear, s.line, *s.turn)
    return casadi.vertcat(*scalars, casadi.vec(casadi.SX(piece.axes)), *(gravity[i] for i in range(3)))


def _read(theta: Any) -> tuple[Span, Any, Any]:
    t = [theta[i] for i in range(10)]
    span = Span(t[0], t[1], t[2], (t[3], t[4]), (t[5], t[6]), t[7], (t[8], t[9]))
    return span, casadi.reshape(theta[10:19], 3, 3), theta[19:22]


@lru_cache(maxsize=1)
def _function() -> Any:
    """(X_A, X_B, θ) -> force (12), K (12, 12), M (12, 12) of one piece, at rest where it is."""
    X_A, X_B, theta = casadi.SX.sym("A", 12), casadi.SX.sym("B", 12), casadi.SX.sym("t", NUMBERS)
    span, axes, gravity = _read(theta)
    xi = casadi.SX.sym("xi", 12)
    turn = Pose(axes, casadi.SX.zeros(3))
    A, B = (moved(pose_of(X), x) @ turn for X, x in ((X_A, xi[:6]), (X_B, xi[6:])))
    energy = elastic_energy(span, A.inverse() @ B) + weight_energy(span, A, B, gravity)
    K, slope = casadi.hessian(energy, xi)
    at_rest = casadi.substitute([-slope, K], [xi], [casadi.SX.zeros(12)])
    T = casadi.diagcat(axes.T, axes.T, axes.T, axes.T)
    return casadi.Function("piece", [X_A, X_B, theta], [*at_rest, T.T @ mass_matrix(span) @ T])


@lru_cache(maxsize=1)
def piece_kernel() -> Any:
    """The function of a piece over batches."""
    return kernel(_function())


@lru_cache(maxsize=1)
def piece_slopes() -> Any:
    """(X_A, X_B, θ, and a direction of each) -> derivatives of force, K and M along that direction, in batch."""
    f = _function()
    inputs = [casadi.SX.sym(f"x{i}", f.size_in(i)) for i in range(3)]
    ways = [casadi.SX.sym(f"d{i}", f.size_in(i)) for i in range(3)]
    x, d = casadi.vertcat(*inputs), casadi.vertcat(*ways)
    outputs = [casadi.reshape(casadi.jtimes(casadi.vec(o), x, d), o.shape) for o in map(casadi.densify, f(*inputs))]
    return kernel(casadi.Function("piece_slopes", [*inputs, *ways], outputs))
