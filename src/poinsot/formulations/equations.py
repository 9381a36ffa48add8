"""What every formulation writes: the equations of motion of a constrained mechanism, as symbols.

    q̇ = N(q) v        (theory/dynamics, eq. 1)
    M(q) v̇ + C(q)ᵀ λ = Q(q, v, u)          C(q) v̇ = γ(q, v)          Φ(q) = 0,  Φ̇ = C v where Φ = 0

q coordinates, v speeds, u actuator forces, p free parameters, λ multipliers of the rows of Φ. In an overconstrained
mechanism Φ = T Φ_all are independent combinations of all rows, chosen for a pose, and Tᵀ λ the multipliers of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.lazy import casadi

if TYPE_CHECKING:
    from poinsot.engine import Block, Link
    from poinsot.formulations.articulated import Articulated
    from poinsot.formulations.coordinates_of_poses import Reading
    from poinsot.formulations.symbols import Symbols
    from poinsot.model.assembly.constraints import Row
    from poinsot.spatial.motion import Twist
    from poinsot.spatial.pose import Pose


@dataclass(frozen=True, eq=False)
class Combined:
    """All rows of an overconstrained mechanism, and the combinations of them that are kept."""

    T: Any  # (m, m_all) with numbers of the chart in it
    phi: Any  # (m_all, 1)
    rows: tuple[Row, ...]  # m_all


@dataclass(frozen=True, eq=False)
class KinematicEquations:
    """Where the bodies are, how they move, and what the joints require of both."""

    q_dot: Any  # N v (nq, 1)
    poses: dict[str, Pose]  # X_WB of every body
    twists: dict[str, Twist]  # of every body, about its origin, in its own axes
    phi: Any  # (m, 1)
    C: Any  # (m, nv)
    gamma: Any  # (m, 1)
    rows: tuple[Row, ...]  # m
    norms: Any  # (k, 1) what is kept at 1 in the coordinates: squared lengths of quaternions
    reading: Reading  # coordinates of poses, in numbers
    chart: Any  # symbols (k, 1) of numbers that the charts choose for themselves: reference attitudes
    chart_quality: dict[str, Any] = field(default_factory=dict)  # by body, 0 where its chart is singular
    direct: Callable[[Any], tuple[Any, Any] | None] = lambda on: None  # s and ṡ where they are among q and v
    turned: frozenset[str] = frozenset()  # joints whose rows of position are in the axes of M, not of F
    combined: Combined | None = None  # all rows, where those above are combinations of them
    limit: Any = 0.0  # check value below which the combinations had better be chosen anew; one of the chart's numbers

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """All rows, redundant ones included."""
        return self.rows if self.combined is None else self.combined.rows

    @property
    def all_phi(self) -> Any:
        """Residuals of all rows."""
        return self.phi if self.combined is None else self.combined.phi


@dataclass(frozen=True, eq=False)
class ForceBalance:
    """Masses, energies, and the forces that act."""

    mass: Callable[[], Any]  # gives M (nv, nv), which long chains had better not ask for
    Q: Any  # (nv, 1)
    kinetic: Any  # energy  [J]
    potential: Any  # energy of gravity, springs and elastic stops  [J]
    power: Any  # of drives, dampers, friction and loads  [W]
    acting: tuple[tuple[Any, Any, Any], ...]  # (force, s, ṡ) of every law along a coordinate, actuators last
    articulated: tuple[Articulated, Any] | None = None  # for long branches, with the forces on them (nv, 1)

    @cached_property
    def M(self) -> Any:
        """The mass matrix (nv, nv)."""
        return self.mass()


@dataclass(frozen=True, eq=False)
class Graph:
    """Which speeds belong to which body, and what couples them: the structure of the matrices, in numbers."""

    scales: np.ndarray  # (nv,) natural size of every speed: the machine's size for lengths, 1 for angles and matrices
    blocks: tuple[Block, ...]  # of the speeds
    links: tuple[Link, ...]  # of the rows
    couplings: tuple[tuple[str, str], ...] = ()  # pairs of blocks that M couples
    branches: tuple[Any, ...] = ()  # nodes of the spanning tree, if there is one
    names: tuple[tuple[str, str], ...] = ()  # nv, of the speeds' displacements with their units, if there is no tree


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations of one mechanism in one formulation; all entries are SX."""

    formulation: str
    symbols: Symbols
    q: Any  # (nq, 1)
    v: Any  # (nv, 1)
    u: Any  # (nu, 1)
    kinematics: KinematicEquations
    balance: ForceBalance
    graph: Graph

    @cached_property
    def p(self) -> Any:
        """All that is constant along a motion: free parameters, then the charts' own numbers."""
        return casadi.vertcat(self.symbols.p, self.kinematics.chart)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Numbers of coordinates, speeds, constraint rows and actuators."""
        return self.q.size1(), self.v.size1(), self.kinematics.phi.size1(), self.u.size1()

    @property
    def N(self) -> Any:
        """q̇ per speed (nq, nv)."""
        return casadi.jacobian(self.kinematics.q_dot, self.v)

    def rate(self, x: Any, a: Any) -> Any:
        """dx/dt of any x(q, v) for accelerations v̇ = a:  ∂x/∂q q̇ + ∂x/∂v a."""
        return casadi.jtimes(x, self.q, self.kinematics.q_dot) + casadi.jacobian(x, self.v) @ a

    def world_twist(self, body: str) -> tuple[Any, Any]:
        """Velocity of a body's origin and its angular velocity (3, 1) in world axes  [m/s, rad/s]."""
        R, V = casadi.SX(self.kinematics.poses[body].R), self.kinematics.twists[body]
        return R @ casadi.SX(V.v), R @ casadi.SX(V.w)
