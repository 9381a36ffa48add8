"""Coordinates, rates, forces and parameters on the command line, with and without units."""

from __future__ import annotations

import json
import re
import warnings
from math import cos, sin

import numpy as np
import pytest
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.tables import channels_in, loaded, pairs, pose_in
from poinsot.errors import PoinsotError


def simulated(tmp_path, *options: str) -> np.ndarray:
    """Coordinates of the four-bar over time as the command writes them."""
    table = tmp_path / f"{len([*tmp_path.iterdir()])}.csv"
    said = CliRunner().invoke(app, ["simulate", "four_bar", "--t-end", "0.05", "--csv", str(table), *options])
    assert said.exit_code == 0, f"{said.output}{said.exception}"
    return np.loadtxt(table, delimiter=",", skiprows=1)


def test_units_give_the_same_motion_as_numbers_in_si(tmp_path):
    si = ("--pose", "theta1=0.5", "--velocity", "theta1=0.17453292519943295", "--actuator", "A=0.1")
    pose = f"theta1={float(np.degrees(0.5))!r} deg"
    same = ("--pose", pose, "--velocity", "theta1=10 deg/s", "--actuator", "A=100 N·mm")
    one, other = simulated(tmp_path, *si), simulated(tmp_path, *same)
    np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
    rest = simulated(tmp_path, "--pose", "theta1=0.5", "--actuator", "A=0.1")
    assert (one[1, 1] - rest[1, 1]) / one[1, 0] == pytest.approx(0.1745, rel=0.05)  # it starts with that speed


def test_a_parameter_is_set_for_one_call(tmp_path):
    (tmp_path / "heavy.toml").write_text(
        poinsot.dumps(poinsot.load("four_bar").with_parameters({"link2.mass": "3000 g"}))
    )
    assert loaded("four_bar", ["link2.mass=3000 g"]).parameters["link2.mass"].value == 3.0
    expected = poinsot.simulate(poinsot.load(tmp_path / "heavy.toml"), 0.05, t=np.linspace(0, 0.05, 6))
    found = simulated(tmp_path, "--set", "link2.mass=3 kg")
    np.testing.assert_allclose(found[-1, 1], expected.coordinates["theta1"][-1], rtol=1e-9)
    light = simulated(tmp_path)
    assert abs(light[-1, 1] - found[-1, 1]) > 1e-6


def test_modes_of_a_pose_in_degrees(tmp_path):
    pose, out = "phi1=44.4 deg,phi2=-44.9 deg,phi3=40.4 deg", tmp_path / "modes.json"
    said = CliRunner().invoke(app, ["modes", "three_link", "--pose", pose, "--json", str(out)])
    assert said.exit_code == 0
    np.testing.assert_allclose(json.loads(out.read_text())["frequencies"], [22.713, 58.449, 101.079], atol=5e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theta1", "expected a coordinate as name=number, got 'theta1'"),
        ("theta1=", "expected a coordinate as name=number, got 'theta1='"),
        ("theta1=ten", "theta1: expected a number or a quantity in rad, got 'ten'"),
        ("theta1=10 mm", "theta1: expected a quantity in rad, got '10 mm'"),
        ("theta1=nan", "theta1: expected a number or a quantity in rad, got 'nan'"),
        ("other=ten", "there is no coordinate 'other'; there are: "),
    ],
)
def test_what_is_no_number_of_its_unit_is_refused(text, message):
    with pytest.raises(PoinsotError) as error:
        pose_in(poinsot.load("four_bar"), [text])
    assert message in str(error.value)


def test_names_without_units_take_plain_numbers():
    assert pairs(["a=1,b=-2.5e3"], "a force") == {"a": 1.0, "b": -2500.0}
    assert pairs(None, "a force") == {}


@pytest.mark.parametrize(("text", "said"), [("theta1=30", True), ("theta1=30 deg", False), ("theta1=1.2", False)])
def test_a_plain_angle_beyond_two_turns_is_asked_about(text, said):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        pose_in(poinsot.load("four_bar"), [text])
    assert [str(w.message) for w in found] == ["theta1 = 30 rad; were degrees meant? write theta1=30 deg"] * said


