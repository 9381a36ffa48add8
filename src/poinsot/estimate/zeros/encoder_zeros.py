"""Encoders whose zero is off by a constant, told from what a fit leaves of the forces.

A shift c is believed if it is sure, explains most of what the fit leaves, more of it than an offset, a spring,
friction, drive inertia and a delay of every force together, and more beside these    (theory/estimation, eq. 47).
None that takes the recorded positions beyond end stops is: the model lacks something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.methods.base import LinearSolution, residuals
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.residuals import whiteness
from poinsot.estimate.results.text import with_error
from poinsot.estimate.rows.differences import plain_channels
from poinsot.estimate.study import Study
from poinsot.estimate.zeros.shifted_fit import Left, Shift, ShiftedFit
from poinsot.estimate.zeros.shifted_rows import shiftable
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings.against_model import end_stops, is_beyond
from poinsot.recording.motion import position_channels

__all__ = ["with_encoder_zeros"]

COURSE = 0.65  # correlation of residuals one row apart: white noise has 0.55 behind a filter
SAMPLES, LONGEST = 400, 1000  # rows of a run that are looked at, about; in a row, at most
SURE = 6.0  # standard errors
LESS = 0.6  # of what the fit leaves that may remain
OWN = 0.85  # the same beside what else forces may lack
WORTH_A_LOOK = 0.05  # of what the fit leaves, explained by first order
TRIED = 2  # coordinates that are followed further than to first order
ALIKE = 1.5  # times what is left with a shift: cannot be told from it
EXPLAINED = ("sign", "swapped", "degrees", "millimetres", "impossible", "time unit", "force unit")


def with_encoder_zeros(study: Study, problem: LinearProblem, solution: LinearSolution) -> Study:
    """The study with encoders whose zero seems off among the findings of its first recording.

    `problem` and `solution` are those of the study; nothing is asked where noise is left, or columns look wrong.
    """
    said = any(finding.code in EXPLAINED for run in study.runs for finding in run.recording.problems)
    if said or study.against or not _systematic(problem, solution):
        return study
    try:
        found = _findings(study, problem, solution)
    except PoinsotError:  # motions or rows that cannot be made again at fewer samples
        return study
    first = next(k for k, run in enumerate(study.runs) if run.name == problem.runs[0].name)
    runs = list(study.runs)
    runs[first] = replace(runs[first], recording=runs[first].recording.with_findings(found))
    return replace(study, runs=tuple(runs))


def _systematic(problem: LinearProblem, solution: LinearSolution) -> bool:
    """Whether what is left of a channel has a course of its own."""
    left = residuals(problem.rows, solution.d)
    return bool(np.any(whiteness(left) > COURSE))


def _findings(study: Study, problem: LinearProblem, solution: LinearSolution) -> list[Finding]:
    first = problem.runs[0]
    if any(name.startswith("freedom ") for name in plain_channels(problem.channels)):
        return []  # forces of drives were combined by poses
    some = [_some(len(run.t), bool(problem.terms)) for run in problem.runs]
    runs = [shiftable(run, problem.unknowns, study.processing, rows) for run, rows in zip(problem.runs, some)]
    found = tuple(run for run in runs if run is not None)
    if len(found) < len(runs):
        return []
    fit = ShiftedFit(problem, found, solution.sigma)
    zero = np.zeros(len(fit.names))
    as_is = fit.left(fit.at(zero), besides=False)
    read = {place: name for name, place in position_channels(first.recording, found[0].mechanism).items()}
    best = _best(fit, as_is)
    if best is None:
        return []
    if stop := _end_stop_beyond(fit, best):
        return [_lacking(as_is, best, stop, read[fit.names[best.which[0]]])]
    return [*_told(fit, as_is, best, read)]


def _some(n: int, neighbours: bool) -> slice:
    """Which of n rows are looked at; in a row, where rates of channels hang on their neighbours."""
    if not neighbours:
        return slice(None, None, max(1, n // SAMPLES))
    half = min(n, LONGEST) // 2
    return slice(n // 2 - half, n // 2 + half)


def _best(fit: ShiftedFit, as_is: Left) -> Shift | None:
    """The shift that is believed: of one coordinate, and of others as long as each explains more.

    It is beyond an end stop where no single one within them explains as much.
    """
    c, best = np.zeros(len(fit.names)), None
    first = here = fit.left(fit.at(c), besides=True)
    while best is None or len(best.which) < len(c):
        which = () if best is None else best.which
        every = (fit.found(c, (*which, k)) for k in _worth_a_look(fit, c, here, which))
        good = [one for one in every if one and _sure(one) and one.besides.size < OWN * here.size]
        good = [one for one in good if best is None or not _end_stop_beyond(fit, one)]
        if not good:
            break
        best = min(good, key=lambda one: one.besides.size)
        c, here = best.c, best.besides
        if _end_stop_beyond(fit, best):
            break
    believed = best is not None and best.left.size < min(LESS * as_is.size, first.size)
    return best if believed else None


def _worth_a_look(fit: ShiftedFit, c: np.ndarray, left: Left, but: tuple[int, ...]) -> list[int]:
    """Coordinates whose shift explains most, by first order."""
    others = [k for k in range(len(c)) if k not in but]
    D = fit.slopes(c, left, others)
    explained = (D.T @ left.e) ** 2 / np.maximum(np.sum(D**2, axis=0), 1e-300) / left.size
    order = np.argsort(-explained, kind="stable")[:TRIED]
    return [others[j] for j in order if explained[j] > WORTH_A_LOOK]


def _sure(one: Shift) -> bool:
    return bool(np.all(np.abs(one.c[list(one.which)]) > SURE * one.errors))


def _end_stop_beyond(fit: ShiftedFit, one: Shift) -> str:
    """The end stop beyond which the shift takes positions; "" if there is none."""
    for k in one.which:
        for run in fit.runs:
            for name, lower, upper in end_stops(run.mechanism, fit.names[k]):
                s = np.asarray(run.motion[fit.names[k]].s)
                if (is_beyond(s - one.c[k], lower, upper) & ~is_beyond(s, lower, upper)).any():
                    return name
    return ""


def _lacking(as_is: Left, best: Shift, stop: str, name: str) -> Finding:
    """What follows a motion as another zero would, which end stops exclude, is something that the model lacks."""
    remains = 100 * best.left.size / as_is.size
    message = (
        "what the fit leaves follows its motion, and the model lacks something: another zero would leave "
        f"{remains:.2g} % of the squares, but is beyond end stop '{stop}'"
    )
    advice = "see whether a mass, a first moment or a payload is known that should be an unknown"
    return Finding("lacking", name, "", remains, message, advice, Severity.ERROR)


def _told(fit: ShiftedFit, as_is: Left, best: Shift, read: dict[str, str]) -> Iterator[Finding]:
    """One finding for every coordinate that is shifted, what follows from all of them with the first."""
    names = [read[fit.names[k]] for k in best.which]
    for name, k, error in zip(names, best.which, best.errors):
        place, c = fit.names[k], float(best.c[k])
        unit, factor = ("deg", np.degrees(1.0)) if fit.runs[0].units[place] == "rad" else ("m", 1.0)
        size = f"{with_error(factor * abs(c), factor * float(error))} {unit} too {'much' if c > 0 else 'little'}"
        effect = _effect(fit, as_is, best) if name == names[0] else f"found together with that of '{names[0]}'"
        encoder = place in fit.runs[0].mechanism.sensors
        remedy = f"read its column with offset = {-c:.4g}" + (f", or give its encoder offset = {c:.4g}" * encoder)
        message = f"its zero seems off, it reads {size}: {effect}; on forces zeros are no unknowns, so {remedy}"
        advice = "compare it in a known pose first"
        yield Finding("zero", name, "", c, message, advice, Severity.ERROR)


def _effect(fit: ShiftedFit, as_is: Left, best: Shift) -> str:
    """What the right zeros change, and whether other masses would explain as much."""
    remains = f"{100 * best.left.size / as_is.size:.2g} % of the squares that the fit leaves would remain"
    free = fit.left_by_free(fit.at(np.zeros(len(fit.names)))) < ALIKE * best.left.size
    other = ", unless masses lie elsewhere than in the model, which explains as much" if free else ""
    return f"{remains}{_changed(as_is, best.left)}{other}"


def _changed(as_is: Left, left: Left) -> str:
    """The unknown that changes most, of those that are determined by themselves."""
    names, alone = as_is.problem.unknowns.names, as_is.problem.base.combinations
    before, after = (one.problem.at_values(one.d) for one in (as_is, left))
    change = np.abs(after - before) / (np.abs(after) + np.abs(before) + 1e-300)
    change = np.where([name in alone for name in names], change, 0.0)
    k = int(np.argmax(change))
    unit = as_is.problem.unknowns.units[k]
    return f", and {names[k]} be {after[k]:.4g} in place of {before[k]:.4g} {unit}" if change[k] > 0 else ""
