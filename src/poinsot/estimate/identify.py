"""Identify: the verb that goes from recordings to parameters with error bars and a verdict."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, counted, listing, one_line, unknown
from poinsot.estimate.bootstrap.draws import with_bootstrap
from poinsot.estimate.bootstrap.forces import ForceReplicas
from poinsot.estimate.bootstrap.searches import SearchReplicas
from poinsot.estimate.closed_loop.controllers import Control
from poinsot.estimate.consistency.full import consistent
from poinsot.estimate.doubts.against_forces import against_forces, against_instruments, by_instruments, held_forces
from poinsot.estimate.doubts.columns import (
    late_fits,
    poor_fits,
    suspect_rows,
    with_columns_in_doubt,
    with_contradictions,
    with_faulty_samples,
    with_mistaken_units,
)
from poinsot.estimate.doubts.contradicted_priors import contradicted_priors
from poinsot.estimate.doubts.friction_widths import values_by_width
from poinsot.estimate.doubts.known_inertia import against_known_inertia
from poinsot.estimate.excitation import told
from poinsot.estimate.methods.base import LinearMethod, LinearSolution
from poinsot.estimate.methods.consistent import Consistent
from poinsot.estimate.methods.didim import DirectInverse
from poinsot.estimate.methods.hausman import bias_test
from poinsot.estimate.methods.lower_cutoffs import values_by_cutoff
from poinsot.estimate.methods.registry import search_of
from poinsot.estimate.methods.weighted import Weighted
from poinsot.estimate.modal_run import ModalRun
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.problems.forces import force_space
from poinsot.estimate.problems.output.second_start import advice, by_forces, does_not_follow, starting_at, too_coarse
from poinsot.estimate.problems.registry import PROBLEMS, search_again, search_replicas, without_clocks
from poinsot.estimate.results.estimate import Estimate, EstimateStatus, Value, status_of
from poinsot.estimate.results.linear import LinearEstimate, biased_values, values_of
from poinsot.estimate.results.searched import SearchEstimate, searched, stopped
from poinsot.estimate.results.validation import RunFit, fit_of
from poinsot.estimate.rows.differences import plain_channels, processing_by_run
from poinsot.estimate.rows.rest import at_rest
from poinsot.estimate.rows.runs import RunRows
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.selection.alternatives import evidence_of, with_alternatives, with_chosen
from poinsot.estimate.selection.sets import selected
from poinsot.estimate.solution import ForceSolution, force_solution, solved
from poinsot.estimate.study import Processing, Study, study_of
from poinsot.estimate.study_file import read_study
from poinsot.estimate.zeros.encoder_zeros import with_encoder_zeros
from poinsot.identifiability.channels import channels
from poinsot.model.load import load
from poinsot.model.mechanism import Mechanism
from poinsot.parallel.cluster import one_cluster
from poinsot.parallel.remade import Remade
from poinsot.recording.modal.record import ModalTest
from poinsot.recording.motion_file import recording_of_frame
from poinsot.recording.read import read
from poinsot.recording.recording import Recording

Measured = Recording | ModalRun | ModalTest | str | Path
_progress = logging.getLogger("poinsot.progress")


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
    dask: str | None = None,
    bootstrap: int | None = None,
    seed: int | None = None,
) -> Estimate:
    """Parameters of a mechanism from recordings, with standard errors and a verdict.

    `study` says all of it (a `Study`, or the path of a study file), or is the mechanism of a `recording` or several
    (or its library name or file; recordings may be files or data frames, too); in place of recordings, modes that
    were measured (`ModalRun`, a modal test, several or a mapping of these).
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
    them (`Estimate.selection`). Many starts, populations and bootstraps run on threads of this process, or on those
    of a cluster: `dask` is its scheduler ("tcp://…" or "local"). `bootstrap` is a number of estimates from drawn
    noise, whose percentiles are given beside the standard errors (`Estimate.bootstrap`); `seed` makes them
    repeatable. These three may also be said for a study, and count before what it says.

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
    told = problem != "forces" or any(one is not None for one in more)
    study = _model_of(study) if isinstance(study, str | PathLike) and told else study
    if isinstance(study, Study) and told:
        raise PoinsotError("a study says all by itself: recordings, unknowns, method and others are told in it")
    how: dict[str, Any] = {
        name: x for name, x in (("dask", dask), ("bootstrap", bootstrap), ("seed", seed)) if x is not None
    }
    if isinstance(study, str | PathLike | Study):
        return estimated(replace(study if isinstance(study, Study) else read_study(study), **how))
    recording, validate = (_as_recordings(data, study) for data in (recording, validate))
    how |= {"validate": validate, "channels": channels, "noise": noise, "processing": processing, "control": control}
    return estimated(study_of(study, recording, unknowns, method, problem=problem, choose=choose, **how))


