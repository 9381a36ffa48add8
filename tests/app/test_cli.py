"""The command line as a user meets it: text, JSON, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def poinsot(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "poinsot.app.cli", *map(str, arguments)], capture_output=True, text=True, cwd=cwd
    )


def test_models_lists_the_library():
    result = poinsot("models")
    assert result.returncode == 0
    for name in ("ex800", "hexapod", "hexapod_printed", "double_hexapod", "three_link", "four_bar", "navaro"):
        assert name in result.stdout


def test_check_tells_bodies_constraints_and_mobility_of_the_ex800(tmp_path):
    result = poinsot("check", "ex800", "--json", tmp_path / "report.json")
    assert result.returncode == 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["bodies"], report["constraints"], report["mobility"]) == (13, 72, 6)
    assert "moving bodies         13" in result.stdout


def test_check_names_the_redundant_constraints_of_a_four_bar_in_space():
    result = poinsot("check", "four_bar", "--in-space")
    assert result.returncode == 0
    assert "3 redundant constraints" in result.stdout and "D: position z" in result.stdout
    assert "mobility              1" in result.stdout


def test_json_is_not_overwritten_without_asking(tmp_path):
    target = tmp_path / "models.json"
    target.write_text("mine")
    result = poinsot("models", "--json", target)
    assert result.returncode == 1 and "exists already" in result.stderr
    assert target.read_text() == "mine"
    assert poinsot("models", "--json", target, "--overwrite").returncode == 0
    assert "delta" in [model["name"] for model in json.loads(target.read_text())]


@pytest.mark.parametrize("command", ["check", "parameters"])
def test_an_unknown_model_gives_one_sentence_and_exit_1(command):
    result = poinsot(command, "hexapodd")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1 and "did you mean 'hexapod'" in result.stderr
    assert result.stdout == ""


def test_a_mechanism_that_cannot_be_assembled_exits_with_1(tmp_path):
    model = tmp_path / "short.toml"
    model.write_text(
        "format = 1\nplanar = true\n[bodies.ground.frames]\nD = [1, 0]\n[bodies.a]\nmass = 1\nframes.tip = [0.2, 0]\n"
        "[bodies.b]\nmass = 1\nframes.tip = [0.3, 0]\n[joints]\n"
        'A = { type = "revolute", between = ["ground", "a"] }\nB = { type = "revolute", between = ["a.tip", "b"] }\n'
        'C = { type = "revolute", between = ["b.tip", "ground.D"] }\n'
    )
    result = poinsot("check", model)
    assert result.returncode == 1
    assert "cannot be assembled" in result.stdout and "stays open by" in result.stdout


def test_a_wrong_option_and_no_command_are_explained():
    assert poinsot("check", "ex800", "--jsn", "x").returncode == 2
    assert "Usage" in poinsot("--help").stdout
    assert poinsot("--version").stdout.startswith("poinsot ")


@pytest.mark.parametrize("ending", ["toml", "xml", "urdf"])
def test_convert_writes_other_formats_and_says_what_they_cannot_hold(tmp_path, ending):
    result = poinsot("convert", "ex800", tmp_path / f"ex800.{ending}", "--json", tmp_path / "notes.json")
    assert result.returncode == 0 and (tmp_path / f"ex800.{ending}").exists()
    notes = json.loads((tmp_path / "notes.json").read_text())["notes"]
    assert bool(notes) == (ending != "toml")
    again = poinsot("convert", "ex800", tmp_path / f"ex800.{ending}")
    assert again.returncode == 1 and "exists already" in again.stderr


def test_convert_to_an_unknown_ending_is_refused(tmp_path):
    result = poinsot("convert", "ex800", tmp_path / "ex800.sdf")
    assert result.returncode == 1 and ".urdf" in result.stderr


def test_doctor_and_cache_say_what_runs_and_what_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path))
    result = poinsot("doctor", "--json", tmp_path / "doctor.json")
    assert result.returncode == 0 and "engine" in result.stdout
    assert json.loads((tmp_path / "doctor.json").read_text())["runs"] in ("native", "vm")
    assert poinsot("cache").returncode == 0
    cleared = poinsot("cache", "--clear")
    assert cleared.returncode == 0 and "removed" in cleared.stdout and " 0 compiled" in cleared.stdout
    monkeypatch.setenv("POINSOT_ENGINE", "fast")
    assert poinsot("doctor").returncode == 1


def test_simulate_kinematics_and_inverse_read_and_write_tables(tmp_path):
    run = poinsot(
        "simulate", "four_bar", "--t-end", 0.2, "--csv", tmp_path / "run.csv", "--json", tmp_path / "run.json"
    )
    assert run.returncode == 0 and "drift" in run.stdout
    header, *lines = (tmp_path / "run.csv").read_text().splitlines()
    assert header.startswith("t [s],theta1 [rad],") and len(lines) == 21
    motion = tmp_path / "motion.csv"
    motion.write_text("t,theta1\n" + "".join(f"{k / 10},{1 + k / 10}\n" for k in range(11)))
    assert poinsot("kinematics", "four_bar", motion, "--csv", tmp_path / "k.csv").returncode == 0
    result = poinsot("inverse", "four_bar", motion, "--json", tmp_path / "f.json")
    assert result.returncode == 0 and len(json.loads((tmp_path / "f.json").read_text())["forces"]["A"]) == 11


def test_inverse_tells_forces_beyond_the_limits_of_a_drive(tmp_path):
    (tmp_path / "motion.csv").write_text("t,phi\n" + "".join(f"{k / 10},{0.5 + k**2 / 100}\n" for k in range(8)))
    lever = "bodies.rod = { mass = 2, com = [0.5, 0], inertia = 0.1 }\nplanar = true\nformat = 1\nname = 'lever'\n"
    lever += "joints.phi = { type = 'revolute', between = ['ground', 'rod'] }\n"
    for upper, said in ((8, True), (80, False)):
        drive = f"actuators.M = {{ on = {{ joint = 'phi' }}, limits = [-{upper}, {upper}] }}\n"
        (tmp_path / "lever.toml").write_text(lever + drive)
        result = poinsot("inverse", "lever.toml", "motion.csv", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert (f"M: more than the drive can give, -{upper} … {upper} N·m" in result.stdout) == said


def test_inverse_writes_reactions_in_the_axes_asked_for_and_keeps_what_lies_before_a_failure(tmp_path):
    motion = tmp_path / "motion.csv"
    lines = [f"{k / 20},{1 + k / 20}" for k in range(21)]
    motion.write_text("\n".join(["t,theta1", *lines]) + "\n")
    forces = {}
    for axes in ("joint", "world"):
        file = tmp_path / f"{axes}.csv"
        assert poinsot("inverse", "four_bar", motion, "--axes", axes, "--csv", file).returncode == 0
        header, first, *_ = file.read_text().splitlines()
        row = dict(zip(header.split(","), map(float, first.split(","))))
        forces[axes] = [row["B.fx [N]"], row["B.fy [N]"]]
    x, y = forces["joint"]
    assert forces["world"] != pytest.approx([x, y])
    assert sum(f * f for f in forces["world"]) == pytest.approx(x * x + y * y)
    motion.write_text("\n".join(["t,stroke", *(f"{k / 20},{0.1225 + k / 200}" for k in range(21))]) + "\n")
    result = poinsot("inverse", "slider_crank", motion, "--csv", tmp_path / "part.csv")
    assert result.returncode == 1 and "t = 0.5 s" in result.stderr and result.stderr.count("\n") == 1
    assert len((tmp_path / "part.csv").read_text().splitlines()) == 11
    motion.write_text("\n".join(["t,theta1", *lines]) + "\n")
    assert "no frame 'elbow'" in poinsot("inverse", "four_bar", motion, "--axes", "elbow").stderr


def test_simulate_takes_independent_coordinates():
    run = ("simulate", "four_bar", "--t-end", 0.1, "--formulation", "embedded", "--independent")
    assert poinsot(*run, "theta3").returncode == 0
    wrong = poinsot(*run, "theta9")
    assert wrong.returncode == 1 and "no coordinate 'theta9'" in wrong.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "motion.csv: the file is empty"),
        (
            "when,theta1\n0,1\n1,1\n",
            "motion.csv: no column is the time: call one t or time [s]; there are: when",
        ),
        (
            "t,theta1\n0,1\n1,1\n2,1\n3,1\n4\n5,1\n",
            "motion.csv: another number of fields than the header has, in line 6",
        ),
        ("t,theta1\n0,1\n1,x\n2,1\n", "column 'theta1' has something else than a number in line 3"),
        ("t;theta1 [rad]\n0;1\n1;\n2;1\n", "column 'theta1' has no number in row 2 below the header"),
        ("t,theta9\n" + "".join(f"{k},1\n" for k in range(8)), "there is no coordinate 'theta9'"),
        ("t,theta1\n" + "".join(f"{k},nan\n" for k in range(8)), "has no number in row 1"),
    ],
)
def test_a_bad_motion_file_gets_one_sentence(tmp_path, text, message):
    motion = tmp_path / "motion.csv"
    motion.write_text(text)
    result = poinsot("inverse", "four_bar", motion)
    assert result.returncode == 1 and message in result.stderr and result.stderr.count("\n") == 1


def test_a_bad_force_gets_one_sentence():
    result = poinsot("simulate", "four_bar", "--actuator", "A:3")
    assert result.returncode == 1 and "name=number" in result.stderr


def test_base_keeps_the_numbers_where_symbols_take_too_long():
    result = poinsot("base", "delta", "--within", "20 ms")
    assert result.returncode == 0 and "40 base parameters" in result.stdout and "in symbols" not in result.stdout
    assert "no symbols: they take longer than 0.02 s; --within gives them more" in result.stderr


def test_base_prints_the_combinations_and_writes_them(tmp_path):
    result = poinsot("base", "four_bar", "--numbers", "--json", tmp_path / "base.json")
    assert result.returncode == 0 and result.stderr == ""
    assert "8 base parameters of 12" in result.stdout and "link1.mx − 3.33333 link1.J" in result.stdout
    data = json.loads((tmp_path / "base.json").read_text())
    assert data["rank"] == 8 and data["eliminated"] == ["link1.J", "link2.J", "link3.J", "link1.m"]
    other = poinsot("base", "four_bar", "--numbers", "--eliminate", "link2.m,link3.m", "--channels", "A")
    assert other.returncode == 0 and "link2.m" in other.stdout and "\n  link2.m" not in other.stdout
    assert poinsot("base", "four_bar", "--eliminate", "link7.m").returncode == 1
    wrong = poinsot("base", "four_bar", "--channels", "reaction Z")
    assert wrong.returncode == 1 and wrong.stderr.count("\n") == 1 and "reaction A" in wrong.stderr


def test_determinable_reads_a_motion_and_gives_a_verdict(tmp_path):
    motion = tmp_path / "motion.csv"
    motion.write_text("t,theta1\n" + "".join(f"{k / 20},{1 + (k / 20) ** 2}\n" for k in range(30)))
    result = poinsot("determinable", "four_bar", motion, "--noise", 0.01, "--json", tmp_path / "d.json")
    assert result.returncode == 0 and "undetermined" in result.stdout and "determined instead" in result.stdout
    assert json.loads((tmp_path / "d.json").read_text())["samples"] == 30
