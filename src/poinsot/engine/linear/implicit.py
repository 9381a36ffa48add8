"""Derivatives of the solution of a linear system, from the factor that gave it.

    A(p) x = b(p)      ⇒      A ∂x/∂p = ∂b/∂p − (∂A/∂p) x

One factorisation, one right-hand side a parameter. Differentiating through the factorisation gives the
same numbers with many times the instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poinsot.engine.linear.sparse_ldl import Factor, KKTSolution
from poinsot.lazy import casadi

if TYPE_CHECKING:
    from casadi import SX

__all__ = ["implicit_derivative", "kkt_derivative"]


def implicit_derivative(factor: Factor, matrix: SX, rhs: SX, solution: SX, wrt: SX) -> SX:
    """Differentiate the solution (n, 1) of matrix · x = rhs with respect to symbols (k, 1); gives (n, k)."""
    x = casadi.SX.sym("x", solution.size1())
    (slope,) = _with_values([casadi.jacobian(matrix @ x - rhs, wrt)], [x], [solution])
    return factor.solve(-slope)


def kkt_derivative(system: KKTSolution, wrt: SX) -> tuple[SX, SX]:
    """Differentiate accelerations and multipliers of a KKT system: ∂a/∂p (n, k) and ∂λ/∂p (m, k).

    With r₁ = M a + Cᵀλ − Q and r₂ = C a − γ, both zero,

        [ M   Cᵀ ] [ ∂a ]     [ ∂r₁ ]
        [ C   0  ] [ ∂λ ] = − [ ∂r₂ ]        a and λ held fixed in ∂r
    """
    M, C, Q, gamma = system.M, system.C, system.Q, system.gamma
    n, m = M.size1(), C.size1()
    a, lam = casadi.SX.sym("a", n), casadi.SX.sym("lam", m)
    slopes = [casadi.jacobian(M @ a + C.T @ lam - Q, wrt), casadi.jacobian(C @ a - gamma, wrt)]
    r1, r2 = _with_values(slopes, [a, lam], [system.acceleration, system.multipliers])
    return system.solve(-r1, -r2)


def _with_values(expressions: list[SX], symbols: list[SX], values: list[SX]) -> list[SX]:
    """Put expressions in the place of symbols."""
    return casadi.substitute(expressions, symbols, values)
