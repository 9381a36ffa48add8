"""Forces that are late or early are found with a value and an error bar, by rough models too; no others are."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import poinsot
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings import column_findings, compared
from poinsot.recording.place import placed
from tests.recording.good import ARM

CELL = '\n[sensors.A_force]\ntype = "drive-force"\nactuator = "A"\n'
MECHANISMS = {"four_bar": poinsot.load("four_bar"), "five_bar": poinsot.load("five_bar"), "arm": poinsot.loads(ARM)}
ABOUT = {  # size and centre of every motion  [rad]
    "four_bar": {"theta1": (0.35, 1.1)},
    "five_bar": {"q1": (0.25, 2.27), "q2": (0.25, 0.87)},
    "arm": {"q1": (0.5, 0.0), "q2": (0.4, -0.8), "q3": (0.5, 1.2)},
}


@cache
def run(name: str, delay: float = 0.0, rate: float = 100.0, period: float = 4.0) -> poinsot.Recording:
    """Eight seconds of encoders of 16 bits and of forces with 2 % of noise, that many seconds late."""
    rng, t = np.random.default_rng(0), np.arange(0, 8, 1 / rate)
    draws = {c: size * rng.uniform(-1, 1, (2, 5)) / np.arange(1, 6) for c, (size, _) in ABOUT[name].items()}
    motion = {
        c: poinsot.Fourier(2 * np.pi / period, draws[c][0], draws[c][1], at) for c, (_, at) in ABOUT[name].items()
    }
    angles, step = poinsot.kinematics(MECHANISMS[name], motion, t).coordinates, 2 * np.pi / 2**16
    forces = poinsot.inverse_dynamics(MECHANISMS[name], motion, t - delay).forces
    noisy = {f: y + 0.02 * np.std(y) * rng.standard_normal(len(t)) for f, y in forces.items()}
    return poinsot.Recording.of(t, {c: step * np.round(angles[c] / step) for c in motion} | noisy)


@cache
def rough(name: str) -> poinsot.Mechanism:
    """The mechanism with masses and inertias 30 % wrong, and friction of three times its size."""
    known, rng = MECHANISMS[name].parameters, np.random.default_rng(1)
    mass = {n: p.value * rng.choice([0.7, 1.3]) for n, p in known.items() if p.role == "inertia" and ".com" not in n}
    friction = {n: 3 * p.value for n, p in known.items() if p.role == "force"}
    return MECHANISMS[name].with_parameters({n: float(x) for n, x in (mass | friction).items() if x})


def found(name: str, recording: poinsot.Recording) -> list[Finding]:
    """What a rough model says of a recording."""
    said = compared(placed(recording, rough(name)), rough(name)).findings
    return [one for one in said if one.severity is not Severity.NOTE]


@pytest.mark.parametrize("delay", [0.02, 0.08, 0.2, -0.02, -0.2, 0.5])
@pytest.mark.parametrize("name", MECHANISMS)
def test_late_forces_are_named_with_their_delay_and_its_error(name, delay):
    (one,) = found(name, run(name, delay))
    assert one.code == "delay"
    told = re.search(r"([\d.]+) ± ([\d.e-]+) ms (behind|ahead of) the motion", one.message)
    assert told and told[3] == ("behind" if delay > 0 else "ahead of")
    assert abs(one.amount - delay) < 4e-3 * float(told[2]) + 1e-3
    assert float(told[2]) < 3.0


def test_milliseconds_are_found_at_a_kilohertz():
    (one,) = found("arm", run("arm", 0.003, 1000.0))
    assert one.amount == pytest.approx(0.003, abs=5e-4)


@pytest.mark.parametrize("period", [0.7, 4.0])
@pytest.mark.parametrize("name", MECHANISMS)
def test_forces_in_time_are_no_alarm_though_a_period_later_they_are_the_same(name, period):
    assert found(name, run(name, period=period)) == []


@pytest.mark.parametrize("delay", [0.02, 0.05, -0.05])
@pytest.mark.parametrize("name", ["five_bar", "arm"])
def test_the_shortest_of_delays_a_period_apart_is_named(name, delay):
    (one,) = found(name, run(name, delay, period=0.7))
    assert one.amount == pytest.approx(delay, abs=3e-3)


def test_late_forces_in_arrays_are_a_doubt_of_the_estimate():
    (said,) = poinsot.identify(rough("arm"), run("arm", 0.02)).doubts
    assert "recordings in doubt" in said and "'waist': it and 'shoulder' and 'elbow' are 20" in said
    assert poinsot.identify(rough("arm"), run("arm")).doubts == ()


def test_the_delay_of_a_sensor_is_named_as_its_column():
    bar = poinsot.loads(poinsot.dumps(MECHANISMS["four_bar"]) + CELL)
    late = run("four_bar", 0.05).renamed({"A": "A_force"})
    (one,) = column_findings(placed(late, bar), bar)
    assert one.channel == "A_force" and "'delay A_force'" in one.advice
    for asked in ("delay A_force", "delay *"):
        est = poinsot.identify(bar, late, ["link2.mass", "link3.mass", asked])
        assert est["delay A_force"].value == pytest.approx(0.05, abs=3e-3)


def told(recording: poinsot.Recording, name: str) -> poinsot.Recording:
    """As it is read with its mechanism: delays are among its findings."""
    return compared(placed(recording, MECHANISMS[name]), MECHANISMS[name])


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize(("name", "unknowns"), [("four_bar", ["link2.mass"]), ("arm", ["upper.mass", "fore.mass"])])
def test_a_delay_that_is_an_unknown_is_no_doubt(name, unknowns, read):
    late = told(run(name, 0.04), name) if read else run(name, 0.04)
    assert "delay" in "".join(one.code for one in late.findings) or not read
    (said,) = poinsot.identify(MECHANISMS[name], late, unknowns).doubts
    assert "behind the motion" in said
    est = poinsot.identify(MECHANISMS[name], late, [*unknowns, "delay *"])
    assert est.doubts == () and [one for run in est.study.runs for one in run.recording.problems] == []
    np.testing.assert_allclose([*est.delays.values()], 0.04, atol=2e-3)


def test_the_delay_of_one_drive_as_an_unknown_leaves_that_of_another_a_doubt():
    others, late = run("arm"), run("arm", 0.04)
    both = others.with_channels({name: late[name] for name in ("waist", "elbow")}, others.channels)
    for recording in (both, told(both, "arm")):
        (said,) = poinsot.identify(MECHANISMS["arm"], recording, ["*.mass", "delay waist"]).doubts
        assert "'elbow'" in said and "'waist'" not in said
        assert poinsot.identify(MECHANISMS["arm"], recording, ["*.mass", "delay waist", "delay elbow"]).doubts == ()


def test_a_delay_of_the_model_file_is_no_finding_and_another_one_is_told_from_it():
    cell = poinsot.loads(poinsot.dumps(MECHANISMS["four_bar"]) + CELL + 'delay = "40 ms"\n')
    late = run("four_bar", 0.04).renamed({"A": "A_force"})
    assert column_findings(placed(late, cell), cell) == []
    assert poinsot.identify(cell, late, ["link2.mass", "link3.mass"]).doubts == ()
    later = run("four_bar", 0.09).renamed({"A": "A_force"})
    (one,) = column_findings(placed(later, cell), cell)
    assert one.code == "delay" and one.amount == pytest.approx(0.05, abs=3e-3)


def test_the_delay_of_a_force_moves_no_position_of_that_name():
    bar = poinsot.load("four_bar")
    late = run("four_bar", 0.04).renamed({"theta1": "A", "A": "A.force"})
    est = poinsot.identify(bar, late, ["link2.mass", "link3.mass", "delay A"])
    assert est.doubts == () and est["delay A"].value == pytest.approx(0.04, abs=2e-3)


@pytest.mark.parametrize(("name", "dead"), [("arm", "q2"), ("arm", "q3"), ("five_bar", "q2")])
def test_a_dead_encoder_is_not_swapped_and_no_other_is_in_degrees(name, dead):
    recording = run(name).with_channels({dead: np.zeros(len(run(name)))}, run(name).channels)
    model = MECHANISMS[name]
    codes = {one.code for one in compared(placed(recording, model), model).findings}
    assert codes.isdisjoint({"swapped", "sign", "degrees", "delay"})
