"""Eigenvalues and shapes of small motions: dense for a few hundred displacements, sparse above.

    (K − ω² M) φ + Cᵀ μ = 0,    C φ = 0,    φᵀ M φ = 1        (theory/vibration, eq. 3)

Displacements without mass follow the others: they are condensed statically. Whether an eigenvalue is zero is
decided by round-off, not by its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.vibration.linear_model.record import LinearModel

DENSE = 400  # displacements up to which dense matrices are used
ZERO = 1e-11  # of what is summed up in φᵀKφ, below which it is round-off
MASSLESS = 1e-13  # of the mass of a direction, below which it has none
SYMMETRIC = 1e-9  # of the largest stiffness


@dataclass(frozen=True, eq=False)
class Solution:
    """Eigenvalues λ = ω² and shapes; k modes of n displacements."""

    values: np.ndarray  # (k,) real, or complex where forces follow; exactly 0.0 for rigid-body motions
    shapes: np.ndarray  # (n, k)
    left: np.ndarray  # (n, k) left eigenvectors with ψᵀ M φ = 1; the shapes themselves where K is symmetric


def eigenmodes(linear: LinearModel, n: int | None) -> Solution:
    """The n lowest modes, all if n is None."""
    if len(linear.names) > DENSE and linear.basis is None and n is not None:
        return _sparse(linear, n)
    Z = linear.free
    if not Z.shape[1]:
        return Solution(np.zeros(0), np.zeros((len(linear.names), 0)), np.zeros((len(linear.names), 0)))
    M, _, K = reduced(linear)
    T, left = _with_mass(linear, M, K)
    M, K = left.T @ M @ T, left.T @ K @ T
    if is_symmetric(M, K, np.abs(Z @ left).T @ (abs(linear.K) @ np.abs(Z @ T))):
        values, X = _symmetric(M, K)
        shapes = _signed(Z @ T @ X)
        found = Solution(_rounded(linear, values, shapes), shapes, shapes)
    else:
        found = _general(linear, M, K, Z @ T, Z @ left)
    order = np.argsort(_sort_key(found.values), kind="stable")[:n]
    shapes = found.shapes[:, order]
    return Solution(found.values[order], shapes, shapes if found.left is found.shapes else found.left[:, order])


def reduced(linear: LinearModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, D and K (k, k) on the motions that the constraints leave."""
    Z = linear.free
    M, D, K = (np.asarray(Z.T @ (matrix @ Z)) for matrix in (linear.M, linear.D, linear.K))
    return (M + M.T) / 2, D, K


def is_symmetric(M: np.ndarray, K: np.ndarray, summed: np.ndarray) -> bool:
    """Whether the stiffness comes from a potential, up to round-off of all that is summed up in it.

    Motions are measured by their masses, so that neither units nor heavy neighbours hide a force that follows.
    """
    size = 1 / np.sqrt(np.diag(M))
    K, summed = K * size * size[:, None], summed * size * size[:, None]
    largest = max(np.max(np.abs(K), initial=0.0), 1e-3 * np.max(summed, initial=0.0))
    return bool(np.max(np.abs(K - K.T), initial=0.0) <= SYMMETRIC * largest)


