"""Friction beyond viscous and Coulomb: closed forms, the same motion in every formulation, columns, exports."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

import poinsot
from poinsot.elements.forces import AsymmetricFriction, Friction, Stribeck
from poinsot.errors import PoinsotError
from tests.elements.force_contract import ON
from tests.strategies import numbers

FORMULATIONS = ("joint", "euler", "rotation-matrix", "embedded")
LAWS = {
    "stribeck": {"stribeck": 3.0, "speed": 1.5, "smooth": 0.2},
    "asymmetric-friction": {
        "viscous_forward": 0.4,
        "viscous_backward": 0.9,
        "coulomb_forward": 2.0,
        "coulomb_backward": 0.5,
        "smooth": 0.2,
    },
}
MOTION = {"theta1": poinsot.Fourier(2.5, (0.4, 0.3), (0.1,), 1.2)}
TIMES = np.linspace(0, 2.5, 41)


def with_law(kind: str, **changes: float) -> poinsot.Mechanism:
    """A four-bar with a law about a hinge that no actuator moves."""
    document = dict(poinsot.load("four_bar").document)
    document["forces"] = {"extra": {"type": kind, "on": {"joint": "B"}, **(LAWS[kind] | changes)}}
    document["coordinates"] = {**document["coordinates"], "b": {"joint": "B"}}
    return poinsot.build(document)


@given(s_dot=numbers(-3, 3))
def test_stribeck_friction_is_the_excess_at_low_speed(s_dot):
    law = Stribeck("f", ON, speed=0.8, stribeck=1.5, smooth=0.0)
    assert_allclose(law.force(0.0, s_dot), -1.5 * np.exp(-((s_dot / 0.8) ** 2)) * np.sign(s_dot))
    assert abs(law.force(0.0, 1e-9)) == pytest.approx(1.5)


@given(s_dot=numbers(-3, 3))
def test_each_direction_has_the_friction_of_its_own(s_dot):
    both = AsymmetricFriction("f", ON, 0.4, 0.9, 2.0, 0.5, smooth=0.0)
    ahead, back = Friction("f", ON, 0.4, 2.0, smooth=0.0), Friction("f", ON, 0.9, 0.5, smooth=0.0)
    assert_allclose(both.force(0.0, s_dot), (ahead if s_dot > 0 else back).force(0.0, s_dot))


@pytest.mark.parametrize("kind", LAWS)
def test_the_drive_needs_the_power_of_the_law_in_every_formulation(kind):
    """By virtual power: ΔA θ̇₁ = −F(ḃ) ḃ, with F of the law in plain numbers."""
    bar = with_law(kind)
    law = bar.elements.forces["extra"]
    bare = bar.with_parameters({f"extra.{name}": 0.0 for name in law.linear})
    for formulation in FORMULATIONS:
        run, without = (poinsot.inverse_dynamics(m, MOTION, TIMES, formulation=formulation) for m in (bar, bare))
        rates = run.kinematics.rates
        power = -np.asarray(law.force(0.0, rates["b"])) * rates["b"]
        assert np.ptp(power) > 1
        needed = (run.forces["A"] - without.forces["A"]) * rates["theta1"]
        assert_allclose(needed, power, atol=1e-9 * np.abs(power).max())


@pytest.mark.parametrize("kind", LAWS)
def test_motions_under_the_law_agree_in_every_formulation(kind):
    found = [poinsot.simulate(with_law(kind), 0.6, formulation=f).position["link3"][-1] for f in FORMULATIONS]
    for other in found[1:]:
        assert_allclose(other, found[0], rtol=1e-6)


@pytest.mark.parametrize("kind", LAWS)
def test_columns_of_the_law_give_its_force(kind):
    bar = with_law(kind)
    W = poinsot.regressor(bar, MOTION, TIMES, parameters="extra.*")
    assert W.columns == tuple(f"extra.{name}" for name in type(bar.forces["extra"]).linear)
    run = poinsot.inverse_dynamics(bar, MOTION, TIMES)
    assert_allclose(W.values[:, 0], run.forces["A"], atol=1e-9 * np.abs(run.forces["A"]).max())


@pytest.mark.parametrize("kind", LAWS)
def test_coefficients_are_identified_from_a_noisy_torque(kind):
    bar, t = with_law(kind), np.arange(0, 10, 0.02)
    run = poinsot.inverse_dynamics(bar, MOTION, t)
    torque = run.forces["A"] + 0.05 * np.random.default_rng(1).standard_normal(len(t))
    rec = poinsot.Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": torque})
    est = poinsot.identify(bar, rec, ["extra.*", "link3.m"], processing={"cutoff": 20.0})
    names = type(bar.forces["extra"]).linear
    for name in names:
        value = est[f"extra.{name}"]
        assert abs(value.value - LAWS[kind][name]) < 4 * value.deviation < 1, value


def with_gear(load: float) -> poinsot.Mechanism:
    """A four-bar whose drive loses a share of what it passes on."""
    document = dict(poinsot.load("four_bar").document)
    gear = {"type": "load-friction", "load": load, "smooth": 0.1, "on": {"joint": "A"}}
    return poinsot.build({**document, "forces": {"gear": gear}})


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_gear_takes_its_share_of_what_arrives_and_reactions_do_not_see_it(formulation):
    geared, bare = (
        poinsot.inverse_dynamics(with_gear(mu), MOTION, TIMES, formulation=formulation) for mu in (0.2, 0.0)
    )
    w, rate = bare.forces["A"], bare.kinematics.rates["theta1"]
    assert_allclose(geared.forces["A"], w + 0.2 * np.abs(w) * np.tanh(rate / 0.1), rtol=1e-12)
    for name, reaction in bare.reactions.items():
        assert_allclose(geared.reactions[name], reaction, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_drive_behind_a_gear_accelerates_by_what_arrives(formulation):
    """u of a prescribed motion gives its accelerations back."""
    bar = with_gear(0.3)
    run = poinsot.inverse_dynamics(bar, MOTION, TIMES)
    for i in (1, 12, 30):
        named = {key: {"theta1": float(x["theta1"][i])} for key, x in angles(run)}
        state = poinsot.State(named["pose"], named["velocity"], forces={"A": float(run.forces["A"][i])})
        found = poinsot.accelerations(bar, state, formulation=formulation)
        assert_allclose(found["link1"][5], run.kinematics.angular_acceleration["link1"][i][2], rtol=1e-7)


def angles(run):
    return ("pose", run.kinematics.coordinates), ("velocity", run.kinematics.rates)


def test_what_other_programs_lack_is_told_by_name(tmp_path):
    notes = [poinsot.write_mjcf(with_law(kind), tmp_path / f"{kind}.xml").notes for kind in LAWS]
    text = " ".join(note for told in notes for note in told)
    assert "The stribeck 'extra' cannot be represented" in text
    assert "The asymmetry of the friction 'extra' cannot be represented" in text


def test_a_stribeck_speed_of_zero_is_refused():
    with pytest.raises(PoinsotError, match="not zero"):
        with_law("stribeck", speed=0.0)
    with pytest.raises(PoinsotError, match=r"extra\.speed: expected a number that is not zero"):
        with_law("stribeck").with_parameters({"extra.speed": 0.0})
