"""Derivatives of simulated outputs by two other routes: differences, and sensitivities by the adaptive integrator."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.estimate.problems.output.elimination import without_states
from poinsot.estimate.problems.output.measurement import output_error
from poinsot.estimate.study import study_of
from tests.estimate.output.machines import SWING, five_bar, off, sprung, swing

T = np.arange(0, 1, 0.02)
STENCIL, WEIGHTS = (-2, -1, 1, 2), np.array([1, -8, 8, -1]) / 12  # a difference of order 4


def problem_of(mechanism, recording, names, noise, **processing):
    study = study_of(mechanism, recording, list(names), None, noise=noise, processing=processing, problem="output")
    return output_error(study)[0].problem


def cases(folder):
    pendulum = sprung(folder)
    moved = (*SWING, "upper_length", "lower.mass", "lower.com.y")  # lengths and masses too
    yield pendulum, swing(pendulum, T, 1e-3, 1), moved, {"phi*": 1e-3}
    machine, rec = five_bar(T, 1e-3, 1)
    yield (
        machine,
        rec,
        ("shoulder1.viscous", "crank1.elbow.x", "forearm2.mass"),
        {"q*": 1e-3},
    )  # closed loop, a length


@pytest.mark.parametrize("case", [0, 1], ids=["sprung double pendulum", "five-bar"])
@pytest.mark.parametrize("segment", [{}, {"segment": 0.3}], ids=["whole", "segments"])
def test_derivatives_by_parameters_and_initial_states_are_those_of_differences(tmp_path, case, segment):
    mechanism, rec, names, noise = list(cases(tmp_path))[case]
    shooting = problem_of(off(mechanism, names, 1.02), rec, names, noise, **segment).shooting
    x = np.array([1.02 * mechanism.parameters[name].value for name in names])[None]
    z = 0.01 * np.random.default_rng(0).standard_normal((1, *shooting.starts.G.shape[::2]))
    shot = shooting.shot(x, z, parameters=True)

    def difference(change_x, change_z, h):
        shots = [shooting.shot(x + s * h * change_x, z + s * h * change_z) for s in STENCIL]
        return [sum(w * getattr(one, part) for w, one in zip(WEIGHTS, shots)) / h for part in ("e", "r")]

    for k in range(len(names)):
        e, r = difference(np.eye(len(names))[k], 0 * z, 1e-5 * abs(x[0, k]))
        size = np.max(np.abs(e))
        assert_allclose(shot.e_x[..., k], e, atol=2e-6 * size)
        assert_allclose(shot.r_x[..., k], r, atol=2e-6 * max(size, np.max(np.abs(r), initial=0)))
    for b in range(z.shape[2]):
        change = np.zeros_like(z)
        change[0, 0, b] = 1.0
        e, r = difference(np.zeros(len(names)), change, 1e-5)
        assert_allclose(shot.e_z[:, 0, ..., b], e[:, 0], atol=2e-6 * np.max(np.abs(e)))
        if segment:
            assert_allclose(shot.r_end[:, 0, :, b], r[:, 0], atol=2e-6 * np.max(np.abs(r)))


def test_derivatives_are_those_of_the_adaptive_integrator(tmp_path):
    """Order 8 with implicit differentiation of the equations, against a derivative of the steps of order 4."""
    pendulum = sprung(tmp_path)
    rec = swing(pendulum, T, 0.0, 1)
    names = (*SWING, "upper_length", "lower.mass")
    shooting = problem_of(pendulum, rec, names, {"phi*": 1e-9}).shooting
    x = np.array([pendulum.parameters[name].value for name in names])[None]
    start = poinsot.simulate(pendulum, T[-1], t=T)
    q0 = np.concatenate([start.q[0], start.v[0]])
    z = (shooting.starts.L[0] @ (q0 - shooting.starts.y[0]))[None, None]
    ours = -1e-9 * shooting.shot(x, z, parameters=True).e_x[0, 0]
    theirs = poinsot.motion_sensitivity(pendulum, T[-1], list(names), t=T).coordinates
    for c, name in enumerate(("phi1", "phi2")):
        assert_allclose(ours[: len(T), c], theirs[name], atol=1e-6 * np.max(np.abs(theirs[name])))


def test_the_gradient_of_the_cost_is_exact_though_initial_states_are_eliminated(tmp_path):
    pendulum = sprung(tmp_path)
    problem = problem_of(off(pendulum, SWING), swing(pendulum, T, 1e-3, 2), SWING, {"phi*": 1e-3})
    p = np.array([1.1 * pendulum.parameters[name].value for name in SWING])
    slope = 2 * problem.jacobian(p).T @ problem.residuals(p)
    for k in range(len(p)):
        h = 1e-3 * p[k] * np.eye(len(p))[k]
        costs = [np.sum(problem.residuals(p + s * h) ** 2) for s in STENCIL]
        assert slope[k] == pytest.approx(WEIGHTS @ np.array(costs) / h[k], rel=1e-6)


def test_the_covariance_is_the_block_of_the_parameters_in_that_of_all_unknowns(tmp_path):
    """Eliminated, and with parameters and initial states side by side."""
    pendulum = sprung(tmp_path)
    problem = problem_of(pendulum, swing(pendulum, T, 1e-3, 3), SWING, {"phi*": 1e-3})
    p = np.array([pendulum.parameters[name].value for name in SWING])
    shot = problem.shooting.shot(p[None], problem.states(p).z, parameters=True)
    _, J, _ = without_states(problem.shooting, shot)
    own, k = problem.shooting.own, len(p)
    whole = np.concatenate(
        [shot.e_x[0][own].reshape(-1, k), shot.e_z[0][own].reshape(-1, shot.e_z.shape[-1])], axis=1
    )
    size = np.linalg.norm(whole, axis=0)
    inverse = np.linalg.inv((whole / size).T @ (whole / size)) / np.outer(size, size)
    assert_allclose(np.linalg.inv(J.T @ J), inverse[:k, :k], rtol=1e-6)


def test_many_candidates_at_once_cost_what_each_costs_alone(tmp_path):
    pendulum = sprung(tmp_path)
    problem = problem_of(pendulum, swing(pendulum, T, 1e-3, 2), SWING, {"phi*": 1e-3})
    P = np.array([pendulum.parameters[name].value for name in SWING]) * np.linspace(0.8, 1.2, 7)[:, None]
    alone = [np.sum(problem.residuals(p) ** 2) for p in P]
    assert_allclose(problem.costs(P), alone, rtol=1e-5)
