"""Columns of the other sign or swapped are a doubt of the estimate; right ones are none, however rough the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.doubts import columns as doubtful_columns
from poinsot.recording.findings import compared
from poinsot.recording.place import placed
from tests.estimate.machines import ARM
from tests.estimate.runs import CRANK, five_bar_run, four_bar_run

MECHANISMS = {"four_bar": poinsot.load("four_bar"), "five_bar": poinsot.load("five_bar"), "arm": poinsot.loads(ARM)}
FORCES = {"four_bar": ("A",), "five_bar": ("shoulder1", "shoulder2"), "arm": ("shoulder", "elbow")}
UNKNOWNS = {
    "four_bar": ["link2.mass", "link3.mass"],
    "five_bar": ["crank1.J", "crank2.J"],
    "arm": ["upper.J", "lower.J"],
}


def arm_run() -> poinsot.Recording:
    """An arm with friction, its angles and torques."""
    t = np.arange(0, 6, 0.01)
    motion = {
        "q1": poinsot.Fourier(np.pi / 2, (0.4, 0.2), (0.3, -0.2), 0.3),
        "q2": poinsot.Fourier(np.pi / 2, (0.3, -0.2), (0.2, 0.3), 0.7),
    }
    run = poinsot.inverse_dynamics(MECHANISMS["arm"], motion, t)
    return poinsot.Recording.of(t, {name: run.kinematics.coordinates[name] for name in motion} | dict(run.forces))


def recorded(name: str, seed: int, noise: float = 0.05) -> poinsot.Recording:
    """A run with noise in its forces, which is part of their deviation."""
    run = {"four_bar": lambda: four_bar_run(sigma=0.0), "five_bar": five_bar_run, "arm": arm_run}[name]()
    rng = np.random.default_rng(seed)
    noisy = {f: run[f] + noise * np.std(run[f]) * rng.standard_normal(len(run)) for f in FORCES[name]}
    return run.with_channels(noisy, run.channels)


def rough(mechanism: poinsot.Mechanism, seed: int) -> poinsot.Mechanism:
    """The mechanism with masses, inertias and friction that are wrong by a factor of up to three."""
    rng = np.random.default_rng(seed)
    values = {
        name: float(p.value) * 3 ** rng.uniform(-1, 1)
        for name, p in mechanism.parameters.items()
        if p.role in ("inertia", "force") and ".com" not in name
    }
    return mechanism.with_parameters({name: value for name, value in values.items() if value})


def doubts(name: str, recording: poinsot.Recording, seed: int | None = None) -> str:
    """What an estimate says of its recordings; by a rough model where a seed is given."""
    mechanism = MECHANISMS[name] if seed is None else rough(MECHANISMS[name], seed)
    found = poinsot.identify(mechanism, recording, UNKNOWNS[name]).doubts
    return "".join(doubt for doubt in found if doubt.startswith("recordings in doubt"))


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("name", MECHANISMS)
def test_right_columns_are_no_doubt_however_rough_the_model_is(name, seed):
    assert doubts(name, recorded(name, 0), seed) == ""
    assert doubts(name, recorded(name, 1, noise=0.4), seed) == ""


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize(("name", "force"), [(name, force) for name, forces in FORCES.items() for force in forces])
def test_a_force_of_the_other_sign_is_named(name, force, seed):
    run = recorded(name, 0)
    said = doubts(name, run.with_channels({force: -run[force]}, run.channels), seed)
    assert f"'{force}'" in said and "seems to have the other sign" in said and "unexplained" in said


@pytest.mark.parametrize("name", ["five_bar", "arm"])
@pytest.mark.parametrize("positions", [False, True])
def test_swapped_channels_are_named(name, positions):
    run, (a, b) = recorded(name, 0), ("q1", "q2") if positions else FORCES[name]
    swapped = run.with_channels({a: run[b], b: run[a]}, run.channels)
    try:
        said = doubts(name, swapped)
    except PoinsotError as error:  # positions that the loops cannot take
        said = str(error)
    assert f"'{a}': it and '{b}' look swapped" in said


def test_all_forces_of_the_other_sign_are_named():
    run = recorded("arm", 0)
    said = doubts("arm", run.with_channels({name: -run[name] for name in FORCES["arm"]}, run.channels))
    assert "'shoulder': it and 'elbow' seem to have the other sign" in said


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("name", MECHANISMS)
def test_torques_in_another_unit_are_a_doubt_however_rough_the_model_is(name, seed):
    run, force = recorded(name, 0), FORCES[name][0]
    said = doubts(name, run.with_channels({force: 1e3 * run[force]}, run.channels), seed)
    assert f"'{force}': it is" in said and "N·mm read as N·m" in said


@pytest.mark.parametrize(
    ("factor", "units"), [(1e3, "ms read as s"), (1e-3, "s read as ms"), (1 / 60, "min read as s")]
)
def test_times_in_another_unit_are_a_doubt(factor, units):
    run = recorded("arm", 0)
    said = doubts("arm", replace(run, abscissa=factor * run.t))
    assert f"times look like {units}" in said and "sign" not in said


def test_a_gear_that_the_model_lacks_is_no_doubt():
    run = recorded("arm", 0)
    assert doubts("arm", run.with_channels({name: run[name] / 80 for name in FORCES["arm"]}, run.channels)) == ""


def test_the_position_of_a_drive_in_the_column_of_its_torque_is_named():
    run = recorded("arm", 0)
    said = doubts("arm", run.with_channels({"q2": run["elbow"], "elbow": run["q2"]}, run.channels))
    assert "'q2': it and 'elbow' look swapped" in said


def test_only_a_suspect_run_is_tried_on_the_model(monkeypatch):
    tried = []
    monkeypatch.setattr(
        doubtful_columns, "column_findings", lambda recording, mechanism: tried.append(recording) or []
    )
    run = recorded("arm", 0)
    doubts("arm", run)
    assert not tried
    doubts("arm", run.with_channels({"elbow": -run["elbow"]}, run.channels))
    assert len(tried) == 1


def test_what_reading_has_found_is_said_once(tmp_path):
    run = recorded("four_bar", 0)
    columns = np.stack([run.t, run["theta1"], -run["A"]], axis=1)
    path = tmp_path / "run.csv"
    np.savetxt(path, columns, delimiter=",", header="t [s],theta1 [rad],A [N·m]", comments="", encoding="utf-8")
    found = poinsot.identify(MECHANISMS["four_bar"], str(path), UNKNOWNS["four_bar"])
    assert [f.code for f in found.study.runs[0].recording.problems] == ["sign"]


def test_a_held_out_run_of_the_other_sign_is_named():
    run, held = recorded("four_bar", 0), recorded("four_bar", 1)
    turned = held.with_channels({"A": -held["A"]}, held.channels)
    found = poinsot.identify(MECHANISMS["four_bar"], run, UNKNOWNS["four_bar"], validate=turned)
    (said,) = (doubt for doubt in found.doubts if doubt.startswith("recordings in doubt"))
    assert "'A': it seems to have the other sign" in said and "run1:" not in said


def test_noise_is_no_delay():
    """Forces between samples have less noise: a delay was found in recordings with much of it."""
    bar, t = MECHANISMS["four_bar"], np.arange(0, 5, 0.005)
    run = poinsot.inverse_dynamics(bar, {"theta1": CRANK}, t)
    noisy = run.forces["A"] + 0.3 * np.std(run.forces["A"]) * np.random.default_rng(0).standard_normal(len(t))
    rec = placed(poinsot.Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": noisy}), bar)
    assert "delay" not in [f.code for f in compared(rec, bar).findings]


def test_a_drive_that_brakes_what_another_drives_is_no_alarm():
    """Over a motion that returns to its start, the elbow takes energy out that the shoulder puts in."""
    arm, t = MECHANISMS["arm"], np.linspace(0, 1.95, 800)
    rng = np.random.default_rng(15)
    rng.uniform()
    a, b, c, d = 0.5 * rng.uniform(-1, 1, (4, 3)) / np.arange(1, 4)
    motion = {"q1": poinsot.Fourier(4 * np.pi / 1.95, a, b, 0.3), "q2": poinsot.Fourier(4 * np.pi / 1.95, c, d, 0.7)}
    run = poinsot.inverse_dynamics(arm, motion, t)
    power = run.forces["elbow"] * np.gradient(run.kinematics.coordinates["q2"], t)
    assert power.mean() < -0.2 * np.abs(power).mean()
    rec = poinsot.Recording.of(t, {name: run.kinematics.coordinates[name] for name in motion} | dict(run.forces))
    assert compared(placed(rec, arm), arm).problems == ()
