"""The EX800's published motions: constraint violations, reference forces, reactions."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
from tests.compared import compared

import poinsot
from poinsot.spatial.rotation import convert_angles

OMEGA = 3.75  # [rad/s]
WAVES = {
    "x": lambda t: 0.029 * casadi.sin(OMEGA * t),
    "y": lambda t: 0.029 * casadi.sin(OMEGA * t),
    "z": lambda t: 0.275 + 0.037 * casadi.cos(OMEGA * t),
    "rz": lambda t: np.pi / 3 + 0.029 * casadi.sin(OMEGA * t),
    "rx": 0.0,
    "ry": lambda t: 0.29 * casadi.sin(OMEGA * t),
}
CIRCLE = {
    "x": lambda t: 0.05 * casadi.cos(1.2566 * t),
    "y": lambda t: 0.05 * casadi.sin(1.2566 * t),
    "z": 0.275,
    "rz": np.pi / 3,
    "rx": 0.0,
    "ry": 0.0,
}


@pytest.mark.parametrize("motion", [WAVES, CIRCLE], ids=["waves", "circle"])
def test_constraint_violations_stay_below_1e_12_metres(motion):
    k = poinsot.kinematics(poinsot.load("ex800"), motion, np.linspace(0, 5, 501))
    assert k.residual < 1e-12


def test_the_reference_values_of_the_platforms_forces():
    d = poinsot.inverse_dynamics(poinsot.load("ex800"), WAVES, [0.0, 1.0])
    rows = d.body_forces["platform"]
    assert rows[0, 2] == pytest.approx(-63.51266, abs=1e-5)
    expected = [-1.593612, -1.593612, -69.98898, -0.001583, -0.096877, -0.020163]
    np.testing.assert_allclose(rows[1], expected, atol=5e-6)
    compared("wrench on the platform of the EX800", "reference values, six decimals", rows[1], expected)


@pytest.mark.slow
def test_joint_coordinates_and_euler_angles_give_the_same_forces_and_reactions():
    ex800, t = poinsot.load("ex800"), [0.0, 0.4, 1.0]
    a, b = (poinsot.inverse_dynamics(ex800, WAVES, t, formulation=f) for f in ("joint", "euler"))
    for leg in a.forces:
        np.testing.assert_allclose(a.forces[leg], b.forces[leg], atol=1e-10)
        np.testing.assert_allclose(a.power[leg], b.power[leg], atol=1e-10)
    for joint in a.reactions:
        np.testing.assert_allclose(a.reactions[joint], b.reactions[joint], atol=1e-10)


def test_zxz_angles_pass_their_singularity_without_loss_of_accuracy():
    """The platform's tilt passes through θ = 0 at every zero of the waves, where ZXZ angles are singular."""
    t = np.linspace(0, 5, 2001)
    k = poinsot.kinematics(poinsot.load("ex800"), WAVES, t)
    zxy = np.stack([k.coordinates[n] for n in ("rz", "rx", "ry")], axis=1)
    angles, near = np.empty_like(zxy), np.array([np.pi / 3, 0.0, 0.0])
    from poinsot.spatial.rotation import euler_matrix

    for i, row in enumerate(zxy):
        angles[i] = near = convert_angles("ZXY", "ZXZ", row, near)
    np.testing.assert_allclose(euler_matrix("ZXZ", angles), k.rotation["platform"], atol=1e-14)
    assert np.abs(np.sin(angles[:, 1])).min() < 1e-3  # it does pass there
    for start in (0, 7):
        few = poinsot.kinematics(poinsot.load("ex800"), WAVES, t[start : start + 3], formulation="euler")
        np.testing.assert_allclose(
            few.acceleration["leg2.rod"], k.acceleration["leg2.rod"][start : start + 3], atol=1e-10
        )
