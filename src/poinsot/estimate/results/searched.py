"""Estimates by search: values that explain measurements best, of unknowns in which these need not be linear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poinsot.errors import listing
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.results.estimate import Combination, Estimate, EstimateStatus, Value, status_of
from poinsot.estimate.results.kept import BodyMotion
from poinsot.estimate.results.text import FAR, contradiction
from poinsot.estimate.search.base import SearchMethod, SearchSolution
from poinsot.estimate.search.determined import Determined
from poinsot.estimate.search.problem import SearchProblem, Space, with_priors
from poinsot.estimate.search.registry import onwards
from poinsot.estimate.study import Study
from poinsot.identifiability.base_parameters import combination_text
from poinsot.model.mechanism import Mechanism
from poinsot.parallel.remade import Remade

Again = Callable[[Study, tuple[int, ...]], SearchProblem]  # the problem of a study, some unknowns held at the start
INTERRUPTED = "Interrupted: these are the best values so far."
MORE = 3  # times that unknowns are released which cannot be told from others at the start


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchEstimate(Estimate):
    """Values of least cost among k unknowns."""

    measured: Measurement
    found: np.ndarray  # (k,) the mechanism's values, undetermined ones as near to the model as the search left them
    reached: np.ndarray  # (k,) where the search ended, before what its end told of the data
    settled: np.ndarray  # (k,) with what it told
    open: tuple[str, ...]  # unknowns that may have any value, others following them
    interrupted: bool = False  # by Ctrl-C: what would have followed was not done

    _hidden = ("study", "measured", "found", "reached", "settled", "interrupted")

    @property
    def _remarks(self) -> tuple[str, ...]:
        said = f"{len(self.open)} of {len(self.names)} unknowns cannot be told from the others"
        return (*self.measured.assumed, *((f"{said}: {listing(self.open, 24)}",) if self.open else ()))

    @property
    def _besides(self) -> tuple[str, ...]:
        return self.measured.besides

    @cached_property
    def mechanism(self) -> Mechanism:  # type: ignore[override]
        """The mechanism with the values; unknowns that the data leaves open keep the model's."""
        return self.measured.mechanism_at(self.found)

    @property
    def motion(self) -> BodyMotion | None:
        """Poses of all bodies as the values say: in the first run, or the measured poses one after another."""
        return self.measured.motion(self.found)

    @property
    def _search(self) -> tuple[SearchProblem, np.ndarray, float]:
        e = self.measured.problem.residuals(self.found)
        spare = max(len(e) - len(self.names) - self.measured.problem.absorbed(self.found), 1)
        return with_priors(self.measured.problem), self.found, 1.0 if self.measured.known else float(e @ e) / spare


def searched(
    study: Study,
    measured: Measurement,
    held_out: Measurement | None,
    method: SearchMethod,
    again: Again | None = None,
) -> SearchEstimate:
    """The estimate of a study from what was measured; other processes make its problem `again`."""
    solution = _solved(study, measured, method, again)
    reached = solution.p
    measured, p = (measured, reached) if solution.interrupted else measured.settled(reached, method)
    found, space = measured.determined(p), measured.problem.space
    held = found.held
    values, combinations, covariance = _values(space, p, found, held)
    back = np.where([v.determined or k in held for k, v in enumerate(values)], p, _model(space, p, found))
    return SearchEstimate(
        study=study,
        method=method.name,
        parameters=values,
        covariance=covariance,
        combinations=combinations,
        fit=measured.fit(p),
        validation=None if held_out is None else held_out.fit(p),
        status=status_of(values, settled=not solution.message),
        numerics=(
            *_numerics(measured, found, solution.message, [values[k].name for k in held]),
            *measured.remarks(p),
        ),
        steps=(*study.steps, *measured.steps, *solution.said),
        convergence=solution.convergence,
        starts=solution.starts,
        measured=measured,
        found=back,
        reached=reached,
        settled=p,
        open=tuple(space.names[k] for k in found.reduction.eliminated if k not in found.reduction.null),
        interrupted=solution.interrupted,
    )


