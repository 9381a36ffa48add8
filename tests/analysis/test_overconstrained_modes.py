"""Frequencies of mechanisms with redundant joints, against energies along their motion that are found apart."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import poinsot

from ..model.mechanisms import at, bennett, four_bar_in_space, joint, sarrus, spatial
from .followed import Linkage

FORMULATIONS = ("joint", "embedded", "euler")
TURNS = {
    "right angles": Rotation.from_euler("ZX", [90, 180], degrees=True).as_matrix(),
    "any": Rotation.from_rotvec([0.4, -0.7, 0.3]).as_matrix(),
}
LOOPS = {"four-bar": four_bar_in_space, "bennett": bennett, "sarrus": sarrus}


@lru_cache
def linkage(name: str, turned: str, ratio: float = 1.0, size: float = 1.0) -> tuple[poinsot.Mechanism, float]:
    """A loop with a spring in its first hinge that holds the weights, turned in space, and its frequency [Hz].

    The mass of the last body is what `ratio` says.
    """
    turn = TURNS[turned]
    elements = LOOPS[name](size).elements
    points = np.array([j.a.pose().p for j in elements.joints.values()], float) @ turn.T
    axes = np.array([j.frame_on_a().R @ np.array([0.0, 0, 1]) for j in elements.joints.values()], float)
    n, rng = len(points), np.random.default_rng(3)
    masses = np.append(np.ones(n - 2), ratio)
    inertias = 0.1 * size**2 * rng.uniform(0.6, 1.0, (n - 1, 3)) * masses[:, None]
    gravity = turn @ np.array([2.0, -3.0, -8.0])
    centres = points[1:] + 0.2 * size * rng.uniform(-1, 1, (n - 1, 3))
    stiffness = np.append(40.0 * size * max(1.0, ratio), np.zeros(n - 1))
    given = Linkage(points, axes @ turn.T, masses, centres, inertias, gravity, stiffness, np.zeros(n))
    given = given.relaxed()
    return poinsot.build(given.document(), name), given.frequency()


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("name", LOOPS)
def test_loops_with_redundant_joints_swing_as_their_energies_say(name, turn, formulation):
    mechanism, frequency = linkage(name, turn)
    assert_allclose(poinsot.modes(mechanism, formulation=formulation).frequencies, [frequency], rtol=1e-7)


@pytest.mark.parametrize("ratio, size", [(1e-9, 1.0), (1e9, 1.0), (1.0, 1e-4), (1.0, 1e4)])
@pytest.mark.parametrize("name", LOOPS)
def test_light_heavy_small_and_large_loops_swing_as_their_energies_say(name, ratio, size):
    mechanism, frequency = linkage(name, "any", ratio, size)
    assert_allclose(poinsot.modes(mechanism).frequencies, [frequency], rtol=1e-7)


@pytest.mark.parametrize("formulation", [*FORMULATIONS, "rotation-matrix"])
@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_a_door_on_two_hinges_swings_on_its_spring(tilt, formulation):
    m, d, k, g = 20.0, 0.4, 5.0, 9.81
    door = spatial(
        {"door": {"mass": m, "com": [d, 0, 1], "inertia": [1, 2, 3]}},
        {
            "low": joint("revolute", "ground", "door", axis=[0, 0, 1], stiffness=k),
            "high": joint("revolute", at("ground", [0, 0, 2]), at("door", [0, 0, 2]), axis=[0, 0, 1]),
        },
        gravity=[g * np.sin(tilt), 0, -g * np.cos(tilt)],
    )
    omega = np.sqrt((k + m * g * d * np.sin(tilt)) / (3 + m * d**2))
    assert_allclose(poinsot.modes(door, formulation=formulation).frequencies, [omega / (2 * np.pi)], rtol=1e-10)
