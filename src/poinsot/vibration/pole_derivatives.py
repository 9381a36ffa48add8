"""Poles of damped mechanisms with their derivatives, also where poles repeat.

    ds = −(Ψᵀ(s² dM + s dD + dK)Φ + Ψᵀ dCᵀ μ + νᵀ dC Φ) / Ψᵀ(2 s M + D)Φ ,    (s² M + s D + K) φ + Cᵀμ = 0

ψ, ν are the left vectors; of repeated poles, ds are the eigenvalues of the block.        (theory/vibration, eq. 12)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.vibration.eigenmodes import SYMMETRIC, general_poles, reduced
from poinsot.vibration.linear_model.record import LinearModel, dense
from poinsot.vibration.mode_derivatives import REPEATED, groups_of, multipliers


@dataclass(frozen=True, eq=False)
class Poles:
    """k poles that swing, by growing frequency, of n displacements."""

    linear: LinearModel
    values: np.ndarray  # (k,) with positive imaginary parts  [1/s]
    shapes: np.ndarray  # (n, k)
    left: np.ndarray  # (n, k)

    @property
    def frequencies(self) -> np.ndarray:
        """|s|/2π (k,)  [Hz]."""
        return np.abs(self.values) / (2 * np.pi)

    @property
    def ratios(self) -> np.ndarray:
        """Damping ratios −Re s/|s| (k,)  [-]."""
        return -np.real(self.values) / np.abs(self.values)

    def derivatives(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """∂f/∂p [Hz per unit] and ∂ζ/∂p, both (k, p)."""
        s, ds = self.values[:, None], pole_derivatives(self, names)
        size = np.abs(s)
        along = np.real(np.conj(s) * ds) / size  # d|s|
        return along / (2 * np.pi), (np.real(s) * along / size - np.real(ds)) / size


@one_blas_thread()
def swinging_poles(linear: LinearModel) -> Poles:
    """The poles of a linear model with its dampers, without motions that creep."""
    M, D, K = reduced(linear)
    values, right = _swinging(M, D, K)
    left = right if _is_symmetric(K) and _is_symmetric(D) else _matched(values, *_swinging(M, D.T, K.T))
    return Poles(linear, values, linear.free @ right, linear.free @ left)


def _swinging(M: np.ndarray, D: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = general_poles(M, D, K)
    kept = np.flatnonzero(np.imag(values) > 0)
    return values[kept], vectors[:, kept]


def _is_symmetric(A: np.ndarray) -> bool:
    return bool(np.max(np.abs(A - A.T), initial=0.0) <= SYMMETRIC * np.max(np.abs(A), initial=0.0))


def _matched(values: np.ndarray, others: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, k) of the same poles in another order."""
    from scipy.optimize import linear_sum_assignment

    return vectors[:, linear_sum_assignment(np.abs(values[:, None] - others))[1]]


@one_blas_thread()
def pole_derivatives(found: Poles, names: tuple[str, ...]) -> np.ndarray:
    """∂s/∂p (k, p)  [1/s per unit]; NaN where a parameter leaves no equilibrium."""
    linear, s, Phi, Psi = found.linear, found.values, found.shapes, found.left
    change, C = linear.derivatives(names), dense(linear.C)
    mu = multipliers(C, (linear.M @ Phi) * s**2 + (linear.D @ Phi) * s + linear.K @ Phi)
    nu = multipliers(C, (linear.M.T @ Psi) * s**2 + (linear.D.T @ Psi) * s + linear.K.T @ Psi)
    d = np.full((len(s), len(names)), np.nan, complex)
    for j in range(len(names)):
        force = (change.dM[j] @ Phi) * s**2 + (change.dD[j] @ Phi) * s + change.dK[j] @ Phi
        if np.isnan(force).any():
            continue
        for group in groups_of(s, REPEATED):
            S = Psi[:, group].T @ force[:, group]
            if len(C):
                S = (
                    S
                    + (change.dC[j] @ Psi[:, group]).T @ mu[:, group]
                    + nu[:, group].T @ (change.dC[j] @ Phi[:, group])
                )
            G = Psi[:, group].T @ ((linear.M @ Phi[:, group]) * (2 * s[group]) + linear.D @ Phi[:, group])
            branches = -np.linalg.eigvals(np.linalg.solve(G, S))
            d[group, j] = branches[np.argsort(np.imag(branches))]
    return d
