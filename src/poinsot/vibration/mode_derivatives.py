"""Derivatives of natural frequencies with respect to parameters, also where frequencies repeat.

    S = Ψᵀ(dK − ω² dM)Φ + Ψᵀ dCᵀ μ + νᵀ dC Φ,    (K − ω²M) φ + Cᵀμ = 0        (theory/vibration, eq. 7)

dω² is S for a simple frequency, the eigenvalues of the block S for a repeated one; ψ, ν are the left vectors. ψ = φ
where K is symmetric on the motions that C leaves, and ν = μ where it is so altogether.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.vibration.eigenmodes import Solution
from poinsot.vibration.linear_model.record import LinearModel, dense

REPEATED = 1e-8  # of ω², below which two of them count as one


def frequency_derivatives(linear: LinearModel, found: Solution, names: tuple[str, ...]) -> np.ndarray:
    """∂f/∂p (k, p) [Hz per unit]; 0 for rigid-body motions that stay such, NaN for those that do not."""
    d = eigenvalue_derivatives(linear, found, names)
    values = found.values.astype(complex)[:, None]
    swing = np.sqrt(-values)
    with np.errstate(divide="ignore", invalid="ignore"):
        flutter = np.sign(np.imag(swing)) * np.imag(-d / (2 * swing)) / (2 * np.pi)
        plain = np.real(d) / (4 * np.pi * np.sqrt(np.abs(values)))
    scale = np.max(np.abs(d), axis=0, initial=0.0)
    still = np.where(np.abs(d) <= 1e-9 * scale, 0.0, np.nan)
    return np.where(values == 0, still, np.where(np.imag(values) == 0, plain, flutter))


@one_blas_thread()
def eigenvalue_derivatives(linear: LinearModel, found: Solution, names: tuple[str, ...]) -> np.ndarray:
    """∂ω²/∂p (k, p)  [rad²/s² per unit]."""
    matrices = linear.derivatives(names)
    C = dense(linear.C)
    Phi, Psi, values = found.shapes, found.left, found.values
    mu = multipliers(C, linear.K @ Phi - (linear.M @ Phi) * values)
    nu = multipliers(C, linear.K.T @ Psi - (linear.M.T @ Psi) * values)
    d = np.zeros((len(values), len(names)), dtype=np.result_type(values, Phi))
    for j in range(len(names)):
        A, B, G = matrices.dK[j] @ Phi, matrices.dM[j] @ Phi, matrices.dC[j]
        if np.isnan(A).any():
            d[:, j] = np.nan
            continue
        for group in groups_of(values, REPEATED):
            S = Psi[:, group].T @ (A[:, group] - B[:, group] * np.mean(values[group]))
            if len(C):
                S = S + (G @ Psi[:, group]).T @ mu[:, group] + nu[:, group].T @ (G @ Phi[:, group])
            d[group, j] = S.ravel() if S.shape[0] == 1 else _branches(S, Psi is Phi)
    return d


def multipliers(C: np.ndarray, force: np.ndarray) -> np.ndarray:
    """μ with Cᵀμ = −force."""
    return np.linalg.lstsq(C.T, -force, rcond=1e-12)[0] if len(C) else np.zeros((0, force.shape[1]))


def _branches(S: np.ndarray, symmetric: bool) -> np.ndarray:
    return np.linalg.eigvalsh((S + S.T) / 2) if symmetric else np.sort_complex(np.linalg.eigvals(S))


def groups_of(values: np.ndarray, near: float) -> list[slice]:
    """Runs of eigenvalues that are equal up to a part of their size."""
    equal = np.abs(np.diff(values)) <= near * np.maximum(np.abs(values[:-1]), np.abs(values[1:]))
    edges = [0, *(np.flatnonzero(~equal) + 1), len(values)] if len(values) else []
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]
