"""Modes: closed forms, formulations against each other, what is labelled and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.statics.residual import balance
from poinsot.system.system import start, system
from poinsot.vibration.linear_model.model import linear_model

from .vibrating import (
    FORMULATIONS,
    ball_pendulum,
    column,
    document,
    hinge,
    inverted,
    masses,
    oscillator,
    planar,
    slide,
    sprung_five_bar,
)

PENDULUM = np.sqrt(9.81 * 0.25 / (0.02 + 0.25**2)) / (2 * np.pi)


def hung_at_its_top() -> poinsot.Mechanism:
    """The library's pendulum with its frame in the centre of mass."""
    bob = {"mass": 1, "com": [0, 0], "inertia": 0.02, "frames": {"top": [0, 0.25]}}
    return planar({"bob": bob}, {"hinge": hinge("ground", "bob.top")}, gravity=[0, -9.81])


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_pendulum_swings_alike_in_every_formulation(formulation):
    for pendulum in (poinsot.load("pendulum"), hung_at_its_top(), poinsot.load("pendulum").in_space()):
        found = poinsot.modes(pendulum, formulation=formulation)
        assert_allclose(found.frequencies, [PENDULUM], rtol=1e-12)
        assert found.labels == ("",)


@pytest.mark.parametrize("formulation", ["euler", "rotation-matrix"])
def test_without_the_stiffness_of_reactions_a_pendulum_would_not_swing(formulation):
    pendulum = hung_at_its_top()
    small = linear_model(pendulum, None, formulation=formulation)
    compiled = system(pendulum, formulation)
    p = compiled.parameters(pendulum, start(pendulum, None).poses)
    q = compiled.coordinates(start(pendulum, None), p)
    K = np.asarray(balance(compiled).stiffness(q, [], np.zeros(len(small.C)), [], p))
    assert_allclose(small.free.T @ K @ small.free, 0, atol=1e-12)
    assert_allclose(small.free.T @ small.K @ small.free / (small.free.T @ small.M @ small.free),
                    (2 * np.pi * PENDULUM) ** 2, rtol=1e-12)  # fmt: skip


@pytest.mark.parametrize("name", poinsot.library_names())
def test_formulations_agree_on_every_mechanism_of_the_library(name):
    mechanism = poinsot.load(name)
    joint = poinsot.modes(mechanism, formulation="joint")
    for formulation in ("euler", "rotation-matrix"):
        other = poinsot.modes(mechanism, formulation=formulation)
        assert_allclose(other.frequencies, joint.frequencies, rtol=1e-11, atol=1e-12)
        assert other.linear.locked == joint.linear.locked
        assert_allclose(other.effective_mass.sum(axis=0), joint.effective_mass.sum(axis=0), rtol=1e-9, atol=1e-12)


def test_a_hanging_chain_of_equal_masses_has_the_roots_of_a_laguerre_polynomial():
    n, length = 5, 0.2
    bodies, joints, last = {}, {}, "ground"
    for i in range(n):
        bodies[f"b{i}"] = {"mass": 0.7, "com": [0, -length], "inertia": 0, "frames": {"end": [0, -length]}}
        joints[f"j{i}"] = hinge(last, f"b{i}")
        last = f"b{i}.end"
    roots = np.polynomial.laguerre.lagroots([0] * n + [1])
    expected = np.sqrt(roots * 9.81 / length) / (2 * np.pi)
    for formulation in FORMULATIONS:
        found = poinsot.modes(planar(bodies, joints, gravity=[0, -9.81]), formulation=formulation)
        assert_allclose(found.frequencies, expected, rtol=1e-11)


