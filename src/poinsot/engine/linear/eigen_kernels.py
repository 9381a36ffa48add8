"""Small symmetric eigenproblems as SX functions: Cholesky reduction, then Jacobi rotations.

    K x = λ M x,   M = L Lᵀ,   C = L⁻¹ K L⁻ᵀ,   C = V Λ Vᵀ,   X = L⁻ᵀ V        so that Xᵀ M X = 1

Everything is free of branches: a fixed number of sweeps, each rotating every pair once and putting it in
order. Rotations leave orthogonal vectors behind whether eigenvalues are repeated or not.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from poinsot.lazy import casadi

# Sweeps until no entry off the diagonal is left above round-off, on clustered, graded and random matrices.
SWEEPS = {2: 1, 3: 5, 4: 6, 5: 8, 6: 9, 7: 10, 8: 11}

Table = dict[tuple[int, int], Any]  # entries of a symmetric matrix with row ≥ column, or of L


@cache
def small_eigh(n: int, generalised: bool, vectors: bool) -> casadi.Function:
    """Build (K, [M]) -> (values, [vectors], check) in one piece, for n of 2 or 3."""
    K, M = casadi.SX.sym("K", n, n), casadi.SX.sym("M", n, n)
    A, L, scale, check = _reduce(n, K, M if generalised else None)
    V = {(i, j): casadi.SX(float(i == j)) for i in range(n) for j in range(n)} if vectors else {}
    for _ in range(SWEEPS[n]):
        _sweep(n, A, V)
    values, columns = _finish(n, A, V, L, scale)
    outputs = [values, *([columns] if vectors else []), check]
    return casadi.Function(f"eigh{n}", [K, M] if generalised else [K], outputs)


@cache
def reduce_pair(n: int, generalised: bool) -> casadi.Function:
    """Build (K, [M]) -> (A, L, scale, check): the scaled standard problem, its lower triangle packed."""
    K, M = casadi.SX.sym("K", n, n), casadi.SX.sym("M", n, n)
    A, L, scale, check = _reduce(n, K, M if generalised else None)
    factor = casadi.vertcat(*[L[e] for e in _lower(n)]) if generalised else casadi.SX(0, 1)
    outputs = [casadi.vertcat(*[A[e] for e in _lower(n)]), factor, scale, check]
    return casadi.Function(f"reduce{n}", [K, M] if generalised else [K], outputs)


@cache
def sweep(n: int, vectors: bool) -> casadi.Function:
    """Build one Jacobi sweep (A, [V]) -> (A, [V])."""
    a, v = casadi.SX.sym("A", n * (n + 1) // 2), casadi.SX.sym("V", n, n)
    A = dict(zip(_lower(n), casadi.vertsplit(a)))
    V = {(i, j): v[i, j] for i in range(n) for j in range(n)} if vectors else {}
    _sweep(n, A, V)
    outputs = [casadi.vertcat(*[A[e] for e in _lower(n)])]
    return casadi.Function(f"sweep{n}", [a, v] if vectors else [a], outputs + ([_square(n, V)] if vectors else []))


@cache
def finish(n: int, generalised: bool, vectors: bool) -> casadi.Function:
    """Build (A, [V], L, scale) -> (values, [vectors]): undo scaling and reduction."""
    size = n * (n + 1) // 2
    a, v = casadi.SX.sym("A", size), casadi.SX.sym("V", n, n)
    l, scale = casadi.SX.sym("L", size if generalised else 0), casadi.SX.sym("scale")
    A = dict(zip(_lower(n), casadi.vertsplit(a)))
    V = {(i, j): v[i, j] for i in range(n) for j in range(n)} if vectors else {}
    L = dict(zip(_lower(n), casadi.vertsplit(l))) if generalised else {}
    values, columns = _finish(n, A, V, L, scale)
    inputs = [a, *([v] if vectors else []), l, scale]
    return casadi.Function(f"finish{n}", inputs, [values, *([columns] if vectors else [])])


def _lower(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + 1)]


def _square(n: int, V: Table) -> Any:
    return casadi.blockcat([[V[i, j] for j in range(n)] for i in range(n)])


def _reduce(n: int, K: Any, M: Any) -> tuple[Table, Table, Any, Any]:
    """Give C/scale, L, scale and the smallest pivot of M; lower triangles are read."""
    A = {(i, j): K[i, j] for i, j in _lower(n)}
    L: Table = {}
    check = casadi.SX(1.0)
    if M is not None:
        L, check = _cholesky(n, M)
        A = _congruence(n, A, L)
    largest = casadi.SX(0.0)
    for entry in A.values():
        largest = casadi.fmax(largest, casadi.fabs(entry))
    usable = casadi.logic_and(largest > 0, largest < float("inf"))
    scale = casadi.if_else(usable, largest, 1.0)  # squares neither overflow nor vanish then
    inverse = 2 / (scale + scale)
    return {e: a * inverse for e, a in A.items()}, L, scale, check


def _cholesky(n: int, M: Any) -> tuple[Table, Any]:
    """Factorise M = L Lᵀ; the smallest squared diagonal entry tells whether M is positive definite."""
    L: Table = {}
    smallest = None
    for j in range(n):
        pivot = M[j, j]
        for k in range(j):
            pivot = pivot - L[j, k] * L[j, k]
        smallest = pivot if smallest is None else casadi.fmin(smallest, pivot)
        L[j, j] = casadi.sqrt(pivot)
        inverse = 2 / (L[j, j] + L[j, j])
        for i in range(j + 1, n):
            entry = M[i, j]
            for k in range(j):
                entry = entry - L[i, k] * L[j, k]
            L[i, j] = entry * inverse
    return L, smallest


def _congruence(n: int, A: Table, L: Table) -> Table:
    """Give L⁻¹ A L⁻ᵀ."""
    inverse = {i: 2 / (L[i, i] + L[i, i]) for i in range(n)}
    B: Table = {}  # L⁻¹ A, all columns
    for j in range(n):
        for i in range(n):
            entry = A[max(i, j), min(i, j)]
            for k in range(i):
                entry = entry - L[i, k] * B[k, j]
            B[i, j] = entry * inverse[i]
    C: Table = {}  # B L⁻ᵀ, lower triangle
    for i in range(n):
        for j in range(i + 1):
            entry = B[i, j]
            for k in range(j):
                entry = entry - C[i, k] * L[j, k]
            C[i, j] = entry * inverse[j]
    return C


def _sweep(n: int, A: Table, V: Table) -> None:
    """Rotate every pair of rows once, in place."""
    for p in range(n - 1):
        for q in range(p + 1, n):
            _rotate(n, A, V, p, q)


def _rotate(n: int, A: Table, V: Table, p: int, q: int) -> None:
    """Make A[q, p] vanish, and the smaller eigenvalue of the pair come first.

        d = a_qq − a_pp,  h = 2 a_qp,  r = √(d² + h²),  u = r + |d|,  t = h / u      |t| ≤ 1
        cos = u / √(u² + h²),  sin = h / √(u² + h²)    if d ≥ 0; exchanged, with the sign of h, if not

    Keeping the diagonal in order brings close eigenvalues together, without which convergence is slow.
    """

    def at(i: int, j: int) -> tuple[int, int]:
        return (i, j) if i >= j else (j, i)

    a = A[q, p]
    d, h = A[q, q] - A[p, p], a + a
    u = casadi.sqrt(d * d + h * h) + casadi.fabs(d)
    u = u + (u < 1e-100)  # nothing to rotate, and squares would underflow: cos = 1, sin = h ≈ 0
    norm = casadi.sqrt(u * u + h * h)
    inverse = 2 / (norm + norm)
    upwards = d >= 0
    c = casadi.if_else(upwards, u, casadi.fabs(h)) * inverse
    s = casadi.if_else(upwards, h, casadi.copysign(u, h)) * inverse
    change = h / u * a
    low, high = casadi.fmin(A[p, p], A[q, q]), casadi.fmax(A[p, p], A[q, q])
    A[p, p], A[q, q], A[q, p] = low - change, high + change, casadi.SX(0.0)
    for k in range(n):
        if k not in (p, q):
            x, y = A[at(k, p)], A[at(k, q)]
            A[at(k, p)], A[at(k, q)] = c * x - s * y, s * x + c * y
        if V:
            x, y = V[k, p], V[k, q]
            V[k, p], V[k, q] = c * x - s * y, s * x + c * y


def _finish(n: int, A: Table, V: Table, L: Table, scale: Any) -> tuple[Any, Any]:
    """Undo scaling and reduction; the last sweep has sorted the values."""
    values = [A[i, i] * scale for i in range(n)]
    if V and L:
        for i in reversed(range(n)):  # X = L⁻ᵀ V, from the last row up
            inverse = 2 / (L[i, i] + L[i, i])
            for j in range(n):
                for k in range(i + 1, n):
                    V[i, j] = V[i, j] - L[k, i] * V[k, j]
                V[i, j] = V[i, j] * inverse
    return casadi.vertcat(*values), _square(n, V) if V else None
