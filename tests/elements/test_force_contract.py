"""Every force of the registry keeps the contract; wrong forces are seen to break it."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given

from poinsot.elements.forces import (
    FORCES,
    Damper,
    DriveInertia,
    EndStop,
    Friction,
    Load,
    LoadFriction,
    Simple,
    Spring,
)
from poinsot.spatial.motion import Twist
from tests.elements import force_contract as contract
from tests.elements.new_laws import Hardening
from tests.strategies import frames, poses, vectors


@pytest.mark.parametrize("demand", contract.CONTRACT, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", FORCES)
def test_every_force_keeps_the_contract(kind, demand):
    assert FORCES[kind].kind == kind
    demand(FORCES[kind])


def wrong(law, **answers):
    """A law with other answers."""
    return dataclass(frozen=True)(type(law.__name__, (law,), answers))


MUTANTS = {
    "spring that pushes": wrong(Spring, potential=lambda f, s: -0.5 * f.stiffness * (s - f.rest) ** 2),
    "spring of the wrong unit": wrong(Spring, parameters={"stiffness": "f", "rest": "u"}),
    "spring that is not elastic": wrong(Spring, elastic=False),
    "spring that stays clamped": wrong(Spring, relaxed_at=lambda f, s: f),
    "spring that rests elsewhere": wrong(Spring, simple=lambda f, s: Simple(stiffness=float(f.stiffness))),
    "damper that drives": wrong(Damper, force=lambda f, s, v: f.damping * v),
    "damper that is not linear": wrong(Damper, force=lambda f, s, v: -(f.damping**2) * v),
    "damper told as friction": wrong(Damper, simple=lambda f, s: Simple(coulomb=float(f.damping))),
    "gear that helps": wrong(LoadFriction, transmitted=lambda f, u, v: u * (1 + f.load)),
    "friction as damping": wrong(Friction, dry_slope=lambda f: 0.0),
    "negative inertia": wrong(DriveInertia, kinetic=lambda f, v: -f.inertia * v**2 / 2),
    "half an inertia abroad": wrong(DriveInertia, simple=lambda f, s: Simple(inertia=float(f.inertia) / 2)),
    "stop that is linear in its limits": wrong(EndStop, linear=("stiffness", "upper")),
    "cubic of the wrong power": wrong(Hardening, potential=lambda f, s: f.stiffness * s**2 / 2 + f.cubic * s**3 / 3),
}


def test_what_the_mutants_change_keeps_the_contract_otherwise():
    for demand in contract.CONTRACT:
        demand(wrong(Spring))
        demand(Hardening)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_force_breaks_the_contract(name):
    broken = 0
    for demand in contract.CONTRACT:
        try:
            demand(MUTANTS[name])
        except AssertionError:
            broken += 1
    assert broken


def test_dry_friction_alone_is_what_its_slope_says():
    friction = Friction("f", contract.ON, viscous=0.4, coulomb=1.5, offset=0.2, smooth=1e-3)
    steep = (friction.force(0.0, 1e-9) - friction.force(0.0, -1e-9)) / 2e-9
    assert -steep == pytest.approx(0.4 + friction.dry_slope(), rel=1e-6)
    assert Friction("f", contract.ON, coulomb=1.5, smooth=0.0).dry_slope() == 0


def test_a_rigid_stop_is_reached_at_its_limits_and_an_elastic_one_nowhere():
    rigid = EndStop("f", contract.ON, -1.0, 2.0)
    assert [np.sign(rigid.clearance(s)) for s in (-1.1, -0.9, 1.9, 2.1)] == [-1, 1, 1, -1]
    assert EndStop("f", contract.ON, -1.0, 2.0, 5.0).clearance(3.0) is None
    assert not rigid.holds and Spring("f", contract.ON, 1.0).holds and not Damper("f", contract.ON, 1.0).holds


def test_an_angle_is_taken_near_the_rest_of_a_spring_and_midway_between_stops():
    assert Spring("f", contract.ON, 1.0, 0.7).centre == 0.7
    assert EndStop("f", contract.ON, -1.0, 2.0).centre == 0.5
    assert Hardening("f", contract.ON, 1.0).centre == 0.0
    assert EndStop("f", contract.ON, -1.0, 2.0).clearance(1.0) == 2.0


@given(X=poses(), at=frames("B"), f=vectors(), m=vectors(), v=vectors(), w=vectors())
def test_a_load_does_its_power_in_world_axes_or_following(X, at, f, m, v, w):
    """Power of the load by hand, all in world axes."""
    V_B = Twist(X.R.T @ v, X.R.T @ w)
    X_WF = X @ at.pose()
    for follows in (False, True):
        load = Load("l", at, tuple(f), tuple(m), follows)
        R = X_WF.R if follows else np.eye(3)
        by_hand = (R @ f) @ (v + np.cross(w, X_WF.p - X.p)) + (R @ m) @ w
        assert load.wrench(X).power(load.twist(V_B)) == pytest.approx(by_hand, abs=1e-11)


def test_a_jump_at_rest_can_be_spread_over_a_speed_and_nothing_else_changes():
    friction = Friction("f", contract.ON, viscous=0.4, coulomb=1.5, smooth=0.0)
    spread = friction.smoothed(1e-3)
    assert spread.force(0.0, 0.02) == pytest.approx(friction.force(0.0, 0.02))
    assert spread.force(0.0, 1e-6) == pytest.approx(-1.5e-3, rel=1e-3)
    assert spread.smoothed(1.0) is spread
