"""Derivatives of frequencies and of M, D, K against extrapolated differences, also where frequencies repeat."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot

from .vibrating import ball_pendulum, column, masses, oscillator, slope, slope_forwards, sprung_five_bar

BENT = {"phi1": np.radians(44.4), "phi2": np.radians(-44.9), "phi3": np.radians(40.4)}


def check(mechanism, pose=None, names=None, rtol=1e-7, **given):
    """Every derivative against differences, relative to the largest one along that parameter."""
    found = poinsot.modes(mechanism, pose, **given)
    names = list(mechanism.parameters if names is None else names)
    exact = found.derivatives(names)
    seen = 0
    for j, name in enumerate(names):
        parameter = mechanism.parameters[name]
        if np.isnan(exact[:, j]).any():
            continue
        h = 1e-2 * (abs(parameter.value) or 0.02)

        def frequencies(x, name=name):
            return poinsot.modes(mechanism.with_parameters({name: x}), pose, **given).frequencies

        by_differences = slope(frequencies, parameter.value, h)
        scale = max(np.max(np.abs(by_differences)), np.max(np.abs(found.frequencies)))
        assert_allclose(exact[:, j], by_differences, rtol=0, atol=rtol * scale, err_msg=name)
        seen += 1
    return seen


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix"])
def test_stiffness_mass_and_length_of_the_three_links(formulation):
    assert check(poinsot.load("three_link"), BENT, ["B.stiffness", "link2.mass", "L2"], formulation=formulation) == 3


@pytest.mark.slow
@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix"])
@pytest.mark.parametrize("name", ["three_link", "pendulum", "double_pendulum", "four_bar", "slider_crank"])
def test_every_parameter(name, formulation):
    mechanism = poinsot.load(name)
    without = 2 if name == "three_link" else 0  # gravity, which relaxed springs cannot bear
    pose = BENT if name == "three_link" else None
    assert check(mechanism, pose, formulation=formulation) == len(mechanism.parameters) - without


@pytest.mark.slow
def test_every_parameter_of_a_loop_on_springs():
    assert check(sprung_five_bar()) >= 34


def test_gravity_leaves_no_equilibrium_where_relaxed_springs_hold_the_pose():
    assert np.isnan(poinsot.modes(poinsot.load("three_link"), BENT).derivatives(["gravity.y"])).all()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("pendulum", None),
        ("double_pendulum", None),
        ("four_bar", ["link2.C.y", "gravity.x", "link3.com.y"]),
        ("slider_crank", ["rod.com.y", "gravity.y", "crank.pin.x"]),
    ],
)
def test_the_equilibrium_moves_with_the_parameter_or_its_actuator_follows(name, parameters):
    mechanism = poinsot.load(name)
    assert check(mechanism, names=parameters) == len(parameters or mechanism.parameters)


@pytest.mark.parametrize("formulation", ["joint", "euler"])
def test_loops_move_with_their_lengths(formulation):
    five_bar = sprung_five_bar()
    assert check(five_bar, names=["crank1.elbow.x", "forearm2.com.y"], formulation=formulation) == 2
    assert check(five_bar, names=["ground.left.x", "shoulder1.stiffness"], locked=["shoulder2"]) == 2


def test_a_spring_that_sags_from_where_it_was_clamped():
    document = dict(poinsot.load("three_link").document)
    document["gravity"] = [0, -9.81]
    sagging = poinsot.build(document, "sagging")
    assert poinsot.modes(sagging).linear.poses["link3"].p[1] < -5e-4
    assert check(sagging, names=["gravity.y", "L2", "C.stiffness", "link2.mass"]) == 4


def test_forces_that_follow():
    assert check(column(3.0), names=["A.stiffness", "push.force.x", "lower.mass", "lower.tip.x"]) == 4


def test_unstable_modes_have_derivatives_too():
    assert_allclose(poinsot.modes(oscillator(-50.0)).derivatives(["slide.stiffness"]), [[5 / (2 * np.pi) / 100]])


def test_repeated_frequencies_split_along_each_parameter():
    ball = ball_pendulum()
    found = poinsot.modes(ball)
    assert_allclose(found.frequencies[1], found.frequencies[2], rtol=1e-12)
    for name in ("bob.inertia.xx", "bob.mass", "bob.com.z", "gravity.z", "bob.inertia.yy"):
        exact = found.derivatives([name])[:, 0]
        value = ball.parameters[name].value
        differences = slope_forwards(
            lambda x, name=name: poinsot.modes(ball.with_parameters({name: x})).frequencies, value, 0.02 * abs(value)
        )
        assert_allclose(exact, differences, rtol=1e-7, atol=1e-7, err_msg=name)
    along_x = found.derivatives(["bob.inertia.xx"])[1:, 0]
    assert along_x[0] < -1e-3 and abs(along_x[1]) < 1e-9


@pytest.mark.parametrize(
    "name", ["platform.mass", *(pytest.param(x, marks=pytest.mark.slow) for x in ("top.radius", "leg.length"))]
)
def test_repeated_frequencies_of_a_hexapod_on_its_drives(name):
    assert check(poinsot.load("hexapod"), names=[name]) == 1


def test_linearised_matrices_move_with_the_parameters():
    five_bar = sprung_five_bar()
    linear = poinsot.linearise(five_bar)
    slopes = linear.derivatives(["crank1.elbow.x", "forearm1.mass", "shoulder1.viscous"])
    for j, name in enumerate(slopes.wrt):
        value = five_bar.parameters[name].value

        def matrices(x, name=name):
            moved = poinsot.linearise(five_bar.with_parameters({name: x}), independent=linear.names)
            return np.array([moved.M, moved.D, moved.K])

        expected = slope(matrices, value, 1e-2 * value)
        for exact, differences in zip((slopes.dM[j], slopes.dD[j], slopes.dK[j]), expected):
            assert_allclose(exact, differences, rtol=1e-7, atol=1e-8, err_msg=name)


def test_independent_coordinates_are_the_users_choice():
    five_bar = sprung_five_bar()
    by_angles, by_place = (poinsot.linearise(five_bar, independent=x) for x in (("q1", "q2"), ("x", "y")))
    assert_allclose(by_angles.poles, by_place.poles, rtol=1e-9)
    J = by_place.rows @ by_angles.basis  # ∂(x, y)/∂(q1, q2)
    assert_allclose(J.T @ by_place.K @ J, by_angles.K, rtol=1e-9)
    damped = np.linalg.eigvals(by_angles.A)
    assert_allclose(np.sort(np.abs(damped))[::2], np.sort(np.abs(by_angles.poles)), rtol=1e-9)
    assert "about a pose at rest, in q1 [rad], q2 [rad]" in str(by_angles)
    with pytest.raises(poinsot.PoinsotError, match="has 2 free motions here and 1 were named"):
        poinsot.linearise(five_bar, independent=["q1"])
    with pytest.raises(poinsot.PoinsotError, match="there is no displacement 'q3'"):
        poinsot.linearise(five_bar, independent=["q1", "q3"])
    with pytest.raises(poinsot.PoinsotError, match="are not independent"):
        poinsot.linearise(five_bar, independent=["q1", "q1"])


def test_logarithmic_sensitivities_of_stiffness_alone_add_up_to_a_half():
    row = masses(100.0, 200.0, m=(1.0, 3.0))
    assert_allclose(poinsot.modes(row).log_sensitivity(["s1.stiffness", "s2.stiffness"]).sum(axis=1), 0.5)
