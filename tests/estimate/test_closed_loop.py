"""Machines under control: noise of encoders biases least squares, and neither instruments nor simulated forces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.estimate.closed_loop.controllers import PID, Control
from poinsot.estimate.closed_loop.instruments import ClosedLoops, linear_values
from poinsot.estimate.methods.base import LinearRows
from poinsot.estimate.methods.hausman import bias_test
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.problem import linear_problem
from poinsot.estimate.rows.runs import rows_of_run
from poinsot.estimate.study import Role, Unknown, study_of
from poinsot.estimate.unknowns import unknowns_in
from tests.estimate.machines import MACHINES, SERIAL, Machine
from tests.estimate.runs import noise
from tests.generated.share import least, limits, repetitions, share
from tests.recording.conftest import data as data  # the folder of measured data

MODELS = Path(__file__).parent / "models"
PROCESSING = {"cutoff": 20.0, "rate": 60.0}
NOISE = {"serial": (3e-4, 0.3), "loop": (3e-4, 0.01)}  # of encoders [rad] and forces [N·m]
SECONDS = 4.0


def problem_of(machine: Machine, recording: poinsot.Recording, steps: dict[str, int]):
    """Rows of a recording under control, without what is known of its noise; `steps` of integration, once known."""
    study = study_of(machine.mechanism, recording, list(machine.unknowns), "weighted", processing=PROCESSING)
    asked = unknowns_in(study, study.unknowns)
    rows, _ = rows_of_run(study.runs[0], asked, (), study.processing)
    loops = ClosedLoops(machine.control, study.processing)
    loops.steps = steps
    return replace(linear_problem(asked, (rows,), np.ones(len(machine.drives))), simulate=loops)


@one_blas_thread()
def off(name: str, method: str, times: int, colour: float = 0.0) -> np.ndarray:
    """Distances from the truth (times, r) in standard errors; encoders are noisy, controllers see that."""
    machine, found, steps = MACHINES[name], [], {}
    for seed in range(times):
        run = machine.run(seed, *NOISE[name], SECONDS, colour)
        one = method_of(method).solve(problem_of(machine, run, steps).rows)
        assert one.message == ""
        found.append(one.d / np.sqrt(np.diagonal(one.covariance)))
    return np.array(found)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("method", ["instruments", "didim"])
def test_methods_that_simulate_are_unbiased_and_their_error_bars_cover(name, method):
    z = off(name, method, 12)
    assert np.abs(z.mean(axis=0)).max() < 4 / np.sqrt(len(z))
    assert np.mean(np.abs(z) < 1.96) > 0.85


@pytest.mark.parametrize("name", MACHINES)
def test_least_squares_is_biased_by_noise_of_the_encoders(name):
    assert np.abs(off(name, "weighted", 16).mean(axis=0)).max() > 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "name", "colour"),
    [
        *share([("instruments", name, colour) for colour in (0.0, 0.8) for name in MACHINES]),
        *share([("didim", name, colour) for colour in (0.0, 0.8) for name in MACHINES]),
    ],
)
def test_error_bars_cover_the_truth_as_often_as_they_say(method, name, colour):
    """White and coloured noise of the forces; that of the encoders is white, and the machine answers to it."""
    inside, (lower, upper) = np.abs(off(name, method, repetitions(500), colour)) < 1.96, limits(500)
    assert lower <= inside.mean() <= upper, inside.mean(axis=0)
    assert inside.mean(axis=0).min() >= least(500, inside.shape[1]), inside.mean(axis=0)


def rejected(endogenous: float, colour: float, times: int) -> float:
    """Share of repetitions in which the test finds a bias, with columns that hold a part of the noise."""
    count, rng = 0, np.random.default_rng(3)
    for _ in range(times):
        Z = noise(rng, (300, 1, 3), 0.8)
        e = 0.5 * noise(rng, (300, 1), colour)
        X = Z + 0.5 * noise(rng, Z.shape, 0.5) + endogenous * e[:, :, None]
        z, good = X @ [1.0, -2.0, 3.0] + e, np.ones((300, 1), bool)
        rows = LinearRows(
            (X,), (z,), (good,), (np.zeros((0, 3)), np.zeros(0)), np.ones(1), None, lambda d, Z=Z, z=z: ([Z], [z])
        )
        count += bias_test(rows, np.zeros(3), np.array([0.5])).biased
    return count / times


@pytest.mark.parametrize("colour", [0.0, 0.5])
def test_bias_is_found_where_it_is_and_in_one_of_twenty_where_it_is_not(colour):
    assert 0.01 <= rejected(0.0, colour, 150) <= 0.09
    assert rejected(0.5, colour, 40) > 0.9


@pytest.mark.parametrize("name", MACHINES)
def test_the_verdict_says_whether_least_squares_is_biased(name):
    machine = MACHINES[name]
    options = {"processing": PROCESSING, "control": machine.control}
    encoder, force = NOISE[name]
    noisy, clean = (machine.run(5, sigma, force, SECONDS) for sigma in (encoder, 0.0))
    found = {
        m: poinsot.identify(machine.mechanism, noisy, list(machine.unknowns), m, **options)
        for m in ("weighted", "instruments")
    }
    for est in found.values():
        assert "least squares is biased here (p = " in est.verdict
    assert any("noise of the motion makes it" in p.remark for p in found["weighted"].parameters)
    assert not any("noise of the motion makes it" in p.remark for p in found["instruments"].parameters)
    assert any("simulated motion is" in step for step in found["instruments"].steps)
    est = poinsot.identify(machine.mechanism, clean, list(machine.unknowns), **options)
    assert "no bias of least squares is seen" in est.verdict


def test_a_payload_moves_with_the_machine_in_its_own_runs():
    unknowns = (Unknown("lower.mx"), Unknown("lower.m", payload=True))
    study = study_of(SERIAL.mechanism, SERIAL.run(0, 0, 0, 1.0), unknowns, "weighted")
    asked = unknowns_in(study, study.unknowns)
    values = {}
    for role in (Role.IDENTIFY, Role.PAYLOAD):
        parameters, theta = linear_values(asked, np.array([0.7, 0.25]), role)
        values[role] = dict(zip((p.name for p in parameters), theta))
    assert values[Role.IDENTIFY]["lower.m"] == 2.0
    assert values[Role.PAYLOAD]["lower.m"] == 2.25
    assert values[Role.PAYLOAD]["lower.mx"] == values[Role.IDENTIFY]["lower.mx"] == 0.7


GOOD = {"type": "pid", "reference": "q1.wanted", "kp": 10.0}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"shoulder": {**GOOD, "type": "pdi"}}, "did you mean 'pid'"),
        ({"shoulder": {**GOOD, "kq": 1.0}}, "there is no entry 'kq'"),
        ({"shoulder": {"type": "cascade", "reference": "q1.wanted", "kp": 1.0}}, "needs 'kv'"),
        ({"shoulder": {**GOOD, "kp": "high"}}, "kp is a number"),
        ({"shoulder": {**GOOD, "differences": 2}}, "give it a rate"),
        ({"shoulder": {**GOOD, "lower": 1.0, "upper": -1.0}}, "wrong order"),
        ({"shoulder": 3}, "needs a table"),
        ({"rate": -5.0, "shoulder": GOOD}, "positive"),
        ({}, "control names no drive"),
        ({"shulder": GOOD}, "did you mean 'shoulder'"),
        ({"shoulder": {**GOOD, "reference": "q9"}}, "no recording of q9"),
    ],
)
def test_controllers_that_cannot_be_are_refused_by_name(given, said):
    with pytest.raises(PoinsotError, match=said):
        poinsot.identify(SERIAL.mechanism, SERIAL.run(0, 0, 0, 1.0), list(SERIAL.unknowns), control=given)


def test_methods_that_simulate_need_controllers():
    with pytest.raises(PoinsotError, match="give the study its controllers"):
        poinsot.identify(SERIAL.mechanism, SERIAL.run(0, 1e-4, 0.1, 1.0), list(SERIAL.unknowns), "didim")


def test_controllers_that_make_the_machine_unstable_are_named():
    wrong = Control((("shoulder", PID(reference="q1.wanted", kp=-800.0)), ("elbow", SERIAL.drives["elbow"])))
    with pytest.raises(PoinsotError, match="unstable"):
        poinsot.identify(SERIAL.mechanism, SERIAL.run(0, 0, 0.1, 2.0), list(SERIAL.unknowns), control=wrong)


def emps(data: Path, name: str) -> poinsot.Recording:
    return poinsot.read(data / "emps" / f"{name}.mat", columns=MODELS / "emps_columns.toml")


def slide(
    rec: poinsot.Recording, method: str, cutoff: float = 100.0, rate: float = 100.0, **more
) -> poinsot.Estimate:
    """Mass, viscous and Coulomb friction and offset of the EMPS, whose voltage is that of a sampled cascade."""
    force = float(rec.constants["gtau"])
    gains = {"kp": rec.constants["kp"], "kv": rec.constants["kv"], "gain": force}
    cascade = {"type": "cascade", "reference": "reference", "lower": -10 * force, "upper": 10 * force, **gains}
    options = {"control": {"rate": 1000.0, "drive": {**cascade, "differences": 2}}, **more}
    unknowns, model = ["slide.m", "rail.viscous", "rail.coulomb", "rail.offset"], poinsot.load(MODELS / "emps.toml")
    return poinsot.identify(model, rec, unknowns, method, processing={"cutoff": cutoff, "rate": rate}, **options)


PUBLISHED = [95.1089, 203.5034, 20.3935, -3.1648]


@pytest.mark.parametrize("method", ["weighted", "instruments", "didim"])
def test_the_slide_has_its_published_parameters_by_every_method(data, method):
    est = slide(emps(data, "DATA_EMPS"), method)
    assert np.all(np.abs(est.value - PUBLISHED) < 2 * est.deviation)
    assert_allclose(est.value, PUBLISHED, rtol=0.03)
    assert est.value[0] == pytest.approx(PUBLISHED[0], abs=est.deviation[0])


def test_the_slide_has_its_published_mass_by_rows_that_do_not_know_of_the_hold_as_those_published(data):
    assert slide(emps(data, "DATA_EMPS"), "weighted", control=None).value[0] == pytest.approx(PUBLISHED[0], rel=1e-3)


def test_a_bad_filter_biases_least_squares_and_not_instruments(data):
    rec = emps(data, "DATA_EMPS").between(0.0, 12.5)
    found = {m: slide(rec, m, 490.0, 1000.0) for m in ("weighted", "instruments")}
    mass = {m: est["slide.m"] for m, est in found.items()}
    assert mass["weighted"].value < PUBLISHED[0] - 3 * mass["weighted"].deviation
    assert mass["instruments"].value == pytest.approx(PUBLISHED[0], abs=mass["instruments"].deviation)
    assert "least squares is biased here" in found["weighted"].verdict


def test_pulses_that_were_not_used_are_predicted(data):
    run, pulses = (emps(data, name) for name in ("DATA_EMPS", "DATA_EMPS_PULSES"))
    assert "predicts held-out runs" in slide(run, "instruments", validate=pulses).verdict
    est = slide(run, "weighted", validate=pulses)
    assert est.validation is not None
    assert est.validation["drive"].relative < 1.2 * est.fit["drive"].relative


def test_simulated_forces_know_that_voltages_are_held(data):
    """Friction by least squares is 2 % away from that by DIDIM, unless forces act when they do."""
    run = emps(data, "DATA_EMPS")
    plain = slide(run, "weighted", control=None)
    late, simulated = slide(run, "weighted"), slide(run, "didim")
    assert abs(plain["rail.viscous"].value / simulated["rail.viscous"].value - 1) > 0.02
    assert_allclose(late.value, simulated.value, rtol=0.01)


@pytest.mark.parametrize("wrong", ["", "differences", "rate", "kv"])
def test_forces_of_a_simulated_slide_are_contradicted_where_controllers_are_not_its_own(data, wrong):
    run, model = emps(data, "DATA_EMPS"), poinsot.load(MODELS / "emps.toml")
    force, kp, kv = (float(run.constants[name]) for name in ("gtau", "kp", "kv"))
    drive = {"type": "cascade", "reference": "reference", "kp": kp, "kv": kv, "gain": force, "differences": 2}
    control = {
        "": {"rate": 1000.0, "drive": drive},
        "differences": {"rate": 1000.0, "drive": drive | {"differences": 1}},
        "rate": {"drive": drive | {"differences": 0}},
        "kv": {"rate": 1000.0, "drive": drive | {"kv": 1.1 * kv}},
    }[wrong]
    unknowns = ["slide.m", "rail.viscous", "rail.coulomb", "rail.offset"]
    est = poinsot.identify(model, run, unknowns, "didim", control=control, channels="drive")
    said = [text for text in est.numerics if "recorded forces contradict these values: along the" in text]
    assert len(said) == bool(wrong)
    assert not wrong or "slide.m = 95." in said[0]


@pytest.mark.parametrize("gain", [1.0, 1.1, 1.3])
@pytest.mark.parametrize("name", MACHINES)
def test_simulated_forces_of_the_machines_own_controllers_are_never_contradicted(name, gain):
    """Controllers that are not its own are where they matter: the loop's say nothing of its values."""
    machine, said = MACHINES[name], []
    drives = {drive: replace(one, kp=gain * one.kp) for drive, one in machine.drives.items()}
    control, seeds = replace(machine, drives=drives).control, 2 if gain > 1 else repetitions(12)
    for seed in range(seeds):
        run = machine.run(seed, *NOISE[name], SECONDS)
        est = poinsot.identify(
            machine.mechanism, run, list(machine.unknowns), "didim", control=control, processing=PROCESSING
        )
        said += [text for text in est.numerics if "recorded forces contradict" in text]
    assert len(said) == (seeds if gain > 1 and name == "serial" else 0)


