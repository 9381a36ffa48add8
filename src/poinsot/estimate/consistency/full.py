"""Full parameters: the possible ones nearest to the model among those that explain the data equally well.

min ‖L⁻¹(d(φ) − d̂)‖² + γ Σ D(P_i ‖ P_i0)        over all possible φ                       (theory/estimation, eq. 12)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, listing
from poinsot.estimate.consistency.possible import Possible, possible
from poinsot.estimate.consistency.program import OPTIMAL, solved
from poinsot.estimate.consistency.scaling import coordinates, steps_of
from poinsot.estimate.methods.base import residuals, spread
from poinsot.estimate.methods.consistent import Consistent
from poinsot.estimate.problem import LinearProblem, all_columns

EQUAL = 0.1  # squared standard deviations, up to which values explain the data equally well
SURE = 0.99  # share of noise whose distance from what is possible stays below the one that contradicts all bodies
NEAREST = "nearest to the model among those that explain the data equally well"
MOVED = "physically possible, nearest to what the data says, which is not, and then to the model"


@dataclass(frozen=True, eq=False)
class FullParameters:
    """Values for all k unknowns, those included that the data leaves open."""

    values: np.ndarray  # φ of the mechanism, k unknowns  [SI]
    d: np.ndarray  # steps (r,) from the model
    remark: str = NEAREST  # how they were chosen
    loss: float = 0.0  # relative increase of the weighted squared residuals
    distance: float = 0.0  # ‖L⁻¹(d − d̂)‖² from the values without constraints, in standard deviations
    status: str = ""  # of the solver; empty: none was needed

    @property
    def contradicted(self) -> bool:
        """Whether noise does not explain that the values without constraints are impossible."""
        from scipy.stats import chi2

        return self.distance > float(chi2.ppf(SURE, len(self.d)))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is wrong with the numbers."""
        found = [] if self.status in ("", OPTIMAL) else [f"The semidefinite program ended as {self.status}."]
        if self.contradicted:
            found.append(
                f"What the data says is not physically possible, beyond its noise (χ² = {self.distance:.3g} with "
                f"{len(self.d)} degrees of freedom): the model lacks something, or a channel has a fault."
            )
        return tuple(found)

    def __str__(self) -> str:
        loss = f"; the squared residuals grow by {100 * max(self.loss, 0.0):.2g} %" if self.status else ""
        return f"full parameters: {self.remark}{loss}"


@one_blas_thread()
def consistent(
    problem: LinearProblem, d: np.ndarray, covariance: np.ndarray, method: Consistent | None = None
) -> FullParameters:
    """The possible parameters that are nearest to steps d (r,) with a covariance (r, r), and then to the model."""
    if problem.unknowns.in_file:
        raise PoinsotError(
            "physically consistent values are found for linear parameters, such as 'platform.m' or 'platform.I*', "
            f"and not for those of the model file: {listing(problem.unknowns.names)}"
        )
    method, limits, model = method or Consistent(), limits_of(problem), problem.unknowns.model
    of = steps_of(problem.combine, problem.directions, limits.size)
    at = coordinates(of, model, d, covariance, method.strength)
    phi, misfit, status = solved(limits, at, model, method.margin)
    found, distance = of.steps @ ((phi - model) / limits.size), method.strength * misfit
    remark = f"physically possible, {NEAREST}" if distance <= EQUAL else MOVED
    return FullParameters(phi[: problem.unknowns.own], found, remark, _loss(problem, d, found), distance, status)


def completed(problem: LinearProblem, values: np.ndarray, d: np.ndarray, covariance: np.ndarray) -> FullParameters:
    """Full parameters of a mechanism that explain the data as steps d (r,) do; possible ones where they are not."""
    unknowns = problem.unknowns
    whole = np.append(values, unknowns.model[unknowns.own :])
    defects = () if unknowns.in_file else limits_of(problem).defects(whole, unknowns.names)
    if not defects:
        return FullParameters(values, d)
    found = consistent(problem, d, covariance)
    return replace(found, remark=f"{found.remark}; the nearest of all are not possible: {listing(defects)}")


def limits_of(problem: LinearProblem) -> Possible:
    """What the unknowns of a problem must fulfil."""
    measured, lengths = 0.0, np.zeros(len(problem.unknowns.names))
    for run in problem.runs:
        good = np.isfinite(run.y)
        measured += float(np.sum(np.where(good, run.y / problem.scale, 0.0) ** 2))
        lengths += np.sum(
            np.where(good[:, :, None], all_columns(problem.behind(run), problem.slopes) / problem.scale[:, None], 0.0)
            ** 2,
            axis=(0, 1),
        )
    alone = np.sqrt(measured / np.where(lengths > 0, lengths, np.inf))
    return possible(problem.unknowns, problem.base.linear, problem.runs[0].regressor.size, alone)


def _loss(problem: LinearProblem, d: np.ndarray, found: np.ndarray) -> float:
    """Relative increase of the squared residuals, each channel over its deviation, from steps d to others."""
    rows = problem.rows
    before, after = residuals(rows, d), residuals(rows, found)
    sigma = spread(rows, before)
    squares = [sum(float(np.sum((part / sigma) ** 2)) for part in left) for left in (before, after)]
    return squares[1] / squares[0] - 1 if squares[0] > 0 else 0.0
