"""Values that hang on the speed over which dry friction is smoothed.

    δ = (w_{v_s/2} − w_{v_s}) θ ,   Δd = −B δ ,   γ = sᵀe / sᵀs ,  s = (1 − X B) δ         (theory/estimation, eq. 49)

with the columns w of a law, the influence B of rows and what they leave, e: with γ = 0 the width v_s is right, with
γ = 1 half of it. Laws whose widths are one parameter change together. Δd is of first order in δ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.elements.forces import Force
from poinsot.errors import listing
from poinsot.estimate.error_bars import sandwich
from poinsot.estimate.methods.base import LinearSolution, residuals
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.results.text import with_error
from poinsot.estimate.rows.drive_rates import dry_rates
from poinsot.estimate.rows.reversals import with_reversals
from poinsot.estimate.rows.runs import RunRows, filtered_as
from poinsot.estimate.study import Processing
from poinsot.identifiability.linear import force_name
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.expressions import names

__all__ = ["values_by_width"]

NEAR = 0.5  # of its largest direction, below which a column does not tell what it is multiplied with
SURE = 3.0  # standard errors of γ
HALF = 0.5  # γ from which half of the width is nearer
MATERIAL = 1.0  # standard errors of a value that half of the width moves, where it explains more
OPEN = 2.0  # the same where the rows tell nothing of the width


@dataclass(frozen=True, eq=False)
class _Narrower:
    """What half of the width of laws that share it changes."""

    laws: tuple[Force, ...]
    parameter: str  # which their width is; empty: several, or none
    change: np.ndarray  # (b,) of the base parameters  [SI]
    size: np.ndarray  # (b,) of that, in standard errors
    gamma: float
    error: float

    @property
    def better(self) -> bool:
        """Whether half of the width explains rows better."""
        return self.gamma > max(HALF, SURE * self.error)

    @property
    def doubtful(self) -> bool:
        """Whether values hang on the width, and the rows do not say that it is right."""
        largest = float(np.max(self.size, initial=0.0))
        return largest > MATERIAL if self.better else largest > OPEN and self.gamma + SURE * self.error > HALF


def values_by_width(
    problem: LinearProblem, solution: LinearSolution, processing: Mapping[str, Processing]
) -> tuple[str, ...]:
    """One sentence for every width of dry friction on which values hang; `processing` by run."""
    return tuple(_said(problem, solution, one) for one in _narrower(problem, solution, processing) if one.doubtful)


def _said(problem: LinearProblem, solution: LinearSolution, one: _Narrower) -> str:
    G = problem.directions
    value = problem.base_values(solution.d)
    error = np.sqrt(np.diagonal(G @ solution.covariance @ G.T))
    unit = dict(zip(problem.unknowns.names, problem.unknowns.units))
    order = [j for j in np.argsort(-one.size) if one.size[j] > MATERIAL]
    values = [
        f"{problem.base.combinations[j]} is about {with_error(float(value[j] + one.change[j]), float(error[j]))} "
        f"{unit[problem.base.independent[j]]} (not {with_error(float(value[j]), float(error[j]))})"
        for j in order
    ]
    told = "which explains the rows better" if one.better else "which the rows do not exclude"
    whose = f"'{one.parameter}'" if one.parameter else listing([f"'{law.name}'" for law in one.laws], 3)
    given = f"{one.parameter or 'it smooth'} = 0" if len(one.laws) == 1 or one.parameter else "them smooth = 0"
    widths = " and ".join(f"{x:.3g} {u}/s" for x, u in dict.fromkeys((_width(f), f.on.unit) for f in one.laws))
    return (
        f"Values hang on the speed over which dry friction is smoothed: with half of the {widths} "
        f"of {whose}, {told}, {listing(values, 3)}: give {given}, or less."
    )


def _narrower(
    problem: LinearProblem, solution: LinearSolution, processing: Mapping[str, Processing]
) -> Iterator[_Narrower]:
    """Of all smoothed laws with dry friction among the unknowns, those that share their width together."""
    first = problem.runs[0].motion
    mechanism, numbers = first.mechanism, first.mechanism.forces
    groups: dict[frozenset[str], list[tuple[int, Force]]] = {}
    for k, name in enumerate(law.name for law, *_ in first.states.system.equations.balance.acting if law.dry):
        if _width(numbers[name]) > 0:
            groups.setdefault(_shared(mechanism, name), []).append((k, numbers[name]))
    for shared, group in groups.items():
        changes = {
            law.name: [_change(problem, solution, run, law, k, processing[run.name]) for run in problem.runs]
            for k, law in group
        }
        laws = tuple(law for _, law in group if any(np.any(part) for part in changes[law.name]))
        if laws:
            delta = [np.sum(parts, axis=0) for parts in zip(*(changes[law.name] for law in laws))]
            yield _judged(problem, solution, laws, _parameter(mechanism, shared, laws), delta)


def _shared(mechanism: Mechanism, name: str) -> frozenset[str]:
    """Parameters behind the width of a law; where the file leaves it out, those of its other numbers, or its name."""
    law = mechanism.template.forces[name]
    behind = _behind(mechanism, getattr(law, "smooth", 0.0))
    return behind or _behind(mechanism, *(getattr(law, field) for field in law.parameters)) or frozenset((name,))


def _behind(mechanism: Mechanism, *parts: Any) -> frozenset[str]:
    found = {name for part in parts for name in names(part)}
    derived = mechanism.parameters.derived
    return frozenset[str]().union(*(_behind(mechanism, derived[n]) if n in derived else {n} for n in found))


def _parameter(mechanism: Mechanism, shared: frozenset[str], laws: Sequence[Force]) -> str:
    """The one parameter that the width of all laws is."""
    widths = [getattr(mechanism.template.forces[law.name], "smooth", 0.0) for law in laws]
    one = len(shared) == 1 and all(_behind(mechanism, width) == shared for width in widths)
    name = next(iter(shared)) if one else ""
    return name if one and all(_width(law) == mechanism.parameters[name].value for law in laws) else ""


def _judged(
    problem: LinearProblem, solution: LinearSolution, laws: tuple[Force, ...], parameter: str, delta: list[np.ndarray]
) -> _Narrower:
    """From δ over the channels' spread, by run (n, c)."""
    rows, G, sigma = problem.rows, problem.directions, solution.sigma
    step = -sum(np.einsum("ncr,nc->r", b, x) for b, x in zip(solution.influence.rows, delta))
    left = [x + X @ step / sigma for x, X in zip(delta, rows.X)]
    left = [np.where(good, x, 0.0) for x, good in zip(left, rows.good)]
    squares = max(sum(float(np.sum(x**2)) for x in left), 1e-300)
    gamma = sum(float(np.sum(x * e / sigma)) for x, e in zip(left, residuals(rows, solution.d))) / squares
    error = sandwich([x[:, :, None] / squares for x in left], np.eye(1), solution.colour)
    own = np.sqrt(np.maximum(np.diagonal(G @ solution.covariance @ G.T), 1e-300))
    return _Narrower(laws, parameter, G @ step, np.abs(G @ step) / own, gamma, float(np.sqrt(error[0, 0])))


