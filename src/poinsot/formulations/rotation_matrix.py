"""Redundant coordinates with full rotation matrices: twelve numbers a body, six orthogonality equations.

    T = ½ tr([Ṙ ṗ] P [Ṙ ṗ]ᵀ)        P pseudo-inertia (4 × 4): the mass matrix P ⊗ 1 is constant
    Φ = RᵀR − 1 = 0                  six equations a body, with multipliers Λ        (theory/dynamics, eq. 5)

No inverse of Poinsot's matrix is needed: a thin rod makes M singular and the whole system regular all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.elements.bodies import RigidBody
from poinsot.formulations.coordinates_of_poses import Reading
from poinsot.formulations.equations import Equations
from poinsot.formulations.redundant_coordinates import PLACE, Chart, chart_reading, redundant_equations
from poinsot.formulations.symbols import Symbols
from poinsot.lazy import casadi
from poinsot.model.parts import Elements
from poinsot.spatial.algebra import transpose, unskew
from poinsot.spatial.inertia import pseudo_inertia
from poinsot.spatial.motion import Twist
from poinsot.spatial.pose import Pose

OWN = ("length of x", "length of y", "length of z", "angle of x and y", "angle of x and z", "angle of y and z")
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class MatrixChart(Chart):
    """Columns of R_WB, then position of the origin."""

    names = (*((f"R{i}{j}", "-") for j in (1, 2, 3) for i in (1, 2, 3)), *PLACE)

    def pose(self, q: Any) -> Pose:
        """X_WB from nine entries of R by columns and three of p."""
        return Pose(casadi.reshape(q[:9], 3, 3), q[9:])

    def twist(self, q: Any, v: Any) -> Twist:
        """(Rᵀ ṗ, unskew(Rᵀ Ṙ))."""
        X, V = self.pose(q), self.pose(v)
        return Twist(transpose(X.R) @ V.p, unskew(transpose(X.R) @ V.R))

    def own(self, q: Any) -> Any:
        """Columns of unit length, perpendicular to each other."""
        R = self.pose(q).R
        products = [casadi.dot(R[:, i], R[:, j]) - (i == j) for i, j in PAIRS]
        return casadi.vertcat(*(x / 2 if i == j else x for x, (i, j) in zip(products, PAIRS)))

    def mass(self, body: RigidBody, q: Any, v: Any, gravity: Any) -> tuple[Any, Any]:
        """M = P ⊗ 1; gravity acts on position and, through the first moments, on the columns."""
        P = casadi.SX(pseudo_inertia(body.inertial_parameters()))
        return casadi.sparsify(casadi.kron(P, casadi.SX.eye(3))), casadi.vec(casadi.SX(gravity) @ P[:, 3].T)

    def coordinates(self, X_WB: Pose, chart: np.ndarray) -> np.ndarray:
        """Columns of R and position of a pose."""
        return np.concatenate([np.asarray(X_WB.R, float).T.ravel(), np.asarray(X_WB.p, float)])


@dataclass(frozen=True)
class FlatMatrixChart(Chart):
    """The same in the plane: the 2 × 2 rotation matrix by columns, then position."""

    names = (*((f"R{i}{j}", "-") for j in (1, 2) for i in (1, 2)), *PLACE[:2])

    def pose(self, q: Any) -> Pose:
        """X_WB from four entries of R and two of p."""
        R = casadi.diagcat(casadi.reshape(q[:4], 2, 2), 1)
        return Pose(casadi.densify(R), casadi.vertcat(q[4:], 0))

    def twist(self, q: Any, v: Any) -> Twist:
        """(Rᵀ ṗ, unskew(Rᵀ Ṙ))."""
        X, V = self.pose(q), self.pose(v)
        flat = casadi.SX(V.R)
        flat[2, 2] = 0
        return Twist(transpose(X.R) @ V.p, unskew(transpose(X.R) @ flat))

    def own(self, q: Any) -> Any:
        """Columns of unit length, perpendicular to each other."""
        R = casadi.reshape(q[:4], 2, 2)
        x, y = R[:, 0], R[:, 1]
        return casadi.vertcat((casadi.dot(x, x) - 1) / 2, (casadi.dot(y, y) - 1) / 2, casadi.dot(x, y))

    def mass(self, body: RigidBody, q: Any, v: Any, gravity: Any) -> tuple[Any, Any]:
        """M = P ⊗ 1 with the rows of the plane."""
        P = casadi.SX(pseudo_inertia(body.inertial_parameters()))[[0, 1, 3], [0, 1, 3]]
        force = casadi.SX(gravity)[:2] @ P[:, 2].T
        return casadi.sparsify(casadi.kron(P, casadi.SX.eye(2))), casadi.vec(force)

    def coordinates(self, X_WB: Pose, chart: np.ndarray) -> np.ndarray:
        """Columns of R and position of a pose."""
        return np.concatenate([np.asarray(X_WB.R, float)[:2, :2].T.ravel(), np.asarray(X_WB.p, float)[:2]])


def matrix_charts(elements: Elements) -> dict[str, Chart]:
    """Charts of all bodies."""
    chart = FlatMatrixChart(6, (OWN[0], OWN[1], OWN[3])) if elements.planar else MatrixChart(12, OWN)
    return dict.fromkeys(elements.bodies, chart)


def matrix_reading(elements: Elements) -> Reading:
    """Rotation matrices and positions of every body, in numbers."""
    return chart_reading(matrix_charts(elements))


def matrix_equations(symbols: Symbols) -> Equations:
    """Write the equations of a mechanism with full rotation matrices."""
    return redundant_equations("rotation-matrix", symbols, matrix_charts(symbols.elements))
