"""The choice of eliminated parameters: preferred ones, but never at the price of the conditioning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import qr
from scipy.spatial.transform import Rotation

import poinsot
from poinsot.identifiability.base_parameters import reduce_regressor
from poinsot.identifiability.choice import BOUND, WISHES, eliminated_rows
from poinsot.identifiability.reduction import reduce_columns
from poinsot.identifiability.regressor import evaluate_regressor
from poinsot.identifiability.states import random_states
from tests.generated import linkages
from tests.generated.mechanisms import random_mechanism

from .layouts import ANY, crane, turntable

TILTED = ((0.1, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.1))  # roll, pitch and yaw of each joint in the link before
OFFSETS = ((0.05, 0.0, 0.1), (0.0, 0.04, 0.2), (0.3, 0.0, 0.01))
WORSE = 30.0  # condition of the columns kept, over that of those that a pivoted QR keeps
AXES = ("z", "y", "y", "x")


def arm(turns=TILTED, offsets=OFFSETS, size=1.0, mass=1.0):
    """A serial arm with friction in every joint, in any units of length and mass."""
    bodies, joints = {}, {}
    for i, (turn, offset) in enumerate(zip(turns, offsets)):
        inertia = [0.02 * mass * size**2, 0.03 * mass * size**2, 0.025 * mass * size**2]
        bodies[f"l{i}"] = {"mass": mass, "com": [0.1 * size, 0.02 * size, -0.03 * size], "inertia": inertia}
        x, y, z, w = (float(e) for e in Rotation.from_euler("xyz", turn).as_quat())
        place = {"position": [float(p) * size for p in offset], "rotation": {"quaternion": [w, x, y, z]}}
        joints[f"j{i}"] = {
            "type": "revolute",
            "between": [{"body": f"l{i - 1}" if i else "ground", **place}, f"l{i}"],
            "axis": [float(AXES[i] == a) for a in "xyz"],
            "damping": 0.5 * mass * size**2,
            "friction": {"coulomb": 0.2 * mass * size**2},
            "actuated": True,
        }
    return poinsot.build({"format": 1, "name": "arm", "bodies": bodies, "joints": joints})


def random_arm(seed, **units):
    rng = np.random.default_rng(seed)
    turns = rng.choice([0.0, 0.1, -0.1, np.pi / 2], (4, 3)) if seed % 2 else rng.uniform(-1, 1, (4, 3))
    return arm(turns, rng.choice([0.0, 0.01, 0.3, -0.2], (4, 3)), **units)


def measures(mechanism, seed=0):
    """Largest coefficient of columns of length 1, condition of those kept over that of the best ones, residual of the
    relations."""
    states = random_states(mechanism, 60, np.random.default_rng(seed))
    W = evaluate_regressor(mechanism, states)
    b, at = reduce_regressor(W), W.columns.index
    weights = np.tile([1.0 if unit == "N" else 1 / W.size for unit in W.channel_units], len(W.t))
    live = [j for j, name in enumerate(b.eliminated) if name not in b.null]
    matrix, beta = W.matrix * weights[:, None], b.coefficients[:, live]
    first, second = [at(n) for n in b.independent], [at(b.eliminated[j]) for j in live]
    one, two = (np.linalg.norm(matrix[:, some], axis=0) for some in (first, second))
    left = np.linalg.norm(matrix[:, second] - matrix[:, first] @ beta, axis=0) / two
    scaled = np.abs(beta) * one[:, None] / two
    both = np.hstack([matrix[:, first] / one, matrix[:, second] / two])
    best = both[:, qr(both, mode="r", pivoting=True)[1][: b.rank]]
    condition = np.linalg.cond(matrix[:, first] / one) / np.linalg.cond(best)
    return b, scaled.max(initial=0.0), condition, left.max(initial=0.0)


def stands_alone(b, name):
    return name in b.independent and not np.any(b.coefficients[b.independent.index(name)])


@pytest.mark.parametrize("units", [{}, {"size": 1e3, "mass": 1e3}, {"size": 1e-4, "mass": 1e-3}])
def test_a_tilted_arm_has_short_combinations_in_any_units(units):
    b, largest, condition, left = measures(arm(**units))
    assert b.rank == 23 and b.gap.clear
    assert largest <= BOUND and condition < WORSE and left < 1e-9
    assert all(stands_alone(b, f"j{i}.{law}") for i in range(3) for law in ("damping", "coulomb"))


@pytest.mark.parametrize("seed", range(6))
def test_random_arms_have_well_conditioned_base_parameters(seed):
    b, largest, condition, left = measures(random_arm(seed))
    assert largest <= BOUND and condition < WORSE and left < 1e-8
    assert all(stands_alone(b, f"j{i}.{law}") for i in range(4) for law in ("damping", "coulomb"))


@pytest.mark.parametrize("seed", [9, 13, 36])
def test_loops_and_trees_of_any_joints_have_bounded_coefficients(seed):
    _, largest, condition, left = measures(random_mechanism(seed))
    assert largest <= BOUND and condition < WORSE and left < 1e-8


@pytest.mark.parametrize("make", [lambda: linkages.agile_eye().mechanism, lambda: turntable(turn=ANY), crane])
def test_closed_loops_have_bounded_coefficients(make):
    _, largest, condition, left = measures(make())
    assert largest <= BOUND and condition < WORSE and left < 1e-8


@pytest.mark.parametrize("number", range(100, 105))
def test_another_seed_and_another_run_choose_alike(number):
    mechanism = random_arm(number)
    assert len({poinsot.base_parameters(mechanism, seed=seed).eliminated for seed in (0, 0, 1, 2)}) == 1


def test_friction_is_determined_by_itself_along_a_motion():
    rng, t = np.random.default_rng(1), np.linspace(0, 6, 200)
    motion = {
        f"j{i}": poinsot.Fourier(1.0, tuple(rng.normal(size=4) / 2), tuple(rng.normal(size=4) / 2)) for i in range(3)
    }
    mechanism = arm()
    document = mechanism.document | {"coordinates": {f"j{i}": {"joint": f"j{i}"} for i in range(3)}}
    found = poinsot.determinable(poinsot.build(document), motion, t, noise=0.01)
    names = {f"j{i}.{law}" for i in range(3) for law in ("damping", "coulomb")}
    assert names.isdisjoint(found.undetermined)


def test_symbols_agree_with_the_numbers_of_the_choice():
    found = poinsot.base_parameters(arm()).symbolic
    assert found.unexplained == 0 and len(found) == 23


def test_a_wish_comes_before_the_bound_and_what_round_off_would_decide_is_kept():
    W, rng = np.zeros((40, 3)), np.random.default_rng(0)
    W[:, :2] = rng.normal(size=(40, 2))
    for part, followed in ((0.3, True), (1e-3, True), (0.1 / WISHES, False)):
        W[:, 2] = W[:, 0] + part * W[:, 1]  # column 1 is a difference of two others, over its part
        assert (reduce_columns(W, wished=[1]).eliminated == (1,)) is followed
        assert (reduce_columns(W, prefer=[1]).eliminated == (1,)) is (part > 1 / BOUND)


def test_a_coefficient_of_round_off_is_zero():
    """The second pair of columns has nothing to do with the first, whatever the condition of what is asked for."""
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(2, 60, 3))
    W = np.column_stack([A, A @ [1, 1, 3e-4], B, B @ [1.0, -2.0, 0.5]])
    r = reduce_columns(W, prefer=[7], wished=[2])
    beta = dict(zip(r.eliminated, r.coefficients.T))
    assert np.all(beta[2][3:] == 0) and np.all(beta[7][:3] == 0) and np.count_nonzero(beta[2]) == 3


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(3, 14), small=st.floats(-8, 0))
def test_coefficients_are_bounded_for_any_null_space(seed, k, small):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, k))
    V2 = np.linalg.qr(rng.normal(size=(k, d)) * 10.0 ** rng.uniform(small, 0, (k, 1)))[0]
    order = rng.permutation(k).tolist()
    taken = eliminated_rows(V2, [], order, 1e-6)
    assert len(set(taken)) == d
    assert np.abs(V2 @ np.linalg.inv(V2[taken])).max() <= BOUND * (1 + 1e-9)


def test_among_equals_the_order_decides():
    V2 = np.ones((4, 1)) / 2
    assert [eliminated_rows(V2, [], order, 1e-6) for order in ([2, 0, 1, 3], [3, 2, 1, 0])] == [[2], [3]]
