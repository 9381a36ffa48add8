"""Bootstrap: intervals of what was identified, from estimates with drawn noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.results import Result


@dataclass(frozen=True, eq=False, kw_only=True)
class Bootstrap(Result):
    """Percentiles of N estimates of b unknowns and combinations that the data determines."""

    noise: str  # which was drawn
    level: float  # share of the estimates within an interval
    seed: int
    names: tuple[str, ...]  # b unknowns by name, combinations as texts
    units: tuple[str, ...]  # b
    lower: np.ndarray  # (b,)  [SI]
    upper: np.ndarray  # (b,)  [SI]
    deviation: np.ndarray  # (b,) of the estimates  [SI]
    draws: np.ndarray  # (N, b)  [SI]
    lost: int  # estimates that found no values, and are not among these

    _hidden = ("draws",)

    def __getitem__(self, name: str) -> tuple[float, float]:
        if name not in self.names:
            raise PoinsotError(unknown("interval", name, self.names))
        k = self.names.index(name)
        return float(self.lower[k]), float(self.upper[k])

    def __str__(self) -> str:
        return f"{100 * self.level:g} % intervals from {len(self.draws)} estimates ({self.noise})"
