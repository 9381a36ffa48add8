"""Encoders with a wrong zero: masses that are wrong, and a fit that looks good, are a doubt that names them."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.estimate.solution import force_solution
from poinsot.estimate.study import study_of
from poinsot.estimate.zeros.shifted_fit import ShiftedFit
from poinsot.estimate.zeros.shifted_rows import shiftable
from tests.estimate.machines import ARM
from tests.estimate.runs import noise
from tests.estimate.test_silent_errors import LINEAR, PENDULUM

W = 2 * np.pi / 2.5
MACHINES = {
    "arm": (
        poinsot.loads(ARM, "arm"),
        {
            "q1": poinsot.Fourier(W, (0.5, -0.3, 0.1), (0.6, 0.2), 0.3),
            "q2": poinsot.Fourier(W, (0.6, 0.3), (-0.5,), 0.7),
        },
        ["upper.mass", "lower.mass"],
    ),
    "four_bar": (
        poinsot.load("four_bar"),
        {"theta1": poinsot.Fourier(2.5, (0.4, 0.3), (0.1,), 1.2)},
        ["link2.mass", "link3.mass"],
    ),
    "five_bar": (
        poinsot.load("five_bar"),
        {
            "q1": poinsot.Fourier(2.0, (0.2, 0.15), (0.1, -0.1), 2.3),
            "q2": poinsot.Fourier(2.0, (0.15, -0.2), (0.2,), 0.9),
        },
        ["crank1.mass", "forearm1.mass"],
    ),
    "pendulum": (
        poinsot.loads(PENDULUM.format(mass=1.0, com=0.25, inertia=0.02), "pendulum"),
        {"phi": poinsot.Fourier(W, (1.2, 0.4), (0.6, -0.3), 0.3)},
        ["bob.mass"],
    ),
}


def recorded(
    name: str, off: dict[str, float], level: float = 0.01, colour: float = 0.0, more=None
) -> poinsot.Recording:
    """A run whose encoders read too much [rad]; noise and what the model lacks as shares of the forces' deviation."""
    (mechanism, motion, _), t, rng = MACHINES[name], np.arange(0, 10, 0.01), np.random.default_rng(1)
    run = poinsot.inverse_dynamics(mechanism, motion, t)
    values = {k: run.kinematics.coordinates[k] + off.get(k, 0.0) for k in motion}
    for (k, force), rate in zip(run.forces.items(), run.kinematics.rates.values()):
        lacking = 0.0 if more is None else more(run.kinematics.coordinates[next(iter(motion))], rate / np.std(rate))
        values[k] = force + np.std(force) * (level * noise(rng, (len(t),), colour) + lacking)
    return poinsot.Recording.of(t, values)


def zeros(est: poinsot.Estimate) -> dict[str, float]:
    """Zeros that are told to be off, by channel [rad]."""
    return {f.channel: f.amount for run in est.study.runs for f in run.recording.problems if f.code == "zero"}


@pytest.mark.parametrize("degrees", [5, -20])
@pytest.mark.parametrize(
    ("name", "channel"),
    [
        ("arm", "q1"),
        ("arm", "q2"),
        ("four_bar", "theta1"),
        ("five_bar", "q1"),
        ("five_bar", "q2"),
        ("pendulum", "phi"),
    ],
)
def test_an_encoder_with_another_zero_is_named_with_its_value(name, channel, degrees):
    mechanism, _, unknowns = MACHINES[name]
    est = poinsot.identify(mechanism, recorded(name, {channel: np.radians(degrees)}, 0.003), unknowns)
    assert zeros(est) == {channel: pytest.approx(np.radians(degrees), rel=0.05)}
    doubt = next(text for text in est.doubts if text.startswith("recordings in doubt"))
    assert f"too {'much' if degrees > 0 else 'little'}" in doubt and f"'{channel}': its zero seems off" in doubt


def test_the_column_read_with_the_offset_that_is_told_gives_the_right_masses():
    mechanism, _, unknowns = MACHINES["four_bar"]
    rec = recorded("four_bar", {"theta1": np.radians(20)}, 0.003)
    wrong = poinsot.identify(mechanism, rec, unknowns)
    assert abs(wrong["link2.mass"].value - 2.3) > 1.0
    back = rec.with_channels({"theta1": rec["theta1"] - zeros(wrong)["theta1"]}, rec.channels)
    est = poinsot.identify(mechanism, back, unknowns)
    np.testing.assert_allclose(est.value, [2.3, 2.1], rtol=0.02)
    assert not zeros(est)
    assert "link2.mass be 2.3" in wrong.verdict or "link3.mass be 2.1" in wrong.verdict


def test_two_encoders_with_other_zeros_are_found_together():
    mechanism, _, unknowns = MACHINES["arm"]
    est = poinsot.identify(mechanism, recorded("arm", {"q1": 0.15, "q2": -0.2}, 0.003), unknowns)
    assert zeros(est) == {"q1": pytest.approx(0.15, rel=0.05), "q2": pytest.approx(-0.2, rel=0.05)}


def test_a_shift_that_turns_unknown_moments_is_not_claimed():
    mechanism = MACHINES["pendulum"][0]
    est = poinsot.identify(mechanism, recorded("pendulum", {"phi": 0.35}, 0.002), LINEAR)
    assert not est.doubts, est.verdict


