"""Inverse and forward dynamics undo each other, also with more actuators than freedoms."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import poinsot


def motion_of(mechanism, size=0.01):
    """A smooth motion of the coordinates of the file's pose."""
    return {
        name: (lambda t, s=float(s), k=k: s + size * casadi.sin((2 + 0.5 * k) * t))
        for k, (name, s) in enumerate(mechanism.elements.pose.items())
    }


@pytest.mark.parametrize(
    "name", ["hexapod", "delta", "five_bar", pytest.param("double_hexapod", marks=pytest.mark.slow)]
)
def test_accelerations_under_the_forces_of_inverse_dynamics_are_those_of_the_motion(name):
    mechanism = poinsot.load(name)
    motion = motion_of(mechanism)
    d = poinsot.inverse_dynamics(mechanism, motion, [0.2, 0.7])
    k = d.kinematics
    for i in range(2):
        state = poinsot.State(
            pose={n: k.coordinates[n][i] for n in motion},
            velocity={n: _rate(motion[n], k.t[i]) for n in motion},
            forces={n: f[i] for n, f in d.forces.items()},
        )
        found = poinsot.accelerations(mechanism, state)
        for body in mechanism.bodies:
            np.testing.assert_allclose(found[body][:3], k.acceleration[body][i], atol=1e-8)
            np.testing.assert_allclose(found[body][3:], k.angular_acceleration[body][i], atol=1e-8)


def _rate(law, t):
    x = casadi.SX.sym("t")
    return float(casadi.Function("d", [x], [casadi.gradient(law(x), x)])(t))


def test_redundant_drives_share_the_load_by_least_squares_or_by_weight():
    mechanism = poinsot.load("double_hexapod")
    pose = mechanism.elements.pose
    plain = poinsot.inverse_dynamics(mechanism, pose, [0.0])
    heavy = {name: 100.0 for name in plain.forces if name.startswith("low")}
    shifted = poinsot.inverse_dynamics(mechanism, pose, [0.0], weights=heavy)
    square = lambda d: sum(float(f[0]) ** 2 for f in d.forces.values())  # noqa: E731
    assert square(plain) < square(shifted)
    assert abs(shifted.forces["low1"][0]) < abs(plain.forces["low1"][0])


def test_bad_input_is_refused_by_name():
    four_bar = poinsot.load("four_bar")
    with pytest.raises(poinsot.PoinsotError, match="prescribe 1 independent"):
        poinsot.kinematics(four_bar, {"theta1": 0.3, "theta2": 0.1}, [0.0])
    with pytest.raises(poinsot.PoinsotError, match=r"theta1.*not a finite number at t = 0.5"):
        poinsot.kinematics(four_bar, {"theta1": lambda t: casadi.sqrt(0.25 - t) + 0 * t}, [0.0, 0.5])
    hexapod = poinsot.load("hexapod")
    up = {**hexapod.elements.pose, "z": lambda t: 0.5 + 2 * t}
    with pytest.raises(poinsot.PoinsotError, match="there is no actuator 'leg9'"):
        poinsot.simulate(hexapod, t_end=0.1, forces={"leg9": 1.0})
    assert poinsot.kinematics(hexapod, up, [0.0, 0.1]).position["platform"][1, 2] == pytest.approx(0.7)
    with pytest.raises(poinsot.PoinsotError, match=r"no formulation 'lagrange'.*joint"):
        poinsot.simulate(hexapod, t_end=0.1, formulation="lagrange")
    with pytest.raises(poinsot.PoinsotError, match="three_link has mobility 3 and 0 actuators"):
        three = poinsot.load("three_link")
        poinsot.inverse_dynamics(three, three.elements.pose, [0.0])
    with pytest.raises(poinsot.PoinsotError, match=r"at t = .* s the motion leaves the workspace"):
        five = poinsot.load("five_bar")
        poinsot.kinematics(five, {"x": 0.0, "y": lambda t: 0.3 + t}, np.linspace(0, 1, 30))


def test_what_is_remembered_of_a_pose_follows_the_pose_and_the_parameters():
    """Asked again, from another pose, or with other lengths, an analysis answers as it would the first time."""
    bar = poinsot.load("four_bar")
    longer = bar.with_parameters({"link1.B.x": bar.parameters["link1.B.x"].value * 1.01})
    first = {pose: poinsot.accelerations(bar, poinsot.State({"theta1": pose}))["link2"] for pose in (1.0, 1.1)}
    assert np.max(np.abs(first[1.0] - first[1.1])) > 1e-3
    changed = poinsot.accelerations(longer, poinsot.State({"theta1": 1.0}))["link2"]
    assert np.max(np.abs(changed - first[1.0])) > 1e-4
    np.testing.assert_array_equal(poinsot.accelerations(bar, poinsot.State({"theta1": 1.0}))["link2"], first[1.0])


def test_results_print_as_what_a_person_wants_to_read():
    five_bar = poinsot.load("five_bar")
    motion = {"q1": poinsot.Fourier(2.0, sines=(0.1,), offset=2.2), "q2": 0.9}
    d = poinsot.inverse_dynamics(five_bar, motion, [0.0, 0.5])
    assert "shoulder1" in str(d) and "W" in str(d)
    assert "2 samples from 0 to 0.5 s" in str(d.kinematics)
    np.testing.assert_allclose(d.kinematics.coordinates["q1"][1], 2.2 + 0.1 * np.sin(1.0), atol=1e-12)