def _as_recordings(given: Any, mechanism: Mechanism) -> Any:
    """What was measured, one, several or by name, with files among it read; tables of modes stay as they are."""
    if isinstance(given, str | PathLike):
        return read(Path(given), mechanism=mechanism)
    if hasattr(given, "iloc"):
        return recording_of_frame(given)
    if isinstance(given, list | tuple):
        return [_as_recordings(one, mechanism) for one in given]
    if isinstance(given, Mapping) and "frequencies" not in given:
        tables = {name for name, one in given.items() if isinstance(one, Mapping)}
        return {name: one if name in tables else _as_recordings(one, mechanism) for name, one in given.items()}
    return given


def _model_of(path: str | PathLike) -> Mechanism:
    """The mechanism of a name or file that is given beside recordings."""
    try:
        return load(path if isinstance(path, str) else Path(path))
    except PoinsotError as error:
        raise PoinsotError(
            f"{error}; beside recordings and unknowns goes a model: a study says all by itself"
        ) from None


@one_blas_thread()
def estimated(study: Study) -> Estimate:
    """The estimate of a study, with those of its alternatives that the data supports, and with its bootstrap."""
    with one_cluster(study.dask):
        if not isinstance(study.problem, str) or study.problem != "forces":
            return _searched(study)
        if not study.choose:
            return _estimated(study)
        every = force_solution(with_alternatives(study))
        selection = selected(evidence_of(study.choose, every.problem, every.solution, every.held_out))
        _progress.info(f"chosen: {', '.join(selection.chosen) or 'none of the alternatives'}")
        return replace(_estimated(with_chosen(study, every.problem.unknowns, selection.chosen)), selection=selection)


def _searched(study: Study) -> Estimate:
    """By search, from what is not measured forces."""
    if not isinstance(study.problem, str) or study.problem not in PROBLEMS:
        raise PoinsotError(unknown("problem", one_line(str(study.problem), 40), ["forces", *PROBLEMS]))
    study, method = without_clocks(study), search_of(study.method)
    found = searched(study, *PROBLEMS[study.problem](study), method, search_again)
    for stage in (_second, _finer, _judged) if study.problem == "output" else ():
        if not found.interrupted:
            found = _unless_stopped(stage, study, found, method)
    if found.interrupted:
        return found
    suspects, begun = poor_fits((found.fit, found.validation)), found.study
    found = replace(found, study=with_columns_in_doubt(study, suspects, found.delays))
    if not study.bootstrap or found.status is EstimateStatus.NOT_SETTLED:
        return found
    here = SearchReplicas(found.measured, found.settled, method)
    return with_bootstrap(found, Remade(search_replicas, (begun.bare, found.reached), here))


def _unless_stopped(
    stage: Callable[[Study, SearchEstimate, SearchMethod], SearchEstimate],
    study: Study,
    found: SearchEstimate,
    method: SearchMethod,
) -> SearchEstimate:
    """What more work makes of an estimate, or the estimate itself where Ctrl-C ends that work with nothing."""
    try:
        return stage(study, found, method)
    except KeyboardInterrupt:
        return stopped(found)


