"""Identify: the verb that goes from recordings to parameters with error bars and a verdict."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import MotionError, PoinsotError
from poinsot.estimate.channel_terms import is_term, terms_of
from poinsot.estimate.closed_loop.controllers import Control
from poinsot.estimate.closed_loop.instruments import ClosedLoops
from poinsot.estimate.consistency.full import consistent
from poinsot.estimate.estimate import Estimate, Value, status_of, values_of
from poinsot.estimate.excitation import excited
from poinsot.estimate.methods.base import LinearMethod, LinearSolution
from poinsot.estimate.methods.consistent import Consistent
from poinsot.estimate.methods.hausman import bias_test
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.problem import LinearProblem, linear_problem
from poinsot.estimate.runs import RunRows, common_channels, rows_of_run
from poinsot.estimate.study import Processing, Role, Study, study_of
from poinsot.estimate.study_file import read_study
from poinsot.estimate.unknowns import Unknowns, unknowns_in
from poinsot.estimate.validation import RunFit, fit_of
from poinsot.model.mechanism import Mechanism
from poinsot.recording.recording import Recording

_progress = logging.getLogger("poinsot.progress")
MORE = 3  # times that parameters are added which have no effect at the start
STEPS = 30  # of Gauss and Newton where channels are not linear in the unknowns
SETTLED = 1e-3  # of a standard error
ROUND_OFF = 1e-9  # of a step from the model


def identify(
    study: Study | Mechanism | str | Path,
    recording: Recording | Sequence[Recording] | Mapping[str, Recording] | None = None,
    unknowns: Sequence[Any] | Mapping[str, Any] | str | None = None,
    method: Any = "weighted",
    *,
    validate: Recording | Sequence[Recording] | Mapping[str, Recording] | None = None,
    channels: Sequence[str] | str | None = None,
    noise: float | Mapping[str, float] | None = None,
    processing: Processing | Mapping[str, Any] | None = None,
    control: Control | Mapping[str, Any] | None = None,
) -> Estimate:
    """Parameters of a mechanism from recordings, with standard errors and a verdict.

    `study` says all of it (a `Study`, or the path of a study file), or is the mechanism of a `recording` or several.
    `unknowns` are names or patterns of parameters of the model file ("platform.mass") or of linear ones
    ("platform.Ixx"), or a table by name with bounds, start, prior and deviation; by default all linear parameters
    that the model declares. `method` is a name, a table with its options, or a method (`estimate.methods.registry`).
    `validate` are recordings that are predicted and not used otherwise. `channels` are those of `regressor`; by
    default all recorded forces.
    `noise` is the standard deviation of a sample, for all channels or by channel, in SI. `processing` tells how
    motions are filtered and at which rate rows are kept (`Processing`, or a table). `control` are the controllers of
    the drives by actuator, with the channels of their references (`Control`, or tables): methods that simulate the
    machine need them, and others are tested for bias by them.

    >>> import poinsot
    >>> crank, t = poinsot.load("four_bar"), np.linspace(0, 4, 401)
    >>> run = poinsot.inverse_dynamics(crank, {"theta1": poinsot.Fourier(3.14, (0.5, 0.2), (0.1,), 1.2)}, t)
    >>> rec = Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": run.forces["A"]})
    >>> est = poinsot.identify(crank, rec, ["link2.mass", "link3.mass"])
    >>> est.value.round(2).tolist(), est.undetermined
    ([2.3, 2.1], ())
    """
    more = (recording, unknowns, validate, channels, noise, processing, control)
    if isinstance(study, str | Path | Study) and (method != "weighted" or any(one is not None for one in more)):
        raise PoinsotError("a study says all by itself: recordings, unknowns, method and others are told in it")
    if isinstance(study, str | Path):
        study = read_study(study)
    elif not isinstance(study, Study):
        study = study_of(
            study,
            recording,
            unknowns,
            method,
            validate=validate,
            channels=channels,
            noise=noise,
            processing=processing,
            control=control,
        )
    return estimated(study)


@one_blas_thread()
def estimated(study: Study) -> Estimate:
    """The estimate of a study."""
    chosen, added = method_of(study.method), tuple(one for one in study.unknowns if is_term(one))
    asked = unknowns_in(study, tuple(one for one in study.unknowns if one not in added))
    runs, steps = rows_and_steps(study, asked)
    terms = terms_of(added, runs[0].regressor.channels, runs[0].regressor.channel_units)
    asked = asked.with_terms([term.given for term in terms], [term.unit for term in terms])
    used = tuple(run for run in runs if run.role is not Role.VALIDATE)
    loops = None if study.control is None else ClosedLoops(study.control, study.processing)
    problem = replace(linear_problem(asked, used, _scale(study, used), terms), simulate=loops)
    problem, excitation = excited(problem, chosen.simulates)
    _progress.info(f"{problem.base.rank} base parameters by the method '{chosen.name}'")
    problem, solution, moved = _solved(chosen, problem)
    for _ in range(MORE if asked.in_file or terms else 0):  # more may count at the values than at the start
        there = linear_problem(asked, used, problem.scale, terms, problem.at_values(solution.d))
        if there.base.rank <= problem.base.rank:
            break
        problem, excitation = excited(replace(there, simulate=loops), chosen.simulates)
        problem, solution, moved = _solved(chosen, problem)
    full = None
    if isinstance(chosen, Consistent):
        full = consistent(problem, solution.d, solution.covariance, chosen)
        solution, moved = replace(solution, d=full.d), [*moved, str(full)]
    G, beta = problem.directions, problem.base_values(solution.d)
    base_covariance = G @ solution.covariance @ G.T
    values, combinations, covariance = values_of(problem, beta, base_covariance, excitation)
    fit = _fit(problem, used, solution.d)
    assert fit is not None
    numerics = (*_numerics(problem, solution), *_outside(asked, values, chosen), *(full.doubts if full else ()))
    bias = None if loops is None else bias_test(problem.rows, solution.d, solution.sigma)
    return Estimate(
        study=study,
        method=chosen.name,
        parameters=values,
        covariance=covariance,
        combinations=combinations,
        base_covariance=base_covariance,
        fit=fit,
        validation=_fit(problem, [run for run in runs if run.role is Role.VALIDATE], solution.d),
        status=status_of(values, numerics),
        numerics=numerics,
        steps=(*study.steps, *asked.steps, *steps, *moved, *([] if loops is None else loops.said)),
        problem=problem,
        beta=beta,
        held=excitation.held,
        consistent=full,
        bias=bias,
    )


def rows_and_steps(study: Study, asked: Unknowns) -> tuple[tuple[RunRows, ...], list[str]]:
    """Rows of all runs; the noise of the motion is tried on those that parameters are identified from."""
    found, steps = [], []
    wanted = study.channels or common_channels(study.runs, asked.mechanism)
    for k, run in enumerate(study.runs):
        rng = None if run.role is Role.VALIDATE else np.random.default_rng(k)
        _progress.info(f"run '{run.name}', {k + 1} of {len(study.runs)}: motion and regressor")
        try:
            rows, said = rows_of_run(run, asked, wanted, study.processing, rng)
        except MotionError as error:  # what is wrong with the recording is the likely reason
            wrong = "; ".join(f"{f.channel}: {f.message}" for f in run.recording.problems)
            raise PoinsotError(f"run '{run.name}' is no motion of the mechanism: {wrong or error}") from None
        found.append(rows)
        steps += [f"run '{run.name}': {text}" for text in (*run.recording.steps, *said)]
    return tuple(found), steps


def _scale(study: Study, runs: Sequence[RunRows]) -> np.ndarray:
    """Size of every channel (c,): its noise where the study tells it, else the deviation of its samples."""
    names = runs[0].regressor.channels
    for pattern in study.noise:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise PoinsotError(
                f"the study gives noise for '{pattern}', which is no measured channel: {', '.join(names)}"
            )
    spread = np.nanstd(np.concatenate([run.y for run in runs]), axis=0)
    every = np.concatenate([run.y.ravel() for run in runs])
    size = float(np.nanmax(spread)) or float(np.sqrt(np.nanmean(every**2))) or 1.0  # where nothing changes
    spread = np.where(spread > 0, spread, size)
    given = [next((s for pattern, s in study.noise.items() if fnmatchcase(name, pattern)), None) for name in names]
    return np.array([s if sigma is None else sigma for s, sigma in zip(spread, given)])


def _solved(method: LinearMethod, problem: LinearProblem) -> tuple[LinearProblem, LinearSolution, list[str]]:
    """The solution; where channels are not linear in the unknowns, by steps of Gauss and Newton."""
    solution = method.solve(problem.rows)
    if not problem.unknowns.in_file and not problem.terms:
        return problem, solution, []
    for k in range(STEPS):
        said = [f"{k} steps of Gauss and Newton: products of unknowns"] if k else []
        at = problem.at_values(solution.d)
        slopes = problem.unknowns.slopes(at)
        if np.array_equal(slopes, problem.slopes) and not problem.terms:
            return problem, solution, said
        before, problem = solution.d, replace(problem, at=at, slopes=slopes)
        solution = method.solve(problem.rows)
        small = SETTLED * np.sqrt(np.diagonal(solution.covariance)) + ROUND_OFF * np.abs(solution.d)
        if k and np.all(np.abs(solution.d - before) <= small):
            return problem, solution, said
    return problem, replace(solution, message="The steps of Gauss and Newton did not settle."), []


def _fit(problem: LinearProblem, runs: Sequence[RunRows], d: np.ndarray) -> RunFit | None:
    """How well steps d (r,) from the model explain some runs."""
    first = problem.runs[0].regressor
    channels = list(zip(first.channels, first.channel_units))
    measured, predicted = (
        zip(*((problem.measured(run), problem.predicted(run, d)) for run in runs)) if runs else ((), ())
    )
    return fit_of([run.name for run in runs], channels, [run.t for run in runs], measured, predicted)


def _outside(asked: Unknowns, values: Sequence[Value], method: LinearMethod) -> list[str]:
    """Which values lie outside the bounds that the study gives."""
    pairs = zip(asked.given, values)
    beyond = [v.name for one, v in pairs if v.determined and not one.lower <= v.value <= one.upper]
    advice = f"the method '{method.name}' does not keep bounds, 'consistent' does."
    return [f"Outside the bounds of the study: {', '.join(beyond)}; {advice}"] if beyond else []


def _numerics(problem: LinearProblem, solution: LinearSolution) -> tuple[str, ...]:
    """What is wrong with the numbers."""
    found = [] if problem.base.gap.clear else [f"{problem.base.gap}."]
    first = problem.runs[0]
    compiled = first.motion.states.system
    if len(compiled.commands) > compiled.outline.mobility and not all(
        name.split(" ")[0] in ("wrench", "freedom", "power") for name in first.regressor.channels
    ):
        found.append(
            f"{len(compiled.commands)} drives hold {compiled.outline.mobility} freedoms: rows assume forces of the "
            "least square sum, and drives may share them in another way."
        )
    if not np.isfinite(solution.d).all() or not (np.diagonal(solution.covariance) >= 0).all():
        found.append("The values or their covariance are not finite numbers.")
    return (*found, *([solution.message] if solution.message else []))