def _change(
    problem: LinearProblem, solution: LinearSolution, run: RunRows, law: Force, k: int, processing: Processing
) -> np.ndarray:
    """δ (n, c) of a run over the spread of its channels; zero where these are masked."""
    linear = [p.name for p in problem.unknowns.linear]
    theta = problem.unknowns.theta(problem.at_values(solution.d))
    template, found = problem.unknowns.mechanism.template.forces[law.name], np.zeros(run.y.shape)
    for field in law.linear:
        if (name := force_name(template, field)) in linear:
            j = linear.index(name)
            columns = _columns(run, run.regressor.matrix[:, j].reshape(-1, run.y.shape[1]), law, field, k)
            found += theta[j] * filtered_as(run, columns, processing) if columns.any() else 0.0
    return np.where(np.isfinite(run.y), found / solution.sigma, 0.0)


def _columns(run: RunRows, column: np.ndarray, law: Force, field: str, k: int) -> np.ndarray:
    """By how much half of the width changes a column (n, c) before the filter, by the k-th rate with dry friction."""
    wide = replace(law, **{name: float(name == field) for name in law.linear})
    narrow = replace(wide, **{"smooth": _width(law) / 2})

    def rate(s: States) -> np.ndarray:
        return dry_rates(s.system)(s.q, s.v, s.p)[0].reshape(len(s.t), -1)[:, k]

    def change(s: States) -> np.ndarray:
        return (narrow.force(0.0, rate(s)) - wide.force(0.0, rate(s)))[:, None] * np.ones(column.shape[1])

    s = run.motion.states
    own = np.asarray(wide.force(0.0, rate(s))) * np.ones(len(s.t))
    tells = np.abs(own) > NEAR * np.max(np.abs(own), initial=0.0)
    if not tells.any():
        return np.zeros_like(column)
    factor = np.stack([np.interp(s.t, s.t[tells], x[tells] / own[tells]) for x in column.T], axis=1)
    return factor * with_reversals(change(s), s, run.motion.every, rate(s)[:, None], change)


def _width(law: Force) -> float:
    """v_s  [m/s] or [rad/s]; 0: the law jumps."""
    return float(getattr(law, "smooth", 0.0))
