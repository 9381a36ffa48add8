"""How much of the recorded forces a motion explains: with free parameters, and with those of the model.

    y = W π + friction + offset                       by least squares, any π
    y = g τ₀ + friction + drive inertia + offset      τ₀ from the model's own values; g and friction not negative

The first does not know the sign of a force, the second hangs on values that may be rough: together they tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.identifiability.regressor import evaluate_regressor
from poinsot.identifiability.states import States
from poinsot.motion.continuity import Path
from poinsot.motion.equations import drive_motions
from poinsot.recording.findings.trial import Trial

__all__ = [
    "Needed",
    "Nominal",
    "basis_of",
    "by_model",
    "friction_of",
    "left_by",
    "needed",
    "own_columns",
    "unexplained",
]

SHARP = 20.0  # of tanh(SHARP ṡ / rms ṡ), dry friction
HOLLOW = 0.3  # of a force's deviation: less of the model's own is nothing of it
ROUGH = 4.0  # times what the model needs, or less than it by that: its own values are as rough
NEEDS = 0.5  # of a force's deviation: what the model needs at least, for that to be missed
SMALLEST = 1e-12  # eigenvalue of the normal equations, of the largest


@dataclass(frozen=True, eq=False)
class Needed:
    """What forces a motion needs: m samples of k drives."""

    forces: np.ndarray  # (m, k) by the model's own values
    columns: np.ndarray  # (m, k, p) of the parameters, friction and offsets
    drives: np.ndarray  # (m, k, 2) rates and accelerations of the drives
    states: States  # along the motion, m

    def of(self, rows: np.ndarray, drives: np.ndarray) -> Needed:
        """At some of the samples (m,), for some of the drives (k,); the states stay all."""
        forces, columns, motions = (x[rows][:, drives] for x in (self.forces, self.columns, self.drives))
        return Needed(forces, columns, motions, self.states)

    @cached_property
    def own(self) -> tuple[OwnColumns, ...]:
        """By drive (k,)."""
        return tuple(OwnColumns.of(own_columns(self, j)) for j in range(self.forces.shape[1]))


def needed(trial: Trial, states: np.ndarray, solve: Callable[..., Path | None]) -> Needed | None:
    """The forces along states (m, c, 3), from one regressor y = W θ + y₀ on the path that `solve` finds, if any.

    `solve` is `solve_path`, or `plain_path` where many motions are tried.
    """
    path = solve(trial.mechanism, trial.motion(states), trial.t)
    if path is None:
        return None
    size = path.system.home.size
    try:
        at = States(path.system, path.t, path.q, path.v, path.a, path.p, size)
        W = evaluate_regressor(trial.mechanism, at, list(trial.actuators))
    except PoinsotError:
        return None
    m, k = len(states), len(trial.actuators)
    order, drives = [W.channels.index(name) for name in trial.actuators], _along_drives(at, trial.actuators)
    friction = np.zeros((m, k, 3 * k))
    for j in range(k):
        friction[:, j, 3 * j : 3 * j + 3] = friction_of(drives[:, j, 0])
    columns = np.concatenate([W.matrix.reshape(m, len(W.channels), -1)[:, order], friction], axis=2)
    found = Needed(W.values[:, order], columns, drives, at)
    return found if np.isfinite(found.forces).all() and np.isfinite(columns).all() else None


def _along_drives(at: States, names: Sequence[str]) -> np.ndarray:
    """Rates and accelerations (m, k, 2) of actuators along a motion."""
    (flat,) = drive_motions(at.system)(at.q, at.v, at.a, at.p)
    known = list(at.system.mechanism.actuators)
    both = flat.reshape(len(at.t), 2, len(known))[:, :, [known.index(name) for name in names]]
    return np.swapaxes(both, 1, 2)


def friction_of(rate: np.ndarray) -> np.ndarray:
    """Columns (m, 3) of an offset, viscous and dry friction along a drive's rate (m,)."""
    v = rate / (np.std(rate) + 1e-300)
    return np.stack([np.ones(len(v)), v, np.tanh(SHARP * v)], axis=1)


