"""Numbers of the papers that follow from the description alone, before any equation of motion."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot


def static_leg_force(name: str) -> float:
    """Force per leg that holds the home pose, by virtual work: 6 F δl = δV for a rise of the platform  [N]."""
    mechanism = poinsot.load(name)
    home = dict(mechanism.elements.pose)

    def energy_and_length(dz: float) -> tuple[float, float]:
        poses = poinsot.assemble(mechanism, {**home, "z": home["z"] + dz}).require().poses
        heights = {n: poses[n].point(np.array(b.com))[2] for n, b in mechanism.bodies.items()}
        energy = sum(b.mass * 9.81 * heights[n] for n, b in mechanism.bodies.items())
        return energy, float(mechanism.coordinates["leg1.length"].value(poses, mechanism.joints))

    (V1, l1), (V2, l2), (V3, l3), (V4, l4) = (energy_and_length(k * 1e-3) for k in (-2, -1, 1, 2))
    return (8 * (V3 - V2) - (V4 - V1)) / (8 * (l3 - l2) - (l4 - l1)) / 6


@pytest.mark.parametrize(("name", "force"), [("hexapod", 8.510397), ("hexapod_printed", 8.533285)])
def test_static_leg_force_of_the_hexapod(name, force):
    assert static_leg_force(name) == pytest.approx(force, abs=1e-6)


def test_home_height_and_leg_length_of_the_hexapod():
    hexapod = poinsot.load("hexapod")
    poses = poinsot.assemble(hexapod).require().poses
    assert poses["platform"].p[2] == pytest.approx(0.5000058, abs=5e-8)
    for i in range(1, 7):
        length = hexapod.coordinates[f"leg{i}.length"].value(poses, hexapod.joints)
        assert length == pytest.approx(0.5320, abs=1e-12)


NAVARO_POSES = [(0, 0, 0), (0, 0, -60)] + [
    (r * np.cos(a), r * np.sin(a), -60) for a in np.radians([30, 150, -90]) for r in (0.135, 0.21)
]


@pytest.mark.parametrize("pose", NAVARO_POSES)
def test_navaro_keeps_its_parallelograms_and_its_assembly_mode(pose):
    navaro = poinsot.load("navaro")
    x, y, theta = pose
    poses = poinsot.assemble(navaro, {"x": x, "y": y, "theta": np.radians(theta)}).require().poses

    def point(frame):
        return np.asarray(poses[frame.body].point(frame.pose().p))

    for leg in ("leg1", "leg2", "leg3"):
        A, B = point(navaro.joints[f"{leg}.A1"].a), point(navaro.joints[f"{leg}.B"].a)
        C, D, E = (point(navaro.joints[f"{leg}.{j}"].a) for j in "CDE")
        np.testing.assert_allclose(E, D - (B - A), atol=1e-12)
        np.testing.assert_allclose(C, D + (B - A), atol=1e-12)
        assert np.cross(E - A, D - A)[2] < 0  # D to the right of the way from A to E


def test_three_link_has_the_geometry_found_by_fitting_the_published_table():
    bodies = poinsot.load("three_link").bodies
    assert [b.com[0] for b in bodies.values()] == pytest.approx([36.0e-3, 28.0e-3, 23.1e-3])
    assert bodies["link1"].frames[0].position[0] == pytest.approx(69.0e-3)
    assert bodies["link2"].frames[0].position[0] == pytest.approx(56.1e-3)
