"""The smoother against itself with sixty digits, and with constants in exact loops."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.recording.fusion.kalman import Measurements, forward, smooth

GIMBAL = """
format = 1
name = "gimbal"
[bodies.outer]
mass = 1
inertia = [0.01, 0.01, 0.01]
frames.axis = { position = [0.05, 0.02, 0.3], rotation = { sequence = "XYZ", angles = ["10 deg", 0, "25 deg"] } }
[bodies.inner]
mass = 1
inertia = [0.01, 0.02, 0.03]
frames.imu.position = [0.12, -0.04, 0.06]
frames.imu.rotation = { sequence = "ZYX", angles = ["30 deg", "-20 deg", "50 deg"] }
[joints.a]
type = "revolute"
between = ["ground", "outer"]
[joints.b]
type = "revolute"
between = ["outer.axis", "inner"]
axis = [1, 0, 0]
[sensors.imu]
type = "imu"
at = "inner.imu"
noise = "0.05 m/s²"
rate_noise = "0.004 rad/s"
[sensors.ea]
type = "encoder"
on = { joint = "a" }
noise = "0.5 mrad"
[sensors.eb]
type = "encoder"
on = { joint = "b" }
noise = "0.5 mrad"
"""
SMALL = 1e-26  # variance of what is measured all but exactly


def known_to_sixty_digits(x, P, F, d, Q, seen):
    """Means (n, s) and variances (n, s) of the posterior: the filter over a state that keeps its past.

    Every state of the past stays in the state vector, so that no backward pass is needed: another route.
    """
    with mpmath.workdps(60):
        n, s = len(F), len(x)
        mean, cov = mpmath.matrix(x.tolist()), mpmath.matrix(P.tolist())
        for k in range(n):
            for z, h, r in zip(seen.z[k], seen.H[k], seen.r[k]):
                if not h.any():
                    continue
                row = mpmath.zeros(1, len(mean))
                row[0, len(mean) - s :] = mpmath.matrix([h.tolist()])
                Ph = cov * row.T
                S = (row * Ph)[0] + mpmath.mpf(float(r))
                mean, cov = mean + Ph * ((mpmath.mpf(float(z)) - (row * mean)[0]) / S), cov - Ph * Ph.T / S
            if k == n - 1:
                break
            grown = mpmath.zeros(len(mean) + s, len(mean))
            grown[: len(mean), :] = mpmath.eye(len(mean))
            grown[len(mean) :, len(mean) - s :] = mpmath.matrix(F[k].tolist())
            mean, cov = grown * mean, grown * cov * grown.T
            mean[len(mean) - s :, 0] += mpmath.matrix(d[k].tolist())
            cov[len(mean) - s :, len(mean) - s :] += mpmath.matrix(Q[k].tolist())
        spread = [float(cov[i, i]) for i in range(len(mean))]
        return np.array(mean.tolist(), float).reshape(n, s), np.array(spread).reshape(n, s)


def moving_constants(n: int, exact: float, seed: int):
    """A place, its speed and a constant offset, of which place + offset is known exactly, and the place roughly."""
    rng = np.random.default_rng(seed)
    F = np.tile(np.array([[1, 0.01, 0], [0, 1, 0], [0, 0, 1.0]]), (n, 1, 1))
    Q = np.tile(np.diag([1e-12, 1e-6, 0.0]), (n, 1, 1))
    H = np.tile(np.array([[1.0, 0, 1], [1, 0, 0], [0, 0, 0]]), (n, 1, 1))
    z = 1e-3 * rng.standard_normal((n, 3)) + np.array([0.02, 0.0, 0.0])
    r = np.tile([exact, 1e-6, 1.0], (n, 1))
    return (
        np.zeros(3),
        np.diag([1.0, 100.0, 1.0]),
        F,
        rng.normal(size=(n, 3)) * 1e-4,
        Q,
        Measurements(z, H, r, np.full(n, 2)),
    )


@pytest.mark.parametrize("exact", [0.0, SMALL, 1e-9])
def test_states_and_variances_are_those_of_sixty_digits(exact):
    x, P, F, d, Q, seen = moving_constants(14, exact, seed=3)
    passed = forward(x, P, F, d, Q, seen)
    mean, covariance = smooth(x, P, passed, F, Q, seen)
    known, spread = known_to_sixty_digits(x, P, F, d, Q, seen)
    assert np.abs(mean - known).max() < 1e-4 * np.sqrt(spread.min())
    assert_allclose(np.diagonal(covariance, axis1=1, axis2=2), spread, rtol=0.05)


@pytest.mark.parametrize("wanted", [["lever arm"], ["misalignment", "lever arm"]])
def test_an_unknown_lever_arm_in_exact_loops_leaves_the_spread_of_the_motion_as_it_is(wanted):
    gimbal, t = poinsot.loads(GIMBAL), np.arange(0, 4, 0.005)
    motion = {
        "a": poinsot.Fourier(2.0, (0.3, 0.4, 0.3), (0.4, 0.3)),
        "b": poinsot.Fourier(2.7, (0.4, 0.3), (0.4, 0.2)),
    }
    truth = poinsot.kinematics(gimbal, motion, t)
    fused = {}
    for names in ((), tuple(wanted)):
        fused[bool(names)] = poinsot.fuse(gimbal, poinsot.measure(gimbal, motion, t, seed=1), unknowns=list(names))
    assert not fused[True].status
    variance = np.diagonal(fused[True].covariance, axis1=1, axis2=2)
    assert variance.min() > 0
    middle = slice(100, -100)
    known, told = (fused[one].deviation["rotation"][middle] for one in (False, True))
    assert np.all(told > 0.99 * known) and np.median(told / known) < 1.2
    off = np.einsum("nji,njk->nik", truth.rotation["inner"], fused[True].rotation)[:, [2, 0, 1], [1, 2, 0]]
    within = np.abs(off) < 1.96 * fused[True].deviation["rotation"]
    assert 0.85 < within.mean() < 0.99
    off = np.abs(fused[True].position - truth.position["inner"])
    within = off < 1.96 * fused[True].deviation["position"] + 1e-9  # axis by axis: the joint keeps its height
    assert np.all(within.mean(axis=0) > 0.85) and fused[True].deviation["position"][middle, 2].max() < 1e-7
