"""Direct collocation: noisy torques and noisy encoders, on a double pendulum and a five-bar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import null_space

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.problems.output.collocation.measurement import grid_of
from poinsot.estimate.problems.output.collocation.problem import CollocationResiduals
from poinsot.estimate.problems.output.collocation.program import Collocated
from poinsot.estimate.problems.output.measurement import output_error
from poinsot.estimate.study import study_of
from tests.estimate.machines import SERIAL
from tests.estimate.output.machines import SWING, held_hexapod, noisy, off, pushed, sprung, swing
from tests.generated.share import repetitions, share

T, ENCODER, TORQUE = np.arange(0, 1, 0.01), 1e-3, 0.1  # [s], [rad], of the torques' size
CUBIC = {"inputs": "cubic"}
MACHINES = ["arm", "five_bar"]


def noise_of(clean: poinsot.Recording, torque: float) -> dict[str, float]:
    return {name: ENCODER if name.startswith("q") else torque for name in clean}


def identified(name, method, torque, seed, start=1.2, **more) -> tuple[poinsot.Estimate, np.ndarray]:
    """An estimate, and its distances from the truth in standard errors; torque noise relative to torques."""
    truth, clean, names, size = pushed(name, T)
    est = poinsot.identify(
        off(truth, names, start),
        noisy(clean, ENCODER, torque * size, seed),
        list(names),
        method,
        problem="output",
        noise=noise_of(clean, torque * size),
        processing=CUBIC,
        **more,
    )
    return est, (est.value - [truth.parameters[n].value for n in names]) / est.deviation


def problem_of(name, names=None, delay=(), t=T[:16], **processing):
    """The problem of a short run with noisy torques."""
    truth, clean, own, size = pushed(name, t)
    study = study_of(
        truth,
        noisy(clean, ENCODER, TORQUE * size, 1),
        [*(names or own), *delay],
        "collocation",
        noise=noise_of(clean, TORQUE * size),
        processing=processing,
        problem="output",
    )
    return output_error(study)[0].problem


@pytest.mark.parametrize("inputs", ["linear", "held"])
@pytest.mark.parametrize("case", ["arm", "five_bar", "late"])
def test_sparse_derivatives_are_those_of_differences(case, inputs):
    """By states, inputs, masses, lengths and delays; two intervals for each sample."""
    name, names = (
        ("arm", None) if case != "five_bar" else (case, ("shoulder1.viscous", "crank1.elbow.x", "forearm2.mass"))
    )
    problem = problem_of(name, names, ("delay q2",) if case == "late" else (), inputs=inputs)
    one = Collocated(grid_of(problem.grid.prepared, 2), problem.space.size)
    rng, start = np.random.default_rng(0), problem.space.start / problem.space.size
    x = np.concatenate([0.02 * rng.standard_normal(sum(one.grid.sizes[:2])), start])
    x[-1] += 0.013 / problem.space.size[-1] if case == "late" else 0.0
    point, h = one.point(x), 1e-4
    pattern = one.pattern(point, x[-len(start) :] * one.size)
    for k in (*range(0, len(x) - len(start), 5), *range(len(x) - len(start), len(x))):
        change = h * np.eye(len(x))[k]
        near = [one.point(x + s * change) for s in (-2, -1, 1, 2)]
        for part, matrix, where in (("e", point.R, pattern[0]), ("g", point.A, pattern[1])):
            a, b, c, d = (getattr(p, part) for p in near)
            slope, ours = (a - 8 * b + 8 * c - d) / 12 / h, matrix[:, [k]].toarray().ravel()
            assert_allclose(ours, slope, atol=1e-6 * max(np.max(np.abs(slope)), 1e-3))
            assert not np.any(ours[where[:, [k]].toarray().ravel() == 0])


@pytest.mark.parametrize("inputs", ["linear", "held"])
def test_deviations_of_inputs_act_as_recorded_ones_do(inputs):
    """Between samples too: on straight lines, or held."""
    found = problem_of("five_bar", inputs=inputs)
    one, size = found.grid.prepared, found.space.size
    w = np.random.default_rng(0).standard_normal(found.grid.noise.shape)
    moved = replace(one.runs[0], u=one.runs[0].u + found.grid.noise * w)
    defects = []
    for prepared, deviations in ((one, w), (replace(one, runs=(moved,)), 0 * w)):
        program = Collocated(grid_of(prepared, 3), size)
        nodes = np.zeros(program.grid.sizes[0])
        defects.append(program.point(np.concatenate([nodes, deviations.ravel(), found.space.start / size])).g)
    assert_allclose(*defects, atol=1e-12 * np.max(np.abs(defects)))


@pytest.mark.parametrize("name", MACHINES)
def test_half_the_interval_leaves_a_sixteenth_of_the_error(name):
    """Order 4: exact inputs and a motion through collocated nodes, against the adaptive integrator."""
    truth, clean, names, _ = pushed(name, np.arange(0, 0.5501, 0.0125))
    study = study_of(
        truth, clean, list(names), "collocation", noise=noise_of(clean, 1e-9), problem="output", processing=CUBIC
    )
    found, errors = output_error(study)[0].problem, []
    (run,) = found.grid.prepared.runs
    for every in (4, 2):
        part = {x: getattr(run, x)[::every] for x in ("t", "measured", "u", "gaps", "q", "v")}
        grid = grid_of(replace(found.grid.prepared, runs=(replace(run, **part),)), 1)
        point = CollocationResiduals(found.space, Collocated(grid, found.space.size)).point(found.space.start)
        errors.append(np.linalg.norm(point.e[: grid.measured.size]) / np.sqrt(grid.measured.size))
    assert 10 < errors[0] / errors[1] < 30, errors


@pytest.mark.parametrize("name", MACHINES)
def test_standard_errors_are_those_of_the_reduced_hessian(name):
    """Against a basis of all changes that obey the linearised equations of motion, dense."""
    problem = problem_of(name, t=T[:40])
    p = problem.space.start
    J, point = problem.jacobian(p), problem.point(p)
    Z, k = null_space(point.A.toarray()), len(p)
    RZ = point.R @ Z
    covariance = Z @ np.linalg.solve(RZ.T @ RZ, Z.T)
    ours = np.linalg.inv(J.T @ J) / np.outer(problem.space.size, problem.space.size)
    assert_allclose(ours, covariance[-k:, -k:], rtol=1e-6)


def test_the_gradient_of_the_cost_is_exact_though_the_motion_follows():
    problem = problem_of("five_bar", t=T[:40])
    p = 1.1 * problem.space.start
    gradient = 2 * problem.jacobian(p).T @ problem.residuals(p)
    for k, h in enumerate(1e-3 * p):
        costs = [np.sum(problem.residuals(p + s * h * np.eye(len(p))[k]) ** 2) for s in (-2, -1, 1, 2)]
        assert gradient[k] == pytest.approx((costs[0] - 8 * costs[1] + 8 * costs[2] - costs[3]) / 12 / h, rel=1e-3)


@pytest.mark.parametrize("name", MACHINES)
def test_with_exact_inputs_it_agrees_with_the_simulation(name):
    """Inputs are exact, and told to be nearly so."""
    simulated, collocated = (identified(name, method, 1e-7, 1)[0] for method in (None, "collocation"))
    assert np.all(np.abs(collocated.value - simulated.value) < 0.05 * simulated.deviation)
    assert "numerics sound" in collocated.verdict


@pytest.mark.parametrize("name", MACHINES)
def test_noisy_inputs_widen_the_error_bars_of_a_simulation_more_than_those_of_the_collocation(name):
    simulated, far = identified(name, None, TORQUE, 0)
    collocated, near = identified(name, "collocation", TORQUE, 0)
    assert np.max(np.abs(far)) < 3
    assert np.max(np.abs(near)) < 3
    assert np.all(collocated.deviation < simulated.deviation)
    assert "noise of the recorded forces makes error bars up to" in simulated.verdict
    assert "numerics sound" in collocated.verdict
    assert "makes error bars" not in collocated.verdict
    assert {"q1", "q2"} < {channel.channel for channel in collocated.fit.channels}  # torques are explained too


@pytest.mark.slow
def test_inertia_of_a_spatial_platform_by_both():
    """Six drives hold a hexapod about an unstable pose; forces exact, then noisy."""
    noise, t = 5e-5, np.arange(0, 0.3, 0.005)
    hexapod, rec, names = held_hexapod(t, noise)
    given = {"problem": "output", "processing": CUBIC}
    found = [
        poinsot.identify(off(hexapod, names, 1.3), rec, names, m, noise={"*.length": noise, "leg?": 1e-6}, **given)
        for m in (None, "collocation")
    ]
    assert np.all(np.abs(found[1].value - found[0].value) < 0.05 * found[1].deviation)
    shaken, rng = dict(rec.values), np.random.default_rng(2)
    shaken |= {f"leg{k}": rec[f"leg{k}"] + 0.3 * rng.standard_normal(len(t)) for k in range(1, 7)}
    rec, sizes = poinsot.Recording.of(t, shaken), {"*.length": noise, "leg?": 0.3}
    est = poinsot.identify(off(hexapod, names, 1.3), rec, names, "collocation", noise=sizes, **given)
    assert np.all(np.abs(est.value - [hexapod.parameters[n].value for n in names]) < 3.5 * est.deviation)
    assert "numerics sound" in est.verdict


@pytest.mark.slow
def test_the_profile_of_the_likelihood_is_that_of_the_standard_error():
    truth, clean, _, size = pushed("five_bar", T[:50])
    rec, noise = noisy(clean, ENCODER, TORQUE * size, 1), noise_of(clean, TORQUE * size)
    est = poinsot.identify(truth, rec, ["forearm2.mass"], "collocation", problem="output", noise=noise)
    interval = est.profile("forearm2.mass")
    assert interval.upper - interval.lower == pytest.approx(2 * 1.96 * est.deviation[0], rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("method", [None, "collocation"])
@pytest.mark.parametrize("block", share(range(3)))
def test_error_bars_cover_the_truth_with_noisy_inputs(name, method, block):
    """95 % of the intervals hold the truth."""
    seeds = range(40 * block, 40 * block + repetitions(40))
    inside = np.array([np.abs(identified(name, method, TORQUE, seed)[1]) < 1.96 for seed in seeds])
    assert abs(np.mean(inside) - 0.95) < 4 * np.sqrt(0.05 * 0.95 / inside.size), np.mean(inside, axis=0)


def test_what_is_left_of_a_constant_torque_is_compared_with_its_noise():
    """Positions tell a part of the noise of a torque, which is no failure to follow."""
    truth, clean, names, size = pushed("five_bar", T)
    est = poinsot.identify(
        truth,
        noisy(clean, ENCODER, size, 1),
        list(names),
        "collocation",
        problem="output",
        noise=noise_of(clean, size),
    )
    left = [f for f in est.fit.channels if f.channel.startswith("shoulder")]
    assert any(f.relative > 0.2 and f.correlation > 0.65 for f in left)
    assert all(f.rms < size for f in left)
    assert "does not follow" not in est.verdict


def test_delays_are_unknowns_besides(tmp_path):
    """Explained as in a simulation, with the same values: no input is noisy."""
    pendulum, t = sprung(tmp_path), np.arange(0, 0.8, 0.01)
    rec = swing(pendulum, np.arange(0, 0.82, 0.01), 1e-3, 1)
    late = poinsot.Recording.of(t, {"phi1": rec["phi1"][2:], "phi2": rec["phi2"][:-2]})
    names, start = ["spring.stiffness", "delay phi2"], off(pendulum, SWING[2:], 1.1)
    found = [poinsot.identify(start, late, names, m, problem="output", noise=1e-3) for m in (None, "collocation")]
    assert abs(found[1]["delay phi2"].value - 0.02) < 3.5 * found[1]["delay phi2"].deviation
    assert np.all(np.abs(found[1].value - found[0].value) < 0.01 * found[1].deviation)


def test_priors_bounds_and_what_is_undetermined(tmp_path):
    pendulum = sprung(tmp_path)
    rec, given = swing(pendulum, T, 2e-3, 1), {"problem": "output", "noise": 2e-3}
    prior = {"spring.stiffness": {"prior": 1.6, "deviation": 1e-6}}
    est = poinsot.identify(pendulum, rec, prior, "collocation", **given)
    assert est.value[0] == pytest.approx(1.6, abs=1e-5)
    bound = poinsot.identify(pendulum, rec, {"spring.stiffness": {"bounds": [1.6, 3]}}, "collocation", **given)
    assert "On a bound" in bound.verdict
    names = ["upper.mass", "upper.inertia", "lower.mass", "lower.inertia", *SWING]
    every = poinsot.identify(off(pendulum, names, 1.02), rec, names, "collocation", **given)
    assert len(every.combinations) < len(names)
    assert every.undetermined


def test_held_out_runs_and_gaps_of_inputs():
    truth, clean, names, size = pushed("arm", T)
    used, other = (noisy(clean, ENCODER, TORQUE * size, seed) for seed in (1, 2))
    used = used.masked(np.arange(30, 34), "dropped", "elbow")
    given = {"problem": "output", "noise": noise_of(clean, TORQUE * size)}
    est = poinsot.identify(truth, used, list(names), "collocation", validate=other, **given)
    assert "predicts held-out runs" in est.verdict
    assert np.all(np.abs(est.value - [truth.parameters[n].value for n in names]) < 3.5 * est.deviation)
    wrong = poinsot.Recording.of(T, {n: 1.3 * other[n] if n == "shoulder" else other[n] for n in other})  # a fault
    est = poinsot.identify(truth, used, list(names), "collocation", validate=wrong, **given)
    assert "does not predict held-out runs" in est.verdict


def test_bad_input_is_said_in_one_sentence(tmp_path):
    truth, clean, names, size = pushed("arm", T)
    rec = noisy(clean, ENCODER, TORQUE * size, 1)
    pendulum = sprung(tmp_path)

    def refuse(match, mechanism=truth, recording=rec, unknowns=names, **more):
        with pytest.raises(PoinsotError, match=match) as error:
            poinsot.identify(mechanism, recording, unknowns, "collocation", **{"problem": "output", **more})
        assert "\n" not in str(error.value)

    refuse(
        "give the standard deviation of elbow and shoulder|give the standard deviation of shoulder",
        noise={"q*": ENCODER},
    )
    refuse("which is no measured channel", noise={"psi": 1.0})
    refuse("for simulated motions", problem="forces")
    stiff = {"spring.stiffness": {"start": 1e12}}
    refuse("unstable with the values at the start", pendulum, swing(pendulum, T, 1e-3, 1), stiff, noise=1e-3)
    run = SERIAL.run(1, 1e-4, 0.02, 1.0)
    refuse("machines under control are simulated", SERIAL.mechanism, run, ["lower.mass"], control=SERIAL.control)


def test_a_program_that_is_cut_short_is_called_that():
    est, _ = identified("arm", {"name": "collocation", "iterations": 1}, TORQUE, 1)
    assert "did not settle" in est.verdict
