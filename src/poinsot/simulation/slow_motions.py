"""Motions that are so slow that the absolute tolerance of the integration decides about them, or that rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poinsot.system.scales import natural_speeds

if TYPE_CHECKING:
    from poinsot.simulation.chart_switching import Problem, SwitchedIntegration
    from poinsot.system.system import System

ATOL = 1e-12  # by default  [m, rad, m/s, rad/s]
SLOW = 1e2  # times rtol: a part of the largest speed for which atol is too large
FINER = 1e-2  # times rtol, of the largest speed: an atol for a motion as slow as that
MORE = 100  # times as many steps as a motion took, that a finer one may take
RESTS = 1e-12  # of the machine's size, or in radians: what goes no farther rests but for round-off


def finer(compiled: System, problem: Problem, run: SwitchedIntegration) -> Problem | None:
    """The problem with a finer `atol`, where the slowest motion is so slow that it decides and not `rtol`; else None.

    It may take many more steps, but not as many as round-off would. An atol that is larger than the default is meant
    as it is.
    """
    (nq, nv, _, _), options = compiled.sizes, problem.options
    moving = moved(compiled, problem, run) >= RESTS
    fastest = np.nanmax(np.abs(run.integration.y[moving, :, nq : nq + nv]), axis=(1, 2), initial=0.0)
    slowest = float(np.min(fastest, initial=np.inf))
    if options["atol"] > ATOL or not 0 < SLOW * options["rtol"] * slowest < options["atol"]:
        return None
    most = min(options["max_steps"], MORE * (1 + int(run.integration.steps.max())))
    return replace(problem, options={**options, "atol": FINER * options["rtol"] * slowest, "max_steps": most})


def moved(compiled: System, problem: Problem, run: SwitchedIntegration) -> np.ndarray:
    """How far (N,) motions could have gone at their greatest speeds: of the machine's size, or in radians."""
    nq, nv, _, _ = compiled.sizes
    v = np.abs(run.integration.y[..., nq : nq + nv]) / natural_speeds(compiled, compiled.home.size)
    return np.nanmax(v, axis=(1, 2), initial=0.0) * problem.t[-1]
