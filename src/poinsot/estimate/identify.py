"""Identify: the verb that goes from recordings to parameters with error bars and a verdict."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import MotionError, PoinsotError, one_line, unknown
from poinsot.estimate.closed_loop.controllers import Control
from poinsot.estimate.closed_loop.instruments import ClosedLoops
from poinsot.estimate.consistency.full import consistent
from poinsot.estimate.excitation import Excitation, excited
from poinsot.estimate.methods.base import LinearMethod, LinearSolution
from poinsot.estimate.methods.consistent import Consistent
from poinsot.estimate.methods.hausman import bias_test
from poinsot.estimate.methods.registry import method_of, search_of
from poinsot.estimate.modal_run import ModalRun
from poinsot.estimate.problem import LinearProblem, linear_problem
from poinsot.estimate.problems.forces import solved_by_search
from poinsot.estimate.problems.registry import PROBLEMS
from poinsot.estimate.results.estimate import Estimate, Value, status_of
from poinsot.estimate.results.linear import LinearEstimate, values_of
from poinsot.estimate.results.searched import searched
from poinsot.estimate.results.validation import RunFit, fit_of
from poinsot.estimate.role import Role
from poinsot.estimate.rows.channel_terms import is_term, terms_of
from poinsot.estimate.rows.differences import plain_channels, with_differences
from poinsot.estimate.rows.kept_rows import kept_rows
from poinsot.estimate.rows.loads import is_load, load_terms, loads_of, with_directions
from poinsot.estimate.rows.runs import RunRows, common_channels
from poinsot.estimate.search.base import SearchMethod, SearchSolution
from poinsot.estimate.selection.alternatives import evidence_of, with_alternatives, with_chosen
from poinsot.estimate.selection.sets import selected
from poinsot.estimate.study import Processing, Study, study_of
from poinsot.estimate.study_file import read_study
from poinsot.estimate.unknowns import Unknowns, unknowns_in
from poinsot.identifiability.channels import channels
from poinsot.model.mechanism import Mechanism
from poinsot.recording.modal.record import ModalTest
from poinsot.recording.recording import Recording

_progress = logging.getLogger("poinsot.progress")
MORE = 3  # times that parameters are added which have no effect at the start
STEPS = 30  # of Gauss and Newton where channels are not linear in the unknowns
SETTLED = 1e-3  # of a standard error
Measured = Recording | ModalRun | ModalTest
ROUND_OFF = 1e-9  # of a step from the model


def identify(
    study: Study | Mechanism | str | Path,
    recording: Measured | Sequence[Measured] | Mapping[str, Measured] | None = None,
    unknowns: Sequence[Any] | Mapping[str, Any] | str | None = None,
    method: Any = None,
    *,
    validate: Measured | Sequence[Measured] | Mapping[str, Measured] | None = None,
    channels: Sequence[str] | str | None = None,
    noise: float | Mapping[str, float] | None = None,
    processing: Processing | Mapping[str, Any] | None = None,
    control: Control | Mapping[str, Any] | None = None,
    problem: str = "forces",
    choose: Sequence[str] | str | None = None,
) -> Estimate:
    """Parameters of a mechanism from recordings, with standard errors and a verdict.

    `study` says all of it (a `Study`, or the path of a study file), or is the mechanism of a `recording` or several;
    in place of recordings, modes that were measured (`ModalRun`, a modal test, several or a mapping of these).
    `unknowns` are names or patterns of parameters of the model file ("platform.mass") or of linear ones
    ("platform.Ixx"), or a table by name with bounds, start, prior and deviation; by default all linear parameters
    that the model declares. `method` is a name, a table with its options, or a method (`estimate.methods.registry`).
    `validate` are recordings that are predicted and not used otherwise. `channels` are those of `regressor`; by
    default all recorded forces.
    `noise` is the standard deviation of a sample, for all channels or by channel, in SI. `processing` tells how
    motions are filtered and at which rate rows are kept (`Processing`, or a table). `control` are the controllers of
    the drives by actuator, with the channels of their references (`Control`, or tables): methods that simulate the
    machine need them, and others are tested for bias by them. `problem` is what is explained: measured "forces", or
    another kind of measurement (`estimate.problems.registry`), for which `method` is one of search. `choose` are
    alternatives, patterns such as "*.stribeck" or "delay *": unknowns that are looked for only if the data supports
    them (`Estimate.selection`).

    >>> import poinsot
    >>> crank, t = poinsot.load("four_bar"), np.linspace(0, 4, 401)
    >>> run = poinsot.inverse_dynamics(crank, {"theta1": poinsot.Fourier(3.14, (0.5, 0.2), (0.1,), 1.2)}, t)
    >>> rec = Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": run.forces["A"]})
    >>> est = poinsot.identify(crank, rec, ["link2.mass", "link3.mass"])
    >>> est.value.round(2).tolist(), est.undetermined
    ([2.3, 2.1], ())
    """
    if not isinstance(problem, str):
        raise PoinsotError(unknown("problem", one_line(repr(problem), 40), ["forces", *PROBLEMS]))
    more = (recording, unknowns, method, validate, channels, noise, processing, control, choose)
    if isinstance(study, str | Path | Study) and (problem != "forces" or any(one is not None for one in more)):
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
            problem=problem,
            choose=choose,
        )
    return estimated(study)


@one_blas_thread()
def estimated(study: Study) -> Estimate:
    """The estimate of a study, with those of its alternatives that the data supports."""
    if not isinstance(study.problem, str) or study.problem != "forces":
        if not isinstance(study.problem, str) or study.problem not in PROBLEMS:
            raise PoinsotError(unknown("problem", one_line(str(study.problem), 40), ["forces", *PROBLEMS]))
        method = search_of(study.method)
        return searched(study, *PROBLEMS[study.problem](study), method)
    if not study.choose:
        return _estimate(study, _solution(study))
    every = _solution(with_alternatives(study))
    selection = selected(evidence_of(study.choose, every.problem, every.solution, every.held_out))
    _progress.info(f"chosen: {', '.join(selection.chosen) or 'none of the alternatives'}")
    kept = with_chosen(study, every.problem.unknowns, selection.chosen)
    return replace(_estimate(kept, _solution(kept)), selection=selection)


@dataclass(frozen=True, eq=False)
class _Solution:
    """A study with its solution."""

    method: LinearMethod | SearchMethod
    problem: LinearProblem
    excitation: Excitation
    solution: LinearSolution
    search: SearchSolution | None
    held_out: tuple[RunRows, ...]
    steps: tuple[str, ...]
    loops: ClosedLoops | None


def _solution(study: Study) -> _Solution:
    chosen, loads = method_of(study.method), loads_of(study.mechanism)
    added = tuple(one for one in study.unknowns if is_term(one) or is_load(one, loads))
    asked = unknowns_in(study, tuple(one for one in study.unknowns if one not in added))
    runs, steps = rows_and_steps(study, asked)
    first = runs[0].regressor
    moved_by = load_terms(study, loads, first.channels)
    runs = with_directions(runs, loads, moved_by, study.processing)
    chains = [one for one in added if is_term(one)]
    terms = (*terms_of(chains, first.channels, first.channel_units), *moved_by)
    asked = asked.with_terms([term.given for term in terms], [term.unit for term in terms])
    used = tuple(run for run in runs if run.role is not Role.VALIDATE)
    loops = None if study.control is None else ClosedLoops(study.control, study.processing, kept=True)
    problem = replace(linear_problem(asked, used, _scale(study, used), terms), simulate=loops)
    problem, excitation = excited(problem, chosen.simulates)
    _progress.info(f"{problem.base.rank} base parameters by the method '{chosen.name}'")
    known = np.array([_noise(study, name) is not None for name in problem.channels])
    problem, solution, moved, search = _solved(chosen, problem, known)
    for _ in range(MORE if asked.in_file or terms else 0):  # more may count at the values than at the start
        there = linear_problem(asked, used, problem.scale, terms, problem.at_values(solution.d))
        if there.base.rank <= problem.base.rank:
            break
        problem, excitation = excited(replace(there, simulate=loops), chosen.simulates)
        problem, solution, moved, search = _solved(chosen, problem, known)
    held_out = tuple(run for run in runs if run.role is Role.VALIDATE)
    said = (*study.steps, *asked.steps, *steps, *moved)
    return _Solution(chosen, problem, excitation, solution, search, held_out, said, loops)


def _estimate(study: Study, found: _Solution) -> LinearEstimate:
    """What a solution says of the unknowns."""
    chosen, problem, solution, steps, full = found.method, found.problem, found.solution, found.steps, None
    if isinstance(chosen, Consistent):
        full = consistent(problem, solution.d, solution.covariance, chosen)
        solution, steps = replace(solution, d=full.d), (*steps, str(full))
    G, beta = problem.directions, problem.base_values(solution.d)
    base_covariance = G @ solution.covariance @ G.T
    values, combinations, covariance = values_of(problem, beta, base_covariance, found.excitation)
    fit = _fit(problem, problem.runs, solution.d)
    assert fit is not None
    outside = _outside(problem.unknowns, values, chosen)
    bias = None if found.loops is None else bias_test(problem.rows, solution.d, solution.sigma)
    return LinearEstimate(
        study=study,
        method=chosen.name,
        parameters=values,
        covariance=covariance,
        combinations=combinations,
        base_covariance=base_covariance,
        fit=fit,
        validation=_fit(problem, found.held_out, solution.d),
        status=status_of(values, settled=not solution.message),
        numerics=(*_numerics(problem, solution), *outside, *(full.doubts if full else ())),
        steps=(*steps, *([] if found.loops is None else found.loops.said)),
        problem=problem,
        beta=beta,
        influence=replace(solution.influence, rows=tuple(part @ G.T for part in solution.influence.rows)),
        held=found.excitation.held,
        consistent=full,
        bias=bias,
        convergence=None if found.search is None else found.search.convergence,
    )


def rows_and_steps(study: Study, asked: Unknowns) -> tuple[tuple[RunRows, ...], list[str]]:
    """Rows of all runs; the noise of the motion is tried on those that parameters are identified from."""
    found, steps = [], []
    wanted = study.channels or common_channels(study.runs, asked.mechanism)
    sizes, begin = [len(run.recording) for run in study.runs], time.monotonic()
    for k, run in enumerate(study.runs):
        left = (time.monotonic() - begin) * sum(sizes[k:]) / max(sum(sizes[:k]), 1)
        rest = f", about {left:.0f} s left" if k and left >= 1 else ""
        _progress.info(f"run '{run.name}', {k + 1} of {len(study.runs)}: motion and regressor{rest}")
        try:
            rows, said = kept_rows(run, asked, wanted, study.processing, None if run.role is Role.VALIDATE else k)
        except MotionError as error:  # what is wrong with the recording is the likely reason
            wrong = "; ".join(f"{f.channel}: {f.message}" for f in run.recording.problems)
            raise PoinsotError(f"run '{run.name}' is no motion of the mechanism: {wrong or error}") from None
        found.append(rows)
        steps += [f"run '{run.name}': {text}" for text in (*run.recording.steps, *said)]
    steps += [f"run '{name}' is taken as its difference to run '{other}'" for name, other in study.against.items()]
    return with_differences(found, study.against), steps


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
    given = [_noise(study, name) for name in names]
    return np.array([s if sigma is None else sigma for s, sigma in zip(spread, given)])


def _noise(study: Study, channel: str) -> float | None:
    """Standard deviation of a channel's samples, where the study tells it."""
    return next((sigma for pattern, sigma in study.noise.items() if fnmatchcase(channel, pattern)), None)


