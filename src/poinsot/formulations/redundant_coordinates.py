"""Redundant coordinates: every body has its own, every joint its equations.

A chart gives pose and twist of one body from its coordinates; all else is the same for every chart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.bodies import RigidBody
from poinsot.engine import Block, Link
from poinsot.formulations.coordinates_of_poses import Reading
from poinsot.formulations.equations import Equations, ForceBalance, Graph, KinematicEquations
from poinsot.formulations.generalised_forces import applied, gravity_energy
from poinsot.formulations.symbols import Symbols
from poinsot.lazy import casadi
from poinsot.model.assembly.constraints import Row
from poinsot.spatial.algebra import transpose, vector
from poinsot.spatial.motion import Twist
from poinsot.spatial.pose import Pose

PLACE = (("x", "m"), ("y", "m"), ("z", "m"))  # coordinates of a body's origin


@dataclass(frozen=True)
class Chart(ABC):
    """Coordinates of one body."""

    size: int  # number of coordinates
    own_rows: tuple[str, ...]  # equations among them

    numbers: ClassVar[int] = 0  # that the chart chooses for itself
    names: ClassVar[tuple[tuple[str, str], ...]]  # of the coordinates, with their units: "m", "rad" or "-"

    @abstractmethod
    def pose(self, q: Any) -> Pose:
        """X_WB."""

    @abstractmethod
    def twist(self, q: Any, v: Any) -> Twist:
        """Twist about the body's origin in its own axes, linear in v = q̇."""

    def own(self, q: Any) -> Any:
        """Equations among the coordinates (k, 1); none by default."""
        return q[:0]

    def mass(self, body: RigidBody, q: Any, v: Any, gravity: Any) -> tuple[Any, Any]:
        """M (size, size) and the forces of inertia and gravity Q (size, 1): Newton and Euler with the twist V = J v.

        M = Jᵀ 𝓜 J,        Q = −Jᵀ (𝓜 (J̇ v − g) + V ×* 𝓜 V)
        """
        inertia, V = body.spatial_inertia(), self.twist(q, v)
        J_v, J_w = casadi.jacobian(V.v, v), casadi.jacobian(V.w, v)
        columns = [inertia.momentum(Twist(J_v[:, k], J_w[:, k])) for k in range(self.size)]
        M = casadi.horzcat(*(J_v.T @ c.f + J_w.T @ c.n for c in columns))
        A = Twist(casadi.jtimes(V.v, q, v) - transpose(self.pose(q).R) @ gravity, casadi.jtimes(V.w, q, v))
        F = inertia.needed(V, A)
        return casadi.sparsify(M), -(J_v.T @ F.f + J_w.T @ F.n)

    @abstractmethod
    def coordinates(self, X_WB: Pose, chart: np.ndarray) -> np.ndarray:
        """Coordinates of a pose, in numbers, with the chart's own numbers."""

    def scales(self, size: float) -> np.ndarray:
        """Natural sizes of the coordinates in a machine of a size [m]: that size for lengths, else 1."""
        return np.array([size if unit == "m" else 1.0 for _, unit in self.names])

    def symbols(self) -> Any:
        """Symbols (k, 1) of the chart's own numbers."""
        return casadi.SX(0, 1)

    def choose(self, X_WB: Pose) -> np.ndarray:
        """The chart's own numbers (k,) for a start at a pose."""
        return np.zeros(0)

    def quality(self, q: Any) -> Any | None:
        """1 where the chart is best, 0 where it is singular, negative beyond; None if it never is."""
        return None


def chart_reading(charts: Mapping[str, Chart]) -> Reading:
    """Coordinates of every body in its own chart."""

    def choose(poses: Mapping[str, Pose]) -> np.ndarray:
        return np.concatenate([chart.choose(poses[body]) for body, chart in charts.items()])

    def coordinates(poses: Mapping[str, Pose], numbers: np.ndarray) -> np.ndarray:
        found, start = [], 0
        for body, chart in charts.items():
            found.append(chart.coordinates(poses[body], numbers[start : start + chart.numbers]))
            start += chart.numbers
        return np.concatenate(found)

    return Reading(choose, coordinates)


