"""Runs of a study as the problem of output error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from poinsot.estimate.methods.registry import search_of
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.problems.output.collocation.measurement import collocated
from poinsot.estimate.problems.output.delays import whole_samples, with_delays
from poinsot.estimate.problems.output.input_noise import input_changes, more_by_inputs
from poinsot.estimate.problems.output.prepare import prepared
from poinsot.estimate.problems.output.problem import OutputResiduals
from poinsot.estimate.problems.output.records import Prepared
from poinsot.estimate.problems.output.segments import shooting_of, steps_of
from poinsot.estimate.problems.output.shooting import Shooting
from poinsot.estimate.problems.space import space_of
from poinsot.estimate.results.kept import BodyMotion
from poinsot.estimate.results.validation import RunFit, fit_of
from poinsot.estimate.rows.channel_terms import is_term
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.collocation import Collocation
from poinsot.estimate.search.problem import Space
from poinsot.estimate.study import Processing, Role, Study
from poinsot.model.mechanism import Mechanism

VALIDATED = "initial states of run '{}' were estimated from its own samples, the parameters being those identified"


@dataclass(frozen=True, eq=False, kw_only=True)
class OutputMeasurement(Measurement):
    """Recorded positions, and forces under control, as a simulation explains them."""

    problem: OutputResiduals
    mechanism: Mechanism

    @property
    def _shooting(self) -> Shooting:
        return self.problem.shooting

    def fit(self, p: np.ndarray) -> RunFit:
        """Channels of all runs, initial states being those of least cost."""
        one, shooting = self._shooting.prepared, self._shooting
        found = shooting.late(p, shooting.outputs(p[None], self.problem.states(p).z)[0])
        parts = [
            np.concatenate([x[own] for (r, _, _), x, own in zip(shooting.segments, found, shooting.own) if r is run])
            for run in one.runs
        ]
        fit = fit_of(
            [run.name for run in one.runs],
            one.channels,
            [run.t for run in one.runs],
            [one.explained(run) for run in one.runs],
            [_at_samples(part, one.delays(p), run.period) for run, part in zip(one.runs, parts)],
            noise=one.sigma,
        )
        assert fit is not None
        return fit

    def motion(self, p: np.ndarray) -> BodyMotion:
        """The simulated motion of the first run, initial states being those of least cost."""
        one, shooting = self._shooting.prepared, self._shooting
        run = one.runs[0]
        return one.motion(run, shooting.positions(p, self.problem.states(p).z, run), p)

    def mechanism_at(self, p: np.ndarray) -> Mechanism:
        """The mechanism of the study with values (k,)."""
        return self.mechanism.with_parameters(dict(zip(self._shooting.prepared.unknowns, p.tolist())))

    def settled(self, p: np.ndarray, method: SearchMethod) -> tuple[Self, np.ndarray]:
        """With what noise of the recorded forces does to its residuals there."""
        changes, said = input_changes(self.problem, p)
        if changes is None:
            return (replace(self, doubts=(*self.doubts, f"{said[0].upper()}{said[1:]}.")) if said else self), p
        noisy = replace(self, changes=changes, steps=(*self.steps, said))
        more = more_by_inputs(self.determined(p).covariance, noisy.determined(p).covariance)
        return replace(noisy, besides=(*self.besides, *more)), p

    def series(self, p: np.ndarray) -> tuple[tuple[int, int], ...]:
        """Every run is a time series."""
        one = self._shooting.prepared
        return tuple((len(run.t), len(one.channels)) for run in one.runs)


def _at_samples(predicted: np.ndarray, delays: dict[int, float], period: float) -> np.ndarray:
    """Channels (n, c) at the samples that recorded them, NaN where a delay leaves them open."""
    found, n = predicted.copy(), len(predicted)
    for c, delay in delays.items():
        k = np.arange(n) - whole_samples(delay, period)[0]
        found[:, c] = np.where((k >= 0) & (k < n), predicted[np.clip(k, 0, n - 1), c], np.nan)
    return found


def output_error(study: Study) -> tuple[Measurement, Measurement | None]:
    """Runs to identify from, and those that are held out."""
    delays = [one for one in study.unknowns if is_term(one)]
    others = [one for one in study.unknowns if one not in delays]
    mechanism, space, said = space_of(study.mechanism, others, alone=not delays)
    space = _possible(space, mechanism)
    used = prepared(study, mechanism, space, (Role.IDENTIFY, Role.PAYLOAD))
    assert used is not None
    held_out = prepared(study, mechanism, space, (Role.VALIDATE,))
    used, space, moved = with_delays(used, space, delays)
    if held_out is not None:
        alike = {name: getattr(used, name) for name in ("sigma", "known", "input_sigma", "delayed", "reach")}
        held_out = replace(held_out, **alike)
    if isinstance(search_of(study.method), Collocation):
        measured, validation = (
            None if one is None else collocated(one, mechanism, space, steps_of(one, space.start))
            for one in (used, held_out)
        )
        assert measured is not None
    else:
        measured, validation = _simulated(used, held_out, mechanism, space, study.processing)
    more = [VALIDATED.format(run.name) for run in held_out.runs] if held_out else []
    return replace(measured, steps=(*said, *moved, *measured.steps, *more), assumed=used.assumed), validation


def _simulated(
    used: Prepared, held_out: Prepared | None, mechanism: Mechanism, space: Space, processing: Processing
) -> tuple[OutputMeasurement, OutputMeasurement | None]:
    """By simulation; runs that are held out in segments as long as those of the others."""
    measured = _measurement(used, mechanism, space, processing)
    if held_out is None:
        return measured, None
    segment = processing.segment
    if len(measured.problem.shooting.segments) > len(used.runs) and segment is None:
        run, first, stop = measured.problem.shooting.segments[0]
        segment = float(run.t[stop] - run.t[first])
    return measured, _measurement(held_out, mechanism, space, replace(processing, segment=segment))


def _possible(space: Space, mechanism: Mechanism) -> Space:
    """Within the bounds of the model file too: nothing can be simulated beyond them."""
    own = [mechanism.parameters[name] for name in space.names]
    lower, upper = (np.array([getattr(p, side) for p in own]) for side in ("lower", "upper"))
    return replace(space, lower=np.maximum(space.lower, lower), upper=np.minimum(space.upper, upper))


def _measurement(one: Prepared, mechanism: Mechanism, space: Space, processing: Processing) -> OutputMeasurement:
    shooting, said = shooting_of(one, space.start, processing)
    return OutputMeasurement(
        problem=OutputResiduals(space, shooting), known=one.known, steps=(*one.steps, *said), mechanism=mechanism
    )
