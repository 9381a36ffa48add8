"""`poinsot read` and `poinsot measure`: a recording is simulated, written, read again and judged."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from tests.recording.damage import DAMAGES
from tests.recording.good import arm
from typer.testing import CliRunner

import poinsot as library
from poinsot.app.cli import app


def poinsot(*arguments):
    command = [sys.executable, "-m", "poinsot.app.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def motion(tmp_path):
    """The EX800 in slow motion along x."""
    pose, t = library.load("ex800").elements.pose, np.arange(50) / 100
    rows = [",".join(f"{x:.9g}" for x in [s, *(v + 0.01 * s * (n == "x") for n, v in pose.items())]) for s in t]
    (path := tmp_path / "motion.csv").write_text("\n".join([",".join(["t", *pose]), *rows]) + "\n")
    return path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_was_measured_along_a_motion_is_read_again(tmp_path, motion, ending):
    pytest.importorskip("pyarrow")
    out = tmp_path / f"run.{ending}"
    measured = poinsot("measure", "ex800", motion, "--seed", 3, "--out", out, "--json", tmp_path / "m.json")
    assert measured.returncode == 0 and "with seed 3" in measured.stdout and measured.stderr == ""
    facts = json.loads((tmp_path / "m.json").read_text())
    given = np.loadtxt(motion, delimiter=",", skiprows=1).T
    names = motion.read_text().splitlines()[0].split(",")[1:]
    signals = {name: (given[0], s) for name, s in zip(names, given[1:])}
    exact = library.measure(library.load("ex800"), signals, given[0], seed=3)
    rec = library.read(out, mechanism=library.load("ex800"))
    assert facts["samples"] == len(rec) == len(exact) and rec.units == exact.units
    assert [channel["name"] for channel in facts["channels"]] == list(exact)
    for name in exact:
        np.testing.assert_array_equal(rec[name], exact[name])


def test_a_simulation_is_measured_under_forces(tmp_path):
    run = ("measure", "ex800", "--t-end", 0.05, "--sensors", "imu", "--perfect", "--out")
    assert poinsot(*run, tmp_path / "free.csv").returncode == 0
    forces = [part for leg in range(1, 7) for part in ("--actuator", f"leg{leg}=20")]
    assert poinsot(*run, tmp_path / "held.csv", *forces).returncode == 0
    free, held = (library.read(tmp_path / f"{name}.csv") for name in ("free", "held"))
    assert set(free) == {f"imu.{c}" for c in ("ax", "ay", "az", "wx", "wy", "wz")}
    assert held["imu.az"][0] > free["imu.az"][0] + 1.0  # legs that push lift the platform


def test_read_prints_channels_units_findings_and_steps(tmp_path):
    damaged = DAMAGES["rows repeat"].damaged(arm(), tmp_path)
    result = poinsot("read", damaged, "--json", tmp_path / "r.json", "--out", tmp_path / "clean.csv")
    facts = json.loads((tmp_path / "r.json").read_text())
    assert "q1  " in result.stdout and " rad" in result.stdout
    assert "repeat the row before" in result.stdout and "step: " in result.stdout
    assert [f["code"] for f in facts["findings"] if f["mended"]] == ["rows repeat"]
    assert np.isnan(library.read(tmp_path / "clean.csv")["q1"]).sum() == facts["findings"][0]["amount"]
    kept = poinsot("read", damaged, "--no-repair", "--json", tmp_path / "r.json", "--overwrite")
    assert kept.returncode == 0 and not any(
        f["mended"] for f in json.loads((tmp_path / "r.json").read_text())["findings"]
    )


def test_a_recording_that_would_give_wrong_results_exits_with_1(tmp_path):
    result = poinsot("read", DAMAGES["milliseconds as seconds"].damaged(arm(), tmp_path))
    assert result.returncode == 1 and "milliseconds read as seconds" in result.stdout and result.stderr == ""


def test_columns_are_mapped_by_a_file(tmp_path):
    (tmp_path / "run.dat").write_text("".join(f"{k / 100} {k % 7} 5\n" for k in range(60)))
    (tmp_path / "columns.toml").write_text('time = 1\n[channels.q]\ncolumn = 2\nunit = "deg"\n')
    result = poinsot("read", tmp_path / "run.dat", "--columns", tmp_path / "columns.toml")
    assert result.returncode == 0 and "0 … 0.10472 rad" in result.stdout and "deg → rad" in result.stdout


WRONG = {
    "no file": (["read", "nowhere.csv"], "no such file"),
    "another ending": (["read", "nowhere.csv", "--out", "run.mat"], ".csv or .parquet"),
    "no such model": (["measure", "hexapodd"], "did you mean 'hexapod'"),
    "no such sensor": (["measure", "ex800", "--sensors", "gyro"], "no sensor 'gyro'"),
    "a negative seed": (["measure", "ex800", "--t-end", "0.01", "--seed", "-1"], "seed"),
    "endless": (["measure", "ex800", "--t-end", "inf"], "--t-end: expected a positive number"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_input_is_one_sentence(case):
    arguments, said = WRONG[case]
    result = poinsot(*arguments)
    assert result.returncode == 1 and said in result.stderr and result.stderr.count("\n") == 1, result.stderr


RAIL = """format = 1
name = "rail"
planar = true
[bodies.cart]
mass = "2 kg"
inertia = "0.1 kg·m²"
[joints.slide]
type = "prismatic"
between = ["ground", "cart"]
axis = [1, 0]
limits = ["-0.1 m", "0.25 m"]
[coordinates]
x = { joint = "slide" }
[actuators.push]
on = { joint = "slide" }
[sensors.encoder]
type = "encoder"
on = { joint = "slide" }
"""


def test_a_recording_that_ends_at_an_end_stop_names_it_and_keeps_what_lies_before(tmp_path):
    (model := tmp_path / "rail.toml").write_text(RAIL)
    result = poinsot("measure", model, "--t-end", 2, "--actuator", "push=4 N", "--out", tmp_path / "run.csv")
    assert result.returncode == 1 and result.stderr.count("\n") == 1
    stop = (
        "rail stopped at t = 0.5 s: the end stop 'slide.end-stop' was reached (x from -0.1 to 0.25 m)"  # ½ 2 m/s² t²
    )
    assert result.stderr == f"error: {stop}; the recording ends before it, at 0.49 s of 2 s\n"
    assert library.read(tmp_path / "run.csv").t[-1] == pytest.approx(0.49)
    simulated = library.simulate(library.load(model), 2.0, forces={"push": 4.0})
    with pytest.raises(library.PoinsotError, match=r"not to 2 s: the simulation stopped at t = 0\.5 s: the end stop"):
        library.measure(library.load(model), simulated, np.linspace(0, 2, 21))


def test_that_there_is_nothing_to_read_is_said_before_the_simulation(monkeypatch):
    monkeypatch.setattr("poinsot.simulate", None)
    with pytest.raises(library.PoinsotError, match="pendulum has no sensors"):
        CliRunner().invoke(app, ["measure", "pendulum"], catch_exceptions=False)


PENDULUM_ON_A_CART = """
format = 1
name = "crane"
planar = true
gravity = [0, -9.81]
[bodies.cart]
mass = 3
[bodies.load]
mass = 2
com = [0, -0.5]
inertia = 0.1
[joints.rail]
type = "prismatic"
between = ["ground", "cart"]
actuated = true
[joints.hook]
type = "revolute"
between = ["cart", "load"]
actuated = ACTUATED
[sensors.pull]
type = "drive-force"
actuator = "rail"
noise = "1 N"
"""


@pytest.fixture
def crane(tmp_path):
    """A cart with a load that swings, and a motion of the cart."""
    (path := tmp_path / "crane.toml").write_text(PENDULUM_ON_A_CART.replace("ACTUATED", "false"))
    t = np.arange(101) / 50
    rows = "".join(f"{a},{0.3 * np.sin(2 * a) ** 2:.12f}\n" for a in t)
    (tmp_path / "motion.csv").write_text("t,rail\n" + rows)
    return path, tmp_path / "motion.csv"


def test_a_motion_of_some_coordinates_is_measured_while_others_follow_the_equations_of_motion(crane, tmp_path):
    model, motion = crane
    refused = poinsot("measure", model, motion)
    assert refused.returncode == 1 and "--free" in refused.stderr
    out = tmp_path / "run.csv"
    made = poinsot("measure", model, motion, "--free", "hook", "--pose", "hook=5 deg", "--perfect", "--out", out)
    assert made.returncode == 0, made.stderr
    machine, t = library.load(model), np.arange(101) / 50
    expected = library.inverse_dynamics(
        machine, {"rail": lambda t: 0.3 * np.sin(2 * t) ** 2}, t, free=["hook"], pose={"hook": np.radians(5)}
    )
    np.testing.assert_allclose(library.read(out)["pull"], expected.forces["rail"], atol=1e-3)
    assert poinsot("measure", model, "--free", "hook").stderr.startswith("error: --free is for a motion file")


def test_noise_of_channels_in_several_units_is_given_by_channel_or_is_that_of_the_sensors(crane, tmp_path):
    model, motion = crane
    text = PENDULUM_ON_A_CART.replace("ACTUATED", "true")
    model.write_text(text)
    motion.write_text(
        "t,rail,hook\n" + "".join(f"{a},{np.sin(a):.9f},{np.sin(2 * a):.9f}\n" for a in np.arange(50) / 9)
    )
    mixed = poinsot("determinable", model, motion, "--noise", "1 N")
    assert mixed.returncode == 1 and "give it by channel, rail=…,hook=…" in mixed.stderr
    by_channel = poinsot("determinable", model, motion, "--noise", "rail=1 N,hook=200 N*mm")
    assert by_channel.returncode == 0 and "± " in by_channel.stdout, by_channel.stderr
    torque = "\n[sensors.twist]\ntype = 'drive-force'\nactuator = 'hook'\ngain = 2\nnoise = '400 N*mm'\n"
    model.write_text(text + torque)
    assert poinsot("determinable", model, motion).stdout == by_channel.stdout
