"""Simulations: closed forms, batches, events, end stops, stiff mechanisms, bad input."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk

import poinsot


def changed(name, change):
    document = copy.deepcopy(dict(poinsot.load(name).document))
    change(document)
    return poinsot.build(document)


def test_the_period_of_a_large_swing_is_the_elliptic_integral():
    pendulum, amplitude = poinsot.load("pendulum"), 2.0
    inertia, moment = 0.02 + 0.25**2, 9.81 * 0.25
    period = 4 * np.sqrt(inertia / moment) * ellipk(np.sin(amplitude / 2) ** 2)
    r = poinsot.simulate(pendulum, period, t=[period / 2, period], pose={"phi": amplitude})
    np.testing.assert_allclose(r.coordinates["phi"], [-amplitude, amplitude], atol=1e-7)
    assert r.energy_error < 1e-9


def test_a_batch_gives_every_motion_as_if_alone():
    four_bar = poinsot.load("four_bar")
    masses = np.array([1.5, 2.3, 3.1])
    batch = poinsot.simulate(four_bar, 0.4, t=[0.2, 0.4], parameters={"link2.mass": masses})
    assert batch.position["link3"].shape == (3, 2, 3)
    for k, mass in enumerate(masses):
        alone = poinsot.simulate(four_bar.with_parameters({"link2.mass": mass}), 0.4, t=[0.2, 0.4])
        np.testing.assert_allclose(batch.position["link3"][k], alone.position["link3"], atol=1e-9)


def test_events_are_timed_and_rigid_end_stops_end_the_motion():
    def limit(document):
        document["joints"]["hinge"]["limits"] = ["-60 deg", "20 deg"]

    free = poinsot.simulate(poinsot.load("pendulum"), 2.0, pose={"phi": -0.8}, events={"there": ("phi", 0.3)})
    at = free.events["there"]
    assert poinsot.simulate(poinsot.load("pendulum"), 2.0, t=[at], pose={"phi": -0.8}).coordinates["phi"][
        0
    ] == pytest.approx(0.3, abs=1e-7)
    stopped = poinsot.simulate(changed("pendulum", limit), 2.0, pose={"phi": -0.8})
    assert not stopped.finished and "the end stop 'hinge.end-stop' was reached" in stopped.status
    assert stopped.coordinates["phi"].max() <= np.radians(20) + 1e-9
    assert 0 < len(stopped.t) < 101


def test_an_elastic_end_stop_gives_back_the_energy():
    def limit(document):
        on = {"joint": "hinge"}
        document["forces"] = {
            "bumper": {"type": "end-stop", "on": on, "lower": -10, "upper": 0.2, "stiffness": "500 N·m/rad"}
        }

    r = poinsot.simulate(changed("pendulum", limit), 2.0, pose={"phi": -0.8})
    assert r.finished and r.energy_error < 1e-6
    assert 0.2 < r.coordinates["phi"].max() < 0.35


def test_the_implicit_method_agrees_with_the_explicit_one():
    four_bar = poinsot.load("four_bar")
    a, b = (poinsot.simulate(four_bar, 0.3, t=[0.1, 0.2, 0.3], method=m, rtol=1e-9) for m in ("explicit", "implicit"))
    np.testing.assert_allclose(a.position["link3"], b.position["link3"], atol=1e-6)
    assert b.drift < 1e-10


def test_friction_takes_exactly_the_energy_that_is_missing():
    r = poinsot.simulate(poinsot.load("slider_crank"), 1.0, velocity={"theta": 20.0}, rtol=1e-9)
    assert r.work[-1] < -0.01 and r.energy_error < 1e-6


def test_a_law_of_time_and_speed_drives_an_actuator():
    """Spring and damper as a drive's law, and as laws of the model: one motion."""
    five_bar, t = poinsot.load("five_bar"), [0.1, 0.3, 0.5]
    r = poinsot.simulate(five_bar, 0.5, t=t, forces={"shoulder1": lambda t, s, v: 30.0 * (2.0 - s) - 0.5 * v})
    assert r.finished and r.drift < 1e-12 and r.energy_error < 1e-8

    def spring(document):
        document["joints"]["shoulder1"] |= {"stiffness": 30.0, "rest": 2.0, "damping": 0.5}

    sprung, free = (poinsot.simulate(m, 0.5, t=t) for m in (changed("five_bar", spring), five_bar))
    np.testing.assert_allclose(r.coordinates["q1"], sprung.coordinates["q1"], atol=1e-7)
    assert np.max(np.abs(r.coordinates["q1"] - free.coordinates["q1"])) > 0.1
    timed = poinsot.simulate(five_bar, 0.5, t=t, forces={"shoulder1": lambda t, s, v: 40.0 * t})
    assert np.all((timed.coordinates["q1"] - free.coordinates["q1"])[1:] > 0)  # it pushes the way it points


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"t_end": -1.0}, "t_end must be a positive time"),
        ({"t_end": 1.0, "t": [0.5, 0.2]}, "each later than the one before"),
        ({"t_end": 1.0, "t": [0.5, 2.0]}, "between 0 and t_end"),
        ({"t_end": 1.0, "method": "euler"}, "there is no method 'euler'"),
        ({"t_end": 1.0, "pose": {"fi": 1.0}}, "there is no coordinate 'fi'"),
        ({"t_end": 1.0, "velocity": {"fi": 1.0}}, "there is no coordinate 'fi'"),
        ({"t_end": 1.0, "parameters": {"bob.weight": [1.0]}}, "there is no parameter 'bob.weight'"),
        ({"t_end": 1.0, "parameters": {"bob.mass": [1.0, np.nan]}}, "finite"),
        ({"t_end": 1.0, "events": {"x": ("fi", 0.0)}}, "there is no coordinate 'fi'"),
        ({"t_end": float("nan")}, "t_end must be a positive time"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, message):
    with pytest.raises(poinsot.PoinsotError, match=message) as caught:
        poinsot.simulate(poinsot.load("pendulum"), **arguments)
    assert "\n" not in str(caught.value)


