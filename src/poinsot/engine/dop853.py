"""Dormand and Prince's explicit Runge–Kutta pair of order 8(5, 3) with dense output of order 7.

Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, II.5 and II.6. The numbers are SciPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

__all__ = ["Tableau", "tableau"]

Row = tuple[tuple[int, float], ...]  # (stage, coefficient), zeros left out


@dataclass(frozen=True)
class Tableau:
    """Coefficients by row; stages 0 … 11 make the step, 12 is the slope at its end, 13 … 15 dense output."""

    stages: tuple[tuple[float, Row], ...]  # (c, a) of stages 1 … 11
    step: Row  # b
    error5: Row
    error3: Row
    extra: tuple[tuple[float, Row], ...]  # (c, a) of stages 13 … 15
    dense: tuple[Row, ...]  # four rows


@cache
def tableau() -> Tableau:
    """Read the coefficients."""
    from scipy.integrate import DOP853

    def row(numbers) -> Row:
        return tuple((j, float(a)) for j, a in enumerate(numbers) if a != 0)

    return Tableau(
        tuple((float(DOP853.C[s]), row(DOP853.A[s])) for s in range(1, 12)),
        row(DOP853.B),
        row(DOP853.E5),
        row(DOP853.E3),
        tuple((float(c), row(a)) for c, a in zip(DOP853.C_EXTRA, DOP853.A_EXTRA)),
        tuple(row(d) for d in DOP853.D),
    )
