"""Output error of a double pendulum: cost of an iteration, of a candidate and of a whole fit, against MuJoCo.

Both simulate the same swing with steps of Runge and Kutta of order 4 of the same length. In an iteration MuJoCo
simulates once for every parameter and initial state and once more. Whole fits are by `mujoco.sysid` where it loads
(`benchmarks.peer_sysid`), from the same start to the same tolerance.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

import poinsot
from poinsot.estimate.problems.output.measurement import output_error
from poinsot.estimate.problems.output.problem import OutputResiduals
from poinsot.estimate.search.trust_region import TrustRegion
from poinsot.estimate.study import study_of

from .measure import Table, interleave
from .peer_sysid import BEGIN, MJCF, sysid_fit

T = np.arange(0, 2, 0.01)
UNKNOWNS = ("upper.mass", "lower.mass", "upper.inertia", "lower.inertia")
CANDIDATES = 1000
FITTED = UNKNOWNS[1:]  # forces of no drive are known: one mass is given
OFF, TOLERANCE = 1.1, 1e-8  # of the values at the start; relative change at which a fit ends


def run() -> Table:
    """Seconds of one iteration (residuals and Jacobian) and of one candidate of a population."""
    problem, p = _problem()
    P = p * np.linspace(0.98, 1.02, CANDIDATES)[:, None]
    candidates: dict[str, Any] = {"iteration": lambda: _iteration(problem, p), "population": lambda: problem.costs(P)}
    peer = _peer(problem.shooting.steps)
    if peer is not None:
        candidates["MuJoCo"] = peer
    times = interleave(candidates, repeats=5)
    own = times["iteration"].best / 2
    rows: list[tuple[Any, ...]] = [("iteration: residuals and exact Jacobian, ms", 1e3 * own)]
    each = times["population"].best / CANDIDATES
    rows.append(("candidate of 1000, initial states eliminated, ms", 1e3 * each))
    figures = {"iteration_ms": 1e3 * own, "candidate_ms": 1e3 * each}
    goals: tuple[tuple[str, bool], ...] = ()
    if peer is not None:
        fits, name = _fits(problem)
        whole = interleave(fits, repeats=3)
        theirs = times["MuJoCo"].best
        ratio, alone = theirs / own, theirs / (1 + len(p) + 4) / each
        rows += [("MuJoCo: iteration by finite differences, ms", 1e3 * theirs), ("iteration, times faster", ratio)]
        rows += [("candidate against one simulation of MuJoCo, times faster", alone)]
        figures |= {"mujoco_iteration_ms": 1e3 * theirs, "iteration_ratio": ratio, "candidate_ratio": alone}
        ours, other = (1e3 * whole[one].best for one in ("Poinsot", "MuJoCo"))
        rows += [(f"fit of {len(FITTED)} parameters and 4 initial states, ms", ours)]
        rows += [(f"{name}: fit of {len(FITTED)} parameters, ms", other), ("fit, times faster", other / ours)]
        figures |= {"fit_ms": ours, "mujoco_fit_ms": other, "fit_ratio": other / ours}
        goals = (
            ("an iteration is faster than MuJoCo's with differences", ratio > 1),
            (f"a fit is faster than that of {name}", other > ours),
        )
    return Table("Output error of a double pendulum, 200 samples", ("", "value"), tuple(rows), goals, figures)


def _recording() -> tuple[poinsot.Mechanism, poinsot.Recording]:
    pendulum = poinsot.load("double_pendulum")
    run = poinsot.simulate(pendulum, T[-1], t=T)
    noise = 1e-3 * np.random.default_rng(0).standard_normal((2, len(T)))
    return pendulum, poinsot.Recording.of(T, {n: run.coordinates[n] + e for n, e in zip(("phi1", "phi2"), noise)})


def _problem(names: tuple[str, ...] = UNKNOWNS) -> tuple[OutputResiduals, np.ndarray]:
    pendulum, rec = _recording()
    study = study_of(pendulum, rec, list(names), None, noise=1e-3, problem="output")
    return output_error(study)[0].problem, np.array([pendulum.parameters[n].value for n in names])


def _fits(problem: OutputResiduals) -> tuple[dict[str, Any], str]:
    """Whole fits from values that are off, by both, after a check that they end alike; and the name of the other."""
    own, p = _problem(FITTED)
    start, y = OFF * p, _recording()[1].table(["phi1", "phi2"])
    name, theirs = sysid_fit(T, y, problem.shooting.steps, dict(zip(FITTED, start)), TOLERANCE)
    ours = lambda: TrustRegion(tolerance=TOLERANCE).descend(own.at(start)).p  # noqa: E731
    bars = 1 / np.linalg.norm(own.jacobian(p), axis=0)
    assert np.all(np.abs(ours() - theirs()) < 20 * bars), (ours(), theirs(), bars)
    return {"Poinsot": ours, "MuJoCo": theirs}, name


def _iteration(problem: OutputResiduals, p: np.ndarray) -> None:
    """Residuals and Jacobian a step of one percent away from the values before: there and back, half of it."""
    for values in (1.01 * p, p):
        problem.residuals(values)
        problem.jacobian(values)


def _peer(steps: int) -> Any:
    """One iteration of MuJoCo: a simulation for every unknown and one more; None where it is not installed."""
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError:
        return None
    model: Any = mujoco.MjModel.from_xml_string(MJCF.format(step=0.01 / steps))
    data = mujoco.MjData(model)

    def iteration() -> None:
        for _ in range(1 + len(UNKNOWNS) + 4):
            mujoco.mj_resetData(model, data)
            data.qpos[:] = BEGIN
            for _ in range(len(T) - 1):
                mujoco.mj_step(model, data, nstep=steps)

    return iteration
