"""Closed-loop output error: controllers in the simulation, which follows recorded references."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.closed_loop.controllers import PID
from poinsot.estimate.doubts import against_forces
from poinsot.estimate.problems.output.equations import step_kernel
from poinsot.system.system import system
from tests.estimate.machines import LOOP, SERIAL
from tests.estimate.output.machines import off

NAMES = {
    "arm": ("upper.inertia", "lower.com.x", "shoulder.viscous", "elbow.coulomb"),
    "five_bar": ("shoulder1.viscous", "shoulder2.coulomb", "forearm2.mass"),
}


@pytest.mark.parametrize("machine", [SERIAL, LOOP], ids=lambda one: one.mechanism.name)
def test_parameters_under_control_within_their_error_bars(machine):
    rec, truth = machine.run(1, 1e-4, 0.02, 2.0), machine.mechanism
    names = NAMES[truth.name]
    est = poinsot.identify(off(truth, names, 1.2), rec, list(names), problem="output", control=machine.control)
    assert np.all(np.abs([(v.value - truth.parameters[v.name].value) / v.deviation for v in est.parameters]) < 3.5)
    assert np.all(est.deviation < 0.1 * np.abs(est.value))
    assert {"q1", "q2"} < {channel.channel for channel in est.fit.channels}  # forces are explained too


@pytest.mark.parametrize("rate", [None, 250.0], ids=["continuous", "sampled"])
@pytest.mark.parametrize("late", [0.0, 0.006], ids=["in time", "one encoder late"])
def test_controllers_that_are_not_the_machines_are_contradicted_by_the_recorded_forces(late, rate):
    machine = replace(SERIAL, rate=rate)
    rec, truth = machine.run(1, 1e-4, 0.02, 4.0), machine.mechanism
    values = {**rec.values, "q2": CubicSpline(rec.t, rec["q2"])(rec.t - late)}
    rec, names = poinsot.Recording.of(rec.t, values), list(NAMES["arm"]) + (["delay q2"] if late else [])

    def said(gain):
        drives = {name: replace(one, kp=gain * one.kp) for name, one in machine.drives.items()}
        control = replace(machine, drives=drives).control
        est = poinsot.identify(off(truth, NAMES["arm"], 1.2), rec, names, problem="output", control=control)
        return est, [text for text in est.numerics if "recorded forces contradict" in text]

    est, found = said(1.0)
    assert not found
    wrong, found = said(1.05)
    name, value = re.search(r"motion ([\w.]+) = ([\d.]+)", found[0]).groups()
    true = truth.parameters[name].value
    assert abs(float(value) - true) < 0.3 * abs(wrong[name].value - true)  # the forces are right
    assert abs(est[name].value - true) < 3.5 * est[name].deviation


@pytest.mark.parametrize("taken_off", [True, False])
def test_forces_along_the_motion_are_asked_without_the_delays_of_its_encoders(taken_off, monkeypatch):
    if not taken_off:
        monkeypatch.setattr(against_forces, "_in_time", lambda run, found: run)
    rec, truth = SERIAL.run(1, 1e-4, 0.02, 4.0), SERIAL.mechanism
    late = poinsot.Recording.of(rec.t, {**rec.values, "q1": CubicSpline(rec.t, rec["q1"])(rec.t - 0.03)})
    names, given = list(NAMES["arm"]), {"problem": "output", "control": SERIAL.control}
    est = poinsot.identify(off(truth, names, 1.1), late, [*names, "delay q1"], **given)
    assert est["delay q1"].value == pytest.approx(0.03, abs=1e-3)
    assert any("recorded forces contradict" in text for text in est.numerics) is not taken_off


def test_integrals_of_controllers_begin_where_the_machine_was():
    """A recording that begins in motion: the integrals have values then, which are unknowns besides."""
    drives = {"shoulder": SERIAL.drives["shoulder"], "elbow": PID(reference="q2.wanted", kp=200, kd=15, ki=400)}
    machine = replace(SERIAL, drives=drives)
    rec, truth = machine.run(1, 0.0, 0.02, 2.0), machine.mechanism
    est = poinsot.identify(
        off(truth, ["lower.com.x"], 1.2), rec, ["lower.com.x"], problem="output", control=machine.control
    )
    assert est["lower.com.x"].value == pytest.approx(truth.parameters["lower.com.x"].value, rel=1e-2)
    assert any("5 initial states" in step for step in est.steps)


@pytest.mark.parametrize("count", [1, 2], ids=["one drive", "two drives"])
def test_drives_that_look_one_sample_back(count):
    """A difference of one sample is all the memory of positions that such a controller has."""
    drives = {name: replace(one, differences=1) for name, one in list(SERIAL.drives.items())[:count]}
    held = replace(SERIAL, drives=drives, rate=250.0)
    compiled = system(held.mechanism)
    names, y = ("lower.com.x",), np.zeros((1, 4 + 3 * count + 1))
    step = step_kernel(compiled, names, ("q1", "q2"), held.control, tangent=False)
    y[0, 4 + 2 * count : 4 + 3 * count] = 7.0  # positions before
    given = np.zeros((1, 1, 2 + 6 * count))
    given[0, 0, 0] = 1.0  # they act
    (ends,), _ = step.chains([y], given, np.zeros(1, int), [compiled.parameters(held.mechanism)], [1], slice(None))
    np.testing.assert_allclose(ends[0, 0, 4 + 2 * count : 4 + 3 * count], 0.0)  # those of now


def test_segments_and_unstable_controllers_are_refused_in_a_sentence():
    rec = SERIAL.run(1, 1e-4, 0.02, 1.0)
    given = {"problem": "output", "control": SERIAL.control}
    with pytest.raises(PoinsotError, match="segments are for simulations without controllers"):
        poinsot.identify(SERIAL.mechanism, rec, ["lower.mass"], **given, processing={"segment": 0.2})
    wrong = replace(SERIAL, drives={**SERIAL.drives, "elbow": PID(reference="q2.wanted", kp=-1e7)}).control
    with pytest.raises(PoinsotError, match="unstable with the values at the start"):
        poinsot.identify(SERIAL.mechanism, rec, ["lower.mass"], problem="output", control=wrong)
