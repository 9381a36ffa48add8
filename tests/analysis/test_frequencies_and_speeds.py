"""Angular speeds where frequencies are asked for count by their turns; frequencies are no speeds of angles."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.options import in_unit
from poinsot.errors import PoinsotError
from poinsot.estimate.closed_loop.controllers import control_of
from poinsot.estimate.study_file import ProcessingTable, _processing
from poinsot.experiment.poses.task import PosesTask
from poinsot.model.quantities.parameters import as_value

TURN = 2 * np.pi
OPEN = "write rpm, deg/s or rad/s"
SENSOR = '\n[sensors.tip]\ntype = "encoder"\non = { joint = "A" }\nrate = "6000 rpm"\n'


@pytest.mark.parametrize(
    ("text", "frequency"),
    [
        ("600 rpm", 10),
        ("10 rad/s", 10 / TURN),
        ("720 deg/s", 2),
        ("3 rev/s", 3),
        ("60 U/min", 1),
        ("2 kHz", 2000),
        ("5", 5),
    ],
)
def test_angular_speeds_are_frequencies_of_so_many_turns(text, frequency):
    assert as_value(text, "Hz", "rate") == pytest.approx(frequency, rel=1e-12)


def test_every_frequency_that_is_asked_for_is_read_alike():
    assert in_unit("Hz", "--rate")("6000 rpm") == pytest.approx(100)
    processing = _processing(
        ProcessingTable(cutoff={"q*": "600 rpm"}, rate=f"{50 * TURN} rad/s", force_cutoff="300 rpm")
    )
    assert processing.cutoff == {"q*": pytest.approx(10)}
    assert (processing.rate, processing.force_cutoff) == (pytest.approx(50), pytest.approx(5))
    run = poinsot.ModalRun([f"{20 * TURN} rad/s", "-"], deviation="6 rpm")
    np.testing.assert_allclose([run.frequencies[0], run.deviation[0]], [20, 0.1])
    tilt = poinsot.loads(poinsot.dumps(poinsot.load("four_bar")) + SENSOR)
    assert tilt.sensors["tip"].rate == pytest.approx(100)
    table = {"rate": "1 kHz", "A": {"type": "pid", "reference": "q", "kp": 1.0}}
    assert control_of(table).rate == 1000 and control_of(table | {"rate": "60 rpm"}).rate == pytest.approx(1)


def test_the_command_line_has_the_same_frequencies_for_hertz_and_revolutions():
    line = ["simulate", "four_bar", "--t-end", "0.05", "--json", "-", "--rate"]
    both = [CliRunner().invoke(app, [*line, rate]).stdout for rate in ("100 Hz", "6000 rpm")]
    assert both[0] == both[1] and "nan" not in both[0].lower()


@pytest.mark.parametrize("unit", ["rad/s", "rad/s²"])
@pytest.mark.parametrize("text", ["1 Hz", "1 kHz", "2 s^-1"])
def test_frequencies_are_no_speeds_of_angles(text, unit):
    with pytest.raises(PoinsotError, match="w: expected a quantity in rad/s"):
        as_value(text, unit, "w")


def test_where_a_speed_is_asked_for_hertz_is_refused_with_what_to_write():
    bar = poinsot.load("four_bar")
    with pytest.raises(PoinsotError, match=f"rate of theta1: expected a quantity in rad/s, got '1 Hz': {OPEN}"):
        poinsot.simulate(bar, 0.01, velocity={"theta1": "1 Hz"})
    said = CliRunner().invoke(app, ["simulate", "four_bar", "--velocity", "theta1=1 Hz"])
    assert said.exit_code == 1 and OPEN in str(said.exception or said.output)


BAR = """
format = 1
planar = true
[parameters]
slow = "0.1 Hz"
twice = "2*slow"
bare = 2
angle = "3 deg"
v = "0.1 m/s"
r = "0.2 m"
speed = "v/r"
turning = "2*pi*slow"
torque = "1 N·m"
[bodies.bar]
mass = 1
[joints.A]
type = "revolute"
between = ["ground", "bar"]
damping = DAMPING
friction = { coulomb = 1, smooth = SMOOTH }
"""


def bar(smooth="1 rpm", damping="0"):
    return poinsot.loads(BAR.replace("SMOOTH", f'"{smooth}"').replace("DAMPING", f'"{damping}"'))


HERTZ = ["0.1 Hz", "slow", "2*slow", "slow/2", "twice", "-slow + v/r", "2 * 0.1 Hz", "6.28*slow", "sqrt(2*slow^2)"]


@pytest.mark.parametrize("smooth", HERTZ)
def test_model_files_take_no_hertz_for_speeds_of_angles(smooth):
    with pytest.raises(PoinsotError, match=f"smooth: expected a quantity in rad/s, .*{OPEN}"):
        bar(smooth)


SPEEDS = ["1 rpm", "2*pi*slow", "turning", "slow*2*pi", "v/r", "speed", "angle*slow", "2*angle*slow", "bare*slow"]


@pytest.mark.parametrize("smooth", [*SPEEDS, "3*speed*(slow/twice)", "1 rpm + 2*turning"])
def test_expressions_of_angular_speeds_are_read(smooth):
    assert bar(smooth).parameters


def test_expressions_with_hertz_do_not_stand_for_a_damping_about_an_angle_either():
    assert bar(damping="torque/(2*pi*slow)").parameters and bar(damping="torque/speed").parameters
    with pytest.raises(PoinsotError, match="expected a quantity in N·m·s/rad, got 'torque / slow'"):
        bar(damping="torque/slow")


def test_hertz_does_not_stand_for_the_speed_in_a_damping_about_an_angle():
    assert as_value("2 N·m·s", "N·m·s/rad", "damping") == 2
    with pytest.raises(PoinsotError, match="expected a quantity in N·m·s/rad"):
        as_value("2 N·m/Hz", "N·m·s/rad", "damping")


def test_times_are_no_angles():
    with pytest.raises(PoinsotError, match="expected a quantity in s, got '10 s/rev'"):
        as_value("10 s/rev", "s", "t")


def test_a_band_of_poses_counts_turns():
    task = PosesTask.of({"band": ["60 rpm", "100 Hz"], "absolute": "6 rpm"}, poinsot.load("three_link"))
    assert task.band == (pytest.approx(1), 100) and task.absolute == pytest.approx(0.1)
