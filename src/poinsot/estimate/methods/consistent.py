"""Physically consistent values: those of bodies that can exist."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from poinsot.errors import PoinsotError, number_of
from poinsot.estimate.methods.base import LinearMethod, LinearRows, LinearSolution
from poinsot.estimate.methods.weighted import Weighted


@final
@dataclass(frozen=True)
class Consistent(LinearMethod):
    """Values of another method, moved to the nearest that bodies can have, in its own standard deviations.

    min ‖L⁻¹(d − d̂)‖² + γ Σ D(P_i ‖ P_i0),   P_i ⪰ 0        (theory/estimation, eq. 12)

    Rows alone do not know the bodies: `identify` takes the second step (`estimate.consistency`).
    """

    base: LinearMethod = field(default_factory=Weighted)  # gives d̂ and its covariance L Lᵀ
    strength: float = 1e-3  # γ: a body unlike the model by its own size costs a thirtieth of a standard deviation
    margin: float = 1e-6  # ε: least eigenvalue of the inertia matrix of a body over its size

    name = "consistent"
    summary = "another method's values, moved to the nearest physically possible ones"

    def __post_init__(self) -> None:
        number_of(self.strength, "method 'consistent': the strength of the prior")
        if not 0 <= self.margin < 1:
            raise PoinsotError(f"method 'consistent': the margin is between 0 and 1, not {self.margin!r:.40}")

    def solve(self, rows: LinearRows) -> LinearSolution:
        """The values without constraints; their covariance is that of the result."""
        return self.base.solve(rows)
