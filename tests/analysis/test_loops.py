"""Equations that close loops: derivatives of each other, the same in the axes of either side of a joint."""

from __future__ import annotations

from dataclasses import replace

import casadi
import numpy as np
import pytest

import poinsot
from poinsot.elements.frame import Frame
from poinsot.elements.joints import JOINTS
from poinsot.engine import rows_to_add
from poinsot.formulations import loops
from poinsot.formulations.solve import dynamics
from poinsot.formulations.symbols import default_free, symbols
from poinsot.model.assembly.assembly import assemble
from poinsot.spatial.motion import Twist
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import euler_matrix
from poinsot.system.functions import observe
from poinsot.system.system import System
from tests.elements import contract

LOOPS = ["four_bar", "slider_crank", "five_bar", "six_bar", "three_rrr", "navaro", "delta", "ex800", "hexapod"]


def written(name):
    mechanism = poinsot.load(name)
    return dynamics(symbols(mechanism, default_free(mechanism), assemble(mechanism)))


@pytest.mark.parametrize("name", LOOPS)
def test_velocities_and_accelerations_are_derivatives_of_the_equations(name):
    d = written(name)
    e, rng = d.equations, np.random.default_rng(0)
    slope = casadi.jacobian(e.kinematics.phi, e.q) @ casadi.jacobian(e.kinematics.q_dot, e.v)
    drift = casadi.jtimes(e.kinematics.C @ e.v, e.q, e.kinematics.q_dot)  # d/dt(C) v
    f = casadi.Function("f", [e.q, e.v, e.p], [e.kinematics.C, slope, e.kinematics.gamma, drift])
    C, by_q, *_ = (np.asarray(x) for x in f(d.q_home, 0, d.p_nominal))
    np.testing.assert_allclose(C.reshape(e.kinematics.C.shape), by_q.reshape(e.kinematics.C.shape), atol=1e-12)
    for _ in range(5):  # also off the constraints, and at speeds that violate them
        q, v = d.q_home + 0.1 * rng.normal(size=len(d.q_home)), rng.normal(size=e.v.size1())
        *_, gamma, rate = (np.asarray(x) for x in f(q, v, d.p_nominal))
        np.testing.assert_allclose(-gamma, rate, atol=1e-12 * max(1.0, np.abs(rate).max()))


def floating(q, v):
    """Pose of a body by six coordinates, its twist in its own axes, and the rate of that without v̇."""
    R, p = casadi.SX(euler_matrix("ZXZ", q[3:])), q[:3]
    R_dot = casadi.reshape(casadi.jtimes(casadi.vec(R), q, v), 3, 3)
    turning = R.T @ R_dot
    V = casadi.vertcat(R.T @ v[:3], turning[2, 1], turning[0, 2], turning[1, 0])
    A = casadi.jtimes(V, q, v)
    return Pose(R, p), Twist(V[:3], V[3:]), Twist(A[:3], A[3:])


