"""Forces of a study solved for its unknowns: rows of all runs, the method, steps where rows are not linear."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np

from poinsot.errors import MotionError, PoinsotError, counted
from poinsot.estimate.closed_loop.instruments import ClosedLoops
from poinsot.estimate.doubts.columns import columns_in_doubt
from poinsot.estimate.excitation import Excitation, bias_by_noise, excited
from poinsot.estimate.methods.base import LinearMethod, LinearRows, LinearSolution
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.methods.weighted import Weighted
from poinsot.estimate.problem import LinearProblem, linear_problem
from poinsot.estimate.problems.forces import ForceResiduals, force_space, solved_by_search
from poinsot.estimate.role import Role
from poinsot.estimate.rows.channel_terms import ChannelTerm, is_term, terms_of
from poinsot.estimate.rows.differences import processing_by_run, with_differences
from poinsot.estimate.rows.held import with_held_forces
from poinsot.estimate.rows.kept_rows import kept_rows
from poinsot.estimate.rows.loads import is_load, load_terms, loads_of, with_directions
from poinsot.estimate.rows.motion import sure_of_noise
from poinsot.estimate.rows.rest import require_changes
from poinsot.estimate.rows.runs import RunRows, common_channels, prepared
from poinsot.estimate.search.base import SearchMethod, SearchSolution
from poinsot.estimate.search.problem import SearchProblem, with_priors
from poinsot.estimate.study import Run, Study
from poinsot.estimate.unknowns import Unknowns, unknowns_in
from poinsot.model.mechanism import Mechanism
from poinsot.parallel.remade import Remade
from poinsot.recording.filtering.resample import TooFewSamplesError
from poinsot.recording.independent import prescribing
from poinsot.recording.motion import position_channels, with_recorded

_progress = logging.getLogger("poinsot.progress")
MORE = 3  # times that parameters are added which have no effect at the start
STEPS = 30  # of Gauss and Newton where channels are not linear in the unknowns
SETTLED = 1e-3  # of a standard error
ROUND_OFF = 1e-9  # of a step from the model


@dataclass(frozen=True, eq=False)
class ForceRows:
    """Rows of all runs of a study, and the unknowns in them."""

    asked: Unknowns
    terms: tuple[ChannelTerm, ...]
    used: tuple[RunRows, ...]
    held_out: tuple[RunRows, ...]
    scale: np.ndarray  # (c,) size of every channel
    steps: tuple[str, ...]

    def linear(self, at: np.ndarray | None = None) -> LinearProblem:
        """The problem, linear about values `at` (k,), by default the start of the unknowns."""
        return linear_problem(self.asked, self.used, self.scale, self.terms, at)


@dataclass(frozen=True, eq=False)
class ForceSolution:
    """A study with its solution."""

    study: Study
    method: LinearMethod | SearchMethod
    problem: LinearProblem
    excitation: Excitation
    solution: LinearSolution
    search: SearchSolution | None
    held_out: tuple[RunRows, ...]
    steps: tuple[str, ...]
    loops: ClosedLoops | None
    known: np.ndarray  # (c,) whether the noise of a channel is known

    def again(
        self, problem: LinearProblem, method: LinearMethod | SearchMethod
    ) -> tuple[LinearProblem, LinearSolution]:
        """The solution of the problem with other noise in it, and where it is linear then."""
        return solved(method, problem, self.known)[:2]

    @cached_property
    def bias_of_noise(self) -> np.ndarray:
        """What noise of the motion does to the base parameters (b,)."""
        method = self.method if isinstance(self.method, LinearMethod) else Weighted()
        sure = max(sure_of_noise(run.recording, run.motion.mechanism) for run in self.problem.runs)

        def surely(problem: LinearProblem) -> LinearRows:
            rows = problem.rows
            return replace(rows, noise=rows.noise and tuple(sure * part for part in rows.noise))

        def redrawn(k: int) -> LinearRows:
            _progress.info(f"noise of the motion, drawn {counted(k + 1, 'time')}")
            drawn = force_rows(self.study, draw=k).used
            runs = (replace(run, noise=other.noise) for run, other in zip(self.problem.runs, drawn))
            return surely(replace(self.problem, runs=tuple(runs)))

        return self.problem.directions @ bias_by_noise(method, surely(self.problem), self.solution, redrawn)


def force_rows(study: Study, draw: int = 0) -> ForceRows:
    """Rows of all runs of a study, with the noise of their motion drawn by that seed."""
    loads = loads_of(study.mechanism)
    added = tuple(one for one in study.unknowns if is_term(one) or is_load(one, loads))
    asked = unknowns_in(study, tuple(one for one in study.unknowns if one not in added))
    runs, steps = rows_and_steps(study, asked, draw)
    first = runs[0].regressor
    moved_by = load_terms(study, loads, first.channels)
    runs = with_directions(runs, loads, moved_by, study.processing)
    chains = [one for one in added if is_term(one)]
    terms = (*terms_of(chains, first.channels, first.channel_units), *moved_by)
    asked = asked.with_terms([term.given for term in terms], [term.unit for term in terms])
    used = tuple(run for run in runs if run.role is not Role.VALIDATE)
    held_out = tuple(run for run in runs if run.role is Role.VALIDATE)
    require_changes(used)
    return ForceRows(asked, terms, used, held_out, _scale(study, used), (*study.steps, *asked.steps, *steps))


def force_solution(study: Study) -> ForceSolution:
    """The unknowns of a study by its method."""
    chosen, rows = method_of(study.method), force_rows(study)
    loops = None if study.control is None else ClosedLoops(study.control, study.processing, kept=True)
    problem, excitation = excited(replace(rows.linear(), simulate=loops), chosen.simulates)
    _progress.info(f"{problem.base.rank} base parameters by the method '{chosen.name}'")
    known = np.array([_noise(study, name) is not None for name in problem.channels])
    again, dask = Remade(_search_again, (study.bare,)), study.dask
    problem, solution, moved, search = solved(chosen, problem, known, again, dask)
    for _ in range(MORE if rows.asked.in_file or rows.terms else 0):  # more may count at the values than at the start
        there = rows.linear(problem.at_values(solution.d))
        if there.base.rank <= problem.base.rank or (search is not None and search.interrupted):
            break
        problem, excitation = excited(replace(there, simulate=loops), chosen.simulates)
        problem, solution, moved, search = solved(chosen, problem, known, again, dask)
    said = (*rows.steps, *moved)
    return ForceSolution(study, chosen, problem, excitation, solution, search, rows.held_out, said, loops, known)


def _search_again(study: Study) -> SearchProblem:
    """The problem of a search, where it is made again in another process."""
    linear = force_rows(study).linear()
    return with_priors(ForceResiduals(force_space(linear), linear, linear.scale))


def rows_and_steps(study: Study, asked: Unknowns, draw: int = 0) -> tuple[tuple[RunRows, ...], list[str]]:
    """Rows of all runs; the noise of the motion is tried on those that parameters are identified from."""
    found, steps = [], []
    wanted = study.channels or common_channels(study.runs, asked.mechanism)
    sizes, begin = [len(run.recording) for run in study.runs], time.monotonic()
    how, control = processing_by_run(study), study.control if method_of(study.method).mean_forces else None
    for k, given in enumerate(study.runs):
        left = (time.monotonic() - begin) * sum(sizes[k:]) / max(sum(sizes[:k]), 1)
        rest = f", about {left:.0f} s left" if k and left >= 1 else ""
        if not draw:
            _progress.info(f"run '{given.name}', {k + 1} of {len(study.runs)}: motion and regressor{rest}")
        run = given
        try:
            run = with_held_forces(given, study.mechanism, control)
            seed = None if run.role is Role.VALIDATE else (draw, k)
            rows, said = kept_rows(run, asked, wanted, how[run.name], seed)
        except MotionError as error:  # what is wrong with the recording is the likely reason
            findings = (*run.recording.problems, *columns_in_doubt(run, study.mechanism))
            wrong = "; ".join(f"'{f.channel}': {f.message}" for f in findings)
            said = wrong or f"{error}{_by_one_set_alone(run, study.mechanism, error)}"
            raise PoinsotError(f"run '{run.name}' is no motion of the mechanism: {said}") from None
        except TooFewSamplesError as error:
            raise PoinsotError(f"run '{run.name}': {error}") from None
        found.append(rows)
        steps += [f"run '{run.name}': {text}" for text in (*run.recording.steps, *said)]
    steps += [f"run '{name}' is taken as its difference to run '{other}'" for name, other in study.against.items()]
    return with_differences(found, study.against), steps


def _by_one_set_alone(run: Run, mechanism: Mechanism, error: MotionError) -> str:
    """What to say where more positions were recorded than a motion is followed by."""
    read = position_channels(prepared(run, mechanism), mechanism)
    count = len(prescribing(with_recorded(mechanism, read.values()), read))
    if len(read) == count:
        return ""
    return (
        f"; {len(read)} positions are recorded, and a motion is followed by {count} of them, which none of the sets "
        f"that were tried can do: each comes near a singular pose of its own, or they contradict each other; end the "
        f"run before t = {error.t:.3g} s"
    )


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


def solved(
    method: LinearMethod | SearchMethod,
    problem: LinearProblem,
    known: np.ndarray,
    again: Remade | None = None,
    dask: str = "",
) -> Solved:
    """The solution: by search, or linear; where channels are not, by steps of Gauss and Newton."""
    if isinstance(method, SearchMethod):
        problem, solution, search = solved_by_search(method, problem, known, again, dask)
        return problem, solution, list(search.said), search
    solution = method.solve(problem.rows)
    if not problem.unknowns.in_file and not problem.terms:
        return problem, solution, [], None
    for k in range(STEPS):
        said = [f"{counted(k, 'step')} of Gauss and Newton: products of unknowns"] if k else []
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
