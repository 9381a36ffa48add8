"""Whether recorded forces contradict an output error under controllers.

A simulated controller makes the forces from the references: where it is not the machine's own, parameters make up for
it, and the recorded motion is followed all the same. Forces along the recorded motion know nothing of controllers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import listing
from poinsot.estimate.problems.output.second_start import by_forces
from poinsot.estimate.results.estimate import Value
from poinsot.estimate.results.searched import SearchEstimate
from poinsot.estimate.results.text import with_error
from poinsot.estimate.rows.held import with_held_forces
from poinsot.estimate.rows.runs import late_channels
from poinsot.estimate.study import Run, Study
from poinsot.recording.filtering.in_time import without_delays
from poinsot.recording.place import placed

if TYPE_CHECKING:
    from poinsot.estimate.solution import ForceSolution

__all__ = ["against_forces", "held_forces"]

FAR = 4.0  # joint standard errors, the bias by noise of the motion in them


def held_forces(study: Study, found: SearchEstimate) -> Study | None:
    """The study of the forces that were recorded under controllers, other unknowns as they were found."""
    forces = None if study.control is None else by_forces(study, found.names)
    if forces is None:
        return None
    every = (_in_time(run, found) for run in forces.runs)
    runs = tuple(with_held_forces(run, study.mechanism, study.control) for run in every)
    return replace(forces, mechanism=found.mechanism, runs=runs, control=None, choose=())


def _in_time(run: Run, found: SearchEstimate) -> Run:
    """A run without the delays that were found."""
    late = late_channels(placed(run.recording, found.study.mechanism), found.study.mechanism, found.delays)
    return replace(run, recording=without_delays(run.recording, late))


def against_forces(found: SearchEstimate, solution: ForceSolution) -> tuple[str, ...]:
    """One sentence, where forces along the recorded motion have other values of the unknowns."""
    told = {value.name: value for value in found.parameters if value.determined}
    pairs = [(other, told[other.name]) for other in _alone(solution) if other.name in told]
    far = [(abs(a.value - b.value) / np.hypot(a.deviation, b.deviation), a, b) for a, b in pairs]
    texts = [
        f"{a.name} = {with_error(a.value, a.deviation)} {a.unit}, not {with_error(b.value, b.deviation)}"
        for distance, a, b in sorted(far, key=lambda one: -one[0])
        if distance > FAR
    ]
    if not texts:
        return ()
    return (
        f"The recorded forces contradict these values: along the recorded motion {listing(texts, 4)}; "
        "the controllers of the study may not be the machine's, or the model lacks something.",
    )


def _alone(solution: ForceSolution) -> list[Value]:
    """Unknowns that are determined by themselves; bias by noise of the motion is in their standard errors."""
    problem, bias = solution.problem, solution.bias_of_noise
    beta, G = problem.base_values(solution.solution.d), problem.directions
    spread = np.sqrt(np.maximum(np.diagonal(G @ solution.solution.covariance @ G.T), 0.0))
    bars, texts = np.hypot(spread, bias), dict(zip(problem.base.independent, problem.base.combinations))
    names, units = problem.unknowns.names, problem.unknowns.units
    return [
        Value(name, units[names.index(name)], float(beta[j]), float(bars[j]), np.nan)
        for j, name in enumerate(problem.base.independent)
        if texts[name] == name and not solution.excitation.hidden(j)
    ]