def test_a_damped_oscillator_has_its_textbook_poles():
    k, m, d = 200.0, 2.0, 6.0
    found = poinsot.modes(oscillator(k, d, m), damped=True)
    w0 = np.sqrt(k / m)
    ratio = d / (2 * m * w0)
    assert_allclose(found.frequencies, [w0 / (2 * np.pi)])
    assert_allclose(found.damping, [ratio])
    assert_allclose(found.damped.frequencies, [w0 * np.sqrt(1 - ratio**2) / (2 * np.pi)])
    assert "damping ratio 0.15" in str(found)
    creeping = poinsot.modes(oscillator(k, 60.0, m)).damped
    assert_allclose(sorted(creeping.poles.real), sorted(np.roots([m, 60.0, k]).real))
    assert_allclose(creeping.frequencies, 0.0)


def test_dry_friction_is_no_damping():
    changed = document("slider_crank")
    viscous = poinsot.linearise(poinsot.build(changed)).D
    changed["joints"]["bore"]["friction"].pop("coulomb")
    assert_allclose(poinsot.linearise(poinsot.build(changed)).D, viscous)
    assert viscous[0, 0] > 0


def test_a_column_under_a_force_that_follows_flutters_beyond_its_known_load():
    k, length, m = 3.0, 0.5, 0.4
    critical = (3.5 - np.sqrt(2)) * k / length
    for formulation in ("joint", "euler", "rotation-matrix"):
        below, above = (poinsot.modes(column(critical * x), formulation=formulation) for x in (0.999, 1.001))
        assert below.labels == ("", "") and all(x.startswith("flutter, grows at") for x in above.labels)
        assert above.growth[0] > 0 and above.frequencies[0] == pytest.approx(above.frequencies[1])
    F = 1.2 * k / length  # against the quadratic in ω², from the matrices of the textbook
    M = m * length**2 * np.array([[3, 1], [1, 1]])
    K = np.array([[2 * k - F * length, F * length - k], [-k, k]])
    values = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert_allclose(poinsot.modes(column(F)).frequencies, np.sqrt(values) / (2 * np.pi), rtol=1e-10)


def test_a_standing_pendulum_buckles_when_its_spring_is_too_soft():
    m, c, J = 1.5, 0.4, 0.03 + 1.5 * 0.4**2
    weight = m * 9.81 * c
    stiff, soft = poinsot.modes(inverted(1.5 * weight)), poinsot.modes(inverted(0.5 * weight))
    assert_allclose(stiff.frequencies, [np.sqrt(0.5 * weight / J) / (2 * np.pi)])
    assert_allclose(soft.frequencies, [-np.sqrt(0.5 * weight / J) / (2 * np.pi)])
    assert soft.labels[0] == f"unstable, grows at {np.sqrt(0.5 * weight / J):.4g}/s"


def test_negative_stiffness_is_reported_as_unstable():
    found = poinsot.modes(oscillator(-50.0))
    assert found.frequencies[0] == pytest.approx(-5 / (2 * np.pi)) and "unstable" in found.labels[0]


def test_free_motions_are_labelled_and_exactly_zero():
    free = poinsot.build(
        {"format": 1, "gravity": [0, 0, 0], "bodies": {"stone": {"mass": 2, "inertia": [1, 2, 2.5]}}}
    )
    found = poinsot.modes(free)
    assert found.frequencies.tolist() == [0.0] * 6 and set(found.labels) == {"rigid-body"}
    pair = poinsot.modes(masses(0, 300.0, m=(1.0, 2.0)))
    assert pair.frequencies[0] == 0.0 and pair.labels == ("rigid-body", "")
    assert pair.frequencies[1] == pytest.approx(np.sqrt(300 * 1.5) / (2 * np.pi), rel=1e-12)
    assert not np.isnan(poinsot.modes(ball_pendulum()).frequencies).any()


def test_displacements_without_mass_follow_the_others():
    series = masses(300.0, 150.0, m=(0.0, 2.0))
    assert_allclose(poinsot.modes(series).frequencies, [np.sqrt(100 / 2) / (2 * np.pi)], rtol=1e-12)
    with pytest.raises(poinsot.PoinsotError, match="neither mass nor stiffness holds s1"):
        poinsot.modes(
            planar(
                {"m1": {"mass": 0, "inertia": 0}, "m2": {"mass": 1, "inertia": 1}},
                {"s1": slide("ground", "m1"), "s2": slide("ground", "m2", stiffness=5)},
                gravity=[0, 0],
            )
        )