def test_plain_angles_of_a_map_beyond_two_turns_are_asked_about():
    line = ["map", "four_bar", "--over"]
    asked = r"theta1 goes from 60 to 70 rad; were degrees meant\? write theta1=60 deg:70 deg:2"
    with pytest.warns(UserWarning, match=asked):
        CliRunner().invoke(app, [*line, "theta1=60:70:2"])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        CliRunner().invoke(app, [*line, "theta1=60 deg:70 deg:2"])
    assert not [w for w in found if "degrees" in str(w.message)]


def test_what_a_simulation_writes_is_a_motion(tmp_path):
    moved = simulated(tmp_path, "--pose", "theta1=0.5")
    with pytest.warns(UserWarning, match="prescribed by theta1; left out, as it follows: theta2, theta3"):
        said = CliRunner().invoke(app, ["kinematics", "four_bar", str(tmp_path / "0.csv")])
    assert said.exit_code == 0 and f"{len(moved)} samples" in said.output


def said_by(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(app, list(arguments))
    return found.exit_code, f"{found.output}{found.exception or ''}"


def test_an_actuator_that_does_not_exist_is_named_with_those_that_do():
    with pytest.raises(PoinsotError, match=r"there is no actuator 'man' \(did you mean 'main'\?\); there are: main"):
        pairs(["man=2 N·m"], "a force", {"main": "N·m"})


def test_durations_and_rates_take_units():
    plain = said_by("simulate", "four_bar", "--t-end", "0.02", "--rate", "100")
    assert plain[0] == 0 and said_by("simulate", "four_bar", "--t-end", "20 ms", "--rate", "100 Hz") == plain
    code, text = said_by("simulate", "four_bar", "--t-end", "20 mm")
    assert code == 1 and "--t-end: expected a quantity in s, got '20 mm'" in text


def test_the_noise_takes_the_unit_of_its_channel(tmp_path):
    rows = "".join(f"{k / 20},{1 + 0.8 * sin(k / 5) + 0.3 * cos(k / 2)}\n" for k in range(60))
    (path := tmp_path / "m.csv").write_text("t,theta1\n" + rows)
    call = ("determinable", "four_bar", str(path), "--noise")
    plain = said_by(*call, "0.05")
    assert plain[0] == 0 and "±" in plain[1] and said_by(*call, "50 N·mm") == plain
    assert "the noise of 'A': expected a quantity in N·m, got '3 N'" in said_by(*call, "3 N")[1]


def test_a_force_sensor_is_a_channel_by_its_own_name():
    sensor = '[sensors.torque]\ntype = "drive-force"\nactuator = "A"\n[sensors.angle]\ntype = "encoder"\n'
    bar = poinsot.loads(poinsot.dumps(poinsot.load("four_bar")) + "\n" + sensor + 'on = { joint = "A" }\n')
    assert channels_in(bar, "torque, A, angle, reaction B") == ["sensor torque", "A", "angle", "reaction B"]


@pytest.mark.parametrize(
    ("text", "point"),
    [("1,1 kg", "1.1"), ("0,9", "0.9"), ("-,5 kg", "-.5"), ("1.234,5 g", "1234.5"), ("2*1,5 kg", "1.5")],
)
def test_a_comma_in_a_number_is_told_that_decimals_take_a_point(text, point):
    said = f"; decimals take a point: {re.escape(point)}$"
    with pytest.raises(PoinsotError, match=said):
        poinsot.loads(f"format = 1\n[bodies.b]\nmass = '{text}'")
    with pytest.raises(PoinsotError, match=said):
        poinsot.load("pendulum").with_parameters({"bob.mass": text})


@pytest.mark.parametrize("text", ["1.2 xlb", "1.2 kg,", "max(1, 2", "1, kg", "atan2(1,2) kg kg"])
def test_other_mistakes_get_no_such_advice(text):
    with pytest.raises(PoinsotError) as error:
        poinsot.loads(f"format = 1\n[bodies.b]\nmass = '{text}'")
    assert "decimals" not in str(error.value)


@pytest.mark.parametrize("option", ["--set", "--pose"])
def test_a_comma_on_the_command_line_is_told_so_too(option):
    name = {"--set": "bob.mass=1,5 kg", "--pose": "phi=1,5 rad"}[option]
    done = CliRunner().invoke(app, ["pose", "pendulum", option, name])
    assert done.exit_code == 1 and str(done.exception).endswith("decimals take a point: 1.5")
