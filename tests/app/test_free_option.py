"""`poinsot inverse --free`: coordinates that follow the equations of motion."""

from __future__ import annotations

import json

import numpy as np
from numpy.testing import assert_allclose
from tests.analysis.test_under_actuated import SWING, gantry
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app


def test_free_coordinates_start_where_the_options_say_and_swing_as_in_python(tmp_path):
    model, table = tmp_path / "gantry.toml", tmp_path / "motion.csv"
    model.write_text(poinsot.dumps(gantry()))
    t = np.linspace(0.0, 1.0, 41)
    table.write_text("t,rail\n" + "".join(f"{x},{0.3 * x**3 * (1 - x / 4)!r}\n" for x in t.tolist()))
    options = [f"--free={name}" for name in SWING] + [
        "--pose",
        "hook.angle1=0.2",
        "--velocity",
        "hook.angle2=5 deg/s",
    ]
    said = CliRunner().invoke(app, ["inverse", str(model), str(table), *options, "--json", str(tmp_path / "f.json")])
    assert said.exit_code == 0, f"{said.output}{said.exception}"
    start = {"pose": {"hook.angle1": 0.2}, "velocity": {"hook.angle2": "5 deg/s"}}
    same = poinsot.inverse_dynamics(gantry(), str(table), free=SWING, **start)
    assert_allclose(json.loads((tmp_path / "f.json").read_text())["forces"]["rail"], same.forces["rail"], rtol=1e-9)


def test_a_machine_with_too_few_drives_is_told_the_option(tmp_path):
    model, table = tmp_path / "gantry.toml", tmp_path / "motion.csv"
    model.write_text(poinsot.dumps(gantry()))
    table.write_text("t,rail\n" + "".join(f"{k / 10},{k / 100}\n" for k in range(11)))
    said = CliRunner().invoke(app, ["inverse", str(model), str(table)])
    assert said.exit_code and "`poinsot inverse --free NAME`" in str(said.exception)


def test_ideal_drives_along_the_motion_are_given_as_in_python(tmp_path):
    model, table, found = tmp_path / "gantry.toml", tmp_path / "motion.csv", tmp_path / "f.json"
    model.write_text(poinsot.dumps(gantry()))
    t = np.linspace(0.0, 1.0, 21)
    rows = [f"{x},{0.3 * x**3!r},{0.1 * float(np.sin(x))!r},{0.2 * x**2!r}\n" for x in t.tolist()]
    table.write_text(",".join(["t", "rail", *SWING]) + "\n" + "".join(rows))
    said = CliRunner().invoke(app, ["inverse", str(model), str(table), "--drives", "motion", "--json", str(found)])
    assert said.exit_code == 0, f"{said.output}{said.exception}"
    same = poinsot.inverse_dynamics(gantry(), str(table), drives="motion")
    forces = json.loads(found.read_text())["forces"]
    assert set(forces) == set(same.forces) >= set(SWING)
    for name in SWING:
        assert_allclose(forces[name], same.forces[name], rtol=1e-9, atol=1e-12)
        assert np.abs(same.forces[name]).max() > 0.1
    wrong = CliRunner().invoke(app, ["inverse", str(model), str(table), "--drives", "all"])
    assert wrong.exit_code and "actuators, motion" in str(wrong.exception)
