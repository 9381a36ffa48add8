"""From equations to functions: accelerations, multipliers, and the way back to the constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.engine import KKTSolution, elimination_order, kkt, rows_to_add
from poinsot.errors import PoinsotError, unknown
from poinsot.formulations.embedded import POOR_CHOICE, Machine, Rate, embed, independent_rates
from poinsot.formulations.equations import Equations
from poinsot.formulations.euler import POOR_ANGLES, euler_equations
from poinsot.formulations.joint import joint_equations
from poinsot.formulations.rotation_matrix import rotation_matrix_equations
from poinsot.formulations.symbols import Symbols
from poinsot.model.assembly import Assembly, row_lengths
from poinsot.model.constraints import Constraints
from poinsot.model.mobility import dependent_rows, generic_assembly

__all__ = ["FORMULATIONS", "Dynamics", "dynamics", "unit_quaternions"]

FORMULATIONS = {
    "joint": joint_equations,
    "euler": euler_equations,
    "rotation-matrix": rotation_matrix_equations,
    "embedded": joint_equations,
}


def dynamics(symbols: Symbols, formulation: str = "joint") -> Dynamics:
    """Write a mechanism's equations in a formulation and prepare their solution."""
    if formulation not in FORMULATIONS:
        raise PoinsotError(unknown("formulation", formulation, FORMULATIONS))
    equations = without_dependent_rows(FORMULATIONS[formulation](symbols))
    chart = equations.choose_chart(symbols.home.poses)
    return Dynamics(formulation, equations, chart, equations.read(symbols.home.poses, chart))


