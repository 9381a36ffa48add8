"""The configuration of each pose that explains its readings best, loops closed.

min ½ ‖W (y − h(q, p))‖²  with  Φ(q, p) = 0 :    Hᵀ W² (y − h) = Cᵀ λ                (theory/search, eq. 40)

Steps δ = −C⁺Φ + Z w, Z the null space of C: Gauss and Newton, W H Z w = W (y − h + H C⁺Φ), and Newton's own where
residuals are large. All poses are one batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.estimate.problems.geometry.equations import PoseReadings, pose_function, slope_function
from poinsot.model.assembly.constraints import row_lengths
from poinsot.system.functions import displaced_states
from poinsot.system.scales import step_sizes
from poinsot.system.system import System

GAUSS, NEWTON = 30, 40  # steps at most
SMALL = 1e-11  # step at which they end, in natural sizes
LARGEST = 0.3  # step, in natural sizes
OPEN = 1e-9  # of the largest singular value: directions of a pose that its readings do not tell


@dataclass(frozen=True, eq=False)
class PoseRows:
    """Loops and readings of n poses, about their configurations, in natural sizes of the coordinates."""

    phi: np.ndarray  # (n, m)
    C: np.ndarray  # (n, m, nv)
    h: np.ndarray  # (n, c)
    H: np.ndarray  # (n, c, nv)
    r: np.ndarray  # (n, c) readings less model, 0 where nothing was read
    w: np.ndarray  # (n, c) 1/σ, 0 where nothing was read

    @cached_property
    def split(self) -> tuple[np.ndarray, np.ndarray]:
        """C⁺ (n, nv, m) and the null space Z (n, nv, f) of C."""
        n, m, nv = self.C.shape
        if not m:
            return np.zeros((n, nv, 0)), np.broadcast_to(np.eye(nv), (n, nv, nv))
        Q, R = np.linalg.qr(np.swapaxes(self.C, 1, 2), mode="complete")
        return np.swapaxes(np.linalg.solve(R[:, :m], np.swapaxes(Q[:, :, :m], 1, 2)), 1, 2), Q[:, :, m:]

    @cached_property
    def A(self) -> np.ndarray:
        """W H Z (n, c, f): readings along the free motions of a pose."""
        return (self.w[:, :, None] * self.H) @ self.split[1]

    @property
    def s(self) -> np.ndarray:
        """W² (y − h) (n, c)."""
        return self.w**2 * self.r

    @property
    def multipliers(self) -> np.ndarray:
        """λ (n, m)."""
        return np.einsum("nvm,ncv,nc->nm", self.split[0], self.H, self.s)

    def gauss_step(self) -> np.ndarray:
        """δ (n, nv)."""
        inverse, Z = self.split
        close = -np.einsum("nvm,nm->nv", inverse, self.phi)
        b = self.w * (self.r - np.einsum("ncv,nv->nc", self.H, close))
        return close + np.einsum("nvf,nfc,nc->nv", Z, np.linalg.pinv(self.A, rcond=OPEN), b)

    def newton_step(self, hessian: np.ndarray) -> np.ndarray:
        """δ (n, nv) with the second derivatives (n, nv, nv) of ℓ; downhill where they are not positive."""
        inverse, Z = self.split
        close = -np.einsum("nvm,nm->nv", inverse, self.phi)
        K = hessian + np.einsum("nci,nc,ncj->nij", self.H, self.w**2, self.H)
        slope = np.einsum("nci,nc->ni", self.H, self.s) - np.einsum("nij,nj->ni", K, close)
        B, b = np.swapaxes(Z, 1, 2) @ K @ Z, np.einsum("nif,ni->nf", Z, slope)
        return close + np.einsum("nvf,nfg,ng->nv", Z, _inverse(B, np.abs), b)

    def moved(self, phi_p: np.ndarray, h_p: np.ndarray, K: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, ...]:
        """Parts of ∂δ/∂p (n, nv, K): what closes the loops, and what explains the readings best again."""
        inverse, Z = self.split
        weighed = self.w[:, :, None] ** 2
        K = K + np.swapaxes(self.H, 1, 2) @ (weighed * self.H)
        G = G + np.swapaxes(self.H, 1, 2) @ (weighed * h_p)
        close = -inverse @ phi_p
        Zt = np.swapaxes(Z, 1, 2)
        return close, -Z @ (_inverse(Zt @ K @ Z, lambda x: x) @ (Zt @ (G + K @ close)))


def _inverse(B: np.ndarray, of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Inverses (n, f, f) of symmetric matrices, by a function of their eigenvalues, without those that are zero."""
    if not B.shape[1]:
        return B
    values, V = np.linalg.eigh((B + np.swapaxes(B, 1, 2)) / 2)
    good = np.abs(values) > OPEN**2 * np.max(np.abs(values), axis=1, keepdims=True)
    return (V * np.where(good, 1 / of(np.where(good, values, 1.0)), 0.0)[:, None, :]) @ np.swapaxes(V, 1, 2)