@pytest.mark.parametrize("kind", [kind for kind, law in JOINTS.items() if law.rows])
@pytest.mark.parametrize("turned", [False, True])
def test_every_kind_of_joint_may_close_a_loop(kind, turned, monkeypatch):
    """Between two bodies that float, anywhere: rows of the residual with their rates, points by their velocities."""
    monkeypatch.setattr(loops, "_coupled", lambda one, own: one.turned != turned)
    ends = {"a": Frame("A", "f", (0.1, -0.2, 0.3)), "b": Frame("B", "m", (0.2, 0.1, -0.1))}
    joint = replace(contract.make(kind), **ends)
    q, v = casadi.SX.sym("q", 12), casadi.SX.sym("v", 12)
    A, B = floating(q[:6], v[:6]), floating(q[6:], v[6:])
    X, V, bias = ({"A": a, "B": b} for a, b in zip(A, B))
    one = loops.closure(joint, X, V, bias, v, tuple(range(len(joint.rows))), [])
    X_FM = joint.relative(X["A"], X["B"])
    F, M = X["A"] @ joint.frame_on_a(), X["B"] @ joint.frame_on_b()
    phi = casadi.SX(joint.residual(X_FM))
    rate = casadi.jtimes(phi, q, v)
    if joint.point_rows:
        assert one.turned is turned
        axes, apart = casadi.SX(M.R if turned else F.R).T, casadi.SX(M.p - F.p)
        phi[:3], rate[:3] = axes @ apart, axes @ casadi.jtimes(apart, q, v)
    pairs = [(one.phi, phi), (one.C @ v, rate), (-one.gamma, casadi.jtimes(one.C @ v, q, v))]
    compare = casadi.Function("f", [q, v], [casadi.vertcat(x, y) for x, y in pairs])
    rng = np.random.default_rng(0)
    for _ in range(5):
        for both in compare(rng.normal(size=12), rng.normal(size=12)):
            ours, theirs = np.split(np.asarray(both).ravel(), 2)
            np.testing.assert_allclose(ours, theirs, atol=1e-12 * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize("name", ["four_bar", "delta", "ex800", "hexapod"])
def test_either_side_of_a_joint_gives_the_same_accelerations_and_reactions(name, monkeypatch):
    found = []
    for turned in (False, True):
        monkeypatch.setattr(loops, "_coupled", lambda one, own, turned=turned: one.turned != turned)
        d = written(name)
        assert bool(d.equations.kinematics.turned) is turned
        q, v, u, p = d.q_home, np.zeros(d.equations.v.size1()), np.full(d.equations.u.size1(), 2.0), d.p_nominal
        a, lam, _ = (np.asarray(x).ravel() for x in d.forward(q, v, u, p))
        seen = observe(System(d), q, v, a, lam, u, p, native=False)
        found.append((seen.rates, seen.reactions))
    for before, after in zip(*found):
        size = max(np.abs(x).max() for x in before.values())
        for key in before:
            np.testing.assert_allclose(after[key], before[key], atol=1e-10 * size, err_msg=key)


def test_rows_are_added_where_mass_is_missing_and_only_there():
    C = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.5]])
    order = [0, 1, 2, 3, 4]
    assert rows_to_add(np.diag([1.0, 2.0, 3.0]), C, order) == {}
    assert rows_to_add(np.diag([1e-6, 2e-6, 3e-6]), C, order) == {}  # all that matters are ratios
    assert rows_to_add(np.diag([1.0, 0.0, 3.0]), C, order) == {1: (2, 4.0)}
    assert rows_to_add(np.diag([1.0, 1e-5, 3.0]), C, order) == {1: (2, 4.0)}
    assert rows_to_add(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 3.0]]), C, order) == {1: (2, 4.0)}
    assert rows_to_add(np.zeros((3, 3)), np.array([[1.0, 1.0, 1.0]]), [0, 1, 2, 3]) is None  # no mass to weigh by
    assert rows_to_add(np.diag([1.0, 0.0]), np.array([[1e-17, 1.0]]), [0, 1, 2]) is None  # round-off holds nothing


ADDED = [  # masses, rows, and what is added by row: (column whose mass it is weighed by, factor)
    ([1e-200, 0.0, 3e-200], [[1.0, 0.0, 2.0], [0.0, 1.0, 0.5]], {1: (2, 4.0)}),  # far from underflow
    ([1.0, 2.0, 3.0], [[100.0, 0.0, 200.0], [0.0, 100.0, 50.0]], {}),  # all far from the constraints
    ([1.0, 0.0], [[-0.5, -1.0]], {0: (0, 4.0)}),  # of either sign
    ([1.0, 0.0], [[1.0, 1e-4]], {0: (0, 1.0)}),  # a column that is small everywhere counts
    ([1.0, 0.0], [[1e-6, 1e-6]], {0: (0, 1e12)}),  # and so does a row
    ([1.0, 1e-7], [[1.0, 1e-3]], {}),  # by its arm it is not light
    ([1.0, 1.0, 0.0], [[1.0, 2.0, 1.0]], {0: (1, 0.25)}),  # at most what the lightest has
    ([1.0, 1.0, 0.0], [[1.0, -0.5, 1.0]], {0: (0, 1.0)}),
    ([1.0, 0.0, 0.0], [[0.0, 1.0, 1.0], [2.0, 1.0, 0.0]], {0: (0, 0.25), 1: (0, 0.25)}),  # as the heaviest
    ([1.0, 1e-4], [[1.0, 0.0]], {}),  # light, but not held by any row
    ([1.0, 0.0], [[1.0, 0.0]], None),  # nothing holds it
]


