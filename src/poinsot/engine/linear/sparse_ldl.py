"""Sparse LDLᵀ of symmetric matrices of SX expressions, without pivoting, and KKT systems on top of it.

    P A Pᵀ = L D Lᵀ        L unit lower triangular, D diagonal

Only structural nonzeros become instructions. The elimination order decides fill and stability: take it from
the mechanism's graph (`elimination_order`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from poinsot.errors import PoinsotError
from poinsot.lazy import casadi

if TYPE_CHECKING:
    from casadi import SX


class ZeroPivotError(PoinsotError):
    """A matrix that cannot be factorised, whatever its values."""


@dataclass(frozen=True)
class Factor:
    """L and D of one symmetric matrix, ready for any number of right-hand sides."""

    order: tuple[int, ...]  # row eliminated first, second, …
    columns: tuple[tuple[tuple[int, Any], ...], ...]  # by step: (row, l) of one column of L, rows by old number
    pivots: tuple[Any, ...]  # by step: d
    inverse_pivots: tuple[Any, ...]
    check: Any  # smallest |d| relative to the terms it is made of: 1 is perfect, 1e-16 is singular

    @property
    def fill(self) -> int:
        """Count the entries of L below its diagonal."""
        return sum(map(len, self.columns))

    def solve(self, rhs: SX) -> SX:
        """Solve A x = rhs for every column of rhs (n, k); zero entries cost nothing.

        >>> import casadi
        >>> factor = ldl(casadi.SX([[4.0, 2.0], [2.0, 3.0]]), order=[0, 1])
        >>> casadi.DM(factor.solve(casadi.SX([8.0, 8.0])))
        DM([1, 2])
        """
        n = len(self.order)
        if rhs.size1() != n:
            raise PoinsotError(f"the right-hand side has {rhs.size1()} rows, the factorised matrix has {n}")
        columns = [self._solve_column(_entries(rhs[:, k])) for k in range(rhs.size2())]
        return casadi.horzcat(*columns) if columns else casadi.SX(n, 0)

    def _solve_column(self, x: dict[int, Any]) -> SX:
        for k, column in zip(self.order, self.columns):
            if k in x:
                for i, l in column:
                    x[i] = _less(x.get(i), l, x[k])
        for k, inverse in zip(self.order, self.inverse_pivots):
            if k in x:
                x[k] = x[k] * inverse
        for k, column in zip(reversed(self.order), reversed(self.columns)):
            for i, l in column:
                if i in x:
                    x[k] = _less(x.get(k), l, x[i])
        rows = sorted(x)
        result = casadi.SX(len(self.order), 1)
        if rows:
            result[rows] = casadi.vertcat(*[x[i] for i in rows])
        return result


def ldl(matrix: SX, order: Sequence[int], signs: Sequence[int] | None = None) -> Factor:
    """Factorise a symmetric matrix (n, n) in the given order of rows; only its lower triangle is read.

    `signs` (n,) of the pivots, +1 or −1, if they are known: the check value then costs almost nothing.
    """
    n = matrix.size1()
    if matrix.size2() != n:
        raise PoinsotError(f"LDLᵀ needs a square matrix, not {n} × {matrix.size2()}")
    if sorted(order) != list(range(n)):
        raise PoinsotError(f"the elimination order must name each of the {n} rows once")
    return _Elimination(matrix, tuple(order), signs).run()


class _Elimination:
    """The matrix while its rows are eliminated one after another.

    A pivot is kept as the difference of two sums of positive terms when the signs of all pivots are known:
    the sum of the two is then the size that cancellation is measured against.
    """

    def __init__(self, matrix: SX, order: tuple[int, ...], signs: Sequence[int] | None):
        self.order, self.signs = order, signs
        self.position = {row: step for step, row in enumerate(order)}
        self.plus: dict[int, Any] = {}
        self.minus: dict[int, Any] = {}  # without known signs: moduli of all terms
        self.below: dict[int, dict[int, Any]] = {row: {} for row in order}  # column -> {later row: entry}
        rows, columns = matrix.sparsity().get_triplet()
        for i, j, a in zip(rows, columns, _elements(matrix)):
            if i == j and not a.is_zero():
                self.add_to_pivot(i, a, 1 if signs is None else signs[i])
            elif i > j and not a.is_zero():
                first, later = sorted((i, j), key=self.position.__getitem__)
                self.below[first][later] = a

    def add_to_pivot(self, i: int, term: Any, sign: int) -> None:
        """Add a term, whose sign is known if the pivots' signs are."""
        if self.signs is None:
            self.plus[i] = self.plus[i] + term if i in self.plus else term
            self.minus[i] = self.minus.get(i, 0.0) + casadi.fabs(term)
        elif sign > 0:
            self.plus[i] = self.plus[i] + term if i in self.plus else term
        else:
            self.minus[i] = self.minus[i] - term if i in self.minus else -term

    def pivot(self, k: int) -> tuple[Any, Any]:
        """Give pivot k and its size relative to its terms."""
        if k not in self.plus and k not in self.minus:
            raise ZeroPivotError(f"row {k} has a zero pivot in this elimination order: eliminate it later")
        plus, minus = self.plus.pop(k, None), self.minus.pop(k, None)
        if self.signs is None:
            return plus, casadi.fabs(plus) / minus
        if minus is None:
            return plus, casadi.SX(1.0)
        if plus is None:
            return -minus, casadi.SX(1.0)
        return plus - minus, casadi.fabs(plus - minus) / (plus + minus)

    def run(self) -> Factor:
        """Eliminate all rows."""
        columns, pivots, inverses, check = [], [], [], casadi.SX(1.0)
        for k in self.order:
            pivot, relative = self.pivot(k)
            # CasADi turns a·(1/d) into the slower a/d; it leaves a·(2/(d + d)) alone, the same number.
            inverse = 2 / (pivot + pivot)
            check = casadi.fmin(check, relative)
            columns.append(self.eliminate(k, inverse))
            pivots.append(pivot)
            inverses.append(inverse)
        return Factor(self.order, tuple(columns), tuple(pivots), tuple(inverses), check)

    def eliminate(self, k: int, inverse: Any) -> tuple[tuple[int, Any], ...]:
        """Subtract the multiples of row k from all later rows; return its column of L."""
        entries = sorted(self.below.pop(k).items(), key=lambda entry: self.position[entry[0]])
        sign = -1 if self.signs is None else -self.signs[k]
        column = []
        for step, (i, a) in enumerate(entries):
            l = a * inverse
            self.add_to_pivot(i, -(l * a), sign)
            under = self.below[i]
            for j, b in entries[step + 1 :]:
                under[j] = _less(under.get(j), l, b)
            column.append((i, l))
        return tuple(column)


