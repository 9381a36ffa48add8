"""Whether a motion is stiff: stability, not accuracy, decides the steps of an explicit method.

An explicit method of order 8 is stable up to h ρ ≈ 6, ρ the largest |eigenvalue| of ∂f/∂y of ẏ = f(t, y, p). Smoothed
dry friction f_c tanh(ṡ/v_s) has ρ = f_c/(v_s m), but only near rest, so that the same state at rest is looked at too
(theory/dynamics, eq. 20).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.errors import listing

if TYPE_CHECKING:
    from poinsot.model.mechanism import Mechanism

STABLE = 6.0  # h ρ up to which steps are stable
SHARE = 0.2  # of the steps that were taken: a motion is stiff that needs more for stability alone
DECAYS = 0.5  # of |λ|: least decay −Re λ of what is stiff; an oscillation has to be followed anyway
STEP = 1e-7  # of differences, by the size of a state


def is_stiff(f: Callable[[np.ndarray], Any], y: np.ndarray, sizes: tuple[int, int], steps_per_second: float) -> bool:
    """Whether the steps of an explicit method for ẏ = f(y) are so many for stability alone.

    y holds so many coordinates and speeds, and integrals that no rate depends on.
    """
    nq, nv = sizes
    at_rest = y.copy()
    at_rest[nq : nq + nv] = 0.0
    rate = max(_fastest(f, here, nq + nv) for here in (y, at_rest))
    return rate / STABLE > SHARE * steps_per_second


def _fastest(f: Callable[[np.ndarray], Any], y: np.ndarray, n: int) -> float:
    """Largest |λ| of ∂f/∂y among those that decay, by differences of the first n states  [1/s]."""
    before, J = np.asarray(f(y)).ravel()[:n], np.zeros((n, n))
    for i in range(n):
        step = STEP * max(abs(y[i]), 1e-3)
        moved = y.copy()
        moved[i] += step
        J[:, i] = (np.asarray(f(moved)).ravel()[:n] - before) / step
    if not np.isfinite(J).all():
        return 0.0
    values = np.linalg.eigvals(J)
    return float(np.max(np.abs(values), where=-values.real > DECAYS * np.abs(values), initial=0.0))


def jumping_laws(mechanism: Mechanism) -> str:
    """Which forces jump where a motion turns, and what to set; empty where none does."""
    found = []
    for name, law in mechanism.elements.forces.items():
        spread = law.smoothed(1.0)
        if spread is not law and (law.loaded or float(spread.dry_slope())):
            owner = name if f"{name}.smooth" in mechanism.parameters else name.rpartition(".")[0]
            found.append(f"{owner}.smooth (now 0 {law.on.unit}/s)")
    if not found:
        return ""
    return (
        f"dry friction jumps at rest, which no step resolves: set a small speed, such as 0.001, for {listing(found)}"
    )
