"""A second start for simulations that do not follow: values that the recorded forces give along the recorded motion.

A simulation from rest with wrong friction sticks where the machine moved, or turns over where it did not, and least
squares ends there. Forces along the recorded motion are linear in inertias and friction (theory/estimation, eq. 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.estimate.problems.output.problem import OutputResiduals
from poinsot.estimate.problems.output.segments import steps_of
from poinsot.estimate.results.validation import RunFit
from poinsot.estimate.role import Role
from poinsot.estimate.search.problem import SearchProblem
from poinsot.estimate.study import Processing, Study, Unknown
from poinsot.estimate.unknowns import unknowns_in

POOR, COURSE = 0.2, 0.65  # of a channel's deviation that is left; correlation of what is left from sample to sample


def does_not_follow(fit: RunFit) -> list[str]:
    """Channels of which much is left that is no noise, with how much."""
    poor = [f for f in fit.channels if f.judged and f.leaves(POOR, COURSE)]
    return [f"{f.column} ({f.relative:.2f} of its deviation is left)" for f in poor]


def advice(channels: Sequence[str]) -> str:
    """What to do where no start that was tried is followed."""
    return (
        f"The simulation does not follow {listing(channels)}: the search may have ended in another minimum; give "
        "start values, shorter segments (processing segment), or explain the forces (problem = 'forces')."
    )


def too_coarse(problem: SearchProblem, p: np.ndarray) -> bool:
    """Whether values p (k,) need finer steps than those that were chosen at the start, where friction may be none."""
    if not isinstance(problem, OutputResiduals) or problem.shooting.prepared.control is not None:
        return False
    try:
        return steps_of(problem.shooting.prepared, p) > problem.shooting.steps
    except PoinsotError:  # nothing can be simulated there
        return False


def by_forces(study: Study, names: Sequence[str]) -> Study | None:
    """The study of the forces that were recorded, with those unknowns in which they are linear; None: there are none.

    `names` are those of all unknowns, patterns resolved.
    """
    asked = [one for name in names if (one := _unknown(study, name)) and _linear(study, one)]
    runs = tuple(run for run in study.runs if run.role is not Role.VALIDATE)
    plain = {"method": None, "problem": "forces", "processing": Processing(), "noise": {}}
    return replace(study, unknowns=tuple(asked), runs=runs, bootstrap=0, **plain) if asked else None


def starting_at(study: Study, values: Mapping[str, float]) -> Study:
    """The study with starts of some unknowns, by name [SI]."""
    own = tuple(replace(one, start=values.get(one.name, one.start)) for one in study.unknowns)
    exact = {one.name for one in own}
    more = [(_unknown(study, name), value) for name, value in values.items() if name not in exact]
    return replace(study, unknowns=(*own, *(replace(one, start=value) for one, value in more if one)))


def _unknown(study: Study, name: str) -> Unknown | None:
    """What the study says of an unknown, by name before patterns; it starts where the model has it."""
    said = sorted(study.unknowns, key=lambda one: one.name != name)
    return next((replace(one, name=name, start=None) for one in said if fnmatchcase(name, one.name)), None)


def _linear(study: Study, one: Unknown) -> bool:
    """Whether forces are linear in an unknown."""
    try:
        unknowns_in(replace(study, unknowns=(one,)), (one,))
    except PoinsotError:
        return False
    return True
