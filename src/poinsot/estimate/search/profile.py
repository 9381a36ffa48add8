"""Profile likelihood: intervals of single unknowns, exact where a linear standard error is not.

c(p_j) = min over all others of c ,    interval: c(p_j) − c ≤ s² χ²₁(level)        (theory/search, eq. 8)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2

from poinsot.errors import PoinsotError
from poinsot.estimate.search.problem import SearchProblem
from poinsot.estimate.search.trust_region import TrustRegion
from poinsot.results import Curve, LinePanel, Panel, Result
from poinsot.results.panels import with_unit

GROW = 1.6  # of a step to the next value, where the limit has not been reached
FAR = 40  # steps, after which a side is open


@dataclass(frozen=True, eq=False)
class Profile(Result):
    """Costs along one unknown, and the interval in which its value lies."""

    name: str
    unit: str
    level: float
    lower: float  # −∞, or the bound, where the data sets no limit  [SI]
    upper: float
    values: np.ndarray  # (n,) in ascending order  [SI]
    cost: np.ndarray  # (n,) least cost for each, over that of the best values, in variances of residuals

    _over, _columns = ("value", "values"), {"cost": ("cost", "-")}

    def panels(self) -> tuple[Panel, ...]:
        """Cost along the unknown, and its interval."""
        curve = Curve("least cost", self.values, self.cost)
        ends = {"lower": self.lower, "upper": self.upper}
        return (
            LinePanel(
                x=with_unit(self.name, self.unit),
                y="Δ cost, in variances [-]",
                curves=(curve,),
                marks={name: end for name, end in ends.items() if np.isfinite(end)},
                levels={f"{100 * self.level:g} %": float(chi2.ppf(self.level, 1))},
            ),
        )

    def __str__(self) -> str:
        return f"{self.name}: {self.lower:.6g} to {self.upper:.6g} {self.unit} with {100 * self.level:g} %"


def profile(problem: SearchProblem, p: np.ndarray, j: int, level: float, variance: float) -> Profile:
    """Follow the least cost to both sides of unknown j, until it is above the limit of a level."""
    if not 0 < level < 1:
        raise PoinsotError(f"the level of an interval lies between 0 and 1, not at {level:g}")
    space, limit = problem.space, float(chi2.ppf(level, 1))
    best = float(np.sum(problem.residuals(p) ** 2))
    J = problem.jacobian(p)
    curvature = np.linalg.norm(J[:, j])
    step = np.sqrt(variance) / curvature if curvature > 0 else 0.1 * space.size[j]
    seen = {float(p[j]): 0.0}

    def above(value: float, near: np.ndarray) -> tuple[float, np.ndarray]:
        held = replace(problem, space=replace(space, start=near).held(j, value))
        found = TrustRegion().descend(held)
        seen[float(value)] = (found.cost - best) / variance
        return seen[float(value)] - limit, found.p

    ends = [_end(above, p, j, sign * step, bound) for sign, bound in ((-1, space.lower[j]), (1, space.upper[j]))]
    values = np.array(sorted(seen))
    cost = np.array([seen[v] for v in values.tolist()])
    return Profile(space.names[j], space.units[j], level, ends[0], ends[1], values, cost)


def _end(above: Callable, p: np.ndarray, j: int, step: float, bound: float) -> float:
    """Where the cost passes the limit on one side; the bound, or infinity, where it does not."""
    near, value = p, float(p[j])
    for _ in range(FAR):
        further = value + step
        further = max(further, bound) if step < 0 else min(further, bound)
        over, there = above(further, near)
        if over > 0:
            end: Any = brentq(lambda x: above(x, near)[0], value, further, xtol=1e-6 * abs(step))  # noqa: B023
            return float(end)
        if further == bound:
            return float(bound)
        value, near, step = further, there, GROW * step
    return float(np.copysign(np.inf, step))
