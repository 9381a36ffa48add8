"""From equations to functions: accelerations, multipliers, and the way back to the constraints.

(M + EᵀE) v̇ + Cᵀλ = Q + Eᵀγ_E,    C v̇ = γ        (theory/dynamics, eq. 8)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.engine import KKTSolution, Link, elimination_order, kkt, rows_to_add
from poinsot.engine.linear.sparse_ldl import ZeroPivotError
from poinsot.errors import PoinsotError
from poinsot.formulations.articulated import ArticulatedSolution, articulated_solution
from poinsot.formulations.coordinates_of_poses import COMBINATIONS, combining_reading
from poinsot.formulations.embedded import POOR_CHOICE, Embedding, Machine, Rate, embed, independent_rates
from poinsot.formulations.equations import Combined, Equations
from poinsot.formulations.euler import POOR_ANGLES
from poinsot.formulations.registry import formulation_of
from poinsot.formulations.symbols import Symbols
from poinsot.lazy import casadi
from poinsot.model.assembly.constraints import Row, row_lengths
from poinsot.model.assembly.mobility import weightless_spins

UNEVEN = 1e-5  # of the largest mass beyond a joint: with less in a loop the mass matrix is factorised


def dynamics(symbols: Symbols, formulation: str = "joint") -> Dynamics:
    """Write a mechanism's equations in a formulation and prepare their solution."""
    equations = with_independent_rows(formulation_of(formulation).equations(symbols))
    reading, poses = equations.kinematics.reading, symbols.home.poses
    chart = reading.chart(poses)
    return Dynamics(formulation, equations, chart, reading.coordinates(poses, chart))


def with_independent_rows(e: Equations) -> Equations:
    """Replace rows that share self-stresses by as many combinations of them as are independent, chosen for a pose.

    Φ = T Φ_all,    C = T C_all,    γ = T γ_all        (theory/dynamics, eq. 7)
    """
    found, motion = e.symbols.redundancy, e.kinematics
    if not found.groups:
        return e
    number = {row: i for i, row in enumerate(motion.rows)}
    S, limit = casadi.SX.sym("S", found.numbers), casadi.SX.sym("limit")
    members = [[number[row] for row in group.rows] for group in found.groups]
    kept = [i for i in range(len(motion.rows)) if i not in set().union(*members)]
    rows, start = [motion.rows[i] for i in kept], 0
    T = casadi.SX(len(kept) + sum(group.rank for group in found.groups), len(motion.rows))
    for k, i in enumerate(kept):
        T[k, i] = 1
    place = {old: new for new, old in enumerate(kept)}
    links = [replace(link, rows=tuple(place[i] for i in link.rows if i in place)) for link in e.graph.links]
    for group, columns in zip(found.groups, members):
        first, stop = len(rows), start + group.rank * len(columns)
        T[first : first + group.rank, columns] = casadi.reshape(S[start:stop], len(columns), group.rank).T
        rows += [Row(", ".join(group.joints), f"combination {k + 1}") for k in range(group.rank)]
        touched = dict.fromkeys(b for link in e.graph.links if set(link.rows) & set(columns) for b in link.blocks)
        links.append(Link(rows[-1].joint if group.rank else "", tuple(range(first, len(rows))), tuple(touched)))
        start = stop
    T = casadi.sparsify(T)
    elements, size = e.symbols.mechanism.elements, e.symbols.home.size
    kinematics = replace(
        motion,
        phi=T @ motion.phi,
        C=casadi.sparsify(T @ motion.C),
        gamma=T @ motion.gamma,
        rows=tuple(rows),
        combined=Combined(T, motion.phi, motion.rows),
        chart=casadi.vertcat(motion.chart, S, limit),
        limit=limit,
        reading=combining_reading(motion.reading, elements, found, size),
    )
    return replace(e, kinematics=kinematics, graph=replace(e.graph, links=tuple(link for link in links if link.rows)))


