"""Channels that are recorded late: unknown delays beside the other unknowns, and those that the model states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.problems.output.measurement import output_error
from poinsot.estimate.study import study_of
from tests.estimate.machines import SERIAL
from tests.estimate.output.machines import SPRUNG, SWING, off, sprung

T, NOISE, BEFORE = np.arange(0, 1.5, 0.01), 1e-3, 0.1
LATE = {"phi2": 0.0234}
ENCODERS = """
[sensors.upper_encoder]
type = "encoder"
on = { joint = "shoulder" }
[sensors.lower_encoder]
type = "encoder"
on = { joint = "elbow" }
delay = "17.3 ms"
"""


def swung(mechanism, late, noise=NOISE, seed=1, t=T, **more) -> poinsot.Recording:
    """A free motion, some time after it began, with channels as they were a while before."""
    fine = np.arange(0, BEFORE + t[-1] + 0.1, 0.002)
    run, rng = poinsot.simulate(mechanism, fine[-1], t=fine, **more), np.random.default_rng(seed)
    found = {
        name: CubicSpline(fine, run.coordinates[name])(t + BEFORE - late.get(name, 0.0)) for name in ("phi1", "phi2")
    }
    return poinsot.Recording.of(t, {n: x + noise * rng.standard_normal(len(t)) for n, x in found.items()})


def off_by(est, truth) -> np.ndarray:
    """Distances from the truth in standard errors."""
    return np.array([(v.value - truth[v.name]) / v.deviation for v in est.parameters])


def truth_of(mechanism, names, **delays) -> dict[str, float]:
    return {n: mechanism.parameters[n].value for n in names} | {f"delay {n}": x for n, x in delays.items()}


@pytest.mark.parametrize("delay", [0.0234, 0.02, -0.0151], ids=["late", "whole samples", "ahead"])
def test_the_delay_of_an_encoder_is_found_beside_damping_and_stiffness(tmp_path, delay):
    pendulum = sprung(tmp_path)
    rec, names = swung(pendulum, {"phi2": delay}), [*SWING, "delay phi2"]
    given = {"problem": "output", "noise": NOISE}
    whole = poinsot.identify(off(pendulum, SWING, 1.2), rec, names, **given)
    assert np.all(np.abs(off_by(whole, truth_of(pendulum, SWING, phi2=delay))) < 3.5)
    assert whole["delay phi2"].deviation < 2e-4
    assert "numerics sound" in whole.verdict
    cut = poinsot.identify(off(pendulum, SWING, 1.2), rec, names, **given, processing={"segment": 0.4})
    assert np.all(np.abs(cut.value - whole.value) < 0.1 * whole.deviation)
    without = poinsot.identify(off(pendulum, SWING, 1.2), rec, list(SWING), **given)
    assert "The model does not fit" in without.verdict


@pytest.mark.parametrize("segment", [{}, {"segment": 0.4}], ids=["whole", "segments"])
def test_the_derivative_by_a_delay_is_that_of_differences_and_the_speed(tmp_path, segment):
    pendulum = sprung(tmp_path)
    names = [*SWING, "delay phi1", "delay phi2"]
    study = study_of(pendulum, swung(pendulum, LATE), names, None, noise=NOISE, processing=segment, problem="output")
    shooting = output_error(study)[0].problem.shooting
    x = np.array([*(pendulum.parameters[n].value for n in SWING), 0.0061, 0.0234])
    z = np.zeros((1, len(shooting.segments), 4))
    shot = shooting.shot(x[None], z, parameters=True)
    for k in (3, 4):
        h = 1e-5 * np.eye(5)[k]
        e = [shooting.shot((x + s * h)[None], z).e for s in (-2, -1, 1, 2)]
        slope = (e[0] - 8 * e[1] + 8 * e[2] - e[3]) / 12 / 1e-5
        assert_allclose(shot.e_x[..., k], slope, atol=1e-6 * np.max(np.abs(slope)))
        assert np.all(shot.r_x[..., k] == 0)
    if not segment:
        y0 = shooting.starts.y[0]
        pose, rates = (dict(zip(("phi1", "phi2"), part)) for part in (y0[:2], y0[2:]))
        run = poinsot.simulate(pendulum, T[-1], t=T, pose=pose, velocity=rates)
        for c, (name, k) in enumerate((("phi1", 3), ("phi2", 4))):
            m = int(np.ceil(x[k] / 0.01))
            speed = CubicSpline(T, run.rates[name])(T[14:-14] + m * 0.01 - x[k])
            assert_allclose(NOISE * shot.e_x[0, 0, 14:-14, c, k], speed, atol=1e-4 * np.max(np.abs(speed)))


def test_delays_that_the_model_states_are_taken_into_account(tmp_path):
    (tmp_path / "read.toml").write_text(SPRUNG + ENCODERS)
    pendulum = poinsot.load(tmp_path / "read.toml")
    rec = swung(pendulum, {"phi2": 0.0173})
    rec = poinsot.Recording.of(T, {"upper_encoder": rec["phi1"], "lower_encoder": rec["phi2"]})
    start, given = off(pendulum, SWING, 1.2), {"problem": "output", "noise": NOISE}
    est = poinsot.identify(start, rec, list(SWING), **given)
    assert np.all(np.abs(off_by(est, truth_of(pendulum, SWING))) < 3.5)
    assert "numerics sound" in est.verdict
    more = poinsot.identify(start, rec, [*SWING, "delay lower_encoder"], **given)
    assert (
        abs(more["delay lower_encoder"].value) < 3.5 * more["delay lower_encoder"].deviation
    )  # beyond the stated one
    wrong = poinsot.identify(start.with_parameters({"lower_encoder.delay": 0.0}), rec, list(SWING), **given)
    assert "The model does not fit" in wrong.verdict  # the fault: it is not stated


@pytest.mark.parametrize("channel", ["q1", "elbow"])
def test_delays_under_control(channel):
    """Of an encoder, and of a recorded torque, in a simulation with controllers."""
    rec, truth, delay = SERIAL.run(1, 0.0, 0.0, 2.0), SERIAL.mechanism, 0.0071
    rng, sizes = np.random.default_rng(3), {"q1": 1e-4, "q2": 1e-4, "shoulder": 0.02, "elbow": 0.02}
    late = {channel: CubicSpline(rec.t, rec[channel])(rec.t - delay)}
    samples = {n: {**rec.values, **late}[n] + s * rng.standard_normal(len(rec.t)) for n, s in sizes.items()}
    rec, names = replace(rec, values={**rec.values, **samples}), ["lower.com.x", "shoulder.viscous"]
    bounded = {n: {} for n in names} | {f"delay {channel}": {"bounds": [0, 0.02]}}
    est = poinsot.identify(
        off(truth, names, 1.1), rec, bounded, problem="output", control=SERIAL.control, noise=sizes
    )
    assert np.all(np.abs(off_by(est, truth_of(truth, names, **{channel: delay}))) < 3.5)
    assert est[f"delay {channel}"].deviation < 2e-4


def test_runs_that_were_not_used_are_predicted_with_the_delay(tmp_path):
    pendulum = sprung(tmp_path)
    other, names = swung(pendulum, LATE, seed=5, pose={"phi1": -0.4, "phi2": 0.6}), ["spring.stiffness", "delay phi2"]
    used = swung(pendulum, LATE)
    est = poinsot.identify(pendulum, used, names, validate=other, problem="output", noise=NOISE)
    assert "predicts held-out runs" in est.verdict
    assert est.mechanism.parameters["spring.stiffness"].value == est["spring.stiffness"].value


def test_a_delay_alone_and_what_is_refused(tmp_path):
    pendulum = sprung(tmp_path)
    rec = swung(pendulum, LATE)
    alone = poinsot.identify(pendulum, rec, ["delay phi*"], problem="output", noise=NOISE)
    assert alone.names == ("delay phi1", "delay phi2")
    assert abs(alone["delay phi2"].value - LATE["phi2"]) < 3.5 * alone["delay phi2"].deviation
    bound = poinsot.identify(pendulum, rec, {"delay phi2": {"bounds": [0, 0.01]}}, problem="output", noise=NOISE)
    assert "On a bound: delay phi2" in bound.verdict
    for names, match in ((["delay psi"], "measured channel 'psi'"), (["gain phi1"], "delays, not what is asked for")):
        with pytest.raises(PoinsotError, match=match) as error:
            poinsot.identify(pendulum, rec, names, problem="output")
        assert "\n" not in str(error.value)
