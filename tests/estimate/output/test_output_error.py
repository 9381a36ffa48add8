"""Parameters from simulated motions with known truth: pendulum, closed loop, unstable platform; what goes wrong."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from tests.estimate.output.machines import FRICTION, SWING, five_bar, held_hexapod, off, sprung, swing
from tests.generated.share import share

T = np.arange(0, 2, 0.01)
NOISE = 2e-3
METHODS = ["levenberg-marquardt", *(pytest.param(m, marks=pytest.mark.slow) for m in ("evolution", "swarm"))]


def distance(est: poinsot.Estimate, truth: poinsot.Mechanism) -> np.ndarray:
    """Of values from the truth, in standard errors."""
    return np.array([(v.value - truth.parameters[v.name].value) / v.deviation for v in est.parameters])


def identified(truth, rec, names, method=None, factor=1.4, **more) -> poinsot.Estimate:
    return poinsot.identify(off(truth, names, factor), rec, list(names), method, problem="output", **more)


def test_damping_and_stiffness_of_a_double_pendulum_within_their_error_bars(tmp_path):
    pendulum = sprung(tmp_path)
    rec = swing(pendulum, T, NOISE, 1)
    est = identified(pendulum, rec, SWING, noise=NOISE)
    assert np.all(np.abs(distance(est, pendulum)) < 3)
    assert np.all(est.deviation < 0.03 * est.value)
    assert "numerics sound" in est.verdict
    assert est.mechanism.parameters["spring.stiffness"].value == est["spring.stiffness"].value


@pytest.mark.parametrize(
    "method", ["levenberg-marquardt", "evolution", pytest.param("swarm", marks=pytest.mark.slow)]
)
def test_methods_end_in_the_same_values(tmp_path, method):
    pendulum = sprung(tmp_path)
    rec, names = swing(pendulum, T[::2], NOISE, 1), SWING[2:]
    box = {"spring.stiffness": {"bounds": [0.5, 4.0]}}
    found = [
        poinsot.identify(off(pendulum, names), rec, box, one, problem="output", noise=NOISE) for one in (None, method)
    ]
    assert found[1].value == pytest.approx(found[0].value, abs=1e-3 * found[0].deviation[0])


def test_multiple_shooting_joins_segments_to_the_single_one(tmp_path):
    pendulum = sprung(tmp_path)
    rec = swing(pendulum, T, NOISE, 1)
    whole, cut = (identified(pendulum, rec, SWING, noise=NOISE, processing=p) for p in ({}, {"segment": 0.5}))
    assert np.all(np.abs(cut.value - whole.value) < 0.05 * whole.deviation)
    assert_allclose(cut.deviation, whole.deviation, rtol=0.01)
    free = identified(pendulum, rec, SWING, noise=NOISE, processing={"segment": 0.5, "continuity": np.inf})
    assert np.all(free.deviation > 1.2 * whole.deviation)  # what joints between segments tell is not there
    assert np.all(np.abs(distance(free, pendulum)) < 3)


def test_lengths_and_one_encoder_alone(tmp_path):
    """The lower link is not seen: its motion is what dynamics make of it."""
    pendulum = sprung(tmp_path)
    rec = swing(pendulum, T, 1e-4, 2)
    one = poinsot.Recording.of(T, {"phi1": rec["phi1"]})
    start = off(pendulum, ("upper_length", "spring.stiffness"), 1.05)
    est = poinsot.identify(start, one, ["upper_length", "spring.stiffness"], problem="output", noise=1e-4)
    assert np.all(np.abs(distance(est, pendulum)) < 3.5)
    assert any("near rest in the pose of the model" in step for step in est.steps)


def test_friction_of_a_five_bar_within_its_error_bars():
    noise, t = 1e-3, np.arange(0, 0.8, 0.005)
    machine, rec = five_bar(t, noise, 1)
    est = identified(machine, rec, FRICTION, noise={"q*": noise}, processing={"inputs": "cubic"}, factor=1.3)
    assert np.all(np.abs(distance(est, machine)) < 3)
    assert np.all(est.deviation < 0.1 * est.value)
    assert est.convergence is not None
    assert len(est.convergence.cost) < 20


@pytest.mark.slow
def test_inertia_of_a_hexapod_about_its_unstable_pose():
    """Drives hold the platform; simulated with their recorded forces alone it falls, so that segments are needed."""
    noise = 5e-5
    hexapod, rec, names = held_hexapod(np.arange(0, 0.6, 0.005), noise)
    est = identified(hexapod, rec, names, noise={"*.length": noise}, processing={"inputs": "cubic"}, factor=1.3)
    assert any("multiple shooting" in step for step in est.steps)
    assert np.all(np.abs(distance(est, hexapod)) < 3.5)
    assert np.all(est.deviation < 0.02 * est.value)


def test_runs_that_were_not_used_are_predicted_from_their_own_initial_state(tmp_path):
    pendulum = sprung(tmp_path)
    other = swing(pendulum, T, NOISE, 5, pose={"phi1": -0.4, "phi2": 0.6})
    est = identified(pendulum, swing(pendulum, T, NOISE, 1), SWING, noise=NOISE, validate=other)
    assert "predicts held-out runs" in est.verdict
    assert any("estimated from its own samples" in step for step in est.steps)
    heavy = pendulum.with_parameters({"lower.mass": 2.0})  # a fault: another machine is held out
    wrong = swing(heavy, T, NOISE, 5, pose={"phi1": -0.4, "phi2": 0.6})
    est = identified(pendulum, swing(pendulum, T, NOISE, 1), SWING, noise=NOISE, validate=wrong)
    assert "does not predict held-out runs" in est.verdict


def test_what_no_position_shows_is_not_given_a_value(tmp_path):
    """Gravity and all masses scaled alike move a pendulum in the same way."""
    pendulum = sprung(tmp_path)
    names = ["upper.mass", "upper.inertia", "lower.mass", "lower.inertia", *SWING]
    est = identified(pendulum, swing(pendulum, T, NOISE, 1), names, factor=1.02, noise=NOISE)
    assert len(est.combinations) < len(names)
    assert est.undetermined


def test_a_wrong_model_is_called_one(tmp_path):
    pendulum = sprung(tmp_path)
    rec = swing(pendulum.with_parameters({"lower.mass": 1.0}), T, NOISE, 1)
    est = identified(pendulum, rec, ["shoulder.viscous"], noise=NOISE)
    assert "The model does not fit" in est.verdict


def test_bad_input_is_said_in_one_sentence(tmp_path):
    pendulum = sprung(tmp_path)
    rec = swing(pendulum, T, NOISE, 1)

    def refuse(match, recording=rec, unknowns=SWING, **more):
        with pytest.raises(PoinsotError, match=match) as error:
            poinsot.identify(pendulum, recording, unknowns, problem="output", **more)
        assert "\n" not in str(error.value)

    refuse("name the unknowns", unknowns=None)
    refuse(
        "start of spring.stiffness lies outside the bounds",
        unknowns={"spring.stiffness": {"start": 9, "bounds": [0, 5]}},
    )
    refuse("searches within bounds", method="swarm")
    refuse("no recorded position", recording=poinsot.Recording.of(T, {"else": 0 * T}))
    refuse("no measured channel", noise={"psi": 0.1})
    refuse("unstable with the values at the start", unknowns={"spring.stiffness": {"start": 1e12}})
    refuse("kind of inputs", processing={"inputs": "spline"})
    refuse("continuity is positive", processing={"continuity": "much"})
    refuse("8 or more", recording=poinsot.Recording.of(T[:5], {n: rec[n][:5] for n in ("phi1", "phi2")}))


def test_values_keep_the_bounds_of_the_model(tmp_path):
    """Noise makes a friction of nearly nothing negative, which no bearing has."""
    pendulum = sprung(tmp_path).with_parameters({"elbow.viscous": 0.0})
    rec = swing(pendulum, T, 0.05, 4)
    start = pendulum.with_parameters({"elbow.viscous": 0.01})
    est = poinsot.identify(start, rec, ["elbow.viscous", "spring.stiffness"], problem="output", noise=0.05)
    assert est.mechanism.parameters["elbow.viscous"].value >= 0


def test_a_study_file_says_all_of_it(tmp_path):
    pendulum = sprung(tmp_path)
    rec = swing(pendulum, T, NOISE, 1)
    table = np.column_stack([T, rec["phi1"], rec["phi2"]])
    np.savetxt(tmp_path / "swing.csv", table, delimiter=",", header="t [s],phi1 [rad],phi2 [rad]", comments="")
    text = """
