"""The identification of the Stewart paper by linear methods: what forces determine, what moments add, leg forces.

Table 1 of the paper prints inertias that its data cannot determine. Its "measured" force is the known inertia times
the measured acceleration; here forces are measured apart from it, as a load cell does.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.papers.test_ex800 import WAVES

import poinsot

T = np.arange(0, 5, 0.01)
UNKNOWNS = {
    "platform.mass": {"bounds": [0, 10]},
    "Ixx": {"parameters": ["platform.inertia.xx", "platform.inertia.yy"]},
    "platform.inertia.zz": {},
}
TRUE = np.array([6.8369, 0.041585, 0.0829623])
FORCE, MOMENT = 0.193, 2e-5  # standard deviations: 0.01 g over √12 times the mass; body moments to that of spec/1
COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz")


@pytest.fixture(scope="module")
def ex800() -> poinsot.Mechanism:
    return poinsot.load("ex800")


@pytest.fixture(scope="module")
def platform_run(ex800) -> poinsot.Recording:
    """The platform's pose, and forces and moments on it with noise of their own."""
    run, rng = poinsot.inverse_dynamics(ex800, WAVES, T), np.random.default_rng(7)
    values = {name: run.kinematics.coordinates[name] for name in WAVES}
    wrench = run.body_forces["platform"] + rng.standard_normal((len(T), 6)) * ([FORCE] * 3 + [MOMENT] * 3)
    values |= {name: wrench[:, k] for k, name in enumerate(COMPONENTS)}
    places = {name: f"wrench platform.{name}" for name in COMPONENTS}
    return poinsot.Recording.of(T, values, places=places)


@pytest.mark.parametrize("method", ["ordinary", "weighted", "robust", "likelihood"])
def test_forces_alone_determine_the_mass_and_nothing_else(ex800, platform_run, method):
    channels = ["wrench platform.fx", "wrench platform.fy", "wrench platform.fz"]
    est = poinsot.identify(ex800, platform_run, UNKNOWNS, method, channels=channels)
    assert est.undetermined == ("Ixx", "platform.inertia.zz")
    assert np.isnan(est.value[1:]).all()
    assert abs(est["platform.mass"].value - 6.8369) < 4 * est["platform.mass"].deviation
    assert est["platform.mass"].deviation == pytest.approx(0.0009, rel=0.15)
    assert est["Ixx"].remark == "no effect on the channels"
    assert "undetermined by themselves: Ixx, platform.inertia.zz" in str(est)


@pytest.mark.parametrize("method", ["weighted", "likelihood"])
def test_forces_and_moments_determine_all_three(ex800, platform_run, method):
    est = poinsot.identify(ex800, platform_run, UNKNOWNS, method, channels="wrench platform")
    np.testing.assert_allclose(est.value, TRUE, rtol=5e-3)
    assert np.all(np.abs(est.value - TRUE) < 4 * est.deviation)
    assert not est.status


def test_the_circle_determines_no_inertia_whatever_is_measured(ex800):
    angles = {name: float(ex800.elements.pose[name]) for name in ("rz", "rx", "ry")}
    path = {"x": poinsot.Fourier(1.2566, (), (0.05,)), "y": poinsot.Fourier(1.2566, (0.05,)), "z": 0.275}
    run, rng = poinsot.inverse_dynamics(ex800, path | angles, T), np.random.default_rng(1)
    values = {name: run.kinematics.coordinates[name] for name in WAVES}
    wrench = run.body_forces["platform"] + 0.01 * rng.standard_normal((len(T), 6))
    values |= {name: wrench[:, k] for k, name in enumerate(COMPONENTS)}
    rec = poinsot.Recording.of(T, values, places={name: f"wrench platform.{name}" for name in COMPONENTS})
    est = poinsot.identify(ex800, rec, UNKNOWNS, channels="wrench platform")
    assert set(est.undetermined) == {"Ixx", "platform.inertia.zz"}


def test_leg_forces_and_a_fused_motion_need_no_known_inertia():
    """Inertial unit, encoders and load cells in the legs: nothing that is measured contains the unknowns."""
    text = poinsot.dumps(poinsot.load("ex800"))
    imu, encoder = '[sensors.imu]\ntype = "imu"\n', '[components.leg.sensors.encoder]\ntype = "encoder"\n'
    assert imu in text
    assert encoder in text
    text = text.replace(imu, f'{imu}noise = 0.0981\nrate_noise = "0.07 deg/s"\n')
    text = text.replace(encoder, f'{encoder}noise = "0.05 mm"\n')
    text += '\n[components.leg.sensors.cell]\ntype = "drive-force"\nactuator = "self"\nnoise = "0.1 N"\n'
    rig = poinsot.loads(text, "rig")
    est = poinsot.identify(rig, poinsot.measure(rig, WAVES, T, seed=7), UNKNOWNS)
    off = (est.value - TRUE) / est.deviation
    assert np.all(np.abs(off) < 4), off
    assert est["platform.mass"].deviation < 0.002
    assert est["Ixx"].deviation < 0.02 * TRUE[1]
    assert not est.undetermined
