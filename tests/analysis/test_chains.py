"""Long chains: articulated bodies agree with composite ones, and their cost grows with the number of links."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.analysis.system import system


def chain(n: int, kinds=("revolute",)):
    """A chain of n bodies with joints of several kinds and skew axes, springs and drives."""
    bodies, joints, rng = {}, {}, np.random.default_rng(5)
    for k in range(n):
        com, place = rng.normal(size=3).tolist(), rng.normal(size=3).tolist()
        inertia = [0.9, 1.1, 1.2, 0.1, -0.05, 0.02]
        bodies[f"b{k}"] = {"mass": 1.0 + 0.1 * k, "com": com, "inertia": inertia, "frames": {"tip": place}}
        kind = kinds[k % len(kinds)]
        joint = {"type": kind, "between": [f"b{k - 1}.tip" if k else "ground", f"b{k}"]}
        if kind in ("revolute", "prismatic"):
            joint |= {"axis": rng.normal(size=3).tolist(), "stiffness": 2.0, "damping": 0.1, "drive_inertia": 0.3}
        joints[f"j{k}"] = joint
    return poinsot.build({"format": 1, "bodies": bodies, "joints": joints})


@pytest.mark.parametrize("kinds", [("revolute",), ("revolute", "universal", "spherical", "prismatic", "fixed")])
def test_articulated_bodies_give_the_accelerations_of_the_mass_matrix(kinds):
    compiled = system(chain(9, kinds))
    e, rng = compiled.equations, np.random.default_rng(1)
    assert e.articulated is not None
    q = compiled.dynamics.q_home + 0
    v, p = rng.normal(size=e.v.size1()), compiled.dynamics.p_nominal
    function = compiled.dynamics.function("both", [e.articulated, e.M, e.Q])
    fast, M, Q = (np.asarray(x) for x in function(q, v, 0, p))
    np.testing.assert_allclose(fast, np.linalg.solve(M, Q), rtol=1e-9, atol=1e-9)


def test_short_branches_and_loops_keep_to_composite_bodies():
    for name in ("double_pendulum", "hexapod"):
        assert system(poinsot.load(name)).equations.articulated is None


def test_the_number_of_instructions_grows_with_the_number_of_links():
    sizes = [system(chain(n)).dynamics.forward.n_instructions() / n for n in (10, 40)]
    assert sizes[1] < 1.3 * sizes[0]


def test_energy_is_kept_along_a_swinging_chain():
    links = chain(8)
    free = links.with_parameters({f"j{k}.damping": 0.0 for k in range(8)})
    r = poinsot.simulate(free, 0.2, t=[0.1, 0.2], rtol=1e-9)
    assert r.energy_error < 1e-6 * np.abs(r.energy).max()
