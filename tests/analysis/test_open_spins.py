"""Rods between two balls may spin about their own lines: motions and forces are found all the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

import poinsot
from poinsot.errors import PoinsotError
from tests.analysis.spatial_four_bars import FourBar

MOTION = {"theta": poinsot.Fourier(2 * np.pi, (0.5,), (0.2,), 0.1)}
TIMES = np.linspace(0.0, 1.0, 41)


def theta(t: float) -> tuple[float, float]:
    s, d, _ = MOTION["theta"].at(np.array([t]))
    return float(s[0]), float(d[0])


def machine(bar: FourBar = FourBar(), **options) -> poinsot.Mechanism:  # noqa: B008
    return poinsot.build(bar.document(**options), "rssr")


@pytest.mark.parametrize("placed", ["along", "pose"])
@pytest.mark.parametrize("bar", [FourBar(), FourBar(thick=2e-3, tilt=(0.4, -1.1, 0.3)), FourBar(thick=0.0)])
def test_the_torque_at_the_crank_is_that_of_an_energy_balance(bar, placed):
    found = poinsot.inverse_dynamics(machine(bar, placed=placed), MOTION, TIMES)
    turning = np.abs([theta(x)[1] for x in TIMES]) > 0.2  # elsewhere power tells no torque
    assert_allclose(found.forces["A"][turning], bar.torque(theta, TIMES[turning]), atol=1e-9)
    assert "kept from spinning about a line of its own, which moves nothing else: 'rod' (S1, S2)" in str(found)
    assert list(found.forces) == ["A"] and set(found.kinematics.coordinates) == {"theta"}


def spin(found: poinsot.kinematics) -> np.ndarray:
    """Of the rod about its line (n,)  [rad/s]."""
    return np.sum(found.rotation["rod"][:, :, 2] * found.angular_velocity["rod"], axis=1)


def test_kinematics_and_measurements_are_those_of_a_rod_that_does_not_spin():
    found = poinsot.kinematics(machine(), MOTION, TIMES)
    assert_allclose(spin(found), 0, atol=1e-12)
    assert "kept from spinning" in str(found)
    recording = poinsot.measure(machine(), MOTION, TIMES, perfect=True)
    rocked = [FourBar().rocked(theta(x)[0]) for x in TIMES]
    assert_allclose(recording["encoder"], rocked, atol=1e-12)
    assert_allclose(recording["gyro.wz"], 0, atol=1e-12)
    assert "kept from spinning" in " ".join(recording.steps)
    pose = {"theta": 0.3}
    held = poinsot.hold(machine(), pose)["A"]
    assert_allclose(held, (FourBar().energy(0.3001, 0) - FourBar().energy(0.2999, 0)) / 2e-4, rtol=1e-6)


def test_attitudes_go_with_the_rates_that_are_told():
    t = np.linspace(0, 1, 401)
    found = poinsot.kinematics(machine(), MOTION, t)
    R, w = found.rotation["rod"], found.angular_velocity["rod"]
    skewed = CubicSpline(t, R).derivative()(t) @ R.transpose(0, 2, 1)
    told = np.stack([skewed[:, 2, 1], skewed[:, 0, 2], skewed[:, 1, 0]], axis=1)
    assert_allclose(told[5:-5], w[5:-5], atol=1e-4 * np.abs(w).max())


def test_a_simulated_motion_takes_the_torque_that_made_it():
    bar, t = machine(FourBar(thick=1e-3)), np.linspace(0.0, 0.4, 201)
    ran = poinsot.simulate(bar, 0.4, t=t, forces={"A": 0.05})
    assert np.ptp(ran.coordinates["theta"]) > 0.1
    found = poinsot.inverse_dynamics(bar, {"theta": (t, ran.coordinates["theta"])}, t)
    assert_allclose(found.forces["A"][5:-5], 0.05, rtol=1e-4)


def test_a_rod_whose_mass_is_not_on_its_line_spins_as_it_must():
    t = np.linspace(0, 1, 401)
    found = poinsot.inverse_dynamics(machine(spread=(0.004, 0.005, 0.001), side=0.01), MOTION, t)
    assert "spins about a line of its own as its mass makes it, from rest: 'rod' (S1, S2)" in str(found)
    turning = spin(found.kinematics)
    assert abs(turning[0]) < 1e-9 and np.abs(turning).max() > 0.1
    energy, moving = np.zeros(len(t)), found.kinematics
    for name, body in found.mechanism.bodies.items():
        R, w = moving.rotation[name], moving.angular_velocity[name]
        arm, J = R @ np.array(body.com, float), np.asarray(body.inertia_about_centre(), float)
        v, w_B = moving.velocity[name] + np.cross(w, arm), np.einsum("nji,nj->ni", R, w)
        energy += 0.5 * body.mass * np.sum(v * v, axis=1) + 0.5 * np.sum(w_B * (w_B @ J), axis=1)
        energy += 9.81 * body.mass * (moving.position[name] + arm)[:, 2]
    assert_allclose(found.power["A"][5:-5], CubicSpline(t, energy).derivative()(t)[5:-5], atol=1e-5)


def test_without_inertia_about_its_line_the_remedies_are_named_and_work():
    light = FourBar(thick=0.0)
    with pytest.raises(
        PoinsotError, match="'rod' between S1, S2: an inertia about that line, of whatever size, or a"
    ):
        poinsot.simulate(machine(light), 0.1)
    ran = poinsot.simulate(machine(FourBar(thick=1e-12)), 0.1)
    document = light.document()
    document["joints"]["S1"]["type"] = "universal"
    other = poinsot.simulate(poinsot.build(document, "rssr"), 0.1)
    assert ran.finished and other.finished
    assert_allclose(ran.coordinates["theta"][-1], other.coordinates["theta"][-1], atol=1e-8)


def test_the_regressor_has_the_torque_of_an_energy_balance_and_channels_of_the_machine_alone():
    bar = FourBar(thick=2e-3)
    found = poinsot.regressor(machine(bar), MOTION, TIMES)
    assert found.channels == ("A",)
    turning = np.abs([theta(x)[1] for x in TIMES]) > 0.2
    torque = found.matrix @ found.parameters + found.rhs
    assert_allclose(torque[turning], bar.torque(theta, TIMES[turning]), atol=1e-9)
    told = poinsot.determinable(machine(bar), MOTION, TIMES, parameters=["rod.m", "rod.Izz"])
    assert "rod.Izz" in told.undetermined  # nothing spins


def recorded(bar: FourBar, **options) -> poinsot.Recording:
    found = poinsot.inverse_dynamics(machine(bar, **options), MOTION, np.linspace(0, 2, 401))
    torque = found.forces["A"] + 1e-3 * np.random.default_rng(0).standard_normal(401)
    return poinsot.Recording.of(found.t, {"theta": found.kinematics.coordinates["theta"], "A": torque})


def test_an_identification_needs_no_mention_of_a_spin():
    bar = FourBar(thick=0.0)
    estimate = poinsot.identify(machine(bar), recorded(bar), ["rod.mass"])
    assert estimate.value[0] == pytest.approx(0.8, abs=0.01) and not estimate.doubts
    assert any("kept from spinning about a line of its own" in step for step in estimate.steps)
    document = bar.document()
    document["joints"]["S1"]["type"] = "universal"
    del document["sensors"]
    other = poinsot.identify(poinsot.build(document, "rssr"), recorded(bar), ["rod.mass"])
    assert_allclose(estimate.value, other.value, rtol=1e-4)
    assert_allclose(estimate.deviation, other.deviation, rtol=1e-2)


def test_an_identification_of_a_rod_that_begins_to_spin_names_the_remedy():
    uneven = {"spread": (0.004, 0.005, 0.001), "side": 0.01}
    with pytest.raises(
        PoinsotError, match="spin about a line of its own of 'rod' in S1, S2: a universal joint at one"
    ):
        poinsot.identify(machine(**uneven), recorded(FourBar(), **uneven), ["rod.mass"])


def test_check_tells_that_nothing_is_missing():
    report = poinsot.check(machine())
    said = "1 actuator for mobility 2: the rest are spins of bodies about lines of their own, which move nothing else"
    assert said in str(report) and "under-actuated" not in str(report)


def test_a_motion_that_leaves_more_open_than_spins_is_refused_as_ever():
    document = FourBar().document()
    document["bodies"]["loose"] = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
    document["joints"]["L"] = {"type": "revolute", "between": ["ground", "loose"]}
    with pytest.raises(PoinsotError, match="prescribe 3 independent ones"):
        poinsot.kinematics(poinsot.build(document, "rssr"), MOTION, TIMES)