@dataclass(frozen=True, eq=False)
class PoseEquations:
    """PoseReadings of a mechanism for any values of K unknowns."""

    system: System
    readings: PoseReadings
    p: np.ndarray  # all parameters of the system at the start
    turning: np.ndarray  # (c,) which readings are angles up to turns

    @cached_property
    def sizes(self) -> np.ndarray:
        """Natural sizes of the speeds (nv,)."""
        return step_sizes(self.system, self.system.home.size)[1]

    @cached_property
    def row_sizes(self) -> np.ndarray:
        """Natural sizes of the loops' rows (m,)."""
        return row_lengths(self.system.outline.rows, self.system.home.size)

    def split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parameters of the system, and offsets and gains, for unknowns x (K,) or (n, K)."""
        names, free = self.readings.unknowns, self.system.free
        p = np.broadcast_to(self.p, (*x.shape[:-1], len(self.p))).copy()
        p[..., [free.index(name) for name in names]] = x[..., : len(names)]
        return p, np.ascontiguousarray(x[..., len(names) :])

    def rows(self, q: np.ndarray, x: np.ndarray, y: np.ndarray, w: np.ndarray) -> PoseRows:
        """About configurations q (n, nq), for unknowns x (K,) or (n, K) and readings y (n, c) weighed by w."""
        n, nv = len(q), len(self.sizes)
        phi, C, h, H = pose_function(self.system, self.readings)(q, *self.split(x))
        phi, h = phi.reshape(n, -1) / self.row_sizes, h.reshape(n, -1)
        C, H = (part.reshape(n, -1, nv) * self.sizes for part in (C, H))
        r = np.where(w > 0, y - h, 0.0)
        r = np.where(self.turning, r - 2 * np.pi * np.round(r / (2 * np.pi)), r)
        return PoseRows(phi, C / self.row_sizes[:, None], h, H, r, w)

    def slopes(self, rows: PoseRows, q: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """∂Φ/∂p, ∂h/∂p, ∂²ℓ/∂δ², ∂²ℓ/∂δ∂p at configurations (n, …), in natural sizes."""
        n, nv = len(q), len(self.sizes)
        lam = rows.multipliers / self.row_sizes
        phi_p, h_p, K, G = slope_function(self.system, self.readings)(q, lam, rows.s, *self.split(x))
        k = x.shape[-1]
        phi_p, h_p, G = phi_p.reshape(n, -1, k), h_p.reshape(n, -1, k), G.reshape(n, nv, k)
        K = K.reshape(n, nv, nv) * self.sizes * self.sizes[:, None]
        return phi_p / self.row_sizes[:, None], h_p, K, G * self.sizes[:, None]

    def solved(self, q: np.ndarray, x: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations (n, nq) of least cost from those given, and which were reached (n,)."""
        q, left = q.copy(), np.arange(len(q))
        for k in range(GAUSS + NEWTON):
            if not len(left):
                break
            here, xs = q[left], x if x.ndim == 1 else x[left]
            rows = self.rows(here, xs, y[left], w[left])
            good = np.isfinite(rows.C).all((1, 2)) & np.isfinite(rows.H).all((1, 2)) & np.isfinite(rows.phi).all(1)
            if not good.all():  # nowhere: these stay unreached
                q[left[~good]] = np.nan
                left = left[good]
                continue
            step = rows.gauss_step() if k < GAUSS else rows.newton_step(self.slopes(rows, here, xs)[2])
            largest = np.max(np.abs(step), axis=1, initial=0.0)
            step *= np.minimum(1.0, LARGEST / np.maximum(largest, LARGEST))[:, None] * self.sizes
            q[left] = displaced_states(self.system, here, step, self.split(xs)[0])
            left = left[~(largest < SMALL)]
        return q, np.isfinite(q).all(axis=1) & ~np.isin(np.arange(len(q)), left)
