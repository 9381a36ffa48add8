"""Independent coordinates by the embedding technique: all speeds are expressed by rates that are independent.

    A v = [C; S] v = [0; w]      ⇒      v = B w,      M_i = Bᵀ M B,      Q_i = Bᵀ (Q − M γ_B),      A γ_B = [γ; 0]
    v̇ = B ẇ + γ_B                        Aᵀ [λ; 0] = Q − M v̇        (theory/dynamics, eq. 3)

S picks speeds of the tree, chosen by pivoting or by the user, or holds the slopes of coordinates that the user names.
Rates and speeds are measured by their natural sizes; the choice is good as long as no entry of B is large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.engine import ldl
from poinsot.engine.linear.pivoting import DEPENDENT, condition_of, independent_columns, largest_answers, unit_rows
from poinsot.errors import PoinsotError, counted, listing
from poinsot.formulations.equations import Equations
from poinsot.formulations.generalised_forces import coordinate_along
from poinsot.formulations.tree import Node, spanning_tree, speed_names, speed_scales
from poinsot.lazy import casadi
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.parts import Elements

Rate = int | str  # a speed of the tree by its number, or a coordinate by its name
POOR_CHOICE = 0.05  # quality below which other rates had better be chosen


@dataclass(frozen=True, eq=False)
class Embedding:
    """Equations of motion in independent rates."""

    B: Any  # (nv, n)
    M: Any  # (n, n)
    Q: Any  # (n, 1)
    bias: Any  # γ_B (nv, 1)
    acceleration: Any  # v̇ (nv, 1)
    multipliers: Any  # λ (m, 1)
    check: Any  # 1 is perfect, 0 where the rates, or the mass matrix in them, no longer tell the motion
    quality: Any  # 1 where no speed is larger than the independent rates, 0 where these no longer tell the motion


@dataclass(frozen=True, eq=False)
class Machine:
    """What rates are chosen among: no equations are needed for that."""

    elements: Elements
    branches: Sequence[Node]  # of the spanning tree
    size: float  # [m]

    @classmethod
    def of(cls, elements: Elements, size: float) -> Machine:
        """A machine by its elements."""
        return cls(elements, spanning_tree(elements).nodes, size)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Rows of S for some rates, with their natural sizes."""

    S: Any  # (n, nv)
    scales: np.ndarray  # (n,)  [m/s or rad/s]


def slopes(e: Equations, rates: Sequence[Rate]) -> Slopes:
    """S of speeds and coordinates."""
    size = e.symbols.home.size
    sizes, S = e.graph.scales, casadi.SX(len(rates), e.v.size1())
    scales = []
    for k, rate in enumerate(rates):
        if isinstance(rate, str):
            coordinate = e.symbols.elements.coordinate(rate)
            S[k, :] = casadi.jacobian(casadi.SX(coordinate_along(e, coordinate)[1]), e.v)
            scales.append(size if coordinate.unit == "m" else 1.0)
        else:
            S[k, rate] = 1
            scales.append(sizes[rate])
    return Slopes(casadi.sparsify(S), np.array(scales))


def rate_names(machine: Machine, rates: Sequence[Rate]) -> str:
    """Independent rates as a text for people."""
    names = speed_names(machine.branches)
    return ", ".join(rate if isinstance(rate, str) else names[rate] for rate in rates)


def independent_rates(
    machine: Machine,
    C: np.ndarray,
    wanted: Sequence[str] = (),
    S: np.ndarray | None = None,
    rank: int | None = None,
    masses: np.ndarray | None = None,
) -> tuple[Rate, ...]:
    """As many rates as the mechanism has freedoms: those wanted, with rows S (k, nv), the others by pivoting.

    C (m, nv) is the constraint Jacobian in the pose for which to choose, S is in natural sizes of the rates; `rank`
    is that of C in general poses, m if it is not given. With the `masses` (nv,) of the speeds no heavy one is made to
    depend on a far lighter one, whose own inertia would be lost beside it.
    """
    sizes = speed_scales(machine.branches, machine.size)
    A, rank = unit_rows(C * sizes), len(C) if rank is None else rank
    if rank + len(wanted) > A.shape[1]:
        raise PoinsotError(
            f"the mechanism has mobility {A.shape[1] - rank}: {counted(len(wanted), 'coordinate')} "
            f"({', '.join(wanted)}) cannot be independent"
        )
    for k, (name, row) in enumerate(zip(wanted, () if S is None else S)):
        A = np.vstack([A, row * sizes])
        if not (condition := condition_of(A, rank + k + 1)) < DEPENDENT:
            raise PoinsotError(_refusal(machine.elements, name, wanted[:k], condition))
    free = independent_columns(A, rank + len(wanted), None if masses is None else masses * sizes**2)
    if wanted:
        A = np.vstack([A, np.eye(A.shape[1])[list(free)]])
        largest = largest_answers(A, len(C), len(wanted))
        if not (condition := largest.max()) * POOR_CHOICE < 1:
            raise PoinsotError(_refusal(machine.elements, wanted[int(np.argmax(largest))], (), condition))
    return (*wanted, *free)


