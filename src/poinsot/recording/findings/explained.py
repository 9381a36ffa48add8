"""How much of the recorded forces a motion explains: with free parameters, and with those of the model.

    y = W π + friction + offset                       by least squares, any π
    y = g τ₀ + friction + drive inertia + offset      τ₀ from the model's own values; g and friction not negative

The first does not know the sign of a force, the second hangs on values that may be rough: together they tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.identifiability.regressor import regressor
from poinsot.motion.inverse_dynamics import inverse_dynamics
from poinsot.recording.findings.trial import Trial

__all__ = ["Nominal", "basis_of", "by_model", "columns_of", "left_by", "nominal_forces", "unexplained"]

SHARP = 20.0  # of tanh(SHARP ṡ / rms ṡ), dry friction
SMALLEST = 1e-12  # eigenvalue of the normal equations, of the largest


def columns_of(trial: Trial, states: np.ndarray) -> np.ndarray | None:
    """Columns (m, k, p) that explain the forces: of parameters, friction and offsets; None: it is no motion."""
    try:
        W = regressor(trial.mechanism, trial.motion(states), trial.t, list(trial.actuators))
    except PoinsotError:
        return None
    m, k = len(states), len(trial.actuators)
    order = [W.channels.index(name) for name in trial.actuators]
    rates, friction = trial.along_drives(states)[:, :, 0], np.zeros((m, k, 3 * k))
    for j in range(k):
        v = rates[:, j] / (np.std(rates[:, j]) + 1e-300)
        friction[:, j, 3 * j : 3 * j + 3] = np.stack([np.ones(m), v, np.tanh(SHARP * v)], axis=1)
    return np.concatenate([W.matrix.reshape(m, len(W.channels), -1)[:, order], friction], axis=2)


def basis_of(columns: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """An orthonormal basis (m k, r) of the columns (m, k, p), with forces counted in their scales (k,)."""
    A = (columns / scale[None, :, None]).reshape(columns.shape[0] * columns.shape[1], -1)
    norms = np.linalg.norm(A, axis=0)
    A = A[:, norms > 0] / norms[norms > 0]
    eigenvalues, V = np.linalg.eigh(A.T @ A)
    large = eigenvalues > SMALLEST * eigenvalues[-1]
    return A @ (V[:, large] / np.sqrt(eigenvalues[large]))


def unexplained(columns: np.ndarray | None, forces: np.ndarray) -> float:
    """Part of the forces' variance that no values of the parameters explain; 1 where there is no motion."""
    if columns is None or not np.isfinite(columns).all():
        return 1.0
    scale = forces.std(axis=0) + 1e-300
    return left_by(basis_of(columns, scale), forces, scale)


def left_by(basis: np.ndarray, forces: np.ndarray, scale: np.ndarray) -> float:
    """Part of the forces' variance that is outside a basis."""
    y = ((forces - forces.mean(axis=0)) / scale).ravel()
    part = basis.T @ y
    return float(np.clip(1 - part @ part / (y @ y), 0, 1)) if y.any() else 0.0


@dataclass(frozen=True, eq=False)
class Nominal:
    """Forces as multiples of those that the model's own values give."""

    left: np.ndarray  # (k,) part of the variance of each that is not explained
    gain: np.ndarray  # (k,) measured over modelled

    @property
    def unexplained(self) -> float:
        """Mean of the parts."""
        return float(np.mean(self.left))


def nominal_forces(trial: Trial, states: np.ndarray) -> np.ndarray | None:
    """Drive forces (m, k) that the model's own values give; None: it is no motion."""
    try:
        found = inverse_dynamics(trial.mechanism, trial.motion(states), trial.t)
    except PoinsotError:
        return None
    forces = np.stack([found.forces[name] for name in trial.actuators], axis=1)
    return forces if np.isfinite(forces).all() else None


def by_model(trial: Trial, states: np.ndarray, modelled: np.ndarray | None, forces: np.ndarray) -> Nominal:
    """How far the forces (m, k) are those of the model along the states, up to a gain, friction and an offset."""
    from scipy.optimize import nnls

    m, k = forces.shape
    if modelled is None:
        return Nominal(np.ones(k), np.full(k, np.nan))
    drives = trial.along_drives(states)
    left, gains = np.zeros(k), np.full(k, np.nan)
    for j in range(k):
        y = forces[:, j] - forces[:, j].mean()
        v, a = drives[:, j].T / (np.std(drives[:, j], axis=0)[:, None] + 1e-300)
        one = np.ones(m)
        A = np.stack([modelled[:, j], v, np.tanh(SHARP * v), a, one, -one], axis=1)
        norms = np.linalg.norm(A, axis=0) + 1e-300
        c, rest = nnls(A / norms, forces[:, j])
        left[j], gains[j] = rest**2 / (y @ y) if y.any() else 0.0, c[0] / norms[0]
    return Nominal(np.minimum(left, 1.0), gains)
