"""Derivatives of the shapes of modes with distinct frequencies, and of what places show of them.

    [ZᵀAZ  ZᵀA'φ] [dy]     [Zᵀ(dA φ + dCᵀμ − A c)]
    [φᴴMZ    0  ] [dx] = − [          0          ] ,    dφ = Z dy − c ,  c = C⁺ dC φ     (theory/vibration, eq. 13)

A(x) φ + Cᵀμ = 0 with A = K − x M (x = ω²), or A = x² M + x D + K (x = s) with dampers; A' = ∂A/∂x, Z the motions that
C leaves. The last row chooses the scale of φ, which no shape has by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.vibration.eigenmodes import Solution
from poinsot.vibration.linear_model.record import LinearModel, MatrixDerivatives, dense
from poinsot.vibration.mode_derivatives import groups_of, multipliers
from poinsot.vibration.pole_derivatives import Poles

CLOSE = 1e-6  # of ω² or s: shapes of modes that are nearer than this are not told apart


@dataclass(frozen=True)
class _Pencil:
    """A(x) = K + a M + b D and A'(x) = a' M + b' D at an eigenvalue x."""

    a: complex
    b: complex
    a_slope: complex
    b_slope: complex

    def of(self, K: np.ndarray, M: np.ndarray, D: np.ndarray) -> np.ndarray:
        return K + self.a * M + (self.b * D if self.b else 0.0)

    def slope_of(self, M: np.ndarray, D: np.ndarray) -> np.ndarray:
        return self.a_slope * M + (self.b_slope * D if self.b_slope else 0.0)


def distinct(found: Solution | Poles) -> np.ndarray:
    """Whether modes (k,) have a shape of their own: no other has their frequency."""
    single = np.zeros(len(found.values), bool)
    for group in groups_of(found.values, CLOSE):
        single[group] = group.stop - group.start == 1
    return single


@one_blas_thread()
def shape_derivatives(
    linear: LinearModel, found: Solution | Poles, change: MatrixDerivatives, modes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """∂φ/∂p (k, n, p) of some modes (k,), and ∂ω²/∂p or ∂s/∂p (k, p); NaN where a parameter leaves no equilibrium."""
    Z, C = linear.free, dense(linear.C)
    both = [_one(linear, Z, C, change, _pencil(found, int(k)), found.shapes[:, k]) for k in np.asarray(modes, int)]
    n, p = len(linear.names), len(change.wrt)
    kind = np.result_type(found.values, found.shapes)
    shapes, values = np.zeros((len(both), n, p), kind), np.zeros((len(both), p), kind)
    for k, (d_shape, d_value) in enumerate(both):
        shapes[k], values[k] = d_shape, d_value
    return shapes, values


def _pencil(found: Solution | Poles, k: int) -> _Pencil:
    x = found.values[k]
    return _Pencil(x**2, x, 2 * x, 1.0) if isinstance(found, Poles) else _Pencil(-x, 0.0, -1.0, 0.0)


def _one(
    linear: LinearModel, Z: np.ndarray, C: np.ndarray, change: MatrixDerivatives, at: _Pencil, phi: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """dφ (n, p) and dx (p,) of one mode."""
    M_phi, D_phi, K_phi = (matrix @ phi for matrix in (linear.M, linear.D, linear.K))
    mu = multipliers(C, at.of(K_phi, M_phi, D_phi)[:, None])[:, 0]
    forces, opened = [], []
    for dM, dD, dK, dC in zip(change.dM, change.dD, change.dK, change.dC):
        forces.append(at.of(dK @ phi, dM @ phi, dD @ phi) + dC.T @ mu)
        opened.append(dC @ phi)
    close = _closing(C, np.array(opened).T)
    along = at.of(linear.K @ close, linear.M @ close, linear.D @ close)
    right = -Z.T @ (np.array(forces).T - along)
    A = at.of(*(np.asarray(Z.T @ (matrix @ Z)) for matrix in (linear.K, linear.M, linear.D)))
    border, norm = Z.T @ at.slope_of(M_phi, D_phi), (Z.T @ M_phi).conj()
    dy, dx = _bordered(A, border, norm, right)
    return Z @ dy - close, dx


def _closing(C: np.ndarray, opened: np.ndarray) -> np.ndarray:
    """c (n, p) with C c = dC φ."""
    lost = np.isnan(opened).any(axis=0)
    if not len(C):
        return np.zeros((C.shape[1], opened.shape[1]))
    found = np.linalg.lstsq(C, np.where(lost, 0.0, opened), rcond=1e-12)[0]
    return np.where(lost, np.nan, found)


def _bordered(
    A: np.ndarray, border: np.ndarray, norm: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """y and x with A y + b x = r, n·y = 0; every motion measured by what it adds to A."""
    size = 1 / np.sqrt(np.maximum(np.max(np.abs(A), axis=0), np.max(np.abs(A), axis=1)))
    b, n = size * border, size * norm
    b_size, n_size = np.linalg.norm(b), np.linalg.norm(n)
    whole = np.block([[A * size * size[:, None], (b / b_size)[:, None]], [n[None] / n_size, np.zeros((1, 1))]])
    found = np.linalg.solve(whole, np.concatenate([size[:, None] * right, np.zeros((1, right.shape[1]))]))
    return size[:, None] * found[:-1], found[-1] / b_size
