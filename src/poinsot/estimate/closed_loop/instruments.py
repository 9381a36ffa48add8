"""Rows of runs along the motion that the closed loop makes of the recorded references.

W_s, y₀_s at the simulated states, behind the filter of the run        (theory/estimation, eq. 24)

They hold no noise of the recorded motion.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.closed_loop.controllers import Control
from poinsot.estimate.closed_loop.references import references
from poinsot.estimate.closed_loop.simulation import Followed, closed_loop, kept_loop
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.results.identified import full_values
from poinsot.estimate.role import Role
from poinsot.estimate.rows.runs import RunRows, rows_along
from poinsot.estimate.study import Processing
from poinsot.estimate.unknowns import PAYLOAD, Unknowns
from poinsot.identifiability.linear import LinearParameter, chosen, linear_parameters, parameter_values


class ClosedLoops:
    """Runs of a study under control: rows along their simulated motions, for any values of the unknowns."""

    def __init__(self, control: Control, processing: Processing, kept: bool = False):
        self.control, self.processing = control, processing
        self.kept = kept  # whether motions that took long are kept on disk, for work that is interrupted
        self.steps: dict[str, int] = {}  # of the integration of every run, once they are known
        self.distance: dict[
            str, float
        ] = {}  # of simulated from recorded coordinates, of their spread, at the last call

    def __call__(self, problem: LinearProblem, d: np.ndarray) -> tuple[RunRows, ...]:
        """Rows of all runs of a problem along the motions that values d (r,) give."""
        in_file = problem.unknowns.in_file
        values = problem.at_values(d) if in_file else full_values(problem, problem.base_values(d))
        return tuple(self._rows(run, problem.unknowns, values) for run in problem.runs)

    @property
    def said(self) -> list[str]:
        """How near the simulated motions came to those that were recorded."""
        return [
            f"run '{run}': the simulated motion is {100 * off:.2g} % of its spread away from the recorded one"
            for run, off in self.distance.items()
        ]

    def _rows(self, run: RunRows, unknowns: Unknowns, values: np.ndarray) -> RunRows:
        followed = self.follow(run, unknowns, values)
        at = np.searchsorted(followed.states.t, run.motion.states.t - 1e-9)
        s = followed.states
        states = replace(s, t=s.t[at], q=s.q[at], v=s.v[at], a=s.a[at])
        off = np.sqrt(np.mean((states.q - run.motion.states.q) ** 2, axis=0))
        spread = np.std(run.motion.states.q, axis=0)
        self.distance[run.name] = float(np.max(off / np.maximum(spread, 1e-3 * spread.max())))
        return rows_along(run, replace(run.motion, states=states), unknowns, self.processing)

    def follow(self, run: RunRows, unknowns: Unknowns, values: np.ndarray) -> Followed:
        """The closed loop of one run for values of the mechanism's unknowns."""
        begin = run.motion.states
        told = references(run.recording, self.control, run.name, float(begin.t[0]), float(begin.t[-1]))
        parameters, theta = linear_values(unknowns, values, run.role)
        steps = self.steps.get(run.name)
        followed = (kept_loop if self.kept else closed_loop)(begin, parameters, theta, self.control, told, steps)
        self.steps[run.name] = followed.steps
        if not np.isfinite(followed.states.q).all():
            raise PoinsotError(f"run '{run.name}': the closed loop is unstable with these values")
        return followed


def linear_values(
    unknowns: Unknowns, values: np.ndarray, role: Role
) -> tuple[tuple[LinearParameter, ...], np.ndarray]:
    """Linear parameters of the equations of a run, and their values; a payload adds to them in its own runs."""
    theta = dict(zip((p.name for p in unknowns.linear), unknowns.theta(values)))
    named = {name.removeprefix(PAYLOAD) for name in theta} | {p.name for p in chosen(unknowns.mechanism, None)}
    every = tuple(p for p in linear_parameters(unknowns.mechanism) if p.name in named)
    found = dict(zip((p.name for p in every), parameter_values(unknowns.mechanism, every)))
    found |= {name: value for name, value in theta.items() if name in found}
    for name, value in theta.items():
        if name not in found and role is Role.PAYLOAD:
            found[name.removeprefix(PAYLOAD)] += value
    return every, np.array([found[p.name] for p in every])
