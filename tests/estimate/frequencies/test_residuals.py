"""Residuals of frequencies and damping: exact derivatives, batches, poles, on rigid and flexible machines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.vibration import sprung_five_bar

import poinsot
from poinsot.estimate.problems.frequencies.measurement import measured_modes
from poinsot.estimate.problems.frequencies.residuals import FrequencyResiduals
from poinsot.estimate.study import Study, Unknown
from poinsot.vibration.linear_model.model import linear_model
from poinsot.vibration.pole_derivatives import pole_derivatives, swinging_poles
from tests.analysis.vibrating import column, masses
from tests.recording.modal.simulated import damped_three_link

BENT = {"phi1": 0.7, "phi2": -0.7, "phi3": 0.6}


def problem(mechanism, names, poses, damped=False, locked=None, seed=0, n=None) -> FrequencyResiduals:
    """Modes of a mechanism in some poses, off by a few per cent, as measured."""
    rng, runs = np.random.default_rng(seed), []
    for k, pose in enumerate(poses):
        found = poinsot.modes(mechanism, pose, locked=locked)
        poles = found.damped.poles[np.imag(found.damped.poles) > 0] if damped else np.zeros(0)
        f = np.abs(poles) / (2 * np.pi) if damped else found.frequencies[:n]
        ratio = -poles.real / np.abs(poles)
        runs.append(
            poinsot.ModalRun(
                f * rng.normal(1, 0.01, len(f)),
                pose,
                f"run{k}",
                deviation="1 %",
                **({"damping": 1.1 * ratio, "damping_deviation": "10 %"} if damped else {}),
                locked=locked,
            )
        )
    study = Study(mechanism, (), tuple(Unknown(name) for name in names), modal=tuple(runs))
    return measured_modes(study)[0].problem


def by_differences(of: FrequencyResiduals, p: np.ndarray, h: float) -> np.ndarray:
    """∂e/∂p by differences extrapolated twice."""
    columns = []
    for j in range(len(p)):
        step = np.zeros(len(p))
        step[j] = h * abs(p[j])

        def slope(factor, step=step, j=j):
            ahead, behind = (of.residuals(p + sign * factor * step) for sign in (1, -1))
            return (ahead - behind) / (2 * factor * step[j])

        columns.append((4 * slope(1) - slope(2)) / 3)
    return np.array(columns).T


RIGID = {
    "springs, masses and lengths": lambda: problem(
        poinsot.load("three_link"), ["A.stiffness", "link2.mass", "L1", "link3.inertia"], [BENT, {}]
    ),
    "a loop in the field of gravity": lambda: problem(
        sprung_five_bar(), ["shoulder1.stiffness", "crank1.mass"], [{"x": 0.05, "y": 0.3}, {"x": -0.02, "y": 0.35}]
    ),
    "dampers": lambda: problem(
        damped_three_link(), ["A.stiffness", "A.damping", "C.damping", "link1.mass", "L2"], [BENT], True, "none"
    ),
    "an equilibrium that moves": lambda: problem(
        poinsot.load("double_pendulum"),
        ["gravity.y", poinsot.load("double_pendulum").parameters.matching("*.mass")[0]],
        [None],
    ),
}


@pytest.mark.parametrize("name", RIGID)
def test_derivatives_meet_differences(name):
    of = RIGID[name]()
    p = of.space.start * 1.02
    exact, expected = of.jacobian(p), by_differences(of, p, 1e-3)
    scale = np.maximum(np.max(np.abs(expected), axis=0), np.max(np.abs(of.residuals(p))) / np.abs(p) * 1e-3)
    np.testing.assert_allclose(exact / scale, expected / scale, atol=2e-6)


@pytest.mark.slow
def test_derivatives_of_a_flexible_robot_meet_differences_also_where_modes_repeat():
    navaro, zero = poinsot.load("navaro_refined"), {"x": 0.0, "y": 0.0, "theta": 0.0}
    names = ["joint.mass", "clutch.stiffness", "bar", "duralumin.E"]
    of = problem(navaro, names, [zero, {"x": 0.1, "y": 0.05, "theta": -1.0}], n=8)
    p = of.space.start * 1.01
    exact, expected = of.jacobian(p), by_differences(of, p, 1e-3)
    scale = np.max(np.abs(expected), axis=0)
    np.testing.assert_allclose(exact / scale, expected / scale, atol=1e-5)


def test_poles_of_a_machine_with_a_force_that_follows_have_exact_derivatives_too():
    def poles(k: float):
        ziegler = column(6.0, k)
        document = dict(ziegler.document)
        document["joints"] = {n: {**j, "damping": d} for (n, j), d in zip(document["joints"].items(), (0.02, 0.05))}
        return swinging_poles(linear_model(poinsot.build(document, "column"), None))

    found, h = poles(3.0), 1e-3
    stiffness = [n for n in found.linear.mechanism.parameters if n.endswith("stiffness")]
    exact = pole_derivatives(found, tuple(stiffness)).sum(axis=1)
    slope = [(poles(3.0 + x * h).values - poles(3.0 - x * h).values) / (2 * x * h) for x in (1, 2)]
    np.testing.assert_allclose(exact, (4 * slope[0] - slope[1]) / 3, rtol=1e-6)


def test_without_dampers_poles_are_the_natural_frequencies():
    linear = linear_model(poinsot.load("three_link"), BENT)
    plain = poinsot.modes(poinsot.load("three_link"), BENT)
    found, names = swinging_poles(linear), ("A.stiffness", "L1")
    np.testing.assert_allclose(found.frequencies, plain.frequencies, rtol=1e-9)
    np.testing.assert_allclose(found.derivatives(names)[0], plain.derivatives(names), rtol=1e-7)
    np.testing.assert_allclose(found.ratios, 0, atol=1e-9)


def test_batches_cost_what_single_candidates_cost():
    of = RIGID["springs, masses and lengths"]()
    P = of.space.start * np.random.default_rng(1).uniform(0.5, 1.8, (12, 4))
    P[3, 0] = -5.0  # no such spring
    single = [np.sum(of.residuals(p) ** 2) for p in P]
    np.testing.assert_allclose(of.costs(P), np.where(np.isfinite(single), single, np.inf), rtol=1e-7)
    assert np.isinf(of.costs(P)[3])


def test_the_cost_is_continuous_where_modes_of_the_model_cross():
    pair = masses(100.0, 0.0, m=(1.0,))
    document = dict(pair.document)
    document["bodies"]["m2"] = {"mass": 1.0, "inertia": 0.1}
    document["joints"]["s2"] = {"type": "prismatic", "between": ["ground", "m2"], "axis": [0, 1], "stiffness": 110.0}
    two = poinsot.build(document, "two")
    of = problem(two, ["s1.stiffness"], [None])
    k = np.linspace(90, 130, 81)
    cost = np.array([np.sum(of.residuals(np.array([x])) ** 2) for x in k])
    assert np.max(np.abs(np.diff(cost))) < 5 * np.median(np.abs(np.diff(cost))) + 0.1


def test_a_wrong_derivative_is_seen():
    of = RIGID["springs, masses and lengths"]()
    p = of.space.start * 1.02
    other = replace(of, space=replace(of.space, names=("B.stiffness", *of.space.names[1:])))
    assert not np.allclose(of.jacobian(p), other.jacobian(p), rtol=1e-3)
