"""Work and energy: the regressor without accelerations against integrated powers of inverse dynamics."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

import poinsot
from poinsot.identifiability.base_parameters import reduce_regressor

from .motions import random_motion
from .test_regressor import LOADED

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def integrated_power(mechanism, motion, t):
    """Work of all actuators between samples, from the power that inverse dynamics gives."""
    times = (t[:-1, None] + np.diff(t)[:, None] * (NODES + 1) / 2).ravel()
    power = sum(poinsot.inverse_dynamics(mechanism, motion, times).power.values()).reshape(-1, len(NODES))
    return np.diff(t) / 2 * (power @ WEIGHTS)


def without_coulomb(mechanism):
    """Steps of the friction's sign do not spoil the comparison of two integrations."""
    return mechanism.with_parameters(dict.fromkeys(mechanism.parameters.matching("*.coulomb"), 0.0))


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "five_bar", "navaro", "delta", "ex800"])
def test_work_is_the_integral_of_the_actuators_power(name):
    mechanism, t = without_coulomb(poinsot.load(name)), np.linspace(0.0, 2.0, 41)
    motion = random_motion(mechanism, 2)
    W = poinsot.energy_regressor(mechanism, motion, t)
    expected = integrated_power(mechanism, motion, t)
    np.testing.assert_allclose(W.values[:, 0], expected, atol=1e-11 * np.max(np.abs(expected)) * len(t))


@pytest.mark.parametrize("follows", [False, True])
def test_springs_dampers_and_loads_take_part(follows):
    document = tomllib.loads(LOADED)
    document["forces"]["push"]["follows"] = follows
    mechanism, t = poinsot.build(document), np.linspace(0.0, 2.0, 41)
    motion = {"phi": poinsot.Fourier(3.0, (0.5, 0.2), (0.3,), 0.3)}
    W = poinsot.energy_regressor(mechanism, motion, t)
    expected = integrated_power(mechanism, motion, t)
    np.testing.assert_allclose(W.values[:, 0], expected, atol=1e-9 * np.max(np.abs(expected)))


def test_energy_determines_what_the_crank_torque_determines():
    rng = np.random.default_rng(4)
    theta1 = poinsot.Fourier(0.8, tuple(rng.normal(size=11) / 15), tuple(rng.normal(size=11) / 15), 1.0)
    four_bar, t = poinsot.load("four_bar"), np.linspace(0.0, 7.8, 400)
    by_energy = reduce_regressor(poinsot.energy_regressor(four_bar, {"theta1": theta1}, t))
    by_torque = poinsot.base_parameters(four_bar)
    assert by_energy.independent == by_torque.independent and by_energy.null == ("link1.m",)
    np.testing.assert_allclose(by_energy.coefficients, by_torque.coefficients, atol=1e-7)


def test_one_sample_has_no_work():
    with pytest.raises(poinsot.PoinsotError, match="two times or more"):
        poinsot.energy_regressor(poinsot.load("four_bar"), {"theta1": 1.0}, [0.0])


def test_samples_may_be_as_close_as_numbers_are():
    """Nodes between neighbouring numbers coincide with them; the rows of the other samples stay as they are."""
    four_bar, motion = poinsot.load("four_bar"), {"theta1": lambda t: 1 + 2 * t**2}
    close = poinsot.energy_regressor(four_bar, motion, [0.0, 0.1, np.nextafter(0.1, 1.0), 0.2]).matrix
    apart = poinsot.energy_regressor(four_bar, motion, [0.0, 0.1, 0.2]).matrix
    np.testing.assert_allclose(close[[0, 2]], apart, rtol=1e-12, atol=1e-12 * np.abs(apart).max())
    assert np.abs(close[1]).max() < 1e-12 * np.abs(apart).max()
