"""Motions, poses, rates and forces as users give them: quantities with units are read, mistakes are named."""

from __future__ import annotations

import math

import numpy as np
import pytest

import poinsot

PENDULUM = poinsot.load("pendulum")
CRANK = poinsot.load("four_bar")  # its actuator is called A
ARM = poinsot.load("three_link")
NAN = float("nan")


def test_a_shaft_may_turn_many_times_with_few_samples():
    t = np.linspace(0.0, 1.0, 21)  # 36° from sample to sample, two turns in all
    found = poinsot.kinematics(PENDULUM, {"phi": lambda t: 4 * np.pi * t}, t)
    np.testing.assert_allclose(found.angular_velocity["bob"][:, 2], 4 * np.pi, rtol=1e-12)
    np.testing.assert_allclose(found.path.q[:, 0], 4 * np.pi * t, atol=1e-12)


def test_a_large_motion_is_followed_with_few_samples():
    still = dict.fromkeys(("x", "y", "rz", "rx", "ry"), 0.0)
    found = poinsot.kinematics(
        poinsot.load("ex800"), {**still, "z": lambda t: 0.3 + 5 * t}, np.linspace(0.0, 1.0, 11)
    )
    np.testing.assert_allclose(found.velocity["platform"], [[0, 0, 5]] * 11, atol=1e-9)


