"""Kinds of measurements by name: a new one is one package and one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poinsot.estimate.bootstrap.searches import SearchReplicas
from poinsot.estimate.methods.registry import search_of
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.problems.frequencies.measurement import measured_modes
from poinsot.estimate.problems.geometry.calibration import calibration
from poinsot.estimate.problems.output.measurement import output_error
from poinsot.estimate.search.problem import SearchProblem, with_priors
from poinsot.estimate.study import Study
from poinsot.recording.clock.times import TIMING

Built = Callable[[Study], tuple[Measurement, Measurement | None]]  # what is identified from, and what is held out

PROBLEMS: dict[str, Built] = {"frequencies": measured_modes, "geometry": calibration, "output": output_error}

TIMELESS = ("geometry",)  # kinds whose measurements are poses in any order, for which clocks say nothing


def without_clocks(study: Study) -> Study:
    """The study; without what was found in clocks, where its problem has no time."""
    if study.problem not in TIMELESS:
        return study
    every = [(run, tuple(f for f in run.recording.findings if f.code not in TIMING)) for run in study.runs]
    runs = (replace(run, recording=replace(run.recording, findings=kept)) for run, kept in every)
    return replace(study, runs=tuple(runs))


def measured_again(study: Study) -> Measurement:
    """What a study identifies from, where it is made again in another process."""
    return PROBLEMS[study.problem](study)[0]


def search_replicas(study: Study, reached: np.ndarray) -> SearchReplicas:
    """Estimates of a study from drawn noise, about the values (k,) at which its search ended."""
    method = search_of(study.method)
    return SearchReplicas(*measured_again(study).settled(reached, method), method)


def search_again(study: Study, held: tuple[int, ...]) -> SearchProblem:
    """The problem of a search, some unknowns held at the start, where it is made again in another process."""
    return with_priors(measured_again(study).problem.holding(held))
