"""The commands about vibration: text, JSON, CSV, one sentence on bad input."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from poinsot.app.cli import app
from poinsot.errors import PoinsotError


def run(*arguments) -> str:
    result = CliRunner().invoke(app, [str(x) for x in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_modes_prints_frequencies_and_what_bends_and_writes_json(tmp_path):
    path = tmp_path / "modes.json"
    text = run("modes", "three_link", "--pose", "phi1=0,phi2=0", "--pose", "phi3=0", "-n", 2, "--json", path)
    assert "16.946 Hz  76 % in A.spring" in text and "83.065 Hz" in text and "229" not in text
    data = json.loads(path.read_text())
    assert data["frequencies"] == pytest.approx([16.946036, 83.064916]) and data["labels"] == ["", ""]
    assert "unstable, grows at 6.016/s without damping" in run(
        "modes", "slider_crank", "--locked", "none", "--damped"
    )
    assert "0 modes; actuators locked: main" in run("modes", "slider_crank", "--locked", "main")


def test_frf_and_compliance_write_what_they_print(tmp_path):
    text = run("frf", "three_link", "--input", "link3 y", "--output", "phi1", "--damping", 0.01,
               "--from", 10, "--to", 20, "--points", 11, "--csv", tmp_path / "frf.csv")  # fmt: skip
    assert "phi1 ← link3 y: largest" in text and "at 17 Hz" in text
    header, *lines = csv.reader((tmp_path / "frf.csv").open())
    assert header == ["f [Hz]", "re phi1 / link3 y [rad/N]", "im phi1 / link3 y [rad/N]"] and len(lines) == 11
    run("compliance", "three_link", "link1", "--json", tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text())["compliance"][2][2] == pytest.approx(1 / 21.10)


def test_map_goes_over_a_grid_and_keeps_the_rest_of_the_pose(tmp_path):
    text = run(
        "map", "three_link", "--over", "phi1=0:1:3", "--over", "phi2=0:1:2", "-n", 1, "--csv", tmp_path / "m.csv"
    )
    assert "6 samples" in text
    header, first, *_ = csv.reader((tmp_path / "m.csv").open())
    assert header == ["phi1 [rad]", "phi2 [rad]", "f1 [Hz]"] and float(first[2]) == pytest.approx(16.946036)
    text = run("map", "five_bar", "--over", "x=-0.3:0.3:5", "--over", "y=0.2:0.6:4", "--json", tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    assert f"{data['unreachable']} not reachable" in text and None in data["f1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("modes", "pendulum", "--pose", "phi=0.5"), "not an equilibrium: 1.18 N·m about joint 'hinge'"),
        (("modes", "three_link", "-n", "0"), "n must be a whole number of at least 1"),
        (("map", "three_link", "--over", "phi1=0:1"), "expected name=from:to:count"),
        (("frf", "three_link", "--input", "link3", "--output", "phi1"), "'link3' is no place"),
        (
            ("frf", "three_link", "--input", "phi1", "--output", "phi1", "--to", "0.5"),
            "expected two or more frequencies",
        ),
        (("compliance", "three_link", "link9"), "there is no place 'link9'"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, message):
    with pytest.raises(PoinsotError, match=message.replace("(", r"\(")):
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)


ARM = """format = 1
planar = true
gravity = [0, "-9.81 m/s²"]
[bodies.bob]
mass = "2 kg"
inertia = "0.1 kg·m²"
com = [0.2, 0]
[joints.hinge]
type = "revolute"
between = ["ground", "bob"]
"""


def test_an_equilibrium_elsewhere_is_told_by_how_far_bodies_move_and_turn(tmp_path):
    (tmp_path / "arm.toml").write_text(ARM)
    assert "about an equilibrium, up to 90° from the model's own pose" in run("modes", tmp_path / "arm.toml")
    (tmp_path / "two.toml").write_text(
        f'{ARM}[bodies.bob.frames]\ntip = [0.4, 0]\n[bodies.tip]\nmass = "1 kg"\ninertia = "0.1 kg·m²"\n'
        '[joints.weld]\ntype = "fixed"\nbetween = ["bob.tip", "tip"]\n'
    )
    assert "up to 0.566 m and 90° from the model's own pose" in run("modes", tmp_path / "two.toml")


def test_negative_frequencies_are_explained_where_there_are_some(tmp_path):
    said = "negative: unstable, grows as exp(2π|f| t)"
    assert said in run("modes", "pendulum", "--pose", "phi=180 deg")
    assert "negative" not in run("modes", "pendulum")
    found = run("map", "four_bar", "--over", "theta1=0:6:7", "--locked", "none", "--json", tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    assert f"{said}; in {sum(f < 0 for f in data['f1'])} of 7 samples" in found
    assert "negative" not in run("map", "three_link", "--over", "phi1=0:1:3")
    for command in ("modes", "map"):
        assert "negative frequency f" in run(command, "--help")


def test_a_grid_takes_units_and_its_data_tells_them(tmp_path):
    for name, grid in (("si", "phi1=0:1.5707963267948966:3"), ("deg", "phi1=0 deg:90 deg:3")):
        run("map", "three_link", "--over", grid, "--json", tmp_path / f"{name}.json")
    si, deg = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("si", "deg"))
    assert si == deg and si["units"] == {"phi1": "rad", "f1": "Hz", "f2": "Hz", "f3": "Hz"}


def test_what_is_printed_and_written_has_its_units(tmp_path):
    path = tmp_path / "x.json"
    text = run("frf", "three_link", "--input", "link3 rz", "--output", "link3 y", "--to", "50 Hz", "--damping", 0.01)
    assert " m/(N·m) at " in text and "1 … 50 Hz" in text
    run("compliance", "three_link", "link1", "--json", path)
    assert json.loads(path.read_text())["units"]["compliance"][2] == ["rad/N", "rad/N", "rad/(N·m)"]
    run("modes", "slider_crank", "--damped", "--json", path, "--force")
    units = {"frequencies": "Hz", "growth": "1/s", "forces": {"main": "N·m"}}
    assert json.loads(path.read_text())["units"] == units | {"damped_frequencies": "Hz", "damping_ratios": "-"}
    for command in ("check", "pose"):
        run(command, "four_bar", "--json", path, "--force")
        assert json.loads(path.read_text())["units"]["size"] == "m"


def test_responses_and_compliances_of_an_unstable_pose_say_so(tmp_path):
    up, said = ("--pose", "phi=180°"), "the pose is unstable, it is left as exp("
    responses = ("frf", "pendulum", "--input", "phi", "--output", "phi", "--to", "0.1 kHz")
    for call in (responses, ("compliance", "pendulum", "bob")):
        assert said in run(*call, *up, "--json", tmp_path / "up.json", "--force")
        assert json.loads((tmp_path / "up.json").read_text())["growth"] > 0
        assert said not in run(*call)