def test_poses_rates_and_forces_may_have_units():
    plain = poinsot.State({"theta1": math.pi / 6}, {"theta1": math.pi}, {"A": 0.02})
    units = poinsot.State({"theta1": "30 deg"}, {"theta1": "0.5 rev/s"}, {"A": "0.00002 kN·m"})
    a, b = (poinsot.accelerations(CRANK, state) for state in (plain, units))
    np.testing.assert_allclose(a["link1"], b["link1"], rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pose": {"theta1": NAN}}, "theta1: expected a finite number in rad"),
        ({"pose": {"theta1": "3 mm"}}, "theta1: expected a quantity in rad, got '3 mm'"),
        ({"pose": {"theta": 1.0}}, "no coordinate 'theta' .*there are: theta1"),
        ({"pose": {"A9": 1.0}}, "no coordinate 'A9'.*there are: theta1, theta2, theta3, A, B, C, D"),
        ({"velocity": {"theta1": NAN}}, "rate of theta1: expected a finite number in rad/s"),
        ({"velocity": {"theta1": "3 deg"}}, "rate of theta1: expected a quantity in rad/s, got '3 deg'"),
        ({"forces": {"B": 1.0}}, "no actuator 'B'; there are: A"),
        ({"forces": {"B": lambda t, s, s_dot: t}}, "no actuator 'B'; there are: A"),
        ({"forces": {"A": NAN}}, "force of A: expected a finite number in N·m"),
        ({"forces": {"A": "1 N"}}, "force of A: expected a quantity in N·m, got '1 N'"),
        ({"forces": {"A": [1.0, 2.0]}}, "force of A: expected a number in N·m"),
        ({"forces": {"A": lambda t: t}}, r"law of actuator 'A', a function of \(t, s, ṡ\).*positional argument"),
        ({"forces": {"A": lambda t, s, s_dot: 1 if s > 0 else 2}}, "law of actuator 'A'.*truth value"),
        ({"forces": {"A": lambda t, s, s_dot: math.sin(t)}}, "law of actuator 'A'.*one finite number"),
        ({"forces": {"A": lambda t, s, s_dot: None}}, "law of actuator 'A'"),
    ],
)
def test_what_a_simulation_is_given_is_checked_by_name(given, message):
    with pytest.raises(poinsot.PoinsotError, match=message) as caught:
        poinsot.simulate(CRANK, 0.01, **given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: poinsot.load(3), r"expected the name of a file, not 3 \(int\)"),
        (lambda: poinsot.build(3), "a model is a dictionary"),
        (lambda: poinsot.save(3, "x.toml"), "expected a mechanism"),
        (lambda: poinsot.dumps("four_bar"), "expected a mechanism"),
        (lambda: poinsot.check("four_bar"), "expected a mechanism"),
        (lambda: poinsot.assemble("four_bar"), "expected a mechanism.*'four_bar'"),
        (lambda: poinsot.assemble(CRANK, 3), "a pose is given by name"),
        (lambda: poinsot.assemble(CRANK, {"theta1": 0.0, "theta2": 3.0}), "cannot be assembled"),
        (lambda: poinsot.write_mjcf(3, "x.xml"), "expected a mechanism"),
        (lambda: poinsot.write_urdf(CRANK, 3), "expected the name of a file"),
        (lambda: poinsot.read_urdf(3), "expected the name of a file"),
        (lambda: poinsot.kinematics(CRANK, None, [0.0]), "a motion is given by coordinate.*NoneType"),
        (lambda: poinsot.kinematics(CRANK, {3: 1.0}, [0.0]), "a motion is given by coordinate"),
        (lambda: poinsot.kinematics(None, {"theta1": 1.0}, [0.0]), "expected a mechanism"),
        (lambda: poinsot.kinematics(CRANK, {"theta1": 1.0}, "now"), "t must be a list of times"),
        (lambda: poinsot.kinematics(CRANK, {"theta1": poinsot.Samples("a", "b")}, [0.0]), "the motion of 'theta1'"),
        (
            lambda: poinsot.kinematics(CRANK, {"theta1": poinsot.Fourier("a", (1.0,))}, [0.0]),
            "the motion of 'theta1'",
        ),
        (lambda: poinsot.inverse_dynamics(3, {}, [0.0]), "expected a mechanism"),
        (lambda: poinsot.inverse_dynamics(CRANK, {"theta1": 1.0}, [0.0], weights=3), "weights are given by name"),
        (lambda: poinsot.inverse_dynamics(CRANK, {"theta1": 1.0}, [0.0], weights={"A": "a"}), "must be positive"),
        (lambda: poinsot.accelerations(3), "expected a mechanism"),
        (lambda: poinsot.accelerations(CRANK, {"theta1": 1.0}), "a state is a poinsot.State"),
        (lambda: poinsot.accelerations(CRANK, poinsot.State(pose=3)), "given by name"),
        (lambda: poinsot.accelerations(CRANK, formulation=None), "no formulation 'None'; there are: joint"),
        (lambda: poinsot.simulate("four_bar", 1.0), "expected a mechanism"),
        (lambda: poinsot.simulate(CRANK, 1.0, t="a"), "t must be a list of times"),
        (lambda: poinsot.simulate(CRANK, 1.0, forces=3), "forces are given by name"),
        (lambda: poinsot.simulate(CRANK, 1.0, pose=[1.0]), "a pose is given by name"),
        (lambda: poinsot.simulate(CRANK, 1.0, velocity=2.0), "rates are given by name"),
        (lambda: poinsot.simulate(CRANK, 1.0, events={"a": 3}), "event 'a' must be a coordinate and a number"),
        (lambda: poinsot.simulate(CRANK, 1.0, parameters={"link1.mass": "a"}), "lists of numbers"),
        (lambda: poinsot.simulate(CRANK, 1.0, parameters={"link1.mass": []}), "lists of one length"),
        (lambda: poinsot.simulate(CRANK, 1.0, rtol="a"), "rtol must be a number"),
        (lambda: poinsot.simulate(CRANK, 1.0, max_steps=None), "max_steps must be a number"),
        (lambda: poinsot.equilibrium(3), "expected a mechanism"),
        (lambda: poinsot.equilibrium(CRANK, forces=3), "forces are given by name"),
        (lambda: poinsot.hold(3), "expected a mechanism"),
        (lambda: poinsot.singularity(3), "expected a mechanism"),
        (lambda: poinsot.singularity(CRANK, outputs="theta1"), "a list of names, not as 'theta1'"),
        (lambda: poinsot.sensitivity(CRANK, {"theta1": 1.0}, [0.0], "link1.mass"), "a list of names"),
        (lambda: poinsot.motion_sensitivity(3, 1.0, ["a"]), "expected a mechanism"),
        (lambda: CRANK.with_parameters(3), "parameters are given by name"),
        (lambda: poinsot.modes(3), "expected a mechanism"),
        (lambda: poinsot.modes(ARM, 3), "a pose is given by name"),
        (lambda: poinsot.modes(ARM, n="a"), "n must be a whole number of at least 1"),
        (lambda: poinsot.modes(ARM, formulation=["joint"]), "no formulation"),
        (lambda: poinsot.modes(ARM, locked=3), "locked actuators are given as a list of names"),
        (lambda: poinsot.modes(ARM, forces=3), "forces are given by name"),
        (lambda: poinsot.linearise(ARM, independent="A"), "a list of names, not as 'A'"),
        (lambda: poinsot.frf(ARM, 3, "link3 y", [1.0]), "inputs are given as a list of names"),
        (lambda: poinsot.frf(ARM, "link3 y", "link3 y", "a"), "frequencies in Hz must be finite"),
        (lambda: poinsot.frf(ARM, "link3 y", "link3 y", 1.0, damping="a"), "damping ratios must be finite"),
        (lambda: poinsot.frf(ARM, "link3 y", "link3 y", 1.0, loss_factor=NAN), "the loss factor must be finite"),
        (lambda: poinsot.compliance(ARM, 3), "no place '3'"),
        (lambda: poinsot.frequency_map(None), "expected a mechanism"),
        (lambda: poinsot.frequency_map(ARM, [1.0]), "poses are given by name"),
        (lambda: poinsot.frequency_map(ARM, n=0), "n must be a whole number of at least 1"),
        (
            lambda: poinsot.frequency_map(ARM, parameters={"A.stiffness": ["a"]}),
            "A.stiffness: expected a number or a",
        ),
        (lambda: poinsot.regressor(CRANK, 3), "a motion is given by coordinate"),
        (lambda: poinsot.regressor(CRANK, {"theta1": 1.0}, "a"), "t must be a list of times"),
        (lambda: poinsot.energy_regressor(CRANK, {"theta1": 1.0}, [0.0, 1.0], nodes=0.5), "nodes must be a whole"),
        (lambda: poinsot.base_parameters("four_bar"), "expected a mechanism"),
        (lambda: poinsot.base_parameters(CRANK, channels=3), "channels are given as a list of names"),
        (lambda: poinsot.base_parameters(CRANK, eliminate=3), "parameters to eliminate are given as a list"),
        (lambda: poinsot.determinable(3, {"theta1": 1.0}), "expected a mechanism"),
        (lambda: poinsot.determinable(CRANK, {"theta1": 1.0}, [0.0], parameters=3), "parameters are given as a list"),
        (lambda: poinsot.save(CRANK, "x.xml"), "a model file is TOML; poinsot.write_mjcf writes '.xml' files"),
        (lambda: CRANK.with_separate(3), "a list of names"),
    ],
)
def test_things_of_a_wrong_kind_get_one_sentence_at_every_door(ask, message):
    with pytest.raises(poinsot.PoinsotError, match=message) as caught:
        ask()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("t_end", [-1.0, 0.0, NAN, "-1 s", None])
def test_the_end_of_a_simulation_is_a_positive_time(t_end):
    with pytest.raises(poinsot.PoinsotError, match="t_end must be a positive time"):
        poinsot.simulate(PENDULUM, t_end)


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        ({}, "mobility 1 and the motion prescribes 0 coordinates .none.: prescribe 1"),
        ({"phi": lambda t: math.sin(t)}, "NumPy functions and give one finite number"),
        ({"phi": lambda t: 0 if t < 1 else 1}, "truth value"),
        ({"phi": lambda t: [t, t]}, "a motion that is a function of t"),
        ({"phi": b"90 deg"}, "a motion is a number, a function of t"),
        ({"phi": "90 mm"}, "phi: expected a quantity in rad, got '90 mm'"),
    ],
)
def test_a_motion_that_cannot_be_read_is_refused(motion, message):
    with pytest.raises(poinsot.PoinsotError, match=message) as caught:
        poinsot.kinematics(PENDULUM, motion, [0.0, 1.0])
    assert "\n" not in str(caught.value)