HELD = (95.13, 208.3, 20.03)  # mass, viscous and Coulomb friction  [kg, N·s/m, N]
GAINS = 160.18, 243.45 * 35.15


def held_slide(noise: float = 0.0, seed: int = 0) -> poinsot.Recording:
    """A slide as the EMPS whose voltages are held, by equations of its own, with noise on the encoder [m]."""
    (mass, viscous, coulomb), (kp, kv), rng = HELD, GAINS, np.random.default_rng(seed)
    period, x, v = 1e-3, 0.0, 0.0
    t = np.arange(0.0, 6.0, period)
    wanted = 0.05 * np.sin(2.0 * t) + 0.01 * np.sin(7.0 * t)
    q, u, past = np.zeros_like(t), np.zeros_like(t), [0.0, 0.0]
    for k in range(len(t)):
        q[k] = x + noise * rng.standard_normal()
        u[k] = kv * (kp * (wanted[k] - q[k]) - (q[k] - past[1]) / (2 * period))
        past = [q[k], past[0]]
        for _ in range(4):  # the force is held; Heun's steps
            first = (u[k] - viscous * v - coulomb * np.tanh(v / 1e-3)) / mass
            ahead = v + period / 4 * first
            second = (u[k] - viscous * ahead - coulomb * np.tanh(ahead / 1e-3)) / mass
            x, v = x + period / 8 * (v + ahead), v + period / 8 * (first + second)
    return poinsot.Recording.of(t, {"q": q, "drive": u, "reference": wanted})


