"""Known parameters of a body that contradict those that are found: no matter has both.

P(φ) ⪰ 0 does not hold of a body or payload with parameters that are no unknowns      (theory/estimation, eq. 11)

Second moments about the origin are at least those of a point mass, so that a payload with first moments has some.
That these are left out does harm only where forces tell them: the data chooses, as among alternatives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.consistency.full import limits_of
from poinsot.estimate.consistency.possible import BodyInertia
from poinsot.estimate.results.identified import full_values
from poinsot.estimate.selection.alternatives import evidence_of
from poinsot.estimate.selection.sets import Evidence, selected
from poinsot.estimate.study import Study, Unknown
from poinsot.estimate.unknowns import PAYLOAD

if TYPE_CHECKING:
    from poinsot.estimate.solution import ForceSolution

__all__ = ["against_known_inertia"]


def against_known_inertia(
    study: Study, found: ForceSolution, solve: Callable[[Study], ForceSolution]
) -> tuple[str, ...]:
    """One sentence for each body that is impossible by what is known of it, which the data contradicts.

    `solve` is what solves a study with more unknowns.
    """
    try:
        return tuple(_told(body) for body in _impossible(study, found) if _contradicted(study, found, solve, body))
    except PoinsotError:  # rows that cannot be made with more unknowns
        return ()


def _impossible(study: Study, found: ForceSolution) -> list[BodyInertia]:
    """Bodies and payloads with known parameters that no body has beside the values found."""
    problem = found.problem
    if problem.unknowns.in_file or not study.unknowns:
        return []
    values = full_values(problem, problem.base_values(found.solution.d))
    phi = np.append(values, problem.unknowns.model[problem.unknowns.own :])
    limits = limits_of(problem)
    return [body for body in limits.bodies if body.missing and body.is_impossible(phi)]


def _contradicted(
    study: Study, found: ForceSolution, solve: Callable[[Study], ForceSolution], body: BodyInertia
) -> bool:
    """Whether the recordings are explained better, by more than chance, with all parameters of a body."""
    payload = body.name.startswith(PAYLOAD)
    more = [Unknown(pattern, payload=payload) for pattern in body.missing]
    known = set(found.problem.unknowns.names)
    every = solve(replace(study, unknowns=(*study.unknowns, *more), method="weighted", choose=()))
    evidence, names = evidence_of((), every.problem, every.solution, ()), every.problem.unknowns.names
    groups, forced = (np.flatnonzero([(name in known) is asked for name in names]) for asked in (False, True))
    return bool(selected(Evidence(("",), (groups,), forced, evidence.used, None, evidence.colour)).chosen)


def _told(body: BodyInertia) -> str:
    names = " and ".join(f"'{pattern}'" for pattern in body.missing)
    how = " with payload = true" if body.name.startswith(PAYLOAD) else ""
    return (
        f"'{body.name}' has values that no body has beside those that are known of it, and the recordings contradict "
        f"the known ones: add {names} to the unknowns{how}."
    )
