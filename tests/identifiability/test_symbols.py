"""Base parameters in symbols: two methods against each other, against the paper and against energies in numbers."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import poinsot
from poinsot.elements.joints import JOINTS
from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.identifiability.symbolic import symbolise
from poinsot.identifiability.symbolic.energies import EnergyBase, energy_base, energy_matrix

from .mechanisms import ARMS, chain, other_geometry, pair, three_rrr, watt_in_the_air, watt_on_the_ground

PAPER = ("link1.J", "link2.J", "link3.J", "link1.m")  # eliminated there
PLANAR = {"four_bar": PAPER, "slider_crank": (), "five_bar": (), "three_link": (), "double_pendulum": ()}
LINKAGES = {"Watt": watt_on_the_ground, "3-RRR": three_rrr}


def test_the_four_bar_has_the_eight_combinations_of_the_paper_by_both_methods():
    four_bar = poinsot.load("four_bar")
    base = energy_base(four_bar, PAPER)
    m2, m3, J1, J2, J3 = sympy.symbols("link2.m link3.m link1.J link2.J link3.J")
    x1, x2, x3, y1, y2, y3 = sympy.symbols("link1.mx link2.mx link3.mx link1.my link2.my link3.my")
    lx1, lx2, ly2, lx3 = sympy.symbols("lx1 lx2 ly2 lx3", real=True)
    l2 = sympy.Symbol("l2", positive=True)
    expected = {
        "link1.mx": x1 - J1 / lx1,
        "link1.my": y1,
        "link2.mx": x2 - J2 * lx2 / l2**2,
        "link2.my": y2 + J2 * ly2 / l2**2,
        "link2.m": m2 + J1 / lx1**2 - J2 / l2**2,
        "link3.mx": x3 - J3 / lx3,
        "link3.my": y3,
        "link3.m": m3 + J2 / l2**2 - J3 / lx3**2,
    }
    for method in ("transfer", "product class"):
        found = symbolise(four_bar, base, method)
        assert dict(zip(found.independent, found)) == expected
        assert found.symbols == {lx1: 0.3, lx2: 0.7, ly2: pytest.approx(1.1), lx3: 1.3, l2: pytest.approx(1.7**0.5)}
    numbers = dict(zip(base.independent, base.coefficients))
    assert_allclose(numbers["link2.m"][:3], [1 / 0.09, -1 / 1.7, 0], atol=1e-10)  # 11.11 and −0.5882
    assert_allclose(numbers["link3.m"][:3], [0, 1 / 1.7, -1 / 1.69], atol=1e-10)


@pytest.mark.parametrize("name", [*PLANAR, *LINKAGES])
def test_both_methods_agree_and_hold_at_other_geometries(name):
    mechanism = LINKAGES[name]() if name in LINKAGES else poinsot.load(name)
    base = energy_base(mechanism, PLANAR.get(name, ()))
    transfer, product = (symbolise(mechanism, base, method) for method in ("transfer", "product class"))
    assert transfer.unexplained == product.unexplained == 0 and len(transfer) == base.rank
    assert transfer.eliminated == product.eliminated == base.eliminated
    assert (transfer.beta - product.beta).applyfunc(sympy.cancel).is_zero_matrix
    _holds_elsewhere(mechanism, base, transfer, 3)


def test_a_loop_of_moving_links_is_outside_the_product_class_but_not_outside_transfers():
    six_bar = watt_in_the_air()
    base = energy_base(six_bar)
    with pytest.raises(PoinsotError, match="loops close through the ground: no"):
        symbolise(six_bar, base, "product class")
    found = symbolise(six_bar, base)
    assert found.unexplained == 0 and len(found) == base.rank == 20 - 7
    _holds_elsewhere(six_bar, base, found, 3)


def _holds_elsewhere(mechanism, base, found, times):
    rng = np.random.default_rng(7)
    for _ in range(times):
        other = other_geometry(mechanism, rng)
        numbers = energy_base(other, base.eliminated)
        assert numbers.eliminated == base.eliminated
        scale = np.abs(numbers.coefficients).max()
        assert_allclose(found.coefficients(other), numbers.coefficients, rtol=1e-7, atol=1e-8 * scale)


@pytest.mark.parametrize("name", ARMS)
def test_serial_arms_in_space_hold_at_other_geometries(name):
    arm = chain(ARMS[name])
    base = energy_base(arm)
    found = symbolise(arm, base)
    assert found.unexplained == 0
    assert_allclose(found.coefficients(arm), base.coefficients, atol=1e-10)
    _holds_elsewhere(arm, base, found, 2)


def test_known_numbers_of_base_parameters_come_out():
    assert len(symbolise(chain(ARMS["Puma"]), energy_base(chain(ARMS["Puma"])))) == 36
    scara = chain(ARMS["Scara"])
    assert len(symbolise(scara, energy_base(scara))) == 8


def test_without_gravity_more_is_without_effect():
    heavy, floating = (chain(ARMS["sideways"], gravity) for gravity in ((0, 0, -9.81), (0, 0, 0)))
    found = symbolise(floating, energy_base(floating))
    assert found.unexplained == 0 and len(found) < energy_base(heavy).rank


# What a joint lets be moved between two bodies that may move anyhow.
FREEDOM = {"revolute": 3, "prismatic": 6, "cylindrical": 1, "universal": 1, "spherical": 1, "planar": 1, "helical": 1}
FREEDOM |= {"fixed": 10, "free": 0, "point-on-line": 0, "distance": 0}


@pytest.mark.parametrize("kind", JOINTS)
def test_what_every_joint_lets_be_transferred_is_all_that_energies_allow(kind):
    extra = {"distance": {"length": 0.5}, "helical": {"lead": 0.01}}.get(kind, {})
    mechanism = pair({"type": kind, **extra})
    base = energy_base(mechanism)
    found = symbolise(mechanism, base)
    assert found.unexplained == 0 and len(found.eliminated) == FREEDOM[kind]
    assert_allclose(found.coefficients(mechanism), base.coefficients, atol=1e-9)


def test_a_planar_mechanism_in_space_has_the_same_base_parameters():
    four_bar = poinsot.load("four_bar")
    inside = four_bar.in_space()
    masses = [name.replace(".J", ".Izz") for name in PAPER]
    others = [f"link{k}.{label}" for k in (1, 2, 3) for label in ("mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz")]
    base = energy_base(inside, [*masses, *others])
    found = symbolise(inside, base)
    assert found.unexplained == 0 and len(found) == 8
    flat = symbolise(four_bar, energy_base(four_bar, PAPER))
    assert [str(e).replace("Izz", "J") for e in found] == [str(e) for e in flat]


def _leg_first(mechanism):
    """Eliminate what the legs can give away, so that the platform keeps its ten."""
    names = [f"{body}.m" for body in mechanism.bodies if body != "platform"]
    return names + [
        f"leg{k}.rod.{label}" for k in range(1, 7) for label in ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
    ]


STEWART = [
    ("ex800", 82, 1),
    pytest.param("ex800", 82, 3, marks=pytest.mark.slow),
    pytest.param("hexapod", 112, 3, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "rank", "times"), STEWART)
def test_stewart_platforms_have_symbols_that_hold_at_other_geometries(name, rank, times):
    stewart = poinsot.load(name)
    wanted = _leg_first(stewart) if name == "ex800" else [f"{b}.m" for b in stewart.bodies if b != "platform"]
    base = energy_base(stewart, wanted)
    seen = []
    found = symbolise(stewart, base, progress=lambda what, fraction: seen.append((what, fraction)))
    assert found.unexplained == 0 and len(found) == rank
    assert len(seen) > 18 and all(0 <= fraction <= 1 for _, fraction in seen)
    _holds_elsewhere(stewart, base, found, times)
    if name == "ex800":  # the rod's mass goes to the ball at (lx1, ly1, 0) of the platform
        weight = found.beta[found.independent.index("platform.Izz"), found.eliminated.index("leg1.rod.m")]
        lx1, ly1 = sympy.symbols("lx1 ly1", real=True)
        assert sympy.expand(weight - lx1**2 - ly1**2) == 0


def test_energies_are_sampled_away_from_singular_poses_where_branches_meet():
    """On a walk that passed them, one processor's round-off led to a branch with other relations."""
    other = {"arm.length": 0.33, "rod.length": 0.76, "rod.spread": 0.05, "plate.radius": 0.06}
    delta = poinsot.load("delta").with_parameters(other)
    for seed in range(3):
        _, W = energy_matrix(delta, seed)
        size = np.linalg.norm(W, axis=0)
        sigma = np.linalg.svd(W / np.where(size > 1e-11 * size.max(), size, np.inf), compute_uv=False) / np.sqrt(
            W.shape[1]
        )
        assert sigma[33] > 1e-4 and sigma[34] < 1e-13


