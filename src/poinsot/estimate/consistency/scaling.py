"""Coordinates of the size 1 for unknowns of every unit, determined well, poorly or not at all.

φ = φ_c + S u ,    L⁻¹(d(φ) − d̂) = √γ (K u − k)        cov d̂ = L Lᵀ                     (theory/estimation, eq. 14)

The misfit is diagonal in the first coordinates; about any centre they are turned and stretched until the cost has the
second derivative 1 there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FLAT = 1e-6  # curvature that is added, so that none is zero


@dataclass(frozen=True, eq=False)
class Coordinates:
    """j coordinates u of k unknowns, of which the data determines r."""

    origin: np.ndarray  # φ_c (k,)  [SI]
    slopes: np.ndarray  # S (k, j)  [SI]
    weights: np.ndarray  # K (r, j)
    targets: np.ndarray  # k (r,)

    def values(self, u: np.ndarray) -> np.ndarray:
        """Unknowns (k,) at coordinates (j,)."""
        return self.origin + self.slopes @ u

    def misfit(self, u: np.ndarray) -> float:
        """‖L⁻¹(d − d̂)‖²/γ."""
        return float(np.sum((self.weights @ u - self.targets) ** 2))

    def about(self, u: np.ndarray, curvature: np.ndarray) -> Coordinates:
        """Coordinates with another origin, scaled by the curvature of the cost there, that of its barrier (j, j)."""
        H = self.weights.T @ self.weights + curvature + FLAT * np.eye(len(u))
        T = np.linalg.inv(np.linalg.cholesky(H)).T
        return Coordinates(self.values(u), self.slopes @ T, self.weights @ T, self.targets - self.weights @ u)


@dataclass(frozen=True, eq=False)
class Steps:
    """What k unknowns, over their size, are for the data."""

    size: np.ndarray  # (k,)  [SI]
    held: np.ndarray  # (b − r, k) combinations that stay at the model
    steps: np.ndarray  # (r, k): d, steps from the model


def steps_of(B: np.ndarray, G: np.ndarray, size: np.ndarray) -> Steps:
    """From β = B φ (b, k) = β₀ + G d, and the size of the unknowns (k,)."""
    from scipy.linalg import null_space

    scaled = B * size
    rows = np.linalg.norm(scaled, axis=1, keepdims=True)
    return Steps(size, null_space((G / rows).T).T @ (scaled / rows), np.linalg.pinv(G / rows) @ (scaled / rows))


def coordinates(of: Steps, start: np.ndarray, d: np.ndarray, covariance: np.ndarray, strength: float) -> Coordinates:
    """First coordinates, about the model (k,): singular directions of the misfit, not longer than the unknowns."""
    from scipy.linalg import null_space

    free = null_space(of.held) if len(of.held) else np.eye(len(of.size))
    deviation = np.sqrt(np.diagonal(covariance))
    T = _whitening(covariance / deviation[:, None] / deviation) / deviation / np.sqrt(strength)
    wanted = T @ d
    U, sigma, Vt = np.linalg.svd(T @ of.steps @ free)
    stretch = 1 / np.maximum(np.append(sigma, np.zeros(len(Vt) - len(sigma))), 1.0)
    turned = np.eye(len(d), len(Vt)) * (sigma * stretch[: len(d)])[:, None]
    return Coordinates(start, of.size[:, None] * (free @ (Vt.T * stretch)), turned, U.T @ wanted)


def _whitening(correlation: np.ndarray) -> np.ndarray:
    """T (r, r) with T C Tᵀ = 1 for correlations C; what is determined better than round-off tells counts as its
    round-off, since C of combinations nearly alike is not positive definite in numbers."""
    values, U = np.linalg.eigh(correlation)
    least = len(values) * np.finfo(float).eps * np.max(values, initial=0.0)
    return (U / np.sqrt(np.maximum(values, least))).T
