"""Equations that close loops: derivatives of each other, the same in the axes of either side of a joint."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import poinsot
from poinsot.analysis.system import System
from poinsot.formulations import loops
from poinsot.formulations.solve import dynamics
from poinsot.formulations.symbols import default_free, symbols
from poinsot.model.assembly import assemble

LOOPS = ["four_bar", "slider_crank", "five_bar", "six_bar", "three_rrr", "navaro", "delta", "ex800", "hexapod"]


def written(name):
    mechanism = poinsot.load(name)
    return dynamics(symbols(mechanism, default_free(mechanism), assemble(mechanism)))


@pytest.mark.parametrize("name", LOOPS)
def test_velocities_and_accelerations_are_derivatives_of_the_equations(name):
    d = written(name)
    e, rng = d.equations, np.random.default_rng(0)
    slope = casadi.jacobian(e.phi, e.q) @ casadi.jacobian(e.q_dot, e.v)
    drift = casadi.jtimes(e.C @ e.v, e.q, e.q_dot)  # d/dt(C) v
    f = casadi.Function("f", [e.q, e.v, e.p], [e.C, slope, e.gamma, drift])
    C, by_q, *_ = (np.asarray(x) for x in f(d.q_home, 0, d.p_nominal))
    np.testing.assert_allclose(C.reshape(e.C.shape), by_q.reshape(e.C.shape), atol=1e-12)
    for _ in range(5):  # also off the constraints, and at speeds that violate them
        q, v = d.q_home + 0.1 * rng.normal(size=len(d.q_home)), rng.normal(size=e.v.size1())
        *_, gamma, rate = (np.asarray(x) for x in f(q, v, d.p_nominal))
        np.testing.assert_allclose(-gamma, rate, atol=1e-12 * max(1.0, np.abs(rate).max()))


@pytest.mark.parametrize("name", ["four_bar", "delta", "ex800", "hexapod"])
def test_either_side_of_a_joint_gives_the_same_accelerations_and_reactions(name, monkeypatch):
    found = []
    for turned in (False, True):
        monkeypatch.setattr(loops, "_coupled", lambda one, own, turned=turned: one.turned != turned)
        d = written(name)
        assert bool(d.equations.turned) is turned
        q, v, u, p = d.q_home, np.zeros(d.equations.v.size1()), np.full(d.equations.u.size1(), 2.0), d.p_nominal
        a, lam, _ = (np.asarray(x).ravel() for x in d.forward(q, v, u, p))
        found.append(System(d).observed(q, v, a, lam, u, p))
    for before, after in zip(*found):
        size = max(np.abs(x).max() for x in before.values())
        for key in before:
            np.testing.assert_allclose(after[key], before[key], atol=1e-10 * size, err_msg=key)