@dataclass(frozen=True)
class KKTSolution:
    """Accelerations and multipliers of a constrained system, and the factor that gave them."""

    acceleration: Any  # (n, 1)
    multipliers: Any  # (m, 1)
    factor: Factor  # of the augmented matrix, accelerations first
    M: Any  # (n, n)
    C: Any  # (m, n)
    Q: Any  # (n, 1)
    gamma: Any  # (m, 1)
    added: tuple[int, ...]  # rows E of C in the augmented form
    weights: Any  # (k, 1)

    @property
    def check(self) -> Any:
        """Smallest pivot relative to the terms it is made of: 1 is perfect."""
        return self.factor.check

    def refined(self) -> KKTSolution:
        """The same after one step of iterative refinement: what is left of both equations is solved for again."""
        a, lam = self.acceleration, self.multipliers
        more = self.solve(self.Q - self.M @ a - self.C.T @ lam, self.gamma - self.C @ a)
        return replace(self, acceleration=a + more[0], multipliers=lam + more[1])

    def solve(self, Q: SX, gamma: SX) -> tuple[SX, SX]:
        """Accelerations (n, k) and multipliers (m, k) for other right-hand sides, (n, k) and (m, k)."""
        E, n = list(self.added), self.M.size1()
        found = self.factor.solve(casadi.vertcat(Q + self.C[E, :].T @ (self.weights * gamma[E, :]), gamma))
        return found[:n, :], found[n:, :]


def kkt(M: SX, C: SX, Q: SX, gamma: SX, order: Sequence[int], added: Mapping[int, Any] | None = None) -> KKTSolution:
    """Solve M a + Cᵀ λ = Q, C a = γ in the augmented form, which allows a singular mass matrix.

        [ M + Eᵀ W E   Cᵀ ] [ a ]   [ Q + Eᵀ W γ_E ]
        [     C        0  ] [ λ ] = [      γ       ]

    M (n, n), C (m, n), Q (n, 1), γ (m, 1); `order` numbers the n accelerations first, then the m multipliers. E are
    the rows of C that are `added`, with their weights; by default all, with 1. Regular whenever the rows of C are
    independent and M is positive definite on the null space of E. Where it is so by itself nothing need be added: far
    fewer operations.
    """
    n, m = M.size1(), C.size1()
    if C.size2() != n or Q.numel() != n or gamma.numel() != m:
        raise PoinsotError(
            f"a KKT system with M {M.shape} and C {C.shape} needs C with {n} columns, Q of {n} and γ of {m} "
            f"entries, not Q of {Q.numel()} and γ of {gamma.numel()}"
        )
    added = dict.fromkeys(range(m), 1.0) if added is None else added
    E, weights = C[list(added), :], casadi.vertcat(casadi.SX(0, 1), *added.values())
    matrix = casadi.blockcat([[M + E.T @ (casadi.diag(weights) @ E), C.T], [C, casadi.SX(m, m)]])
    factor = ldl(matrix, order, signs=[1] * n + [-1] * m)
    system = KKTSolution(None, None, factor, M, C, Q, gamma, tuple(added), weights)
    acceleration, multipliers = system.solve(Q, gamma)
    return replace(system, acceleration=acceleration, multipliers=multipliers)


def _less(a: Any, l: Any, b: Any) -> Any:
    """a − l b, or −l b where there is no a; by Python's operators, which try other types first, six times as long."""
    product = casadi.SX.binary(casadi.OP_MUL, l, b)
    return -product if a is None else casadi.SX.binary(casadi.OP_SUB, a, product)


def _elements(matrix: SX) -> list[Any]:
    """The structural nonzeros; CasADi's stubs leave out most of what an SXElem can."""
    return matrix.nonzeros()


def _entries(column: SX) -> dict[int, Any]:
    """Collect the entries of a sparse column that are not zero."""
    rows, _ = column.sparsity().get_triplet()
    return {i: a for i, a in zip(rows, _elements(column)) if not a.is_zero()}
