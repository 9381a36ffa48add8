"""Simulated runs of mechanisms whose parameters are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.signal import lfilter

import poinsot
from poinsot.estimate.problem import LinearProblem, linear_problem
from poinsot.estimate.rows.motion import RunMotion
from poinsot.estimate.rows.runs import RunRows
from poinsot.estimate.solution import rows_and_steps
from poinsot.estimate.study import Role, study_of
from poinsot.estimate.unknowns import unknowns_in
from poinsot.identifiability.regressor import evaluate_regressor
from poinsot.identifiability.states import random_states

CRANK = poinsot.Fourier(2 * np.pi / 2.5, (0.4, 0.3, 0.2, 0.1), (0.1, 0.05, -0.1, 0.05), 1.2)


def noise(rng: np.random.Generator, shape: tuple[int, ...], colour: float = 0.0) -> np.ndarray:
    """Noise of variance 1, each sample `colour` of the one before."""
    white = rng.standard_normal((shape[0] + 200, *shape[1:]))
    return lfilter([np.sqrt(1 - colour**2)], [1, -colour], white, axis=0)[200:]


def four_bar_run(
    seed: int = 0, sigma: float = 0.1, encoder: float = 0.0, seconds: float = 10.0, colour: float = 0.0
) -> poinsot.Recording:
    """A crank that is driven through a Fourier series, its angle [rad] and its torque [N·m]."""
    bar, t, rng = poinsot.load("four_bar"), np.arange(0, seconds, 0.02), np.random.default_rng(seed)
    run = poinsot.inverse_dynamics(bar, {"theta1": CRANK}, t)
    angle = run.kinematics.coordinates["theta1"] + encoder * rng.standard_normal(len(t))
    return poinsot.Recording.of(t, {"theta1": angle, "A": run.forces["A"] + sigma * noise(rng, (len(t),), colour)})


def five_bar_run(seconds: float = 8.0) -> poinsot.Recording:
    """Two cranks that are driven through Fourier series, their angles [rad] and torques [N·m], without noise."""
    first, second = ((0.2, 0.15, 0.1), (0.1, -0.1, 0.05)), ((0.15, -0.2, 0.05), (0.2, 0.05, -0.1))
    motion = {f"q{k}": poinsot.Fourier(2.0, *one, at) for k, one, at in ((1, first, 2.3), (2, second, 0.9))}
    t = np.arange(0, seconds, 0.02)
    run = poinsot.inverse_dynamics(poinsot.load("five_bar"), motion, t)
    angles = {name: run.kinematics.coordinates[name] for name in motion}
    return poinsot.Recording.of(t, angles | {name: run.forces[name] for name in ("shoulder1", "shoulder2")})


def problem_of(mechanism: poinsot.Mechanism, recording: poinsot.Recording, unknowns=None) -> LinearProblem:
    """The linear problem of a recording whose motion is perfect."""
    study = study_of(mechanism, recording, unknowns, "weighted", processing={"cutoff": 25.0})
    asked = unknowns_in(study, study.unknowns)
    runs, _ = rows_and_steps(study, asked)
    runs = tuple(replace(run, noise=None) for run in runs)
    return linear_problem(asked, runs, np.ones(runs[0].y.shape[1]))


def with_forces(problem: LinearProblem, added: np.ndarray) -> LinearProblem:
    """The same problem with more on its measured channels (n, c)."""
    run = problem.runs[0]
    return replace(problem, runs=(replace(run, y=run.y + added[: len(run.y)]),))


def sampled_problem(mechanism: poinsot.Mechanism, samples: int = 200, unknowns=None) -> LinearProblem:
    """The linear problem of a perfect machine in states that are drawn at random over its workspace."""
    never = poinsot.Recording.of(np.arange(2.0), {"unused": np.zeros(2)})
    study = study_of(mechanism, never, unknowns, "weighted")
    asked = unknowns_in(study, study.unknowns)
    states = random_states(mechanism, samples, np.random.default_rng(0))
    W = evaluate_regressor(mechanism, states, None, asked.names)
    y = (W.matrix @ W.parameters + W.rhs).reshape(samples, -1)
    columns = W.matrix.reshape(*y.shape, -1)
    still = RunMotion(mechanism, states, 0.0, ())
    run = RunRows("states", Role.IDENTIFY, W.t, y, columns, W.rhs.reshape(y.shape), W, None, still, never)
    spread = np.std(y, axis=0)
    return linear_problem(asked, (run,), np.where(spread > 0, spread, spread.max()))