def test_a_delta_robot_has_relations_of_its_parallelograms_too():
    delta = poinsot.load("delta")
    legs = [f"{b}.{label}" for b in delta.bodies if b.endswith(("rod1", "rod2")) for label in ("m", "mx", "my", "mz")]
    base = energy_base(delta, legs)
    found = symbolise(delta, base)
    assert found.unexplained == 0 and len(found) == base.rank == 34
    assert found.conditions["special geometry"].startswith("33 relations for it only")
    other = delta.with_parameters({"arm.length": 0.33, "rod.length": 0.76, "rod.spread": 0.05, "plate.radius": 0.06})
    numbers = energy_base(other, base.eliminated)
    assert numbers.eliminated == base.eliminated
    assert_allclose(found.coefficients(other), numbers.coefficients, atol=1e-8)


def test_the_inertia_of_a_drive_joins_that_of_a_link_which_only_it_turns():
    arm = chain(ARMS["3R"], joint1=0.01, joint2=0.02, joint3=0.03)
    base = energy_base(arm)
    drives = tuple(f"joint{k}.drive_inertia" for k in (1, 2, 3))
    # Link 1 turns about z only and link 2 adds the only turn about y; link 3 turns about y by both.
    joined = [[float(name == link) for link in ("link1.Izz", "link2.Iyy")] for name in base.independent]
    assert np.sum(joined) == 2
    beta = np.vstack([np.column_stack([base.coefficients, joined]), np.zeros(len(base.eliminated) + 2)])
    kept, eliminated = (*base.independent, drives[2]), (*base.eliminated, *drives[:2])
    found = symbolise(arm, EnergyBase((*base.columns, *drives), kept, eliminated, beta))
    assert found.unexplained == 0 and found.eliminated == eliminated
    assert_allclose(found.coefficients(arm), beta, atol=1e-10)