def _second(study: Study, found: SearchEstimate, method: SearchMethod) -> SearchEstimate:
    """The better of an output error that does not follow and of one from what the recorded forces say."""
    if not does_not_follow(found.fit) and found.status is not EstimateStatus.NOT_SETTLED:
        return found
    space = found.measured.problem.space
    solution = _by_forces(None if study.control is not None else by_forces(study, found.names))
    if solution is None:
        return found
    _progress.info("the simulation does not follow: it starts again at what the recorded forces say")
    linear = solution.problem
    values = dict(zip(linear.unknowns.names, linear.at_values(solution.solution.d).tolist()))
    bounds = {name: (a, b) for name, a, b in zip(space.names, space.lower, space.upper)}
    again = starting_at(study, {name: float(np.clip(v, *bounds[name])) for name, v in values.items()})
    other = searched(again, *PROBLEMS[study.problem](again), method, search_again)
    if np.nansum(other.fit.relative**2) < np.nansum(found.fit.relative**2):
        said = "the search starts at values by the recorded forces: from the model's the simulation did not follow"
        return replace(other, steps=(*other.steps, said))
    return stopped(found) if other.interrupted else found


def _finer(study: Study, found: SearchEstimate, method: SearchMethod) -> SearchEstimate:
    """The same with finer steps of the simulation, where its values need them."""
    if not too_coarse(found.measured.problem, found.settled):
        return found
    again = starting_at(study, dict(zip(found.measured.problem.space.names, found.settled.tolist())))
    finer = searched(again, *PROBLEMS[study.problem](again), method, search_again)
    said = "the search went on from its values, which need finer steps of the simulation than the start"
    return replace(finer, steps=(*finer.steps, said))


def _judged(study: Study, found: SearchEstimate, method: SearchMethod) -> SearchEstimate:
    """The same with what its fit and the recorded forces say against it."""
    if poor := does_not_follow(found.fit):
        found = replace(found, numerics=(*found.numerics, advice(poor)))
    if found.status is EstimateStatus.NOT_SETTLED:
        return found
    held = _by_forces(held_forces(study, found))
    return found if held is None else replace(found, numerics=(*found.numerics, *against_forces(found, held)))


def _by_forces(forces: Study | None) -> ForceSolution | None:
    """What recorded forces say, where they say anything."""
    try:
        return None if forces is None else force_solution(forces)
    except PoinsotError:  # forces that were not recorded, or motions that cannot be differentiated
        return None


def _estimated(study: Study) -> Estimate:
    """From measured forces."""
    solution = force_solution(study)
    found = _estimate(study, solution)
    if isinstance(solution.method, DirectInverse) and found.status is not EstimateStatus.NOT_SETTLED:
        other = _by_forces(by_instruments(study))
        far = () if other is None else against_instruments(solution, other)
        found = replace(found, numerics=(*found.numerics, *far))
    found = replace(found, numerics=(*found.numerics, *against_known_inertia(study, solution, force_solution)))
    rows = suspect_rows(solution.problem, (*solution.problem.runs, *solution.held_out))
    fits = found.fit, found.validation
    suspects = {*rows, *poor_fits(fits), *late_fits(fits)}
    tried = with_columns_in_doubt(with_mistaken_units(with_faulty_samples(study)), suspects, found.delays)
    found = replace(found, study=with_encoder_zeros(with_contradictions(tried), solution.problem, solution.solution))
    if not study.bootstrap or found.status is EstimateStatus.NOT_SETTLED:
        return found
    return with_bootstrap(found, Remade(_force_replicas, (study.bare,), ForceReplicas(solution)))


def _force_replicas(study: Study) -> ForceReplicas:
    """Estimates of a study from drawn noise, where they are made in another process."""
    return ForceReplicas(force_solution(study))


