"""Forces along a coordinate: closed forms, and derivatives of energies by automatic differentiation."""

import casadi
import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from poinsot.elements.bodies import RigidBody
from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.forces import (
    Actuator,
    Damper,
    DriveInertia,
    EndStop,
    Friction,
    Load,
    Spring,
    gravity_potential,
)
from poinsot.elements.frame import Frame
from poinsot.spatial.pose import Pose
from tests.strategies import numbers, poses, vectors

ON = AlongJoint("j", 0, "m")


def slope(energy, at: float) -> float:
    s = casadi.SX.sym("s")
    return float(casadi.Function("d", [s], [casadi.gradient(casadi.SX(energy(s)), s)])(at))


@given(k=numbers(0.1, 10), rest=numbers(-1, 1), s=numbers(-2, 2))
def test_a_spring_pulls_back_in_proportion_to_its_stretch(k, rest, s):
    spring = Spring("f", ON, k, rest)
    assert_allclose(spring.potential(s), k * (s - rest) ** 2 / 2)
    assert_allclose(-slope(spring.potential, s), -k * (s - rest), atol=1e-12)
    assert spring.force(s, 1.0) == 0 and spring.kinetic(1.0) == 0


def test_a_spring_that_is_relaxed_wherever_it_is_posed_measures_from_there():
    assert Spring("f", ON, 2.0, None).potential(0.7) == pytest.approx(0.49)
    assert Spring("f", ON, 2.0).potential(0.7) == pytest.approx(0.49)  # and one whose rest is left out at zero


@given(d=numbers(0, 10), s_dot=numbers(-3, 3))
def test_a_damper_takes_power_out(d, s_dot):
    force = Damper("f", ON, d).force(0.3, s_dot)
    assert_allclose(force, -d * s_dot)
    assert force * s_dot <= 0


@given(s_dot=numbers(-3, 3))
def test_friction_is_viscous_dry_and_offset(s_dot):
    friction = Friction("f", ON, viscous=0.4, coulomb=1.5, offset=0.2, smooth=0.0)
    assert_allclose(friction.force(0.0, s_dot), -(0.4 * s_dot + 1.5 * np.sign(s_dot) + 0.2))


@given(s_dot=numbers(-3, 3))
def test_smooth_friction_is_dry_friction_away_from_rest_and_no_jump_at_rest(s_dot):
    dry, smooth = (Friction("f", ON, 0.4, 1.5, 0.2, v) for v in (0.0, 1e-3))
    assert smooth.force(0.0, 0.0) == -0.2
    if abs(s_dot) > 0.02:
        assert_allclose(smooth.force(0.0, s_dot), dry.force(0.0, s_dot), rtol=1e-14)


@given(inertia=numbers(0, 5), s_dot=numbers(-3, 3))
def test_the_momentum_of_a_drive_is_its_inertia_times_the_rate(inertia, s_dot):
    drive = DriveInertia("f", ON, inertia)
    assert_allclose(drive.kinetic(s_dot), inertia * s_dot**2 / 2)
    assert_allclose(slope(drive.kinetic, s_dot), inertia * s_dot, atol=1e-12)


@given(s=numbers(-3, 3))
def test_an_end_stop_pushes_only_beyond_its_limits(s):
    stop = EndStop("f", ON, -1.0, 2.0, 50.0)
    beyond = min(s + 1.0, 0.0) + max(s - 2.0, 0.0)
    assert_allclose(stop.potential(s), 25.0 * beyond**2)
    assert_allclose(-slope(stop.potential, s), -50.0 * beyond, atol=1e-10)


def test_a_rigid_end_stop_stores_nothing():
    assert EndStop("f", ON, -1.0, 2.0).potential(5.0) == 0


def test_an_actuator_has_no_law_of_its_own():
    drive = Actuator("f", ON)
    assert (drive.potential(1.0), drive.kinetic(1.0), drive.force(1.0, 1.0)) == (0, 0, 0)
    assert drive.lower == -np.inf and drive.upper == np.inf


@given(X=poses(), com=vectors(), g=vectors(3, 10.0))
def test_gravity_pulls_with_the_weight_at_the_centre_of_mass(X, com, g):
    body = RigidBody("b", 2.5, tuple(com), (0.0,) * 6)
    V = gravity_potential(body, X, g)
    assert_allclose(V, -2.5 * g @ (X.R @ com + X.p), atol=1e-11)
    p = casadi.SX.sym("p", 3)
    force = -casadi.Function("f", [p], [casadi.gradient(gravity_potential(body, Pose(X.R, p), g), p)])(X.p)
    assert_allclose(np.array(force).ravel(), 2.5 * g, atol=1e-12)


def test_what_is_left_out_does_nothing():
    assert Friction("f", ON).force(0.3, 1.0) == 0
    assert Friction("f", ON, coulomb=2.0).force(0.0, 1e-3) == pytest.approx(-2.0 * np.tanh(1.0))  # smooth over 1 mm/s
    load = Load("l", Frame("b", ""))
    assert load.force == load.moment == (0.0, 0.0, 0.0) and not load.follows


def test_the_clearance_of_a_rigid_stop_vanishes_at_both_limits():
    stop = EndStop("stop", ON, -1.0, 2.0)
    assert stop.clearance(-1.0) == stop.clearance(2.0) == 0.0
    assert stop.clearance(0.5) == 2.25 and stop.clearance(2.5) < 0 > stop.clearance(-1.5)
