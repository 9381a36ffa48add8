"""Numbers as they are printed: no round-off, no key needed to read them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import poinsot
from poinsot.app.tables import pose_line
from poinsot.estimate.results.text import with_error
from poinsot.identifiability.determinable import ParameterVerdict, Verdict
from poinsot.results.words import settled
from poinsot.statics.force_sizes import told_forces
from poinsot.statics.hold import Holding

T = np.linspace(0, 1, 101)
ROUND_OFF = re.compile(r"(?<![\d.])-0(?![\d.])|e-(1[3-9]|[2-9]\d)")


@pytest.mark.parametrize("text", ["-1.5571602e-26", "x  -0 …", "4.1e-17 kg"])
def test_the_rule_on_round_off_can_fail(text):
    assert ROUND_OFF.search(text)
    assert not ROUND_OFF.search("-0.25 kg  1.2e-05  A-01  -10")


def test_round_off_of_the_machine_is_zero_and_small_numbers_are_not():
    assert settled(-1.5571602e-26, 0.3) == 0 and str(settled(-0.0, 1.0)) == "0.0"
    assert settled(1e-9, 0.3) == 1e-9
    assert np.isnan(settled(float("nan"), 1.0))


def test_a_combination_whose_terms_cancel_is_printed_as_zero():
    found = poinsot.base_parameters(poinsot.load("five_bar"))
    assert not ROUND_OFF.search("\n".join(str(found).splitlines()[2:]))  # after the gap, which is round-off by nature
    assert "forearm1.mx" in str(found)


def test_the_deviation_of_a_zero_is_absolute_and_that_of_others_relative():
    motion = {"theta1": poinsot.Fourier(2.0, (0.6, 0.3, 0.2), (0.2, 0.1), 1.0)}
    mechanism = poinsot.load("four_bar").with_parameters({"link1.com.y": 0.0})
    lines = str(poinsot.determinable(mechanism, motion, T, noise=0.01)).splitlines()
    zero = next(line for line in lines if "link1.my" in line)
    assert " 0 kg·m " in zero and re.search(r"± \S+ kg·m$", zero) and "%" not in zero
    masses = str(poinsot.determinable(mechanism, motion, T, parameters=["link2.mass"], noise=0.01))
    assert re.search(r"link2\.mass .*± \S+ %$", masses, re.M)


def test_a_verdict_keeps_the_relative_deviation_for_programs():
    one = ParameterVerdict("a.mx", "kg·m", 0.0, Verdict.POOR, 0.1, 0.31, ())
    assert one.relative == 0.31


def test_forces_are_printed_in_the_unit_of_their_drive():
    turning = poinsot.inverse_dynamics(poinsot.load("four_bar"), {"theta1": lambda t: 1 + t}, T[:3])
    assert "N·m, at most" in str(turning) and "N or N·m" not in str(turning)


def test_a_pose_on_one_line_has_units_and_degrees():
    mechanism = poinsot.load("four_bar")
    at = poinsot.assemble(mechanism, {"theta1": np.pi / 6})
    line = pose_line(mechanism, at.poses, at.angles)
    assert line.startswith("theta1 = 0.523599 rad (30°), theta2 = ") and not ROUND_OFF.search(line)


def test_round_off_of_weights_is_printed_as_nothing():
    level = poinsot.load("slider_crank").with_parameters({})
    drives = {name: -3.2e-18 for name in level.actuators}
    assert told_forces(level, drives) == dict.fromkeys(drives, 0.0)
    assert told_forces(level, dict.fromkeys(drives, -3.2e-3)) == dict.fromkeys(drives, -3.2e-3)
    assert "e-" not in str(Holding(drives, level)) and "= 0 N·m" in str(Holding(drives, level))
    weightless = poinsot.build({**level.document, "gravity": [0, 0]})
    assert told_forces(weightless, drives) == dict.fromkeys(drives, 0.0)


def test_equilibria_have_the_units_of_their_kind():
    rest = poinsot.equilibrium(poinsot.load("pendulum"), pose={"phi": 0.8})
    assert str(rest).endswith(", residual 0 N·m")
    assert {name: unit for name, (_, unit) in rest.to_columns().items() if name.startswith(("res", "stiff"))} == {
        "residual": "N·m",
        "stiffness1": "N·m/rad",
    }
    assert poinsot.equilibrium(poinsot.load("slider_crank")).kind == ("N or N·m", "N/m or N·m/rad")
    slide = {"bodies": {"b": {"mass": 1, "inertia": [1, 1, 1]}}, "gravity": [0, 0, -9.81]}
    slide["joints"] = {"j": {"type": "prismatic", "between": ["ground", "b"], "stiffness": "100 N/m"}}
    assert poinsot.equilibrium(poinsot.build({"format": 1, **slide})).kind == ("N", "N/m")


def test_estimates_of_nothing_have_no_sign():
    assert with_error(-0.0001, 0.016) == "0.000 ± 0.016" and with_error(-0.01, 0.016) == "-0.010 ± 0.016"