@pytest.mark.parametrize(("masses", "rows", "expected"), ADDED, ids=str)
def test_rows_are_weighed_by_the_lightest_mass_that_is_not_light(masses, rows, expected):
    n = len(masses) + len(rows)
    found = rows_to_add(np.diag(masses), np.array(rows), list(range(n)))
    assert (found is None) == (expected is None)
    for row, weight in (found or {}).items():
        assert weight == pytest.approx(expected[row]) and len(found) == len(expected)
        column, factor = weight
        assert weight.of(np.diag([5.0, 7.0, 11.0])) == factor * (5.0, 7.0, 11.0)[column]
    assert not expected or found


@pytest.mark.parametrize("name", ["ex800", "hexapod"])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_no_digits_are_lost_with_small_or_large_masses(name, scale):
    """Also where both share one system, and the legs' roll has no inertia."""
    mechanism = poinsot.load(name)
    inertias = {n: p.value * scale for n, p in mechanism.parameters.items() if p.role == "inertia" and "kg" in p.unit}
    first, *_, last = mechanism.elements.pose
    state = poinsot.State(velocity={first: 0.1, last: 0.2})
    plain, scaled = (poinsot.accelerations(m, state) for m in (mechanism, mechanism.with_parameters(inertias)))
    size = max(np.abs(plain[body]).max() for body in plain)
    for body in plain:
        np.testing.assert_allclose(scaled[body], plain[body], atol=1e-11 * size)
    force = max(np.abs(x).max() for x in plain.reactions.values())
    for joint, wrench in plain.reactions.items():
        np.testing.assert_allclose(scaled.reactions[joint] / scale, wrench, atol=1e-10 * force)


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix"])
@pytest.mark.parametrize("ratio", [1e-3, 1e-6, 1e-9, 1e-12])
def test_light_legs_lose_no_digits(ratio, formulation):
    """Also after a mechanism of the same structure with legs that weigh something."""
    mechanism = poinsot.load("ex800")
    forces = {name: 10.0 + 3 * i for i, name in enumerate(mechanism.actuators)}
    legs = {n: p.value for n, p in mechanism.parameters.items() if n.startswith(("rods.", "cylinders."))}
    changed = {n: value * ratio for n, value in legs.items() if "kg" in mechanism.parameters[n].unit}
    light, state = mechanism.with_parameters(changed), poinsot.State(forces=forces)
    poinsot.accelerations(mechanism, state, formulation=formulation)
    ours, theirs = (poinsot.accelerations(light, state, formulation=f) for f in (formulation, "embedded"))
    size = max(np.abs(theirs[body]).max() for body in theirs)
    for body in theirs:
        np.testing.assert_allclose(ours[body], theirs[body], atol=1e-11 * size)


def test_no_ratio_of_masses_is_too_large_to_be_read():
    heavy = poinsot.load("four_bar").with_parameters({"link1.mass": 1e200, "link2.mass": 1e-200})
    assert np.isfinite(poinsot.accelerations(heavy)["link1"]).all()


@pytest.mark.parametrize("ratio", [1e-8, 0.0])
def test_masses_that_nearly_vanish_in_a_batch_lose_no_digits(ratio):
    mechanism = poinsot.load("ex800")
    legs = [n for n, p in mechanism.parameters.items() if n.startswith(("rods.", "cylinders.")) and "kg" in p.unit]
    values = {
        n: [mechanism.parameters[n].value * k for k in (1, ratio)] for n in legs if mechanism.parameters[n].value
    }
    forces = {name: 10.0 + 3 * i for i, name in enumerate(mechanism.actuators)}
    both = poinsot.simulate(mechanism, 0.05, t=[0.05], forces=forces, parameters=values)
    light = mechanism.with_parameters({n: x for n, (_, x) in values.items()})
    alone = poinsot.simulate(light, 0.05, t=[0.05], forces=forces)
    assert both.finished and both.steps < 20
    np.testing.assert_allclose(both.position["platform"][1], alone.position["platform"], atol=1e-12)
    assert np.max(np.abs(both.position["platform"][0] - alone.position["platform"])) > 1e-5
    for joint, wrench in alone.reactions.items():
        np.testing.assert_allclose(both.reactions[joint][1], wrench, atol=1e-9)


def test_reactions_of_a_simulation_are_those_of_its_states_where_the_order_of_elimination_fails():
    crank, pose = poinsot.load("slider_crank"), {"theta": np.radians(270)}
    run = poinsot.simulate(crank, 1e-4, t=[0, 1e-4], pose=pose)
    still = poinsot.accelerations(crank, poinsot.State(pose=pose))
    for joint, wrench in still.reactions.items():
        np.testing.assert_allclose(run.reactions[joint][0], wrench, atol=1e-9)
