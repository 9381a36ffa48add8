"""Value, rate and acceleration of a channel from its samples, each with its standard error.

ŝ⁽ᵏ⁾ = Σ c y ,     var ŝ⁽ᵏ⁾ = σ² Σ c² + bias²            every method here is linear in the samples
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Derivatives"]


@dataclass(frozen=True, eq=False)
class Derivatives:
    """A smoothed channel with its first two derivatives at n times."""

    t: np.ndarray  # (n,)  [s]
    value: np.ndarray  # (n,)
    rate: np.ndarray  # (n,)  [1/s]
    acceleration: np.ndarray  # (n,)  [1/s²]
    errors: np.ndarray  # (3,) standard errors of the three, away from the ends
    noise: float  # standard deviation of one raw sample
    said: str  # how it was done
    edge: float = 0.0  # time at either end within which errors are larger  [s]