@one_blas_thread()
def basis_of(columns: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """An orthonormal basis (m k, r) of the columns (m, k, p), with forces counted in their scales (k,)."""
    A = (columns / scale[None, :, None]).reshape(columns.shape[0] * columns.shape[1], -1)
    norms = np.linalg.norm(A, axis=0)
    A = A[:, norms > 0] / norms[norms > 0]
    eigenvalues, V = np.linalg.eigh(A.T @ A)
    large = eigenvalues > SMALLEST * eigenvalues[-1]
    return A @ (V[:, large] / np.sqrt(eigenvalues[large]))


def unexplained(motion: Needed | None, forces: np.ndarray) -> float:
    """Part of the forces' variance that no values of the parameters explain; 1 where there is no motion."""
    if motion is None:
        return 1.0
    scale = forces.std(axis=0) + 1e-300
    return left_by(basis_of(motion.columns, scale), forces, scale)


def left_by(basis: np.ndarray, forces: np.ndarray, scale: np.ndarray) -> float:
    """Part of the forces' variance that is outside a basis."""
    y = ((forces - forces.mean(axis=0)) / scale).ravel()
    part = basis.T @ y
    return float(np.clip(1 - part @ part / (y @ y), 0, 1)) if y.any() else 0.0


def own_columns(motion: Needed, j: int) -> np.ndarray:
    """Columns (m, 5) of a drive: its force by the model's own values, drive inertia, friction and an offset."""
    rate, acceleration = motion.drives[:, j].T
    a = acceleration / (np.std(acceleration) + 1e-300)
    return np.column_stack([motion.forces[:, j], a, friction_of(rate)[:, ::-1]])


@dataclass(frozen=True, eq=False)
class OwnColumns:
    """What the model's own values make of the force of a drive, with friction and an offset of either sign."""

    columns: np.ndarray  # (m, 6)
    norms: np.ndarray  # (6,)
    beyond: np.ndarray  # (m,) what is no friction of the force

    @staticmethod
    def of(columns: np.ndarray) -> OwnColumns:
        """From columns (m, 5) as `own_columns` has them."""
        force, friction = columns[:, 0], columns[:, 2:]
        both = np.column_stack([columns, -columns[:, -1]])
        return OwnColumns(
            both, np.linalg.norm(both, axis=0) + 1e-300, force - friction @ (np.linalg.pinv(friction) @ force)
        )


@dataclass(frozen=True, eq=False)
class Nominal:
    """Forces as multiples of those that the model's own values give."""

    left: np.ndarray  # (k,) part of the variance of each that is not explained
    gain: np.ndarray  # (k,) measured over modelled
    hollow: np.ndarray  # (k,) whether friction and drive inertia are all of it, where the model needs more
    idle: np.ndarray  # (k,) whether friction alone is, where the model needs about as much

    @property
    def unexplained(self) -> float:
        """Mean of the parts."""
        return float(np.mean(self.left))


def by_model(motion: Needed | None, forces: np.ndarray) -> Nominal:
    """How far the forces (m, k) are those that the model needs for a motion, up to a gain, friction and an offset."""
    from scipy.optimize import nnls

    k = forces.shape[1]
    if motion is None:
        return Nominal(np.ones(k), np.full(k, np.nan), np.zeros(k, bool), np.zeros(k, bool))
    left, gains, needs, part = np.zeros(k), np.full(k, np.nan), np.zeros(k), np.zeros(k)
    for j, of in enumerate(motion.own):
        y = forces[:, j] - forces[:, j].mean()
        c, rest = nnls(of.columns / of.norms, forces[:, j])
        left[j], gains[j] = rest**2 / (y @ y) if y.any() else 0.0, c[0] / of.norms[0]
        needs[j] = np.std(of.beyond)
        along = np.mean(of.beyond * (of.columns[:, :2] @ (c / of.norms)[:2])) / (needs[j] + 1e-300)
        part[j] = along if along > needs[j] / ROUGH else gains[j] * needs[j]  # drive inertia may be the model's
    own, measured = np.std(motion.forces, axis=0), np.std(forces, axis=0)
    hollow = (own > measured) & (gains * own < HOLLOW * measured)
    return Nominal(np.minimum(left, 1.0), gains, hollow, (needs > NEEDS * measured) & (part < HOLLOW * measured))