model = "sprung.toml"
problem = "output"
method = "levenberg-marquardt"
[recordings.swing]
file = "swing.csv"
[unknowns]
"spring.stiffness" = { start = "2 N·m/rad", bounds = ["0 N·m/rad", "9 N·m/rad"] }
[noise]
"phi*" = "0.1146 deg"
[processing]
inputs = "held"
segment = "500 ms"
continuity = 0.02
"""
    (tmp_path / "study.toml").write_text(text)
    est = poinsot.identify(tmp_path / "study.toml")
    assert est["spring.stiffness"].value == pytest.approx(1.5, abs=4 * est["spring.stiffness"].deviation)
    assert any("4 segments of 0.5 s" in step for step in est.steps)
    est.save(tmp_path / "result")
    assert "spring.stiffness" in (tmp_path / "result" / "estimate.json").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("block", share(range(10)))
def test_error_bars_cover_the_truth(tmp_path, block):
    """White noise of positions: 95 % of the intervals hold the truth."""
    pendulum, t, inside = sprung(tmp_path), np.arange(0, 1.5, 0.02), []
    clean = swing(pendulum, t, 0.0, 0)
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        rec = poinsot.Recording.of(t, {n: clean[n] + NOISE * rng.standard_normal(len(t)) for n in ("phi1", "phi2")})
        inside.append(np.abs(distance(identified(pendulum, rec, SWING, factor=1.1), pendulum)) < 1.96)
    spread = np.sqrt(0.05 * 0.95 / np.size(inside))
    assert abs(np.mean(inside) - 0.95) < 4 * spread, np.mean(inside, axis=0)
