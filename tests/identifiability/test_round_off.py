"""Round-off is not a parameter: counts do not change with frames, sizes or masses, and equal an independent rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import poinsot
from poinsot.errors import ConversionWarning
from poinsot.identifiability import channels
from poinsot.identifiability.base_parameters import reduce_regressor
from poinsot.identifiability.energy import energy_regressor
from poinsot.identifiability.reduction import reduce_columns
from poinsot.identifiability.regressor import evaluate_regressor
from poinsot.identifiability.states import random_states
from poinsot.system.system import system

from .independent import independent_rank
from .layouts import ANY, LAYOUTS, PLAIN, RIGHT_ANGLES, arm, crane, turntable, walker

QUICK = (Phase.explicit, Phase.generate)  # every example is a model to compile: no time for shrinking
COUNTS = {"arm": 6, "turntable": 19, "crane": 26, "walker": 60}  # of bodies; see the next test
URDF = """<robot name="arm"><link name="base"/>
<link name="one"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="two"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="first" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
<origin xyz="0.2 0 0.1" rpy="{0} 0 {1}"/></joint>
<joint name="second" type="continuous"><parent link="one"/><child link="two"/><axis xyz="0 0 1"/>
<origin xyz="0 0.4 0" rpy="{2} 0 {3}"/></joint></robot>"""


def assert_no_round_off(b, size):
    """Coefficients in natural units are of the order of 1, or exactly zero."""
    power = {p.name: p.order for p in b.linear}
    units = np.array([[size ** (power[j] - power[i]) for j in b.eliminated] for i in b.independent])
    natural = np.abs(b.coefficients * units)
    assert np.all((natural == 0) | (natural > 1e-6))


@pytest.mark.parametrize("name", LAYOUTS)
def test_counts_are_those_of_maximal_coordinates(name):
    mechanism = LAYOUTS[name]()
    home = poinsot.assemble(mechanism)
    rank, gap = independent_rank(mechanism, home.poses, home.size, count=16 if name == "walker" else 24)
    assert rank == COUNTS[name] and gap > 1e6


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("turntable", {"turn": RIGHT_ANGLES, "seed": 1}),
        ("turntable", {"turn": ANY, "size": 1e-4, "mass": 1e-3}),
        ("turntable", {"turn": RIGHT_ANGLES, "size": 1e4, "mass": 1e3}),
        ("crane", {"turn": RIGHT_ANGLES, "seed": 2}),
        ("crane", {"turn": ANY, "size": 1e-3, "mass": 1e-3}),
        pytest.param("walker", {"turn": RIGHT_ANGLES, "size": 1e3, "mass": 1e3}, marks=pytest.mark.slow),
    ],
)
def test_loops_on_moving_bodies_have_base_parameters_in_any_frames_and_size(name, how):
    b = poinsot.base_parameters(LAYOUTS[name](**how))
    assert b.rank == COUNTS[name] and b.gap.ratio > 1e8
    assert_no_round_off(b, how.get("size", 1.0))


@settings(max_examples=8, deadline=None, phases=QUICK)
@given(
    seed=st.integers(0, 1000),
    turn=st.sampled_from([PLAIN, RIGHT_ANGLES, ANY]),
    size=st.sampled_from([1e-4, 1e-2, 1.0, 1e3, 1e4]),
    mass=st.sampled_from([1e-3, 1.0, 1e3]),
)
def test_a_plane_arm_in_space_has_six_base_parameters_in_any_frames(seed, turn, size, mass):
    b = poinsot.base_parameters(arm(turn=turn, size=size, mass=mass, seed=seed))
    assert b.rank == 6 and b.gap.ratio > 1e8
    assert_no_round_off(b, size)


@settings(max_examples=4, deadline=None, phases=QUICK)
@given(quarters=st.tuples(*[st.integers(-2, 2)] * 4))
def test_right_angles_of_a_urdf_count_as_such(tmp_path_factory, quarters):
    """cos(π/2) = 6e-17 in a rotation makes columns of round-off: with parallel axes the count is 6, not 10."""
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    path.write_text(URDF.format(*(np.pi / 2 * k for k in quarters)))
    with pytest.warns(ConversionWarning):
        mechanism = poinsot.load(path)
    home = poinsot.assemble(mechanism)
    b = poinsot.base_parameters(mechanism)
    assert b.rank == independent_rank(mechanism, home.poses, home.size, count=20)[0]
    assert_no_round_off(b, home.size)


def test_base_parameters_of_a_loop_on_a_turntable_predict_forces():
    mechanism = turntable(turn=RIGHT_ANGLES, seed=5)
    b = poinsot.base_parameters(mechanism)
    W = evaluate_regressor(mechanism, random_states(mechanism, 12, np.random.default_rng(8)))
    kept = [W.columns.index(n) for n in b.independent]
    found = W.matrix[:, kept] @ b.values()
    np.testing.assert_allclose(found, W.values.ravel(), atol=1e-11 * np.abs(W.values).max())


def test_work_counts_what_forces_do():
    mechanism = arm(turn=RIGHT_ANGLES, seed=3)
    document = mechanism.document | {"coordinates": {"a": {"joint": "shoulder"}, "b": {"joint": "elbow"}}}
    mechanism, rng = poinsot.build(document), np.random.default_rng(0)
    motion = {n: poinsot.Fourier(2.0, tuple(rng.normal(size=4)), tuple(rng.normal(size=4)), 0.3) for n in "ab"}
    found = reduce_regressor(energy_regressor(mechanism, motion, np.linspace(0, 3, 80)))
    assert found.rank == 6 and found.gap.clear


def test_a_column_counts_by_its_natural_size_and_the_gap_tells_of_those_left_out():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(50, 4)) * [1.0, 1.0, 3e-12, 2e-6]
    scale = np.full(4, np.sqrt(50.0))
    r = reduce_columns(W, [], scale)
    assert r.null == (2,) and r.rank == 3
    assert 1e-9 < r.gap.below < 1e-6 < r.gap.above < 0.1  # above: 2e-6 of its size, scaled up by 1e4 at most
    assert reduce_columns(W, [], 1e-3 * scale).rank == 4


def test_only_freedoms_need_independent_speeds(monkeypatch):
    """Other channels are found and evaluated without any."""

    def refuse(*_):
        raise poinsot.PoinsotError("no independent coordinates can be chosen")

    monkeypatch.setattr(channels, "free_speeds", refuse)
    mechanism = turntable()
    for wanted in ("actuators", "power", "wrench table", "reaction slew"):
        assert poinsot.base_parameters(mechanism, channels=wanted).rank > 0
    with pytest.raises(poinsot.PoinsotError, match="no independent coordinates"):
        poinsot.base_parameters(mechanism, channels="freedoms")


def test_freedoms_are_as_many_as_the_mobility_and_have_their_units():
    for make, mobility, forces in ((turntable, 2, 0), (crane, 4, 0), (walker, 10, 3)):
        found = channels.channels(system(make(turn=RIGHT_ANGLES, seed=1), "joint"), "freedoms")
        assert len(found) == mobility and [c.unit for c in found].count("N") == forces
