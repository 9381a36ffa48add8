"""Base parameters in numbers: the published four-bar, ranks, units, noise, preferences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import poinsot
from poinsot.engine import kernel
from poinsot.identifiability.base_parameters import reduce_regressor
from poinsot.identifiability.reduction import find_rank, reduce_columns
from poinsot.identifiability.regressor import evaluate_regressor
from poinsot.identifiability.states import random_states

from .motions import random_motion

# spec: rows of β for J1, J2, J3, m1
PAPER = {
    "link1.mx": (-1 / 0.3, 0, 0, 0),
    "link1.my": (0, 0, 0, 0),
    "link2.mx": (0, -0.7 / 1.7, 0, 0),
    "link2.my": (0, 1.1 / 1.7, 0, 0),
    "link2.m": (1 / 0.3**2, -1 / 1.7, 0, 0),
    "link3.mx": (0, 0, -1 / 1.3, 0),
    "link3.my": (0, 0, 0, 0),
    "link3.m": (0, 1 / 1.7, -1 / 1.3**2, 0),
}
RANKS = {
    "pendulum": (3, 4),
    "double_pendulum": (6, 8),
    "slider_crank": (8, 14),
    "four_bar": (8, 12),
    "six_bar": (13, 20),
    "three_rrr": (13, 28),
    "five_bar": (11, 22),
    "navaro": (13, 52),
    "three_link": (10, 15),
    "delta": (40, 109),
    "ex800": (82, 130),
}


def drawn(name, count=60, seed=0):
    mechanism = poinsot.load(name)
    return evaluate_regressor(mechanism, random_states(mechanism, count, np.random.default_rng(seed)))


def test_the_published_four_bar():
    b = poinsot.base_parameters(poinsot.load("four_bar"))
    assert (b.rank, len(b.columns)) == (8, 12)
    assert b.eliminated == ("link1.J", "link2.J", "link3.J", "link1.m") and b.null == ("link1.m",)
    assert b.independent == tuple(PAPER)
    np.testing.assert_allclose(b.coefficients, list(PAPER.values()), atol=1e-11)
    assert b.gap.position == 8 and b.gap.ratio > 1e8


def test_the_published_four_bar_with_a_fourier_motion_as_in_the_source():
    rng = np.random.default_rng(4)
    theta1 = poinsot.Fourier(0.8, tuple(rng.normal(size=11) / 15), tuple(rng.normal(size=11) / 15), 1.0)
    b = poinsot.base_parameters(poinsot.load("four_bar"), {"theta1": theta1}, np.linspace(0.0, 7.8, 400))
    assert b.independent == tuple(PAPER)
    np.testing.assert_allclose(b.coefficients, list(PAPER.values()), atol=1e-10)


@pytest.mark.parametrize("name", RANKS)
def test_ranks_from_actuator_forces_alone(name):
    mechanism = poinsot.load(name)
    for seed in (0, 1):
        b = poinsot.base_parameters(mechanism, seed=seed)
        assert (b.rank, len(b.columns)) == RANKS[name] and b.gap.clear


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "delta"])
def test_base_parameters_predict_forces_of_other_mechanisms_on_other_motions(name):
    """Change all parameters and the base values with them: forces along a new motion follow from those alone."""
    mechanism, rng = poinsot.load(name), np.random.default_rng(7)
    b = poinsot.base_parameters(mechanism)
    masses = mechanism.parameters.matching("*.mass")
    other = mechanism.with_parameters({n: mechanism.parameters[n].value * rng.uniform(1.0, 1.3) for n in masses})
    W = poinsot.regressor(other, random_motion(mechanism, 5), np.linspace(0, 2, 20))
    kept = [W.columns.index(n) for n in b.independent]
    np.testing.assert_allclose(
        W.matrix[:, kept] @ b.values(other), W.values.ravel(), atol=1e-10 * np.abs(W.values).max()
    )
    assert np.max(np.abs(b.values(other) - b.values())) > 1e-3


W_FOUR_BAR = drawn("four_bar")


@settings(max_examples=60, deadline=None)
@given(exponents=st.lists(st.floats(-9, 9), min_size=12, max_size=12), seed=st.integers(0, 1000))
def test_units_do_not_change_the_rank_nor_does_noise(exponents, seed):
    W, units = W_FOUR_BAR, 10.0 ** np.array(exponents)
    noise = 1e-10 * W.scale * np.random.default_rng(seed).normal(size=W.matrix.shape) / np.sqrt(len(W.matrix))
    for matrix in (W.matrix, W.matrix + noise):
        r = reduce_columns(matrix * units, [], W.scale * units)
        assert r.rank == 8 and r.null == (0,) and r.gap.clear


@pytest.mark.parametrize("name", ["slider_crank", "five_bar", "navaro", "ex800"])
def test_units_and_noise_on_larger_mechanisms(name):
    W, rng = drawn(name, 100), np.random.default_rng(2)
    for _ in range(4):
        units = 10.0 ** rng.uniform(-9, 9, len(W.columns))
        noise = 1e-10 * W.scale * rng.normal(size=W.matrix.shape) / np.sqrt(len(W.matrix))
        r = reduce_columns((W.matrix + noise) * units, [], W.scale * units)
        assert r.rank == RANKS[name][0] and r.gap.clear


def test_without_scaled_columns_units_would_change_the_rank():
    """What the scaling is for: the plain singular values of the same matrix have no gap."""
    units = 10.0 ** np.linspace(-9, 9, 12)
    s = np.linalg.svd(W_FOUR_BAR.matrix * units, compute_uv=False)
    assert find_rank(s, 100).position != 8


def test_a_preference_is_followed_and_what_cannot_be_eliminated_is_named():
    four_bar = poinsot.load("four_bar")
    b = poinsot.base_parameters(four_bar, eliminate=["link2.m", "link1.my", "link3.J"])
    assert b.eliminated[:2] == ("link2.m", "link3.J") and b.kept == ("link1.my",)
    assert "cannot be eliminated as asked: link1.my" in str(b)
    again = poinsot.base_parameters(four_bar, eliminate=["link2.m", "link1.my", "link3.J"])
    np.testing.assert_array_equal(b.coefficients, again.coefficients)
    with pytest.raises(poinsot.PoinsotError, match=r"there is no linear parameter 'link9\.J'"):
        poinsot.base_parameters(four_bar, eliminate="link9.J")


def test_more_channels_determine_more():
    four_bar = poinsot.load("four_bar")
    ranks = [poinsot.base_parameters(four_bar, channels=c).rank for c in ("A", ["A", "reaction A"], "wrench *")]
    assert ranks[0] == 8 and ranks[0] < ranks[1] <= ranks[2] == 12


def test_random_states_satisfy_the_constraints_on_every_level():
    for name in ("four_bar", "ex800", "stacked_hexapod"):
        states = random_states(poinsot.load(name), 20, np.random.default_rng(3))
        e = states.system.equations
        levels = [e.kinematics.phi, e.kinematics.C @ e.v, e.kinematics.gamma, e.kinematics.C]
        parts = kernel(states.system.dynamics.function("levels", levels))
        phi, rate, gamma, C = parts(states.q, states.v, np.zeros(e.u.size1()), states.p)
        scale = np.max(np.abs(states.v))
        assert np.max(np.abs(phi)) < 1e-13 and np.max(np.abs(rate)) < 1e-12 * scale
        C = C.reshape(20, -1, e.v.size1())
        gap = np.einsum("nij,nj->ni", C, states.a) - gamma.reshape(20, -1)
        assert np.max(np.abs(gap)) < 1e-11 * np.max(np.abs(states.a))
        assert np.ptp(states.q, axis=0).max() > 0.3  # they do go somewhere


def test_the_table_and_the_data_say_the_same():
    b = poinsot.base_parameters(poinsot.load("four_bar"))
    text, data = str(b), b.to_dict()
    assert "8 base parameters of 12" in text and "link1.mx − 3.33333 link1.J" in text
    assert "no effect: link1.m" in text and "gap" in text
    assert data["rank"] == 8 and np.shape(data["coefficients"]) == (8, 4)


def test_a_base_parameter_of_nothing_is_no_crash():
    with pytest.raises(poinsot.PoinsotError, match="needs the times"):
        poinsot.base_parameters(poinsot.load("four_bar"), {"theta1": 1.0})
    still = poinsot.base_parameters(poinsot.load("five_bar"), poinsot.load("five_bar").elements.pose, [0.0, 1.0])
    assert still.rank == 0 and len(still.null) == 22
    assert reduce_regressor(drawn("pendulum")).rank == 3


def test_a_motion_of_the_stewart_platform_determines_no_more_than_random_states():
    """The other route to the number: a long trajectory, and the plain rank of its scaled columns."""
    ex800, rng = poinsot.load("ex800"), np.random.default_rng(1)
    motion = {
        name: poinsot.Fourier(2.0, tuple(r * rng.normal(size=5)), tuple(r * rng.normal(size=5)), float(s))
        for (name, s), r in zip(ex800.elements.pose.items(), (0.02, 0.02, 0.01, 0.08, 0.08, 0.08))
    }
    W = poinsot.regressor(ex800, motion, np.linspace(0, 3.1, 400)).matrix
    scaled = W / np.maximum(np.linalg.norm(W, axis=0), 1e-9 * np.linalg.norm(W))
    s = np.linalg.svd(scaled, compute_uv=False)
    assert np.sum(s > 1e-9 * s[0]) == RANKS["ex800"][0]


def test_planar_counts_follow_from_joints_alone():
    """A hinge between moving links gives one relation; a frame on a fixed axis leaves the mass without effect, and
    without gravity the first moments too."""
    for name in ("four_bar", "six_bar", "three_rrr", "five_bar", "slider_crank"):
        mechanism = poinsot.load(name)
        b = poinsot.base_parameters(mechanism, parameters=[f"{body}.*" for body in mechanism.bodies])
        moving = [j for j in mechanism.joints.values() if "ground" not in (j.a.body, j.b.body)]
        fixed = [j for j in mechanism.joints.values() if "ground" in (j.a.body, j.b.body)]
        each = 1 if any(mechanism.gravity) else 3
        lost = sum(3 if j.kind == "prismatic" else each for j in fixed)
        assert b.rank == 4 * len(mechanism.bodies) - len(moving) - lost, name


def test_a_planar_mechanism_in_space_has_the_same_base_parameters():
    b, flat = (poinsot.base_parameters(m) for m in (poinsot.load("four_bar").in_space(), poinsot.load("four_bar")))
    assert (b.rank, len(b.columns)) == (8, 30) and b.independent == flat.independent
    kept = [b.eliminated.index(n.replace(".J", ".Izz")) for n in flat.eliminated]
    np.testing.assert_allclose(b.coefficients[:, kept], flat.coefficients, atol=1e-10)


def test_a_body_without_mass_takes_part_when_it_is_asked_for():
    joints = {
        "a": {"type": "revolute", "between": ["ground", "cross"], "axis": [1, 0, 0], "actuated": True},
        "b": {"type": "revolute", "between": ["cross", "arm"], "axis": [0, 1, 0], "actuated": True},
    }
    arm = {"mass": 2, "com": [0.1, 0.2, 0.3], "inertia": [0.1, 0.12, 0.09]}
    mechanism = poinsot.build({"format": 1, "bodies": {"cross": {}, "arm": arm}, "joints": joints})
    few, all_ = (poinsot.base_parameters(mechanism, parameters=p) for p in (None, "*"))
    assert len(few.columns) == 10 and len(all_.columns) == 20
    assert (few.rank, all_.rank) == (9, 10) and "cross.mz" in all_.independent


def test_the_stewart_platform_takes_the_masses_of_its_rods_to_the_platform():
    """Six point masses at the balls: the combinations follow from Steiner's theorem."""
    ex800 = poinsot.load("ex800")
    b = poinsot.base_parameters(ex800)
    assert not b.kept and len(b.null) == 6
    rods = [b.eliminated.index(f"leg{i}.rod.m") for i in range(1, 7)]
    balls = np.array([ex800.joints[f"leg{i}.ball"].frame_on_b().p for i in range(1, 7)], float)
    x, y, z = balls.T
    expected = {"m": 1 + 0 * x, "mx": x, "my": y, "mz": z, "Ixx": y**2 + z**2, "Ixy": -x * y, "Izz": x**2 + y**2}
    for label, row in expected.items():
        found = b.coefficients[b.independent.index(f"platform.{label}")]
        np.testing.assert_allclose(found[rods], row, atol=1e-12)
    row = b.coefficients[b.independent.index("leg3.rod.Iyy")]
    assert row[b.eliminated.index("leg3.cylinder.Iyy")] == pytest.approx(1)


def test_tables_have_the_unit_of_every_base_parameter_and_coefficient(tmp_path):
    base = poinsot.base_parameters(poinsot.load("four_bar"))
    head, *rows = base.to_csv(tmp_path / "base.csv").read_text().splitlines()
    assert head.startswith("parameter,value,unit,combination,link1.J [unit/(kg·m²)]") and "SI" not in head
    units = {row.split(",")[0]: row.split(",")[2] for row in rows}
    assert units["link2.m"] == "kg" and units["link2.mx"] == "kg·m" and len(units) == 8
