"""Bodies that a file places along a line: the turn about it is found where a hinge needs one."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

LEG = """
[components.leg]
arguments = ["turn"]
[components.leg.frames.foot]
body = "ground"
position = ["0.4 * cos({turn})", "0.4 * sin({turn})", 0]
rotation = { sequence = "ZXZ", angles = ["{turn} + 90 deg", 0, 0] }
[components.leg.frames.head]
body = "platform"
position = ["0.2 * cos({turn})", "0.2 * sin({turn})", 0]
[components.leg.bodies.cylinder]
mass = "0.36 kg"
inertia = [21e-3, 21e-3, 0.056e-3]
placement = { at = "foot", along = ["foot", "head"] }
[components.leg.bodies.rod]
mass = "0.12 kg"
inertia = [1.3e-3, 1.3e-3, 0.0066e-3]
placement = { at = "head", along = ["foot", "head"] }
[components.leg.joints]
hinge = { type = "revolute", between = ["foot", "cylinder"], axis = [1, 0, 0] }
slide = { type = "prismatic", between = ["cylinder", "rod"] }
ball = { type = "spherical", between = ["rod", "head"] }
"""


def three_rps(tmp_path, azimuth: float) -> poinsot.Mechanism:
    turns = [f"{azimuth + 120 * i} deg" for i in range(3)]
    text = f"""
format = 1
name = "rps"
[bodies.platform]
mass = "6.8 kg"
inertia = [0.042, 0.042, 0.083]
placement = {{ position = [0, 0, "0.6 m"] }}
{LEG}
[instances.leg]
component = "leg"
number = 3
turn = {turns}
"""
    (tmp_path / "rps.toml").write_text(text)
    return poinsot.load(tmp_path / "rps.toml")


@pytest.mark.parametrize("azimuth", [0, 10, 75, 100, 145, 200, 310])
def test_hinged_legs_stand_on_their_hinges_at_every_azimuth(tmp_path, azimuth):
    poses = poinsot.assemble(three_rps(tmp_path, azimuth)).poses
    for i in range(3):
        turn = np.radians(azimuth + 120 * i)
        tangent = [-np.sin(turn), np.cos(turn), 0]  # the axis of the hinge, x of its foot
        np.testing.assert_allclose(poses[f"leg{i + 1}.cylinder"].R @ [1, 0, 0], tangent, atol=1e-12)
        lean = np.arctan2(0.2, 0.6)  # towards the platform, whose points lie 0.2 m further in
        up = [-np.sin(lean) * np.cos(turn), -np.sin(lean) * np.sin(turn), np.cos(lean)]
        np.testing.assert_allclose(poses[f"leg{i + 1}.cylinder"].R @ [0, 0, 1], up, atol=1e-9)
