"""Elastodynamics of parallel robots: NaVARo with flexible links, tables 3 and 4 of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh, null_space
from tests.compared import compared

import poinsot

SIXTY = -np.pi / 3


def pose(radius: float, angle: float, theta: float) -> dict[str, float]:
    return {"x": radius * np.cos(np.radians(angle)), "y": radius * np.sin(np.radians(angle)), "theta": theta}


POSES = {
    1: pose(0, 0, 0),
    2: pose(0, 0, SIXTY),
    3: pose(0.135, 30, SIXTY),
    4: pose(0.21, 30, SIXTY),
    5: pose(0.135, 150, SIXTY),
    6: pose(0.21, 150, SIXTY),
    7: pose(0.135, -90, SIXTY),
    8: pose(0.21, -90, SIXTY),
}
ROWS = {
    1: (44.10, 44.10, 53.98, 60.63, 95.62),
    2: (45.71, 45.71, 54.58, 65.35, 97.92),
    3: (36.98, 49.31, 53.37, 67.28, 91.80),
    4: (40.17, 50.32, 52.99, 67.36, 91.52),
}
TABLE_3 = {k: ROWS[k if k < 5 else 3 + (k + 1) % 2] for k in POSES}


@pytest.fixture(scope="module")
def navaro():
    return poinsot.load("navaro")


@pytest.mark.parametrize("k", POSES)
def test_table_3_comes_out_to_both_decimals(navaro, k):
    found = poinsot.modes(navaro, pose=POSES[k], n=10)
    assert_allclose(found.frequencies[:5], TABLE_3[k], atol=0.00501)
    compared("natural frequencies of NaVARo", "paper, two decimals printed", found.frequencies[:5], TABLE_3[k])
    assert found.linear.coordinates == 144 and found.linear.free.shape == (186, 90)


@pytest.mark.parametrize("k", [1, 2, 3, 8])
def test_loops_closed_by_chains_and_constraints_on_finite_elements_agree_on_all_frequencies(navaro, k):
    small = poinsot.modes(navaro, pose=POSES[k]).linear
    direct = null_space(small.C)
    assert direct.shape == small.basis.shape and np.max(np.abs(small.C @ small.basis)) < 1e-12
    one, other = (eigh(B.T @ small.K @ B, B.T @ small.M @ B, eigvals_only=True) for B in (small.basis, direct))
    assert_allclose(np.sqrt(one), np.sqrt(other), rtol=1e-9)
    compared("all frequencies of NaVARo", "constraints on finite elements", np.sqrt(one), np.sqrt(other))


@pytest.mark.parametrize(("a", "b", "c"), [(3, 5, 7), (4, 6, 8)])
def test_turning_the_robot_by_a_third_changes_nothing(navaro, a, b, c):
    first, *others = (poinsot.modes(navaro, pose=POSES[k]).frequencies for k in (a, b, c))
    for other in others:
        assert_allclose(other, first, rtol=1e-8)


def test_the_shear_modulus_of_the_text_does_not_give_table_3():
    document = dict(poinsot.load("navaro").document)
    document["materials"] = {"duralumin": {**document["materials"]["duralumin"], "G": "28.9 GPa"}}
    found = poinsot.modes(poinsot.build(document), pose=POSES[1], n=5).frequencies
    assert np.max(np.abs(found - TABLE_3[1])) > 0.1


def test_the_refined_model_read_literally():
    found = poinsot.modes(poinsot.load("navaro_refined"), pose=POSES[1], n=4)
    assert_allclose(found.frequencies, [19.7214, 19.7214, 21.0983, 42.2452], atol=5e-5)
    assert found.linear.locked == ()  # the clutches give way


def test_a_clutch_without_limit_is_a_locked_one(navaro):
    stiff = poinsot.load("navaro_refined").with_parameters({"joint.mass": 0, "clutch.stiffness": 1e5})
    locked = poinsot.modes(navaro, pose=POSES[1], n=5).frequencies
    near = poinsot.modes(stiff, pose=POSES[1], n=5).frequencies
    assert np.all(near < locked * (1 + 1e-9)) and np.all(near > 0.98 * locked) and np.any(near < 0.995 * locked)


NAMES = ("duralumin.E", "duralumin.density", "link.Iz", "link.Iy", "plate.Iz", "bar", "plate.radius")


def ninety(mechanism, k: int) -> np.ndarray:
    return poinsot.modes(mechanism, pose=POSES[k]).frequencies[:6]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_derivatives_of_frequencies_meet_differences_also_where_they_are_double(navaro, k):
    found = poinsot.modes(navaro, pose=POSES[k], n=6).derivatives(NAMES)
    for column, name in enumerate(NAMES):
        value = navaro.parameters[name].value

        def slope(h: float, name=name, value=value) -> np.ndarray:
            ahead, behind = (ninety(navaro.with_parameters({name: value * (1 + s * h)}), k) for s in (1, -1))
            return (ahead - behind) / (2 * h * value)

        expected = (4 * slope(1e-3) - slope(2e-3)) / 3
        scale = np.max(np.abs(expected))
        assert_allclose(found[:, column] / scale, expected / scale, atol=1e-7, err_msg=name)
        compared("derivatives of frequencies of NaVARo", "differences of fourth order", found[:, column], expected)


def test_a_map_gives_what_single_poses_give_and_counts_what_it_cannot_reach(navaro):
    poses = {name: np.array([POSES[k][name] for k in (1, 3, 8)] + [5.0]) for name in ("x", "y", "theta")}
    found = poinsot.frequency_map(navaro, poses, n=10)
    for row, k in enumerate((1, 3, 8)):
        assert_allclose(found.frequencies[row], poinsot.modes(navaro, pose=POSES[k], n=10).frequencies, rtol=1e-9)
    assert found.unreachable == 1 and np.isnan(found.frequencies[3]).all()


def test_a_map_over_parameters_gives_what_single_models_give():
    refined = poinsot.load("navaro_refined")
    sets = {
        "joint.mass": [0.1, 0.3],
        "clutch.stiffness": [1500.0, 4000.0],
        "duralumin.E": [70e9, 76e9],
        "bar": [0.21, 0.2],
    }
    found = poinsot.frequency_map(refined, POSES[2], parameters=sets, n=6).frequencies
    for row, values in enumerate(zip(*sets.values())):
        one = refined.with_parameters(dict(zip(sets, values)))
        assert_allclose(found[row], poinsot.modes(one, pose=POSES[2], n=6).frequencies, rtol=1e-9)


def test_the_compliance_of_the_platform_is_that_of_its_modes(navaro):
    small = poinsot.modes(navaro, pose=POSES[2]).linear
    T, B = small.twist(poinsot.load("navaro").body("platform").frames[0]), small.free
    expected = T @ B @ np.linalg.solve(B.T @ small.K @ B, (T @ B).T)
    found = poinsot.compliance_map(navaro, "platform.E1", {n: [v] for n, v in POSES[2].items()}).compliance[0]
    assert_allclose(found, expected[np.ix_([0, 1, 5], [0, 1, 5])], rtol=1e-8, atol=1e-12)
