"""Redundant coordinates with Euler angles: position of the origin and three angles of any sequence.

    R_WB = R_ref R₁(θ₁) R₂(θ₂) R₃(θ₃),        ω_B = Rᵀ E(θ) θ̇        (theory/dynamics, eq. 4)

Angles are singular where their first and third axis fall together. Each body has a reference attitude of its own,
chosen so that it starts far from there; the angles of the sequence itself are given out all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.formulations.coordinates_of_poses import Reading
from poinsot.formulations.equations import Equations
from poinsot.formulations.redundant_coordinates import PLACE, Chart, chart_reading, redundant_equations
from poinsot.formulations.symbols import Symbols
from poinsot.lazy import casadi
from poinsot.model.parts import Elements
from poinsot.spatial.algebra import apply, transpose, vector
from poinsot.spatial.motion import Twist
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import (
    SEQUENCES,
    axis_rotation,
    euler_angles,
    euler_determinant,
    euler_matrix,
    euler_rate_matrix,
)

POOR_ANGLES = 0.1  # |det E| below which another reference attitude had better be chosen


@dataclass(frozen=True, eq=False)
class EulerChart(Chart):
    """Position and three angles of one body."""

    sequence: str
    reference: Any = None  # SX (3, 3), R_ref; None where only numbers are read

    numbers = 9
    names = (*PLACE, *((f"angle {i}", "rad") for i in (1, 2, 3)))

    def symbols(self) -> Any:
        """Entries of R_ref by columns."""
        return casadi.vec(self.reference)

    @property
    def middle(self) -> np.ndarray:
        """Angles (3,) midway between two singular attitudes, θ₁ = θ₃ = 0  [rad]."""
        return np.array([0.0, np.pi / 2 if self.sequence[0] == self.sequence[2] else 0.0, 0.0])

    def choose(self, X_WB: Pose) -> np.ndarray:
        """R_ref from which the pose has the angles in the middle."""
        R_ref = np.asarray(X_WB.R) @ euler_matrix(self.sequence, self.middle).T
        return R_ref.T.ravel()

    def quality(self, q: Any) -> Any:
        """det E, positive in the middle; it changes its sign at the singular attitudes."""
        sign = np.sign(euler_determinant(self.sequence, self.middle))
        return float(sign) * euler_determinant(self.sequence, q[3:])

    def pose(self, q: Any) -> Pose:
        """X_WB from (x, y, z, θ₁, θ₂, θ₃)."""
        return Pose(self.reference @ euler_matrix(self.sequence, q[3:]), q[:3])

    def twist(self, q: Any, v: Any) -> Twist:
        """(Rᵀ ṗ, R(θ)ᵀ E θ̇)."""
        R_WB = self.pose(q).R
        R = euler_matrix(self.sequence, q[3:])
        return Twist(apply(transpose(R_WB), v[:3]), transpose(R) @ euler_rate_matrix(self.sequence, q[3:]) @ v[3:])

    def coordinates(self, X_WB: Pose, chart: np.ndarray) -> np.ndarray:
        """Position and angles of a pose."""
        R_ref = chart.reshape(3, 3).T
        θ = euler_angles(self.sequence, R_ref.T @ X_WB.R)
        return np.concatenate([np.asarray(X_WB.p, float), θ])


@dataclass(frozen=True)
class PlanarChart(Chart):
    """Position and angle of one body in the plane."""

    names = (*PLACE[:2], ("angle", "rad"))

    def pose(self, q: Any) -> Pose:
        """X_WB from (x, y, θ)."""
        return Pose(axis_rotation("Z", q[2]), vector(q[0], q[1], 0 * q[0]))

    def twist(self, q: Any, v: Any) -> Twist:
        """(Rᵀ ṗ, θ̇ z)."""
        R = axis_rotation("Z", q[2])
        return Twist(transpose(R) @ vector(v[0], v[1], 0 * v[0]), vector(0 * v[2], 0 * v[2], v[2]))

    def coordinates(self, X_WB: Pose, chart: np.ndarray) -> np.ndarray:
        """Position and angle of a pose."""
        return np.array([X_WB.p[0], X_WB.p[1], np.arctan2(X_WB.R[1, 0], X_WB.R[0, 0])])


def euler_charts(elements: Elements, sequence: str = "ZXZ") -> dict[str, Chart]:
    """Charts of all bodies, without symbols."""
    if sequence not in SEQUENCES or sequence.islower():
        raise PoinsotError(f"'{sequence}' is not a sequence about moving axes such as 'ZXZ'")
    chart = PlanarChart(3, ()) if elements.planar else EulerChart(6, (), sequence)
    return dict.fromkeys(elements.bodies, chart)


def euler_reading(elements: Elements, sequence: str = "ZXZ") -> Reading:
    """Positions and Euler angles of every body, in numbers."""
    return chart_reading(euler_charts(elements, sequence))


def euler_equations(symbols: Symbols, sequence: str = "ZXZ") -> Equations:
    """Write the equations of a mechanism in positions and Euler angles of every body."""
    charts = euler_charts(symbols.elements, sequence)
    for name, chart in charts.items():
        if isinstance(chart, EulerChart):
            charts[name] = replace(chart, reference=casadi.SX.sym("R_ref", 3, 3))
    return redundant_equations("euler", symbols, charts)