def held_estimate(rec: poinsot.Recording, method: str, sampled: bool = True) -> poinsot.Estimate:
    """Its parameters, with controllers that hold forces or are continuous."""
    smooth = (MODELS / "emps.toml").read_text().replace("smooth = 0.0", 'smooth = "0.001 m/s"')
    model, unknowns = poinsot.loads(smooth, "emps"), ["slide.m", "rail.viscous", "rail.coulomb"]
    cascade = {"type": "cascade", "reference": "reference", "kp": GAINS[0], "kv": GAINS[1]}
    ways = {True: {"rate": 1000.0, "drive": {**cascade, "differences": 2}}, False: {"drive": cascade}}
    options = {"processing": {"cutoff": 100.0, "rate": 100.0}, "control": ways[sampled]}
    return poinsot.identify(model, rec, unknowns, method, **options)


@pytest.mark.parametrize("method", ["weighted", "instruments", "didim"])
def test_a_slide_with_held_voltages_is_found_by_controllers_that_hold_them(method):
    """Of parameters as EMPS has them; controllers without a rate miss the friction by half a sample of the force."""
    est = held_estimate(held_slide(), method)
    assert_allclose(est.value, HELD, rtol=2e-3)
    said = [step for step in est.steps if "forces of drives are held for 1 ms" in step]
    assert len(said) == (method != "didim")
    assert held_estimate(held_slide(), method, sampled=False)["rail.viscous"].value < 0.99 * HELD[1]


@pytest.mark.parametrize("method", ["weighted", "instruments"])
def test_bars_cover_the_friction_of_a_slide_with_held_voltages(method):
    found = [held_estimate(held_slide(2e-6, seed), method) for seed in range(repetitions(8))]
    z = np.array([(est.value - HELD) / est.deviation for est in found])
    assert np.mean(np.abs(z) < 1.96) > 0.8, z