def test_a_simulation_that_runs_out_of_steps_keeps_its_results_up_to_there():
    r = poinsot.simulate(poinsot.load("slider_crank"), 0.2, velocity={"theta": 50.0}, max_steps=40)
    assert not r.finished and "t = " in r.status and 0 < len(r.t) < 101


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix"])
def test_a_spring_is_never_silently_unwound_by_a_turn(formulation):
    """A rotor against a weak torsion spring: followed over many turns, or stopped before half a turn."""

    def weaken(document):
        document["gravity"] = [0, 0]
        document["joints"]["hinge"] |= {"stiffness": "0.01 N·m/rad", "rest": 1.0}

    rotor = changed("pendulum", weaken)
    inertia = 0.02 + 1.0 * 0.25**2
    r = poinsot.simulate(rotor, 1.0, velocity={"phi": 10.0}, formulation=formulation)
    omega, angle = np.sqrt(0.01 / inertia), -1.0 + 0 * r.t  # from rest position 1: φ − 1 = −cos + (10/ω) sin
    exact = 1.0 + angle * np.cos(omega * r.t) + 10 / omega * np.sin(omega * r.t)
    np.testing.assert_allclose(np.unwrap(r.coordinates["phi"]), exact, atol=1e-7)
    assert r.finished == (formulation == "joint")
    assert r.finished or "half a turn" in r.status


def slide(**more) -> poinsot.Mechanism:
    body = {"mass": 2.0, "inertia": 0.1, "com": [0.1, 0.0]}
    joint = {"type": "prismatic", "between": ["ground", "block"], "axis": [0.6, 0.8], "actuated": True}
    document = {"format": 1, "name": "slide", "planar": True, "bodies": {"block": body}}
    return poinsot.build(document | {"joints": {"rail": joint | more.pop("joint", {})}, **more})


@pytest.mark.parametrize("method", ["explicit", "implicit"])
@pytest.mark.parametrize("formulation", ["joint", "euler"])
def test_a_swing_of_a_nanometre_is_as_exact_as_one_of_a_metre(formulation, method):
    spring = slide(gravity=[0, 0], joint={"stiffness": 50.0})
    for amplitude in (1.0, 1e-9):
        found = poinsot.simulate(spring, 5.0, pose={"rail": amplitude}, formulation=formulation, method=method)
        assert not found.status
        limit = 1e-9 if method == "explicit" else 1e-7
        assert_allclose(found.coordinates["rail"] / amplitude, np.cos(5 * found.t), atol=limit)