def test_parameters_that_the_model_fixes_take_part_in_no_relation():
    arm = chain(ARMS["3R"])
    base = energy_base(arm, fixed=[name for name in energy_base(arm).columns if name.startswith("link2.")])
    found = symbolise(arm, base)
    assert found.unexplained == 0 and len(found) == base.rank
    assert_allclose(found.coefficients(arm), base.coefficients, atol=1e-10)


def test_text_and_latex_say_the_same_as_the_expressions():
    found = symbolise(poinsot.load("four_bar"), energy_base(poinsot.load("four_bar"), PAPER))
    lines = found.text().splitlines()
    assert "link2.m + link1.J/lx1^2 - link2.J/l2^2" in lines
    assert any("−y of joint C in link2" in line for line in lines)
    assert r"m_{\mathrm{link2}} + \frac{J_{\mathrm{link1}}}{\lambda_{x1}^{2}}" in found.latex()
    assert len(found) == len(found.expressions) == 8 and found[0] == found.expressions[0]


# Numbers of measurements that see one parameter more than the motion shows.
ALL_OF_BOB = tuple(f"bob.{label}" for label in ("m", "mx", "my", "J"))
RICHER = EnergyBase(ALL_OF_BOB, ALL_OF_BOB, (), np.zeros((4, 0)))


def test_what_cannot_be_answered_is_said_in_one_sentence(monkeypatch):
    pendulum, arm = poinsot.load("pendulum"), chain(ARMS["3R"])
    with pytest.raises(PoinsotError, match=r"determine more than the forces of all actuators do.*bob"):
        symbolise(pendulum, RICHER)
    with pytest.raises(PoinsotError, match="no method 'magic'; there are: transfer, product class"):
        symbolise(pendulum, energy_base(pendulum), "magic")
    with pytest.raises(PoinsotError, match="one of planar mechanisms"):
        symbolise(arm, energy_base(arm), "product class")
    four_bar = poinsot.load("four_bar")
    found = symbolise(four_bar, energy_base(four_bar, PAPER))
    with pytest.raises(PoinsotError, match="joint 'A' sits at"):
        found.coefficients(_bent(four_bar))
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingExtraError, match=r"poinsot\[symbolic\]"):
        symbolise(pendulum, RICHER)


def _bent(four_bar):
    from poinsot.identifiability.symbolic.optimal import Opened, moved

    return moved(four_bar, Opened({}, (), {}, ()), lambda body, p: p + (body == "link1") * np.array([0, 0.01, 0]))


@pytest.mark.slow
def test_expressions_that_would_fill_books_are_refused_with_a_better_choice():
    stewart = poinsot.load("ex800")
    moments = [f"platform.{label}" for label in ("Ixx", "Ixy", "Iyy", "Izz", "mx", "my", "m")]
    base = energy_base(stewart, [*moments, *_leg_first(stewart)])
    with pytest.raises(PoinsotError, match=r"polynomials with more than .* these give short ones: eliminate .*rod"):
        symbolise(stewart, base)
