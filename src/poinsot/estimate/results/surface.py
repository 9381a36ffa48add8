"""Costs over a grid of two unknowns: valleys and several minima as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.estimate.search.problem import SearchProblem, Space
from poinsot.results import Curve, FieldPanel, Panel, Result
from poinsot.results.panels import with_unit

WIDTH = 0.5  # of the size of an unknown, to either side, where it has no bounds


@dataclass(frozen=True, eq=False)
class CostSurface(Result):
    """Sums of squared residuals over n × n values of two unknowns."""

    names: tuple[str, str]
    units: tuple[str, str]
    first: np.ndarray  # (n,)  [SI]
    second: np.ndarray  # (n,)  [SI]
    cost: np.ndarray  # (n, n), the first unknown along the rows

    _columns = {"flat_cost": ("cost", "-")}

    def _rows(self) -> dict[str, np.ndarray]:
        grids = np.meshgrid(self.first, self.second, indexing="ij")
        return dict(zip(self.names, (grid.ravel() for grid in grids)))

    @property
    def flat_cost(self) -> np.ndarray:
        """Costs (n·n,), the second unknown changing fastest."""
        return self.cost.ravel()

    def panels(self) -> tuple[Panel, ...]:
        """The cost over both unknowns, and the least of it."""
        i, j = np.unravel_index(np.nanargmin(self.cost), self.cost.shape)
        least = Curve("least on the grid", self.first[[i]], self.second[[j]], style="points")
        x, y = (with_unit(name, unit) for name, unit in zip(self.names, self.units))
        places = {"across": self.first, "upwards": self.second, "points": (least,)}
        label = "sum of squared residuals [-]"
        return (FieldPanel(x=x, y=y, values=self.cost, label=label, log=True, **places),)

    @staticmethod
    def of(
        problem: SearchProblem,
        p: np.ndarray,
        names: tuple[str, str],
        n: int,
        within: Mapping[str, Sequence[float]],
        at: Mapping[str, float],
    ) -> CostSurface:
        """Within limits of two unknowns, the others at values (k,) or those that are given."""
        space, others = problem.space, np.array(p, float)
        for name in (*names, *within, *at):
            if name not in space.names:
                raise PoinsotError(unknown("unknown of this study", name, space.names))
        for name, value in at.items():
            others[space.names.index(name)] = value
        i, j = (space.names.index(name) for name in names)
        first, second = (_axis(space, others, k, n, within.get(space.names[k])) for k in (i, j))
        grid = np.tile(others, (n * n, 1))
        grid[:, i], grid[:, j] = (axis.ravel() for axis in np.meshgrid(first, second, indexing="ij"))
        cost = problem.costs(grid).reshape(n, n)
        return CostSurface(names, (space.units[i], space.units[j]), first, second, cost)


def _axis(space: Space, p: np.ndarray, k: int, n: int, limits: Sequence[float] | None) -> np.ndarray:
    """n values of unknown k."""
    if limits is not None:
        return np.linspace(limits[0], limits[1], n)
    if np.isfinite(space.upper[k] - space.lower[k]):
        return np.linspace(space.lower[k], space.upper[k], n)
    reach = WIDTH * space.size[k]
    return np.clip(np.linspace(p[k] - reach, p[k] + reach, n), space.lower[k], space.upper[k])
