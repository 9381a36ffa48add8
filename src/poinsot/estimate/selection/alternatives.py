"""Alternatives of a study: unknowns of which the data chooses, as columns of one problem that has them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.methods.base import LinearSolution
from poinsot.estimate.problem import LinearProblem, all_columns
from poinsot.estimate.rows.runs import RunRows
from poinsot.estimate.selection.sets import Evidence, JudgedRows
from poinsot.estimate.study import Study, Unknown
from poinsot.estimate.unknowns import PAYLOAD, Unknowns
from poinsot.identifiability.linear import chosen


def with_alternatives(study: Study) -> Study:
    """The study with all of its alternatives among the unknowns."""
    own = study.unknowns or tuple(Unknown(p.name) for p in chosen(study.mechanism, None))
    return replace(study, unknowns=(*own, *(Unknown(pattern) for pattern in study.choose)), choose=())


def with_chosen(study: Study, every: Unknowns, kept: Sequence[str]) -> Study:
    """The study with the unknowns that are no alternatives, and those of the alternatives that were chosen."""
    dropped = [pattern for pattern in study.choose if pattern not in kept]
    left = [one for one in every.given if _alternative(one.name, study.choose) not in dropped]
    if not left:
        raise PoinsotError("all unknowns are alternatives, and the data supports none of them")
    return replace(study, unknowns=tuple(replace(one, name=one.name.removeprefix(PAYLOAD)) for one in left))


def evidence_of(
    patterns: Sequence[str], problem: LinearProblem, solution: LinearSolution, held_out: Sequence[RunRows]
) -> Evidence:
    """What alternatives are judged by, with the colour of the residuals that all of them leave."""
    names = [_alternative(name, patterns) for name in problem.unknowns.names]
    groups = [np.flatnonzero([name == pattern for name in names]) for pattern in patterns]
    forced = np.flatnonzero([not name for name in names])
    used = _rows(problem, problem.runs, solution.sigma)
    unseen = _rows(problem, held_out, solution.sigma) if held_out else None
    return Evidence(tuple(patterns), tuple(groups), forced, used, unseen, solution.colour)


def _alternative(name: str, patterns: Sequence[str]) -> str:
    """The first pattern that an unknown matches; empty: it is no alternative."""
    return next((pattern for pattern in patterns if fnmatchcase(name.removeprefix(PAYLOAD), pattern)), "")


def _rows(problem: LinearProblem, runs: Sequence[RunRows], sigma: np.ndarray) -> JudgedRows:
    """Columns of all unknowns and what they have to explain, about the last values, in steps from the model."""
    X, z, masks = [], [], []
    step = problem.at - problem.unknowns.model
    for run in runs:
        behind = problem.behind(run)
        good, columns = np.isfinite(behind.y), all_columns(behind, problem.slopes)
        left = behind.target - behind.W @ problem.unknowns.theta(problem.at)
        X.append(np.where(good[:, :, None], columns, 0.0) / sigma[:, None])
        z.append(np.where(good, left + columns @ step, 0.0) / sigma)
        masks.append(good)
    return JudgedRows(tuple(X), tuple(z), tuple(masks))