def test_masses_elsewhere_are_named_where_they_explain_as_much():
    mechanism, _, unknowns = MACHINES["pendulum"]
    pendulum = poinsot.identify(mechanism, recorded("pendulum", {"phi": 0.35}, 0.002), unknowns)
    assert "unless masses lie elsewhere" in pendulum.verdict
    bar, _, unknowns = MACHINES["four_bar"]
    crank = poinsot.identify(bar, recorded("four_bar", {"theta1": 0.35}, 0.002), unknowns)
    assert zeros(crank) and "unless masses lie elsewhere" not in crank.verdict


LACKING = {
    "nothing": None,
    "offset": lambda s, v: 0.1,
    "dry friction": lambda s, v: 0.06 * np.tanh(20 * v),
    "viscous friction": lambda s, v: 0.05 * v,
    "drag": lambda s, v: 0.1 * v * np.abs(v),
    "Stribeck friction": lambda s, v: 0.08 * np.tanh(20 * v) * np.exp(-((v / 0.3) ** 2)),
    "spring": lambda s, v: 0.1 * (s - s.mean()) / np.std(s),
    "ripple": lambda s, v: 0.05 * np.sin(9 * s),
}


@pytest.mark.parametrize("lacking", LACKING)
@pytest.mark.parametrize("name", MACHINES)
def test_no_zero_is_claimed_where_noise_or_something_else_is_left(name, lacking):
    mechanism, _, unknowns = MACHINES[name]
    for level, colour in ((0.01, 0.0), (0.03, 0.95)):
        assert not zeros(poinsot.identify(mechanism, recorded(name, {}, level, colour, LACKING[lacking]), unknowns))


def test_an_encoder_of_the_model_file_is_told_the_offset_that_it_has():
    text = PENDULUM.format(mass=1.0, com=0.25, inertia=0.02)
    mechanism = poinsot.loads(text + '\n[sensors.reader]\ntype = "encoder"\non = { joint = "hinge" }\n', "pendulum")
    rec = recorded("pendulum", {"phi": 0.35}, 0.002).renamed({"phi": "reader"})
    est = poinsot.identify(mechanism, rec, ["bob.mass"])
    assert zeros(est) == {"reader": pytest.approx(0.35, rel=0.02)}
    assert "or give its encoder offset = 0.3" in est.verdict


REACHER = """
format = 1
gravity = [0, 0, -9.81]
[bodies.arm]
mass = 4.0
com = [0.2, 0, 0]
[bodies.ram]
mass = 2.0
[joints.turn]
type = "revolute"
between = ["ground", "arm"]
axis = [0, -1, 0]
[joints.reach]
type = "prismatic"
between = [{body = "arm", position = [0.4, 0, 0]}, "ram"]
axis = [1, 0, 0]
LIMITS
[coordinates.q]
joint = "turn"
[coordinates.x]
joint = "reach"
[actuators.T]
on = {joint = "turn"}
[actuators.F]
on = {joint = "reach"}
"""


@pytest.mark.parametrize("limits", [[0.0, 0.25], None], ids=["stops", "none"])
def test_a_shift_beyond_end_stops_is_no_zero_but_something_that_the_model_lacks(limits):
    mechanism = poinsot.loads(REACHER.replace("LIMITS", f"limits = {limits}" if limits else ""), "reacher")
    motion = {
        "q": poinsot.Fourier(W, (0.5, -0.3, 0.1), (0.6, 0.2), 0.3),
        "x": poinsot.Fourier(W, (0.03, 0.02), (-0.04,), 0.12),
    }
    t, rng = np.arange(0, 10, 0.01), np.random.default_rng(1)
    truth = mechanism.with_parameters({"ram.com.x": 0.3})
    run = poinsot.inverse_dynamics(truth, motion, t)
    noisy = {name: force + 0.02 * rng.standard_normal(len(t)) for name, force in run.forces.items()}
    rec = poinsot.Recording.of(t, {**run.kinematics.coordinates, **noisy})
    est = poinsot.identify(mechanism, rec, ["ram.mass", "arm.mass"])
    assert bool(zeros(est)) is (limits is None)
    if limits is None:
        (told,) = (str(f) for f in est.study.runs[0].recording.problems)
        assert told.count("read its column with offset = 0.2998") == 1 and told.endswith(
            "compare it in a known pose first"
        )
    else:
        assert "the model lacks something" in est.verdict and "beyond end stop 'reach.end-stop'" in est.verdict


def test_what_is_left_changes_with_a_shift_as_its_slopes_say():
    mechanism, _, unknowns = MACHINES["arm"]
    study = study_of(mechanism, recorded("arm", {"q1": 0.1}), unknowns, None)
    solution = force_solution(study)
    (rows,) = solution.problem.runs
    run = shiftable(rows, solution.problem.unknowns, study.processing, slice(None, None, 2))
    assert run is not None
    fit, c, h = ShiftedFit(solution.problem, (run,), solution.solution.sigma), np.zeros(2), 1e-3
    here = fit.left(fit.at(c), besides=False)
    for k in (0, 1):
        after, before = (fit.left(fit.at(c + x * (np.arange(2) == k)), besides=False).size for x in (h, -h))
        D = fit.slopes(c, here, [k])[:, 0]  # of less left: d|e|²/dc = −2 Dᵀe
        assert -2 * D @ here.e == pytest.approx((after - before) / (2 * h), rel=1e-2)
