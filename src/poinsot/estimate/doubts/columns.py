"""Columns that a fit puts in doubt: forces of the other sign, channels that are swapped, positions in other units,
forces that are late.

What is at hand after a fit is looked at first, and costs nothing beside it:

    r_ij = corr(y_i, τ₀_j)        measured channel i, and what the model's own values say of channel j

Where r_ii is small, r_ij + r_ji > r_ii + r_jj, sizes differ, the fit is poor, or what it leaves is like the change of
the channel with time, as a delay would leave it, the recording is tried on the model (`recording.findings`), which
alone decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from poinsot.estimate.doubts.mistaken_units import mistaken_units
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.results.validation import RunFit
from poinsot.estimate.rows.runs import RunRows, late_channels, measured_forces, prepared
from poinsot.estimate.study import Run, Study
from poinsot.model.mechanism import Mechanism
from poinsot.recording.filtering.in_time import without_delays
from poinsot.recording.finding import Finding
from poinsot.recording.findings import column_findings
from poinsot.recording.findings.contradictions import contradictions
from poinsot.recording.findings.held import clipped_findings
from poinsot.recording.findings.jumps import jump_findings
from poinsot.recording.place import placed

__all__ = [
    "columns_in_doubt",
    "late_fits",
    "poor_fits",
    "suspect_rows",
    "with_columns_in_doubt",
    "with_contradictions",
    "with_faulty_samples",
    "with_mistaken_units",
]

ALIKE = 0.5  # correlation with the model's own forces, from which on the sign of a channel is not asked about
POOR = 0.05  # part of a channel's variance that a fit may leave
LATE, SURE = 0.25, 5.0  # correlation of what is left with the change of a channel; the same times √n
NONE: Mapping[str, float] = MappingProxyType({})
SIZE = 4.0  # times the deviation of the model's own forces, or less by that: the unit is asked about
SAID = (
    "clipped",
    "sign",
    "swapped",
    "degrees",
    "millimetres",
    "impossible",
    "time unit",
    "force unit",
    "delay",
)  # codes of what reading has found


def with_columns_in_doubt(study: Study, suspects: Collection[str], delays: Mapping[str, float]) -> Study:
    """The study with what is found in the columns of suspect runs among the findings of their recordings.

    Channels whose `delays` [s] are known, by what these measure, are tried without them: what reading has said of
    such a delay does not count.
    """
    return replace(study, runs=tuple(_tried(run, study.mechanism, suspects, delays) for run in study.runs))


def _tried(run: Run, mechanism: Mechanism, suspects: Collection[str], delays: Mapping[str, float]) -> Run:
    recording = run.recording
    late = late_channels(placed(recording, mechanism), mechanism, delays)
    left = tuple(one for one in recording.findings if one.code != "delay" or one.channel not in late)
    if run.name not in suspects and len(left) == len(recording.findings):
        return run
    run = replace(run, recording=replace(recording, findings=left))
    found = columns_in_doubt(run, mechanism, delays)
    return replace(run, recording=run.recording.with_findings(found))


def columns_in_doubt(run: Run, mechanism: Mechanism, delays: Mapping[str, float] = NONE) -> list[Finding]:
    """What a run's columns should rather be; none where reading the recording has already said it."""
    if any(finding.code in SAID for finding in run.recording.problems):
        return []
    part = placed(run.part, mechanism)
    return column_findings(without_delays(part, late_channels(part, mechanism, delays)), mechanism)


def with_faulty_samples(study: Study) -> Study:
    """The study with forces that are clipped, and positions that jump, among the findings of recordings that nobody
    inspected before.

    Drives under control are saturated at their limits, which is no fault of what was recorded.
    """
    limited = [] if study.control is None else [name for name, _ in study.control.drives]
    runs = []
    for run in study.runs:
        whole = placed(run.recording, study.mechanism)
        used = measured_forces(whole, study.mechanism, run.name)
        names = [channel for place, channel in used.items() if place not in limited]
        known = {finding.code for finding in run.recording.findings}
        found = [] if "clipped" in known else [*clipped_findings(run.recording, names)]
        found += [] if known & {"jump", "rows lost"} else [*jump_findings(whole, study.mechanism)]
        runs.append(replace(run, recording=run.recording.with_findings(found)) if found else run)
    return replace(study, runs=tuple(runs))


