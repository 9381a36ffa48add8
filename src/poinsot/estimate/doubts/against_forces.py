"""Whether recorded forces contradict an output error under controllers, or forces of a motion that these make.

A simulated controller makes the forces from the references: where it is not the machine's own, parameters make up for
it, and the recorded motion is followed all the same. Forces along the recorded motion know nothing of controllers.
Nor do values by instruments, which need no more than to move as the machine does; noise of encoders biases them as
little as a simulated motion, and the same samples make the errors of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import listing
from poinsot.estimate.methods.base import Influence
from poinsot.estimate.problems.output.second_start import by_forces
from poinsot.estimate.results.comparison import correlations
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

__all__ = ["against_forces", "against_instruments", "by_instruments", "held_forces"]

FAR = 4.0  # joint standard errors, the bias by noise of the motion in them
WORTH = 2.0  # own standard errors of the value: less is no doubt, however sure it is by the same samples


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
    return _contradicted([(abs(a.value - b.value) / np.hypot(a.deviation, b.deviation), a, b) for a, b in pairs])


def by_instruments(study: Study) -> Study:
    """The study of the same forces, by instruments."""
    return replace(study, method="instruments", bootstrap=0, choose=())


def against_instruments(simulated: ForceSolution, recorded: ForceSolution) -> tuple[str, ...]:
    """One sentence, where instruments have other values than forces along the simulated motion."""
    told = {value.name: value for value in _alone(simulated)}
    pairs = [(other, told[other.name]) for other in _alone(recorded) if other.name in told]
    one, other = (_counts(solution, [a.name for a, _ in pairs]) for solution in (recorded, simulated))
    if not pairs or [x.shape for x in one.scores] != [x.shape for x in other.scores]:
        return ()
    s_a, s_b = np.array([[a.deviation, b.deviation] for a, b in pairs]).T
    off = np.abs([a.value - b.value for a, b in pairs])
    together = s_a**2 + s_b**2 - 2 * correlations(one, other, s_a, s_b) * s_a * s_b
    distance = off / np.sqrt(np.maximum(together, 1e-300)) * (off > WORTH * s_b)
    return _contradicted([(far, a, b) for far, (a, b) in zip(distance.tolist(), pairs)])


def _contradicted(far: Sequence[tuple[float, Value, Value]]) -> tuple[str, ...]:
    """One sentence of distances in standard errors, values along the recorded motion and those by a simulation."""
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


def _counts(solution: ForceSolution, names: Sequence[str]) -> Influence:
    """How samples count in some unknowns."""
    problem, counts = solution.problem, solution.solution.influence
    G = problem.directions[[problem.base.independent.index(name) for name in names]]
    return replace(counts, rows=tuple(part @ G.T for part in counts.rows))


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
