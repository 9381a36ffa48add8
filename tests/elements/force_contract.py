"""The contract of a force: units, signs, linearity, and answers that agree with its own energy and force.

Written as functions that raise AssertionError, so that wrong forces can be seen to fail them.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import casadi
import numpy as np
from numpy.testing import assert_allclose

from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.forces import Force
from poinsot.model.quantities.units import force_unit, parse_unit
from tests.strategies import first_derivative

ON = AlongJoint("j", 0, "m")
STATES = [(-1.7, 0.4), (0.0, 0.0), (0.35, -2.0), (2.5, 1e-4), (1.2, 3.0)]


def make(law: type[Force], scale: float = 1.0) -> Force:
    """A force with a different number in every field; those in which it is linear scaled."""
    values = {name: 0.3 + 0.2 * i for i, name in enumerate(law.parameters)}
    return law("f", ON, **{name: v * scale if name in law.linear else v for name, v in values.items()})


def powers(pattern: str) -> dict[str, int]:
    """Powers of u, f and s in the pattern of a unit, such as f*s^2/u."""
    found = {"u": 0, "f": 0, "s": 0}
    for sign, letter, power in re.findall(r"(^|[*/])([ufs])(?:\^(\d))?", pattern):
        found[letter] += (-1 if sign == "/" else 1) * int(power or 1)
    return found


def parameters_have_the_units_that_they_say(law: type[Force]) -> None:
    """Measured by other lengths, forces and times, energies and forces change by those factors alone."""
    by, force = {"u": 1.7, "f": 0.6, "s": 2.3}, make(law)
    factors = {n: math.prod(by[x] ** k for x, k in powers(unit).items()) for n, unit in law.parameters.items()}
    other = replace(force, **{n: getattr(force, n) * factor for n, factor in factors.items()})
    for s, s_dot in STATES:
        S, S_dot = by["u"] * s, by["u"] / by["s"] * s_dot
        assert_allclose(other.potential(S), by["f"] * by["u"] * force.potential(s), rtol=1e-13)
        assert_allclose(other.kinetic(S_dot), by["f"] * by["u"] * force.kinetic(s_dot), rtol=1e-13)
        assert_allclose(other.force(S, S_dot), by["f"] * force.force(s, s_dot), rtol=1e-13)
    for field, pattern in law.parameters.items():
        assert field in law.__dataclass_fields__
        for unit, newton in (("m", "N"), ("rad", "N·m")):
            ours = np.array(parse_unit(force_unit(pattern, unit)).dimension)
            parts = zip(powers(pattern).values(), (unit, newton, "s"))
            assert ours[:3].tolist() == sum(k * np.array(parse_unit(x).dimension) for k, x in parts)[:3].tolist()


def it_is_linear_in_what_it_says(law: type[Force]) -> None:
    laws = [make(law, scale) for scale in (0.0, 1.0, 3.0)]
    for s, s_dot in STATES:
        for name, at in (("potential", (s,)), ("kinetic", (s_dot,)), ("force", (s, s_dot))):
            none, one, three = (float(getattr(force, name)(*at)) for force in laws)
            assert none == 0
            assert_allclose(three, 3 * one, rtol=1e-14)


def symbols_and_numbers_agree(law: type[Force]) -> None:
    force, s, s_dot = make(law), casadi.SX.sym("s"), casadi.SX.sym("s_dot")
    outputs = [casadi.SX(x) for x in (force.potential(s), force.kinetic(s_dot), force.force(s, s_dot))]
    f = casadi.Function("f", [s, s_dot], outputs)
    for at in STATES:
        numbers = [force.potential(at[0]), force.kinetic(at[1]), force.force(*at)]
        assert_allclose([float(x) for x in f(*at)], numbers, rtol=1e-14)


def what_cannot_be_negative_holds_or_takes_power_out(law: type[Force]) -> None:
    """With numbers of the right sign energies are positive, springs pull back and the rest brakes."""
    signed = {*law.nonnegative, *law.nonnegative_unless_bounded}
    assert signed <= set(law.parameters) and set(law.linear) <= set(law.parameters)
    assert not set(law.nonnegative) & set(law.nonnegative_unless_bounded)
    still = {"offset": 0.0} if "offset" in law.parameters else {}
    force = replace(make(law), **still)
    for s, s_dot in STATES:
        assert force.potential(s) >= 0 and force.kinetic(s_dot) >= 0
        if not force.positional or force.elastic:
            assert force.force(s, s_dot) * s_dot <= 0
    if force.elastic:  # far out it pulls back
        assert all(x * first_derivative(force.potential, x) > 0 for x in (-9.0, 9.0))


def answers_agree_with_its_energy_and_force(law: type[Force]) -> None:
    force = make(law)
    felt = len({round(float(force.force(s, 0.7)), 12) for s, _ in STATES}) > 1
    stored = len({round(float(force.potential(s)), 12) for s, _ in STATES}) > 1
    assert force.elastic == stored and force.positional == (felt or stored)
    assert force.elastic or not force.holds
    assert_allclose(float(force.kinetic(2.0)), 2.0 * sum(getattr(force, name) for name in force.inertias), rtol=1e-14)
    rest, *far = (-first_derivative(lambda v: float(force.force(0.0, v)), at, 1e-3) for at in (0.0, -50.0, 50.0))
    assert (
        rest - float(force.dry_slope()) <= max(far) + 1e-6
    )  # what brakes harder at rest than at speed is dry friction
    for field in law.posed:
        clamped = replace(force, **{field: None})
        assert clamped.clamped and not clamped.relaxed_at(0.8).clamped and not force.clamped
        assert_allclose(first_derivative(clamped.relaxed_at(0.8).potential, 0.8), 0.0, atol=1e-12)


def other_programs_are_told_the_same_law(law: type[Force]) -> None:
    """What is exported has the law's own force, inertia and limits, or a remark says what is left out."""
    force, told = make(law), make(law).simple(0.4)
    if told is None:
        return
    for s, s_dot in STATES:
        inside = told.lower < s < told.upper
        pull = -told.stiffness * (s - told.rest) - told.damping * s_dot - told.coulomb * np.sign(s_dot)
        own = float(force.force(s, s_dot)) - first_derivative(lambda x: float(force.potential(x)), s, 1e-3)
        smooth = abs(s_dot) < 3 * getattr(force, "smooth", 0.0)
        assert told.remark or smooth or not inside or np.isclose(pull, own, atol=1e-9)
        assert_allclose(told.inertia * s_dot**2 / 2, force.kinetic(s_dot), atol=1e-15)
        if (gap := force.clearance(s)) is not None:
            assert (float(gap) > 0) == inside


def a_drive_gets_through_and_no_power_comes_from_nothing(law: type[Force]) -> None:
    """What arrives of a drive's force has its sign, needs what `commanded` tells, and gains no power."""
    force = make(law)
    for u in (-2.0, 0.0, 0.7):
        for _, s_dot in STATES:
            w = float(force.transmitted(u, s_dot))
            assert np.sign(w) == np.sign(u) and (u - w) * s_dot >= 0
            assert_allclose(force.commanded(w, s_dot), u, rtol=1e-14)
            assert_allclose(force.unloaded().transmitted(u, s_dot), u, rtol=1e-14)
            assert_allclose(force.transmitted(3 * u, s_dot), 3 * w, rtol=1e-14)


CONTRACT = (
    a_drive_gets_through_and_no_power_comes_from_nothing,
    parameters_have_the_units_that_they_say,
    it_is_linear_in_what_it_says,
    symbols_and_numbers_agree,
    what_cannot_be_negative_holds_or_takes_power_out,
    answers_agree_with_its_energy_and_force,
    other_programs_are_told_the_same_law,
)
