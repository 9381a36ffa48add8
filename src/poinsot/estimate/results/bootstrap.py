"""Bootstrap: intervals of what was identified, from estimates with drawn noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.results import BarPanel, Panel, Result


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

    _over, _hidden = ("parameter", "names"), ("draws",)
    _columns = {"units": ("unit", ""), **{name: (name, "SI") for name in ("lower", "upper", "deviation")}}

    def panels(self) -> tuple[Panel, ...]:
        """Intervals about the medians of the estimates."""
        middle = np.median(self.draws, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = 100 * np.abs(np.stack([self.lower, self.upper]) - middle) / np.abs(middle)
        title = f"{100 * self.level:g} % intervals from {len(self.draws)} estimates"
        names, x = self.names, "from the median of the estimates [%]"
        series, errors = {"median": np.zeros(len(names))}, {"median": ends}
        return (BarPanel(names=names, x=x, series=series, errors=errors, points=True, title=title),)

    def __getitem__(self, name: str) -> tuple[float, float]:
        if name not in self.names:
            raise PoinsotError(unknown("interval", name, self.names))
        k = self.names.index(name)
        return float(self.lower[k]), float(self.upper[k])

    def __str__(self) -> str:
        return f"{100 * self.level:g} % intervals from {len(self.draws)} estimates ({self.noise})"
