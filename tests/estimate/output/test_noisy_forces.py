"""Output error with noise in the recorded forces: what it does to values is in their error bars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.estimate.problems.output import input_noise
from poinsot.estimate.problems.output.input_noise import DRAWS, input_changes, likely
from poinsot.estimate.problems.output.measurement import output_error
from poinsot.estimate.search.determined import apart
from poinsot.estimate.study import study_of
from poinsot.recording.filtering.held_samples import HELD
from poinsot.recording.place import placed
from tests.estimate.output.machines import noisy, pushed

T, ENCODER = np.arange(0, 1, 0.01), 1e-3  # [s], [rad]
CUBIC = {"inputs": "cubic"}


def estimated(torque: float, seed: int, told: bool = True, **more) -> tuple[poinsot.Estimate, np.ndarray]:
    """An arm with torque noise of a part of its torques, and distances from the truth in standard errors."""
    machine, clean, names, size = pushed("arm", T)
    noise = {"q*": ENCODER} | ({name: torque * size for name in ("shoulder", "elbow")} if told and torque else {})
    rec = noisy(clean, ENCODER, torque * size, seed)
    est = poinsot.identify(machine, rec, list(names), problem="output", noise=noise, processing=CUBIC, **more)
    return est, (est.value - [machine.parameters[n].value for n in names]) / est.deviation


@pytest.mark.parametrize("torque", [0.002, 0.05])
@pytest.mark.parametrize("told", [True, False])
def test_error_bars_are_the_scatter_of_estimates(torque, told):
    z = np.sqrt(np.mean([estimated(torque, seed, told)[1] ** 2 for seed in range(24)], axis=0))
    assert np.all((z > 0.7) & (z < 1.4)), z


def test_the_noise_is_told_and_named_in_the_verdict_where_it_dominates():
    exact, small, large = (estimated(torque, 1)[0] for torque in (0.0, 0.0002, 0.05))
    assert not [step for step in exact.steps if "noise of the recorded forces" in step]
    for est, size in ((small, "0.001 N·m"), (large, "0.25 N·m")):
        assert any(f"noise of the recorded forces, {size} of shoulder, {size} of elbow" in s for s in est.steps)
    assert_allclose(small.deviation, exact.deviation, rtol=0.15)
    assert np.all(large.deviation > 5 * exact.deviation)
    assert "error bars" not in small.verdict
    assert "noise of the recorded forces makes error bars up to" in large.verdict
    assert "collocation" in large.verdict
    assert "numerics sound" in large.verdict  # residuals are what this noise makes of them


def test_segments_that_are_joined_have_the_error_bars_of_the_whole():
    whole = estimated(0.01, 2)[0].deviation
    machine, clean, names, size = pushed("arm", T)
    noise = {"q*": ENCODER, "shoulder": 0.01 * size, "elbow": 0.01 * size}
    rec = noisy(clean, ENCODER, 0.01 * size, 2)
    processing = CUBIC | {"segment": 0.3}
    cut = poinsot.identify(machine, rec, list(names), problem="output", noise=noise, processing=processing).deviation
    assert_allclose(cut, whole, rtol=0.05)


def test_intervals_of_a_bootstrap_hold_the_noise_of_forces_too():
    est = estimated(0.05, 3, bootstrap=60)[0]
    for name, deviation in zip(est.names, est.deviation):
        low, high = est.bootstrap[name]
        assert (high - low) / (2 * 1.96 * deviation) == pytest.approx(1, abs=0.35)


def test_changes_are_those_of_the_residuals_by_recorded_forces():
    """One drawn noise, added to the recording, against the change of the whole cost's least residuals."""
    machine, clean, names, _ = pushed("arm", T)
    given = {"problem": "output", "noise": {"q*": ENCODER, "shoulder": 1e-3, "elbow": 1e-3}, "processing": CUBIC}
    rec = noisy(clean, ENCODER, 1e-3, 1)
    problem = output_error(study_of(machine, rec, list(names), None, **given))[0].problem
    p = problem.space.start
    changes, _ = input_changes(problem, p)
    rng, (run,) = np.random.default_rng(0), problem.shooting.prepared.runs
    shaken = replace(run, u=run.u + 1e-4 * rng.standard_normal(run.u.shape))  # a tenth: the first draw
    shooting = problem.shooting
    segments = tuple((shaken, a, b) for _, a, b in shooting.segments)
    other = replace(problem.fresh(), shooting=replace(shooting, segments=segments))
    found = 10 * (other.residuals(p) - problem.residuals(p))
    assert changes.shape == (len(found), DRAWS)
    assert_allclose(changes[:, 0], found, atol=0.01 * np.max(np.abs(found)))


def test_rough_forces_that_acted_are_no_noise_where_residuals_deny_it():
    rng, m = np.random.default_rng(0), 400
    wander = np.cumsum(0.3 * rng.standard_normal((m, DRAWS + 1)), axis=0)
    wander, acted, white = wander[:, 1:], wander[:, 0], rng.standard_normal(m)
    assert likely(wander, white) < 0.01
    assert likely(wander, white + acted) > 0.5
    e = apart(white + acted, wander)
    assert np.std(white + acted) > 1.5
    assert np.std(e) == pytest.approx(1, abs=0.15)
    assert abs(e[1:] @ e[:-1]) < 0.15 * (e @ e)


def test_where_simulations_with_the_noise_are_unstable_error_bars_are_said_to_lack_it(monkeypatch):
    monkeypatch.setattr(input_noise, "_changes", lambda *_: None)
    est = estimated(0.05, 1)[0]
    assert any("is not in the error bars: simulations with it are unstable" in doubt for doubt in est.doubts)
    assert not any("is in the error bars" in step for step in est.steps)


@pytest.mark.parametrize("inputs", ["held", "linear"])
def test_forces_that_drives_hold_act_as_they_were_written_however_often(inputs):
    machine, clean, names, _ = pushed("arm", T)
    values = {n: np.repeat(x[::4], 4)[: len(T)] if n in machine.actuators else x for n, x in clean.values.items()}
    rec = placed(poinsot.Recording.of(T, values, units=clean.units), machine)
    assert {f.channel for f in rec.findings if f.code == HELD} == {*machine.actuators}
    study = study_of(machine, rec, list(names), "trust-region", problem="output", processing={"inputs": inputs})
    prepared = output_error(study)[0].problem.shooting.prepared
    run = prepared.runs[0]
    written = np.stack([values[name] for name in prepared.compiled.commands], axis=1)[
        np.searchsorted(T, run.t - 1e-9)
    ]
    assert np.allclose(run.u, written) == (inputs == "held")
