"""Dry friction in simulations by default: closed forms of coasting, sticking and sliding, however light the body."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.model.mechanism import build

SMOOTH = 1e-3  # speed over which the sign of dry friction is spread by default  [rad/s or m/s]


def wheel(inertia: float, coulomb: float) -> poinsot.Mechanism:
    """A wheel about an upright axis, its bearing with dry friction alone."""
    hinge = {"type": "revolute", "between": ["ground", "wheel"], "axis": [0, 0, 1], "friction": {"coulomb": coulomb}}
    body = {"mass": 1.0, "inertia": [inertia, inertia, inertia]}
    return build({"format": 1, "bodies": {"wheel": body}, "joints": {"hinge": hinge}})


@pytest.mark.parametrize("inertia", [1e-2, 1e-5])
def test_a_wheel_coasts_and_stops_where_the_closed_form_has_it(inertia):
    """ω = ω₀ − f t/J until t_s = ω₀ J/f, φ_s = ω₀² J/(2 f); beyond, it rests to what the smoothed sign lets pass."""
    coulomb = 20 * inertia
    stop, angle = 10.0 / 20, 10.0**2 / 40
    run = poinsot.simulate(wheel(inertia, coulomb), 1.0, velocity={"hinge": 10.0}, t=np.linspace(0, 1, 41))
    assert run.finished
    sliding = run.t < 0.99 * stop
    assert_allclose(run.rates["hinge"][sliding], 10.0 - 20 * run.t[sliding], atol=1e-8)
    creep = SMOOTH**2 * inertia / coulomb  # what ω = v_s asinh(…) exp(−…) still covers: J v_s²/f, times a few
    assert_allclose(run.coordinates["hinge"][run.t > stop + 0.1], angle, atol=20 * creep + 1e-9)


def test_a_light_stiff_wheel_goes_on_implicitly_and_says_so():
    """f/(v_s J) = 2·10⁷ 1/s: an explicit method would need millions of steps for its stability alone."""
    light = wheel(1e-6, 0.02)
    stiff = poinsot.simulate(light, 1.0, velocity={"hinge": 1.0}, method="explicit")
    assert not stiff.finished and "too many steps" in stiff.status
    run = poinsot.simulate(light, 1.0, velocity={"hinge": 1.0})
    assert run.finished and "implicit" in run.changes[0]
    assert_allclose(run.coordinates["hinge"][-1], 1e-6 / 0.04, rtol=1e-4)
    whole = poinsot.simulate(light, 1.0, velocity={"hinge": 1.0}, method="implicit")
    assert_allclose(run.coordinates["hinge"], whole.coordinates["hinge"], atol=1e-10)


def block(mass: float, angle: float, coulomb: float, **joint) -> poinsot.Mechanism:
    """A block on an incline, which x points down."""
    slide = {"type": "prismatic", "between": ["ground", "block"], "axis": [np.cos(angle), 0, -np.sin(angle)]}
    slide |= {"friction": {"coulomb": coulomb}, **joint}
    return build({"format": 1, "bodies": {"block": {"mass": mass}}, "joints": {"slide": slide}})


@pytest.mark.parametrize("mass", [1.0, 1e-4])
def test_a_block_sticks_on_an_incline_with_a_creep_that_is_known(mass):
    """At rest f tanh(ẋ/v_s) = m g sin α: a creep of v_s atanh(m g sin α/f), and no more."""
    pull = mass * 9.81 * np.sin(0.3)
    run = poinsot.simulate(block(mass, 0.3, 2 * pull), 2.0)
    assert run.finished
    creep = SMOOTH * np.arctanh(0.5)
    assert_allclose(run.rates["slide"][-1], creep, rtol=1e-6)
    assert run.coordinates["slide"][-1] < 2.0 * creep


def test_what_creeps_in_the_end_is_said_and_what_slides_or_rests_is_not():
    held = poinsot.simulate(block(2.0, 0.4, 12.0), 1.0)
    rate = SMOOTH * np.arctanh(2.0 * 9.81 * np.sin(0.4) / 12.0)
    assert held.creeping == pytest.approx({"slide.friction": rate}, rel=1e-6)
    assert "slide.friction: dry friction holds, and creeps by 0.000" in str(held)
    assert not poinsot.simulate(block(2.0, 0.4, 5.0), 1.0).creeping
    assert not poinsot.simulate(block(2.0, 0.0, 5.0), 1.0).creeping


@pytest.mark.parametrize("mass", [1.0, 1e-4])
def test_a_spring_with_dry_friction_loses_four_f_over_k_a_cycle_and_sticks(mass):
    """Half cycle n: x = (−1)ⁿ (x₀ − (2 n + 1) d) cos ω(t − t_n) + (−1)ⁿ d, d = f/k, ω² = k/m."""
    omega, d, x0 = 20.0, 0.01, 0.1
    k = mass * omega**2
    machine = block(mass, 0.0, k * d, stiffness=k)
    half = np.pi / omega
    t = np.linspace(0, 8 * half, 161)
    run = poinsot.simulate(machine, t[-1], t=t, pose={"slide": x0})
    assert run.finished
    n = np.minimum(np.floor(t / half), 4)
    exact = (-1) ** n * ((x0 - (2 * n + 1) * d) * np.cos(omega * (t - n * half)) + d)
    sliding = t < 4.5 * half
    width = 4 * SMOOTH / omega  # what the smoothed sign changes: v_s over the frequency, once a turning point
    assert_allclose(run.coordinates["slide"][sliding], exact[sliding], atol=5 * width)
    assert abs(run.coordinates["slide"][-1]) < d + 5 * width
    assert np.ptp(run.coordinates["slide"][t > 7 * half]) < SMOOTH * half * 3


def test_a_long_motion_that_is_not_stiff_stays_explicit():
    run = poinsot.simulate(poinsot.load("pendulum"), 50.0, pose={"phi": 1.0}, max_steps=300)
    assert not run.finished and not run.changes
    with pytest.raises(poinsot.PoinsotError, match="there are: auto, explicit, implicit"):
        poinsot.simulate(poinsot.load("pendulum"), 1.0, method="stiff")


def test_motions_of_a_batch_that_are_stiff_go_on_implicitly_and_others_are_left_alone():
    light = wheel(1e-2, 0.02)
    names = [f"wheel.inertia.{axis}" for axis in ("xx", "yy", "zz")]
    values = [1e-2, 1e-6]
    run = poinsot.simulate(light, 0.5, velocity={"hinge": 1.0}, parameters=dict.fromkeys(names, values))
    assert run.finished and all("motion 1" in change for change in run.changes) and run.changes
    assert_allclose(run.coordinates["hinge"][:, -1], [0.5 - 0.25, 1e-6 / 0.04], rtol=1e-4)