def _refusal(elements: Elements, name: str, beside: Sequence[str], condition: float) -> str:
    others = f" beside {', '.join(beside)}" if beside else ""
    return (
        f"coordinate '{name}' cannot be independent{others} in this pose: the condition number is {condition:.1e}; "
        f"there are: {listing(elements.coordinates.known)}"
    )


def free_speeds(e: Equations, C: np.ndarray) -> tuple[int, ...]:
    """Speeds that may be chosen freely in a pose with the constraint Jacobian C (m, nv), in natural sizes."""
    lengths = row_lengths(e.kinematics.rows, e.symbols.home.size)
    return independent_columns(C * e.graph.scales / lengths[:, None])


def embed(e: Equations, rates: Sequence[Rate]) -> Embedding:
    """Write the equations in independent rates, and recover all accelerations and multipliers.

    Speeds that are rates themselves are known; only the others are solved for, with rows and speeds in natural sizes.
    """
    n, given, M, Q, C = e.v.size1(), slopes(e, rates), e.balance.M, e.balance.Q, e.kinematics.C
    known = {k: _picked(given.S[k, :]) for k in range(len(rates))}
    picked = [(k, column) for k, column in known.items() if column is not None]
    others = [k for k, column in known.items() if column is None]
    fixed = [column for _, column in picked]
    rest = [i for i in range(n) if i not in fixed]
    A = casadi.vertcat(C, given.S[others, :])
    B, bias = casadi.SX(n, len(rates)), casadi.SX(n, 1)
    for k, column in picked:
        B[column, k] = 1
    lengths = row_lengths(e.kinematics.rows, e.symbols.home.size)
    rows = casadi.diag(1 / np.concatenate([lengths, given.scales[others]]))
    speeds, scales = casadi.diag(e.graph.scales[rest]), casadi.diag(given.scales)
    if rest:
        right = casadi.SX(len(rest), len(rates) + 1)
        right[:, [k for k, _ in picked]] = -A[:, fixed]
        for row, k in enumerate(others, C.size1()):
            right[row, k] = 1
        right[: C.size1(), len(rates)] = e.kinematics.gamma
        natural = casadi.sparsify(rows @ A[:, rest] @ speeds)
        solved = speeds @ casadi.solve(natural, rows @ right)
        B[rest, :], bias[rest] = solved[:, :-1], solved[:, -1]
    M_i, Q_i = B.T @ M @ B, B.T @ (Q - M @ bias)
    factor = ldl(scales @ M_i @ scales, range(len(rates)), signs=[1] * len(rates))

    def solve(force: Any) -> tuple[Any, Any]:
        """B ẇ with M_i ẇ = Bᵀ force, and the multipliers of what it leaves on the other speeds."""
        rate = B @ scales @ factor.solve(scales @ (B.T @ force))
        if not rest:
            return rate, casadi.SX(0, 1)
        left = speeds @ (force - M @ rate)[rest]
        return rate, (rows @ casadi.solve(natural.T, left))[: C.size1()]

    acceleration, multipliers = solve(Q - M @ bias)
    acceleration += bias
    more = solve(Q - M @ acceleration - C.T @ multipliers)  # round-off of B beside large reactions
    acceleration, multipliers = acceleration + more[0], multipliers + more[1]
    quality = _quality(e, B, given.scales)
    check = casadi.fmin(quality, factor.check)
    return Embedding(B, M_i, Q_i, bias, acceleration, multipliers, check, quality)


def _picked(row: Any) -> int | None:
    """Column of a row of S that picks one speed; None if it does not."""
    columns = row.sparsity().get_triplet()[1]
    one = len(columns) == 1 and row.nonzeros()[0].is_one()
    return columns[0] if one else None


def _quality(e: Equations, B: Any, scales: np.ndarray) -> Any:
    """1 / max |B| with rates and speeds in units of their natural sizes, at most 1."""
    natural = casadi.diag(1 / e.graph.scales) @ B @ casadi.diag(scales)
    largest = casadi.SX(1.0)
    for entry in casadi.sparsify(natural).nonzeros():
        largest = casadi.fmax(largest, casadi.fabs(entry))
    return 1 / largest
