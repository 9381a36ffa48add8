"""Whether a motion is stiff: stability, not accuracy, decides the steps of an explicit method.

An explicit method of order 8 is stable up to h ρ ≈ 6, ρ the largest |eigenvalue| of ∂f/∂y of ẏ = f(t, y, p). Smoothed
dry friction f_c tanh(ṡ/v_s) has ρ = f_c/(v_s m), but only near rest, so that the same state at rest is looked at too
(theory/dynamics, eq. 19).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poinsot.simulation.chart_switching import Problem, Stage

STABLE = 6.0  # h ρ up to which steps are stable
SHARE = 0.1  # of the steps that are allowed: a motion is stiff that needs more for stability alone
STEP = 1e-7  # of differences, by the size of a state


def is_stiff(problem: Problem, stage: Stage) -> bool:
    """Whether what is left of a motion takes too many steps of an explicit method for stability alone."""
    nq, nv, _, _ = stage.system.sizes
    at_rest = stage.y.copy()
    at_rest[nq : nq + nv] = 0.0
    rate = max(_fastest(problem, stage, y) for y in (stage.y, at_rest))
    return rate * (problem.t[-1] - stage.t) / STABLE > SHARE * problem.options["max_steps"]


def _fastest(problem: Problem, stage: Stage, y: np.ndarray) -> float:
    """Largest |eigenvalue| of ∂f/∂y, by differences of the states that are no integrals  [1/s]."""
    f, (nq, nv, _, _) = problem.motion(stage.system).rhs.function, stage.system.sizes
    n = nq + nv
    before, J = np.asarray(f(stage.t, y, stage.p)).ravel()[:n], np.zeros((n, n))
    for i in range(n):
        step = STEP * max(abs(y[i]), 1e-3)
        moved = y.copy()
        moved[i] += step
        J[:, i] = (np.asarray(f(stage.t, moved, stage.p)).ravel()[:n] - before) / step
    return float(np.max(np.abs(np.linalg.eigvals(J)))) if np.isfinite(J).all() else 0.0