def with_mistaken_units(study: Study) -> Study:
    """The study with units that recordings are in by mistake among their findings, unless reading has said it."""
    return replace(study, runs=tuple(_units_tried(run, study.mechanism) for run in study.runs))


def _units_tried(run: Run, mechanism: Mechanism) -> Run:
    if any(finding.code in SAID for finding in run.recording.problems):
        return run
    return replace(run, recording=run.recording.with_findings(mistaken_units(placed(run.part, mechanism), mechanism)))


def with_contradictions(study: Study) -> Study:
    """The study with encoders that contradict the motions of their runs among the findings of the recordings."""
    found = {run.name: contradictions(prepared(run, study.mechanism), study.mechanism) for run in study.runs}
    return replace(
        study,
        runs=tuple(replace(run, recording=run.recording.with_findings(found[run.name])) for run in study.runs),
    )


def poor_fits(fits: Iterable[RunFit | None]) -> list[str]:
    """Runs among those in which a channel is explained poorly."""
    return [name for fit in fits if fit and np.any(_left(fit) > POOR) for name in fit.runs]


def late_fits(fits: Iterable[RunFit | None]) -> list[str]:
    """Runs among those in which what is left of a channel is like its change with time."""
    return [
        name
        for fit in fits
        if fit
        for name, *run in zip(fit.runs, fit.t, fit.measured, fit.predicted)
        if len(run[0]) > 2 and any(_late(run[0], y, p) for y, p in zip(run[1].T, run[2].T))
    ]


def _late(t: np.ndarray, y: np.ndarray, predicted: np.ndarray) -> bool:
    """Whether y − p is like dy/dt (n,)."""
    r, change = y - predicted, np.gradient(y, t)
    good = np.isfinite(r) & np.isfinite(change)
    n = np.count_nonzero(good)
    if n < 3:
        return False
    a, b = _standard(np.stack([r[good], change[good]], axis=1)).T
    like = abs(float(a @ b)) / n
    return bool(like > max(LATE, SURE / np.sqrt(n)))


def _left(fit: RunFit) -> np.ndarray:
    """Part of every judged channel's variance that is left."""
    return np.array([one.relative**2 for one in fit.channels if one.judged])


def suspect_rows(problem: LinearProblem, runs: Iterable[RunRows]) -> list[str]:
    """Runs whose channels are unlike those of the model, or more like those of each other."""
    theta = problem.unknowns.theta(problem.unknowns.model)
    return [run.name for run in runs if _suspect(run.y, run.W @ theta + run.known, run.regressor.channel_units)]


def _suspect(y: np.ndarray, nominal: np.ndarray, units: tuple[str, ...]) -> bool:
    """Whether channels (n, c) have little of what the model says of them, as much of another, or another size."""
    good = np.isfinite(y).all(axis=1)
    if np.count_nonzero(good) < 3:
        return False
    a, b = _standard(y[good]), _standard(nominal[good])
    r = a.T @ b / len(a)
    own, alike = np.diagonal(r), np.array(units)[:, None] == np.array(units)
    moves = np.array([x.any() and z.any() for x, z in zip(a.T, b.T)])
    swapped = (r + r.T > own[:, None] + own) & alike & np.logical_and.outer(moves, moves)
    size = np.std(y[good], axis=0)[moves] / np.std(nominal[good], axis=0)[moves]
    other = (size > SIZE) | (size < 1 / SIZE)
    return bool((moves & (own < ALIKE)).any() or swapped.any() or other.any())


def _standard(x: np.ndarray) -> np.ndarray:
    """Columns (n, c) of mean 0 and variance 1; zero where they do not change."""
    x = x - x.mean(axis=0)
    size = x.std(axis=0)
    return x / np.where(size > 1e-12 * np.abs(x).max(initial=1.0), size, np.inf)