def redundant_equations(name: str, symbols: Symbols, charts: dict[str, Chart]) -> Equations:
    """Write the equations of a mechanism with a chart for every body."""
    elements = symbols.elements
    n = sum(chart.size for chart in charts.values())
    q, v, u = casadi.SX.sym("q", n), casadi.SX.sym("v", n), casadi.SX.sym("u", len(elements.actuators))
    places, start = {}, 0
    for body, chart in charts.items():
        places[body], start = slice(start, start + chart.size), start + chart.size
    poses = {GROUND: Pose.identity()} | {b: c.pose(q[places[b]]) for b, c in charts.items()}
    rest = Twist(np.zeros(3), np.zeros(3))
    twists = {GROUND: rest} | {b: c.twist(q[places[b]], v[places[b]]) for b, c in charts.items()}
    gravity = vector(*elements.gravity)
    parts = [c.mass(elements.bodies[b], q[places[b]], v[places[b]], gravity) for b, c in charts.items()]
    forces = applied(elements, poses, twists, q, v, u, v, lambda on: None)
    M = casadi.diagcat(*(M for M, _ in parts)) + forces.M
    phi, rows, links = _constraints(elements, charts, places, poses, q)
    C = casadi.jacobian(phi, q)
    kinematics = KinematicEquations(
        q_dot=v,
        poses=poses,
        twists=twists,
        phi=phi,
        C=C,
        gamma=-casadi.jtimes(C @ v, q, v),
        rows=rows,
        norms=casadi.SX(0, 1),
        reading=chart_reading(charts),
        chart=casadi.vertcat(*(chart.symbols() for chart in charts.values())),
        chart_quality={b: quality for b, c in charts.items() if (quality := c.quality(q[places[b]])) is not None},
    )
    balance = ForceBalance(
        mass=lambda: M,
        Q=casadi.vertcat(*(Q for _, Q in parts)) + forces.Q,
        kinetic=v.T @ M @ v / 2,
        potential=forces.potential + gravity_energy(elements, poses),
        power=forces.power,
        acting=forces.parts,
    )
    graph = Graph(
        scales=np.concatenate([chart.scales(symbols.home.size) for chart in charts.values()]),
        blocks=tuple(Block(b, tuple(range(s.start, s.stop))) for b, s in places.items()),
        links=links,
        names=tuple((f"{b} {name}", unit) for b, c in charts.items() for name, unit in c.names),
    )
    return Equations(name, symbols, q, v, u, kinematics, balance, graph)


def _constraints(elements: Any, charts: dict[str, Chart], places: dict[str, slice], poses: dict[str, Pose], q: Any):
    """Φ with the bodies' own equations first, then those of the joints."""
    parts, rows, links = [], [], []

    def add(owner: str, labels: list[str], residual: Any, bodies: tuple[str, ...]) -> None:
        links.append(Link(owner, tuple(range(len(rows), len(rows) + len(labels))), bodies))
        rows.extend(Row(owner, label) for label in labels)
        parts.append(casadi.SX(residual))

    for body, chart in charts.items():
        if chart.own_rows:
            add(f"body {body}", list(chart.own_rows), chart.own(q[places[body]]), (body,))  # joints may have its name
    for joint in elements.joints.values():
        kept = list(joint.in_plane if elements.planar else range(len(joint.rows)))
        if kept:
            residual = casadi.SX(joint.residual(joint.relative(poses[joint.a.body], poses[joint.b.body])))
            bodies = tuple(b for b in (joint.a.body, joint.b.body) if b != GROUND)
            add(joint.name, [joint.rows[i] for i in kept], residual[kept], bodies)
    for coupling in elements.couplings.values():
        bodies = tuple(b for b in coupling.on.bodies(elements.joints) if b != GROUND)
        s = casadi.SX(coupling.on.value(poses, elements.joints))
        add(coupling.owner, [coupling.label], coupling.residual(s), bodies)
    return (casadi.vertcat(*parts) if parts else casadi.SX(0, 1)), tuple(rows), tuple(links)
