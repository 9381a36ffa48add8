"""Maps over poses and parameter sets: the batch against single samples, and samples that fail."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.vibration import maps

from .sprung import independent, sprung
from .vibrating import column, masses, sprung_five_bar


def test_a_map_over_the_workspace_has_what_single_poses_have_and_counts_what_is_out_of_reach():
    five_bar = sprung_five_bar()
    x, y = np.meshgrid(np.linspace(-0.3, 0.3, 7), np.linspace(0.15, 0.6, 6), indexing="ij")
    found = poinsot.frequency_map(five_bar, {"x": x, "y": y})
    assert found.frequencies.shape == (7, 6, 2) and found.unbalanced == 0
    far = np.minimum(np.hypot(x - 0.075, y), 1) > 0.46
    far |= np.hypot(x + 0.075, y) > 0.46
    assert found.unreachable == far.sum() > 0
    assert np.array_equal(np.isnan(found.frequencies).all(axis=2), far)
    for i, j in ((1, 2), (3, 1), (5, 2)):
        single = poinsot.modes(five_bar, {"x": x[i, j], "y": y[i, j]})
        assert_allclose(found.frequencies[i, j], single.frequencies, rtol=1e-9)
    assert f"{far.sum()} not reachable" in str(found)


def test_parameter_sets_and_poses_broadcast():
    three_link = poinsot.load("three_link")
    phi, k = np.linspace(-1, 1, 4)[:, None], np.linspace(10, 30, 3)
    found = poinsot.frequency_map(
        three_link, {"phi1": 0.0, "phi2": phi, "phi3": 0.2}, parameters={"B.stiffness": k}, n=2
    )
    assert found.frequencies.shape == (4, 3, 2)
    changed = three_link.with_parameters({"B.stiffness": k[2]})
    single = poinsot.modes(changed, {"phi1": 0, "phi2": phi[1, 0], "phi3": 0.2}, n=2)
    assert_allclose(found.frequencies[1, 2], single.frequencies, rtol=1e-11)


def test_lengths_move_the_pose_of_every_set():
    five_bar = sprung_five_bar()
    lengths = np.array([0.19, 0.2, 0.21, 0.9])
    found = poinsot.frequency_map(five_bar, {"x": 0.05, "y": 0.3}, parameters={"crank1.elbow.x": lengths})
    assert found.unreachable == 1 and np.isnan(found.frequencies[3]).all()
    for k in (0, 2):
        changed = five_bar.with_parameters({"crank1.elbow.x": lengths[k]})
        assert_allclose(found.frequencies[k], poinsot.modes(changed, {"x": 0.05, "y": 0.3}).frequencies, rtol=1e-9)


def test_a_compliance_is_unknown_where_the_tool_cannot_be():
    found = poinsot.compliance_map(sprung_five_bar(), "forearm1.tool", {"x": [0.0, 0.1, 0.5], "y": 0.3})
    assert found.unreachable == 1 and found.compliance.shape == (3, 3, 3) and np.isnan(found.compliance[2]).all()
    assert_allclose(found.compliance[1], poinsot.compliance(sprung_five_bar(), "forearm1.tool", {"x": 0.1, "y": 0.3}))
    assert np.isnan(found.stiffness).all()  # two freedoms: no stiffness in three directions


def test_locked_actuators_leave_fewer_motions():
    five_bar = sprung_five_bar()
    given = {"x": np.array([0.0, 0.1]), "y": 0.3}
    found = poinsot.frequency_map(five_bar, given, locked=["shoulder1"])
    single = poinsot.modes(five_bar, {"x": 0.1, "y": 0.3}, locked=["shoulder1"])
    assert_allclose(found.frequencies[1], single.frequencies, rtol=1e-9)


def test_what_nothing_holds_is_counted_and_not_raised():
    pendulum = poinsot.load("pendulum")
    found = poinsot.frequency_map(pendulum, {"phi": [0.0, 0.5, np.pi]})
    assert found.unbalanced == 1 and np.isnan(found.frequencies[1, 0])
    assert found.frequencies[2, 0] == pytest.approx(-found.frequencies[0, 0])


def test_forces_that_follow_and_bodies_without_mass_are_taken_one_by_one():
    pushed = column(3.0)
    found = poinsot.frequency_map(pushed, parameters={"A.stiffness": [2.0, 3.0]})
    assert_allclose(found.frequencies[1], poinsot.modes(pushed).frequencies, rtol=1e-12)
    light = poinsot.frequency_map(masses(300.0, 150.0, m=(0.0, 2.0)), parameters={"s1.stiffness": [300.0, 1e9]})
    assert_allclose(light.frequencies[:, 0], np.sqrt([50.0, 75.0]) / (2 * np.pi), rtol=1e-6)


def test_progress_is_told_and_mistakes_are_named(monkeypatch):
    three_link, told = poinsot.load("three_link"), []
    monkeypatch.setattr(maps, "CHUNK", 4)
    k = np.linspace(10, 30, 10)
    found = poinsot.frequency_map(three_link, parameters={"A.stiffness": k}, progress=told.append)
    assert told == pytest.approx([0.4, 0.8, 1.0]) and found.frequencies.shape == (10, 3)
    assert np.all(np.diff(found.frequencies[:, 0]) > 0)
    with pytest.raises(poinsot.PoinsotError, match=r"there is no parameter 'D\.stiffness'"):
        poinsot.frequency_map(three_link, parameters={"D.stiffness": k})
    with pytest.raises(poinsot.PoinsotError, match=r"the arrays do not fit together: phi1 \(3,\), phi2 \(2,\)"):
        poinsot.frequency_map(three_link, {"phi1": [0, 1, 2], "phi2": [0, 1], "phi3": 0})


def test_a_pendulum_without_springs_has_a_map():
    pendulum = poinsot.load("double_pendulum")
    found = poinsot.frequency_map(pendulum, {"phi1": [0.0, 0.1, np.pi], "phi2": [0.0, 0.0, 0.0]})
    hanging = poinsot.modes(pendulum, {"phi1": 0.0, "phi2": 0.0}).frequencies
    assert_allclose(found.frequencies[0], hanging, rtol=1e-9)
    assert found.unbalanced == 1 and np.isnan(found.frequencies[1]).all() and (found.frequencies[2] < 0).any()


RANDOM = [(0, True, 0, False), (0, False, 0, True), (1, True, 1, True), (2, False, 1, False)]


@pytest.mark.parametrize("seed, flat, loops, right", RANDOM)
def test_maps_of_random_mechanisms_have_what_single_poses_have(seed, flat, loops, right):
    mechanism = sprung(seed, planar=flat, loops=loops, right=right, gravity=False, drives=seed == 1)
    home, body = independent(mechanism), list(mechanism.bodies)[-1]
    assert home, "choose another seed: this one cannot move"
    rng, name = np.random.default_rng(seed), f"{body}.mass"
    poses = {n: x + np.array([0.0, *rng.uniform(-0.1, 0.1, 2)]) for n, x in home.items()}
    values = mechanism.parameters[name].value * np.array([1.0, 1.1, 1e-6])
    found = poinsot.frequency_map(mechanism, poses, parameters={name: values})
    bent = poinsot.compliance_map(mechanism, body, poses, parameters={name: values})
    for i, value in enumerate(values):
        given = (mechanism.with_parameters({name: value}), {n: x[i] for n, x in poses.items()})
        assert_allclose(found.frequencies[i], single(poinsot.modes, *given), rtol=1e-9)
        wish = single(poinsot.compliance, given[0], body, given[1])
        assert_allclose(bent.compliance[i], wish, rtol=1e-9, atol=1e-9 * np.max(np.abs(np.nan_to_num(wish))) + 1e-20)


def single(verb, *given):
    """Frequencies or compliance of one sample, NaN where there is none."""
    try:
        found = verb(*given)
    except poinsot.PoinsotError:
        return np.nan
    return getattr(found, "frequencies", found)


def test_a_body_that_nothing_holds_has_no_compliance_in_any_sample():
    pendulum = poinsot.load("double_pendulum")
    found = poinsot.compliance_map(pendulum, "lower", parameters={"lower.mass": [0.8, 0.9]})
    assert found.compliance.shape == (2, 3, 3) and np.isnan(found.compliance).all() and found.unbalanced == 2


def test_a_pose_of_negative_frequency_is_left_at_the_rate_that_the_frequency_means():
    """The pendulum on its head: δ(t) = δ₀ cosh(2π|f| t), and cosh x grows as exp x."""
    pendulum = poinsot.load("pendulum")
    f = float(poinsot.frequency_map(pendulum, {"phi": [np.pi]}).frequencies[0, 0])
    assert f < 0
    assert_allclose(f, poinsot.modes(pendulum, {"phi": np.pi}).frequencies[0], rtol=1e-12)
    t = np.linspace(0.0, 1.0, 21)
    run = poinsot.simulate(pendulum, 1.0, t=t, pose={"phi": np.pi - 1e-5})
    left = np.pi - run.coordinates["phi"]
    assert_allclose(left / 1e-5, np.cosh(2 * np.pi * abs(f) * t), rtol=1e-4)