def test_a_pose_that_is_not_at_rest_is_refused_with_the_force_that_is_left():
    with pytest.raises(
        poinsot.PoinsotError, match=r"not an equilibrium: 1\.18 N·m about joint 'hinge' is not bal.*hold"
    ):
        poinsot.modes(poinsot.load("pendulum"), pose={"phi": 0.5})
    heavy = planar({"m": {"mass": 2, "inertia": 1}}, {"s": slide("ground", "m")}, gravity=[-9.81, 0])
    with pytest.raises(poinsot.PoinsotError, match=r"19\.6 N along joint 's'|no equilibrium was found"):
        poinsot.modes(heavy)


def test_without_a_pose_the_equilibrium_near_the_models_own_is_taken():
    sagging = masses(100.0, 200.0, m=(1.0, 3.0), gravity=(9.81, 0))
    found = poinsot.modes(sagging)
    assert_allclose(found.frequencies, poinsot.modes(masses(100.0, 200.0, m=(1.0, 3.0))).frequencies, rtol=1e-12)
    assert found.linear.poses["m2"].p[0] == pytest.approx(4 * 9.81 / 100 + 3 * 9.81 / 200)
    four_bar = poinsot.load("four_bar")
    rest = poinsot.equilibrium(four_bar)
    hanging = poinsot.modes(four_bar, pose={"theta1": rest.coordinates["theta1"]}, locked="none")
    assert abs(hanging.linear.forces["A"]) < 1e-9 and hanging.frequencies[0] > 0


def test_actuators_are_locked_free_or_soft():
    five_bar = sprung_five_bar()
    assert poinsot.modes(five_bar).linear.locked == ()  # a spring acts along each: the drive's stiffness
    one = poinsot.modes(five_bar, locked=["shoulder1"])
    assert one.linear.locked == ("shoulder1",) and len(one.frequencies) == 1
    assert len(poinsot.modes(five_bar, locked="all").frequencies) == 0
    assert_allclose(one.shapes[one.linear.names.index("shoulder1")], 0, atol=1e-12)
    assert poinsot.modes(poinsot.load("hexapod")).linear.locked == ()  # nothing could move otherwise
    with pytest.raises(poinsot.PoinsotError, match="there is no actuator 'elbow'"):
        poinsot.modes(five_bar, locked=["elbow"])


def test_free_actuators_give_what_balance_needs_or_what_they_are_told():
    bob = {"mass": 1, "com": [0, -0.25], "inertia": 0.02}
    joints = {"hinge": hinge("ground", "bob", actuated=True)}
    pendulum = planar({"bob": bob}, joints, gravity=[0, -9.81], coordinates={"phi": {"joint": "hinge"}})
    held = poinsot.modes(pendulum, {"phi": 0.5})
    assert held.linear.forces["hinge"] == pytest.approx(9.81 * 0.25 * np.sin(0.5)) and held.linear.locked == ()
    assert_allclose(held.frequencies, PENDULUM * np.sqrt(np.cos(0.5)), rtol=1e-12)
    with pytest.raises(poinsot.PoinsotError, match=r"0\.176 N·m about joint 'hinge'"):
        poinsot.modes(pendulum, {"phi": 0.5}, forces={"hinge": 1.0})
    moved = poinsot.modes(pendulum, forces={"hinge": 1.0})
    assert_allclose(moved.frequencies, PENDULUM * np.sqrt(np.cos(np.arcsin(1 / (9.81 * 0.25)))), rtol=1e-9)


def test_motions_without_stiffness_have_poles_at_zero():
    damped = poinsot.modes(poinsot.load("five_bar")).damped
    assert np.sum(damped.poles == 0) == 2 and np.sum(damped.poles.real < 0) == 2
    assert_allclose(poinsot.modes(masses(0, 300.0)).damping, 0, atol=1e-12)


