"""Independent coordinates by the embedding technique: dependent speeds are expressed by independent ones.

C v = [C_d C_i] (v_d, v_i) = 0      ⇒      v = B v_i,      B = [−C_d⁻¹ C_i; 1],      M_i = Bᵀ M B
Q_i = Bᵀ (Q − M γ_B),      γ_B = [C_d⁻¹ γ; 0],      v̇ = B v̇_i + γ_B
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.formulations.equations import Equations

__all__ = ["Embedding", "embed", "independent_speeds"]


@dataclass(frozen=True, eq=False)
class Embedding:
    """Equations of motion in independent speeds."""

    independent: tuple[int, ...]  # numbers among the speeds
    dependent: tuple[int, ...]
    B: Any  # (nv, n)
    M: Any  # (n, n)
    Q: Any  # (n, 1)
    bias: Any  # γ_B (nv, 1)
    acceleration: Any  # v̇ (nv, 1)
    multipliers: Any  # λ (m, 1)


def independent_speeds(C: np.ndarray, wanted: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Choose as many speeds as the mechanism has freedoms: those wanted, then by pivoting."""
    from scipy.linalg import qr

    m, n = C.shape
    if m == 0:
        return tuple(range(n))
    scale = np.linalg.norm(C, axis=0)
    weighted = C / np.where(scale > 0, scale, 1.0)
    weighted[:, list(wanted)] *= 1e-6  # the last to be chosen as dependent
    _, R, pivots = qr(weighted, pivoting=True, mode="economic")
    dependent = pivots[:m]
    if abs(R[m - 1, m - 1]) < 1e-9 * abs(R[0, 0]):
        raise PoinsotError("the constraints are dependent in this pose: no independent speeds can be chosen")
    if taken := [i for i in wanted if i in dependent]:
        raise PoinsotError(f"speed {taken[0]} cannot be independent together with the others asked for")
    return tuple(sorted(set(range(n)) - set(int(i) for i in dependent)))


def embed(e: Equations, independent: tuple[int, ...]) -> Embedding:
    """Write the equations in independent speeds, and recover all accelerations and multipliers."""
    import casadi

    n = e.v.size1()
    dependent = tuple(i for i in range(n) if i not in independent)
    C_d, C_i = e.C[:, list(dependent)], e.C[:, list(independent)]
    B, bias = casadi.SX(n, len(independent)), casadi.SX(n, 1)
    for k, i in enumerate(independent):
        B[i, k] = 1
    if dependent:
        solved = casadi.solve(C_d, casadi.horzcat(-C_i, e.gamma))
        B[list(dependent), :], bias[list(dependent)] = solved[:, :-1], solved[:, -1]
    M_i, Q_i = B.T @ e.M @ B, B.T @ (e.Q - e.M @ bias)
    acceleration = B @ casadi.solve(M_i, Q_i) + bias
    rest = (e.Q - e.M @ acceleration)[list(dependent)] if dependent else casadi.SX(0, 1)
    multipliers = casadi.solve(C_d.T, rest) if dependent else rest
    return Embedding(independent, dependent, B, M_i, Q_i, bias, acceleration, multipliers)