Solved = tuple[LinearProblem, LinearSolution, list[str], SearchSolution | None]


def _solved(method: LinearMethod | SearchMethod, problem: LinearProblem, known: np.ndarray) -> Solved:
    """The solution: by search, or linear; where channels are not, by steps of Gauss and Newton."""
    if isinstance(method, SearchMethod):
        problem, solution, search = solved_by_search(method, problem, known)
        return problem, solution, list(search.said), search
    solution = method.solve(problem.rows)
    if not problem.unknowns.in_file and not problem.terms:
        return problem, solution, [], None
    for k in range(STEPS):
        said = [f"{k} steps of Gauss and Newton: products of unknowns"] if k else []
        at = problem.at_values(solution.d)
        slopes = problem.unknowns.slopes(at)
        if np.array_equal(slopes, problem.slopes) and not problem.terms:
            return problem, solution, said, None
        before, problem = solution.d, replace(problem, at=at, slopes=slopes)
        solution = method.solve(problem.rows)
        small = SETTLED * np.sqrt(np.diagonal(solution.covariance)) + ROUND_OFF * np.abs(solution.d)
        if k and np.all(np.abs(solution.d - before) <= small):
            return problem, solution, said, None
    return problem, replace(solution, message="The steps of Gauss and Newton did not settle."), [], None


