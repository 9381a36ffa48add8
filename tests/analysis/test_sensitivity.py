"""Exact derivatives against extrapolated differences: inertias, springs, geometry; driven and simulated motions."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import poinsot


def extrapolated(function, at: float, step: float):
    """Derivative by central differences, extrapolated twice (error of order step⁶)."""
    d = [(function(at + h) - function(at - h)) / (2 * h) for h in (step, step / 2, step / 4)]
    first = [(4 * d[i + 1] - d[i]) / 3 for i in range(2)]
    return (16 * first[1] - first[0]) / 15


DRIVEN = {
    "five_bar": {"q1": lambda t: 2.2 + 0.3 * casadi.sin(3 * t), "q2": lambda t: 0.9 + 0.2 * casadi.cos(2 * t)},
    "four_bar": {"theta1": lambda t: 1 + 2 * t},
    "hexapod": {
        "x": lambda t: 0.02 * casadi.sin(3 * t),
        "y": 0.01,
        "z": lambda t: 0.5 + 0.03 * casadi.cos(2 * t),
        "theta1": lambda t: 0.1 * casadi.sin(t),
        "theta2": 0.05,
        "theta3": lambda t: 0.1 * t,
    },
}


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("five_bar", "forearm1.mass"),
        ("five_bar", "forearm1.com.y"),
        ("five_bar", "crank1.elbow.x"),
        ("five_bar", "shoulder1.viscous"),
        ("four_bar", "link2.C.y"),
        ("four_bar", "ground.length"),
        ("hexapod", "platform.inertia.xx"),
        pytest.param("hexapod", "base.radius", marks=pytest.mark.slow),
    ],
)
def test_forces_of_a_driven_motion_change_as_their_derivative_says(name, parameter):
    mechanism, motion, t = poinsot.load(name), DRIVEN[name], [0.1, 0.35]
    d = poinsot.sensitivity(mechanism, motion, t, [parameter])
    actuator = next(iter(mechanism.actuators))
    body = list(mechanism.bodies)[-1]

    def answers(value):
        changed = mechanism.with_parameters({parameter: value})
        # all coordinates of the motion are given, so that the start is the same in every sense
        found = poinsot.inverse_dynamics(changed, motion, t)
        return np.concatenate([found.forces[actuator], found.body_forces[body].ravel()])

    value = mechanism.parameters[parameter].value
    wanted = extrapolated(answers, value, 2e-2 * max(abs(value), 0.05))
    ours = np.concatenate([d.forces[actuator][:, 0], d.body_forces[body][:, :, 0].ravel()])
    np.testing.assert_allclose(ours, wanted, atol=2e-8 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("double_pendulum", "lower.mass"),
        ("double_pendulum", "upper.elbow.y"),
        ("slider_crank", "rod.inertia"),
        ("slider_crank", "rod.small_end.x"),
        ("four_bar", "gravity.y"),
    ],
)
def test_a_simulated_motion_changes_as_its_derivative_says(name, parameter):
    mechanism, t = poinsot.load(name), [0.15, 0.3]
    d = poinsot.motion_sensitivity(mechanism, 0.3, [parameter], t=t)
    coordinate = next(iter(mechanism.coordinates))

    def answers(value):
        changed = mechanism.with_parameters({parameter: value})
        return poinsot.simulate(changed, 0.3, t=t, rtol=1e-12, atol=1e-14).coordinates[coordinate]

    value = mechanism.parameters[parameter].value
    wanted = extrapolated(answers, value, 4e-3 * abs(value))
    np.testing.assert_allclose(d.coordinates[coordinate][:, 0], wanted, atol=1e-8 * max(1.0, np.abs(wanted).max()))


def test_platform_forces_of_the_ex800_are_linear_in_mass_and_inertias():
    """∂Q_c/∂(M_p, I_xx, I_zz): forces contain the mass only, moments the inertias only."""
    ex800 = poinsot.load("ex800")
    motion = dict(ex800.elements.pose) | {"z": lambda t: 0.275 + 0.037 * casadi.cos(3.75 * t)}
    motion |= {"ry": lambda t: 0.29 * casadi.sin(3.75 * t)}
    wrt = ["platform.mass", "platform.inertia.xx", "platform.inertia.zz"]
    d = poinsot.sensitivity(ex800, motion, [0.0, 0.3], wrt)
    S = d.body_forces["platform"]
    assert np.abs(S[:, :3, 1:]).max() < 1e-12 and np.abs(S[:, 3:, 0]).max() < 1e-12
    assert S[0, 2, 0] == pytest.approx(-9.81 + 0.037 * 3.75**2)
    with pytest.raises(poinsot.PoinsotError, match=r"there is no parameter 'platform\.weight'"):
        poinsot.sensitivity(ex800, motion, [0.0], ["platform.weight"])
