"""The smoother against gtsam's batch smoother and attitudes against ahrs, on the same samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import poinsot
from poinsot.recording.recording import Recording
from tests.compared import compared_by
from tests.recording.fusion.stewart import UNIT, folder, platform, published

pytestmark = pytest.mark.peers


def rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))


def test_a_batch_smoother_of_another_program_has_the_same_errors():
    pytest.importorskip("gtsam")
    from tests.recording.fusion.batch_smoother import smoothed

    rec, truth = published()
    n = 2000
    rec, truth = rec.rows(slice(0, n), "the first eight seconds"), {name: x[:n] for name, x in truth.items()}
    R, p, v, bias = smoothed(rec, truth["R"], truth["p"])
    ours = poinsot.fuse(platform(), rec)

    def errors(R, p, v):
        turn = Rotation.from_matrix(np.swapaxes(R, 1, 2) @ truth["R"]).as_rotvec()
        return np.array([rms(turn), rms(p - truth["p"]), rms(v - truth["v"])])

    theirs = errors(R, p, v)
    own = errors(ours.rotation, ours.position, ours.velocity)
    np.testing.assert_allclose(own, theirs, rtol=0.1)
    compared_by("rms errors of a fused motion", "GTSAM, batch smoother", float(np.max(np.abs(own / theirs - 1))))
    np.testing.assert_allclose(ours.gyroscope_bias[0], bias[3:], atol=3 * ours.deviation["gyroscope_bias"].max())
    np.testing.assert_allclose(ours.accelerometer_bias[0], bias[:3], atol=ours.deviation["accelerometer_bias"].max())


FREE = """
format = 1
name = "unit"
gravity = [0, 0, -9.81]
[bodies.box]
mass = 1
inertia = [1, 1, 1]
[joints.free]
type = "free"
between = ["ground", "box"]
[sensors.imu]
type = "imu"
at = "box"
noise = 0.15
rate_noise = 0.005
"""


def test_the_vertical_of_a_moving_unit_is_known_better_than_by_attitude_filters():
    ahrs, h5py = pytest.importorskip("ahrs"), pytest.importorskip("h5py")
    with h5py.File(next(folder("imu-broad").glob("*.hdf5"))) as file:
        force, rate, truth, moving = (np.array(file[k]) for k in ("imu_acc", "imu_gyr", "opt_quat", "movement"))
        f = float(file.attrs["sampling_rate"])
    part = slice(6500, 11500)
    force, rate, truth, moving = (x[part] for x in (force, rate, truth, moving))
    rec = Recording.of(np.arange(len(force)) / f, dict(zip(UNIT, np.hstack([force, rate]).T)))
    prior = {"accelerometer bias": 0.03, "gyroscope bias": 0.01, "velocity": 1.0}
    ours = poinsot.fuse(poinsot.loads(FREE, "unit"), rec, reach=0.3, prior=prior).rotation
    good = np.flatnonzero(np.isfinite(truth).all(axis=1) & moving)
    vertical = Rotation.from_quat(truth[good][:, [1, 2, 3, 0]]).as_matrix()[:, 2]

    def error(R: np.ndarray) -> float:
        """In degrees, at the best of a few shifts: the clocks of unit and cameras differ by about a sample."""
        shifts = (np.clip(good + k, 0, len(R) - 1) for k in range(-2, 4))
        return min(np.rad2deg(rms(np.linalg.norm(R[at][:, 2] - vertical, axis=1))) for at in shifts)

    for name in ("Madgwick", "Mahony", "EKF"):
        found = getattr(ahrs.filters, name)(gyr=rate, acc=force, frequency=f)
        theirs = Rotation.from_quat(np.asarray(found.Q)[:, [1, 2, 3, 0]]).as_matrix()
        assert error(ours) < error(theirs), name
    assert error(ours) < 1.2