def _fit(problem: LinearProblem, runs: Sequence[RunRows], d: np.ndarray) -> RunFit | None:
    """How well steps d (r,) from the model explain some runs."""
    first = problem.runs[0].regressor
    channels = list(zip(first.channels, first.channel_units))
    measured, predicted = (
        zip(*((problem.measured(run), problem.predicted(run, d)) for run in runs)) if runs else ((), ())
    )
    return fit_of([run.name for run in runs], channels, [run.t for run in runs], measured, predicted)


def _outside(asked: Unknowns, values: Sequence[Value], method: LinearMethod | SearchMethod) -> list[str]:
    """Which values lie outside the bounds that the study gives."""
    pairs = zip(asked.given, values)
    beyond = [v.name for one, v in pairs if v.determined and not one.admits(v.value)]
    advice = f"the method '{method.name}' does not keep bounds, 'consistent' does."
    return [f"Outside the bounds of the study: {', '.join(beyond)}; {advice}"] if beyond else []


def _numerics(problem: LinearProblem, solution: LinearSolution) -> tuple[str, ...]:
    """What is wrong with the numbers."""
    found = [] if problem.base.gap.clear else [f"{problem.base.gap}."]
    first = problem.runs[0]
    compiled = first.motion.states.system
    held = any(channel.held for channel in channels(compiled, plain_channels(first.regressor.channels)))
    if held and len(compiled.commands) > compiled.outline.mobility:
        found.append(
            f"{len(compiled.commands)} drives hold {compiled.outline.mobility} freedoms: rows assume forces of the "
            "least square sum, and drives may share them in another way."
        )
    if not np.isfinite(solution.d).all() or not (np.diagonal(solution.covariance) >= 0).all():
        found.append("The values or their covariance are not finite numbers.")
    return (*found, *([solution.message] if solution.message else []))
