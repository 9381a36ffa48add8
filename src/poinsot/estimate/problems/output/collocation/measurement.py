"""Runs of a study, inputs noisy, as a problem of direct collocation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.problems.output.collocation.grid import Grid
from poinsot.estimate.problems.output.collocation.problem import CollocationResiduals
from poinsot.estimate.problems.output.collocation.program import Collocated
from poinsot.estimate.problems.output.records import OutputRun, Prepared, force_unit
from poinsot.estimate.problems.output.reference import starts
from poinsot.estimate.problems.output.shooting import step_forces
from poinsot.estimate.results.kept import BodyMotion
from poinsot.estimate.results.validation import RunFit, fit_of
from poinsot.estimate.search.problem import Space
from poinsot.model.mechanism import Mechanism


@dataclass(frozen=True, eq=False, kw_only=True)
class CollocationMeasurement(Measurement):
    """Recorded positions and forces, all of them noisy, as one motion explains them."""

    problem: CollocationResiduals
    mechanism: Mechanism

    def fit(self, p: np.ndarray) -> RunFit:
        """Positions and inputs of all runs, motions being those of least cost."""
        grid, point = self.problem.grid, self.problem.point(p)
        one = grid.prepared
        if point is None:
            raise PoinsotError("no motion with the values that were found explains the runs: start from other values")
        edges = np.cumsum([len(run.t) for run in one.runs])[:-1]
        inputs = [np.where(run.gaps, np.nan, run.u)[:, grid.drives] for run in one.runs]
        units = [force_unit(one.mechanism, name) for name in one.driven]
        fit = fit_of(
            [run.name for run in one.runs],
            [*one.channels, *zip(one.driven, units)],
            [run.t for run in one.runs],
            [np.concatenate([one.explained(run), u], axis=1) for run, u in zip(one.runs, inputs)],
            np.split(np.concatenate([point.seen, point.u], axis=1), edges),
            np.maximum(self.problem.spare(p), 0.0),
            noise=np.append(one.sigma, one.input_sigma),
        )
        assert fit is not None
        return fit

    def motion(self, p: np.ndarray) -> BodyMotion | None:
        """The motion of least cost of the first run."""
        grid, point = self.problem.grid, self.problem.point(p)
        if point is None:
            return None
        run, nq = grid.prepared.runs[0], grid.prepared.compiled.sizes[0]
        return grid.prepared.motion(run, point.y[grid.at_samples[: len(run.t)], :nq], p)

    def mechanism_at(self, p: np.ndarray) -> Mechanism:
        """The mechanism of the study with values (k,)."""
        return self.mechanism.with_parameters(dict(zip(self.problem.grid.prepared.unknowns, p.tolist())))


def collocated(one: Prepared, mechanism: Mechanism, space: Space, steps: int) -> CollocationMeasurement:
    """States and inputs on a grid with so many intervals from one sample to the next."""
    if one.control is not None:
        raise PoinsotError(
            "the method 'collocation' is for recorded forces; machines under control are simulated: leave one out"
        )
    silent = [name for name, sigma in zip(one.driven, one.input_sigma) if not np.isfinite(sigma)]
    if silent:
        raise PoinsotError(
            "the method 'collocation' weighs inputs by their noise: "
            f"give the standard deviation of {listing(silent)} in the noise of the study"
        )
    grid = grid_of(one, steps)
    nz, nw, _, _ = grid.sizes
    said = (
        f"{grid.steps} intervals of Hermite and Simpson from one sample to the next",
        f"{nz} states of nodes and {nw} inputs are unknowns besides",
    )
    return CollocationMeasurement(
        problem=CollocationResiduals(space, Collocated(grid, space.size)),
        known=one.known,
        steps=(*one.steps, *said),
        mechanism=mechanism,
    )


def grid_of(prepared: Prepared, steps: int) -> Grid:
    """So many steps from one sample to the next, nodes near the recorded motion."""
    fine = [_refined(run, steps) for run in prepared.runs]
    nodes = starts(prepared, [(run, k) for run in fine for k in range(len(run.t))])
    forces = [step_forces(run, steps, prepared.inputs) for run in prepared.runs]
    return Grid(prepared, steps, nodes, np.concatenate(forces))


def _refined(run: OutputRun, m: int) -> OutputRun:
    """A run with its states at m times as many times, on straight lines."""
    at, n = np.arange((len(run.t) - 1) * m + 1) / m, np.arange(len(run.t))
    q, v = (np.array([np.interp(at, n, column) for column in x.T]).T for x in (run.q, run.v))
    return replace(run, t=np.interp(at, n, run.t), q=q, v=v)