@pytest.mark.parametrize("gravity", [[0.0, -9.81], [0.0, 0.0]])
@pytest.mark.parametrize("amplitude", [1e-6, 1e-9, 1e-11])
def test_small_swings_are_exact_whatever_else_has_energy(gravity, amplitude):
    """ω² = m g l / (m l² + I), or k / (m l² + I); a potential far from zero hides no loss."""
    joint = {"type": "revolute", "between": ["ground", "bob"], "stiffness": 0.0 if any(gravity) else 20.0}
    body = {"mass": 2.0, "inertia": 0.1, "com": [0.0, -1.0]}
    document = {"format": 1, "name": "bob", "planar": True, "gravity": gravity, "bodies": {"bob": body}}
    swing = poinsot.build(document | {"joints": {"phi": joint}})
    found = poinsot.simulate(swing, 5.0, pose={"phi": amplitude})
    omega = np.sqrt((2.0 * 9.81 if any(gravity) else 20.0) / 2.1)
    assert not found.status
    assert_allclose(found.coordinates["phi"] / amplitude, np.cos(omega * found.t), atol=2e-6)


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix"])
@pytest.mark.parametrize("length", [1e-6, 1.0, 1e3])
def test_motions_far_shorter_than_their_coordinates_are_right(length, formulation):
    """ω² = m g l / (m l² + I) about a rest at 1.3 rad: a part of 1e-10 of that angle is 1 % of the swing."""
    rest, amplitude = 1.3, 1e-8
    body = {"mass": 2.0, "inertia": 0.6 * length**2, "com": [0.0, -length]}
    gravity = [9.81 * np.sin(rest), -9.81 * np.cos(rest)]
    document = {"format": 1, "name": "bob", "planar": True, "gravity": gravity, "bodies": {"bob": body}}
    document["joints"] = {"phi": {"type": "revolute", "between": ["ground", "bob"]}}
    swing, omega = poinsot.build(document), np.sqrt(9.81 / (1.3 * length))
    found = poinsot.simulate(swing, 12 / omega, pose={"phi": rest + amplitude}, formulation=formulation)
    assert not found.status
    assert_allclose((found.coordinates["phi"] - rest) / amplitude, np.cos(omega * found.t), atol=2e-6)


def test_an_atol_that_is_given_is_meant_as_it_is():
    spring = slide(gravity=[0, 0], joint={"stiffness": 50.0})
    fine, coarse = (poinsot.simulate(spring, 5.0, pose={"rail": 1e-6}, atol=atol) for atol in (1e-12, 1e-8))
    assert coarse.steps < fine.steps


def test_slow_motions_through_a_singular_pose_are_right_or_said_to_be_lost():
    """A parallelogram that lies flat twice a turn, driven by nothing: both cranks turn at their first rate."""
    rod = {"mass": 1.0, "inertia": [1e-3, 1 / 12, 1 / 12], "com": [0.5, 0, 0], "frames": {"end": [1.0, 0, 0]}}
    places = {"rod0": ([0, 0, 0], np.pi / 2), "rod1": ([1, 0, 0], np.pi / 2), "coupler": ([0, 1, 0], 0.0)}
    bodies = {
        name: rod | {"placement": {"position": p, "rotation": {"sequence": "XYZ", "angles": [0, 0, turn]}}}
        for name, (p, turn) in places.items()
    }
    bodies["ground"] = {"frames": {"right": [1.0, 0, 0]}}
    ends = {"A": ["ground", "rod0"], "B": ["rod0.end", "coupler"], "C": ["coupler.end", "rod1.end"]}
    ends["D"] = ["ground.right", "rod1"]
    joints = {name: {"type": "revolute", "between": pair, "closing": name == "C"} for name, pair in ends.items()}
    document = {"format": 1, "name": "bars", "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints}
    angles = {"theta0": {"joint": "A"}, "theta1": {"joint": "D"}}
    bars = poinsot.build(document | {"coordinates": angles, "pose": {"theta0": np.pi / 2}})
    rate, end = -1e-6, 2.6e6
    found = poinsot.simulate(
        bars, end, t=[0, end], velocity={"theta0": rate}, formulation="euler", method="implicit", max_steps=3000
    )
    exact = np.exp(1j * (np.pi / 2 + rate * end))
    right = [abs(np.exp(1j * found.coordinates[name][-1]) - exact) < 1e-3 for name in angles]
    assert found.status or all(right)


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix"])
def test_what_rests_but_for_round_off_keeps_resting(formulation):
    for more in (0.0, 1e-15):
        held = {"rail": 2.0 * 9.81 * 0.8 * (1 + more)}
        found = poinsot.simulate(slide(), 2.0, forces=held, formulation=formulation)
        assert not found.status and found.steps < 1000
        assert np.abs(found.coordinates["rail"]).max() < 1e-13


def test_the_end_may_have_a_unit():
    swing = poinsot.load("pendulum")
    assert poinsot.simulate(swing, "200 ms", pose={"phi": 0.1}).t[-1] == pytest.approx(0.2)
    with pytest.raises(poinsot.PoinsotError, match="t_end: expected a quantity in s"):
        poinsot.simulate(swing, "200 mm")
