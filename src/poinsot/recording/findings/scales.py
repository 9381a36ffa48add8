"""How many times the model's forces were measured, apart for gravity and for inertia: units of forces and of times.

    τ(q, v, a) = S + D + O        S = τ(q, 0, 0),  D = [τ(q, v, a) + τ(q, −v, a)]/2 − S,  O odd in v
    y = g S + h D + f O + friction + drive inertia + offset                       by least squares, drive by drive

Gravity and springs are in S, what has mass in D, friction in O. A force in another unit has g = h, whatever moves.
Times that are c times too long have h = c² g: accelerations are c² times too small, and gravity is not asked.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.identifiability.regressor import evaluate_regressor
from poinsot.recording.findings.explained import Needed, friction_of
from poinsot.recording.findings.mixed_units import Scales
from poinsot.recording.findings.trial import Trial

__all__ = ["scales_of"]

SEEN = 0.01  # part of a force's variance that gravity or inertia alone explains, from which on its scale is known
CLEAR = 0.25  # of what is left, the same
WORSE, SMALL = 1.2, 0.002  # times what is left, and beside it: a column is not missed
NO_DRIVE = 1e5  # times the inertia of what it moves: no drive has so much


@one_blas_thread()
def scales_of(trial: Trial, motion: Needed) -> Scales:
    """The scales of a recording's forces along its motion."""
    S, D, O = _parts(trial, motion)
    k = trial.forces.shape[1]
    rows = [_fitted(trial.forces[:, j], S[:, j], D[:, j], O[:, j], motion.drives[:, j]) for j in range(k)]
    return Scales(*np.array(rows).T)


def _parts(trial: Trial, motion: Needed) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """S, D and O (m, k) by the model's own values."""
    at, m = motion.states, len(trial.t)
    thrice = replace(
        at,
        t=np.tile(at.t, 3),
        q=np.tile(at.q, (3, 1)),
        p=at.p if at.p.ndim == 1 else np.tile(at.p, (3, 1)),
        v=np.concatenate([0 * at.v, at.v, -at.v]),
        a=np.concatenate([0 * at.a, at.a, at.a]),
    )
    W = evaluate_regressor(trial.mechanism, thrice, list(trial.actuators))
    order = [W.channels.index(name) for name in trial.actuators]
    rest, ahead, back = W.values[:, order].reshape(3, m, -1)
    return rest, (ahead + back) / 2 - rest, (ahead - back) / 2


def _fitted(y: np.ndarray, S: np.ndarray, D: np.ndarray, O: np.ndarray, drive: np.ndarray) -> tuple[float, ...]:
    """g, h, that of both, and what is left of the force (m,) of a drive with rates and accelerations (m, 2)."""
    A = np.column_stack([S, D, O, friction_of(drive[:, 0])[:, 1:], drive[:, 1]])
    (g, h), left = _known(A, y)
    if np.isnan(h):  # as it is where inertia is constant: D is that of the drive, which the model may lack
        (_, both), without = _known(A[:, :-1], y)
        h = both if without < WORSE * left + SMALL and not 1 < both < NO_DRIVE else h
    (whole, _), worse = _known(np.column_stack([S + D, A[:, 2:]]), y)
    return g, h, whole if worse < WORSE * left + SMALL else np.nan, left


def _known(A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """The first two coefficients (2,) of columns (m, p), NaN where others do as well; what all leave of y (m,)."""
    A, y = A - A.mean(axis=0), y - y.mean()
    size = np.linalg.norm(A, axis=0)
    size = np.where(size > 0, size, 1.0)
    inverse = np.linalg.pinv(A / size, rcond=1e-9)
    c = inverse @ y
    rest = y - A / size @ c
    total = float(y @ y) or 1.0
    left = float(rest @ rest) / total
    alone = c**2 / (np.sum(inverse**2, axis=1) + 1e-300) / total  # what is left more without a column
    return np.where(alone > max(SEEN, CLEAR * left), c / size, np.nan)[:2], left
