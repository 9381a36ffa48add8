"""What holds for all commands: exit codes, data on the standard output, files that are kept, completion."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import poinsot as library
from poinsot.app.cli import COMMANDS

RUN = [sys.executable, "-m", "poinsot.app.cli"]
ALL = [command for commands in COMMANDS.values() for command in commands]
MOTION = "t,theta1\n" + "".join(f"{k / 50},{1 + 0.3 * np.sin(k / 10)}\n" for k in range(31))


def poinsot(*arguments, cwd=None, **variables):
    return subprocess.run(
        [*RUN, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, env={**os.environ, **variables}
    )


@pytest.mark.parametrize("command", ALL, ids=lambda c: c.__name__)
def test_every_command_takes_json_and_force(command):
    parameters = inspect.signature(command).parameters
    assert "overwrite" in parameters
    assert "json" in parameters or command.__name__ == "view"  # which shows a page and has no result


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "four_bar"], 0),
        (["check", "fuor_bar"], 1),
        (["pose", "four_bar", "--pose", "theta9=1"], 1),
        (["check"], 2),
        (["chekc", "four_bar"], 2),
        (["check", "four_bar", "--jsn", "x"], 2),
        (["simulate", "four_bar", "--force", "A=3"], 2),
        (["measure", "ex800", "--force=leg1=3"], 2),
    ],
)
def test_exit_codes_and_one_sentence(arguments, code):
    result = poinsot(*arguments)
    assert result.returncode == code
    assert "Traceback" not in result.stderr and "\033" not in result.stdout + result.stderr
    if code == 1:
        assert result.stderr.count("\n") == 1
    if "--force" in " ".join(arguments):
        assert "an actuator's force is --actuator" in result.stderr


def test_force_replaces_a_file_and_overwrite_is_its_other_name(tmp_path):
    target = tmp_path / "x.json"
    target.write_text("mine")
    kept = poinsot("check", "four_bar", "--json", target)
    assert kept.returncode == 1 and "--force" in kept.stderr and target.read_text() == "mine"
    for option in ("--force", "--overwrite"):
        target.write_text("mine")
        assert poinsot("check", "four_bar", "--json", target, option).returncode == 0
        assert json.loads(target.read_text())["name"] == "four_bar"


def test_json_on_the_standard_output_is_alone_there(tmp_path):
    (tmp_path / "motion.csv").write_text(MOTION)
    found = json.loads(poinsot("inverse", "four_bar", "motion.csv", "--json", "-", cwd=tmp_path).stdout)
    assert len(found["forces"]["A"]) == 31 and found["units"]["A.force"] == "N·m"
    assert len(found["reactions"]["B"]) == 31 and len(found["reactions"]["B"][0]) == 6
    table = poinsot("kinematics", "four_bar", "motion.csv", "--csv", "-", cwd=tmp_path).stdout
    assert table.splitlines()[0].startswith("t [s],theta1 [rad]") and len(table.splitlines()) == 32
    both = poinsot("kinematics", "four_bar", "motion.csv", "--csv", "-", "--json", "-", cwd=tmp_path)
    assert both.returncode == 1 and both.stdout == ""


@pytest.mark.parametrize("model", ["four_bar", "three_link"])
def test_signals_that_simulate_writes_are_read_back_with_their_units(tmp_path, model):
    place = tmp_path / "run.csv"
    assert poinsot("simulate", model, "--t-end", 0.05, "--rate", 200, "--csv", place).returncode == 0
    mechanism = library.load(model)
    read = library.read(place, repair=False)
    found = library.simulate(mechanism, 0.05, t=np.linspace(0, 0.05, 11))
    for name, values in found.coordinates.items():
        np.testing.assert_allclose(read[name], values, rtol=1e-12, atol=1e-14)
        assert read.units[name] == "rad" and read.units[f"{name}.rate"] == "rad/s"
    body = next(iter(mechanism.bodies))
    units = {"x": "m", "qw": "-", "vx": "m/s", "wz": "rad/s", "ax": "m/s²", "alphaz": "rad/s²"}
    assert {part: read.units[f"{body}.{part}"] for part in units} == units
    moved = np.gradient(read[f"{body}.wz"], read.t)[2:-2]
    np.testing.assert_allclose(read[f"{body}.alphaz"][2:-2], moved, rtol=0.05, atol=0.05 * np.abs(moved).max())


def test_velocities_and_orientations_of_bodies_follow_from_each_other(tmp_path):
    (tmp_path / "motion.csv").write_text(MOTION)
    table = poinsot("kinematics", "four_bar", "motion.csv", "--csv", "k.csv", cwd=tmp_path)
    assert table.returncode == 0
    read = library.read(tmp_path / "k.csv", repair=False)
    turn = 2 * np.unwrap(np.arctan2(read["link2.qz"], read["link2.qw"]))
    np.testing.assert_allclose(np.gradient(turn, read.t)[1:-1], read["link2.wz"][1:-1], atol=2e-3)
    np.testing.assert_allclose(np.gradient(read["link3.x"], read.t)[1:-1], read["link3.vx"][1:-1], atol=2e-3)


def test_the_regressor_times_its_parameters_gives_the_forces(tmp_path):
    (tmp_path / "motion.csv").write_text(MOTION)
    assert poinsot("regressor", "four_bar", "motion.csv", "--out", "w.npz", cwd=tmp_path).returncode == 0
    kept = np.load(tmp_path / "w.npz")
    found = json.loads(poinsot("inverse", "four_bar", "motion.csv", "--json", "-", cwd=tmp_path).stdout)
    np.testing.assert_allclose(kept["matrix"] @ kept["parameters"] + kept["rhs"], found["forces"]["A"], rtol=1e-9)
    wrong = poinsot("regressor", "four_bar", "motion.csv", "--out", "w.mat", cwd=tmp_path)
    assert wrong.returncode == 1 and ".npz" in wrong.stderr


def test_a_pose_is_printed_with_units_and_what_is_singular(tmp_path):
    result = poinsot("pose", "four_bar", "--pose", "theta1=40 deg", "--json", tmp_path / "p.json")
    assert result.returncode == 0 and "40°" in result.stdout and "ordinary pose" in result.stdout
    data = json.loads((tmp_path / "p.json").read_text())
    assert data["coordinates"]["theta1"] == {"value": pytest.approx(np.radians(40)), "unit": "rad"}
    R, (w, _, _, z) = np.array(data["bodies"]["link1"]["rotation"]), data["quaternions"]["link1"]
    assert R[0, 0] == pytest.approx(w * w - z * z) and data["residual"] < 1e-12


def test_modes_say_what_is_free_and_where_the_mechanism_rests():
    free = poinsot("modes", "four_bar").stdout
    assert "free, as nothing could move with them locked: A" in free
    assert "about the model's own pose: theta1 = 1.0472 rad (60°)" in free
    chosen = poinsot("modes", "four_bar", "--locked", "none").stdout
    assert "nothing could move" not in chosen
    fallen = poinsot("modes", "pendulum", "--set", "bob.com.x=0.1 m").stdout
    assert "about an equilibrium, up to" in fallen and "phi = " in fallen


def completed(line: str) -> list[str]:
    done = poinsot(
        _POINSOT_COMPLETE="complete_bash", COMP_WORDS=f"poinsot {line}", COMP_CWORD=str(len(line.split(" ")))
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sim", "simulate"),
        ("check four", "four_bar"),
        ("pose four_bar --pose th", "theta1="),
        ("pose four_bar --pose theta1=1,theta", "theta1=1,theta2="),
        ("parameters four_bar --set link1.m", "link1.mass="),
        ("simulate four_bar --method im", "implicit"),
        ("compare study.toml --method wei", "weighted"),
        ("new --mechanism ste", "stewart"),
    ],
)
def test_the_shell_completes_names(line, offered):
    assert offered in completed(line)


def test_a_completion_that_cannot_be_had_is_empty():
    assert completed("pose no_such_model --pose th") == []
    script = poinsot("completion", "bash")
    assert script.returncode == 0 and "_POINSOT_COMPLETE" in script.stdout
    assert "there are: bash, zsh, fish" in poinsot("completion", "tcsh").stderr


def test_show_prints_a_model_file_as_it_is(tmp_path):
    from poinsot.model.load import LIBRARY

    assert poinsot("show", "delta").stdout == (LIBRARY / "delta.toml").read_text()
    assert "did you mean 'delta'" in poinsot("show", "detla").stderr