def _solved(study: Study, measured: Measurement, method: SearchMethod, again: Again | None) -> SearchSolution:
    """What a method finds; unknowns that cannot be told from others may be held.

    More may be told at the values than at the start: then the search goes on with fewer of them held.
    """
    problem = measured.problem
    held = measured.determined(problem.space.start, 0.0).reduction.eliminated if measured.holds else ()
    made = None if again is None else Remade(again, (study.bare, tuple(held)))
    solution = method.solve(with_priors(problem.holding(held)), made, study.dask)
    for _ in range(MORE if measured.holds and not solution.interrupted else 0):
        found = measured.determined(solution.p)
        if len(found.reduction.eliminated) >= len(held):
            break
        held = found.reduction.eliminated
        try:
            near = onwards(method).descend(with_priors(problem.at(solution.p).holding(held)))
        except KeyboardInterrupt:
            return replace(solution, message=INTERRUPTED, interrupted=True)
        solution = replace(solution, p=near.p, cost=near.cost, message=near.message)
    return solution


def stopped(found: SearchEstimate) -> SearchEstimate:
    """The same, where Ctrl-C ended what should have followed."""
    said = (*found.numerics, INTERRUPTED)
    return replace(found, status=EstimateStatus.NOT_SETTLED, numerics=said, interrupted=True)


def _model(space: Space, p: np.ndarray, found: Determined) -> np.ndarray:
    """Unknowns (k,) with what has no effect back at the model's values."""
    back = p.copy()
    null = list(found.reduction.null)
    back[null] = space.inside(space.model)[null]
    return back


def _values(
    space: Space, p: np.ndarray, found: Determined, held: Sequence[int]
) -> tuple[tuple[Value, ...], tuple[Combination, ...], np.ndarray]:
    """Unknowns one by one, the combinations that are determined, and the covariance (k, k) of the unknowns."""
    reduction, spread = found.reduction, np.sqrt(np.maximum(np.diagonal(found.covariance), 0.0))
    combinations, alone = [], {}
    for row, j in enumerate(reduction.independent):
        others = {
            space.names[i]: float(c) for i, c in zip(reduction.eliminated, reduction.coefficients[row]) if c != 0
        }
        value = p[j] + sum(c * p[space.names.index(name)] for name, c in others.items())
        nominal = space.model[j] + sum(c * space.model[space.names.index(name)] for name, c in others.items())
        wide = not others and space.too_wide(j, spread[row], p[j])
        if not wide:
            text = combination_text(space.names[j], others)
            combinations.append(Combination(text, space.units[j], float(value), float(spread[row]), float(nominal)))
        if not others:
            alone[j] = (row, wide)
    values = tuple(_value(space, p, k, found, spread, alone, held) for k in range(len(p)))
    whole = np.full((len(p), len(p)), np.nan)
    known = [k for k, v in enumerate(values) if v.determined]
    rows = [alone[k][0] for k in known]
    whole[np.ix_(known, known)] = found.covariance[np.ix_(rows, rows)]
    return values, tuple(combinations), whole


def _value(
    space: Space,
    p: np.ndarray,
    k: int,
    found: Determined,
    spread: np.ndarray,
    alone: dict[int, tuple[int, bool]],
    held: Sequence[int],
) -> Value:
    name, unit, nominal = space.names[k], space.units[k], float(space.model[k])
    undetermined = Value(name, unit, np.nan, np.nan, nominal)
    if k in held:
        return replace(undetermined, remark=f"the best value lies on its bound, {p[k]:g} {unit}")
    if k in found.reduction.null:
        return replace(undetermined, remark="no effect on what was measured")
    if k not in alone:
        return replace(undetermined, remark="determined together with others")
    row, wide = alone[k]
    if wide:
        return replace(undetermined, remark=f"its standard error, {spread[row]:.2g} {unit}, is larger than its value")
    return replace(undetermined, value=float(p[k]), deviation=float(spread[row]))


def _numerics(measured: Measurement, found: Determined, message: str, held: Sequence[str]) -> tuple[str, ...]:
    """What is wrong with the numbers."""
    said = [] if found.reduction.gap.clear else [f"{found.reduction.gap}."]
    if found.misfit:
        said.append(
            f"The model does not fit: residuals are {np.sqrt(found.ratio):.2g} times as large as their standard "
            f"deviations ({found.spare} to spare); error bars are widened by that."
        )
    said += _contradicted(measured.problem.space, found)
    said += [f"On a bound: {', '.join(held)}."] if held else []
    return (*said, *measured.doubts, *([message] if message else []))


def _contradicted(space: Space, found: Determined) -> list[str]:
    """One sentence for each prior that is far from what all else says."""
    said = []
    for k, (away, d, u) in zip(np.flatnonzero(np.isfinite(space.prior)).tolist(), found.away.tolist()):
        if away > FAR:
            prior, deviation = float(space.prior[k]), float(space.deviation[k])
            said.append(contradiction(space.names[k], space.units[k], prior, deviation, away, d, u))
    return said
