"""A system with some coordinates prescribed: Newton steps, speeds and accelerations.

Φ(q) = 0, s(q) = s*          [C; J] v = [0; ṡ*]          [C; J] v̇ = [γ; s̈* − J̇ v]        (theory/dynamics, eq. 11)
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot import formulations
from poinsot.engine import Link, elimination_order, kernel, kkt
from poinsot.errors import PoinsotError, counted
from poinsot.lazy import casadi
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.assembly.turns import winds
from poinsot.system.conditioning import surplus_or_free
from poinsot.system.functions import coordinate_rates
from poinsot.system.open_spins import open_spins
from poinsot.system.scales import powers_of_two, speeds_of_drives
from poinsot.system.stored import remembered, stored, stored_parts

if TYPE_CHECKING:
    from poinsot.model.assembly.assembly import Assembly
    from poinsot.system.system import System

ASKED = 4  # right sides of [C; J] x = b for which x is compared from pose to pose


class DrivenEquations:
    """Equations of a system with some coordinates prescribed, as symbols."""

    def __init__(self, compiled: System, names: tuple[str, ...]):
        e = compiled.equations
        pairs = [compiled.coordinate(name) for name in names]
        s, s_dot = (casadi.vertcat(*column) for column in zip(*pairs))
        J = casadi.jacobian(s_dot, e.v)
        n, m, k = e.v.size1(), e.kinematics.phi.size1(), len(names)
        targets = [casadi.SX.sym(x, k) for x in ("s", "s_dot", "s_ddot")]
        turns = [compiled.elements.coordinates[name].unit == "rad" for name in names]
        gaps = zip(casadi.vertsplit(s - targets[0]), turns)
        error = casadi.vertcat(*(formulations.turn(gap) if turned else gap for gap, turned in gaps))
        A = casadi.vertcat(e.kinematics.C, J)
        size = compiled.home.size  # scales rows and columns, so that no pivot depends on units  [m]
        size = 1.0 if 1 / 32 < size < 32 else 2.0 ** round(np.log2(size))  # a power of two does so without rounding
        sample = casadi.Function("A", [e.q, e.p], [A])
        rows = 1 / np.concatenate([row_lengths(e.kinematics.rows, size), np.where(turns, 1.0, size)])
        self.speeds = speeds_of_drives(compiled, sample, k, rows, size)
        sampled = np.asarray(sample(compiled.dynamics.q_home, compiled.dynamics.p_nominal))
        sampled = rows[:, None] * sampled * self.speeds
        geared = winds(compiled.mechanism.elements)
        largest = powers_of_two(np.max(np.abs(sampled), axis=1, initial=0.0)) if geared else np.ones(m + k)
        self._rows, sampled = rows / largest, sampled / largest[:, None]
        scaled = casadi.diag(casadi.SX(self._rows)) @ A @ casadi.diag(casadi.SX(self.speeds))
        sampled = None if compiled.dynamics.careful or e.kinematics.combined is not None else sampled
        links = [*e.graph.links, *(Link(f"drive {n}", (m + i,), _touched(e, J[i, :])) for i, n in enumerate(names))]
        order = elimination_order(e.graph.blocks, links, e.graph.couplings, jacobian=sampled)
        gap = casadi.vertcat(e.kinematics.phi, error)
        step = self._system = kkt(casadi.SX.eye(n), scaled, casadi.SX(n, 1), -self._rows * gap, order, added={})
        q_new = e.q + e.N @ (self.speeds * step.acceleration)
        self.A, self.gap = A, casadi.vertcat(e.kinematics.phi, s)
        newton = casadi.Function("newton", [e.q, targets[0], e.p], [formulations.unit_quaternions(e, q_new), gap])
        v = self.solve(casadi.vertcat(casadi.SX(m, 1), targets[1]))
        self.gamma = casadi.vertcat(e.kinematics.gamma, -casadi.jtimes(s_dot, e.q, e.kinematics.q_dot))
        acceleration = self.solve(self.gamma + casadi.vertcat(casadi.SX(m, 1), targets[2]))
        speeds = casadi.Function("speeds", [e.q, targets[1], e.p], [v, step.factor.check])
        accelerations = casadi.Function("accelerations", [e.q, e.v, targets[2], e.p], [acceleration])
        slopes = casadi.Function("slopes", [e.q, e.p], [casadi.densify(A)])
        asked = np.random.default_rng(0).normal(size=(m + k, ASKED)) / self._rows[:, None]
        answers = casadi.densify(self.solve(casadi.SX(asked)) / self.speeds)
        self.functions = {"newton": newton, "speeds": speeds, "accelerations": accelerations, "slopes": slopes}
        self.functions["answers"] = casadi.Function("answers", [e.q, e.p], [answers])
        if e.kinematics.combined is not None:
            self.functions["open"] = casadi.Function("open", [e.q, e.p], [e.kinematics.all_phi])

    def solve(self, b: Any) -> Any:
        """x (nv, k) with A x = b, A = [C; J], from the factor of the Newton step."""
        b = casadi.diag(casadi.SX(self._rows)) @ b
        x = self._system.solve(casadi.SX(self._system.M.size1(), b.size2()), b)[0]
        return casadi.diag(casadi.SX(self.speeds)) @ x

    def multipliers(self, Q: Any) -> Any:
        """λ with Aᵀ λ nearest to forces Q (nv, 1)."""
        return self._rows * self._system.solve(self.speeds * Q, casadi.SX(self._system.C.size1(), 1))[1]


@remembered
def _driven_equations(compiled: System, names: tuple[str, ...]) -> DrivenEquations:
    return DrivenEquations(compiled, names)


@stored_parts
def _driven(compiled: System, names: tuple[str, ...]) -> tuple[dict[str, casadi.Function], list[float]]:
    """The functions, and the natural sizes of all speeds."""
    equations = _driven_equations(compiled, names)
    return equations.functions, equations.speeds.tolist()


@stored
def _bias(compiled: System, names: tuple[str, ...]) -> casadi.Function:
    e = compiled.equations
    return casadi.Function("bias", [e.q, e.v, e.p], [casadi.densify(_driven_equations(compiled, names).gamma)])


class Driven:
    """Newton steps and rates of a system with some coordinates prescribed."""

    def __init__(self, compiled: System, names: tuple[str, ...]):
        coordinates = compiled.mechanism.template.coordinates
        self.compiled, self.names = compiled, names
        self.turns = np.array([coordinates[name].unit == "rad" for name in names])
        found = _driven(compiled, names)
        parts = ("newton", "speeds", "accelerations", "slopes")
        self.newton, self._speeds, self._accelerations, self._slopes = (
            kernel(found.functions[part]) for part in parts
        )
        self._open = kernel(found.functions["open"]) if "open" in found.functions else None
        self._found = found.functions
        self.speeds = np.array(found.facts)  # natural sizes of all speeds (nv,) when the drives move with theirs

    @cached_property
    def equations(self) -> DrivenEquations:
        """The same as symbols."""
        return _driven_equations(self.compiled, self.names)

    def values(self, at: Assembly, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The prescribed coordinates (k,) at an assembled pose, which has coordinates q, with the turns that are
        known of them."""
        s = self.newton(q, np.zeros(len(self.names)), p)[1][-len(self.names) :]
        elements = self.compiled.mechanism.elements
        known = np.array([at.value(elements.coordinates[name], elements.joints) for name in self.names])
        return np.where(self.turns, s + 2 * np.pi * np.rint((known - s) / (2 * np.pi)), s)

    @cached_property
    def answers(self) -> Any:
        """(q, p) -> x (nv, ASKED) with [C; J] x = b for some b, all in natural sizes: a change of branch turns x."""
        return kernel(self._found["answers"])

    def row_sizes(self, size: float) -> np.ndarray:
        """Natural sizes (m + k,) of the constraints and the prescribed coordinates: the machine's [m], or 1."""
        return np.concatenate([row_lengths(self.compiled.outline.rows, size), np.where(self.turns, 1.0, size)])

    def violation(self, q: np.ndarray, s: np.ndarray, p: np.ndarray, size: float = 1.0) -> float:
        """Largest violation of any constraint, redundant ones included, or of a prescribed coordinate, lengths by a
        size [m]."""
        outline = self.compiled.outline
        gaps = [self.newton(q, s, p)[1] / self.row_sizes(size)]
        gaps += [gap / row_lengths(outline.all_rows, size) for gap in (self._open(q, p) if self._open else ())]
        return float(max(np.max(np.abs(gap), initial=0.0) for gap in gaps))

    def slopes(self, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        """[C; J] (n, m + k, nv) at coordinates q (n, nq)."""
        (A,) = self._slopes(q, p)
        return A.reshape(len(q), -1, self.compiled.sizes[1])

    def bias(self, q: np.ndarray, v: np.ndarray, s_ddot: np.ndarray, p: np.ndarray) -> np.ndarray:
        """What [C; J] v̇ is (n, m + k) at coordinates q and speeds v."""
        (b,) = _bias(self.compiled, self.names)(q, v, p)
        b[:, b.shape[1] - len(self.names) :] += s_ddot
        return b

    def coordinate_rates(self, q: np.ndarray, s_dot: np.ndarray, p: np.ndarray) -> np.ndarray:
        """q̇ (n, nq)."""
        v, _ = self._speeds(q, s_dot, p)
        return coordinate_rates(self.compiled, q, v, p)

    def rates(self, q: np.ndarray, s_dot: np.ndarray, s_ddot: np.ndarray, p: np.ndarray):
        """Speeds, accelerations and check values."""
        v, check = self._speeds(q, s_dot, p)
        (a,) = self._accelerations(q, v, s_ddot, p)
        return v, a, check


def require_count(compiled: System, names: tuple[str, ...]) -> None:
    """As many coordinates as the mechanism has freedoms must be prescribed."""
    _, n, m, _ = compiled.sizes
    for name in names:
        compiled.mechanism.template.coordinate(name)
    if n == m:
        raise PoinsotError(f"{compiled.mechanism.name} cannot move: it has mobility 0")
    if len(names) != n - m:
        spins = open_spins(compiled.mechanism.naming(*names), names)
        raise PoinsotError(
            f"{compiled.mechanism.name} has mobility {n - m} and the motion prescribes "
            f"{counted(len(names), 'coordinate')} ({', '.join(names) or 'none'}): "
            f"prescribe {n - m} independent ones; "
            + (spins.prevented if spins else surplus_or_free(compiled, names, n - m))
        )


def _touched(e: Any, row: Any) -> tuple[str, ...]:
    """Blocks of speeds in which a row of the Jacobian has entries."""
    columns = set(row.sparsity().get_triplet()[1])
    return tuple(block.name for block in e.graph.blocks if columns & set(block.columns))


@remembered
def driven(compiled: System, names: tuple[str, ...]) -> Driven:
    """Newton steps and rates for prescribed coordinates, made once."""
    return Driven(compiled, names)
