"""Long chains: articulated bodies agree with composite ones, and their cost grows with the number of links."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.formulations.articulated import ArticulatedSolution
from poinsot.system.functions import forward
from poinsot.system.system import system


def chain(n: int, kinds=("revolute",), axis=None, drive=True):
    """A chain of n bodies with joints of several kinds and skew axes, or one axis for all, springs and drives."""
    bodies, joints, rng = {}, {}, np.random.default_rng(5)
    for k in range(n):
        com, place = rng.normal(size=3).tolist(), rng.normal(size=3).tolist()
        inertia = [0.9, 1.1, 1.2, 0.1, -0.05, 0.02]
        bodies[f"b{k}"] = {"mass": 1.0 + 0.1 * k, "com": com, "inertia": inertia, "frames": {"tip": place}}
        kind = kinds[k % len(kinds)]
        joint = {"type": kind, "between": [f"b{k - 1}.tip" if k else "ground", f"b{k}"]}
        if kind in ("revolute", "prismatic"):
            joint |= {
                "axis": axis or rng.normal(size=3).tolist(),
                "stiffness": 2.0,
                "damping": 0.1,
            } | ({"drive_inertia": 0.3} if drive else {})
        joints[f"j{k}"] = joint
    return poinsot.build({"format": 1, "bodies": bodies, "joints": joints})


@pytest.mark.parametrize("drive", [True, False])
@pytest.mark.parametrize("axis", [None, [0.0, 0.0, 1.0], [0.6, 0.0, 0.8]], ids=str)
@pytest.mark.parametrize("kinds", [("revolute",), ("revolute", "universal", "spherical", "prismatic", "fixed")])
def test_articulated_bodies_give_the_accelerations_of_the_mass_matrix(kinds, axis, drive):
    compiled = system(chain(9, kinds, axis, drive))
    e, rng = compiled.equations, np.random.default_rng(1)
    assert e.balance.articulated is not None
    q = compiled.dynamics.q_home + 0
    v, p = rng.normal(size=e.v.size1()), compiled.dynamics.p_nominal
    bodies, forces = e.balance.articulated
    function = compiled.dynamics.function("both", [bodies.accelerations(forces), e.balance.M, e.balance.Q])
    fast, M, Q = (np.asarray(x) for x in function(q, v, 0, p))
    np.testing.assert_allclose(fast, np.linalg.solve(M, Q), rtol=1e-9, atol=1e-9)


def test_short_branches_and_loops_keep_to_composite_bodies():
    for name in ("double_pendulum", "hexapod"):
        assert system(poinsot.load(name)).equations.balance.articulated is None


def ring(n: int):
    """A closed chain of n equal rods hung between two points of the ground: n − 2 freedoms."""
    bodies = {
        f"b{k}": {"mass": 1.0 + 0.1 * (k % 3), "com": [0.5, 0.0], "inertia": 0.1, "frames": {"tip": [1.0, 0.0]}}
        for k in range(n)
    }
    turn = np.pi / (n + 1)  # half a polygon
    joints = {
        f"j{k}": {"type": "revolute", "between": [f"b{k - 1}.tip" if k else "ground", f"b{k}"]} for k in range(n)
    }
    angles = np.pi / 2 - turn * (0.5 + np.arange(n))
    end = [float(np.sum(np.cos(angles))), float(np.sum(np.sin(angles)))]
    joints["end"] = {
        "type": "revolute",
        "between": [{"body": "ground", "position": end}, f"b{n - 1}.tip"],
        "closing": True,
    }
    places = np.concatenate([[[0.0, 0.0]], np.cumsum(np.stack([np.cos(angles), np.sin(angles)], axis=1), axis=0)])
    for k in range(n):
        bodies[f"b{k}"]["placement"] = {
            "position": places[k].tolist(),
            "rotation": {"sequence": "ZYX", "angles": [float(angles[k]), 0.0, 0.0]},
        }
    return poinsot.build({"format": 1, "planar": True, "bodies": bodies, "joints": joints})


def test_a_closed_chain_is_solved_by_articulated_bodies_as_by_the_mass_matrix():
    compiled = system(ring(9))
    e, rng = compiled.equations, np.random.default_rng(2)
    assert isinstance(compiled.dynamics.system, ArticulatedSolution)
    q, v, p = compiled.dynamics.q_home, rng.normal(size=e.v.size1()), compiled.dynamics.p_nominal
    parts = [e.balance.M, e.kinematics.C, e.balance.Q, e.kinematics.gamma]
    M, C, Q, gamma = (np.asarray(x) for x in compiled.dynamics.function("parts", parts)(q, v, 0, p))
    full = np.linalg.solve(np.block([[M, C.T], [C, np.zeros((2, 2))]]), np.concatenate([Q, gamma]))
    a, lam, check = forward(compiled)(q, v, np.zeros(0), p)
    np.testing.assert_allclose(np.concatenate([a.ravel(), lam.ravel()]), full.ravel(), rtol=1e-10, atol=1e-9)
    assert check.item() > 1e-6


def test_a_closed_chain_with_a_light_link_is_solved_with_its_constraints():
    light = ring(9).with_parameters({"b8.mass": 1e-7, "b8.inertia": 1e-8})
    assert not isinstance(system(light).dynamics.system, ArticulatedSolution)


def test_a_closed_chain_keeps_its_energy_and_its_cost_grows_with_its_links():
    r = poinsot.simulate(ring(12), 0.2, t=[0.1, 0.2])
    assert r.drift < 1e-12 and r.energy_error < 1e-8 * np.abs(r.energy).max()
    sizes = [system(ring(n)).dynamics.forward.n_instructions() / n for n in (10, 30)]
    assert sizes[1] < 1.3 * sizes[0]


def test_the_number_of_instructions_grows_with_the_number_of_links():
    sizes = [system(chain(n)).dynamics.forward.n_instructions() / n for n in (10, 40)]
    assert sizes[1] < 1.3 * sizes[0]


def test_energy_is_kept_along_a_swinging_chain():
    links = chain(8)
    free = links.with_parameters({f"j{k}.damping": 0.0 for k in range(8)})
    r = poinsot.simulate(free, 0.2, t=[0.1, 0.2], rtol=1e-9)
    assert r.energy_error < 1e-6 * np.abs(r.energy).max()