def test_a_crane_with_its_drive_locked_swings_as_a_pendulum_and_free_as_two_bodies():
    bob = {"mass": 1, "com": [0, -0.25], "inertia": 0.02}
    crane = planar(
        {"cart": {"mass": 3, "inertia": 1}, "bob": bob},
        {"rail": slide("ground", "cart", actuated=True), "hinge": hinge("cart", "bob")},
        gravity=[0, -9.81],
    )
    assert_allclose(poinsot.modes(crane).frequencies, [PENDULUM], rtol=1e-12)
    free = poinsot.modes(crane, locked="none")
    J = 0.02 + 0.25**2 - (1 * 0.25) ** 2 / 4
    assert free.labels == ("rigid-body", "")
    assert free.frequencies[1] == pytest.approx(np.sqrt(9.81 * 0.25 / J) / (2 * np.pi), rel=1e-12)


def test_energies_and_participation_add_up():
    found = poinsot.modes(masses(100.0, 200.0, m=(1.0, 3.0)))
    assert_allclose(sum(found.strain_energy.values()), 1.0)
    assert_allclose(sum(found.kinetic_energy.values()), 1.0)
    assert_allclose(found.effective_mass[:, 0].sum(), 4.0)
    assert_allclose(found.effective_mass[:, 1], 0.0, atol=1e-20)
    by_hand = found.shape(0)["m2"][0] - found.shape(0)["m1"][0]
    elastic = 200 * by_hand**2 / (200 * by_hand**2 + 100 * found.shape(0)["m1"][0] ** 2)
    assert_allclose(found.strain_energy["s2.spring"][0], elastic)


def test_modes_are_paired_by_their_shapes_not_by_their_order():
    a = poinsot.modes(masses(100.0, 1e-3, m=(1.0, 1.0)))
    assert np.array_equal(poinsot.pair(a, a).index, [0, 1])
    two = {f"m{i}": {"mass": 1, "inertia": 1} for i in (1, 2)}

    def apart(k1, k2):
        joints = {"s1": slide("ground", "m1", stiffness=k1), "s2": slide("ground", "m2", stiffness=k2)}
        return poinsot.modes(planar(two, joints, gravity=[0, 0]))

    crossed = poinsot.pair(apart(100, 200), apart(300, 200))
    assert crossed.index.tolist() == [1, 0] and crossed.mac == pytest.approx([1, 1])
    five_bar = sprung_five_bar()
    other = poinsot.mac(poinsot.modes(five_bar), poinsot.modes(five_bar, formulation="euler"))
    assert_allclose(np.diag(other), 1.0, atol=0.02)  # the drives' own inertia is not in the bodies
    with pytest.raises(poinsot.PoinsotError, match="shapes must be arrays"):
        poinsot.mac(np.eye(3), np.eye(4))


def test_a_swing_that_gravity_alone_holds_is_not_put_down_to_the_beam_that_swings():
    bar = {"between": ["link", "link.tip"], "material": "steel", "section": "bar", "elements": 3}
    hanging = {
        "format": 1,
        "planar": True,
        "materials": {"steel": {"E": 210e9, "G": 81e9, "density": 7850.0}},
        "sections": {"bar": {"area": 2e-4, "Iy": 1.667e-9, "Iz": 6.667e-9, "torsion": 4.577e-9}},
        "bodies": {"link": {"frames": {"tip": [0, -0.4]}, "beams": {"web": bar}, "mass": 0.2, "com": [0, -0.4]}},
        "joints": {"hinge": {"type": "revolute", "between": ["ground", "link"]}},
    }
    swing, bending = str(poinsot.modes(poinsot.build(hanging), n=2)).splitlines()[-2:]
    assert "hardly any strain" in swing and "100 % in link.web" in bending


def test_modes_without_dampers_have_no_damping_of_round_off():
    for name in ("three_link", "pendulum"):
        found = str(poinsot.modes(poinsot.load(name), damped=True))
        ratios = [line.rpartition(" ")[2] for line in found.splitlines() if "damping ratio" in line]
        assert ratios and set(ratios) == {"0"}
