"""Machines with dry friction that start from rest, simulated under recorded forces from a start without friction."""

from __future__ import annotations

import logging
import signal
from importlib import import_module

import numpy as np
import pytest

import poinsot
from poinsot.estimate.problems.output.problem import OutputResiduals

ARM = """
format = 1
name = "arm"
planar = true
gravity = [0, "-9.81 m/s²"]
[bodies.bob]
mass = "{} kg"
com = ["0.3 m", 0]
inertia = "0.02 kg·m²"
[joints.hinge]
type = "revolute"
between = ["ground", "bob"]
actuated = true
friction = {{ viscous = "{} N·m·s/rad", coulomb = "{} N·m" }}
[coordinates]
phi = {{ joint = "hinge" }}
[pose]
phi = "-90 deg"
"""
SLIDE = """
format = 1
name = "slide"
planar = true
gravity = [0, 0]
[bodies.car]
mass = "{} kg"
[joints.rail]
type = "prismatic"
between = ["ground", "car"]
actuated = true
friction = {{ viscous = "{} N·s/m", coulomb = "{} N" }}
[coordinates]
x = {{ joint = "rail" }}
[pose]
x = 0
"""
STEP, PARTS = 0.005, 50  # between samples, and steps of the simulation in it  [s]
UNKNOWNS = ["bob.mass", "hinge.viscous", "hinge.coulomb"]


def moved(force: np.ndarray, at: float, inertia: float, viscous: float, coulomb: float, gravity=lambda x: 0.0):
    """Positions (n,) from rest under forces (n,) on straight lines between samples, with friction that sticks."""
    x, v, found, h = at, 0.0, np.zeros(len(force)), STEP / PARTS
    for k, (now, then) in enumerate(zip(force, [*force[1:], force[-1]])):
        found[k] = x
        for i in range(PARTS):
            F = now + (then - now) * i / PARTS + gravity(x)
            direction = np.sign(v) if v else np.sign(F)
            a = 0.0 if not v and abs(F) <= coulomb else (F - viscous * v - coulomb * direction) / inertia
            after = v + h * a
            after = 0.0 if v * after < 0 else after  # it stops, and sticks or goes on from there
            x, v = x + h * (v + after) / 2, after
    return found


def arm_run(seed: int, seconds: float = 5.0) -> poinsot.Recording:
    """An arm of 1.5 kg, 0.15 N·m·s/rad and 0.4 N·m."""
    rng, t = np.random.default_rng(seed), np.arange(0, seconds, STEP)
    f, g = rng.uniform(0, 2 * np.pi, 2)
    slow, fast = np.sin(2 * np.pi * 0.35 * t + f), np.sin(2 * np.pi * 0.9 * t + g)
    torque = np.clip((t - 0.3) / 0.5, 0, 1) * (2.5 * slow + 1.5 * fast)
    phi = moved(torque, -np.pi / 2, 0.155, 0.15, 0.4, lambda x: -1.5 * 9.81 * 0.3 * np.cos(x))
    return poinsot.Recording.of(t, {"phi": phi + 1e-4 * rng.standard_normal(len(t)), "hinge": torque})


@pytest.mark.parametrize("seed", [1, 2])
def test_an_arm_with_dry_friction_is_found_from_a_start_without_it(seed):
    est = poinsot.identify(poinsot.loads(ARM.format(1.0, 0.1, 0.0), "arm"), arm_run(seed), UNKNOWNS, problem="output")
    assert est.fit["phi"].relative < 0.02
    np.testing.assert_allclose(est.value, [1.5, 0.15, 0.4], rtol=0.05)
    assert not est.doubts


def test_the_steps_of_the_simulation_are_fine_enough_for_the_friction_that_is_found():
    rng, t = np.random.default_rng(0), np.arange(0, 5, STEP)
    force = 6 * np.sin(2 * np.pi * (0.3 * t + 0.2 * t**2))
    x = moved(force, 0.0, 3.0, 4.0, 2.0) + 2e-5 * rng.standard_normal(len(t))
    found, names = [], ["car.mass", "rail.viscous", "rail.coulomb"]
    for coulomb in (0.0, 2.0):
        model = poinsot.loads(SLIDE.format(3.0, 4.0, coulomb), "slide")
        found.append(
            poinsot.identify(model, poinsot.Recording.of(t, {"x": x, "rail": force}), names, problem="output")
        )
    assert any("finer steps" in text for text in found[0].steps)
    np.testing.assert_allclose(found[0].value, found[1].value, rtol=2e-3)  # 2 % before


def test_a_simulation_that_does_not_follow_is_a_doubt_with_remedies():
    rec = arm_run(0)
    model = poinsot.loads(ARM.format(0.8, 0.1, 0.0), "arm")
    est = poinsot.identify(model, rec, ["hinge.viscous"], problem="output")  # mass and friction are wrong, and known
    assert "does not follow phi" in est.verdict and "problem = 'forces'" in est.verdict


@pytest.fixture
def interrupt(monkeypatch):
    """Ctrl-C at a slope that searches ask for, counted from 1, or as soon as a second one is begun (0)."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    slopes, identify, asked = OutputResiduals.jacobian, import_module("poinsot.estimate.identify"), []
    second = identify.starting_at

    def at(number: int) -> list[int]:
        def begun(*one):
            if number == 0:
                signal.raise_signal(signal.SIGINT)
            return second(*one)

        def interrupted(problem, p):
            asked.append(len(asked) + 1)
            if asked[-1] == number:
                signal.raise_signal(signal.SIGINT)
            return slopes(problem, p)

        monkeypatch.setattr(identify, "starting_at", begun)
        monkeypatch.setattr(OutputResiduals, "jacobian", interrupted)
        return asked

    yield at
    signal.signal(signal.SIGINT, before)


CASES = [(1, False, 1.0), (0, True, 1.0), (3, True, 1.5), (5, True, 1.5)]


@pytest.mark.parametrize(("number", "second", "mass"), CASES)
def test_an_interrupt_ends_a_search_and_all_that_would_follow(interrupt, caplog, number, second, mass):
    asked = interrupt(number)  # from this start the first search ends at once, and does not follow
    model = poinsot.loads(ARM.format(1.0, 0.1, 0.0), "arm")
    with caplog.at_level(logging.INFO, "poinsot.progress"):
        est = poinsot.identify(model, arm_run(1), UNKNOWNS, problem="output")
    assert ("starts again" in caplog.text) == second and len(asked) <= number + 2
    assert "Interrupted: these are the best values so far" in est.verdict and "did not settle" in str(est)
    assert abs(est.found[0] - mass) < 0.01
