"""Angles along motions: continuous through singular attitudes; the waves of a Stewart platform as ZXZ."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.spatial.rotation import (
    SingularAttitudeError,
    convert_angles,
    convert_rates,
    euler_angles,
    euler_matrix,
    euler_rate_bias,
    euler_rate_matrix,
)
from tests.strategies import angular_acceleration, angular_velocity

OMEGA = 3.75  # waves of the platform  [rad/s]
WAVES = np.array([0.029, 0.0, 0.29])  # amplitudes of the ZXY angles  [rad]


def tracked(sequence: str, attitudes: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Angles of a trajectory, each near the one before."""
    out = [np.asarray(start, float)]
    for R in attitudes:
        out.append(euler_angles(sequence, R, near=out[-1]))
    return np.array(out[1:])


def test_a_zxz_trajectory_stays_continuous_through_theta_zero():
    t = np.linspace(-1, 1, 401)  # contains t = 0, where θ₂ = 0 exactly
    angles = np.stack([0.4 + 0.2 * t, 0.8 * t, -0.3 + 0.1 * t**2], axis=-1)
    attitudes = Rotation.from_euler("ZXZ", angles).as_matrix()
    error = np.abs(tracked("ZXZ", attitudes, angles[0]) - angles)
    assert np.max(np.delete(error, 200, axis=0)) < 1e-9
    assert np.max(error[200]) < 2e-3  # one step: only the sum or difference of two angles is determined there


def test_without_near_the_same_trajectory_jumps():
    t = np.linspace(-1, 1, 401)
    angles = np.stack([0.4 + 0.2 * t, 0.8 * t, -0.3 + 0.1 * t**2], axis=-1)
    found = euler_angles("ZXZ", Rotation.from_euler("ZXZ", angles).as_matrix())
    assert np.max(np.abs(np.diff(found, axis=0))) > 2.0


def test_a_tait_bryan_trajectory_stays_continuous_through_gimbal_lock():
    t = np.linspace(0, 2, 401)  # θ₂ passes π/2 at t = 1 exactly
    angles = np.stack([0.4 + 0.2 * t, np.pi / 2 + 0.9 * (t - 1), -0.3 * t], axis=-1)
    attitudes = Rotation.from_euler("ZXY", angles).as_matrix()
    error = np.abs(tracked("ZXY", attitudes, angles[0]) - angles)
    assert np.max(np.delete(error, 200, axis=0)) < 1e-9
    assert np.max(error[200]) < 2e-3  # one step: only the sum or difference of two angles is determined there


def test_whole_turns_are_counted_with_near():
    t = np.linspace(0, 20, 801)
    angles = np.stack([t, 0.5 + 0.1 * np.sin(t), -0.7 * t], axis=-1)
    assert_allclose(tracked("ZXZ", Rotation.from_euler("ZXZ", angles).as_matrix(), angles[0]), angles, atol=1e-9)


def waves(t):
    """ZXY angles of the published waves with rates and accelerations."""
    s, c = np.sin(OMEGA * np.asarray(t))[..., None], np.cos(OMEGA * np.asarray(t))[..., None]
    return WAVES * s, WAVES * OMEGA * c, -WAVES * OMEGA**2 * s


def wave_attitude(t):
    return Rotation.from_euler("ZXY", waves(t)[0]).as_matrix()


@pytest.mark.parametrize("t", [0.05, 0.4, 1.0, 2.1, 3.3, 4.9])
def test_the_waves_in_zxz_have_the_angular_velocity_and_acceleration_of_the_motion(t):
    θ, θ_dot, θ_ddot = convert_rates("ZXY", "ZXZ", *waves(t))
    assert_allclose(euler_matrix("ZXZ", θ), wave_attitude(t), atol=1e-13)
    w = euler_rate_matrix("ZXZ", θ) @ θ_dot
    alpha = euler_rate_matrix("ZXZ", θ) @ θ_ddot + euler_rate_bias("ZXZ", θ, θ_dot)
    assert_allclose(w, angular_velocity(wave_attitude, t), rtol=1e-9, atol=1e-10)
    assert_allclose(alpha, angular_acceleration(wave_attitude, t), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("t", [0.4, 1.0, 2.1])
def test_the_rates_of_the_waves_in_zxz_are_derivatives_of_their_angles(t):
    from tests.strategies import first_derivative, second_derivative

    here = convert_angles("ZXY", "ZXZ", waves(t)[0])
    angles = lambda s: convert_angles("ZXY", "ZXZ", waves(s)[0], near=here)  # noqa: E731
    _, θ_dot, θ_ddot = convert_rates("ZXY", "ZXZ", *waves(t))
    assert_allclose(θ_dot, first_derivative(angles, t, 5e-3), rtol=1e-8, atol=1e-8)
    assert_allclose(θ_ddot, second_derivative(angles, t, 8e-3), rtol=1e-6, atol=1e-6)


def test_the_zero_crossings_of_the_waves_are_named_not_divided_by():
    t = np.array([0.2, 0.5, 0.0, 0.9])
    with pytest.raises(SingularAttitudeError, match="ZXZ angles are singular in sample 2 "):
        convert_rates("ZXY", "ZXZ", *waves(t))


def test_the_waves_stay_continuous_in_zxz_through_their_zero_crossings():
    t = np.linspace(0.1, 5.0, 1961)
    attitudes = wave_attitude(t)
    found = tracked("ZXZ", attitudes, euler_angles("ZXZ", attitudes[0]))
    assert_allclose(euler_matrix("ZXZ", found), attitudes, atol=2e-7)
    assert np.max(np.abs(np.diff(found, axis=0))) < 0.02
    assert np.min(found[:, 1]) < -0.2 < 0.2 < np.max(found[:, 1])  # θ₂ changes sign instead of bouncing


def test_a_whole_batch_is_converted_at_once():
    t = np.linspace(0.05, 0.7, 20)
    batch = convert_rates("ZXY", "ZXZ", *waves(t))
    for k, instant in enumerate(t):
        for one, other in zip(batch, convert_rates("ZXY", "ZXZ", *waves(instant))):
            assert_allclose(one[k], other, rtol=1e-12, atol=1e-12)
