"""The same question asked of gtsam: preintegrated inertial factors, leg lengths as ranges between points."""

from __future__ import annotations

import numpy as np

from tests.recording.fusion.stewart import FEET, HEADS, LEGS, UNIT

NOISE = 0.08, np.deg2rad(0.1), 2e-5  # of accelerometer, gyroscope and lengths


def joints(azimuths: list[float], radius: float) -> np.ndarray:
    """Points on a circle (6, 3)  [m]."""
    angle = np.deg2rad(azimuths)
    return radius * np.stack([np.cos(angle), np.sin(angle), np.zeros(6)], axis=1)


def smoothed(rec, R0: np.ndarray, p0: np.ndarray, noise=NOISE):
    """Rotation matrices (n, 3, 3), positions (n, 3), velocities (n, 3) and biases (6,) of gtsam's batch smoother."""
    import gtsam
    from gtsam.symbol_shorthand import B, L, V, X

    n, t, dt = len(rec), rec.t, float(np.median(np.diff(rec.t)))
    sigma = gtsam.noiseModel.Isotropic.Sigma
    params = gtsam.PreintegrationParams(np.array([0, 0, 9.81]))
    params.setAccelerometerCovariance(noise[0] ** 2 * dt * np.eye(3))
    params.setGyroscopeCovariance(noise[1] ** 2 * dt * np.eye(3))
    params.setIntegrationCovariance(1e-16 * np.eye(3))
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    bias = gtsam.imuBias.ConstantBias()
    values.insert(B(0), bias)
    graph.add(
        gtsam.PriorFactorConstantBias(B(0), bias, gtsam.noiseModel.Diagonal.Sigmas(np.array([0.5] * 3 + [0.2] * 3)))
    )
    for k, point in enumerate(joints(FEET, 0.8)):
        values.insert(L(k), point)
        graph.add(gtsam.NonlinearEqualityPoint3(L(k), point))
    heads = [gtsam.Pose3(gtsam.Rot3(), point) for point in joints(HEADS, 0.5)]
    y, lengths = rec.table(UNIT), rec.table(LEGS)
    for k in range(n):
        values.insert(X(k), gtsam.Pose3(gtsam.Rot3(R0[k]), p0[k]))
        values.insert(V(k), np.zeros(3))
        for j in range(6):
            graph.add(gtsam.RangeFactorWithTransform3D(X(k), L(j), lengths[k, j], sigma(1, noise[2]), heads[j]))
        if k < n - 1:
            read = gtsam.PreintegratedImuMeasurements(params, bias)
            mean = (y[k] + y[k + 1]) / 2
            read.integrateMeasurement(mean[:3], mean[3:], t[k + 1] - t[k])
            graph.add(gtsam.ImuFactor(X(k), V(k), X(k + 1), V(k + 1), B(0), read))
    found = gtsam.LevenbergMarquardtOptimizer(graph, values).optimize()
    poses = [found.atPose3(X(k)) for k in range(n)]
    return (
        np.stack([pose.rotation().matrix() for pose in poses]),
        np.stack([pose.translation() for pose in poses]),
        np.stack([found.atVector(V(k)) for k in range(n)]),
        found.atConstantBias(B(0)).vector(),
    )