@dataclass(frozen=True, eq=False)
class Dynamics:
    """The solution of one set of equations as symbols, made when first used."""

    formulation: str
    equations: Equations
    chart_home: np.ndarray  # (k,)
    q_home: np.ndarray  # (nq,)
    independent: tuple[Rate, ...] = ()  # rates of the embedded equations; chosen at home if none are given
    careful: bool = False  # whether the equations are solved in an order that is safe in every pose

    @cached_property
    def p_nominal(self) -> np.ndarray:
        """Values of the free parameters and of the charts' own numbers."""
        symbols = self.equations.symbols
        return np.concatenate([symbols.values(symbols.mechanism), self.chart_home])

    def function(self, name: str, outputs: list[Any]) -> Any:
        """A CasADi function of (q, v, u, p)."""
        e = self.equations
        return casadi.Function(name, [e.q, e.v, e.u, e.p], outputs)

    @cached_property
    def jacobian_at_home(self) -> np.ndarray:
        """C (m, nv) in the home pose."""
        C = self.function("jacobian", [self.equations.kinematics.C])
        return np.asarray(C(self.q_home, 0, 0, self.p_nominal)).reshape(self.equations.kinematics.C.shape)

    @cached_property
    def order(self) -> list[int]:
        """Elimination order from the mechanism's graph, with a sample of the Jacobian at the home pose.

        That makes fewer operations, and may fail in ordinary poses far from home; the careful order never does. It is
        the one for combinations of redundant rows, which change with the pose.
        """
        graph, combined = self.equations.graph, self.equations.kinematics.combined
        sample = None if self.careful or combined is not None else self.natural_jacobian
        return elimination_order(graph.blocks, graph.links, graph.couplings, jacobian=sample)

    @property
    def natural_jacobian(self) -> np.ndarray:
        """C (m, nv) in the home pose, speeds and rows in natural sizes."""
        return self.jacobian_at_home * self.equations.graph.scales / self.row_lengths[:, None]

    @cached_property
    def row_lengths(self) -> np.ndarray:
        """What the rows are measured by (m,): the machine's size for those in metres, else 1."""
        return row_lengths(self.equations.kinematics.rows, self.equations.symbols.home.size)

    @cached_property
    def added(self) -> dict[int, Any]:
        """Rows of C that are added to the mass matrix, with weights: those that hold what has no mass of its own.

        They are found at home, with the present masses. The careful way adds all, weighted by the mean of the masses.
        """
        M, scales, found = self.equations.balance.M, self.equations.graph.scales, None
        if not self.careful:
            found = rows_to_add(self.mass_at_home * np.outer(scales, scales), self.natural_jacobian, self.order)
        if found is None:
            return self.all_weighted(M)
        units = {row: scales[w.column] ** 2 / self.row_lengths[row] ** 2 for row, w in found.items()}
        return {row: units[row] * weight.of(M) for row, weight in found.items()}

    def all_weighted(self, M: Any) -> dict[int, Any]:
        """All rows of C with weights by the mean entry of M (nv, nv), all in natural sizes."""
        mean = casadi.dot(casadi.diag(M), self.equations.graph.scales**2) / M.size1()
        return {row: mean / length**2 for row, length in enumerate(self.row_lengths)}

    @cached_property
    def solution(self) -> tuple[Any, Any, Any]:
        """v̇ (nv, 1), λ (m, 1) and a number that tells near-singularity (1 is perfect)."""
        e = self.equations
        tree = e.balance.articulated is not None and not e.kinematics.phi.size1() and not self.independent
        if self.formulation == "embedded" and not tree:
            return self.embedding.acceleration, self.embedding.multipliers, self.embedding.check
        solved = self.system
        return solved.acceleration, solved.multipliers, casadi.SX(solved.check)

    @cached_property
    def embedding(self) -> Embedding:
        """The equations in independent rates."""
        return embed(self.equations, self.rates)

    @cached_property
    def rates(self) -> tuple[Rate, ...]:
        """The independent rates of the embedded equations."""
        e = self.equations
        if self.independent:
            return self.independent
        machine = Machine(e.symbols.elements, e.graph.branches, e.symbols.home.size)
        return independent_rates(machine, self.jacobian_at_home, masses=np.diag(self.mass_at_home))

    @cached_property
    def mass_at_home(self) -> np.ndarray:
        """M (nv, nv) in the home pose."""
        return np.asarray(self.function("mass", [self.equations.balance.M])(self.q_home, 0, 0, self.p_nominal))

    @cached_property
    def qualities(self) -> dict[str, Any]:
        """By name, how good the coordinates are: others had better be chosen below 1; empty if they never are poor.

        Euler angles by body; the choice of independent rates under the name "independent", combinations of redundant
        constraints under a name of their own.
        """
        motion = self.equations.kinematics
        found = {body: quality / POOR_ANGLES for body, quality in motion.chart_quality.items()}
        if self.formulation == "embedded" and motion.phi.size1() + len(self.independent):
            found["independent"] = self.embedding.quality / POOR_CHOICE
        if motion.combined is not None:
            found[COMBINATIONS] = self.system.check / (motion.limit + 1e-300)
        return found

    @cached_property
    def system(self) -> KKTSolution | ArticulatedSolution:
        """The equations of motion solved, with the factors for further right-hand sides.

        By articulated bodies where there are long branches and no joint has much less mass beyond it than the others.
        """
        balance, motion = self.equations.balance, self.equations.kinematics
        if balance.articulated is not None and not self.careful and self._even:
            bodies, forces = balance.articulated
            return articulated_solution(bodies, motion.C, forces, motion.gamma)
        try:
            found = kkt(balance.M, motion.C, balance.Q, motion.gamma, self.order, self.added)
        except ZeroPivotError:
            given = self.equations.symbols
            why = weightless_spins(given.mechanism.elements, given.home)
            raise PoinsotError(
                "the equations of motion have no solution: something can move that has no inertia; "
                f"{why or '`check` names it'}"
            ) from None
        return found.refined() if self.careful else found

    @property
    def _even(self) -> bool:
        """Whether no joint of a chain in loops moves far less mass than others: constraints would have to hold it."""
        e = self.equations
        if e.balance.articulated is None or not e.kinematics.phi.size1():
            return True
        pivots = self.function("pivots", [e.balance.articulated[0].pivots])(self.q_home, 0, 0, self.p_nominal)
        masses = np.asarray(pivots).ravel() * e.graph.scales**2
        return bool(masses.min() > UNEVEN * masses.max())

    @cached_property
    def forward(self) -> Any:
        """(q, v, u, p) -> v̇, λ, check."""
        return self.function("forward", list(self.solution))

    @cached_property
    def projected(self) -> tuple[Any, Any]:
        """q and v brought back to the constraints by one Newton step of least change, measured by the masses.

        M δ + Cᵀλ = 0, C δ = −Φ,  q + N δ,  quaternions to unit length;      M ε + Cᵀλ = 0, C ε = −C v,  v + ε
        """
        e = self.equations
        q, v, phi = e.q, e.v, e.kinematics.phi
        if phi.size1():
            moved = self.system.solve(casadi.SX(v.size1(), 2), -casadi.horzcat(phi, e.kinematics.C @ v))[0]
            q, v = q + e.N @ moved[:, 0], v + moved[:, 1]
        return unit_quaternions(e, q), v


def unit_quaternions(e: Equations, q: Any) -> Any:
    """Coordinates with their quaternions brought to unit length."""
    scale = casadi.SX.ones(q.shape)
    for norm in casadi.vertsplit(e.kinematics.norms):
        index = casadi.jacobian(norm, e.q).sparsity().get_triplet()[1]
        length = casadi.norm_2(q[index])
        for k in index:
            scale[k] = 1 / length
    return q * scale