def _with_mass(linear: LinearModel, M: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Right and left motions (k, r) that have mass, those without following statically."""
    size = np.sqrt(np.diag(M))
    scale = 1 / np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(M * scale * scale[:, None])
    light = values < MASSLESS * max(values.max(initial=0.0), 1e-300)
    if not light.any():
        return np.eye(len(M)), np.eye(len(M))
    if light.all():
        raise PoinsotError(f"nothing that can move in {linear.mechanism.name} has mass")
    U0, U1 = scale[:, None] * vectors[:, light], scale[:, None] * vectors[:, ~light]
    K00 = U0.T @ K @ U0
    s = np.linalg.svd(K00, compute_uv=False)
    if s[-1] <= ZERO * max(s[0], np.max(np.abs(U0).T @ np.abs(K) @ np.abs(U0))):
        size = np.abs(linear.free @ (U0 @ np.linalg.svd(K00)[2][-1]))
        moved = [linear.names[i] for i in np.argsort(-size) if size[i] > 0.3 * size.max()][:4]
        raise PoinsotError(
            f"neither mass nor stiffness holds {listing(moved)}: give it an inertia, a spring or a lock"
        )
    right = U1 - U0 @ np.linalg.solve(K00, U0.T @ K @ U1)
    left = U1 - U0 @ np.linalg.solve(K00.T, U0.T @ K.T @ U1)
    return right, left


def _symmetric(M: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, with their second-order estimate φᵀKφ, and mass-normalised vectors."""
    from scipy.linalg import eigh

    K = (K + K.T) / 2
    size = 1 / np.sqrt(np.diag(M))
    _, X = eigh(K * size * size[:, None], M * size * size[:, None])
    X = size[:, None] * X
    X = X / np.sqrt(np.einsum("ij,ij->j", X, M @ X))
    return np.einsum("ij,ij->j", X, K @ X), X


def _rounded(linear: LinearModel, values: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Eigenvalues with those that are nothing but round-off set to 0.0."""
    size = np.abs(shapes)
    noise = ZERO * np.einsum("ij,ij->j", size, (abs(linear.K) if linear.summed is None else linear.summed) @ size)
    unresolved = 8 * np.finfo(float).eps * len(values) * np.max(np.abs(values), initial=0.0)
    return np.where(np.abs(values) <= np.maximum(noise, unresolved), 0.0, values)


def _general(linear: LinearModel, M: np.ndarray, K: np.ndarray, right: np.ndarray, left: np.ndarray) -> Solution:
    """Eigenvalues where K is not symmetric: real, or in conjugate pairs."""
    from scipy.linalg import eig

    found: Any = eig(K, M, left=True)
    values, L, X = found
    shapes, duals = right @ X, left @ L.conj()
    with np.errstate(divide="ignore", invalid="ignore"):
        shapes = shapes / np.sqrt(np.einsum("ij,ij->j", shapes.conj(), linear.M @ shapes).real)
        shapes = _signed(shapes)
        duals = duals / np.einsum("ij,ij->j", duals, linear.M @ shapes)
    values = np.where(np.abs(values.imag) <= 1e-9 * np.abs(values), values.real, values)
    return Solution(_rounded(linear, values, shapes), shapes, duals)


def _signed(shapes: np.ndarray) -> np.ndarray:
    """Shapes turned so that their largest entry is positive."""
    if not shapes.size:
        return shapes
    largest = np.take_along_axis(
        shapes, np.argmax(np.abs(shapes) * (1 - 1e-9 * np.arange(len(shapes)))[:, None], axis=0)[None], axis=0
    )
    return shapes * (np.abs(largest) / np.where(largest == 0, 1.0, largest))


def _sort_key(values: np.ndarray) -> np.ndarray:
    """Order of growing frequency; unstable ones first, the fastest of them in front."""
    plain = np.sqrt(-values.astype(complex))
    return np.where(np.imag(values) == 0, np.sign(np.real(values)) * np.sqrt(np.abs(values)), np.abs(np.imag(plain)))


def _sparse(linear: LinearModel, n: int) -> Solution:
    """The n modes nearest to zero, by shift and inversion of the system with its constraints.

    [[K − σM, Cᵀ], [C, 0]] [y; μ] = [M x; 0]: no basis of the free motions is needed.
    """
    from scipy.sparse import bmat, csc_matrix
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    K, M, C = (csc_matrix(x) for x in (linear.K, linear.M, linear.C))
    size, m = len(linear.names), linear.C.shape[0]
    available = size - m
    if n >= available - 1:
        raise PoinsotError(f"ask for fewer than {available - 1} modes of {size} displacements")
    ratio = np.abs(K.diagonal()) / np.maximum(M.diagonal(), 1e-12 * M.diagonal().max())
    shift = -1e-10 * float(np.max(ratio))
    factor = splu(bmat([[(K + K.T) / 2 - shift * M, C.T], [C, None]], format="csc"))

    def solve(x: np.ndarray) -> np.ndarray:
        return factor.solve(np.concatenate([np.ravel(x), np.zeros(m)]))[:size]

    # SciPy takes `matvec` in __new__, which chooses a class with another __init__.
    inverse = LinearOperator((size, size), matvec=solve, dtype=float)  # pyright: ignore[reportCallIssue]
    begin = solve(np.random.default_rng(0).normal(size=size))
    _, X = eigsh(K, k=n, M=M, sigma=shift, OPinv=inverse, v0=begin)
    X = _signed(X / np.sqrt(np.einsum("ij,ij->j", X, M @ X)))
    values = np.einsum("ij,ij->j", X, K @ X)
    order = np.argsort(values)
    values, X = values[order], X[:, order]
    return Solution(_rounded(linear, values, X), X, X)


def growth_rates(values: np.ndarray) -> np.ndarray:
    """Rate (k,) at which modes of eigenvalues λ = ω² (k,) grow by themselves, 0 where they do not  [1/s]."""
    rate = np.abs(np.real(np.sqrt(-values.astype(complex))))
    return np.where((np.imag(values) != 0) | (np.real(values) < 0), rate, 0.0)


def growth_of(linear: LinearModel) -> float:
    """Rate at which a pose is left by itself, if no damper slows it; 0 where it is stable, or without mass  [1/s].

    Of more than `DENSE` displacements the lowest mode alone is asked.
    """
    sparse = len(linear.names) > DENSE and linear.basis is None
    try:
        return float(np.max(growth_rates(eigenmodes(linear, 1 if sparse else None).values), initial=0.0))
    except PoinsotError:  # nothing has mass, or not all that is held by no spring
        return 0.0


def said_of(growth: float, what: str) -> list[str]:
    """What a result at an unstable pose prints, if it is one: `what` would need a control that holds it there."""
    rate = f"it is left as exp({growth:.4g} t), t in s"
    return [f"the pose is unstable, {rate}: {what} holds only where a control keeps it there"] if growth else []


def general_poles(M: np.ndarray, D: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """s and vectors with (s² M + s D + K) z = 0; finite ones, each conjugate pair once, by their modulus."""
    from scipy.linalg import eig

    n = len(M)
    mass = np.diag(M)
    heavy = mass > MASSLESS * np.max(mass, initial=0.0)
    scale = np.where(heavy, 1 / np.sqrt(np.where(heavy, mass, 1.0)), 1 / np.sqrt(np.max(mass, initial=0.0) or 1.0))
    M, D, K = (x * scale * scale[:, None] for x in (M, D, K))  # every motion measured by its mass
    size = max(np.sqrt(np.max(np.abs(K), initial=0.0)), np.max(np.abs(D), initial=0.0)) or 1.0
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K / size**2, -D / size]])
    B = np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), M]])
    found: Any = eig(A, B, homogeneous_eigvals=True)
    (alpha, beta), vectors = found
    finite = np.abs(beta) > 1e-13 * np.abs(alpha)
    poles, vectors = size * alpha[finite] / beta[finite], scale[:, None] * vectors[:n, finite]
    poles = np.where(np.abs(poles.imag) <= 1e-10 * np.abs(poles), poles.real, poles)
    poles = np.where(np.abs(poles) <= 1e-7 * size, 0.0, poles)  # a double root splits by the root of round-off
    upper = np.imag(poles) >= 0
    poles, vectors = poles[upper], vectors[:, upper]
    order = np.argsort(np.abs(poles), kind="stable")
    return poles[order], vectors[:, order]
