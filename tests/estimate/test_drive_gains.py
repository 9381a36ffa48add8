"""Gains of drives from a payload that is known, with the current as the noisy output; and the way that is biased."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.solution import force_solution, solved
from poinsot.estimate.study import Processing, Role, Unknown
from tests.estimate.machines import ARM, SERIAL
from tests.estimate.runs import noise
from tests.generated.share import repetitions, share

GAINS = {"shoulder": 0.10, "elbow": -0.07}  # by which recorded torques are too large
MASS, REACH = 1.5, 0.4  # of the payload  [kg], [m]
PAYLOAD = {"lower.m": MASS, "lower.mx": MASS * REACH, "lower.my": 0.0, "lower.J": MASS * REACH**2}
OWN = ("upper.*", "lower.*", "*.viscous", "*.coulomb", "gain *")


def with_payload() -> poinsot.Mechanism:
    """The arm with a point mass on its lower link."""
    arm = poinsot.loads(ARM, "arm")
    body, p = arm.bodies["lower"], np.array([REACH, 0.0, 0.0])
    total, c = body.mass + MASS, np.asarray(body.com, float)
    com, apart = (body.mass * c + MASS * p) / total, c - p
    inertia = float(body.inertia[5]) + body.mass * MASS / total * float(apart @ apart)
    return arm.with_parameters(
        {"lower.mass": total, "lower.com.x": com[0], "lower.com.y": com[1], "lower.inertia": inertia}
    )


def recorded(mechanism: poinsot.Mechanism, sigma: float, seed: int) -> poinsot.Recording:
    """A run whose torques have gains, and noise of a share of their deviation."""
    t, rng = np.arange(0, 16, 0.02), np.random.default_rng(seed)
    run = poinsot.inverse_dynamics(mechanism, SERIAL.motion, t)
    values = {name: run.kinematics.coordinates[name] for name in SERIAL.motion}
    for drive, gain in GAINS.items():
        torque = run.forces[drive]
        values[drive] = (1 + gain) * torque + sigma * np.std(torque) * noise(rng, torque.shape)
    return poinsot.Recording.of(t, values)


def study(sigma: float) -> poinsot.Study:
    arm = poinsot.loads(ARM, "arm")
    runs = (
        poinsot.Run("bare", recorded(arm, sigma, 1)),
        poinsot.Run("loaded", recorded(with_payload(), sigma, 2), Role.PAYLOAD),
    )
    weighed = [Unknown(name, payload=True, prior=x, deviation=1e-5) for name, x in PAYLOAD.items()]
    unknowns = (*(Unknown(name) for name in OWN), *weighed)
    return poinsot.Study(arm, runs, unknowns, processing=Processing(cutoff=20.0))


def by_currents(problem: LinearProblem) -> np.ndarray:
    """Gains (2,) by least squares with the current on the side of the columns: W_L φ = y/(1 + g) − W θ."""
    names, rows, known = problem.unknowns.names, [], []
    own = [k for k, name in enumerate(names) if not name.startswith(("payload", "gain"))]
    load = [k for k, name in enumerate(names) if name.startswith("payload")]
    for run in problem.runs:
        good, weight = np.isfinite(run.y).all(axis=1), 1 / np.nanstd(run.y, axis=0)
        currents = np.einsum("nc,cd->ncd", run.y, np.eye(2))
        X = np.concatenate([currents, -run.W[:, :, own]], axis=2) * weight[:, None]
        rows.append(X[good].reshape(-1, X.shape[2]))
        known.append((run.W[:, :, load] @ list(PAYLOAD.values()) * weight)[good].ravel())
    inverse = np.linalg.lstsq(np.concatenate(rows), np.concatenate(known), rcond=1e-9)[0][:2]
    return 1 / inverse - 1


def test_gains_are_found_beside_all_other_parameters():
    est = poinsot.identify(study(0.05))
    for drive, gain in GAINS.items():
        found = est[f"gain {drive}"]
        assert abs(found.value - gain) < 4 * found.deviation < 0.02, found


def test_without_a_payload_no_gain_is_determined():
    whole = study(0.05)
    bare = replace(whole, runs=whole.runs[:1], unknowns=tuple(Unknown(name) for name in OWN))
    est = poinsot.identify(bare)
    assert not any(est[f"gain {drive}"].determined and est[f"gain {drive}"].deviation < 0.1 for drive in GAINS)


@pytest.mark.slow
@pytest.mark.parametrize("colour", share([0.8, 0.0]))
def test_error_bars_of_gains_cover_the_truth_and_currents_as_columns_bias_them(colour):
    problem, method = force_solution(study(0.0)).problem, method_of("weighted")
    rng, times = np.random.default_rng(4), repetitions(80)
    at = [problem.unknowns.names.index(f"gain {drive}") for drive in GAINS]
    pick = [problem.base.independent.index(f"gain {drive}") for drive in GAINS]
    truth, inside, biased = np.array(list(GAINS.values())), [], []
    spread = 0.1 * np.nanstd(np.concatenate([run.y for run in problem.runs]), axis=0)
    for _ in range(times):
        noisy = [replace(run, y=run.y + spread * noise(rng, run.y.shape, colour), noise=None) for run in problem.runs]
        there, found, _, _ = solved(method, replace(problem, runs=tuple(noisy)), np.zeros(2, bool))
        value, error = there.at_values(found.d)[at], np.sqrt(np.diagonal(found.covariance))[pick]
        inside.append(np.abs(value - truth) < 1.96 * error)
        biased.append(by_currents(there) - truth)
    covered = np.mean(inside, axis=0)
    assert np.all(np.abs(covered - 0.95) < 3 * np.sqrt(0.95 * 0.05 / times)), covered
    off = np.mean(biased, axis=0) / (1 + truth)
    assert np.all(np.abs(off) > 0.04), off
    assert np.all(np.abs(np.mean(biased, axis=0)) > 5 * np.std(biased, axis=0) / np.sqrt(times))