def without_dependent_rows(e: Equations) -> Equations:
    """Leave out constraint equations that follow from others: their multipliers are not determined."""
    import casadi

    if not e.rows:
        return e
    size, home = e.symbols.home.size, e.symbols.home

    def dependent(at: Assembly, *matrices: Any) -> tuple[int, ...]:
        chart = e.choose_chart(at.poses)
        p = np.concatenate([e.symbols.values(e.symbols.mechanism), chart])
        found = casadi.Function("C", [e.q, e.p], matrices)(e.read(at.poses, chart), p)
        C, *moved = (np.asarray(x).reshape(x.shape) for x in (found if len(matrices) > 1 else [found]))
        if moved:
            largest = np.max(np.abs(moved[0]), axis=0, initial=0.0)
            C = C / row_lengths(e.rows, size)[:, None] / np.where(largest > 0, largest, 1.0)
        return dependent_rows(C)

    gone = dependent(home, e.C)
    if gone:  # rows in metres and in sines may only look so together, and a special pose may
        parts = [casadi.SX(x) for V in e.twists.values() for x in (V.v / size, V.w)]
        moved = casadi.jacobian(casadi.vertcat(*parts), e.v)  # natural size of every speed
        gone = dependent(home, e.C, moved)
    if gone:
        gone = dependent(generic_assembly(Constraints(e.symbols.mechanism.elements), home), e.C, moved)
    if not gone:
        return e
    kept = [i for i in range(len(e.rows)) if i not in gone]
    number = {old: new for new, old in enumerate(kept)}
    links = tuple(replace(link, rows=tuple(number[i] for i in link.rows if i in number)) for link in e.links)
    return replace(
        e,
        phi=e.phi[kept],
        C=e.C[kept, :],
        gamma=e.gamma[kept],
        rows=tuple(e.rows[i] for i in kept),
        redundant=tuple(e.rows[i] for i in gone),
        links=tuple(link for link in links if link.rows),
    )


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
        import casadi

        e = self.equations
        return casadi.Function(name, [e.q, e.v, e.u, e.p], outputs)

    @cached_property
    def jacobian_at_home(self) -> np.ndarray:
        """C (m, nv) in the home pose."""
        C = self.function("jacobian", [self.equations.C])
        return np.asarray(C(self.q_home, 0, 0, self.p_nominal)).reshape(self.equations.C.shape)

    @cached_property
    def order(self) -> list[int]:
        """Elimination order from the mechanism's graph, with a sample of the Jacobian at the home pose.

        That makes fewer operations, and may fail in ordinary poses far from home; the careful order never does.
        """
        e = self.equations
        sample = None if self.careful else self.jacobian_at_home
        return elimination_order(e.blocks, e.links, e.couplings, jacobian=sample)

    @cached_property
    def added(self) -> dict[int, Any]:
        """Rows of C that are added to the mass matrix, with weights: those that hold what has no mass of its own.

        They are found at home, with the present masses. The careful way adds all, weighted by the mean of the masses.
        """
        import casadi

        e, found = self.equations, None
        if not self.careful:
            M = np.asarray(self.function("mass", [e.M])(self.q_home, 0, 0, self.p_nominal))
            lengths = row_lengths(e.rows, e.symbols.home.size)
            found = rows_to_add(M, self.jacobian_at_home, self.order, lengths)
        if found is None:
            return dict.fromkeys(range(e.C.size1()), casadi.trace(e.M) / e.M.size1())
        return {row: weight.of(e.M) for row, weight in found.items()}

    @cached_property
    def solution(self) -> tuple[Any, Any, Any]:
        """v̇ (nv, 1), λ (m, 1) and a number that tells near-singularity (1 is perfect)."""
        import casadi

        e = self.equations
        if e.articulated is not None and not self.independent:
            return e.articulated, casadi.SX(0, 1), casadi.SX(1.0)
        if self.formulation == "embedded":
            embedding = embed(e, self.rates)
            return embedding.acceleration, embedding.multipliers, embedding.quality
        solved = self.system
        return solved.acceleration, solved.multipliers, solved.factor.check

    @cached_property
    def rates(self) -> tuple[Rate, ...]:
        """The independent rates of the embedded equations."""
        e = self.equations
        machine = Machine(e.symbols.elements, e.branches, e.symbols.home.size)
        return self.independent or independent_rates(machine, self.jacobian_at_home)

    @cached_property
    def qualities(self) -> dict[str, Any]:
        """By name, how good the coordinates are: others had better be chosen below 1; empty if they never are poor.

        Euler angles by body; the choice of independent rates under the name "independent".
        """
        if self.formulation == "embedded" and self.equations.phi.size1() + len(self.independent):
            return {"independent": self.solution[2] / POOR_CHOICE}
        return {body: quality / POOR_ANGLES for body, quality in self.equations.chart_quality.items()}

    @cached_property
    def system(self) -> KKTSolution:
        """The equations of motion solved by LDLᵀ, with the factor for further right-hand sides."""
        e = self.equations
        return kkt(e.M, e.C, e.Q, e.gamma, self.order, self.added)

    @cached_property
    def forward(self) -> Any:
        """(q, v, u, p) -> v̇, λ, check."""
        return self.function("forward", list(self.solution))

    @cached_property
    def projected(self) -> tuple[Any, Any]:
        """q and v brought back to the constraints by one Newton step of least change, measured by the masses.

        M δ + Cᵀλ = 0, C δ = −Φ,  q + N δ,  quaternions to unit length;      M v' + Cᵀλ = M v, C v' = 0
        """
        import casadi

        e = self.equations
        n, m = e.v.size1(), e.phi.size1()
        q, v = e.q, e.v
        if m:
            forces, targets = casadi.horzcat(casadi.SX(n, 1), e.M @ e.v), casadi.horzcat(-e.phi, casadi.SX(m, 1))
            moved = self.system.solve(forces, targets)[0]
            q, v = q + casadi.jacobian(e.q_dot, e.v) @ moved[:, 0], moved[:, 1]
        return unit_quaternions(e, q), v


def unit_quaternions(e: Equations, q: Any) -> Any:
    """Coordinates with their quaternions brought to unit length."""
    import casadi

    scale = casadi.SX.ones(q.shape)
    for i in range(e.norms.size1()):
        squared = casadi.jacobian(e.norms[i], e.q)
        index = squared.sparsity().get_triplet()[1]
        length = casadi.norm_2(q[index])
        for k in index:
            scale[k] = 1 / length
    return q * scale