def _estimate(study: Study, found: ForceSolution) -> LinearEstimate:
    """What a solution says of the unknowns."""
    chosen, problem, solution, steps, full = found.method, found.problem, found.solution, found.steps, None
    if isinstance(chosen, Consistent):
        full = consistent(problem, solution.d, solution.covariance, chosen)
        solution, steps = replace(solution, d=full.d), (*steps, str(full))
    G, beta = problem.directions, problem.base_values(solution.d)
    base_covariance = G @ solution.covariance @ G.T
    bias_of_noise = found.bias_of_noise
    told_of = told(problem, found.excitation)
    values, combinations, covariance = values_of(
        problem, beta, base_covariance, found.excitation, bias_of_noise, told_of
    )
    fit = _fit(problem, problem.runs, solution.d)
    assert fit is not None
    outside = _outside(problem, solution.d, values, chosen)
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
        numerics=(
            *_numerics(problem, solution),
            *contradicted_priors(problem),
            *_by_cutoff(found),
            *_by_width(study, found),
            *biased_values(problem, base_covariance, found.excitation, bias_of_noise, chosen.name),
            *outside,
            *(full.doubts if full else ()),
        ),
        steps=(*steps, *([] if found.loops is None else found.loops.said)),
        problem=problem,
        beta=beta,
        influence=replace(
            solution.influence, rows=tuple(part @ (told_of.rows @ G).T for part in solution.influence.rows)
        ),
        told=told_of,
        held=found.excitation.held,
        consistent=full,
        bias=bias,
        convergence=None if found.search is None else found.search.convergence,
        starts=None if found.search is None else found.search.starts,
    )


def _by_cutoff(found: ForceSolution) -> tuple[str, ...]:
    """Whether values hang on the cut-off of the rows, where these are of the recorded motion and solved linearly."""
    if found.search is not None or found.method.simulates:
        return ()
    problem = replace(found.problem, simulate=None)
    return values_by_cutoff(problem, found.solution, lambda one: solved(Weighted(), one, found.known)[:2])


def _by_width(study: Study, found: ForceSolution) -> tuple[str, ...]:
    """Whether values hang on the width of dry friction, where rows are those of the recorded motion."""
    if found.search is not None or found.method.simulates or study.against:
        return ()
    return values_by_width(found.problem, found.solution, processing_by_run(study))


def _fit(problem: LinearProblem, runs: Sequence[RunRows], d: np.ndarray) -> RunFit | None:
    """How well steps d (r,) from the model explain some runs."""
    if not runs:
        return None
    first, silent = problem.runs[0].regressor, problem.silent(runs)
    channels = list(zip(first.channels, first.channel_units))
    measured, predicted = zip(*((problem.measured(run), problem.predicted(run, d)) for run in runs))
    return fit_of([run.name for run in runs], channels, [run.t for run in runs], measured, predicted, silent=silent)


def _outside(
    problem: LinearProblem, d: np.ndarray, values: Sequence[Value], method: LinearMethod | SearchMethod
) -> list[str]:
    """Which values lie outside the bounds that the study gives, or on them where a search keeps these."""
    if isinstance(method, SearchMethod):
        held = [values[k].name for k in force_space(problem).on_bounds(problem.at_values(d)) if values[k].determined]
        return [f"On a bound: {', '.join(held)}; error bars are those without one."] if held else []
    pairs = zip(problem.unknowns.given, values)
    beyond = [v.name for one, v in pairs if v.determined and not one.admits(v.value)]
    keeps = "trust-region" if problem.unknowns.in_file else "consistent"  # which is for linear parameters
    advice = f"the method '{method.name}' does not keep bounds, '{keeps}' does."
    return [f"Outside the bounds of the study: {', '.join(beyond)}; {advice}"] if beyond else []


def _numerics(problem: LinearProblem, solution: LinearSolution) -> tuple[str, ...]:
    """What is wrong with the numbers."""
    found = [] if problem.base.gap.clear else [f"{problem.base.gap}."]
    if at_rest(problem.runs):
        names = listing([run.name for run in problem.runs])
        found.append(f"Nothing moves in {names}: at rest forces tell weights at most, and friction holds with any.")
    first = problem.runs[0]
    compiled = first.motion.states.system
    held = any(channel.held for channel in channels(compiled, plain_channels(first.regressor.channels)))
    if held and len(compiled.commands) > compiled.outline.mobility:
        found.append(
            f"{len(compiled.commands)} drives hold {counted(compiled.outline.mobility, 'freedom')}: rows assume "
            "forces of the least square sum, and drives may share them in another way."
        )
    if not np.isfinite(solution.d).all() or not (np.diagonal(solution.covariance) >= 0).all():
        found.append("The values or their covariance are not finite numbers.")
    return (*found, *([solution.message] if solution.message else []))
