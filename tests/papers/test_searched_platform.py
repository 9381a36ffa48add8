"""The Stewart paper's identification by search: from its start by Levenberg and Marquardt, by a swarm in its box.

Table 1 of the paper prints I_xx = 0.31 and I_zz = 1e-8 by Levenberg and Marquardt, and (0.0415, 0.0830) by a swarm,
from forces that do not depend on either.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.compared import compared
from tests.papers.test_ex800 import WAVES
from tests.papers.test_identified_platform import TRUE, ex800, platform_run  # noqa: F401

import poinsot
from poinsot.estimate.search.registry import SEARCHES

START = {  # of Levenberg and Marquardt; the box is that of the swarm
    "platform.mass": {"start": 0.0},
    "Ixx": {"parameters": ["platform.inertia.xx", "platform.inertia.yy"], "start": 0.01},
    "platform.inertia.zz": {"start": 0.01},
}
BOX = {"platform.mass": [0, 10], "Ixx": [-1, 1], "platform.inertia.zz": [-1, 1]}
BOXED = {name: {"parameters": one.get("parameters", ()), "bounds": BOX[name]} for name, one in START.items()}
METHODS = {
    "levenberg-marquardt": (START, {"name": "levenberg-marquardt", "damping": 0.01}),
    "swarm": (BOXED, {"name": "swarm", "particles": 30}),
}
FORCES = ["wrench platform.fx", "wrench platform.fy", "wrench platform.fz"]


@pytest.mark.parametrize("name", METHODS)
def test_forces_alone_determine_the_mass_and_both_methods_say_so(ex800, platform_run, name):  # noqa: F811
    unknowns, method = METHODS[name]
    est = poinsot.identify(ex800, platform_run, unknowns, method, channels=FORCES)
    assert est.undetermined == ("Ixx", "platform.inertia.zz")
    assert np.isnan(est.value[1:]).all()
    assert abs(est.value[0] - 6.8369) < 4 * est.deviation[0]
    assert est.deviation[0] == pytest.approx(0.0009, rel=0.15)


@pytest.mark.parametrize("name", METHODS)
def test_forces_and_moments_determine_all_three(ex800, platform_run, name):  # noqa: F811
    unknowns, method = METHODS[name]
    est = poinsot.identify(ex800, platform_run, unknowns, method, channels="wrench platform")
    np.testing.assert_allclose(est.value, TRUE, rtol=5e-3)
    assert np.all(np.abs(est.value - TRUE) < 4 * est.deviation)
    assert not est.status
    way = est.convergence
    assert way is not None and way.values.shape == (len(way.cost), 3)
    assert np.all(np.diff(way.cost) <= 0)


@pytest.mark.parametrize("name", SEARCHES)
def test_every_method_of_search_agrees_with_weighted_least_squares(ex800, platform_run, name):  # noqa: F811
    searched, linear = (
        poinsot.identify(ex800, platform_run, BOXED, method, channels="wrench platform")
        for method in (name, "weighted")
    )
    np.testing.assert_allclose(searched.value, linear.value, rtol=1e-7)
    compared(
        "platform of the EX800, by every method of search", "weighted least squares", searched.value, linear.value
    )
    np.testing.assert_allclose(searched.deviation, linear.deviation, rtol=1e-3)


def test_figure_11_the_sensitivity_of_the_vertical_force_is_that_of_differences(ex800):  # noqa: F811
    """The output is linear in the mass: differences of ± 10 % are exact, and ∂F_z/∂M = −(g + z̈)."""
    t = np.linspace(0, 5, 101)
    exact = poinsot.sensitivity(ex800, WAVES, t, ["platform.mass"]).body_forces["platform"][:, 2, 0]
    low, high = (
        poinsot.inverse_dynamics(ex800.with_parameters({"platform.mass": 6.8369 * share}), WAVES, t)
        for share in (0.9, 1.1)
    )
    differences = (high.body_forces["platform"] - low.body_forces["platform"])[:, 2] / (0.2 * 6.8369)
    np.testing.assert_allclose(exact, differences, rtol=1e-9)
    vertical = -9.81 + 0.037 * 3.75**2 * np.cos(3.75 * t)
    np.testing.assert_allclose(exact, vertical, atol=1e-9)
    compared("sensitivity of a force to the mass", "by hand", exact, vertical)


def test_figure_12_forces_alone_make_a_valley_and_moments_a_bowl(ex800, platform_run):  # noqa: F811
    """Surfaces of the cost over mass and I_xx with I_zz held, as the paper slices them."""
    slices = {}
    for name, channels in (("forces", FORCES), ("moments", "wrench platform")):
        est = poinsot.identify(ex800, platform_run, BOXED, "swarm", channels=channels)
        slices[name] = est.cost_surface("platform.mass", "Ixx", 21, at={"platform.inertia.zz": 1.0})
        assert slices[name].cost.shape == (21, 21)
        assert slices[name].first[[0, -1]].tolist() == [0, 10] and slices[name].second[[0, -1]].tolist() == [-1, 1]
    np.testing.assert_allclose(np.ptp(slices["forces"].cost, axis=1), 0, atol=1e-6 * slices["forces"].cost.max())
    assert np.all(np.ptp(slices["moments"].cost, axis=1) > 100)


def test_figure_13_the_swarm_needs_more_iterations_than_steps_of_newton(ex800, platform_run):  # noqa: F811
    ways = {}
    for name, (unknowns, method) in METHODS.items():
        est = poinsot.identify(ex800, platform_run, unknowns, method, channels="wrench platform")
        ways[name] = est.convergence
    assert len(ways["levenberg-marquardt"].cost) < 10 < 35 < len(ways["swarm"].cost)
    np.testing.assert_allclose(ways["swarm"].values[-1], ways["levenberg-marquardt"].values[-1], rtol=1e-3)
