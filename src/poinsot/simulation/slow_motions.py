"""Motions for which tolerances of the integration are too large: so slow that the absolute one decides about them, or
so short that the relative one does, which is of the coordinates and not of how far they go. And motions that rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.system.scales import coordinate_sizes, natural_speeds

if TYPE_CHECKING:
    from poinsot.simulation.chart_switching import Problem, SwitchedIntegration
    from poinsot.system.system import System

ATOL = 1e-12  # by default  [m, rad, m/s, rad/s]
SLOW = 1e2  # times rtol: a part of the largest speed for which atol is too large
FINER = 1e-2  # times rtol, of the largest speed: an atol for a motion as slow as that
SHORT = 1e-3  # of how large the coordinates are: a motion that goes no farther needs steps that are
BRIEF = 0.15  # times as long as it takes to go so far at the greatest speed, at most
MORE = 100  # times as many steps as a motion took, that a finer one may take
RESTS = 1e-12  # of the machine's size, or in radians: what goes no farther rests but for round-off


def finer(compiled: System, problem: Problem, run: SwitchedIntegration) -> Problem | None:
    """The problem with shorter steps or a finer `atol`, where the shortest or slowest motion needs it; else None."""
    moving = moved(compiled, problem, run) >= RESTS
    y, options = run.integration.y[moving], problem.options
    fine = _for_short(compiled, y) or _for_slow(compiled, y, options, int(run.integration.steps.max()))
    return replace(problem, options={**options, **fine}) if fine else None


def _for_short(compiled: System, y: np.ndarray) -> dict[str, float]:
    """Options for the shortest of N motions y (N, n, states), if it is short; its steps, not its tolerances, because
    round-off of large coordinates is above tolerances of a short motion."""
    nq, nv, _, _ = compiled.sizes
    q = y[..., :nq] / coordinate_sizes(compiled, compiled.home.size)
    v = y[..., nq : nq + nv] / natural_speeds(compiled, compiled.home.size)
    large, goes, speed = (_largest(x) for x in (q, q - q[:, :1], v))
    short = (goes > 0) & (goes < SHORT * large)
    return {"max_step": BRIEF * float(np.min((goes / speed)[short]))} if short.any() else {}


def _for_slow(compiled: System, y: np.ndarray, options: Mapping[str, Any], steps: int) -> dict[str, float]:
    """Options for the slowest of N motions y (N, n, states), where atol decides about it and not rtol.

    It may take many more `steps`, but not as many as round-off would. An atol larger than the default is meant as it
    is.
    """
    (nq, nv, _, _), rtol, atol = compiled.sizes, options["rtol"], options["atol"]
    slowest = float(np.min(_largest(y[..., nq : nq + nv]), initial=np.inf))
    if atol > ATOL or not 0 < SLOW * rtol * slowest < atol:
        return {}
    return {"atol": FINER * rtol * slowest, "max_steps": min(options["max_steps"], MORE * (1 + steps))}


def _largest(x: np.ndarray) -> np.ndarray:
    """Largest modulus (N,) in each of N signals (N, n, k), what was not reached aside."""
    return np.nanmax(np.abs(x), axis=(1, 2), initial=0.0)


def moved(compiled: System, problem: Problem, run: SwitchedIntegration) -> np.ndarray:
    """How far (N,) motions could have gone at their greatest speeds: of the machine's size, or in radians."""
    nq, nv, _, _ = compiled.sizes
    return (
        _largest(run.integration.y[..., nq : nq + nv] / natural_speeds(compiled, compiled.home.size)) * problem.t[-1]
    )
