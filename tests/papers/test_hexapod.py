"""The hexapod's published dynamic test, in every formulation."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compared import compared

import poinsot

FORCES = {"leg1": 9.5, "leg2": 9.5, "leg3": 8.5105, "leg4": 8.5105, "leg5": 8.5105, "leg6": 8.5105}
TABLE = {  # t: T_y, T_z, θ₁, l₁, l₃, l₄
    0.1: (0.0002139773, 0.0019591786, -0.0222049830, 0.5408092877, 0.5322460695, 0.5284817368),
    0.3: (0.0022414280, 0.0179784589, -0.2117876944, 0.6149941071, 0.5332582854, 0.4997719242),
    0.5: (0.0088661629, 0.0501365234, -0.6898336810, 0.7819405055, 0.5277518472, 0.4504137263),
}
PRINTED = (0.0083518037, 0.0466070522, -0.6935076704, 0.7794488585, 0.5242859654, 0.4468183824)  # t = 0.5 s


def rows(name, formulation):
    hexapod = poinsot.load(name)
    r = poinsot.simulate(hexapod, t_end=0.5, t=[0.1, 0.3, 0.5], forces=FORCES, formulation=formulation)
    p, R, legs = r.position["platform"], r.rotation["platform"], r.coordinates
    theta1 = -np.arctan2(R[:, 2, 1], R[:, 2, 2])
    height = hexapod.elements.pose["z"]
    lengths = [legs[f"leg{i}.length"] for i in (1, 3, 4)]
    return r, np.stack([p[:, 1], p[:, 2] - height, theta1, *lengths], axis=1)


@pytest.mark.parametrize("formulation", ["joint", "embedded", "euler", "rotation-matrix"])
def test_the_published_motion_comes_out_in_every_formulation(formulation):
    r, found = rows("hexapod", formulation)
    np.testing.assert_allclose(found, list(TABLE.values()), atol=1e-8)
    compared(
        f"motion of the hexapod ({formulation})",
        "reference values of the published motion",
        found,
        list(TABLE.values()),
    )
    assert np.abs(r.position["platform"][:, 0]).max() < 1e-10
    legs = r.coordinates
    for a, b in (("leg1", "leg2"), ("leg3", "leg6"), ("leg4", "leg5")):
        np.testing.assert_allclose(legs[f"{a}.length"], legs[f"{b}.length"], atol=1e-9)
    assert r.finished and r.drift < 1e-10 and r.energy_error < 1e-8


def test_the_variant_as_printed():
    _, found = rows("hexapod_printed", "joint")
    np.testing.assert_allclose(found[-1], PRINTED, atol=1e-8)


def test_inverse_dynamics_gives_the_static_leg_force():
    for name, force in (("hexapod", 8.510397), ("hexapod_printed", 8.533285)):
        hexapod = poinsot.load(name)
        held = poinsot.inverse_dynamics(hexapod, hexapod.elements.pose, [0.0])
        assert [f[0] for f in held.forces.values()] == pytest.approx([force] * 6, abs=5e-7)
