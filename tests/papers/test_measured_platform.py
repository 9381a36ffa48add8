"""The measured half of the Stewart paper: what its figures 7 to 10 show, from a simulated sensor of its precision.

Sensor: accelerations to 0.01 g, rates to 0.07 °/s, angles to 0.1°, 100 samples a second; leg encoders to 0.05 mm.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.papers.test_ex800 import WAVES

import poinsot
from poinsot.recording.fusion.fusion import band
from poinsot.spatial.rotation import convert_angles, euler_matrix

ANGLES = "".join(
    f'\n[sensors.{name}]\ntype = "encoder"\non = {{ angle = "platform", sequence = "ZXY", index = {k} }}\n'
    'noise = "0.1 deg"\nrate = 100\n'
    for k, name in enumerate(("yaw", "roll", "pitch"), 1)
)
IMU = '[sensors.imu]\ntype = "imu"\nat = "platform"\n'
T = np.arange(0, 5, 0.01)
MASS, G = 6.8369, np.array([0, 0, -9.81])


def rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))


@pytest.fixture(scope="module")
def rig() -> poinsot.Mechanism:
    """The EX800 with the sensors of its experiment."""
    text = poinsot.dumps(poinsot.load("ex800"))
    assert IMU in text
    text = text.replace(IMU, f'{ANGLES}\n{IMU}noise = 0.0981\nrate_noise = "0.07 deg/s"\n')
    encoder = '[components.leg.sensors.encoder]\ntype = "encoder"\n'
    assert encoder in text
    return poinsot.loads(text.replace(encoder, f'{encoder}noise = "0.05 mm"\n'), "rig")


@pytest.fixture(scope="module")
def run(rig) -> tuple[poinsot.Recording, object]:
    return poinsot.measure(rig, WAVES, T, seed=7), poinsot.inverse_dynamics(rig, WAVES, T)


def measured_acceleration(rec: poinsot.Recording) -> np.ndarray:
    """Acceleration of the platform in the world (n, 3) from readings in its own axes and measured ZXY angles."""
    R = np.array([euler_matrix("ZXY", angles) for angles in rec.table(["yaw", "roll", "pitch"])])
    return np.einsum("nij,nj->ni", R, rec.table(["imu.ax", "imu.ay", "imu.az"])) + G


def test_figure_7_measured_accelerations_follow_the_theory_to_the_sensors_precision(run):
    rec, d = run
    off = measured_acceleration(rec) - d.kinematics.acceleration["platform"]
    tilt = np.deg2rad(0.1) * 9.81  # of gravity, seen through angles of that precision
    expected = np.sqrt(0.0981**2 + np.array([tilt, tilt, 0]) ** 2)
    np.testing.assert_allclose(off.std(axis=0), expected, rtol=0.12)
    assert np.max(np.abs(off.mean(axis=0))) < 4 * 0.1 / np.sqrt(len(T))


def test_figure_8_zxy_angles_of_the_rig_are_zxz_angles_of_the_model(run):
    rec, d = run
    R = d.kinematics.rotation["platform"]
    for angles, truth in zip(rec.table(["yaw", "roll", "pitch"])[::10], R[::10]):
        zxz = convert_angles("ZXY", "ZXZ", angles)
        np.testing.assert_allclose(euler_matrix("ZXZ", zxz), euler_matrix("ZXY", angles), atol=1e-12)
        off = Rotation.from_matrix(truth.T @ euler_matrix("ZXZ", zxz)).magnitude()
        assert off < 5 * np.deg2rad(0.1)


def test_figure_9_the_filter_takes_a_quarter_of_what_the_measurement_adds(run):
    rec, d = run
    predicted = d.body_forces["platform"][:, :3]
    measured = MASS * (G - measured_acceleration(rec))
    found = poinsot.filter_forces(predicted, measured)
    assert found.gain[-1] == pytest.approx(0.27016, abs=5e-6)
    noise = measured - predicted
    np.testing.assert_allclose(found.value[100:] - predicted[100:], 0.27016 * noise[100:], rtol=1e-4, atol=1e-9)
    assert rms(noise) == pytest.approx(MASS * 0.0981, rel=0.1)  # the known mass times the sensor's noise: nothing new


def test_figure_10_coordinates_are_fused_better_than_they_are_measured(rig, run):
    rec, d = run
    legs = [name for name in rig.sensors if name.endswith("encoder")]
    found = poinsot.fuse(rig, rec, encoders=legs)
    truth = d.kinematics
    off = Rotation.from_matrix(np.swapaxes(found.rotation, 1, 2) @ truth.rotation["platform"]).magnitude()
    assert rms(off) < 0.2 * np.deg2rad(0.1)
    assert rms(found.position - truth.position["platform"]) < 5e-5
    assert rms(found.acceleration - truth.acceleration["platform"]) < 0.25 * 0.0981
    assert not found.status


def test_the_innovations_of_the_fusion_are_as_large_as_it_says(rig):
    legs = [name for name in rig.sensors if name.endswith("encoder")]
    runs = [poinsot.fuse(rig, poinsot.measure(rig, WAVES, T, seed=seed), encoders=legs) for seed in range(4)]
    freedoms = sum(int(found.rows.sum()) for found in runs)
    low, high = band(freedoms)
    assert low < sum(np.nansum(found.nis) for found in runs) / freedoms < high
